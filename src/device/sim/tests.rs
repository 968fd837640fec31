//! Tests of models from the outside: a model's text, actions, and the screens after them.

use std::sync::Arc;

use super::{Sim, read};
use crate::device::{Device, DeviceError, Notice, Observation};
use crate::gui::{
    Action, Bounds, Direction, Flags, Orientation, PressedKey, Repertoire, Screen, Stroke, Target, Touch,
    UserAction, Widget, offers,
};
use crate::rng::{Rng, Seed};
use crate::spec::{self, Source};

/// A running model and its last screen.
struct Play {
    sim: Sim,
    seen: Observation,
}

const HEAD: &str = "app org.example \"Example\" 1.0\ndisplay 480x800 240dpi\nlaunch Main\n";

fn sim(text: &str, settings: &[(&str, &str)], seed: u64) -> Sim {
    let source = Source::new("example.app", format!("{HEAD}{text}"));
    let read = read(&source);
    let mut model =
        read.model.unwrap_or_else(|| panic!("{}", read.diagnostics.render(&source, spec::Style::Plain)));
    for (name, value) in settings {
        model.set(name, value).expect("a parameter");
    }
    Sim::new(Arc::new(model), Seed(seed))
}

fn play(text: &str) -> Play {
    play_with(text, &[])
}

fn play_with(text: &str, settings: &[(&str, &str)]) -> Play {
    let mut sim = sim(text, settings, 1);
    let seen = sim.reset("org.example.Main").expect("a model that runs");
    Play { sim, seen }
}

impl Play {
    fn screen(&self) -> &Screen {
        &self.seen.screen
    }

    #[track_caller]
    fn act(&mut self, action: Action) -> &mut Play {
        self.seen = self.sim.act(&action).expect("a model that runs");
        self
    }

    fn target(&self, name: &str) -> Target {
        let screen = self.screen();
        let named =
            |widget: &&Widget| *widget.text == *name || *widget.desc == *name || widget.id_entry() == name;
        let widget = screen.widgets().iter().find(named);
        let widget = widget.unwrap_or_else(|| panic!("no `{name}` among {:?}", self.texts()));
        Target { bounds: widget.bounds, text: widget.text.clone(), ..Target::default() }
    }

    #[track_caller]
    fn click(&mut self, name: &str) -> &mut Play {
        let target = self.target(name);
        self.act(Action::click(target))
    }

    #[track_caller]
    fn tap(&mut self, x: i32, y: i32) -> &mut Play {
        let bounds = Bounds::new(x, y, x + 1, y + 1);
        self.act(Action::click(Target { bounds, ..Target::default() }))
    }

    #[track_caller]
    fn long_click(&mut self, name: &str) -> &mut Play {
        let target = self.target(name);
        self.act(Action::Touch(Touch::LongClick, target))
    }

    #[track_caller]
    fn put(&mut self, name: &str, text: &str) -> &mut Play {
        let on = self.target(name);
        self.act(Action::Text { on, text: text.into() })
    }

    #[track_caller]
    fn scroll(&mut self, name: &str, towards: Direction) -> &mut Play {
        let on = self.target(name);
        self.act(Action::Stroke(Stroke::Scroll, on, towards))
    }

    /// Returns the visible texts, separated by blanks.
    fn texts(&self) -> String {
        let texts = self.screen().widgets().iter().map(|widget| &*widget.text);
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn flags(&self, name: &str) -> Flags {
        let bounds = self.target(name).bounds;
        let widgets = self.screen().widgets().iter();
        let mut widgets = widgets.rev();
        widgets.find(|widget| widget.bounds == bounds).expect("it was found before").flags
    }

    #[track_caller]
    fn shows(&mut self, texts: &str) -> &mut Play {
        assert_eq!(self.texts(), texts);
        self
    }

    #[track_caller]
    fn is_in(&mut self, activity: &str) -> &mut Play {
        let found = self.screen().activity().rsplit('.').next().expect("there is one part");
        assert_eq!(found, activity);
        self
    }

    #[track_caller]
    fn says(&mut self, notices: &[Notice]) -> &mut Play {
        assert_eq!(&*self.seen.notices, notices);
        self
    }

    #[track_caller]
    fn lies_at(&mut self, name: &str, bounds: &str) -> &mut Play {
        assert_eq!(self.target(name).bounds.to_string(), bounds, "{name}");
        self
    }
}

fn toast(text: &str) -> Notice {
    Notice::Toast(text.into())
}

#[test]
fn activities_lie_on_each_other_and_the_launcher_below() {
    play(
        "activity Main .Main { Button \"go\" -> open Second }
        activity Second .Second { Button \"again\" -> open Main afresh }",
    )
    .is_in("Main")
    .click("go")
    .is_in("Second")
    .act(Action::BACK)
    .is_in("Main")
    .click("go")
    .click("again")
    .is_in("Main")
    .act(Action::BACK)
    .is_in("Launcher")
    .act(Action::BACK)
    .is_in("Launcher")
    .click("Example")
    .is_in("Main");
}

const LOGGED: &str = "stored log = \"\"
    activity Main .Main {
        TextView #log (log)
        Button \"go\" -> log += \"> \"; open Second for answer
        on create: log += (recreated ? \"mC! \" : \"mC \")
        on resume: log += \"mR \"
        on pause: log += \"mP \"
        on destroy: log += \"mD \"
        on result answer: log += \"m={result} \"
    }
    activity Second .Second {
        TextView #log (log)
        Button \"with\" -> finish with \"7\"; log += \"after \"
        on create: log += \"sC \"
        on resume: log += \"sR \"
        on pause: log += \"sP \"
        on destroy: log += \"sD \"
    }";

#[test]
fn the_life_of_activities_is_androids() {
    play(LOGGED)
        .shows("mC mR  go")
        .click("go")
        .shows("mC mR > mP sC sR  with")
        .click("with")
        .shows("mC mR > mP sC sR after sP m=7 mR sD  go");
    play(LOGGED).click("go").act(Action::BACK).shows("mC mR > mP sC sR sP m= mR sD  go");
    play(LOGGED).act(Action::ROTATE).shows("mC mR mP mD mC! mR  go");
    play(LOGGED).act(Action::PAUSE_RESUME).shows("mC mR mP mR  go");
    play(LOGGED).act(Action::IDLE).shows("mC mR mP  go").act(Action::MENU).shows("mC mR mP mR  go");
    // Back in front, an activity is recreated if the phone was rotated meanwhile.
    play(LOGGED)
        .click("go")
        .act(Action::ROTATE)
        .shows("mC mR > mP sC sR sP sD sC sR  with")
        .act(Action::BACK)
        .shows("mC mR > mP sC sR sP sD sC sR sP mD mC! m= mR sD  go");
}

#[test]
fn a_splash_that_ends_is_never_seen() {
    play("activity Main .Main { on create: open Second; finish }\nactivity Second .Second { TextView \"two\" }")
        .is_in("Second")
        .act(Action::BACK)
        .is_in("Launcher");
}

#[test]
fn a_rotation_loses_what_is_not_kept() {
    let model = |turning: &str| {
        format!(
            "activity Main .Main {turning} {{
                own lost = 0
                own kept held = 0
                Button \"{{lost}}/{{held}} {{landscape}}\" -> lost += 1; held += 1
            }}"
        )
    };
    let played = |turning: &str| {
        let mut play = play(&model(turning));
        play.click("0/0 false").act(Action::ROTATE);
        (play.texts(), play.screen().context().orientation)
    };
    assert_eq!(played(""), ("0/1 true".to_string(), Orientation::Landscape));
    assert_eq!(played("relaid"), ("1/1 true".to_string(), Orientation::Landscape));
    assert_eq!(played("portrait"), ("1/1 false".to_string(), Orientation::Portrait));
}

#[test]
fn what_is_handed_to_an_activity_outlives_a_rotation() {
    play(
        "activity Main .Main { Button \"go\" -> open Second(\"x\") }
        activity Second .Second (name) { own copy = name + \"!\" TextView \"{name} {copy}\" }",
    )
    .click("go")
    .act(Action::ROTATE)
    .shows("x x!");
}

const OVER: &str = "stored log = \"\"
    activity Main .Main {
        Button \"dialog\" -> show Ask(1)
        Button \"popup\" -> show List
        TextView #log (log)
    }
    dialog Ask (n) {
        FrameLayout at 100,300 400,500 { Button \"n{n}\" -> n += 1 }
        on destroy: log += \"x\"
    }
    popup List { FrameLayout at 100,300 400,500 { Button \"row\" -> close; log += \"r\" } }";

#[test]
fn dialogs_outlive_what_closes_popups() {
    for turn in [Action::ROTATE, Action::PAUSE_RESUME] {
        play(OVER).click("dialog").click("n1").is_in("Main").shows("n2").act(turn.clone()).shows("n2");
        play(OVER).click("popup").shows("row").act(turn).shows("dialog popup");
    }
    play(OVER).click("dialog").act(Action::BACK).shows("dialog popup x");
    play(OVER).click("dialog").tap(150, 320).shows("n2").tap(10, 10).shows("dialog popup x");
    play(OVER).click("popup").click("row").shows("dialog popup r");
    play(&OVER.replace("dialog Ask (n)", "dialog Ask (n) modal")).click("dialog").tap(10, 10).shows("n1");
}

#[test]
fn what_a_closed_dialog_began_is_done_until_the_activity_ends() {
    let model = "stored log = \"\"
        activity Main .Main { Button \"show\" -> show Ask TextView #log (log) Button \"leave\" -> finish }
        dialog Ask { own n = 4 Button \"ok\" at 0,0 50,50 -> close; after 2s { log += \"{n}\" } }";
    play(model)
        .click("show")
        .click("ok")
        .act(Action::MENU)
        .shows("show leave")
        .act(Action::IDLE)
        .shows("show 4 leave");
    play(model)
        .click("show")
        .click("ok")
        .click("leave")
        .act(Action::IDLE)
        .click("Example")
        .shows("show leave");
}

#[test]
fn the_display_goes_off_and_the_next_action_lights_it() {
    let mut play = play("activity Main .Main { own n = 0 Button \"n{n}\" -> n += 1 }");
    play.act(Action::IDLE).shows("n0");
    assert!(!play.screen().context().screen_on);
    assert_eq!(play.seen.at_ms, 70_500);
    play.act(Action::IDLE);
    assert!(!play.screen().context().screen_on);
    play.click("n0").shows("n1");
    assert!(play.screen().context().screen_on);
    let awake = |condition: &str| {
        let mut play = self::play(&format!("activity Main .Main awake {condition} {{ own n = 0 }}"));
        play.act(Action::IDLE).screen().context().screen_on
    };
    assert!(awake(""));
    assert!(awake("(n == 0)"));
    assert!(!awake("(n == 1)"));
}

#[test]
fn timers_go_off_at_their_times() {
    let model = "stored log = \"\"
        activity Main .Main awake {
            own n = 0
            every 1s: n += 1
            TextView #n \"{n}\"
            TextView #log (log)
            Button \"later\" -> after 3s { log += \"b{n}\" }; after 2500ms { log += \"a{n}\" }; wait 200ms
        }";
    let mut play = play(model);
    play.shows("0 later").act(Action::MENU).shows("1 later").click("later");
    assert_eq!(play.seen.at_ms, 1700);
    play.shows("1 later").act(Action::IDLE).shows("71 a3b3 later");
    // A rotation recreates it, and it counts from the start again.
    play.act(Action::ROTATE).shows("0 a3b3 later");
}

#[test]
fn a_timer_that_waits_for_itself_is_an_error() {
    let mut sim = sim(
        "activity Main .Main {\n on create: spin()\n}\ndef spin() { after 1ms { wait 1ms; spin() } }",
        &[],
        1,
    );
    let error = sim.reset("org.example.Main").expect_err("it does not end");
    assert!(matches!(error, DeviceError::Model { .. }), "{error}");
    assert!(error.to_string().contains("line 7"), "{error}");
}

#[test]
fn what_goes_beyond_a_bound_is_said_with_its_place() {
    for (effects, expected) in [
        ("spin()", "calls stand in each other"),
        ("for i in 1..10000 { for j in 1..10000 { n = j } }", "does not come to an end"),
        ("t = \"x\"; for i in 1..20 { t = t + t }", "more than 10000 characters"),
        ("for i in 1..1000 { open Main }", "more than 100 windows"),
        (
            "for i in 1..9000 { add list(a: i) }; for i in 1..9000 { add list(a: i) }",
            "more than 10000 records",
        ),
        ("for i in 1..9000 { after 9s { n = 1 } }", "timers"),
        ("n = random(0, n + 5000)", "apart"),
        ("crash \"{n / 0}\"", ""),
    ] {
        let model = format!(
            "session n = 0, t = \"\"\nstored list = list(a)\ndef spin() {{ spin() }}
            activity Main .Main {{ Button \"go\" ->\n{effects} }}"
        );
        let mut play = play(&model);
        let go = play.target("go");
        match play.sim.act(&Action::click(go)) {
            Ok(_) => assert_eq!(expected, ""),
            Err(error) => {
                let error = error.to_string();
                assert!(!expected.is_empty() && error.contains(expected), "{effects}: {error}");
                let line = if effects == "spin()" { "line 6" } else { "line 8" };
                assert!(error.contains(line) && error.contains("example.app"), "{error}");
                // A failed action has changed nothing.
                play.act(Action::MENU).shows("go");
            }
        }
    }
}

#[test]
fn a_crash_ends_the_process_and_what_lives_with_it() {
    let mut play = play(
        "stored kept = 0\nsession lost = 0
        activity Main .Main {
            TextView \"{kept} {lost}\"
            Button \"count\" -> kept += 1; lost += 1
            Button \"die\" -> crash \"NullPointerException\"; kept += 10; open Main
            on pause: kept += 100
        }",
    );
    play.click("count").shows("1 1 count die").click("die");
    let trace = "NullPointerException\n\tat org.example.Main.crash(model.app:9)";
    play.says(&[Notice::Crash(trace.into())]).is_in("Main");
    assert!(play.screen().context().crashed);
    assert_eq!(&**play.screen().package(), "android");
    play.act(Action::BACK).act(Action::PAUSE_RESUME).act(Action::ROTATE);
    assert!(play.screen().context().crashed);
    assert_eq!(
        play.screen().crash().map(|crash| &**crash),
        Some("NullPointerException at org.example.Main.crash")
    );
    play.click("OK").is_in("Launcher");
    assert!(!play.screen().context().crashed && play.screen().crash().is_none());
    play.click("Example").shows("11 0 count die");
}

#[test]
fn a_hanging_app_can_be_waited_for() {
    let model = "activity Main .Main { own n = 0 every 1s: n += 1
        TextView \"n{n}\" Button \"hang\" -> anr \"slow\" on pause: n += 100 }";
    let mut play = play(model);
    play.click("hang").says(&[Notice::Anr("slow".into())]);
    assert!(play.screen().context().anr);
    play.act(Action::BACK).act(Action::MENU).click("Wait").is_in("Main").shows("n1 hang");
    play.click("hang").click("OK").is_in("Launcher");
    play.click("Example").shows("n0 hang");
}

#[test]
fn home_leaves_the_app_as_it_is() {
    play("activity Main .Main { own n = 0 Button \"n{n}\" -> n += 1; leave }")
        .click("n0")
        .is_in("Launcher")
        .act(Action::PAUSE_RESUME)
        .is_in("Launcher")
        .click("Example")
        .shows("n1");
}

#[test]
fn what_scrolls_is_seen_in_parts() {
    let mut play = play(
        "activity Main .Main {
            TextView \"top\" tall 100
            ListView #list scrolls { for i in 1..20 { TextView \"r{i}\" tall 100 -> toast \"{i}\" } }
            Button \"add\" tall 100
        }",
    );
    play.lies_at("list", "[0,100][480,700]").lies_at("add", "[0,700][480,800]");
    play.shows("top r1 r2 r3 r4 r5 r6 add");
    assert!(play.flags("list").has(Flags::SCROLLABLE));
    // Four fifths of 600.
    play.scroll("list", Direction::Down).shows("top r5 r6 r7 r8 r9 r10 r11 add");
    play.lies_at("r5", "[0,100][480,120]")
        .lies_at("r6", "[0,120][480,220]")
        .lies_at("r11", "[0,620][480,700]");
    play.click("r11").says(&[toast("11")]);
    for _ in 0..5 {
        play.scroll("list", Direction::Down);
    }
    play.shows("top r15 r16 r17 r18 r19 r20 add").scroll("list", Direction::Up);
    play.shows("top r10 r11 r12 r13 r14 r15 r16 add").lies_at("r10", "[0,100][480,180]");
    play.act(Action::PAUSE_RESUME).shows("top r10 r11 r12 r13 r14 r15 r16 add");
}

#[test]
fn a_list_that_fits_does_not_scroll() {
    let mut play = play(
        "stored rows = list(a)
        activity Main .Main {
            ListView #list scrolls { for row in rows { TextView \"row\" } }
            Button \"add\" -> add rows(a: 1)
        }",
    );
    play.shows("add").click("add").shows("row add").lies_at("add", "[0,72][480,144]");
    assert!(!play.flags("list").has(Flags::SCROLLABLE));
}

#[test]
fn what_scrolls_sideways_does_so() {
    let mut play = play(
        "activity Main .Main { HorizontalScrollView #s scrolls sideways across tall 100 {
            for i in 1..9 { Button \"b{i}\" wide 160 }
        } }",
    );
    play.shows("b1 b2 b3")
        .scroll("s", Direction::Right)
        .shows("b3 b4 b5 b6")
        .lies_at("b4", "[96,0][256,100]");
    play.scroll("s", Direction::Down).shows("b3 b4 b5 b6");
}

#[test]
fn widgets_are_laid_out_as_the_language_says() {
    let model = "activity Main .Main {
            FrameLayout #frame {
                TextView #leaf \"a\"
                LinearLayout #row across { Button \"b\" wide 100 Button \"c\" Button \"d\" tall 50 }
                LinearLayout #column { TextView \"e\" tall 30 FrameLayout { TextView \"f\" tall 40 } }
                LinearLayout #group { View #one at 10,700 20,720 View #two at 30,710 50,730 }
                View #fixed at 400,400 900,900
                View #gone at 480,0 500,20
                Button \"last\"
            }
        }";
    let mut play = play(model);
    play.lies_at("frame", "[0,0][480,800]").lies_at("leaf", "[0,0][480,72]");
    play.lies_at("b", "[0,72][100,144]").lies_at("c", "[100,72][290,144]").lies_at("d", "[290,72][480,122]");
    play.lies_at("column", "[0,144][480,214]").lies_at("f", "[0,174][480,214]");
    play.lies_at("group", "[10,700][50,730]").lies_at("fixed", "[400,400][480,800]");
    play.lies_at("last", "[0,214][480,286]");
    assert!(play.screen().widgets().iter().all(|widget| widget.id_entry() != "gone"));
    play.act(Action::ROTATE).lies_at("frame", "[0,0][800,480]").lies_at("b", "[0,43][166,86]");
    let wide = [("sim.width", "960"), ("sim.height", "1600")];
    play_with(model, &wide).lies_at("fixed", "[800,800][960,1600]").lies_at("b", "[0,144][200,288]");
}

#[test]
fn a_field_shows_its_hint_while_it_is_empty() {
    let model = "activity Main .Main {
            own kept name = \"\", secret = \"\", log = \"\"
            EditText #name hint \"Name\" edits name on text: log = \"{len(name)}\"
            EditText #secret hint \"Secret\" password edits secret
            TextView #log (log)
            TextView #typed \"<{secret}>\"
        }";
    let model = model.replace(
        "edits name on text: log = \"{len(name)}\"",
        "edits name { on text: log = \"{len(name)}\" }",
    );
    let mut play = play(&model);
    play.shows("Name <>").put("name", "Anna").shows("Anna 4 <>").put("secret", "x").shows("Anna 4 <x>");
    play.put("name", "").shows("Name 0 <x>");
    let flags = play.flags("name");
    let field = [Flags::EDITABLE, Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::ENABLED, Flags::FOCUSED];
    assert!(field.into_iter().all(|flag| flags.has(flag)));
    assert!(play.flags("secret").has(Flags::PASSWORD) && !play.flags("secret").has(Flags::FOCUSED));
    play.click("secret");
    assert!(play.flags("secret").has(Flags::FOCUSED) && !play.flags("name").has(Flags::FOCUSED));
}

#[test]
fn a_field_of_a_record_is_typed() {
    play(
        "stored notes = list(name)
        activity Main .Main {
            on create: add notes(name: \"a\"); add notes(name: \"b\")
            for n in notes { EditText edits n.name }
            Button \"first away\" -> remove find(n in notes)
            TextView \"={find(n in notes where n.index == count(notes) - 1).name}\"
        }",
    )
    .put("b", "c")
    .shows("a c first away =c")
    .click("first away")
    .shows("c first away =c")
    .put("c", "d")
    .shows("d first away =d");
}

const WITH_KEYBOARD: &str =
    "activity Main .Main { own a = \"\" EditText #a edits a Button \"up\" -> keyboard on create: keyboard }";

#[test]
fn the_keyboard_is_put_away_and_takes_no_back() {
    for keyboard in ["soft", "hard"] {
        let set = [("sim.keyboard", keyboard)];
        for field in ["a", "up"] {
            let mut play = play_with(WITH_KEYBOARD, &set);
            assert!(!play.screen().context().keyboard);
            play.click(field);
            assert!(!play.screen().context().keyboard);
            play.act(Action::BACK).is_in("Launcher");
        }
        play_with(WITH_KEYBOARD, &set).put("a", "x").act(Action::BACK).is_in("Launcher");
    }
}

#[test]
fn a_keyboard_that_stays_is_seen_and_takes_no_back_either() {
    let mut play = play(WITH_KEYBOARD);
    play.sim.keep_keyboard(true);
    play.click("a");
    assert!(play.screen().context().keyboard);
    play.act(Action::BACK).is_in("Launcher");
    assert!(!play.screen().context().keyboard);
}

#[test]
fn a_press_of_back_only_hides_the_keyboard() {
    let mut play = play(WITH_KEYBOARD);
    play.sim.keep_keyboard(true);
    play.click("up");
    assert!(play.screen().context().keyboard);
    for activity in ["Main", "Launcher"] {
        play.seen = play.sim.press(PressedKey::Back, 1).expect("the model runs");
        assert!(!play.screen().context().keyboard);
        play.is_in(activity);
    }
}

#[test]
fn the_topmost_widget_takes_a_touch() {
    let mut play = play(
        "activity Main .Main {
            Button \"below\" at 0,0 400,400 -> toast \"below\" { TextView \"in it\" at 0,0 100,100 }
            TextView \"label\" at 100,0 200,100
            Button \"disabled\" at 200,0 300,100 disabled -> toast \"disabled\"
            View #mute at 300,0 400,100 clickable
            FrameLayout #wall at 0,200 400,400 solid { Button \"brick\" at 0,200 100,300 -> toast \"brick\" }
            View #board at 0,600 480,800 { on tap(x, y): toast \"{x},{y}\" }
            Button \"long\" at 0,450 100,550 { on longclick: toast \"long\" }
        }",
    );
    for (x, y, expected) in [
        (50, 50, Some("below")),
        (150, 50, Some("below")),
        (250, 50, None),
        (350, 50, None),
        (50, 150, Some("below")),
        (50, 250, Some("brick")),
        (150, 250, None),
        (7, 611, Some("7,11")),
        (50, 500, None),
        (450, 300, None),
    ] {
        let expected: Vec<Notice> = expected.into_iter().map(toast).collect();
        play.tap(x, y).says(&expected);
    }
    play.long_click("long").says(&[toast("long")]).long_click("brick").says(&[toast("brick")]);
    assert!(!play.flags("board").has(Flags::CLICKABLE));
}

#[test]
fn swipes_are_taken_by_those_who_know_them() {
    let mut play = play(
        "activity Main .Main {
            own n = 3
            SeekBar #seek at 0,0 400,100 { on swipe left: n -= 1 on swipe right: n += 1 }
            TextView \"{n}\" at 0,200 100,300
        }",
    );
    let on = play.target("seek");
    play.act(Action::Stroke(Stroke::Swipe, on.clone(), Direction::Right)).shows("4");
    play.act(Action::Stroke(Stroke::Swipe, on.clone(), Direction::Left)).shows("3");
    play.act(Action::Stroke(Stroke::Swipe, on, Direction::Up)).shows("3");
}

#[test]
fn a_list_at_its_end_leaves_a_swipe_to_those_around_it() {
    let mut play = play(
        "activity Main .Main {
            own pulls = 0
            FrameLayout at 0,0 400,400 {
                on swipe down: pulls += 1
                ListView #list scrolls { for i in 1..5 { TextView \"row{i}\" tall 100 } }
            }
            TextView \"{pulls}\" at 0,500 100,600
        }",
    );
    let on = play.target("list");
    let scroll = |towards| Action::Stroke(Stroke::Scroll, on.clone(), towards);
    play.act(scroll(Direction::Down)).shows("row2 row3 row4 row5 0");
    play.act(scroll(Direction::Up)).shows("row1 row2 row3 row4 0");
    play.act(scroll(Direction::Up)).shows("row1 row2 row3 row4 1");
}

fn user_action(text: &str) -> Arc<UserAction> {
    let source = Source::new("a.ltl", format!("{text}\npossible a: F [activity = X]\n"));
    let parsed = spec::parse(&source);
    let found = parsed.file.actions.first().cloned();
    Arc::new(found.unwrap_or_else(|| panic!("{}", parsed.diagnostics.render(&source, spec::Style::Plain))))
}

#[test]
fn gestures_of_the_user_are_done_in_their_order() {
    let mut play = play(
        "stored log = \"\"
        activity Main .Main {
            own a = \"\"
            View #board at 0,0 400,400 { on tap(x, y): log += \"{x},{y} \" }
            EditText #a at 0,500 400,600 edits a
            TextView #log (log) at 0,700 400,800
            every 1s: log += \"t \"
            on back: log += \"back \"
            on menu: log += \"menu \"
        }",
    );
    let on = play.target("board");
    let action = user_action(
        "action move on [id = board]: tap 25% 75%, wait 1s, tap 100% 0%, text \"xyz\", key delete, key back, key menu",
    );
    play.act(Action::User { action, on });
    play.shows("xy 100,300 t t 399,0 back t menu ");
    // Each touch takes time.
    assert_eq!(play.seen.at_ms, 3500);
    let on = play.target("board");
    play.act(Action::User { action: user_action("action home on [id = board]: key home"), on })
        .is_in("Launcher");
}

#[test]
fn keys_do_what_the_first_handler_that_applies_says() {
    let mut play = play(
        "activity Main .Main {
            own n = 0
            on back when n == 0: n += 1; toast \"first\"
            on back when n < 2: n += 1; toast \"second\"
            on menu: toast \"menu {network}\"
            on network: toast \"network {network}\"
        }",
    );
    play.act(Action::BACK).says(&[toast("first")]).act(Action::BACK).says(&[toast("second")]);
    play.act(Action::MENU).says(&[toast("menu true")]);
    play.act(Action::NETWORK).says(&[toast("network false")]);
    assert!(!play.screen().context().network);
    play.act(Action::BACK).is_in("Launcher");
}

#[test]
fn records_come_in_the_order_asked_for() {
    play(
        "stored notes = list(name, at)
        activity Main .Main {
            on create: add notes(name: \"b\", at: 1); add notes(name: \"a\", at: 2); add notes(name: \"c\") as n; n.at = 1
            for n in notes { TextView \"{n.name}{n.index}\" }
            for n in notes by n.name { TextView (n.name) }
            for n in notes where n.at == 1 by -n.at { TextView (n.name) }
            TextView \"{count(notes)} {count(n in notes where n.at == 2)} {find(n in notes by -n.at).name}\"
            Button \"clear\" -> clear notes
        }",
    )
    .shows("b0 a1 c2 a b c b c 3 1 a clear")
    .click("clear")
    .shows("0 0  clear");
}

#[test]
fn the_clock_is_read_anew_where_it_is_shown() {
    let mut play = play("activity Main .Main { TextView \"{now}\" }");
    play.shows("500").act(Action::MENU).shows("1000").act(Action::MENU).shows("1500");
    assert!(play.sim.has_read_clock());
}

#[test]
fn states_come_again_where_nothing_differs() {
    let mut play = play(
        "stored rows = list(a)
        activity Main .Main { Button \"add\" -> add rows(a: 1) Button \"away\" -> remove find(r in rows)
            Button \"go\" -> open Second }
        activity Second .Second { }",
    );
    let first = play.sim.save();
    play.click("add");
    assert_ne!(play.sim.save().state, first.state);
    play.click("away").click("go").act(Action::BACK);
    assert_eq!(play.sim.save().state, first.state);
}

const CHANCY: &str = "activity Main .Main {
        own n = 0, m = 0
        TextView \"{n} {m}\"
        Button \"draw\" -> chance { 20% { n = 1 } 30% { n = random(5, 6) } else { n = 2 } }; m = random(1, 2); n += 0
    }";

#[test]
fn outcomes_are_those_that_come_up_and_as_often() {
    let mut play = play(CHANCY);
    let draw = Action::click(play.target("draw"));
    let outcomes = play.sim.outcomes(&draw).expect("a model that runs").expect("few outcomes");
    assert_eq!(outcomes.len(), 8);
    let total: f64 = outcomes.iter().map(|outcome| outcome.probability).sum();
    assert!((total - 1.0).abs() < 1e-9);
    let start = play.sim.save();
    let mut counts = vec![0_u32; outcomes.len()];
    for _ in 0..8_000 {
        play.sim.restore(start);
        let seen = play.sim.act(&draw).expect("a model that runs");
        let after = play.sim.save();
        let at = outcomes.iter().position(|outcome| outcome.after == after).expect("one of the outcomes");
        assert_eq!(*outcomes[at].observation.screen, *seen.screen);
        counts[at] += 1;
    }
    for (outcome, count) in outcomes.iter().zip(counts) {
        let expected = outcome.probability * 8_000.0;
        // Five standard deviations.
        assert!((f64::from(count) - expected).abs() < 5.0 * expected.sqrt(), "{count} of {expected}");
    }
}

#[test]
fn outcomes_that_cannot_be_told_apart_are_one() {
    let mut play = play(
        "activity Main .Main { own n = 0 Button \"draw\" -> chance { 50% { n = 1 } else { n = 1 } }
            Button \"many\" -> for i in 1..20 { chance { 50% { n += 1 } else { } } } }",
    );
    let outcomes = play
        .sim
        .outcomes(&Action::click(play.target("draw")))
        .expect("a model that runs")
        .expect("few outcomes");
    assert_eq!(outcomes.len(), 1);
    let many = play.sim.outcomes(&Action::click(play.target("many"))).expect("a model that runs");
    assert!(many.is_none(), "2^20 outcomes");
    assert_eq!(
        play.sim.start_outcomes("org.example.Main").expect("a model that runs").expect("few outcomes").len(),
        1
    );
}

#[test]
fn actions_get_lost_and_apps_crash_as_often_as_is_set() {
    let model = "activity Main .Main { own n = 0 Button \"n{n}\" -> n += 1 }";
    let settings = [("sim.lose", "20"), ("sim.crash", "10")];
    let mut play = play_with(model, &settings);
    let click = Action::click(play.target("n0"));
    let outcomes = play.sim.outcomes(&click).expect("a model that runs").expect("few outcomes");
    let mut found: Vec<(i64, bool, i64)> = outcomes
        .iter()
        .map(|outcome| {
            let screen = &outcome.observation.screen;
            let text = screen.widgets().last().expect("there is one").text.to_string();
            let number = text.strip_prefix('n').map_or(-1, |number| number.parse().expect("a number"));
            (number, screen.context().crashed, (outcome.probability * 1000.0).round() as i64)
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(-1, true, 100), (0, false, 180), (1, false, 720)]);
    let all = [("sim.lose", "100"), ("sim.lag", "250")];
    let mut play = play_with(model, &all);
    play.click("n0").shows("n0");
    assert_eq!(play.seen.at_ms, 1500);
}

/// A model that uses many features.
const ZOO: &str = "param fixed = false
    stored notes = list(name, done), next = 1
    session visits = 0
    activity Main .Main {
        own fab = false
        own kept query = \"\"
        on create when !recreated: visits += 1; if visits == 2 { show Hello }
        on result note when result: toast \"{result.name}\"
        on menu: show Menu
        TextView \"Notes {count(notes)} {visits}\" tall 60
        EditText #query hint \"Search\" edits query
        ListView #list scrolls {
            for n in notes where contains(n.name, query) by n.name {
                LinearLayout across -> open Editor(n) for note {
                    TextView #name (n.name)
                    CheckBox checked (n.done) -> n.done = !n.done
                    on longclick: chance { 50% { remove n } else { toast \"kept\" } }
                }
            }
        }
        Button #add \"+\" -> fab = !fab
        when fab { Button \"new\" -> fab = false; open Editor(none) for note
            Button \"boom\" -> chance { 30% { crash \"E\" } 20% { anr \"slow\" } else { after 1s { fab = false } } } }
    }
    activity Editor .Editor (note) relaid {
        own name = note.name or \"\", seconds = 0
        every 700ms: seconds += 1
        EditText #name hint \"Name\" edits name
        TextView \"{seconds % 3}\"
        Button \"time\" -> toast \"{now}\"
        Button \"cancel\" -> name = \"\"; finish
        Button \"sure?\" -> show Sure
        on pause when name: save(note, name)
        on back when seconds % 2: finish with note
    }
    dialog Sure { Button \"yes\" at 100,300 200,400 -> close; finish; random_note() }
    dialog Hello modal { LinearLayout at 50,200 400,500 { TextView \"Hello\" Button \"OKAY\" -> close } }
    popup Menu { ListView at 200,0 480,300 { TextView \"Idle\" -> close; wait 2s TextView \"Off\" -> leave } }
    def save(note, name) {
        if note { note.name = name } else if count(notes) < 12 { add notes(name: name, done: false); next += 1 }
    }
    def random_note() { save(none, \"r{random(1, 3)}\") }";

/// The models of the reader's tests and of the documentation.
const OTHERS: [&str; 2] = [include_str!("read/all.app"), include_str!("../../../docs/models.md")];

#[test]
fn whatever_is_offered_can_be_done() {
    let repertoire = zoo_repertoire();
    for text in OTHERS {
        let text =
            text.split("```text\n").nth(1).map_or(text, |rest| rest.split("```").next().unwrap_or(rest));
        let read = read(&Source::new("other.app", text));
        let model = Arc::new(read.model.expect("a model without mistakes"));
        for seed in 0..5 {
            let mut sim = Sim::new(model.clone(), Seed(seed));
            let mut rng = Seed(seed).fork("walk");
            let launchable = sim.app().launchable.clone();
            let mut seen = sim.reset(&launchable[0]).expect("a model that runs");
            for step in 0..200 {
                let action = match step % 50 {
                    49 => Action::Reinitialise(launchable[rng.below(launchable.len())].clone()),
                    _ => choose(&seen.screen, &repertoire, &mut rng),
                };
                match sim.act(&action) {
                    Ok(next) => seen = next,
                    // One of the reader's models calls itself without end.
                    Err(error) => assert!(text.contains("Every construct"), "{action}: {error}"),
                }
            }
        }
    }
}

#[test]
fn what_stands_deep_in_each_other_fits_on_a_threads_stack() {
    let deep = format!("{}1", "!".repeat(180));
    let inner = "FrameLayout { ".repeat(50);
    let model = format!(
        "session n = false
        def down(k) {{ if k {{ if k {{ if k {{ n = {deep}; down(k - 1) }} }} }} }}
        activity Main .Main {{
            Button \"go\" -> down(49)
            {inner} TextView \"{{{deep}}}\" {}
        }}",
        " }".repeat(50)
    );
    play(&model).click("go").shows("go true");
    let model = format!(
        "part p {{ {} content {} }}
        activity Main .Main {{ use p {{ use p {{ use p {{ TextView \"{{{}1}}\" }} }} }} }}",
        "FrameLayout { ".repeat(60),
        " }".repeat(60),
        "!".repeat(10)
    );
    play(&model).shows("true");
}

#[test]
fn what_was_saved_goes_on_as_it_did() {
    let mut sim = sim(ZOO, &[], 1);
    let repertoire = zoo_repertoire();
    let mut rng = Seed(1).fork("walk");
    let mut seen = sim.reset("org.example.Main").expect("a model that runs");
    let mut walked = Vec::new();
    for _ in 0..300 {
        let action = choose(&seen.screen, &repertoire, &mut rng);
        let before = sim.save();
        seen = sim.act(&action).expect("a model that runs");
        walked.push((before, action, seen.clone(), sim.save()));
    }
    for (before, action, after, saved) in walked.into_iter().rev() {
        sim.restore(before);
        assert_eq!(sim.save(), before);
        if sim.outcomes(&action).expect("a model that runs").expect("few outcomes").len() > 1 {
            continue;
        }
        let seen = sim.act(&action).expect("a model that runs");
        assert_eq!((seen.at_ms, &seen.screen, &seen.notices), (after.at_ms, &after.screen, &after.notices));
        assert_eq!(sim.save(), saved);
    }
}

#[test]
fn a_sim_can_be_handed_to_another_thread() {
    fn check<T: Send + Sync>() {}
    check::<Sim>();
}

fn zoo_repertoire() -> Repertoire {
    let action = user_action("action twice on [id = name]: tap 50% 50%, text \"z\", tap 90% 50%, wait 300ms");
    Repertoire::new(["a", "", "long text"], &[UserAction::clone(&action)], true)
}

fn choose(screen: &Screen, repertoire: &Repertoire, rng: &mut Rng) -> Action {
    let mut offered = offers(screen, repertoire);
    offered.swap_remove(rng.below(offered.len()))
}

/// Walks at random through the zoo, with a restart now and then, and returns what was seen.
fn walk(sim: &mut Sim, seed: u64, steps: usize) -> Vec<(Screen, u64, Arc<[Notice]>)> {
    let repertoire = zoo_repertoire();
    let mut rng = Seed(seed).fork("walk");
    let mut walked = Vec::new();
    let mut seen = sim.reset("org.example.Main").expect("a model that runs");
    for step in 0..steps {
        walked.push((Screen::clone(&seen.screen), seen.at_ms, seen.notices.clone()));
        let action = if step % 40 == 39 {
            Action::Reinitialise("org.example.Main".into())
        } else {
            choose(&seen.screen, &repertoire, &mut rng)
        };
        seen = sim.act(&action).unwrap_or_else(|error| panic!("{action}: {error}"));
    }
    walked
}

#[test]
fn what_is_remembered_changes_no_answer_and_seeds_say_everything() {
    let settings = [("sim.lose", "3"), ("sim.crash", "1"), ("sim.keyboard", "soft")];
    for seed in 0..12 {
        for settings in [&settings[..], &[]] {
            let mut remembering = sim(ZOO, settings, seed);
            let walked = walk(&mut remembering, seed, 200);
            let mut forgetting = sim(ZOO, settings, seed);
            forgetting.forget_everything();
            assert_eq!(walked, walk(&mut forgetting, seed, 200));
            let mut forgetful = sim(ZOO, settings, seed).remembering(16 << 10);
            assert_eq!(walked, walk(&mut forgetful, seed, 200));
            assert_eq!(walked, walk(&mut sim(ZOO, settings, seed), seed, 200));
        }
    }
}

#[test]
fn what_is_asked_in_between_changes_nothing_that_is_shown() {
    for seed in 0..6 {
        let settings = [("sim.lose", "3"), ("sim.crash", "1")];
        let (mut plain, mut asked) = (sim(ZOO, &settings, seed), sim(ZOO, &settings, seed));
        let repertoire = zoo_repertoire();
        let mut rng = Seed(seed).fork("walk");
        let mut seen = plain.reset("org.example.Main").expect("a model that runs");
        asked.reset("org.example.Main").expect("a model that runs");
        for _ in 0..120 {
            let here = asked.save();
            for action in offers(&seen.screen, &repertoire).iter().step_by(3) {
                asked.outcomes(action).expect("a model that runs");
                asked.start_outcomes("org.example.Main").expect("a model that runs");
            }
            assert_eq!(asked.screen_at(here).expect("a model that runs"), seen.screen);
            let action = choose(&seen.screen, &repertoire, &mut rng);
            seen = plain.act(&action).expect("a model that runs");
            let same = asked.act(&action).expect("a model that runs");
            assert_eq!(
                (&same.screen, same.at_ms, &same.notices),
                (&seen.screen, seen.at_ms, &seen.notices),
                "{action}"
            );
        }
    }
}

#[test]
fn what_happens_is_among_the_outcomes() {
    for seed in 0..6 {
        let mut sim = sim(ZOO, &[("sim.lose", "5")], seed);
        let repertoire = zoo_repertoire();
        let mut rng = Seed(seed).fork("walk");
        let mut seen = sim.reset("org.example.Main").expect("a model that runs");
        for _ in 0..120 {
            let action = choose(&seen.screen, &repertoire, &mut rng);
            let outcomes = sim.outcomes(&action).expect("a model that runs").expect("few outcomes");
            let total: f64 = outcomes.iter().map(|outcome| outcome.probability).sum();
            assert!((total - 1.0).abs() < 1e-9, "{action}: {total}");
            seen = sim.act(&action).expect("a model that runs");
            let after = sim.save();
            let found = outcomes.iter().any(|outcome| {
                outcome.after == after
                    && outcome.observation.screen == seen.screen
                    && outcome.observation.notices == seen.notices
            });
            assert!(found, "{action}");
        }
    }
}

#[test]
fn a_widget_that_is_alone_lies_where_the_model_says() {
    play("activity Main .Main { RelativeLayout { CheckBox #box at 10,10 190,58 } }")
        .lies_at("box", "[10,10][190,58]");
}

#[test]
fn a_restart_keeps_what_is_stored_and_a_fresh_installation_nothing() {
    let text = "stored kept = 0\nsession lost = 0
        activity Main .Main { own here = 0 Button \"{kept} {lost} {here}\" -> kept += 1; lost += 1; here += 1 }";
    for (reset, expected) in
        [("clear", ["0 0 0", "1 1 1", "0 0 0"]), ("restart", ["0 0 0", "1 1 1", "1 0 0"])]
    {
        let mut sim = sim(text, &[("sim.reset", reset)], 1);
        let mut seen = Vec::new();
        let mut look = |screen: &Screen| seen.push(screen.widgets()[0].text.to_string());
        let screen = sim.reset("org.example.Main").expect("a model that runs").screen;
        look(&screen);
        let click = offers(&screen, &Repertoire::default()).swap_remove(0);
        look(&sim.act(&click).expect("a model that runs").screen);
        let outcomes =
            sim.start_outcomes("org.example.Main").expect("a model that runs").expect("one outcome");
        let screen = sim.reset("org.example.Main").expect("a model that runs").screen;
        assert_eq!(outcomes[0].observation.screen, screen);
        look(&screen);
        assert_eq!(seen, expected, "{reset}");
    }
}
