# Privacy Friendly Notes 1.0.1, as it is on Android 4.4 with a display of 480x800 pixels.
#
# The model follows the app widget by widget: the tree, the bounds, the stored state and the lost state.
# It has two bugs because the app has them; each has a parameter that corrects it, and
# `--set fixed=true` corrects both.
#
# It deviates from the app in two widgets: the plus button of the main screen and the colour square of
# a sketch have no text and no description there. Here their descriptions are `+` and `colorSelector`, so
# that a spec can name them.
#
# Simplified: reminders have no certain time and never ring; the app records sound without a microphone;
# it does not keep drawings; `Share` leads to a chooser without choices.

app org.secuso.privacyfriendlynotes "Notes" 1.0.1
display 480x800 240dpi                     # 38 pixels are the status bar, 72 the navigation bar
launch Splash

param fixed = false                        # corrects all of the following
param fixed_black_missing = false          # the palette has a twentieth colour, black
param fixed_back_saves = false             # back discards the text, as `Cancel` does

# ---- Stored state ------------------------------------------------------------------------------

stored greeted = false                     # the welcome dialog was shown
stored bin_explained = false               # the dialog about the recycle bin was shown
stored next = 1                            # the number of the next note without a name

# Of every kind: "text", "checklist", "audio", "sketch". `marked` ones are selected in the list.
stored notes = list(kind, name, body, category, reminder, trashed, marked)
stored items = list(note, text, done)      # of checklists
stored categories = list(name, marked)     # besides `Default`, which always exists

stored bin_with_category = false           # settings
stored custom_size = false
stored font_size = none

# State of the one open editor, for its dialogs and its lower part.
session category = "Default"               # the chosen category
session dropped = false                    # the editor ends without saving
session saving = false                     # the editor ends by its button to save
session saved = none                       # the edited note, once it is stored
session entries = list(text, done, marked) # the items of a checklist
session pen = 20                           # the colour of a sketch, 20 is black

# ---- Notes -------------------------------------------------------------------------------------

def edit(note) {
    if note.kind == "text" { open TextNote(note) }
    else if note.kind == "checklist" { open Checklist(note) }
    else if note.kind == "audio" { open AudioNote(note) }
    else { open Sketch(note) }
}

# Every editor does this when it is created.
def begin(note) { category = note.category or "Default"; dropped = false; saving = false; saved = note }

# A note without a name gets one with a number that is never used again.
def save(note, kind, name, body) {
    let title = name or "Note {next}";
    if !name { next += 1 }
    if note {
        note.name = title; note.body = body; note.category = category;
        saved = note; toast "Note updated"
    } else {
        add notes(kind: kind, name: title, body: body, category: category, reminder: false, trashed: false, marked: false) as new;
        saved = new; toast "Note saved"
    }
}

def discard { dropped = true; toast "Canceled without saving"; finish }

def bin(note) { note.trashed = true; dropped = true; finish }

def erase(note) {
    for item in items where item.note == note { remove item }
    remove note
}

def drop_category(old) {
    for note in notes where note.category == old.name {
        note.category = "";
        if bin_with_category { note.trashed = true }
    }
    remove old
}

# ---- Shared parts ------------------------------------------------------------------------------

# All screens except the main one.
part window {
    FrameLayout at 0,0 480,728 {
        LinearLayout {
            FrameLayout {
                View #decor_content_parent at 0,38 480,728 {
                    content
                }
            }
        }
    }
}

# Their title, and the widgets beside it.
part bar(title) {
    FrameLayout #action_bar_container at 0,38 480,122 {
        View #action_bar {
            # It creates a new main screen; back leads to the old one.
            ImageButton desc "Navigate up" at 0,38 84,122 -> open Main afresh
            TextView (title) at 108,60 340,100
            content
        }
    }
}

# Covers the title while rows are selected.
part selection_bar {
    FrameLayout #action_bar_container at 0,38 480,122 {
        View #action_context_bar {
            content
        }
    }
}

part page {
    FrameLayout #android:id/content at 0,122 480,728 {
        content
    }
}

# A row of a list of notes.
part note_row(name) {
    ImageView #item_icon tall 36 wide 36
    TextView #item_name (len(name) < 30 ? name : left(name, 27) + "...") tall 36 wide 396
}

# A question of the system; its buttons are the content.
part alert(title, message) {
    FrameLayout at 30,235 450,537 {
        FrameLayout {
            FrameLayout #android:id/content {
                LinearLayout #android:id/parentPanel {
                    LinearLayout #android:id/topPanel at 30,235 450,313 {
                        LinearLayout #android:id/title_template {
                            ImageView #android:id/icon at 48,250 96,298
                            TextView #android:id/alertTitle (title) at 105,250 430,298
                        }
                    }
                    FrameLayout #android:id/contentPanel at 30,313 450,435 {
                        ScrollView at 48,320 432,420 {
                            LinearLayout {
                                TextView (message)
                            }
                        }
                    }
                    LinearLayout #android:id/buttonPanel at 30,450 450,522 across {
                        content
                    }
                }
            }
        }
    }
}

# The popup of a button at the top right.
part menu(rows) {
    FrameLayout at 180,44 474,(44 + 72 * rows) {
        ListView {
            content
        }
    }
}

part menu_row(text) {
    RelativeLayout {
        TextView #title (text)
    }
}

# Links and `Share` leave the app.
activity Browser com.android.browser/.BrowserActivity (address) {
    FrameLayout at 0,38 480,728 {
        EditText #com.android.browser:id/url at 0,38 480,110 edits address
        android.webkit.WebView at 0,110 480,728
    }
}

activity Chooser android/com.android.internal.app.ChooserActivity {
    FrameLayout at 30,300 450,440 {
        TextView #android:id/empty "No apps can perform this action."
    }
}

# ---- Start -------------------------------------------------------------------------------------

# It shows a picture for a moment, and never comes to rest.
activity Splash .SplashActivity {
    on create: open Main; finish
    FrameLayout at 0,0 480,728
}

dialog Welcome {
    use alert("Welcome", "With this app you can create and share notes in the form of text, checklists, memos and sketches.") {
        Button #android:id/button2 "View Help" wide 210 -> close; open Help
        Button #android:id/button1 "OKAY" wide 210 -> close
    }
}

# ---- Main screen -------------------------------------------------------------------------------

activity Main .MainActivity {
    own kept fab = false, drawer = false   # the menu of the plus button, the drawer
    own sorted = false
    own shown = ""                         # the shown category, "" for all
    own lit = ""                           # the checked row of the drawer
    own marking = false                    # true while rows are being selected

    on create when !greeted: greeted = true; show Welcome
    on create: for n in notes { n.marked = false }
    on resume: sorted = false; shown = ""; lit = ""
    on back when drawer: drawer = false
    on back when marking: marking = false; for n in notes { n.marked = false }
    on menu: show Overflow

    FrameLayout at 0,0 480,728 {
        LinearLayout {
            FrameLayout {
                FrameLayout #action_bar_root at 0,38 480,728 {
                    FrameLayout #android:id/content at 0,38 480,728 {
                        android.support.v4.widget.DrawerLayout #drawer_layout {
                            View at 0,38 480,728 {
                                LinearLayout at 0,38 480,122 {
                                    View #toolbar {
                                        ImageButton desc (drawer ? "Close navigation drawer" : "Open navigation drawer") at 0,38 84,122
                                            -> drawer = !drawer
                                        TextView "Notes" at 108,60 190,100
                                        android.support.v7.widget.LinearLayoutCompat at 348,38 480,122 {
                                            TextView #action_sort_alphabetical desc "Sort alphabetical" at 348,44 420,116 longclickable
                                                -> sorted = true
                                            ImageView desc "More options" at 420,44 480,116 -> show Overflow
                                        }
                                    }
                                }
                                RelativeLayout at 0,122 480,728 {
                                    RelativeLayout {
                                        ListView #notes_list at 24,146 456,704 scrolls clickable longclickable {
                                            for n in notes where !n.trashed && (shown == "" || n.category == shown)
                                                by (sorted ? lower(n.name) : "") {
                                                LinearLayout tall 71 across selected (n.marked) -> if marking {
                                                    n.marked = !n.marked;
                                                    if count(m in notes where m.marked) == 0 { marking = false }
                                                } else {
                                                    edit(n)
                                                } {
                                                    on longclick: marking = true; n.marked = true
                                                    use note_row(n.name)
                                                }
                                            }
                                        }
                                    }
                                }
                                # The menu of the plus button. A touch on a label goes to its button;
                                # turned, the menu has no labels.
                                View #fab_menu at 145,96 456,704 {
                                    when fab {
                                        TextView "New sketch" at 170,239 333,279 when portrait {
                                            on tap(x, y): fab = false; open Sketch(none)
                                        }
                                        ImageButton #fab_sketch at 357,221 444,308 -> fab = false; open Sketch(none)
                                        TextView "New audio" at 180,332 333,372 when portrait {
                                            on tap(x, y): fab = false; open AudioNote(none)
                                        }
                                        ImageButton #fab_audio at 357,314 444,401 -> fab = false; open AudioNote(none)
                                        TextView "New checklist" at 145,425 333,465 when portrait {
                                            on tap(x, y): fab = false; open Checklist(none)
                                        }
                                        ImageButton #fab_checklist at 357,407 444,494 -> fab = false; open Checklist(none)
                                        TextView "New text" at 195,518 333,558 when portrait {
                                            on tap(x, y): fab = false; open TextNote(none)
                                        }
                                        ImageButton #fab_text at 357,500 444,587 -> fab = false; open TextNote(none)
                                    }
                                    ImageButton #fab_expand_menu_button desc "+" at 345,593 456,704 -> fab = !fab; wait 300ms
                                }
                            }
                            # The drawer lies over the screen, which stays in the tree.
                            when drawer {
                                # A touch beside it closes it.
                                View at 384,38 480,728 solid {
                                    on tap(x, y): drawer = false
                                }
                                FrameLayout #nav_view at 0,38 384,728 solid {
                                    android.support.v7.widget.RecyclerView #design_navigation_view scrolls {
                                        LinearLayout #navigation_header_container tall 240 {
                                            LinearLayout {
                                                # The button of the bar lies below, and still gets touches.
                                                on tap(x, y): if x < 84 && y < 84 { drawer = false }
                                                ImageView #imageView tall 150
                                                TextView "Notes" tall 90
                                            }
                                        }
                                        FrameLayout tall 13 { View }
                                        TextView "Manage" tall 72
                                        android.support.v7.widget.LinearLayoutCompat tall 72 -> drawer = false; open Categories {
                                            CheckedTextView #design_menu_item_text "Manage categories"
                                        }
                                        FrameLayout tall 13 { View }
                                        android.support.v7.widget.LinearLayoutCompat tall 72 -> shown = ""; lit = "all"; drawer = false {
                                            CheckedTextView #design_menu_item_text "All notes" checked (lit == "all")
                                        }
                                        android.support.v7.widget.LinearLayoutCompat tall 72 -> drawer = false; open RecycleBin {
                                            CheckedTextView #design_menu_item_text "Recycle bin" checked false
                                        }
                                        FrameLayout tall 13 { View }
                                        android.support.v7.widget.LinearLayoutCompat tall 72 -> shown = "Default"; lit = "Default"; drawer = false {
                                            CheckedTextView #design_menu_item_text "Default" checked (lit == "Default")
                                        }
                                        for c in categories {
                                            android.support.v7.widget.LinearLayoutCompat tall 72 -> shown = c.name; lit = c.name; drawer = false {
                                                CheckedTextView #design_menu_item_text (c.name) checked (lit == c.name)
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                    # It covers the bar, which stays in the tree.
                    when marking {
                        View #action_mode_bar at 0,38 480,122 solid {
                            ImageView #action_mode_close_button desc "Done" at 0,38 84,122
                                -> marking = false; for n in notes { n.marked = false }
                            TextView #action_delete desc "Delete" at 408,44 480,116 longclickable -> {
                                marking = false;
                                for n in notes where n.marked { n.trashed = true; n.marked = false }
                            }
                        }
                    }
                }
            }
        }
    }
}

popup Overflow {
    use menu(3) {
        LinearLayout tall 72 -> close; open Settings { use menu_row("Settings") }
        LinearLayout tall 72 -> close; open Help { use menu_row("Help") }
        LinearLayout tall 72 -> close; open About { use menu_row("About") }
    }
}

# ---- Shared parts of editors -------------------------------------------------------------------

# Beside the title, once the note is stored.
part edit_actions(note) {
    android.support.v7.widget.LinearLayoutCompat at 348,38 480,122 {
        TextView #action_reminder desc "Set reminder" at 348,44 420,116 longclickable
            -> if note.reminder { show Reminder(note) } else { show ReminderDate(note) }
        ImageView desc "More options" at 420,44 480,116 -> show EditOverflow(note)
    }
}

# Below the note: the category and the buttons.
part foot(note) {
    LinearLayout at 24,532 456,704 {
        TextView "Category:" at 24,532 456,560
        Spinner #spinner_category at 24,560 456,632 -> show PickCategory {
            TextView #android:id/text1 (category)
        }
        LinearLayout #buttonRow at 24,632 456,704 {
            Button #btn_cancel "Cancel" at 24,632 168,704 -> discard()
            Button #btn_delete "Delete" at 168,632 312,704 enabled (note != none) ->
                if bin_explained { bin(note) } else { bin_explained = true; show ToBin(note) }
            Button #btn_save (note != none ? "Update" : "Save") at 312,632 456,704 -> saving = true; finish
        }
    }
}

popup PickCategory {
    FrameLayout at 24,632 456,(min(728, 704 + 72 * count(categories))) {
        ListView scrolls {
            CheckedTextView #android:id/text1 "Default" tall 72 checked (category == "Default") -> category = "Default"; close
            for c in categories {
                CheckedTextView #android:id/text1 (c.name) tall 72 checked (category == c.name) -> category = c.name; close
            }
        }
    }
}

dialog ToBin(note) {
    use alert("Moving to recycle bin", "The note is kept in the recycle bin until it is deleted there.") {
        Button #android:id/button1 "OKAY" wide 420 -> bin(note)
    }
}

popup EditOverflow(note) {
    use menu(2) {
        LinearLayout tall 72 -> close; toast "Exported note to /storage/emulated/0/{note.name}" { use menu_row("Save") }
        LinearLayout tall 72 -> close; open Chooser { use menu_row("Share") }
    }
}

# In both dialogs of a reminder, back acts as their button.
dialog ReminderDate(note) {
    on back: close; show ReminderTime(note)
    use alert("Set date", "Today") {
        Button #android:id/button1 "Done" wide 420 -> close; show ReminderTime(note)
    }
}

dialog ReminderTime(note) {
    on back: close; note.reminder = true; toast "Alarm scheduled for today"
    use alert("Set time", "Now") {
        Button #android:id/button1 "Done" wide 420 -> close; note.reminder = true; toast "Alarm scheduled for today"
    }
}

popup Reminder(note) {
    use menu(2) {
        LinearLayout tall 72 -> close; show ReminderDate(note) { use menu_row("Edit reminder") }
        LinearLayout tall 72 -> close; note.reminder = false { use menu_row("Delete reminder") }
    }
}

# ---- Text note ---------------------------------------------------------------------------------

# Every editor saves when it is paused, for any reason: here is the bug that back saves. If it comes
# back, it goes on with the stored note.
activity TextNote .TextNoteActivity (note) in window relaid {
    own name = note.name or "", body = note.body or ""
    on create: begin(note)
    on create when !note: keyboard
    on menu when note: show EditOverflow(note)
    on back when fixed || fixed_back_saves: discard()
    on pause when !dropped: save(note, "text", name, body)
    on resume when saved: note = saved; name = saved.name

    use bar("Text Note") {
        when note { use edit_actions(note) }
    }
    use page {
        LinearLayout {
            LinearLayout {
                EditText #etName hint "Name" at 24,146 (min(456, 54 + 14 * max(4, len(name)))),214 edits name
                ScrollView #scrollView at 24,214 456,532 {
                    EditText #etContent hint "Multiline-\nNote" at 24,229 456,300 edits body
                }
                use foot(note)
            }
        }
    }
}

# ---- Checklist ---------------------------------------------------------------------------------

activity Checklist .ChecklistNoteActivity (note) in window relaid {
    own name = note.name or "", typed = ""
    own marking = false                    # true while items are being selected
    on create: begin(note); clear entries;
        for i in items where i.note == note { add entries(text: i.text, done: i.done, marked: false) }
    on create when !note: keyboard
    on back when marking: marking = false; for e in entries { e.marked = false }
    on menu when note: show EditOverflow(note)
    on back when fixed || fixed_back_saves: discard()
    on pause when !dropped: save(note, "checklist", name, "");
        for i in items where i.note == saved { remove i };
        for e in entries { add items(note: saved, text: e.text, done: e.done) }
    on resume when saved: note = saved; name = saved.name

    when marking {
        use selection_bar {
            ImageView #action_mode_close_button desc "Done" at 0,38 84,122
                -> marking = false; for e in entries { e.marked = false }
            TextView #action_delete desc "Delete" at 408,44 480,116 longclickable
                -> marking = false; for e in entries where e.marked { remove e }
        }
    } else {
        use bar("Checklist Note") {
            when note { use edit_actions(note) }
        }
    }
    use page {
        LinearLayout {
            LinearLayout {
                EditText #etName hint "Name" at 24,146 (min(456, 54 + 14 * max(4, len(name)))),214 edits name
                LinearLayout at 24,214 456,284 {
                    EditText #etNewItem hint "New item" at 24,214 324,284 edits typed
                    Button #btn_add "Add" at 324,214 456,284 ->
                        if typed { add entries(text: typed, done: false, marked: false); typed = "" }
                }
                ListView #itemList at 24,284 456,532 scrolls clickable longclickable when (count(entries) > 0) {
                    for e in entries {
                        LinearLayout tall 71 across selected (e.marked) -> if marking {
                            e.marked = !e.marked;
                            if count(m in entries where m.marked) == 0 { marking = false }
                        } else {
                            e.done = !e.done
                        } {
                            on longclick: marking = true; e.marked = true
                            TextView #item_name (e.text) wide 360
                            CheckBox #item_checkbox wide 72 checked (e.done)
                        }
                    }
                }
                use foot(note)
            }
        }
    }
}

# ---- Audio note --------------------------------------------------------------------------------

activity AudioNote .AudioNoteActivity (note) in window portrait {
    own name = note.name or ""
    own recorded = note.body == "recorded", recording = false, interrupted = false
    own seconds = 0
    on create: begin(note)
    on menu when note: show EditOverflow(note)
    on back when fixed || fixed_back_saves: discard()
    every 1s when recording: seconds += 1
    # Without a recording only the button saves. One that is interrupted ends the editor.
    on pause when recording: recording = false; recorded = true; interrupted = true
    on pause when !dropped && (recorded || saving || note != none):
        save(note, "audio", name, recorded ? "recorded" : "")
    on resume when saved: note = saved; name = saved.name
    on resume when interrupted: dropped = true; finish

    use bar("Audio Note") {
        when note { use edit_actions(note) }
    }
    use page {
        LinearLayout {
            LinearLayout {
                EditText #etName hint "Name" at 24,146 456,214 edits name
                when !recorded {
                    ImageButton #btn_record at 204,214 276,286 -> {
                        if recording { recording = false; recorded = true } else { recording = true; seconds = 0 }
                    }
                }
                when recording {
                    TextView #recording_time ((seconds < 600 ? "0" : "") + "{seconds / 60}:" + (seconds % 60 < 10 ? "0" : "") + "{seconds % 60}") at 204,286 276,316
                }
                SeekBar #seekbar at 24,330 456,378 enabled recorded
                when recorded {
                    ImageButton #btn_play_pause at 204,390 276,462 clickable
                }
                use foot(note)
            }
        }
    }
}

# ---- Sketch ------------------------------------------------------------------------------------

activity Sketch .SketchActivity (note) in window portrait {
    own name = note.name or ""
    on create: begin(note); pen = 20
    on menu when note: show EditOverflow(note)
    on back when fixed || fixed_back_saves: discard()
    on pause when !dropped: save(note, "sketch", name, "")
    on resume when saved: note = saved; name = saved.name

    use bar("Sketch Note") {
        when note { use edit_actions(note) }
    }
    use page {
        LinearLayout {
            LinearLayout {
                EditText #etName hint "Name" at 24,146 381,214 edits name
                # A square of the pen's colour.
                Button #btn_color_selector desc "colorSelector" at 381,146 456,214 -> show Palette
                View #draw_view at 24,214 456,532
                use foot(note)
            }
        }
    }
}

# Nothing but its place tells one colour from another. They are red, pink, purple, deep purple, indigo;
# blue, light blue, cyan, teal, green; light green, lime, yellow, orange, deep orange; brown, grey, blue
# grey, white. Here is the bug: black is not among them, so it cannot be chosen again.
dialog Palette {
    let last = fixed || fixed_black_missing ? 19 : 18
    FrameLayout at 45,230 435,575 {
        FrameLayout {
            FrameLayout #android:id/content {
                FrameLayout #android:id/custom {
                    LinearLayout {
                        RelativeLayout #colorpicker_base {
                            # The title is empty; its place is counted.
                            TextView #title at 45,230 435,245
                            android.support.v7.widget.RecyclerView #color_palette at 45,245 435,575 {
                                for i in 0..last {
                                    LinearLayout #linearLayout at (60 + 75 * (i % 5)),(260 + 75 * (i / 5)) (120 + 75 * (i % 5)),(320 + 75 * (i / 5)) {
                                        Button #color -> pen = i; wait 250ms; close
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

# ---- Categories --------------------------------------------------------------------------------

activity Categories .ManageCategoriesActivity in window {
    own kept typed = ""
    own refused = false                    # true while the message about a name in use is shown
    own marking = false                    # true while rows are being selected
    on create: keyboard; for c in categories { c.marked = false }
    on back when marking: marking = false; for c in categories { c.marked = false }

    when marking {
        use selection_bar {
            ImageView #action_mode_close_button desc "Done" at 0,38 84,122
                -> marking = false; for c in categories { c.marked = false }
            TextView #action_delete desc "Delete" at 408,44 480,116 longclickable
                -> marking = false; for c in categories where c.marked { drop_category(c) }
        }
    } else {
        use bar("Categories")
    }
    use page {
        RelativeLayout {
            LinearLayout at 24,146 456,214 {
                EditText #etName hint "Name" at 24,146 324,214 edits typed
                Button #btn_add "Add" at 324,146 456,214 ->
                    if typed == "Default" || find(c in categories where c.name == typed) {
                        refused = true;
                        after 3s { refused = false }
                    } else if typed {
                        add categories(name: typed, marked: false); typed = ""
                    }
            }
            ListView #category_list at 24,214 456,704 scrolls clickable longclickable {
                for c in categories {
                    LinearLayout tall 71 selected (c.marked) -> if marking {
                        c.marked = !c.marked;
                        if count(m in categories where m.marked) == 0 { marking = false }
                    } else {
                        show DeleteCategory(c)
                    } {
                        on longclick: marking = true; c.marked = true
                        TextView #item_name (c.name)
                    }
                }
            }
            TextView #snackbar_text "Category already exists" at 0,656 480,728 when refused
        }
    }
}

dialog DeleteCategory(old) {
    use alert("Delete {old.name}?", "Are you sure you want to delete {old.name}?") {
        Button #android:id/button2 "Cancel" wide 210 -> close
        Button #android:id/button1 "OKAY" wide 210 -> drop_category(old); close
    }
}

# ---- Recycle bin -------------------------------------------------------------------------------

activity RecycleBin .RecycleActivity in window {
    use bar("Recycle Bin") {
        android.support.v7.widget.LinearLayoutCompat at 408,38 480,122 {
            TextView #action_delete_all desc "Delete all" at 408,44 480,116 longclickable
                -> for n in notes where n.trashed { erase(n) }
        }
    }
    use page {
        RelativeLayout {
            ListView #notes_list at 24,146 456,704 scrolls clickable {
                for n in notes where n.trashed {
                    LinearLayout tall 71 across -> show RestoreOrDelete(n) { use note_row(n.name) }
                }
            }
        }
    }
}

dialog RestoreOrDelete(note) {
    use alert("Restore or delete {note.name}?", "Do you want to restore or delete {note.name}?") {
        Button #android:id/button2 "Delete" wide 140 -> close; erase(note)
        Button #android:id/button3 "Cancel" wide 140 -> close
        Button #android:id/button1 "Restore" wide 140 -> close; note.trashed = false
    }
}

# ---- Settings ----------------------------------------------------------------------------------

part preference(title, summary) {
    RelativeLayout wide 330 {
        TextView #android:id/title (title) tall 36
        TextView #android:id/summary (summary) tall 60
    }
}

activity Settings .SettingsActivity in window {
    use bar("Settings")
    use page {
        LinearLayout {
            LinearLayout {
                FrameLayout {
                    ListView #android:id/list at 24,122 456,728 clickable {
                        TextView #android:id/title "General" tall 48
                        LinearLayout tall 96 across -> bin_with_category = !bin_with_category {
                            use preference("Delete notes in category", "Also delete notes that are in the category that is deleted.")
                            LinearLayout #android:id/widget_frame wide 102 {
                                Switch #android:id/switchWidget (bin_with_category ? "ON" : "OFF") checked bin_with_category
                                    -> bin_with_category = !bin_with_category
                            }
                        }
                        LinearLayout tall 96 across -> custom_size = !custom_size {
                            use preference("Custom font size", "Use a custom font size in the text note editor.")
                            LinearLayout #android:id/widget_frame wide 102 {
                                Switch #android:id/switchWidget (custom_size ? "ON" : "OFF") checked custom_size
                                    -> custom_size = !custom_size
                            }
                        }
                        LinearLayout tall 96 across enabled custom_size -> show FontSize {
                            use preference("Font size", "Click here to select the font size.")
                        }
                    }
                }
            }
        }
    }
}

dialog FontSize {
    use choice("Font size") {
        for i in 10..30 {
            CheckedTextView #android:id/text1 "{i}" tall 72 checked (font_size == i) -> font_size = i; close
        }
    }
}

# One of several, or `Cancel`.
part choice(title) {
    FrameLayout at 30,100 450,668 {
        FrameLayout {
            LinearLayout #android:id/parentPanel {
                TextView #android:id/alertTitle (title) at 48,110 432,170
                ListView #android:id/select_dialog_listview at 30,170 450,590 scrolls {
                    content
                }
                Button #android:id/button2 "Cancel" at 30,590 450,662 -> close
            }
        }
    }
}

# ---- Help --------------------------------------------------------------------------------------

part help_row(title, summary) {
    LinearLayout tall 96 {
        TextView #android:id/title (title) tall 36
        TextView #android:id/summary (summary) tall 60
    }
}

activity Help .HelpActivity in window {
    use bar("Help")
    use page {
        LinearLayout {
            FrameLayout {
                ListView #android:id/list at 24,122 456,728 clickable {
                    TextView #android:id/title "Overview" tall 48
                    LinearLayout tall 140 {
                        TextView #android:id/summary "Welcome to the help page. Here you find what the app is for and which rights it needs."
                    }
                    TextView #android:id/title "Privacy Info" tall 48
                    use help_row("RECEIVE BOOT COMPLETED", "Reminders are set again after the device was restarted.")
                    use help_row("RECORD AUDIO", "Audio notes are recorded with the microphone.")
                    use help_row("WRITE EXTERNAL STORAGE", "Notes are exported to the external storage.")
                }
            }
        }
    }
}

# ---- About -------------------------------------------------------------------------------------

# It is 185 pixels longer than the screen.
activity About .AboutActivity in window {
    use bar("About")
    use page {
        FrameLayout {
            ScrollView scrolls {
                LinearLayout {
                    LinearLayout {
                        RelativeLayout tall 150 { ImageView }
                        TextView "Privacy Friendly Notes" tall 48
                        TextView "Version 1.0.1" tall 36
                        TextView "Authors:" tall 48
                        TextView "Robin Morawetz" tall 36
                        TextView "and contributors." tall 36
                        TextView "In affiliation with" tall 48
                        ImageView tall 140
                        TextView "This app is one of the Privacy Friendly Apps, which ask for no more rights than they need." tall 90
                        TextView "More information can be found on:" tall 63
                        TextView #about_secuso_website "SECUSO-Website" tall 48 longclickable
                            -> open Browser("https://www.secuso.org/pfa")
                        TextView #about_github_url "Github-Repo" tall 48 longclickable
                            -> open Browser("https://github.com/SecUSo/privacy-friendly-notes")
                    }
                }
            }
        }
    }
}
