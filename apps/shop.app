# Shop, a made-up app with a shopping list, a search, an account, an order and settings: the app of docs/cookbook.md.
#
# It has three bugs, of kinds that real apps have. Each has a parameter that corrects it, and `--set fixed=true` corrects
# all of them.

app org.example.shop "Shop" 2.3
display 480x800 240dpi
launch List

param fixed = false                        # corrects all of the following
param fixed_double_click = false           # a second click on Add, in quick succession, adds nothing
param fixed_turn = false                   # a turn of the device keeps what the order says
param fixed_empty_search = false           # a search for nothing finds nothing

# ---- Stored state ------------------------------------------------------------------------------

stored items = list(name)
stored user = ""                           # the e-mail of the person who is logged in
stored dark = false, news = false          # the settings

# ---- The list ----------------------------------------------------------------------------------

activity List .ListActivity {
    own kept name = ""
    own kept message = ""
    own kept removed = ""                  # the item that Undo brings back
    on menu: show Menu

    TextView "Shopping list"
    LinearLayout across {
        EditText #new_item hint "New item" edits name
        Button #add "Add" wide 120 -> {
            message = "";
            if name {
                add items(name: name);
                # Here is a bug: the field keeps the name for a moment, so a second click adds it again.
                if fixed || fixed_double_click { name = "" } else { after 800ms { name = "" } }
            } else {
                message = "Please type a name"
            }
        }
    }
    TextView #message (message) when message
    for item in items {
        LinearLayout across {
            TextView #item (item.name)
            ImageButton #delete desc "Delete {item.name}" wide 72 -> removed = item.name; message = ""; remove item
        }
    }
    LinearLayout across when removed {
        TextView #removed "{removed} was deleted"
        Button #undo "Undo" wide 120 -> add items(name: removed); removed = ""
    }
    Button #clear "Clear" when (count(items) > 0) -> show Clear
    Button #share "Share" -> message = network ? "The list was shared" : "No network"
    LinearLayout across {
        Button #search "Search" -> open Search
        Button #account "Account" -> open Account
    }
    LinearLayout across {
        Button #order "Order" -> open Order
        Button #settings "Settings" -> open Settings
    }
}

dialog Clear {
    LinearLayout at 30,235 450,537 {
        TextView #android:id/alertTitle "Delete all items?"
        LinearLayout across {
            Button #android:id/button2 "Cancel" -> close
            Button #android:id/button1 "Delete all" -> clear items; close
        }
    }
}

popup Menu {
    LinearLayout at 180,44 474,116 {
        TextView "About" -> close; open About
    }
}

# ---- Search ------------------------------------------------------------------------------------

activity Search .SearchActivity {
    own kept query = "", asked = ""

    EditText #query hint "Search for" edits query
    # Here is a bug: a search for nothing crashes.
    Button #find "Find" -> if query || fixed || fixed_empty_search { asked = query } else {
        crash "java.lang.StringIndexOutOfBoundsException: index 0, length 0"
    }
    when asked {
        for item in items where contains(lower(item.name), lower(asked)) { TextView #result (item.name) }
        TextView "Nothing found" when (count(item in items where contains(lower(item.name), lower(asked))) == 0)
    }
}

# ---- Account -----------------------------------------------------------------------------------

activity Account .AccountActivity {
    own kept email = "", secret = "", message = ""

    when user {
        TextView #greeting "Hello {user}"
        Button #log_out "Log out" -> user = ""; email = ""; secret = ""; message = ""
    } else {
        EditText #email hint "E-mail" edits email
        EditText #password hint "Password" edits secret password
        Button #log_in "Log in" -> {
            if !email || !secret { message = "Please fill in both fields" }
            else if email != "ann@example.com" { message = "Unknown user" }
            else if secret != "secret" { message = "Wrong password" }
            else { user = email }
        }
        TextView #message (message) when message
    }
}

# ---- Order -------------------------------------------------------------------------------------

activity Order .OrderActivity {
    own kept kept_name = "", kept_town = ""
    # Here is a bug: a turn makes the page anew, and nothing kept these two.
    own name = fixed || fixed_turn ? kept_name : "", town = fixed || fixed_turn ? kept_town : ""
    own message = ""

    EditText #name hint "Name" edits name { on text: kept_name = name }
    EditText #town hint "Town" edits town { on text: kept_town = town }
    Button #send "Send" -> if name && town { open Thanks; finish } else { message = "Please fill in all fields" }
    TextView #message (message) when message
}

activity Thanks .ThanksActivity {
    TextView "Thank you"
    Button "Back to the list" -> open List afresh
}

# ---- Settings ----------------------------------------------------------------------------------

activity Settings .SettingsActivity {
    Switch #dark "Dark colours" checked dark -> dark = !dark
    Switch #news "News by e-mail" checked news -> news = !news
    Button "About" -> open About
}

activity About .AboutActivity {
    TextView "Shop 2.3"
    TextView "Made up for the cookbook of farlead."
}
