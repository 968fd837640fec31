# Wayfare, a made-up app for train journeys, in the shape of an app that is made with Jetpack Compose: one activity
# for nearly all pages, no ids, and buttons without a name of their own, whose words are on a child.
#
# It has five bugs, of kinds that real apps have. Each has a parameter that corrects it, and `--set fixed=true` corrects
# all of them.
#
# Simplified: each day has the same trains; nothing slides or fades; the prompt about notifications is a dialog of this
# app, while Android shows one of its own.

app org.example.wayfare "Wayfare" 4.2
display 1080x2400 420dpi                   # 84 pixels are the status bar
launch Main

param fixed = false                        # corrects all of the following
param fixed_sunday = false                 # the chip `Sunday` chooses Sunday
param fixed_day = false                    # a train is added for the day that is chosen
param fixed_keyboard = false               # the keyboard stays away when the sheet of a train has closed
param fixed_undo = false                   # Undo brings back the trip that was removed last
param fixed_reminder = false               # a reminder that is not allowed is not said to be set

# ---- Stored state ------------------------------------------------------------------------------

stored trips = list(city, day)
stored greeted = false                     # the two trips of the first start were added
stored may_notify = false                  # the permission
stored passenger = ""                      # the name on the tickets
stored dark = false, quiet = false         # the settings

# ---- State of the process ----------------------------------------------------------------------

session page = "Trains"                    # also "Trips", "Settings", "Help"
session has_drawer = false                 # the navigation drawer is open
session day = "Today", goal = ""           # the day that is chosen, the city that is looked for
session is_updating = false, updates = 0
session snack = "", can_undo = false, snacks = 0
session removed_city = "", removed_day = ""

# Shows a message at the bottom of the page for four seconds, as long as Compose's `Short`.
def tell(words, undo) {
    snack = words; can_undo = undo; snacks += 1;
    let number = snacks;
    # The time of an earlier message does not end this one.
    after 4s { if snacks == number { snack = "" } }
}

def go(target) { page = target; has_drawer = false }

# ---- Parts -------------------------------------------------------------------------------------

part window {
    FrameLayout at 0,0 1080,2400 {
        LinearLayout {
            FrameLayout #android:id/content {
                androidx.compose.ui.platform.ComposeView {
                    View { content }
                }
            }
        }
    }
}

# The words of a button, on a child. Compose adds a child that says that the widget around it is a button.
part label(words) {
    TextView (words)
    Button wide 60
}

# ---- Trains ------------------------------------------------------------------------------------

part chip(words) {
    View wide 290 across selected (day == words) ->
        # Here is a bug: the last chip has the number of the one before.
        day = words == "Sunday" && !fixed && !fixed_sunday ? "Saturday" : words
    { TextView (words) }
}

part train(number) {
    let city = number % 3 == 0 ? "Lisbon" : number % 3 == 1 ? "Porto" : "Faro"
    let time = "{7 + number}:{15 + 7 * (number % 5)}"
    View tall 300 when (!goal || contains(lower(city), lower(goal))) ->
        # Here is a bug: the row keeps the day that it was first shown for.
        show Train(city, time, 19 + 5 * number, fixed || fixed_day ? day : "Today")
    {
        TextView (time) tall 100
        TextView (city) tall 100
        TextView "{19 + 5 * number} €" tall 100
    }
}

part trains {
    # The list comes before the bars in the tree, as in each `Scaffold`.
    View at 0,590 1080,2400 {
        # A list that is at its top leaves the pull to its surroundings.
        on swipe down: {
            if network {
                is_updating = true;
                after 1500ms { is_updating = false; updates += 1 }
            } else {
                tell("You are offline", false)
            }
        }
        View at 0,590 1080,2400 scrolls {
            TextView "Trains on {day}" tall 120
            for number in 0..11 { use train(number) }
            TextView "No more trains" tall 120
        }
        View desc "Updating" at 460,600 620,700 when is_updating
    }
    View at 0,450 1080,580 across scrolls sideways {
        use chip("Today")
        use chip("Tomorrow")
        use chip("Friday")
        use chip("Saturday")
        use chip("Sunday")
    }
    EditText at 40,270 1040,430 edits goal { TextView "Where to?" }
    TextView "Updated {updates} times" at 560,120 1040,220 when updates
}

# Compose shows a bottom sheet in a window of its own.
dialog Train(city, time, price, shown_day) {
    use window {
        View desc "Close sheet" at 0,0 1080,1300 -> close
        View at 0,1300 1080,2400 solid {
            View desc "Drag handle" tall 100
            TextView "{city} at {time}" tall 120
            TextView "{price} €, {shown_day}" tall 120
            TextView "For {passenger}" tall 120 when passenger
            View tall 150 across -> {
                close;
                add trips(city: city, day: shown_day);
                tell("Added for {shown_day}", false);
                # Here is a bug: the page asks for the focus again, and the keyboard covers the trains.
                if !fixed && !fixed_keyboard { keyboard }
            } { use label("Add to trip") }
            View tall 150 across -> close; if may_notify { tell("Reminder set", false) } else { show Notifications } {
                use label("Remind me")
            }
        }
    }
}

# As Android asks since version 13.
dialog Notifications modal {
    FrameLayout at 90,900 990,1500 {
        LinearLayout #com.android.permissioncontroller:id/grant_dialog {
            TextView #com.android.permissioncontroller:id/permission_message "Allow Wayfare to send you notifications?" tall 200
            Button #com.android.permissioncontroller:id/permission_allow_button "Allow" tall 150
                -> close; may_notify = true; tell("Reminder set", false)
            # Here is a bug: nobody looks at the answer.
            Button #com.android.permissioncontroller:id/permission_deny_button "Don’t allow" tall 150
                -> close; tell(fixed || fixed_reminder ? "Notifications are off" : "Reminder set", false)
        }
    }
}

# ---- Trips -------------------------------------------------------------------------------------

part trips_page {
    View at 0,240 1080,2400 scrolls {
        for trip in trips {
            View across tall 200 {
                View -> open Ticket(trip) {
                    TextView (trip.city)
                    TextView (trip.day)
                }
                View wide 150 -> {
                    # Here is a bug: as long as a message is shown, its Undo keeps what it was made for.
                    if fixed || fixed_undo || !snack || !can_undo { removed_city = trip.city; removed_day = trip.day };
                    remove trip;
                    tell("Trip removed", true)
                } { View desc "Remove" }
            }
        }
        TextView "No trips yet" when (count(trips) == 0)
    }
}

# An activity of its own, and a form.
activity Ticket .TicketActivity (trip) {
    own kept name = passenger, message = ""
    use window {
        View {
            View tall 150 across {
                View wide 150 -> finish { View desc "Back" }
                TextView "Ticket"
            }
            TextView "{trip.city}, {trip.day}" tall 120
            EditText tall 160 edits name { TextView "Passenger" }
            TextView (message) tall 120 when message
            View tall 150 across -> if trim(name) { passenger = name; finish } else { message = "Who travels?" } {
                use label("Save passenger")
            }
        }
    }
}

# ---- Settings and help -------------------------------------------------------------------------

part settings_page {
    View at 0,240 1080,2400 {
        View tall 150 across checked dark -> dark = !dark { TextView "Dark theme" }
        View tall 150 across checked quiet -> quiet = !quiet { TextView "Quiet coach first" }
        View tall 150 across -> page = "Help" { TextView "Help" }
    }
}

part help_page {
    View at 0,240 1080,2400 scrolls {
        for number in 1..14 {
            TextView "Question {number}" tall 100
            TextView "Pull down the list of trains to update it." tall 120
        }
        TextView "Wayfare 4.2" tall 100
    }
}

# ---- The activity ------------------------------------------------------------------------------

part drawer_item(target) {
    View tall 150 across selected (page == target) -> go(target) { TextView (target) }
}

activity Main .MainActivity {
    # A rotation ends what waits for its time.
    on create: snack = ""; is_updating = false
    on create when !recreated: {
        page = "Trains"; has_drawer = false; day = "Today"; goal = "";
        if !greeted {
            greeted = true;
            add trips(city: "Lisbon", day: "Today");
            add trips(city: "Porto", day: "Friday")
        }
    }
    on back when has_drawer: has_drawer = false
    on back when page == "Help": page = "Settings"
    on back when page != "Trains": page = "Trains"

    use window {
        View at 0,84 1080,2400 {
            when page == "Trains" { use trains }
            when page == "Trips" { use trips_page }
            when page == "Settings" { use settings_page }
            when page == "Help" { use help_page }
            View at 0,84 1080,240 {
                View at 20,100 146,226 -> has_drawer = true { View desc "Menu" }
                TextView (page) at 180,100 520,226
            }
        }
        View at 40,2200 1040,2360 across when snack {
            TextView (snack)
            View wide 240 across when can_undo -> {
                add trips(city: removed_city, day: removed_day); snack = ""
            } { use label("Undo") }
        }
        # The page below stays in the tree, and takes no touches.
        View at 0,0 1080,2400 solid when has_drawer {
            View desc "Close navigation menu" at 860,0 1080,2400 -> has_drawer = false
            View at 0,0 860,2400 {
                TextView "Wayfare" tall 240
                use drawer_item("Trains")
                use drawer_item("Trips")
                use drawer_item("Settings")
            }
        }
    }
}
