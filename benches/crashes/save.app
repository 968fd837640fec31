# Saving a form with an empty field crashes, three pages deep.
app org.crash.save "Save" 1
launch Main

activity Main .Main {
    TextView "Start"
    Button "More" -> open Second
    Button "Help" -> open Help
}

activity Second .Second {
    TextView "Second page"
    Button "More" -> open Third
    Button "Help" -> open Help
}

activity Third .Third {
    TextView "Third page"
    Button "Next" -> open Form
    Button "Help" -> open Help
}

activity Form .Form {
    own kept name = ""
    EditText hint "Name" edits name
    Button "Save" -> if name { finish } else { crash "java.lang.IllegalStateException: no name" }
    Button "Cancel" -> finish
}

activity Help .Help {
    own page = 0
    TextView "Help {page}"
    Button "Forward" -> page = page + 1
    Button "Backward" when (page > 0) -> page = page - 1
}
