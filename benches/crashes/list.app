# A list that is sorted crashes once it is empty.
app org.crash.list "List" 1
launch Main

stored rows = list(name), next = 1

activity Main .Main {
    on create: if next == 1 { next = 4; add rows(name: "Row 1"); add rows(name: "Row 2"); add rows(name: "Row 3") }
    Button "Add" -> add rows(name: "Row {next}"); next = next + 1
    Button "Sort" -> if count(rows) == 0 { crash "java.lang.IndexOutOfBoundsException: Index: 0, Size: 0" }
    Button "Settings" -> open Settings
    for row in rows {
        LinearLayout across {
            TextView (row.name)
            Button "Delete" wide 120 -> remove row
        }
    }
}

activity Settings .Settings {
    own large = false
    CheckBox "Large" checked (large) -> large = !large
}
