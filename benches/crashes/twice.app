# A name that is added twice crashes.
app org.crash.twice "Twice" 1
launch Main

stored names = list(name)

activity Main .Main {
    TextView "Contacts"
    for one in names { TextView (one.name) }
    Button "New contact" -> open New
    Button "Groups" -> open Groups
}

activity New .New {
    own kept name = ""
    EditText hint "Name" edits name
    Button "Add" -> if !name { finish } else if find(one in names where one.name == name) {
        crash "android.database.sqlite.SQLiteConstraintException: UNIQUE"
    } else { add names(name: name); finish }
    Button "Cancel" -> finish
}

activity Groups .Groups {
    own groups = 1
    for group in 1..groups { TextView "Group {group}" }
    Button "New group" -> groups = groups + 1
}
