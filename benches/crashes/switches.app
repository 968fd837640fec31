# One of eight settings of three switches crashes as it is applied.
app org.crash.switches "Switches" 1
launch Main

stored wifi = false, dark = false, sounds = true

activity Main .Main {
    Button "Network" -> open Network
    Button "Display" -> open Display
    Button "Apply" -> if wifi && dark && !sounds { crash "java.lang.ArithmeticException: divide by zero" }
    Button "About" -> open About
}

activity Network .Network {
    CheckBox "Wi-Fi" checked (wifi) -> wifi = !wifi
    Button "Done" -> finish
}

activity Display .Display {
    CheckBox "Dark" checked (dark) -> dark = !dark
    CheckBox "Sounds" checked (sounds) -> sounds = !sounds
    Button "Done" -> finish
}

activity About .About {
    own taps = 0
    TextView "Version 1.{taps}"
    Button "Version" -> taps = taps + 1
}
