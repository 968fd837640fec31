//! Mistakes in models of FATE: each has its place, and what to do.

use super::*;
use crate::text::Style;

/// Returns a model in which `part` takes the place of `find`.
fn model(find: &str, part: &str) -> String {
    let whole = "{'global_vars': [{'name': 'n', 'value': 1}, {'name': 't', 'value': 'a'}],
'nodes': [{'node_id': 'home', 'transitions': [
{'transition_id': 0, 'type': 'button', 'active': True, 'guard': 'n > 0', 'set': 'n = 0', 'destination': 'end'},
{'transition_id': 1, 'type': 'editText', 'active': True, 'guard': None, 'set': 't = input_text', 'destination': 'home'}]},
{'node_id': 'end', 'transitions': []}]}";
    assert!(whole.contains(find), "{find}");
    whole.replacen(find, part, 1)
}

/// Checks all mistakes, each as `line:column: severity[code] message; help`.
#[track_caller]
fn check_text(name: &str, text: &str, expected: &[&str]) {
    let source = Source::new(name, text);
    let (converted, diagnostics) = convert(&source, Options::default());
    let said: Vec<String> = diagnostics
        .iter()
        .map(|one| {
            let place = source.position(one.span.start);
            let help = one.help.as_deref().unwrap_or("-");
            let severity = one.severity.name();
            format!("{}:{}: {severity}[{}] {}; {help}", place.line, place.column, one.code, one.message)
        })
        .collect();
    assert_eq!(said, expected);
    assert_eq!(converted.is_some(), diagnostics.errors() == 0);
}

#[track_caller]
fn check(find: &str, part: &str, expected: &[&str]) {
    check_text("a.py", &model(find, part), expected);
}

#[test]
fn a_model_without_mistakes_is_converted() {
    check("'n'", "'n'", &[]);
    let (text, _) = convert(&Source::new("my-model.py", model("'n'", "'n'")), Options::default());
    let expected = "app fate.my_model \"my_model\" 1.0\nstored n = 1\nstored t = \"a\"\nlaunch home\n
activity home .home portrait awake {
    on back: {}
    Button #t0 -> if n > 0 { n = 0; open end; finish }
    EditText #t1 edits t clickable false longclickable false
}

activity end .end portrait awake {
    on back: {}
}
";
    assert_eq!(text.as_deref(), Some(expected));
}

#[test]
fn parts_that_are_wrong_have_their_place() {
    check(
        "'nodes'",
        "'node'",
        &[
            "1:1: error[E-missing] a model has no \"nodes\"; a model has \"global_vars\", \"nodes\"",
            "2:1: error[E-key] a model has no `node`; did you mean `nodes`?",
        ],
    );
    check(
        "'active': True, ",
        "",
        &[
            "3:1: error[E-missing] a transition has no \"active\"; a transition has \"transition_id\", \"type\", \"active\", \
         \"guard\", \"set\", \"destination\"",
        ],
    );
    check(
        "'active'",
        "'set': '', 'active'",
        &["3:85: error[E-duplicate] `set` is there already; leave one out"],
    );
    check(
        "'button'",
        "'buton'",
        &["3:30: error[E-value] a text stands where type is needed; it is \"button\" or \"editText\""],
    );
    check("True", "1", &["3:50: error[E-value] a number stands where active is needed; it is True or False"]);
    check(
        "': 0,",
        "': -1,",
        &[
            "3:19: error[E-value] a number stands where transition_id is needed; it is a number from 0 on, like 3",
        ],
    );
    check(
        "'guard': None",
        "'guard': True",
        &["4:67: error[E-value] true or false stands where guard is needed; it is a text in quotes, or None"],
    );
    check(
        "[]}]",
        "{}}]",
        &["5:35: error[E-value] a dictionary stands where transitions is needed; it is a list: `[...]`"],
    );
    check(
        "'value': 1",
        "'value': None",
        &[
            "1:41: error[E-value] nothing stands where a variable's value is needed; it is True, False, a whole number or a text",
        ],
    );
}

#[test]
fn names_that_are_wrong_have_their_place() {
    check(
        "'end'}",
        "'ende'}",
        &["3:105: error[E-unknown-node] there is no node `ende`; did you mean `end`?"],
    );
    check(
        "'node_id': 'end'",
        "'node_id': 'home'",
        &[
            "3:105: error[E-unknown-node] there is no node `end`; it is the \"node_id\" of one of the nodes",
            "5:13: error[E-duplicate] the node `home` is there already; give one of them another name",
        ],
    );
    check(
        "'home'",
        "'my home'",
        &[
            "2:23: error[E-name] `my home` is no name of a node; a name has letters, digits and `_`, like `manage_money`",
            "4:113: error[E-unknown-node] there is no node `home`; it is the \"node_id\" of one of the nodes",
        ],
    );
    check(
        "'t'",
        "'input_text'",
        &[
            "1:54: error[E-name] `input_text` is no name of a variable; this name stands for what is typed; give the variable another one",
        ],
    );
    check("'t'", "'n'", &["1:54: error[E-duplicate] the variable `n` is there already; leave one out"]);
    check(
        "_id': 1,",
        "_id': 0,",
        &[
            "4:19: error[E-duplicate] this node has a transition 0 already; number the transitions of a node from 0",
        ],
    );
    check(
        "'destination': 'end'",
        "'destination': 'home'",
        &[
            "5:13: warning[W-unreachable] no way leads to the node `end`; make it the \"destination\" of a transition, or remove it",
        ],
    );
}

#[test]
fn guards_and_assignments_that_are_wrong_have_their_place() {
    check(
        "'n > 0'",
        "'m > 0'",
        &[
            "3:66: error[E-unknown-name] there is no variable `m`; declare it among the \"global_vars\", or set it somewhere",
        ],
    );
    check(
        "'n > 0'",
        "'n'",
        &[
            "3:66: error[E-kind] this is a number, and a condition is needed; put brackets around both sides of `&`; a condition is like `x == 1`",
        ],
    );
    check(
        "'n > 0'",
        "'t > 0'",
        &[
            "3:66: error[E-kind] this is a text, and a number is needed; numbers alone are added, and compared by size",
        ],
    );
    check(
        "'n > 0'",
        "'n == t'",
        &["3:66: error[E-kind] a number is never a text; compare values of one kind"],
    );
    check(
        "'n > 0'",
        "'n == 1 & n == 2'",
        &[
            "3:77: error[E-expression] `==` stands where one comparison has ended; join two comparisons by `and`, or put one in brackets",
        ],
    );
    check(
        "'n > 0'",
        "'n == 1 & t'",
        &[
            "3:71: error[E-kind] this is a number, and a condition is needed; put brackets around both sides of `&`; a condition is like `x == 1`",
            "3:75: error[E-kind] this is a text, and a condition is needed; put brackets around both sides of `&`; a condition is like `x == 1`",
        ],
    );
    check(
        "'n > 0'",
        "'n >\\\\ 0'",
        &[
            "3:69: error[E-expression] `\\` means nothing here; values are variables, whole numbers, True, False and texts in quotes; operators are == != < <= > >= + - & and or not",
        ],
    );
    check(
        "'n = 0'",
        "'n = t'",
        &[
            "3:86: error[E-kind] this is a text, and a number is needed; numbers alone are added, and compared by size",
        ],
    );
    check(
        "'n = 0'",
        "'n = n + 1\\nx'",
        &[
            "3:94: error[E-expression] the text ends where `=` is needed; an assignment is like `x = True`, `x = input_text` or `x = x + 1`",
        ],
    );
    check(
        "'n = 0'",
        "'input_text = 0'",
        &["3:82: error[E-set] `input_text` cannot be set; it is what was typed"],
    );
    check(
        "'n = 0'",
        "'x = y\\ny = x'",
        &[
            "3:82: error[E-kind] the kind of `x` is not known; declare it with its first value",
            "3:89: error[E-kind] the kind of `y` is not known; declare it with its first value",
        ],
    );
    check(
        "'n = 0'",
        "'t = input_text'",
        &[
            "3:19: error[E-input] a button has no typed text to set or to ask for; give the transition the type \"editText\"",
        ],
    );
    check("'n = 0'", "'x = y\\ny = 3'", &[]);
}

#[test]
fn ptolemys_models_that_are_wrong_have_their_place() {
    let flat = |inner: &str| {
        format!(
            "<entity name=\"m\" class=\"a.ModalModel\">\n<entity name=\"c\" class=\"a.ModalController\">\n{inner}\n</entity></entity>"
        )
    };
    let state = |name: &str| format!("<entity name=\"{name}\" class=\"a.State\"/>");
    check_text("a.xml", "<a>", &["1:1: error[E-xml] `<a>` is never closed; the file may be cut off"]);
    check_text(
        "a.xml",
        "<entity name='x'/>\n",
        &[
            "1:1: error[E-moml] there is no state in this XML; a model is a modal model of Ptolemy, whose states are entities of the class `State`",
        ],
    );
    check_text(
        "a.xml",
        &flat(&format!("{}\n<relation name=\"r\" class=\"a.Transition\"/>", state("s"))),
        &[
            "4:17: error[E-moml] `r` leads from no state, or to none; link it to the `outgoingPort` of a state and to the `incomingPort` of one",
        ],
    );
    let linked = |guard: &str, port: &str| {
        flat(&format!(
            "{}\n<relation name=\"r\" class=\"a.Transition\">\n<property name=\"guardExpression\" value=\"{guard}\"/></relation>
<link port=\"s.outgoingPort\" relation=\"r\"/>\n<link port=\"s.incomingPort\" relation=\"r\"/>{port}",
            state("s")
        ))
    };
    check_text("a.xml", &linked("true", ""), &[]);
    check_text(
        "a.xml",
        &linked("true &amp;&amp; x", ""),
        &[
            "5:57: error[E-unknown-name] there is no variable `x`; make it a parameter of the modal model, or set it somewhere",
        ],
    );
    check_text(
        "a.xml",
        &linked("&nbsp;", ""),
        &["5:41: error[E-xml] `&nbsp` is no character that XML knows; `&` itself is written `&amp;`"],
    );
    check_text(
        "a.xml",
        &linked("true", "\n<link port=\"s.incomingPort\" relation=\"r\"/>"),
        &[
            "8:39: error[E-moml] `r` has two targets; a transition leads from one state to one; give the other a relation of its own",
        ],
    );
    let refined =
        format!("{}</entity>\n<entity name=\"d\" class=\"a.ModalController\">{}", state("s"), state("q"));
    check_text(
        "a.xml",
        &flat(&refined),
        &[
            "4:44: error[E-moml] this state stands in another entity than the states before it; only flat models are read; give each refinement a file of its own",
        ],
    );
}

#[test]
fn large_and_deep_models_are_refused_in_a_short_time() {
    for (text, code) in [
        ("[".repeat(500_000), "E-too-deep"),
        ("<a>".repeat(300_000), "E-too-deep"),
        (" ".repeat(2_000_000) + "{}", "E-too-large"),
        (
            format!(
                "{{'global_vars': [], 'nodes': [{}]}}",
                "{'node_id': 'a', 'transitions': []},".repeat(2_000)
            ),
            "E-too-large",
        ),
        (model("'n > 0'", &format!("'{}n'", "not ".repeat(100_000))), "E-too-large"),
        (
            model(
                "'n = 0'",
                &format!("'{}'", (0..60_000).map(|at| format!("v{at} = v{}\\n", at + 1)).collect::<String>()),
            ),
            "E-too-large",
        ),
    ] {
        let source = Source::new("a.json", text);
        let read = read(&source, Options::default());
        assert!(read.model.is_none());
        let first = read.diagnostics.iter().next().expect("a mistake");
        assert_eq!(first.code, code, "{}", first.render(&source, Style::Plain));
    }
}

#[test]
fn the_start_of_a_text_tells_a_model() {
    for text in ["{}", " # a\n\n{'a'", "graph = {", "g={", "<?xml", "\n<entity"] {
        assert!(is_fate(text), "{text}");
    }
    for text in [
        "",
        "app a.b \"A\" 1",
        "# {\napp a.b \"A\" 1",
        "possible \"a\": F [x = 1]",
        "[x = 1]",
        "let x = [a = b]",
        "x == {",
    ] {
        assert!(!is_fate(text), "{text}");
    }
}
