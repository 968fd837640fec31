app org.example.notes "Notes" 1.0          # package, name on the launcher, version
display 480x800 240dpi                     # the portrait size; 240dpi: 1 dp is 1.5 px
param fixed = false                        # chosen with --set fixed=true
stored notes = list(name), next = 1        # kept until the app is installed anew
launch Main                                # what the launcher starts

activity Main .MainActivity {
    own menu = false                       # of this instance of the activity alone
    TextView "Notes" tall 60
    on menu: menu = !menu
    when menu { Button "Clear" -> clear notes; menu = false }
    ListView #list scrolls {
        for n in notes {
            LinearLayout -> open Editor(n) { TextView #item_name "{n.name}" }
        }
    }
    Button #add "+" tall 72 -> open Editor(none)
}

activity Editor .EditorActivity (note) {
    own name = note.name or ""
    EditText #name hint "Name" edits name
    Button "Cancel" -> name = none; finish
    on pause when fixed && name != none: save(note, name)
}

def save(note, name) {
    if note { note.name = name } else { add notes(name: name or "Note {next}"); next += 1 }
}
