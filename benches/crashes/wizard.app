# A wizard of nine pages crashes at its end if an option of its third page was chosen.
app org.crash.wizard "Wizard" 1
launch Main

session page = 1, fast = false, extras = 0

activity Main .Main {
    TextView "Not set up yet"
    Button "Set up" -> page = 1; fast = false; extras = 0; open Wizard
    Button "Later" -> open Later
}

activity Wizard .Wizard {
    TextView "Page {page} of 9"
    CheckBox "Fast" when (page == 3) checked (fast) -> fast = !fast
    Button "Extra" when (page == 5) -> extras = extras + 1
    Button "Previous" when (page > 1) -> page = page - 1
    Button "Next" when (page < 9) -> page = page + 1
    Button "Finish" when (page == 9) -> if fast { crash "java.io.IOException: no profile" } else { finish }
}

activity Later .Later {
    own days = 1
    TextView "In {days} days"
    Button "One more" -> days = days + 1
}
