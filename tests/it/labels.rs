//! Atoms on screens and actions, and the offers of screens.

use std::sync::Arc;

use farlead::gui::{
    Action, Bounds, Context, Direction, Flags, Labeller, Orientation, Repertoire, Screen, Stroke, Target,
    TypedText, Widget, offers,
};
use farlead::spec::{Names, Source, parse, parse_formula};
use proptest::prelude::*;

fn widget(depth: u16, class: &str, id: &str, text: &str, flags: &[Flags]) -> Widget {
    Widget {
        depth,
        class: class.into(),
        id: id.into(),
        text: text.into(),
        desc: if text.is_empty() { "drawn".into() } else { "".into() },
        bounds: Bounds::new(0, 0, 100, 50),
        flags: flags.iter().fold(Flags::ENABLED, |all, &flag| all.set(flag, true)),
    }
}

/// Returns a settings screen: two boxes, one of them checked, a field that cannot be edited, and a button out
/// of sight.
fn settings() -> Screen {
    let mut field = widget(1, "android.widget.EditText", "org.x:id/name", "42", &[Flags::EDITABLE]);
    field.flags = field.flags.set(Flags::ENABLED, false);
    let mut hidden = widget(1, "android.widget.Button", "org.x:id/hidden", "Gone", &[Flags::CLICKABLE]);
    hidden.bounds = Bounds::new(0, 900, 100, 900);
    let boxed = [Flags::CLICKABLE, Flags::CHECKABLE];
    let widgets = vec![
        widget(0, "android.widget.FrameLayout", "", "", &[]),
        widget(1, "android.widget.CheckBox", "org.x:id/wifi", "Wi-Fi", &[boxed[0], boxed[1], Flags::CHECKED]),
        widget(1, "android.widget.CheckBox", "android:id/dark", "Dark mode", &boxed),
        field,
        hidden,
        widget(
            1,
            "android.widget.ListView",
            "org.x:id/list",
            "",
            &[Flags::SCROLLABLE, Flags::LONG_CLICKABLE],
        ),
    ];
    let context = Context { orientation: Orientation::Landscape, network: false, ..Context::default() };
    Screen::new("org.x", "org.x.ui.SettingsActivity", context, widgets)
}

#[track_caller]
fn holds(atom: &str, screen: &Screen, action: &Action) -> bool {
    let parsed = parse_formula(&Source::new("-e", atom), Names::Any);
    let found: Vec<&str> = parsed.diagnostics.iter().map(|found| &*found.message).collect();
    assert!(found.is_empty(), "{atom}: {found:?}");
    let atom = parsed.atoms.values().next().expect("an atom");
    let labeller = Labeller::new([(7, atom)], TypedText::Counts);
    labeller.on_screen(screen).union(&labeller.of_action(action)).eq([&7])
}

#[track_caller]
fn check(expected: bool, atoms: &[&str]) {
    for atom in atoms {
        assert_eq!(holds(atom, &settings(), &Action::BACK), expected, "{atom}");
    }
}

#[test]
fn typed_text_meets_no_comparison_of_text_but_beside_one_that_speaks_of_the_field() {
    let focused =
        widget(1, "android.widget.EditText", "org.x:id/name", "42", &[Flags::EDITABLE, Flags::FOCUSED]);
    let screen = Screen::new("org.x", "org.x.Main", Context::default(), vec![focused]).with_typed(&[0]);
    for (atom, expected) in [
        ("[text = 42]", false),
        ("[text ~ 4]", false),
        ("[text ~ /4/]", false),
        ("[text != 5]", false),
        ("[text > 5]", false),
        ("[text = 42, enabled = true]", false),
        ("[text = 42, id != other]", false),
        ("[text = 42, focused != false]", true),
        ("[text = 42, focused = true]", true),
        ("[text = 42, class = EditText]", true),
        ("[text = 42, id ~ name]", true),
        ("[count(text = 42) >= 1]", false),
        ("[count(text = 42, id = name) >= 1]", true),
        ("[enabled = true]", true),
        ("[class = EditText]", true),
    ] {
        let parsed = parse_formula(&Source::new("-e", atom), Names::Any);
        let known = parsed.atoms.values().next().expect("an atom");
        let holds = |typed: TypedText| !Labeller::new([(7, known)], typed).on_screen(&screen).is_empty();
        assert_eq!((holds(TypedText::IsNoEvidence), holds(TypedText::Counts)), (expected, true), "{atom}");
    }
}

#[test]
fn a_crash_is_known_by_its_identity_and_without_one_only_not_equal_holds() {
    let crashed = settings().with_crash(Some("a.B at org.x.Main.save < org.x.Main$.run".into()));
    assert_ne!(crashed.identity(), settings().identity());
    for (atom, expected) in [
        ("[crash ~ org.x.Main.save]", [true, false]),
        ("[crash = \"a.B at org.x.Main.save < org.x.Main$.run\"]", [true, false]),
        ("[crash ~ /^a\\.B at /]", [true, false]),
        ("[crash ~ other]", [false, false]),
        ("[crash = a.B]", [false, false]),
        ("[crash != a.B]", [true, true]),
        ("[crash ~ a.B, activity ~ Settings]", [true, false]),
    ] {
        let found = [&crashed, &settings()].map(|screen| holds(atom, screen, &Action::BACK));
        assert_eq!(found, expected, "{atom}");
    }
}

#[test]
fn state_atoms_are_about_the_screen_as_a_whole() {
    check(
        true,
        &[
            "[package = org.x]",
            "[activity ~ Settings]",
            "[activity = org.x.ui.SettingsActivity]",
            "[activity = .ui.SettingsActivity]",
            "[activity = SettingsActivity]",
            "[activity = org.x/.ui.SettingsActivity]",
            "[activity != Settings]",
            "[activity ~ /^Set.*y$/]",
            "[screen = on]",
            "[orientation = landscape]",
            "[network = off]",
            "[crashed = false]",
            "[crashed != true]",
            "[package = org.x, activity ~ Settings]",
        ],
    );
    check(
        false,
        &[
            "[package = org]",
            "[activity ~ settings]",
            "[activity = Settings]",
            "[activity != SettingsActivity]",
            "[screen = off]",
            "[anr = true]",
            "[network = on]",
            "[package = org.x, activity ~ Main]",
        ],
    );
}

#[test]
fn a_widget_atom_holds_if_one_visible_widget_meets_all_of_it() {
    check(
        true,
        &[
            "[text = Wi-Fi]",
            "[text ~ Fi]",
            "[text = \"Wi-Fi\", checked = true]",
            "[text != Wi-Fi]",
            "[text ~ /^Dark/]",
            "[text > 41]",
            "[text <= 42]",
            "[text = \"\"]",
            "[desc = drawn]",
            "[id = wifi]",
            "[id = org.x:id/wifi]",
            "[id ~ :id/da]",
            "[class = CheckBox]",
            "[class ~ widget.List]",
            "[objectID = 0:1]",
            "[objectID ~ 4]",
            "[enabled = false]",
            "[scrollable = true, id = list]",
            "[count(class = CheckBox) = 2]",
            "[count(text ~ Note) = 0]",
            "[count(class = Button) < 1]",
        ],
    );
    check(
        false,
        &[
            "[text = wi-fi]",
            "[text = Dark mode, checked = true]",
            "[text ~ Gone]",
            "[text > 42]",
            "[id = fi]",
            "[class = Box]",
            "[objectID = 0:9]",
            "[password = true]",
            "[count(class = CheckBox) > 2]",
        ],
    );
}

#[test]
fn checked_alone_is_about_all_widgets() {
    check(true, &["[checked = true]"]);
    check(false, &["[checked = false]"]);
    let with = |flags: &[Flags]| {
        let widgets = vec![widget(0, "a.B", "", "", flags)];
        Screen::new("p", "p.A", Context::default(), widgets)
    };
    let of = |atom: &str, screen: &Screen| holds(atom, screen, &Action::BACK);
    assert!(
        of("[checked = false]", &with(&[Flags::CHECKABLE]))
            && !of("[checked = true]", &with(&[Flags::CHECKABLE]))
    );
    assert!(!of("[checked = false]", &with(&[])) && !of("[checked = true]", &with(&[])));
}

#[test]
fn action_atoms_are_about_what_was_done() {
    let target = Target {
        object_id: "0:1".into(),
        class: "android.widget.Button".into(),
        id: "org.x:id/save".into(),
        text: "".into(),
        desc: "Save note".into(),
        below: "".into(),
        bounds: Bounds::default(),
        is_cut: false,
    };
    let click = Action::click(target.clone());
    let text = Action::Text { on: target.clone(), text: "17".into() };
    let scroll = Action::Stroke(Stroke::Scroll, target, Direction::Down);
    let start = Action::Reinitialise("org.x.Main".into());
    for (atom, action, expected) in [
        ("[actionType = click]", &click, true),
        ("[actionType = click]", &text, false),
        ("[actionType != click]", &text, true),
        ("[actionDetail ~ Save]", &click, true),
        ("[actionDetail = save]", &click, true),
        ("[actionDetail ~ note, actionType = click]", &click, true),
        ("[actionDetail != save]", &click, false),
        ("[actionDetail ~ Button]", &click, false),
        ("[actionObjectID = 0:1]", &click, true),
        ("[actionObjectID != 0:1]", &Action::BACK, true),
        ("[actionDetail != x]", &Action::BACK, true),
        ("[actionText = 17]", &text, true),
        ("[actionText > 16]", &text, true),
        ("[actionDetail = 17]", &text, true),
        ("[actionDetail ~ Save]", &text, false),
        ("[actionText = 17]", &click, false),
        ("[actionText != 17]", &click, true),
        ("[actionDetail = down]", &scroll, true),
        ("[actionType = reinitialise, actionDetail ~ Main]", &start, true),
    ] {
        assert_eq!(holds(atom, &settings(), action), expected, "{atom} of {action}");
    }
}

#[test]
fn a_screen_offers_what_can_be_done_on_it_in_order() {
    let spec = "action twice on [class = CheckBox]: tap 50% 50%, tap 50% 50%\npossible \"x\": F [actionType = twice]";
    let actions = parse(&Source::new("a.ltl", spec)).file.actions;
    let repertoire = Repertoire::new(["a", "b", "a"], &actions, true);
    let found: Vec<String> = offers(&settings(), &repertoire).iter().map(ToString::to_string).collect();
    let expected = [
        "click \"Wi-Fi\"",
        "twice on \"Wi-Fi\"",
        "click \"Dark mode\"",
        "twice on \"Dark mode\"",
        "longclick \"drawn\"",
        "scroll up on \"drawn\"",
        "scroll down on \"drawn\"",
        "back",
        "menu",
        "rotate",
        "network",
        "pauseresume",
        "idle",
    ];
    assert_eq!(found, expected);
}

#[test]
fn fields_and_sliders_offer_what_is_put_into_them() {
    let flags = [Flags::EDITABLE, Flags::CLICKABLE];
    let widgets = vec![
        widget(0, "android.widget.EditText", "p:id/name", "", &flags),
        widget(0, "android.widget.SeekBar", "p:id/level", "", &[]),
        widget(0, "android.support.v4.view.ViewPager", "p:id/pages", "", &[Flags::SCROLLABLE]),
    ];
    let screen = Screen::new("p", "p.A", Context::default(), widgets);
    let found: Vec<(String, String)> = offers(&screen, &Repertoire::new(["a", "b"], &[], false))
        .iter()
        .map(|action| (action.type_name().to_string(), action.detail().to_string()))
        .collect();
    let of = |kind: &str| -> Vec<&str> {
        found.iter().filter(|(name, _)| name == kind).map(|(_, detail)| &**detail).collect()
    };
    assert_eq!(
        (of("text"), of("swipe"), of("scroll")),
        (vec!["a", "b"], vec!["left", "right"], vec!["left", "right"])
    );
    assert_eq!(of("click"), ["drawn"]);
}

proptest! {
    /// Checks that a widget atom with several comparisons is met by the widgets that meet each of them, and a
    /// count counts these widgets.
    #[test]
    fn counts_agree_with_asking_each_widget(texts in prop::collection::vec("[ab]{0,2}", 0..6), part in "[ab]{0,1}") {
        let widgets = texts.iter().map(|text| widget(0, "a.B", "", text, &[])).collect();
        let screen = Screen::new("p", "p.A", Context::default(), widgets);
        let matching = texts.iter().filter(|text| text.contains(&part)).count();
        let atom = format!("[count(text ~ \"{part}\") = {matching}]");
        prop_assert!(holds(&atom, &screen, &Action::BACK), "{}", atom);
        let any = format!("[text ~ \"{part}\"]");
        prop_assert_eq!(holds(&any, &screen, &Action::BACK), matching > 0);
    }

    /// Checks that each offer names an existing widget, and nothing is offered twice.
    #[test]
    fn offers_are_about_what_is_there(bits in prop::collection::vec(any::<u16>(), 0..12)) {
        let all = [Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::EDITABLE, Flags::SCROLLABLE, Flags::ENABLED];
        let widgets: Vec<Widget> = bits
            .iter()
            .map(|bits| {
                let flags = all.iter().enumerate().fold(Flags::default(), |flags, (at, &flag)| flags.set(flag, bits >> at & 1 == 1));
                Widget { flags, ..widget(bits >> 8 & 3, "a.B", "", "t", &[]) }
            })
            .collect();
        let screen = Screen::new("p", "p.A", Context::default(), widgets);
        let found = offers(&screen, &Repertoire::new(["x"], &[], false));
        let mut places: Vec<Arc<str>> = Vec::new();
        screen.for_each_object(|_, _, object_id| places.push(object_id.into()));
        for (at, action) in found.iter().enumerate() {
            prop_assert!(!found[..at].contains(action));
            prop_assert!(action.target().is_none_or(|target| places.contains(&target.object_id)));
        }
        let clicks = bits.iter().filter(|&&bits| bits & 0b10001 == 0b10001).count();
        prop_assert_eq!(found.iter().filter(|action| action.type_name() == "click").count(), clicks);
    }
}
