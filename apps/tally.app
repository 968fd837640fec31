# Tally, a made-up app for habits, in the shape of an app that is made with Flutter: one activity for all pages,
# descriptions in place of texts, and no ids.
#
# It has four bugs, of kinds that real apps have. Each has a parameter that corrects it, and `--set fixed=true` corrects
# all of them.
#
# Simplified: it is the same day for ever; nothing slides or fades.

app org.example.tally "Tally" 1.8
display 1080x2220 420dpi                   # 72 pixels are the status bar
launch Main

param fixed = false                        # corrects all of the following
param fixed_streak = false                 # a habit that is done again on the same day adds no day to the streak
param fixed_name = false                   # blanks are no name
param fixed_goal = false                   # a goal is at least once a day
param fixed_archive = false                # a habit in the archive is not counted

# ---- Stored state ------------------------------------------------------------------------------

stored habits = list(name, goal, done, streak, is_archived)
stored greeted = false                     # the two habits of the first start were added
stored sounds = true, dark = false         # the settings

# ---- State of the process ----------------------------------------------------------------------

session page = "Today"                     # also "Week", "Settings", "New habit", "Habit", "Archive"
session is_asking = false                  # the question before a deletion is shown
session shown = none                       # the habit of the page "Habit"
session day = 0                            # the day of the strip that is chosen; 0 is today
session name = "", goal = 1                # the form of a new habit
session note = "", notes = 0               # a message at the bottom of the page

# Shows a message at the bottom of the page for four seconds, as long as Flutter's `SnackBar`.
def tell(words) {
    note = words; notes += 1;
    let number = notes;
    # The time of an earlier message does not end this one.
    after 4s { if notes == number { note = "" } }
}

def tick(habit) {
    if habit.done < habit.goal {
        habit.done = habit.goal;
        # Here is a bug: the day is added each time.
        if habit.streak == 0 || !fixed && !fixed_streak { habit.streak += 1 }
    } else {
        habit.done = 0;
        if fixed || fixed_streak { habit.streak = 0 }
    }
}

def to_week() {
    # Here is a bug: a goal of 0 times is divided by.
    if find(h in habits where h.goal == 0) { crash "IntegerDivisionByZeroException" } else { page = "Week" }
}

# ---- Parts -------------------------------------------------------------------------------------

part window {
    FrameLayout at 0,0 1080,2220 {
        LinearLayout {
            FrameLayout #android:id/content {
                FrameLayout {
                    View { View { View { content } } }
                }
            }
        }
    }
}

part title(words) {
    View desc (words) at 60,90 900,210
}

# A page with a way back.
part page(words, parent) {
    Button desc "Back" at 0,72 168,240 -> page = parent
    View desc (words) at 216,110 900,210
}

part tabs {
    View at 0,2046 1080,2220 across {
        Button desc "Today\nTab 1 of 3" selected (page == "Today") -> page = "Today"
        Button desc "Week\nTab 2 of 3" selected (page == "Week") -> to_week()
        Button desc "Settings\nTab 3 of 3" selected (page == "Settings") -> page = "Settings"
    }
}

# ---- Today -------------------------------------------------------------------------------------

part today {
    use title("Today")
    # A node for each word.
    View at 60,240 1020,330 across {
        # Here is a bug: the archive is counted too.
        let all = fixed || fixed_archive ? count(h in habits where !h.is_archived) : count(habits)
        View desc "{count(h in habits where !h.is_archived && h.done >= h.goal)}"
        View desc "of"
        View desc "{all}"
        View desc "done"
    }
    android.widget.HorizontalScrollView at 0,350 1080,500 across scrolls sideways {
        for back in 0..13 {
            Button desc (back == 0 ? "Today" : back == 1 ? "1 day ago" : "{back} days ago") wide 240
                selected (day == back) -> day = back
        }
    }
    ScrollView at 0,520 1080,2046 scrolls {
        for habit in habits where !habit.is_archived {
            View tall 200 across desc "{habit.name}\n{day == 0 ? habit.done : 0} of {habit.goal}" -> shown = habit; page = "Habit" {
                View
                Button desc "Once more" wide 200 enabled (habit.done < habit.goal) when (day == 0 && habit.goal > 1) ->
                    habit.done += 1;
                    if habit.done == habit.goal && habit.streak == 0 { habit.streak = 1 }
                CheckBox desc "Done" wide 160 checked (habit.done >= habit.goal) when (day == 0) -> tick(habit)
            }
        }
        View desc "Nothing to do" when (count(h in habits where !h.is_archived) == 0)
    }
    Button desc "New habit" at 860,1860 1040,2030 -> name = ""; goal = 1; page = "New habit"
    use tabs
}

# ---- One habit ---------------------------------------------------------------------------------

part habit_page {
    use page(shown.name, "Today")
    View at 60,300 1020,400 across {
        when shown.streak {
            View desc "Streak"
            View desc "{shown.streak}"
            View desc (shown.streak == 1 ? "day" : "days")
        } else {
            View desc "No"
            View desc "streak"
        }
    }
    View desc "Times a day" at 60,420 600,520
    SeekBar desc "{shown.goal}" at 60,530 1020,670 {
        # Here is a bug: the slider begins at 0.
        on swipe left: shown.goal = max(fixed || fixed_goal ? 1 : 0, shown.goal - 1)
        on swipe right: shown.goal = min(5, shown.goal + 1)
    }
    Button desc "Archive" at 60,700 1020,840 -> shown.is_archived = true; page = "Today"; tell("{shown.name} is in the archive")
    Button desc "Delete" at 60,860 1020,1000 -> is_asking = true
}

# A dialog of Flutter is in the window of the page, and hides the page from the tree.
part question {
    View desc "Dismiss" at 0,0 1080,2220 -> is_asking = false
    View at 100,800 980,1300 solid {
        View desc "Alert" tall 20
        View desc "Delete {shown.name}?" tall 200
        View tall 150 across {
            Button desc "Cancel" -> is_asking = false
            Button desc "Delete for good" -> is_asking = false; page = "Today"; remove shown; shown = none; tell("Deleted")
        }
    }
}

# ---- A new habit -------------------------------------------------------------------------------

part new_habit {
    use page("New habit", "Today")
    EditText desc "Name" at 60,300 1020,450 edits name
    View desc "Times a day" at 60,480 600,580
    SeekBar desc "{goal}" at 60,600 1020,740 {
        on swipe left: goal = max(1, goal - 1)
        on swipe right: goal = min(5, goal + 1)
    }
    Button desc "Save" at 60,800 1020,940 ->
        # Here is a bug: blanks are a name.
        if fixed || fixed_name ? trim(name) : name {
            add habits(name: name, goal: goal, done: 0, streak: 0, is_archived: false);
            page = "Today";
            tell("Saved")
        } else {
            tell("A habit needs a name")
        }
}

# ---- The week ----------------------------------------------------------------------------------

part week {
    use title("Week")
    ScrollView at 0,260 1080,2046 scrolls {
        for habit in habits where !habit.is_archived {
            View tall 160 across {
                View desc (habit.name)
                View desc "{100 * habit.done / habit.goal} %"
            }
        }
    }
    use tabs
}

# ---- Settings and archive ----------------------------------------------------------------------

part settings {
    use title("Settings")
    Switch desc "Sounds" at 0,260 1080,420 checked sounds -> sounds = !sounds
    Switch desc "Dark\nAt night only" at 0,420 1080,580 checked dark -> dark = !dark
    Button desc "Archive" at 0,580 1080,740 -> page = "Archive"
    use tabs
}

part archive {
    use page("Archive", "Settings")
    ScrollView at 0,260 1080,2220 scrolls {
        for habit in habits where habit.is_archived {
            View tall 200 across desc (habit.name) {
                View
                Button desc "Restore" wide 300 -> habit.is_archived = false; page = "Today"
            }
        }
        View desc "Nothing here" when (count(h in habits where h.is_archived) == 0)
    }
}

# ---- The activity ------------------------------------------------------------------------------

activity Main .MainActivity {
    # A rotation ends what waits for its time.
    on create: note = ""
    on create when !recreated: {
        page = "Today"; is_asking = false; day = 0;
        if !greeted {
            greeted = true;
            add habits(name: "Water", goal: 3, done: 0, streak: 0, is_archived: false);
            add habits(name: "Walk", goal: 1, done: 0, streak: 0, is_archived: false)
        }
    }
    on back when is_asking: is_asking = false
    on back when page == "Archive": page = "Settings"
    on back when page != "Today": page = "Today"

    use window {
        when is_asking { use question } else {
            when page == "Today" { use today }
            when page == "Habit" { use habit_page }
            when page == "New habit" { use new_habit }
            when page == "Week" { use week }
            when page == "Settings" { use settings }
            when page == "Archive" { use archive }
            View desc (note) at 40,1700 820,1840 when note
        }
    }
}
