//! `apps/notes.app` against what is known of Privacy Friendly Notes.

use super::*;

fn phone_with(set: &[(&str, &str)]) -> Phone {
    start("notes.app", set, &[])
}

/// Returns the app as installed, with the welcome dialog in front.
fn phone() -> Phone {
    phone_with(&[])
}

/// Returns the app on its main screen.
fn main_screen() -> Phone {
    let mut phone = phone();
    phone.step("OKAY");
    phone
}

/// Returns the app on its main screen with text notes of these names.
fn with_notes(names: &[&str]) -> Phone {
    let mut phone = main_screen();
    for name in names {
        phone.steps(&["+", "fab_text"]).type_into("etName", name).step("back");
    }
    phone
}

#[track_caller]
fn check_notes(phone: &Phone, expected: &[&str]) {
    let widgets = phone.screen().widgets().iter();
    let found: Vec<&str> =
        widgets.filter(|widget| widget.id_entry() == "item_name").map(|widget| &*widget.text).collect();
    assert_eq!(found, expected, "on\n{}", phone.shown());
}

#[test]
fn the_first_start_welcomes_once() {
    let mut phone = phone();
    phone.check_activity("MainActivity").check_counts(15, 2, 0, 0, 7);
    assert_eq!(&*phone.widget("button1").text, "OKAY");
    assert!(phone.has_text("Welcome") && phone.has_text("View Help"));
    phone.steps(&["rotate", "pauseresume", "rotate"]).check_counts(15, 2, 0, 0, 7);
    phone.clone().step("back").check_activity("MainActivity").check_counts(19, 5, 2, 0, 12);
    phone.clone().step("View Help").check_activity("HelpActivity").check_counts(25, 2, 0, 0, 7);
    phone.step("OKAY").check_counts(19, 5, 2, 0, 12);
    phone.steps(&["back", "Notes"]).check_activity("MainActivity").check_counts(19, 5, 2, 0, 12);
}

#[test]
fn the_main_screen_is_as_in_the_app() {
    let mut phone = main_screen();
    phone.check_texts(&["Notes"]);
    assert_eq!(phone.screen().package().as_ref(), "org.secuso.privacyfriendlynotes");
    check_bounds(
        &phone,
        &[
            ("Open navigation drawer", [0, 38, 84, 122]),
            ("Notes", [108, 60, 190, 100]),
            ("Sort alphabetical", [348, 44, 420, 116]),
            ("More options", [420, 44, 480, 116]),
            ("notes_list", [24, 146, 456, 704]),
            ("fab_expand_menu_button", [345, 593, 456, 704]),
        ],
    );
    let before = phone.screen().identity();
    phone.steps(&[
        "notes_list",
        "action_sort_alphabetical",
        "rotate",
        "rotate",
        "pauseresume",
        "Open navigation drawer",
        "back",
    ]);
    assert_eq!(phone.screen().identity(), before);
    phone.step("back");
    assert_ne!(phone.screen().package().as_ref(), "org.secuso.privacyfriendlynotes");
}

#[test]
fn the_menu_of_the_plus_button_has_labels_upright_alone() {
    let mut phone = main_screen();
    phone.step("+").check_activity("MainActivity").check_counts(27, 9, 2, 0, 16);
    phone.check_texts(&["Notes", "New sketch", "New audio", "New checklist", "New text"]);
    check_bounds(
        &phone,
        &[
            ("New sketch", [170, 239, 333, 279]),
            ("fab_sketch", [357, 221, 444, 308]),
            ("fab_audio", [357, 314, 444, 401]),
            ("fab_checklist", [357, 407, 444, 494]),
            ("fab_text", [357, 500, 444, 587]),
            ("fab_expand_menu_button", [345, 593, 456, 704]),
        ],
    );
    phone.clone().step("+").check_counts(19, 5, 2, 0, 12);
    // A label covers the middle of the list, and leads to its button.
    phone.clone().step("notes_list").check_activity("ChecklistNoteActivity");
    phone.clone().step("pauseresume").check_counts(27, 9, 2, 0, 16);
    let mut turned = phone.clone();
    turned.step("rotate").check_counts(23, 9, 2, 0, 16);
    turned.check_texts(&["Notes"]).check_activity("MainActivity");
    for (button, activity) in [
        ("fab_sketch", "SketchActivity"),
        ("fab_audio", "AudioNoteActivity"),
        ("fab_checklist", "ChecklistNoteActivity"),
        ("fab_text", "TextNoteActivity"),
    ] {
        phone.clone().step(button).check_activity(activity);
        turned.clone().step(button).check_activity(activity);
    }
    phone.steps(&["fab_text", "Cancel"]).check_counts(19, 5, 2, 0, 12);
    // Back does not close the menu, it leaves the app; restarted, the app has the menu closed.
    phone.steps(&["+", "back", "Notes"]).check_counts(19, 5, 2, 0, 12);
}

#[test]
fn a_dummy_note_is_left_behind_by_back() {
    let mut phone = main_screen();
    phone.steps(&["+", "fab_text"]).check_activity("TextNoteActivity").check_counts(22, 6, 2, 2, 23);
    phone.check_texts(&[
        "Text Note",
        "Name",
        "Multiline-\nNote",
        "Category:",
        "Default",
        "Cancel",
        "Delete",
        "Save",
    ]);
    check_bounds(
        &phone,
        &[
            ("Navigate up", [0, 38, 84, 122]),
            ("etName", [24, 146, 110, 214]),
            ("scrollView", [24, 214, 456, 532]),
            ("etContent", [24, 229, 456, 300]),
            ("Category:", [24, 532, 456, 560]),
            ("spinner_category", [24, 560, 456, 632]),
            ("Cancel", [24, 632, 168, 704]),
            ("Delete", [168, 632, 312, 704]),
            ("Save", [312, 632, 456, 704]),
        ],
    );
    phone.step("back").check_activity("MainActivity").check_counts(22, 6, 3, 0, 14);
    assert_eq!(phone.toasts(), ["Note saved"]);
    check_notes(&phone, &["Note 1"]);
    phone.steps(&["Note 1"]).check_activity("TextNoteActivity").check_counts(25, 9, 3, 2, 27);
}

#[test]
fn cancel_leaves_nothing_behind() {
    let mut phone = main_screen();
    phone.steps(&["+", "fab_text"]).type_into("etName", "x").step("Cancel").check_activity("MainActivity");
    assert_eq!(phone.toasts(), ["Canceled without saving"]);
    check_notes(&phone, &[]);
}

#[test]
fn back_leaves_nothing_behind_once_that_is_corrected() {
    for parameter in ["fixed", "fixed_back_saves"] {
        for editor in ["fab_text", "fab_checklist", "fab_audio", "fab_sketch"] {
            let mut phone = phone_with(&[(parameter, "true")]);
            phone.steps(&["OKAY", "+", editor, "back"]).check_activity("MainActivity");
            assert_eq!(phone.toasts(), ["Canceled without saving"]);
            check_notes(&phone, &[]);
            phone.steps(&["+", editor, "Save"]).check_activity("MainActivity");
            check_notes(&phone, &["Note 1"]);
            phone.steps(&["+", editor, "Navigate up"]).check_activity("MainActivity");
            check_notes(&phone, if editor == "fab_audio" { &["Note 1"] } else { &["Note 1", "Note 2"] });
        }
    }
}

#[test]
fn a_paused_editor_goes_on_with_the_note_it_stored() {
    for pause in [&["pauseresume"][..], &["idle", "etName"]] {
        let mut phone = main_screen();
        phone
            .steps(&["+", "fab_text"])
            .steps(pause)
            .check_activity("TextNoteActivity")
            .check_counts(25, 9, 3, 2, 27);
        assert!(phone.has_text("Note 1") && phone.has_text("Update"));
        phone.type_into("Note 1", "").step("Update");
        check_notes(&phone, &["Note 2"]);
        assert_eq!(phone.toasts(), ["Note updated"]);
    }
    // After a rotation it is laid out again, without a pause.
    let mut phone = main_screen();
    phone.steps(&["+", "fab_text"]).type_into("etContent", "42").step("rotate").check_counts(22, 6, 2, 2, 23);
    assert!(phone.has_text("42"));
    phone.step("Cancel");
    check_notes(&phone, &[]);
}

#[test]
fn notes_without_a_name_are_counted_over_all_kinds() {
    let mut phone = main_screen();
    for editor in ["fab_text", "fab_checklist", "fab_sketch", "fab_text"] {
        phone.steps(&["+", editor, "back"]);
    }
    check_notes(&phone, &["Note 1", "Note 2", "Note 3", "Note 4"]);
    phone.step("Note 2").check_activity("ChecklistNoteActivity");
    phone.steps(&["back", "Note 3"]).check_activity("SketchActivity");
    phone.step("Navigate up").check_activity("MainActivity");
    // It is recreated in place of the old one, so nothing lies below it.
    phone.step("back");
    assert_ne!(phone.screen().package().as_ref(), "org.secuso.privacyfriendlynotes");
}

#[test]
fn deleted_notes_go_to_the_recycle_bin() {
    let mut phone = with_notes(&["a", "b", "c"]);
    phone.steps(&["a", "Delete"]).check_activity("TextNoteActivity");
    assert!(phone.has_text("Moving to recycle bin"));
    phone.step("OKAY").check_activity("MainActivity");
    check_notes(&phone, &["b", "c"]);
    phone.steps(&["b", "Delete"]).check_activity("MainActivity");
    check_notes(&phone, &["c"]);
    phone.steps(&["Open navigation drawer", "Recycle bin"]).check_activity("RecycleActivity");
    check_notes(&phone, &["a", "b"]);
    phone.step("a");
    assert!(phone.has_text("Restore or delete a?") && phone.has_text("Do you want to restore or delete a?"));
    phone.clone().step("Cancel").check_activity("RecycleActivity").check_counts(19, 5, 1, 0, 11);
    phone.step("Restore").check_counts(16, 4, 1, 0, 10);
    phone.step("Delete all").check_counts(13, 3, 1, 0, 9);
    phone.step("back").check_activity("MainActivity");
    check_notes(&phone, &["a", "c"]);
}

#[test]
fn rows_are_selected_by_a_long_click() {
    let mut phone = with_notes(&["a", "b", "c"]);
    phone.long_click("a");
    assert!(phone.has("action_mode_close_button"));
    phone.clone().step("back").check_activity("MainActivity").check_counts(28, 8, 5, 0, 18);
    phone.clone().step("Done").check_counts(28, 8, 5, 0, 18);
    phone.clone().step("a").check_counts(28, 8, 5, 0, 18);
    phone.step("c").click("action_delete");
    check_notes(&phone, &["b"]);
    assert!(!phone.has("action_mode_close_button"));
}

#[test]
fn rows_are_sorted_until_the_screen_is_resumed() {
    let mut phone = with_notes(&["b", "C", "a"]);
    check_notes(&phone, &["b", "C", "a"]);
    phone.step("Sort alphabetical");
    check_notes(&phone, &["a", "b", "C"]);
    phone.step("pauseresume");
    check_notes(&phone, &["b", "C", "a"]);
}

#[test]
fn long_names_are_cut_and_long_lists_scroll() {
    let names: Vec<String> =
        (0..8).map(|number| format!("{number}{}", "x".repeat(28 + number % 2))).collect();
    let mut phone = with_notes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(phone.has_text(&names[0]));
    assert!(phone.has_text(&format!("{}...", &names[1][..27])));
    let down =
        phone.offered(|action| matches!(action, Action::Stroke(Stroke::Scroll, _, Direction::Down)), "down");
    assert!(
        !with_notes(&["a"])
            .offers()
            .iter()
            .any(|action| matches!(action, Action::Stroke(Stroke::Scroll, ..)))
    );
    phone.act(&down);
    assert!(phone.has_text(&format!("{}...", &names[7][..27])));
}

#[test]
fn the_overflow_leads_on() {
    for opener in ["More options", "menu"] {
        for (row, activity) in
            [("Settings", "SettingsActivity"), ("Help", "HelpActivity"), ("About", "AboutActivity")]
        {
            let mut phone = main_screen();
            phone.step(opener).check_activity("MainActivity").check_counts(11, 3, 0, 0, 8);
            phone.check_texts(&["Settings", "Help", "About"]);
            phone.clone().step("back").check_counts(19, 5, 2, 0, 12);
            phone.clone().step("pauseresume").check_counts(19, 5, 2, 0, 12);
            phone.step(row).check_activity(activity);
            phone.clone().step("Navigate up").check_activity("MainActivity").check_counts(19, 5, 2, 0, 12);
            phone.step("back").check_activity("MainActivity").check_counts(19, 5, 2, 0, 12);
        }
    }
}

#[test]
fn the_drawer_lies_over_the_main_screen() {
    let mut phone = main_screen();
    phone.step("Open navigation drawer").check_activity("MainActivity").check_counts(41, 9, 2, 0, 16);
    for closing in ["back", "Close navigation drawer", "+", "More options"] {
        phone.clone().step(closing).check_counts(19, 5, 2, 0, 12);
    }
    assert!(!phone.widget("All notes").flags.has(Flags::CHECKED));
    let all_notes = "All notes";
    phone.clone().step(all_notes).step("Open navigation drawer");
    let mut chosen = phone.clone();
    chosen.steps(&[all_notes, "Open navigation drawer"]);
    assert!(chosen.widget("All notes").flags.has(Flags::CHECKED));
    chosen.step("pauseresume");
    assert!(!chosen.widget("All notes").flags.has(Flags::CHECKED));
    phone.step("Manage categories").check_activity("ManageCategoriesActivity");
    phone.step("back").check_counts(19, 5, 2, 0, 12);
}

#[test]
fn categories_are_made_chosen_shown_and_deleted() {
    let mut phone = with_notes(&["a"]);
    phone.steps(&["Open navigation drawer", "Manage categories"]).check_counts(14, 4, 2, 1, 16);
    phone.step("Add").check_counts(14, 4, 2, 1, 16);
    phone.type_into("etName", "Default").step("Add");
    assert!(phone.has_text("Category already exists"));
    phone.type_into("etName", "work").step("Add").steps(&["idle", "menu"]).check_counts(16, 5, 3, 1, 18);
    assert!(phone.has_text("work") && phone.has_text("Name"));
    phone.steps(&["back", "+", "fab_text", "spinner_category"]).check_activity("TextNoteActivity");
    phone.check_texts(&["Default", "work"]);
    phone.step("work").check_counts(22, 6, 2, 2, 23);
    assert!(phone.has_text("work"));
    phone.step("back");
    check_notes(&phone, &["a", "Note 1"]);
    phone.steps(&["Open navigation drawer", "work"]);
    check_notes(&phone, &["Note 1"]);
    phone.step("rotate");
    check_notes(&phone, &["a", "Note 1"]);
    phone.steps(&["rotate", "Open navigation drawer", "Manage categories", "work"]);
    assert!(phone.has_text("Delete work?") && phone.has_text("Are you sure you want to delete work?"));
    phone.step("OKAY").check_activity("ManageCategoriesActivity").check_counts(14, 4, 2, 1, 16);
    phone.step("back");
    check_notes(&phone, &["a", "Note 1"]);
    phone.step("Note 1");
    assert!(phone.has_text("Default"));
}

#[test]
fn notes_of_a_deleted_category_go_with_it_if_the_setting_says_so() {
    let mut phone = main_screen();
    phone.steps(&[
        "menu",
        "Settings",
        "Delete notes in category",
        "back",
        "Open navigation drawer",
        "Manage categories",
    ]);
    phone.type_into("etName", "work").steps(&[
        "Add",
        "back",
        "+",
        "fab_text",
        "spinner_category",
        "work",
        "back",
    ]);
    check_notes(&phone, &["Note 1"]);
    phone.steps(&["Open navigation drawer", "Manage categories"]).long_click("work");
    phone.steps(&["action_delete"]).check_counts(14, 4, 2, 1, 16).clone().step("back");
    phone.step("back");
    check_notes(&phone, &[]);
}

#[test]
fn a_checklist_keeps_its_items() {
    let mut phone = main_screen();
    phone
        .steps(&["+", "fab_checklist"])
        .check_activity("ChecklistNoteActivity")
        .check_counts(23, 7, 2, 2, 24);
    phone.step("Add").check_counts(23, 7, 2, 2, 24);
    phone.type_into("etNewItem", "milk").step("Add").type_into("etNewItem", "bread").step("Add");
    phone.step("bread").steps(&["back", "Note 1"]);
    check_notes(&phone, &["milk", "bread"]);
    let checked = |phone: &Phone| -> Vec<bool> {
        let boxes = phone.screen().widgets().iter().filter(|widget| widget.id_entry() == "item_checkbox");
        boxes.map(|widget| widget.flags.has(Flags::CHECKED)).collect()
    };
    assert_eq!(checked(&phone), [false, true]);
    phone.long_click("milk");
    assert!(phone.has("action_context_bar") && !phone.has("action_bar"));
    phone.clone().step("back").check_activity("ChecklistNoteActivity");
    phone.step("action_delete");
    check_notes(&phone, &["bread"]);
    assert_eq!(checked(&phone), [true]);
}

#[test]
fn a_sound_is_saved_once_it_is_recorded() {
    let mut phone = main_screen();
    phone.steps(&["+", "fab_audio"]).check_activity("AudioNoteActivity").check_counts(22, 6, 1, 1, 17);
    phone.clone().step("back").check_counts(19, 5, 2, 0, 12);
    phone.clone().step("Save").check_counts(22, 6, 3, 0, 14);
    phone.step("rotate").check_counts(22, 6, 1, 1, 17);
    phone.step("btn_record");
    assert!(phone.has_text("00:00"));
    phone.steps(&["menu", "menu"]);
    assert!(phone.has_text("00:01"));
    phone.clone().step("pauseresume").check_activity("MainActivity").check_counts(22, 6, 3, 0, 14);
    phone.step("btn_record");
    assert!(!phone.has("btn_record") && phone.has("btn_play_pause"));
    phone.step("back").check_counts(22, 6, 3, 0, 14);
}

#[test]
fn the_palette_has_no_black() {
    let mut phone = main_screen();
    phone.steps(&["+", "fab_sketch"]).check_activity("SketchActivity").check_counts(22, 6, 1, 1, 17);
    phone.clone().step("rotate").check_counts(22, 6, 1, 1, 17);
    phone.step("colorSelector").check_activity("SketchActivity").check_counts(46, 19, 0, 0, 24);
    assert_eq!(phone.object_id("colorpicker_base"), "0:0:0:0:0:0");
    assert_eq!(phone.object_id("color_palette"), "0:0:0:0:0:0:1");
    let last = phone.offered(
        |action| matches!(action, Action::Touch(Touch::Click, on) if *on.object_id == *"0:0:0:0:0:0:1:18:0"),
        "the last colour",
    );
    assert_eq!(last.target().expect("a button").bounds, Bounds::new(285, 485, 345, 545));
    phone.clone().step("back").check_counts(22, 6, 1, 1, 17);
    phone.step("0:0:0:0:0:0:1:18:0").check_counts(22, 6, 1, 1, 17);
    phone.step("back");
    check_notes(&phone, &["Note 1"]);
}

#[test]
fn the_palette_has_black_once_that_is_corrected() {
    for parameter in ["fixed", "fixed_black_missing"] {
        let mut phone = phone_with(&[(parameter, "true")]);
        phone.steps(&["OKAY", "+", "fab_sketch", "colorSelector"]).check_counts(48, 20, 0, 0, 25);
        phone.step("0:0:0:0:0:0:1:19:0").check_activity("SketchActivity").check_counts(22, 6, 1, 1, 17);
    }
}

#[test]
fn settings_are_stored_at_once() {
    let mut phone = main_screen();
    phone.steps(&["menu", "Settings"]).check_activity("SettingsActivity").check_counts(30, 6, 0, 0, 11);
    let first = "Delete notes in category";
    let second_switch = "0:0:0:0:1:0:0:0:0:2:1:0";
    phone.step(first).check_counts(30, 6, 0, 0, 11);
    phone.step(second_switch).check_counts(30, 7, 0, 0, 12);
    assert_eq!(phone.texts().iter().filter(|&&text| text == "ON").count(), 2);
    phone.step("Font size").check_activity("SettingsActivity");
    assert!(phone.has_text("Font size") && phone.has_text("10"));
    phone.step("12").steps(&["back", "back", "Notes", "menu", "Settings"]).check_counts(30, 7, 0, 0, 12);
    phone.step(second_switch).check_counts(30, 6, 0, 0, 11);
}

#[test]
fn about_is_longer_than_the_screen() {
    let mut phone = main_screen();
    phone.steps(&["menu", "About"]).check_activity("AboutActivity").check_counts(23, 1, 0, 0, 8);
    let down =
        phone.offered(|action| matches!(action, Action::Stroke(Stroke::Scroll, _, Direction::Down)), "down");
    phone.act(&down).step("SECUSO-Website").check_activity("BrowserActivity");
    phone.step("back").check_activity("AboutActivity");
}

#[test]
fn a_reminder_is_set_by_two_dialogs() {
    let mut phone = with_notes(&["a"]);
    phone.steps(&["a", "Set reminder", "Done"]).check_activity("TextNoteActivity");
    phone.step("back").check_counts(25, 9, 3, 2, 27);
    assert_eq!(phone.toasts(), ["Alarm scheduled for today"]);
    phone.step("Set reminder").check_texts(&["Edit reminder", "Delete reminder"]);
    phone.step("Delete reminder").check_counts(25, 9, 3, 2, 27);
    phone.step("Set reminder");
    assert!(phone.has_text("Set date"));
}

#[test]
fn a_stored_note_is_exported_and_shared() {
    let mut phone = with_notes(&["a"]);
    phone.steps(&["a", "More options"]).check_texts(&["Save", "Share"]);
    phone.step("Save").check_counts(25, 9, 3, 2, 27);
    assert_eq!(phone.toasts(), ["Exported note to /storage/emulated/0/a"]);
    phone.steps(&["menu", "Share"]).check_activity("ChooserActivity");
    phone.step("back").check_activity("TextNoteActivity");
}

#[test]
fn the_display_goes_off_everywhere() {
    let screens: [&[&str]; 4] = [&[], &["OKAY"], &["OKAY", "+", "fab_text"], &["View Help"]];
    for screen in screens {
        let mut phone = phone();
        phone.steps(screen).step("idle");
        assert!(!phone.screen().context().screen_on, "after {screen:?}");
    }
}

#[test]
fn a_keyboard_takes_no_back() {
    for keyboard in ["soft", "hard"] {
        let mut phone = phone_with(&[("sim.keyboard", keyboard)]);
        phone.steps(&["OKAY", "+", "fab_text", "back"]).check_activity("MainActivity");
        check_notes(&phone, &["Note 1"]);
    }
}
