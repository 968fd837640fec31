//! Models written by hand: their files, their maps, and the reasons for their gaps.

use super::*;

/// A state in a few words: its number, kind, package and activity, actions with their times, and what is written
/// besides.
fn state(number: usize, kind: u64, activity: &str, actions: &[(&str, u32)], more: &str) -> String {
    let actions: Vec<String> = actions
        .iter()
        .map(|(by, times)| format!("[{},{times}]", serde_json::to_string(by).expect("JSON")))
        .collect();
    format!(
        "{{\"state\":{number},\"id\":\"{number:032x}\",\"kind\":\"{kind:016x}\",\"name\":\"{activity} “here”\",\
         \"activity\":\"a.{activity}\",\"seen\":5,\"step\":{},\"actions\":[{}]{more}}}",
        number + 1,
        actions.join(",")
    )
}

/// Transitions from, at, by, to.
fn file(activities: &str, states: &[String], transitions: &[(usize, usize, &str, usize)]) -> String {
    let of = |&(from, at, by, to): &(usize, usize, &str, usize)| {
        let by = serde_json::to_string(by).expect("JSON");
        format!("{{\"from\":{from},\"at\":{at},\"by\":{by},\"to\":{to},\"times\":3}}")
    };
    let transitions: Vec<String> = transitions.iter().map(of).collect();
    let declared: Vec<String> = activities.split_whitespace().map(|name| format!("\"a.{name}\"")).collect();
    format!(
        "{{\"farlead\":\"model\",\"version\":1,\"app\":{{\"package\":\"a\",\"version\":\"1\",\"activities\":[{}]}},\
         \"run\":{{\"episodes\":5,\"steps\":50,\"device_ms\":9,\"last_new\":40}},\"activities\":[[\"a.Main\",1]],\"crashes\":[],\
         \"curve\":[[50,1,1,1,1]],\"left_out\":{{\"states\":0,\"done\":0,\"transitions\":0}},\"states\":[{}],\
         \"starts\":[{{\"by\":\"reinitialise a.Main\",\"to\":0,\"times\":5}}],\"transitions\":[{}]}}",
        declared.join(","),
        states.join(","),
        transitions.join(",")
    )
}

#[track_caller]
fn model(text: &str) -> LearnedModel {
    LearnedModel::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn what_is_read_is_written_so_that_it_is_read_the_same() {
    let states = [
        state(0, 7, "Main", &[("click \"Go\"", 3), ("click \"Go\"", 0), ("back", 0)], ""),
        state(1, 8, "Other", &[], ",\"package\":\"b\",\"crash\":\"\",\"anr\":true"),
    ];
    let read = model(&file("Main Other", &states, &[(0, 0, "click \"Go\"", 1)]));
    assert_eq!(model(&read.to_text()).to_text(), read.to_text());
    let point = Point { steps: 50, activities: 1, screens: 2, done: 1, transitions: 1 };
    assert_eq!((read.last_point(), read.never_done()), (point, 2));
    assert_eq!((&*read.states()[1].package, read.states()[1].crash.as_deref()), ("b", Some("")));
    // Actions that are printed alike stay two.
    let offers: Vec<(&str, u64)> = read.offers(0).collect();
    assert_eq!(offers, [("click \"Go\"", 3), ("click \"Go\"", 0), ("back", 0)]);
}

#[test]
fn what_no_run_has_written_is_refused_with_its_place() {
    let main = || state(0, 7, "Main", &[("back", 3)], "");
    let good = file("Main", &[main()], &[(0, 0, "back", 0)]);
    model(&good);
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    for (text, part) in [
        ("".to_string(), "EOF"),
        ("{}".to_string(), "missing field `farlead`"),
        (good[..good.len() - 1].to_string(), "EOF"),
        (format!("{good}x"), "trailing"),
        (changed("\"model\"", "\"learned\""), "this is `learned`, and no model"),
        (changed("\"version\":1,", "\"version\":3,\"more\":[],"), "this is version 3 of the format"),
        (changed("\"curve\"", "\"curves\""), "unknown field `curves`"),
        (changed("[[50,1,1,1,1]]", "[[51,1,1,1,1]]"), "the curve goes from step 0 to step 51"),
        (changed("[[50,1,1,1,1]]", "[[9,1,1,1,1],[8,1,1,1,1]]"), "the curve goes from step 9 to step 8"),
        (changed("\"steps\":50", "\"steps\":18446744073709551615"), "a count is beyond"),
        (changed("\"state\":0", "\"state\":1"), "this is state 1, and state 0 is next"),
        (changed("\"id\":\"00", "\"id\":\"0x"), "has an `id` or a `kind` that is none"),
        (changed("\"to\":0,\"times\":5", "\"to\":1,\"times\":5"), "there is no state 1"),
        (changed("\"from\":0", "\"from\":9"), "there is no state 9"),
        (changed("\"at\":0", "\"at\":1"), "state 0 has no action 1"),
        (changed("\"by\":\"back\"", "\"by\":\"menu\""), "state 0 has no action 0 that is \"menu\""),
        (changed("[[\"back\",3]]", "[[\"back\",0]]"), "was never taken"),
        (changed("[[\"back\",3]]", "[[\"back\",-1]]"), "invalid value"),
        (
            file("Main", &[main(), main().replace("\"state\":0", "\"state\":1")], &[]),
            "has the `id` of one before it",
        ),
        (file("Main", &[main()], &[(0, 0, "back", 0), (0, 0, "back", 0)]), "is said twice"),
        ("[".repeat(100_000), "invalid type: sequence"),
        (changed("\"curve\":", &format!("\"curve\":{}", "[".repeat(100_000))), "expected `,` or `]`"),
        (changed("\"run\":", &format!("\"run\":{}", "{\"a\":".repeat(100_000))), "EOF"),
    ] {
        let error = LearnedModel::read(&text).expect_err(part);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn an_abstraction_that_no_run_has_written_is_refused_with_its_mistake() {
    let plain = file("Main", &[state(0, 7, "Main", &[("back", 3)], "")], &[(0, 0, "back", 0)]);
    let abstraction = r#","abstraction":{"name":"ape",
        "start":{"other":"nothing","acting":"TYPE","other_row":"nothing","acting_row":"TYPE"},"refinements":2,"left_out":0,
        "trees":[{"tree":1,"from":0,"at":1,"selector":"0000000000000007","by":"TYPE + TEXT","like":"a"},
            {"tree":2,"from":1,"at":4,"selector":"0000000000000008","by":"TYPE + INDEX + TEXT"}],
        "refined":[[0,"0000000000000001",1]],
        "barred":[{"tree":0,"names":"0000000000000001","at":1,"by":["TYPE + PARENT"]}],
        "unexplained":[[1,"0000000000000002","0000000000000000",5]],"unsplit":[[0,"0000000000000001","0000000000000007"]],
        "noise":["0000000000000009"],
        "states":[{"state":0,"tree":1,"names":"0000000000000002","screens":[0],"widgets":[{"name":"000000000000000a",
            "by":"TYPE + TEXT","like":"Button \"Go\"","does":["click"],"count":1}]}],
        "edges":[{"from":0,"widget":0,"by":"back","to":0,"hits":3,"misses":1}]}}"#;
    let good = format!("{}{abstraction}", &plain[..plain.len() - 1]);
    let read = model(&good);
    assert_eq!(model(&read.to_text()).abstraction, read.abstraction);
    assert_eq!(model(&read.to_text()).to_text(), read.to_text());
    assert!(read.map().map.abstracted.is_some() && model(&plain).map().map.abstracted.is_none());
    for (from, to, part) in [
        ("\"acting\":\"TYPE\"", "\"acting\":\"KIND\"", "there is no reducer `KIND`"),
        ("\"refinements\":2", "\"refinements\":2001", "at most 2000 trees"),
        ("\"tree\":2,", "\"tree\":3,", "this is tree 3, and tree 2 is next"),
        ("\"from\":1,", "\"from\":2,", "tree 2 grows from tree 2, which is not before it"),
        ("\"at\":4", "\"at\":5", "tree 2 has a branch that does not refine a node"),
        ("\"TYPE + INDEX + TEXT\"", "\"TYPE + INDEX\"", "tree 2 has a branch that does not refine a node"),
        ("\"000000000000000a\"", "\"00000000000000A\"", "a name `00000000000000A` that is none"),
        ("[0,\"0000000000000001\",1]", "[0,\"0000000000000001\",2]", "tree 2 did not grow from tree 0"),
        (
            "[[0,\"0000000000000001\",1]]",
            "[[0,\"0000000000000001\",1],[0,\"0000000000000001\",1]]",
            "a state is refined twice",
        ),
        ("[[1,\"0000000000000002\"", "[[3,\"0000000000000002\"", "a note is on a state of a tree"),
        ("\"screens\":[0]", "\"screens\":[]", "abstract state 0 has no screens"),
        ("\"screens\":[0]", "\"screens\":[0,0]", "abstract state 0 has no screens"),
        ("\"screens\":[0]", "\"screens\":[1]", "abstract state 0 has no screens"),
        ("\"state\":0,\"tree\":1", "\"state\":1,\"tree\":1", "this is abstract state 1, and 0 is next"),
        ("\"state\":0,\"tree\":1", "\"state\":0,\"tree\":3", "there is no tree 3"),
        ("\"widget\":0,\"by\"", "\"widget\":1,\"by\"", "abstract state 0 has no such widget"),
        ("\"to\":0,\"hits\"", "\"to\":1,\"hits\"", "there is no abstract state 1"),
        ("\"hits\":3", "\"hits\":0", "was never taken"),
        ("\"misses\":1", "\"misses\":18446744073709551615", "or too often"),
        ("\"misses\":1", "\"missed\":1", "unknown field `missed`"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = LearnedModel::read(&good.replacen(from, to, 1)).expect_err(part);
        assert!(error.contains(part), "{error}, not {part}");
    }
    let same = good.replacen(
        "\"from\":1,\"at\":4,\"selector\":\"0000000000000008\",\"by\":\"TYPE + INDEX + TEXT\"",
        "\"from\":0,\"at\":1,\"selector\":\"0000000000000007\",\"by\":\"TYPE + TEXT\"",
        1,
    );
    assert!(LearnedModel::read(&same).expect_err("twice").contains("tree 2 is one before it"));
}

/// Returns the likeliest reason why the activity `a.Far` was never seen.
#[track_caller]
fn why(states: &[String], transitions: &[(usize, usize, &str, usize)], expected: &str, part: &str) {
    let (unreached, _) = model(&file("Main Far", states, transitions)).unreached();
    let far =
        unreached.iter().find(|one| one.activity.as_deref() == Some("a.Far")).expect("it was never seen");
    assert!(far.reason == expected && far.because.contains(part), "{far:?}");
}

#[test]
fn an_activity_that_was_never_seen_has_its_likeliest_reason() {
    let crash = |number| state(number, 99, "Main", &[("click \"OK\"", 0)], ",\"crash\":\"E at a.b\"");
    // A form whose button changes nothing, whatever was typed.
    let form = [("text \"x\" into \"Name\"", 1), ("click \"Name\"", 1), ("click \"Log in\"", 3)];
    let form = [state(0, 7, "Main", &form, "")];
    why(
        &form,
        &[(0, 2, "click \"Log in\"", 0)],
        "needs_text",
        "click \"Log in\" on Main “here” led nowhere in 3 tries",
    );
    // Without a field, it is a button that does nothing.
    let still = [state(0, 7, "Main", &[("click \"Log in\"", 3)], "")];
    why(&still, &[(0, 0, "click \"Log in\"", 0)], "never_offered", "nothing that was seen leads there");
    // What bears the name of the activity says most.
    let named = [state(0, 7, "Main", &[("click \"Go far\"", 0), ("click \"Near\"", 0), ("back", 3)], "")];
    why(&named, &[(0, 2, "back", 0)], "budget_short", "any of 2 clicks");
    let long = |name: &str| file(&format!("Main {name}"), &named, &[(0, 2, "back", 0)]);
    let (unreached, _) = model(&long("NearbyActivity")).unreached();
    assert!(unreached[0].because.contains("click \"Near\" on Main “here” may lead there"), "{unreached:?}");
    // A crash comes first, if nothing else is left to try.
    let crashing = [state(0, 7, "Main", &[("click \"Save\"", 3)], ""), crash(1)];
    why(&crashing, &[(0, 0, "click \"Save\"", 1)], "crash_first", "by click \"Save\" on Main “here”");
    let open = [state(0, 7, "Main", &[("click \"Save\"", 3), ("click \"New\"", 0)], ""), crash(1)];
    why(&open, &[(0, 0, "click \"Save\"", 1)], "budget_short", "any of 1 clicks");
    // Other apps, and the system's question.
    let asks = ",\"package\":\"com.android.permissioncontroller\"";
    let asked = [state(0, 7, "Main", &[("click \"Map\"", 3)], ""), state(1, 8, "Grant", &[], asks)];
    why(&asked, &[(0, 0, "click \"Map\"", 1)], "permission", "asks for a permission");
    let away =
        [state(0, 7, "Main", &[("click \"Web\"", 3)], ""), state(1, 8, "Web", &[], ",\"package\":\"web\"")];
    why(&away, &[(0, 0, "click \"Web\"", 1)], "another_app", "web");
    // An activity that the app starts with and leaves at once.
    let splash = file("Main", &[state(0, 7, "Home", &[], "")], &[]).replace("[[\"a.Main\",1]]", "[]");
    let (unreached, _) = model(&splash).unreached();
    assert_eq!(unreached[0].reason, "passed_by");
}

#[test]
fn an_action_that_was_never_done_has_its_likeliest_reason() {
    let states = [
        state(0, 7, "Main", &[("click \"A\"", 3), ("click \"B\"", 0)], ""),
        state(1, 8, "Main", &[("click \"C\"", 0)], ""),
        state(2, 9, "Main", &[("click \"D\"", 0)], ",\"crash\":\"E\""),
        state(3, 10, "Web", &[("click \"E\"", 0)], ",\"package\":\"web\""),
        state(4, 11, "Grant", &[("click \"F\"", 0)], ",\"package\":\"com.google.android.packageinstaller\""),
    ];
    let (unreached, counts) = model(&file("Main", &states, &[(0, 0, "click \"A\"", 1)])).unreached();
    let reasons: Vec<(&str, &str)> =
        unreached.iter().map(|one| (one.action.as_deref().expect("an action"), &*one.reason)).collect();
    assert_eq!(
        reasons,
        [
            ("click \"B\"", "budget_short"),
            ("click \"C\"", "last_steps"),
            ("click \"D\"", "crash_first"),
            ("click \"E\"", "another_app"),
            ("click \"F\"", "permission"),
        ]
    );
    assert!(counts.iter().all(|(_, count)| *count == 1) && counts.len() == 5, "{counts:?}");
    assert_eq!(unreached[0].because, "the budget was short: offered 5×");
}

#[test]
fn a_map_has_kinds_of_many_screens_and_the_shortest_path_to_each() {
    // A chain of fifty screens of two kinds, and a shortcut.
    let chain = |number: usize| {
        let activity = if number.is_multiple_of(2) { "Even" } else { "Odd" };
        state(number, (number % 2) as u64, activity, &[("click \"next\"", 3), ("click \"jump\"", 3)], "")
    };
    let states: Vec<String> = (0..50).map(chain).collect();
    let mut links: Vec<(usize, usize, &str, usize)> =
        (0..49).map(|at| (at, 0, "click \"next\"", at + 1)).collect();
    links.push((0, 1, "click \"jump\"", 40));
    let many = model(&file("Main", &states, &links));
    let Mapped { map, states: of, .. } = many.map();
    assert_eq!((map.kinds.len(), of.iter().map(Vec::len).collect::<Vec<_>>()), (2, vec![25, 25]));
    assert!(map.kinds[0].start && !map.kinds[1].start);
    let path: Vec<&str> = map.kinds[1].path.iter().map(|step| &*step.by).collect();
    assert_eq!(path, ["reinitialise a.Main", "click \"next\""]);
    assert_eq!((map.ways[0].by.as_str(), map.ways[0].times, map.ways.len()), ("click \"next\"", 75, 2));
    // Few screens are shown one by one.
    let few: Vec<String> = (0..5).map(chain).collect();
    let links = [(0, 0, "click \"next\"", 1), (0, 1, "click \"jump\"", 4), (4, 0, "click \"next\"", 3)];
    let Mapped { map, .. } = model(&file("Main", &few, &links)).map();
    let lengths: Vec<usize> = map.kinds.iter().map(|kind| kind.path.len()).collect();
    assert_eq!(lengths, [1, 2, 0, 3, 2]);
    let names: Vec<&str> = map.kinds.iter().map(|kind| &*kind.name).collect();
    assert_eq!(names, ["Even “here”", "Odd “here”", "Even “here” 2", "Odd “here” 2", "Even “here” 3"]);
}

#[test]
fn beyond_the_bounds_screens_are_counted_and_left_out() {
    use crate::gui::{Context, Widget};
    let screen = |number: usize| {
        let widget = Widget { text: number.to_string().into(), ..Widget::default() };
        Screen::new("a", "a.Main", Context::default(), vec![widget])
    };
    let mut model = LearnedModel::new(ModelApp { package: "a".into(), ..ModelApp::default() });
    let actions = [Action::Reinitialise("a.Main".into())];
    let count = STATES_MAX + 7;
    let mut before = screen(0);
    for number in 0..count {
        let after = screen(number);
        let from = (number > 0).then_some((&before, &actions[..]));
        let step = SeenStep { from, action: &actions[0], at: 0, to: (&after, &actions) };
        model.add_step(number as u64 + 1, &step);
        before = after;
    }
    model.steps = count as u64;
    let point = model.last_point();
    assert_eq!((point.screens, point.transitions, point.done), (count, count - 1, count - 1));
    assert_eq!(model.states().len(), STATES_MAX);
    assert_eq!(model.left_out(), LeftOut { states: 7, done: 6, transitions: 7 });
    let read = self::model(&model.to_text());
    assert_eq!((read.last_point(), read.left_out()), (point, model.left_out()));
    assert!(model.map().map.kinds.len() <= 400);
}

/// Returns a state under another identity.
fn other(state: &str, identity: u32) -> String {
    let (before, after) = state.split_once("\"id\":\"").expect("an id");
    format!("{before}\"id\":\"{identity:032x}{}", &after[32..])
}

#[test]
fn exactly_the_planted_differences_of_two_versions_are_named() {
    let main =
        [("click \"Help\"", 3), ("click \"About\"", 3), ("click \"Old\"", 3), ("longclick \"Old\"", 0)];
    let main = [&main[..], &[("click \"Rare\"", 3), ("text \"abc\" into \"Name\"", 1), ("click \"abc\"", 0)]]
        .concat();
    let ok = [("click \"OK\"", 3)];
    let old = [
        state(0, 1, "Main", &main, ""),
        state(1, 2, "Help", &ok, ""),
        state(2, 3, "About", &[("click \"Close\"", 0)], ""),
        state(3, 4, "Old", &ok, ""),
        state(4, 5, "Deep", &[("back", 0)], ""),
        state(5, 6, "Rare", &ok, ""),
    ];
    let links = [
        (0, 0, "click \"Help\"", 1),
        (0, 1, "click \"About\"", 2),
        (0, 2, "click \"Old\"", 3),
        (0, 4, "click \"Rare\"", 5),
        (3, 0, "click \"OK\"", 4),
    ];
    let old = model(&file("Main Help About Old Deep Rare", &old, &links));
    // A widget is gone and one is new, so the main page is built another way; what was typed is no widget.
    let main = [("click \"Help\"", 3), ("click \"About\"", 3), ("click \"New\"", 3), ("click \"Rare\"", 0)];
    let main = [&main[..], &[("text \"xyz\" into \"Name\"", 1), ("click \"xyz\"", 0)]].concat();
    let new = [
        other(&state(0, 11, "Main", &main, ""), 100),
        state(1, 2, "Help", &[("click \"OK\"", 3)], ""),
        other(&state(2, 13, "News", &[("back", 0)], ""), 102),
    ];
    let links = [(0, 0, "click \"Help\"", 1), (0, 1, "click \"About\"", 1), (0, 2, "click \"New\"", 2)];
    let new = model(&file("Main Help About Deep Rare News", &new, &links));
    let diff = ModelDiff::new(&old, &new);
    let screen = |name: &str, by: &str| Difference::Screen {
        screen: format!("{name} “here”"),
        activity: format!("a.{name}"),
        by: vec![by.to_string()],
    };
    let widget = |widget: &str, actions: &[&str]| Difference::Widget {
        widget: widget.to_string(),
        actions: actions.iter().map(ToString::to_string).collect(),
        activity: "a.Main".to_string(),
        screen: "Main “here”".to_string(),
        screens: 1,
    };
    let activity = |name: &str| Difference::Activity { activity: format!("a.{name}") };
    let expected = [
        activity("Old"),
        screen("About", "click \"About\" on Main “here”"),
        screen("Deep", "click \"OK\" on Old “here”"),
        screen("Old", "click \"Old\" on Main “here”"),
        widget("\"Old\"", &["click", "longclick"]),
    ];
    assert_eq!(diff.lost, expected);
    let expected =
        [activity("News"), screen("News", "click \"New\" on Main “here”"), widget("\"New\"", &["click"])];
    assert_eq!(diff.gained, expected);
    let [Difference::Way { action, old, new, screens: 1, .. }] = &diff.changed[..] else {
        panic!("{:?}", diff.changed)
    };
    let names = |names: &[String]| names.join(", ");
    assert_eq!(
        (&**action, names(old), names(new)),
        ("click \"About\"", "About “here”".into(), "Help “here”".into())
    );
    // Help, About and Rare, of these and two more, and the field.
    assert_eq!(diff.alike.iter().map(|pair| pair.percent).collect::<Vec<_>>(), [57]);
    let missed = &diff.old.only;
    assert_eq!((missed.screens, &missed.names[..]), (1, &["Rare “here”".to_string()][..]));
    assert_eq!(missed.examples, ["click \"Rare\" on Main “here”"]);
    assert_eq!(diff.new.only, Missed::default());
}

#[test]
fn a_difference_of_large_models_is_found_in_bounded_work() {
    // Pages of one activity, each built its own way and with the same actions.
    let labels: Vec<String> = (0..20).map(|at| format!("click \"{at}\"")).collect();
    let actions: Vec<(&str, u32)> = labels.iter().map(|label| (&**label, 0)).collect();
    let many = |from: usize| -> LearnedModel {
        let states: Vec<String> = (0..6_000)
            .map(|at| other(&state(at, (from + at) as u64, "Main", &actions, ""), (from + at) as u32))
            .collect();
        model(&file("Main", &states, &[]))
    };
    let (one, two) = (many(0), many(3_000));
    let diff = ModelDiff::new(&one, &two);
    // Beyond the bounds, pages are matched if they are built alike.
    assert_eq!((diff.lost.len(), diff.alike.len(), diff.old.only.screens), (0, 0, 3_000));
}

/// Any model of a few screens: kinds, activities, actions and transitions of small sets.
fn models() -> impl proptest::strategy::Strategy<Value = LearnedModel> {
    use proptest::prelude::*;
    const LABELS: [&str; 7] = [
        "click \"A\"",
        "click \"B\"",
        "longclick \"B\"",
        "text \"abc\" into \"C\"",
        "click \"abc\"",
        "scroll down on #list",
        "back",
    ];
    let one = (0_u32..40, 0_u64..5, 0_usize..3, prop::sample::subsequence(&LABELS[..], 0..=7), 0_u8..8);
    let links = prop::collection::vec(
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        0..20,
    );
    (prop::collection::vec(one, 1..8), links, prop::sample::subsequence(&["Main", "Two", "Three"][..], 0..=3))
        .prop_map(|(mut all, links, declared)| {
            all.sort_by_key(|one| one.0);
            all.dedup_by_key(|one| one.0);
            // An identity has its kind, activity and actions, whichever model it is in.
            let offers = |at: usize| -> &Vec<&str> { &all[at].3 };
            let mut links: Vec<(usize, usize, &str, usize)> = links
                .into_iter()
                .filter_map(|(from, at, to)| {
                    let from = from.index(all.len());
                    let at = (!offers(from).is_empty()).then(|| at.index(offers(from).len()))?;
                    Some((from, at, offers(from)[at], to.index(all.len())))
                })
                .collect();
            links.sort_unstable();
            links.dedup();
            let states: Vec<String> = all
                .iter()
                .enumerate()
                .map(|(at, (identity, kind, activity, actions, fault))| {
                    let actions: Vec<(&str, u32)> = actions.iter().map(|label| (*label, 3)).collect();
                    let more = if *fault == 0 { ",\"crash\":\"E\"" } else { "" };
                    other(&state(at, *kind, ["Main", "Two", "Three"][*activity], &actions, more), *identity)
                })
                .collect();
            model(&file(&declared.join(" "), &states, &links))
        })
}

/// Returns a difference without names of pages that only one side has a say in.
fn bare(mut diff: ModelDiff) -> ModelDiff {
    for way in &mut diff.changed {
        if let Difference::Way { screen, .. } = way {
            screen.clear();
        }
    }
    diff
}

proptest::proptest! {
    #[test]
    fn a_model_differs_in_nothing_from_itself(model in models()) {
        let diff = ModelDiff::new(&model, &model);
        proptest::prop_assert_eq!((&diff.lost, &diff.changed, &diff.gained), (&vec![], &vec![], &vec![]));
        proptest::prop_assert_eq!((diff.alike.len(), &diff.old.only, &diff.new.only), (0, &Missed::default(), &Missed::default()));
    }

    #[test]
    fn a_difference_is_the_same_from_either_side(one in models(), two in models()) {
        let (forth, back) = (ModelDiff::new(&one, &two), ModelDiff::new(&two, &one));
        let changed = back.changed.into_iter().map(|way| match way {
            Difference::Way { action, activity, screen, screens, old, new } => {
                Difference::Way { action, activity, screen, screens, old: new, new: old }
            }
            other => other,
        });
        let mut alike: Vec<Alike> =
            back.alike.into_iter().map(|Alike { old, new, percent }| Alike { old: new, new: old, percent }).collect();
        alike.sort();
        let mirrored = ModelDiff {
            package: back.package,
            old: back.new,
            new: back.old,
            lost: back.gained,
            changed: changed.collect(),
            gained: back.lost,
            alike,
        };
        proptest::prop_assert_eq!(bare(forth), bare(mirrored));
    }
}
