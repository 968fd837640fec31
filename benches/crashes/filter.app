# A filter that leaves nothing over crashes the list that is sorted: hidden state of two switches.
app org.crash.filter "Filter" 1
launch Main

stored newest = false, photos = false, archived = true

activity Main .Main {
    TextView "Messages"
    TextView "Hello" when (!photos)
    TextView "A photo" when (!archived)
    Button "Settings" -> open Settings
    Button "Sort" -> if photos && !archived { crash "java.util.NoSuchElementException" } else { newest = !newest }
    Button "Write" -> open Write
}

activity Settings .Settings {
    CheckBox "Photos only" checked (photos) -> photos = !photos
    CheckBox "Archived only" checked (archived) -> archived = !archived
    CheckBox "Newest first" checked (newest) -> newest = !newest
    Button "About" -> open About
}

activity Write .Write {
    own kept words = ""
    EditText hint "Message" edits words
    Button "Send" -> finish
}

activity About .About {
    own lines = 1
    for line in 1..lines { TextView "Line {line}" }
    Button "Show more" -> lines = lines + 1
}
