# Leaving a page while it still loads crashes once it has loaded.
app org.crash.refresh "Refresh" 1
launch Main

session loading = false, gone = false

activity Main .Main {
    TextView "Feeds"
    Button "Weather" -> loading = false; gone = false; open Weather
    Button "Sports" -> open Sports
}

activity Weather .Weather {
    TextView (loading ? "Loading" : "Sunny")
    Button "Refresh" -> {
        loading = true;
        after 3s { if gone { crash "java.lang.IllegalStateException: not attached" } else { loading = false } }
    }
    Button "Map" -> if loading { gone = true }; open Map
}

activity Map .Map {
    own zoom = 1
    TextView "Zoom {zoom}"
    Button "Closer" -> zoom = zoom + 1
}

activity Sports .Sports {
    own page = 1
    TextView "Sports, page {page}"
    Button "Older" -> page = page + 1
}
