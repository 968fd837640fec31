# A page that was opened from itself and closed twice crashes where it is refreshed.
app org.crash.stack "Stack" 1
launch Main

session closed = 0

activity Main .Main {
    TextView "Topics"
    Button "First topic" -> closed = 0; open Topic
    Button "Search" -> open Search
}

activity Topic .Topic {
    TextView "Topic"
    Button "Related" -> open Related
    Button "Refresh" -> if closed == 2 { crash "java.lang.IllegalStateException: no view" }
}

activity Related .Related {
    TextView "Related topics"
    Button "Deeper" -> open Deeper
    Button "Close" -> closed = 1; finish
}

activity Deeper .Deeper {
    own page = 1
    TextView "Page {page}"
    Button "Turn the page" -> page = page + 1
    Button "Close all" -> closed = 2; finish; finish
}

activity Search .Search {
    own kept words = ""
    EditText hint "Words" edits words
    Button "Go" -> finish
}
