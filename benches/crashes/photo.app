# Turning the device while a photo is shared loses the photo.
app org.crash.photo "Photo" 1
launch Main

stored grid = true

activity Main .Main {
    TextView (grid ? "Grid" : "List")
    Button "View" -> grid = !grid
    Button "Edit" -> open Edit
    Button "Settings" -> open Settings
}

activity Edit .Edit {
    own cropped = false, turned = 0
    TextView "turned by {turned} degrees"
    Button "Crop" -> cropped = true
    Button "Turn" -> turned = turned + 90
    Button "Share" -> if cropped { finish } else { open Share }
}

activity Share .Share {
    TextView "Share with"
    Button "Mail" -> if landscape { crash "java.lang.NullPointerException: bitmap" } else { finish }
    Button "Print" -> finish
}

activity Settings .Settings {
    own size = 1
    TextView "Size {size}"
    Button "Larger" -> size = size + 1
}
