//! The language read as it is documented, and whatever else is written answered.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::model::{Datum, Does, Each, Event, Expr, Initial, Node, Variable, WindowKind};
use super::*;
use crate::spec::Style;

mod mistakes;

fn source(text: &str) -> Source {
    Source::new("a.app", text)
}

/// Returns the mistakes of a model as people read them.
fn mistakes(text: &str) -> String {
    let source = source(text);
    read(&source).diagnostics.render(&source, Style::Plain)
}

#[track_caller]
fn model(text: &str) -> Model {
    let source = source(text);
    let read = read(&source);
    assert_eq!(read.diagnostics.errors(), 0, "{}", read.diagnostics.render(&source, Style::Plain));
    read.model.expect("a model without mistakes")
}

/// Head of the models of most tests.
const HEAD: &str = "app a.b \"A\" 1\nlaunch Main\nstored notes = list(name, done), n = 0, t = \"\", b = false\n\
                    param p = 3\n";

/// Checks the one mistake of the items after the head: the underlined text, the message and the help.
#[track_caller]
fn check(items: &str, underlined: &str, message: &str, help: &str) {
    let text = format!("{HEAD}{items}");
    check_whole(&text, underlined, message, help);
}

/// Checks the one mistake within the braces of an activity.
#[track_caller]
fn check_inside(inside: &str, underlined: &str, message: &str, help: &str) {
    check(&format!("activity Main .Main {{ {inside} }}"), underlined, message, help);
}

#[track_caller]
fn check_whole(text: &str, underlined: &str, message: &str, help: &str) {
    let source = source(text);
    let read = read(&source);
    let found: Vec<(&str, &str, &str)> = read
        .diagnostics
        .iter()
        .filter(|found| read.diagnostics.errors() == 0 || found.code.starts_with("E-"))
        .map(|found| (&text[found.span.clone()], &*found.message, found.help.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(found, [(underlined, message, help)], "{text}");
}

/// Returns the blocks of code in the documentation that are whole models.
fn documented() -> Vec<&'static str> {
    let blocks = include_str!("../../../../docs/models.md").split("```text\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().expect("there is one before"));
    blocks.filter(|block| block.starts_with("app ")).collect()
}

#[test]
fn the_models_of_the_documentation_are_read_without_mistakes() {
    assert!(!documented().is_empty());
    for text in documented() {
        assert_eq!(mistakes(text), "");
    }
}

#[test]
fn every_construct_of_the_language_is_read() {
    assert_eq!(mistakes(include_str!("all.app")), "");
}

#[test]
fn a_mistake_is_shown_in_its_line_with_what_would_be_right() {
    assert_eq!(
        mistakes("app a.b \"A\" 1\nlaunch Mian\nactivity Main .Main {\n    TextView \"a\" enbled x\n}\n"),
        "a.app:2:8: error: there is no window `Mian`\n 2 | launch Mian\n   |        ^^^^\n \
         help: declare it: `activity Main .MainActivity { ... }`\n\
         a.app:4:18: error: there is no attribute `enbled`\n 4 |     TextView \"a\" enbled x\n   |                  ^^^^^^\n \
         help: did you mean `enabled`?\n"
    );
}

#[test]
fn names_and_classes_and_ids_are_completed() {
    let text = "app a.b \"A\" 1 launch Main, Other activity Main .Main { Button #x View #android:id/list WebView com.c.D }\
                activity Other c.d/.Other { } activity Third e.F.Third { View -> open Third }";
    let model = model(text);
    let class = |window: usize| match &model.windows[window].kind {
        WindowKind::Activity { package, class, .. } => (package.to_string(), class.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(class(0), ("a.b".to_string(), "a.b.Main".to_string()));
    assert_eq!(class(1), ("c.d".to_string(), "c.d.Other".to_string()));
    assert_eq!(class(2), ("a.b".to_string(), "e.F.Third".to_string()));
    let widgets: Vec<(String, String)> = model.windows[0]
        .nodes
        .iter()
        .map(|node| match node {
            Node::Widget(widget) => (widget.class.to_string(), widget.id.to_string()),
            other => panic!("{other:?}"),
        })
        .collect();
    let of = |class: &str, id: &str| (class.to_string(), id.to_string());
    assert_eq!(
        widgets,
        [
            of("android.widget.Button", "a.b:id/x"),
            of("android.view.View", "android:id/list"),
            of("android.webkit.WebView", ""),
            of("com.c.D", ""),
        ]
    );
    assert_eq!(model.launchable, [0, 1]);
}

/// Returns an expression with brackets around each group.
fn grouped(expr: &Expr) -> String {
    match expr {
        Expr::Value(Datum::Int(number)) => number.to_string(),
        Expr::Binary(operator, left, right) => format!("({} {operator:?} {})", grouped(left), grouped(right)),
        Expr::Choose(condition, then, otherwise) => {
            format!("({} ? {} : {})", grouped(condition), grouped(then), grouped(otherwise))
        }
        Expr::Not(inner) => format!("!{}", grouped(inner)),
        Expr::Negate(inner) => format!("-{}", grouped(inner)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_the_documentation_says() {
    for (written, expected) in [
        ("1 + 2 * 3 - 4", "((1 Add (2 Multiply 3)) Subtract 4)"),
        ("1 < 2 + 3 && 4 == 5 || 6", "(((1 Less (2 Add 3)) And (4 Equal 5)) Or 6)"),
        ("1 or 2 + 3 == 4 or 5", "((1 Else (2 Add 3)) Equal (4 Else 5))"),
        ("1 ? 2 : 3 ? 4 : 5", "(1 ? 2 : (3 ? 4 : 5))"),
        ("(1 ? 2 : 3) ? 4 : 5", "((1 ? 2 : 3) ? 4 : 5)"),
        ("!1 == -2", "(!1 Equal -2)"),
        ("1 - 2 - 3 % 4", "((1 Subtract 2) Subtract (3 Remainder 4))"),
        ("!!1", "!!1"),
    ] {
        // Constants of different kinds are never equal, a mistake that does not matter here.
        let text = format!("app a.b \"A\" 1 launch Main activity Main .Main {{ let x = {written} }}");
        let source = source(&text);
        let mut reader = Reader::new(&source, source.text(), Diagnostics::default());
        reader.declare(&items(source.text(), &mut Diagnostics::default()));
        let windows = reader.windows();
        let [Node::Let { value, .. }] = &windows[0].nodes[..] else { panic!("{text}") };
        assert_eq!(grouped(value), expected, "{written}");
    }
}

#[test]
fn a_part_is_put_in_with_slots_of_its_own() {
    let text = "app a.b \"A\" 1 launch Main
        part row(a, b) { let c = a View (b) { content } TextView (c) }
        activity Main .Main { for i in 1..3 { use row(i, 2) { TextView (i) } } TextView \"last\" }";
    let model = model(text);
    assert_eq!(model.windows[0].locals, 4);
    let [Node::For { local: 0, each: Each::Numbers { .. }, body }, Node::Widget(_)] =
        &model.windows[0].nodes[..]
    else {
        panic!("{model:?}")
    };
    let [Node::Let { local: 1, value: Expr::Local(0), body }] = &body[..] else { panic!("{body:?}") };
    let [Node::Let { local: 2, value: Expr::Value(Datum::Int(2)), body }] = &body[..] else {
        panic!("{body:?}")
    };
    let [Node::Let { local: 3, value: Expr::Local(1), body }] = &body[..] else { panic!("{body:?}") };
    let [Node::Widget(view), Node::Widget(text)] = &body[..] else { panic!("{body:?}") };
    assert!(matches!(view.text, Some(Expr::Local(2))));
    assert!(matches!(text.text, Some(Expr::Local(3))));
    let [Node::Widget(content)] = &view.nodes[..] else { panic!("{view:?}") };
    assert!(matches!(content.text, Some(Expr::Local(0))), "content knows the names where it was written");
}

#[test]
fn a_when_that_begins_a_line_is_no_attribute() {
    let nodes = |inside: &str| {
        let text = format!("app a.b \"A\" 1 param b = true launch Main activity Main .Main {{ {inside} }}");
        let nodes = &model(&text).windows[0].nodes;
        nodes
            .iter()
            .map(|node| match node {
                Node::Widget(widget) if widget.condition.is_some() => 'w',
                Node::Widget(_) => 'W',
                Node::When { .. } => 'n',
                other => panic!("{other:?}"),
            })
            .collect::<String>()
    };
    assert_eq!(nodes("View when b { View }"), "w");
    assert_eq!(nodes("View\n when b { View }"), "Wn");
    assert_eq!(nodes("View # more\n\n  when b && b { View }"), "Wn");
    assert_eq!(nodes("View\n when b tall 3"), "w");
    assert_eq!(nodes("View\n when b -> leave"), "w");
    assert_eq!(nodes("View -> leave\n when b { View }"), "Wn");
    assert_eq!(nodes("View when (b && b) View"), "wW");
    assert_eq!(nodes("View clickable\n when b { View }\n View scrolls\n when b { View }"), "WnWn");
    assert_eq!(nodes("when b { View }\n when b { View }"), "nn");
}

#[test]
fn effects_end_where_no_semicolon_follows() {
    let text = "app a.b \"A\" 1 session x = 0 launch Main activity Main .Main {
        on create: x = 1; x = 2
        on back: { x = 1; if x { leave } x = 2 }
        Button -> x = 3; leave tall 3 { TextView (x) }
        View -> open Main
        for i in 1..2 { View }
        View -> if x { leave } else if x == 3 { close } \"text\"
    }";
    let model = model(text);
    let window = &model.windows[0];
    assert_eq!(window.handlers.iter().map(|handler| handler.effects.len()).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(window.handlers[1].event, Event::Back);
    let [Node::Widget(button), Node::Widget(_), Node::For { .. }, Node::Widget(last)] = &window.nodes[..]
    else {
        panic!("{window:?}")
    };
    assert!(button.tall.is_some() && button.nodes.len() == 1);
    assert_eq!(button.on_click.as_ref().map(|effects| effects.len()), Some(2));
    assert!(last.text.is_some());
}

#[test]
fn names_before_a_handler_are_known_in_it() {
    let text = "app a.b \"A\" 1 session x = 0 launch Main
        activity Main .Main { View { let y = x + 1 on tap(a, b): x = y + a - b } }";
    let model = model(text);
    let [Node::Widget(view)] = &model.windows[0].nodes[..] else { panic!("{model:?}") };
    let Some((1, 2, effects)) = &view.on_tap else { panic!("{view:?}") };
    assert!(matches!(effects[0].does, Does::Let { local: 0, .. }));
    assert!(matches!(effects[1].does, Does::Set { variable: Variable::Global(0), .. }));
}

#[test]
fn shares_add_up_and_the_rest_does_nothing() {
    let text = "app a.b \"A\" 1 launch Main activity Main .Main { View -> chance { 5% { leave } 0.125% { close } } }";
    let model = model(text);
    let [Node::Widget(view)] = &model.windows[0].nodes[..] else { panic!("{model:?}") };
    let Does::Chance { branches } = &view.on_click.as_ref().expect("effects")[0].does else {
        panic!("{view:?}")
    };
    assert_eq!(branches.iter().map(|(share, _)| *share).collect::<Vec<_>>(), [5_000, 125, 94_875]);
}

#[test]
fn texts_have_values_and_signs_in_them() {
    let text = "app a.b \"{{A}}\" 1 launch Main activity Main .Main { let x = \"\\\"\\\\\\n\\u{e9}{{}}\" TextView \"a{\"b{1}\"}c\" TextView (x) }";
    let model = model(text);
    assert_eq!(&*model.label, "{A}");
    let [Node::Let { value: Expr::Value(Datum::Text(text)), body, .. }] = &model.windows[0].nodes[..] else {
        panic!("{model:?}")
    };
    assert_eq!(&**text, "\"\\\né{}");
    let Node::Widget(widget) = &body[0] else { panic!("{body:?}") };
    assert!(matches!(widget.text.as_ref(), Some(Expr::Text(parts)) if parts.len() == 3));
}

#[test]
fn parameters_are_set_to_values_of_their_kind() {
    let mut model = model(
        "app a.b \"A\" 1 param fixed = false, limit = -3, who = \"me\" session x = 0 launch Main
         activity Main .Main { TextView \"{fixed}{limit}{who}{x}\" }",
    );
    let value = |model: &Model, number: usize| match &model.globals[number].initial {
        Initial::Value(Expr::Value(value)) => value.clone(),
        other => panic!("{other:?}"),
    };
    for (name, text, number, expected) in [
        ("fixed", "true", 0, Datum::Bool(true)),
        ("limit", "12", 1, Datum::Int(12)),
        ("who", "12", 2, Datum::Text("12".into())),
    ] {
        assert_eq!(model.set(name, text), Ok(()));
        assert_eq!(value(&model, number), expected);
    }
    for (name, text, expected) in [
        ("fixed", "1", "`fixed` takes `true` and `false`, and `1` is none of these"),
        ("limit", "a", "`limit` takes whole numbers, and `a` is none of these"),
        ("x", "1", "`x` is a variable of the model, and no parameter; declare it as `param x = ...`"),
        ("sim.lose", "101", "`sim.lose` takes numbers from 0 to 100, and `101` is none of these"),
        ("sim.keyboard", "on", "`sim.keyboard` takes `hard` and `soft`, and `on` is none of these"),
        ("sim.actions", "no", "`sim.actions` takes `all` and `screen`, and `no` is none of these"),
        ("sim.reset", "on", "`sim.reset` takes `clear` and `restart`, and `on` is none of these"),
        (
            "limti",
            "1",
            "there is no parameter `limti`, did you mean `limit`?; known are fixed, limit, who, sim.lose, sim.crash, \
             sim.lag, sim.keyboard, sim.reset, sim.actions, sim.width, sim.height, sim.dpi",
        ),
    ] {
        assert_eq!(model.set(name, text).expect_err("it is refused").to_string(), expected);
    }
    for (name, text) in [
        ("sim.lose", "3"),
        ("sim.crash", "4"),
        ("sim.lag", "500"),
        ("sim.keyboard", "hard"),
        ("sim.reset", "restart"),
        ("sim.actions", "screen"),
        ("sim.width", "480"),
        ("sim.height", "800"),
        ("sim.dpi", "240"),
    ] {
        assert_eq!(model.set(name, text), Ok(()));
    }
    let display = super::super::model::Display { width: 480, height: 800, dpi: 240 };
    let expected = super::super::model::Settings {
        lose_percent: 3,
        crash_percent: 4,
        lag_ms: 500,
        has_soft_keyboard: false,
        keeps_stored: true,
        has_device_actions: false,
        display,
    };
    assert_eq!(model.settings, expected);
}

/// Checks that a model is answered, and soon.
#[track_caller]
fn check_hostile(text: &str) {
    // A tenth of this time is enough without optimisation where nothing else runs.
    const SOON: Duration = Duration::from_secs(60);
    let start = Instant::now();
    let source = source(text);
    let read = read(&source);
    assert!(read.diagnostics.render(&source, Style::Colour).len() < 200_000);
    assert!(
        start.elapsed() < SOON,
        "{:?} for {:?}",
        start.elapsed(),
        text.chars().take(200).collect::<String>()
    );
}

#[test]
fn hostile_models_are_answered() {
    for piece in [
        "(",
        "{",
        "\"",
        ")",
        "}",
        "{ View ",
        "#",
        "\n",
        "\n when b ",
        "V ",
        "let a = 1 ",
        "View -> b = !",
        "View -> b = ",
        "- ",
        "View tall (a + ",
        "use x { ",
        "for n in notes { ",
        "\"{",
        "\"{\"{",
        "\u{202e}",
        "\0",
        "日",
        "\\",
        "on tap(x, y): ",
        "own x = 1 ",
        "View clickable (",
        "b ? ",
        "a.b.",
        "f(",
        "f(n in n where ",
        "View -> f(f(",
        "else if b { } ",
        "chance { 5% { ",
        "\nactivity A .A { ",
        "}\ndef a { ",
        "x\n",
        "app ",
        "launch Q\n",
        "param x = ",
        "\nparam x = 1",
        "\nuse",
    ] {
        let many = piece.repeat(60_000 / piece.len());
        check_hostile(&many);
        check_hostile(&format!("{HEAD}activity Main .Main {{ {many}"));
        check_hostile(&format!("{HEAD}activity Main .Main {{ {many} }}"));
    }
    let half = 100_000;
    check_hostile(&("(".repeat(half) + &"}".repeat(half)));
    check_hostile(&("{(".repeat(half / 2) + &")}".repeat(half / 2)));
}

#[test]
fn what_is_wrong_in_the_middle_of_much_nesting_is_answered() {
    for (open, close) in [
        ("View { ", "}"),
        ("View (", ")"),
        ("View clickable (", ")"),
        ("View clickable ((", "))"),
        ("View -> { if b { ", "} }"),
        ("View -> b = f(", ")"),
        ("View -> if f(find(n in notes where ", ")) { }"),
        ("when b { ", "} else when b { }"),
        ("\n when (b) { ", "}"),
        ("\n when (b && (", ")) { }"),
        ("View \"{", "}\""),
        ("View -> if b { } else if b { ", "} else { }"),
        ("for i in (1)..((2)) { ", "}"),
        ("for i in (", ")..1 { }"),
        ("use row(((1))) { ", "}"),
        ("View { on tap(x, y): { if b { ", "} } }"),
        ("View -> chance { 5% { ", "} else { } }"),
        ("View at (", "),1 1,1"),
        ("own x = list((", "))"),
        ("View -> add notes(name: (", "))"),
    ] {
        for count in [3, 10, 20, 31] {
            let (open, close) = (open.repeat(count), close.repeat(count));
            check_hostile(&format!("{HEAD}activity Main .Main {{ {open}@{close} }}"));
            // After the first complete item, only the following text is wrong.
            let inside = format!("{} 1 {}", open, close);
            check_hostile(&format!("{HEAD}activity Main .Main {{ {inside} @ }}"));
        }
        for inner in [open.trim_start().split(' ').next().unwrap_or("").to_string() + " ", String::new()] {
            let open = open.strip_prefix(&inner).unwrap_or(open).repeat(30);
            check_hostile(&format!("{HEAD}activity Main .Main {{ {inner}{open}@{} }}", close.repeat(30)));
        }
    }
}

#[test]
fn many_names_and_many_mistakes_are_answered() {
    let many = |count: usize, make: &dyn Fn(usize) -> String| (0..count).map(make).collect::<String>();
    let globals = many(10_000, &|number| format!("x{number} = 0, "));
    let unknown = many(10_000, &|_| "View (q) ".to_string());
    let main = |inside: &str| format!("activity Main .Main {{ {inside} }}");
    for text in [
        format!("{HEAD}session {globals} last = 1\n{}", main(&unknown)),
        format!("{HEAD}{}", main(&format!("own {globals} last = 1 {unknown}"))),
        format!("{HEAD}session {}\n{}", "x = 0, ".repeat(20_000), main("")),
        format!(
            "{HEAD}{}",
            main(&format!("View -> {} x = q", many(10_000, &|number| format!("let x{number} = 0; "))))
        ),
        format!(
            "{HEAD}{}",
            main(&format!("View -> {} x = q", many(10_000, &|number| format!("add notes as x{number}; "))))
        ),
        format!(
            "{HEAD}session l = list({} z) {}",
            many(10_000, &|number| format!("f{number}, ")),
            main(&unknown)
        ),
        format!(
            "{HEAD}{} {}",
            many(5_000, &|number| format!("def d{number} {{ }} ")),
            main(&many(5_000, &|_| "View -> q() ".into()))
        ),
        format!(
            "{HEAD}{} {}",
            many(5_000, &|number| format!("part d{number} {{ }} ")),
            main(&many(5_000, &|_| "use q ".into()))
        ),
        format!("{HEAD}{}", main(&format!("View {}", "tall 3 ".repeat(20_000)))),
        format!("{HEAD}{}", main(&format!("View {{ {} }}", "let y = n on text: close ".repeat(190)))),
        format!("{HEAD}activity Main .Main {} {{ }}", "awake portrait ".repeat(20_000)),
        format!("{HEAD}activity Main .Main ({} z) {{ }}", many(10_000, &|number| format!("p{number}, "))),
        format!("{HEAD}launch {} Main", "Main, ".repeat(20_000)),
        format!("{HEAD}{}", main(&many(5_000, &|number| format!("View -> open Main for r{number} ")))),
    ] {
        check_hostile(&text);
    }
}

#[test]
fn what_grows_when_parts_are_put_in_is_bounded() {
    // Each part uses the next twice, so that there are 2^30 of the last.
    let doubling = |inside: &dyn Fn(usize) -> String| {
        let parts: String =
            (0..30).map(|number| format!("part p{number} {{ {} }}\n", inside(number))).collect();
        format!("{HEAD}{parts}part p30 {{ content }}\nactivity Main .Main {{ use p0 }}")
    };
    let twice = |number: usize| format!("use p{0} use p{0}", number + 1);
    let twice_content = |number: usize| format!("use p{} {{ content content }}", number + 1);
    for text in [doubling(&twice), doubling(&twice_content)] {
        let found = mistakes(&text);
        assert!(found.contains("the model is too large once its parts are put in their places"), "{found}");
    }
    // No part uses itself, and they are nested deep.
    let parts: String =
        (0..20_000).map(|number| format!("part p{number} {{ use p{} }}\n", number + 1)).collect();
    let text = format!("{HEAD}{parts}part p20000 {{ View }}\nactivity Main .Main {{ use p0 }}");
    assert!(mistakes(&text).contains("200 deep"));
    // Each part uses the one before last, in a circle.
    let parts: String =
        (0..20_000).map(|number| format!("part p{number} {{ use p{} }}\n", (number + 1) % 20_000)).collect();
    let found = mistakes(&format!("{HEAD}{parts}activity Main .Main {{ use p0 }}"));
    assert!(found.contains("the part `p0` uses itself"), "{found}");
}

#[test]
fn what_is_deep_without_brackets_is_bounded() {
    for (inside, message) in [
        (format!("let x = 1{}", " + 1".repeat(20_000)), "operators may be nested 200 deep"),
        (format!("let x = {}1", "!".repeat(20_000)), "operators may be nested 200 deep"),
        (format!("let x = n{}", ".name".repeat(20_000)), "a number has no fields"),
        (format!("let x = 1{}", " ? 2 : 3".repeat(20_000)), "operators may be nested 200 deep"),
        ("let x = 1 ".repeat(20_000), "200 deep, parts put in"),
        (format!("View -> if b {{ }} {}", "else if b { } ".repeat(20_000)), "200 deep, parts put in"),
        (format!("when b {{ }} {}", "else when b { } ".repeat(20_000)), "200 deep, parts put in"),
        ("View { ".repeat(70) + &"}".repeat(70), "nested 64 deep"),
        ("V ".repeat(NODES_MAX + 1), "the model is too large"),
    ] {
        let found = mistakes(&format!("{HEAD}activity Main .Main {{ {inside} }}"));
        assert!(found.contains(message), "{message}: {found}");
    }
    let windows: String = (0..1_001).map(|number| format!("popup P{number} {{ }}\n")).collect();
    assert!(mistakes(&format!("{HEAD}activity Main .Main {{ }} {windows}")).contains("1000 windows"));
    assert!(mistakes(&" ".repeat(BYTES_MAX + 1)).contains("1000000 bytes"));
}

#[test]
fn mistakes_in_different_items_are_said_at_once() {
    let text = format!(
        "{HEAD}activity Main .Main {{ View tall }}\npart row {{ View (nn) }}\nparm q = 1\ndef d {{ x + }}"
    );
    let source = source(&text);
    let read = read(&source);
    let codes: Vec<&str> = read.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["E-syntax", "E-unknown-name", "E-item", "E-effect"]);
    assert!(read.model.is_none());
}

#[test]
fn what_a_broken_item_declares_is_known_elsewhere() {
    let text = format!(
        "{HEAD}activity Main .Main {{ View (q) -> d(); open Other(1) use row }}\nsession q = \ndef d {{ 1 }}\npart row {{ 1 }}\nactivity Other .O {{ 1 }}"
    );
    let source = source(&text);
    let codes: Vec<&str> = read(&source).diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["E-syntax"; 4]);
}

/// Checks that each mistake lies in the text and can be shown.
fn check_shown(text: &str) {
    let source = source(text);
    let read = read(&source);
    assert_eq!(read.model.is_some(), read.diagnostics.errors() == 0, "{text:?}");
    for found in read.diagnostics.iter() {
        assert!(source.text().get(found.span.clone()).is_some(), "{found:?} {text:?}");
        found.located(&source);
    }
    read.diagnostics.render(&source, Style::Colour);
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        "app a.b \"A\" 1 ;display 480x800 240dpi ;param ;stored ;session ;launch Main ;activity Main .Main ;dialog D ;popup P \
         ;part row ;def d ;{ ;} ;( ;) ;, ;: ;= ;+= ;-> ;x ;y ;n ;notes ;list(x, y) ;list ;( ;) ;\" ;\"a{x}\" ;\"a ;{{ ;}} ;\\ \
         ;\\u{e9} ;\n;\n ;# ;#id ;#a:id/b ;1 ;23 ;5% ;300ms ;2s ;when ;\nwhen ;else ;for ;for n in notes ;in ;where ;by ;- ;! ;+ ;* \
         ;== ;< ;&& ;|| ;or ;? ;. ;n.name ;.. ;true ;false ;none ;result ;now ;portrait ;use row ;let ;let x = ;content ;on \
         ;on back ;on tap(x, y) ;on text ;every 2s ;own ;own kept ;View ;Button ;com.a.B ;tall ;at 0,0 1,1 ;enabled ;clickable \
         ;edits x ;scrolls ;sideways ;password ;solid ;x = 1 ;add notes(x: 1) as n ;remove n ;clear notes ;open Main ;show D \
         ;for pick ;afresh ;finish ;with ;close ;leave ;toast ;wait ;after 1s ;chance ;if x ;keyboard ;crash ;anr ;d() \
         ;count( ;find( ;len( ;日;ä;\u{feff};\t;\u{1}hen ;\0;;"
            .split(';')
            .collect::<Vec<_>>(),
    )
}

proptest! {
    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        check_shown(&text);
    }

    #[test]
    fn any_tokens_are_answered(tokens in prop::collection::vec(token(), 0..60)) {
        check_shown(&tokens.concat());
        check_shown(&format!("{HEAD}activity Main .Main {{ {} }}", tokens.concat()));
        check_shown(&format!("{HEAD}activity Main .Main {{ View -> {{ {} }} }}", tokens.concat()));
    }

    #[test]
    fn a_model_with_a_piece_left_out_or_put_in_is_answered(
        from in 0..3_500_usize,
        length in 0..40_usize,
        tokens in prop::collection::vec(token(), 0..3),
    ) {
        let text = include_str!("all.app");
        let (from, to) = (from.min(text.len()), (from + length).min(text.len()));
        check_shown(&format!("{}{}{}", &text[..from], tokens.concat(), &text[to..]));
    }
}
