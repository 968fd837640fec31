//! Every kind of mistake: its underlined text, message and help.

use super::{HEAD, check, check_inside, check_whole, model};

#[test]
fn names_that_are_not_known_are_shown_with_the_nearest_one() {
    check_inside("TextView (nn)", "nn", "there is no variable `nn`", "did you mean `n`?");
    check_inside("EditText edits q", "q", "there is no variable `q`", "known here are notes, n, t, b, p");
    check_inside("for x in note { }", "note", "there is no list `note`", "did you mean `notes`?");
    check_inside("View -> opn Main", "opn", "there is no effect `opn`", "did you mean `open`?");
    check_inside("View -> foo()", "foo", "there is no def `foo`", "declare it: `def save(note) { ... }`");
    check_inside("View -> sav(1)", "sav", "there is no def `sav`", "declare it: `def save(note) { ... }`");
    check_inside("View -> open Mian", "Mian", "there is no window `Mian`", "did you mean `Main`?");
    check_inside("use rwo", "rwo", "there is no part `rwo`", "declare it: `part row(title) { ... }`");
    check_inside(
        "for x in notes { TextView (x.nam) }",
        "nam",
        "there is no field `nam` in `notes`",
        "did you mean `name`?",
    );
    check_inside(
        "TextView (find(x in notes).nme)",
        "nme",
        "there is no field `nme` in `notes`",
        "did you mean `name`?",
    );
    check_inside(
        "View -> add notes(nmae: 1)",
        "nmae",
        "there is no field `nmae` in `notes`",
        "did you mean `name`?",
    );
    check_inside(
        r#"TextView (lenght("a"))"#,
        "lenght",
        "there is no function `lenght`",
        "functions are len, left, lower, upper, trim, contains, starts, number, min, max, abs, random, count, find",
    );
    check_inside(
        "TextView (foo(x in notes))",
        "foo",
        "`foo` does not go through a list",
        "`count(x in list where ...)` and `find(x in list where ...)` do",
    );
    check_inside(
        "TextView (find(notes))",
        "find(notes)",
        "`find` goes through a list",
        "write `find(x in list where ...)`",
    );
    check_inside("TextView (count(t))", "(t)", "`count` takes a list, and `t` is none", "lists are notes");
    check_inside("View -> clear n", "n", "`n` is no list", "lists are notes");
    check_inside("View -> n = fo", "fo", "there is no variable `fo`", "known here are notes, n, t, b, p");
    check(
        "activity Main .Main { TextView (save) } def save { }",
        "save",
        "there is no variable `save`",
        "it is a `def`, which has no value: it stands where effects do",
    );
    check(
        "activity Main .Main { TextView (save(1)) } def save(x) { }",
        "save",
        "there is no function `save`",
        "it is a `def`, which has no value: it stands where effects do",
    );
    check(
        "activity Main .Main { use row on menu: leave } part row { TextView (menu) } activity B .B { own menu = 1 }",
        "menu",
        "`menu` belongs to B, and is not known in a part",
        "hand its value over as a parameter, or set it in the `content`",
    );
    check(
        "activity Main .Main { View -> d() } activity B .B { own menu = 1 } def d { menu = 2 }",
        "menu",
        "`menu` belongs to B, and is not known in a def",
        "hand its value over as a parameter, or declare it with `session`",
    );
    check(
        "activity Main .Main { own x = y, y = 1 }",
        "y",
        "`y` is declared below",
        "its first value is worked out later; move it up",
    );
    check(
        "activity Main .Main { View -> open Main for pick on result pik: close }",
        "pick",
        "nobody waits for the result `pick`",
        "did you mean `pik`?",
    );
    check(
        "activity Main .Main { View -> open Main for pick }",
        "pick",
        "nobody waits for the result `pick`",
        "wait for it where it is opened: `on result pick: ...`",
    );
}

#[test]
fn values_and_parameters_are_as_many() {
    check(
        "activity Main .Main { View -> show Ask } dialog Ask (x) { }",
        "Ask",
        "`Ask` takes one value, and here it gets nothing",
        "it is `Ask(x)`",
    );
    check(
        "activity Main .Main { View -> open Main(1) }",
        "Main",
        "`Main` takes nothing, and here it gets 1",
        "it is `Main()`",
    );
    check(
        "activity Main .Main { View -> save(1, 2, 3) } def save(a, b) { }",
        "save",
        "`save` takes 2 values, and here it gets 3",
        "it is `save(a, b)`",
    );
    check(
        "activity Main .Main { use row(1) } part row { }",
        "row",
        "`row` takes nothing, and here it gets 1",
        "it is `row()`",
    );
    check_inside(
        "TextView (len())",
        "len()",
        "`len` takes one value, and here it gets nothing",
        "it is `len(a text)`",
    );
    check_inside(
        "TextView (min(1, 2, 3))",
        "min(1, 2, 3)",
        "`min` takes 2 values, and here it gets 3",
        "it is `min(a number, a number)`",
    );
    check(
        "activity Main .Main { View -> save(n in notes) } def save(a) { }",
        "save",
        "a `def` takes values",
        "write `save(a, b)`",
    );
}

#[test]
fn a_name_is_declared_once() {
    check(
        "activity Main .Main { } activity Main .M { }",
        "Main",
        "the window `Main` is declared in line 5 already",
        "give one of them another name",
    );
    check(
        "activity Main .Main { } session n = 1",
        "n",
        "the variable `n` is declared in line 3 already",
        "give one of them another name",
    );
    check(
        "activity Main .Main { own n = 1 }",
        "n",
        "the variable `n` is declared in line 3 already",
        "give one of them another name",
    );
    check(
        "activity Main .Main (a, a) { }",
        "a",
        "the parameter `a` is declared in line 5 already",
        "give one of them another name",
    );
    check(
        "activity Main .Main { own x = 1, x = 2 }",
        "x",
        "the variable `x` is declared in line 5 already",
        "give one of them another name",
    );
    check(
        "activity Main .Main { } part a { } part a { }",
        "a",
        "the part `a` is declared in line 5 already",
        "give one of them another name",
    );
    check(
        "activity Main .Main { } def a { } def a { }",
        "a",
        "the def `a` is declared in line 5 already",
        "give one of them another name",
    );
    check(
        "activity Main .Main { } session l = list(a, a)",
        "a",
        "the field `a` is declared twice",
        "leave one out",
    );
    check(
        "activity Main .Main { } session l = list(index)",
        "index",
        "every record has an `index` already",
        "choose another name",
    );
    check("activity Main .Main { } launch Main", "Main", "`Main` is launched already", "leave it out");
    check(
        r#"activity Main .Main { } app a.b "A" 1"#,
        "app",
        "`app` is said in line 1 already",
        "leave one out",
    );
    check(
        "activity Main .Main { } session with = 1",
        "with",
        "`with` is a word of the language, and no name",
        "choose another name",
    );
    check(
        "activity Main .Main { } param part = 1",
        "part",
        "`part` is a word of the language, and no name",
        "choose another name",
    );
    check_inside("View tall 3 tall 4", "tall 4", "the widget has its `tall` already", "leave one out");
    check_inside(
        "View -> leave -> leave",
        "-> leave",
        "the widget has its `->` already",
        "part effects by `;`",
    );
    check_inside(
        "View { on text: leave on text: close }",
        "text",
        "the widget has its `on text` already",
        "part effects by `;`",
    );
    check_inside(
        "View { on swipe left: leave on swipe left: close }",
        "swipe left",
        "the widget has its `on swipe left` already",
        "part effects by `;`",
    );
    check_inside(
        "View -> add notes(name: 1, name: 2)",
        "name",
        "the field `name` is given twice",
        "leave one out",
    );
    check(
        "activity Main .Main portrait relaid { }",
        "relaid",
        "`Main` has its portrait, landscape or relaid already",
        "leave one out",
    );
}

#[test]
fn a_model_says_what_the_app_is_and_what_the_launcher_starts() {
    check_whole(
        "launch Main activity Main .Main { }",
        "",
        "the model does not say what the app is",
        r#"it starts with a line like `app org.example.notes "Notes" 1.0`"#,
    );
    check_whole(
        r#"app a.b "A" 1 activity Start .Main { }"#,
        "",
        "the model does not say what the launcher starts",
        "add a line like `launch Start`",
    );
    check_whole(
        r#"app a.b "A" 1 launch D activity Main .Main { } dialog D { }"#,
        "D",
        "`D` is no activity, and only these can be launched",
        "launch the activity over which it opens",
    );
    check_whole(
        r#"app a.b "A" 1 launch Mian activity Main .Main { }"#,
        "Mian",
        "there is no window `Mian`",
        "did you mean `Main`?",
    );
    check_whole(
        r#"app ab "A" 1 launch Main activity Main .Main { }"#,
        "ab",
        "`ab` is no package",
        "a package is like `org.example.notes`",
    );
    check_whole(
        r#"app a.b "A{1}" 1 launch Main activity Main .Main { }"#,
        r#""A{1}""#,
        "the name of an app has no values in it",
        "a brace is `{{`",
    );
    check_whole(
        r#"app a.b "A" 1 display 10x800 240dpi launch Main activity Main .Main { }"#,
        "10x800",
        "`10` is not from 100 to 10000",
        "a display is like `480x800 240dpi`",
    );
    check_whole(
        r#"app a.b "A" 1 display 480x800 5dpi launch Main activity Main .Main { }"#,
        "5dpi",
        "`5` is not from 50 to 1000",
        "a display is like `480x800 240dpi`",
    );
    check_whole(
        r#"app a.b "A" launch Main activity Main .Main { }"#,
        "",
        r#"a version is missing after `"`"#,
        r#"the app is like `app org.example.notes "Notes" 1.0`"#,
    );
}

#[test]
fn windows_are_opened_and_shown_by_their_kind() {
    check(
        "activity Main .Main { View -> open Ask } dialog Ask { }",
        "Ask",
        "`Ask` is no activity",
        "write `show Ask`",
    );
    check_inside("View -> show Main", "Main", "`Main` is an activity", "write `open Main`");
    check(
        "activity Main Main { }",
        "Main",
        "`Main` is no class of an activity",
        "write `.MainActivity`, which is in the app's package, or a full name",
    );
    check(
        "activity Main .Main modal { }",
        "modal",
        "`Main` is an activity, and cannot be `modal`",
        "only dialogs and popups are `modal`",
    );
    check(
        "activity Main .Main { } dialog D awake { }",
        "awake",
        "`D` is no activity, and cannot be `awake`",
        "say it of the activity over which it opens",
    );
    check(
        "activity Main .Main { } popup P portrait { }",
        "portrait",
        "`P` is no activity, and cannot be `portrait`",
        "say it of the activity over which it opens",
    );
}

#[test]
fn events_happen_to_what_they_are_for() {
    check(
        "activity Main .Main { } dialog D { on pause: leave }",
        "pause",
        "`pause` does not happen to a dialog",
        "a dialog or popup knows create, destroy, back, menu and every",
    );
    check(
        "activity Main .Main { } dialog D { on result x: leave }",
        "result x",
        "`result x` does not happen to a dialog",
        "a dialog or popup knows create, destroy, back, menu and every",
    );
    check_inside("on bak: leave", "bak", "`bak` does not happen to an activity", "did you mean `back`?");
    check_inside(
        "on tap(x, y): leave",
        "tap(x, y)",
        "`tap(x, y)` does not happen to an activity",
        "it stands in the braces of a widget",
    );
    check_inside(
        "on result: leave",
        "result",
        "`result` does not happen to an activity",
        "it is `on result NAME: ...`, where an activity was opened `for NAME`",
    );
    check_inside(
        "on back x: leave",
        "back x",
        "`back x` does not happen to an activity",
        "did you mean `back`?",
    );
    check_inside(
        "on every 2s: leave",
        "2s",
        "a `:` is missing before `2s`",
        "write `every 2s: effects` without `on`",
    );
    check_inside(
        "View { on click: leave }",
        "click",
        "`click` does not happen to a widget",
        "write `-> effects` among the attributes",
    );
    check_inside(
        "View { on tap: leave }",
        "tap",
        "`tap` does not happen to a widget",
        "it is `on tap(x, y): ...`",
    );
    check_inside(
        "View { on swipe lft: leave }",
        "swipe lft",
        "`swipe lft` does not happen to a widget",
        "it is `on swipe left: ...`, or right, up, down",
    );
    check_inside(
        "View { on text when b: leave }",
        "when b",
        "what is done on a widget has no `when`",
        "write `if E { ... }` in its effects",
    );
    check_inside(
        "when b { on back: leave }",
        "back",
        "`on` stands directly in the braces of a widget or a window",
        "write it there, or `if` in its effects",
    );
}

#[test]
fn content_stands_in_parts_and_parts_have_it() {
    check_inside(
        "content",
        "content",
        "`content` stands in a part",
        "it stands for what is put into a part, in `part NAME { ... }`",
    );
    check(
        "activity Main .Main in row { } part row { View }",
        "row",
        "the part `row` has no `content`",
        "write `content` in it where what is put in shall stand",
    );
    check(
        "activity Main .Main { use row { View } } part row { View }",
        "row",
        "the part `row` has no `content`",
        "write `content` in it where what is put in shall stand",
    );
    check(
        "activity Main .Main { use row } part row { View { use row } }",
        "row",
        "the part `row` uses itself",
        "a part has an end; show many alike with `for`",
    );
}

#[test]
fn kinds_that_are_known_beforehand_fit() {
    check_inside(
        "TextView (1 + true)",
        "+",
        "a number and true or false cannot be added",
        r#"`+` adds numbers and joins texts; a value goes into a text as `"{x}"`"#,
    );
    check_inside(
        r#"TextView ("a" + true)"#,
        "+",
        "a text and true or false cannot be added",
        r#"`+` adds numbers and joins texts; a value goes into a text as `"{x}"`"#,
    );
    check_inside(
        "TextView (len(3))",
        "3",
        "`len` takes a text here, and this is a number",
        r#"a value goes into a text as `"{x}"`"#,
    );
    check_inside(
        r#"TextView (-"a")"#,
        r#""a""#,
        "`-` takes a number, and this is a text",
        "`number(t)` is the number in a text, `len(t)` its length",
    );
    check_inside(
        r#"TextView ("a" * 2)"#,
        r#""a""#,
        "`*` takes numbers, and this is a text",
        "`number(t)` is the number in a text, `len(t)` its length",
    );
    check_inside(
        r#"TextView (1 < "a")"#,
        "<",
        "a number and a text have no order",
        "numbers and texts have one",
    );
    check_inside(
        "TextView (true < false)",
        "<",
        "true or false and true or false have no order",
        "numbers and texts have one",
    );
    check_inside(
        r#"TextView (1 == "a")"#,
        "==",
        "a number and a text are never equal",
        "compare values of one kind; `number(t)` is the number in a text",
    );
    check_inside(
        "TextView (t.name)",
        "name",
        "a text has no fields",
        "records have: what `for` and `find` go through",
    );
    check_inside(
        "TextView (notes)",
        "notes",
        "`notes` is a list, and no value",
        "write `count(notes)`, or `find(x in notes where ...)`",
    );
    check_inside(
        r#"View -> b = "x""#,
        r#""x""#,
        "the variable is true or false, and this is a text",
        "write true or false",
    );
    check_inside(
        "View -> n = true",
        "true",
        "the variable is a number, and this is true or false",
        "write a number",
    );
    check_inside(
        "View -> t = 3",
        "3",
        "the variable is a text, and this is a number",
        r#"a value goes into a text as `"{x}"`"#,
    );
    check_inside(
        "View -> t += b",
        "+=",
        "a text and true or false cannot be added",
        r#"`+` adds numbers and joins texts; a value goes into a text as `"{x}"`"#,
    );
    check_inside(
        r#"View -> n += "a""#,
        "+=",
        "the variable is a number, and this makes it a text",
        "set it with `=`",
    );
    check_inside(
        "View -> b += 1",
        "+=",
        "true or false and a number cannot be added",
        r#"`+` adds numbers and joins texts; a value goes into a text as `"{x}"`"#,
    );
    check_inside(
        "View -> t -= 1",
        "-=",
        "`-` takes numbers, and this is a text",
        "`number(t)` is the number in a text, `len(t)` its length",
    );
    check_inside(
        "View -> remove n",
        "n",
        "`remove` takes a record, and this is a number",
        "records have: what `for` goes through",
    );
    check_inside(
        r#"View tall "a""#,
        r#""a""#,
        "`tall` takes a number, and this is a text",
        "`number(t)` is the number in a text, `len(t)` its length",
    );
    check_inside(
        "View at (b),0 1,1",
        "(b)",
        "`at` takes numbers, and this is true or false",
        "write a number",
    );
    check_inside(
        r#"for i in 0.."a" { }"#,
        r#""a""#,
        "`..` goes from number to number, and this is a text",
        "`number(t)` is the number in a text, `len(t)` its length",
    );
    check_inside("for i in 0..20000 { }", "i in 0..20000", "these are more than 10000 numbers", "take fewer");
    check_inside(
        "TextView (1 < 2 < 3)",
        "<",
        "comparisons do not follow each other",
        "join two comparisons with `&&`, or put one in brackets",
    );
    check_inside(
        "TextView (99999999999999999999)",
        "99999999999999999999",
        "`99999999999999999999` is too large a number",
        "numbers go up to 9223372036854775807",
    );
    check(
        "activity Main .Main { } param q = 1 + 2",
        "1 + 2",
        "the value of a parameter is said as it stands",
        "write `true`, `false`, a number or a text",
    );
    check(
        "activity Main .Main { } param q = none",
        "none",
        "the value of a parameter is said as it stands",
        "write `true`, `false`, a number or a text",
    );
    check(
        "activity Main .Main { } param q = list(a)",
        "list(a)",
        "a parameter is one value, and no list",
        "declare a list with `stored` or `session`",
    );
    check(
        "activity Main .Main { } session u = n + 1",
        "n",
        "`n` is not known when the app is installed",
        "a first value speaks of parameters alone",
    );
    check(
        "activity Main .Main { } session u = now",
        "now",
        "`now` is not known when the app is installed",
        "a first value speaks of parameters alone",
    );
}

#[test]
fn what_is_no_variable_cannot_be_set() {
    check_inside(
        "View -> p = 4",
        "p",
        "`p` is a parameter, and cannot be set",
        "say it with `--set p=...`, or make it `session p = ...`",
    );
    check_inside(
        "View -> notes = 4",
        "notes",
        "`notes` is a list, and cannot be set",
        "change it with `add notes(...)`, `remove` and `clear notes`",
    );
    check_inside(
        "for x in notes { View -> x = 3 }",
        "x",
        "`x` is a name for a value, and cannot be set",
        "a variable can: `own x = 0`, or a field of a record",
    );
    check_inside(
        "for x in notes { View -> x.index = 3 }",
        "x.index",
        "an `index` cannot be set",
        "the place of a record follows from when it was added",
    );
    check_inside(
        "EditText edits p",
        "p",
        "`p` is a parameter, and cannot be edited",
        "say it with `--set p=...`, or make it `session p = ...`",
    );
    check_inside(
        "for x in notes { EditText edits x }",
        "x",
        "`x` is a name for a value, and cannot be edited",
        "a variable can: `own x = 0`, or a field of a record",
    );
}

#[test]
fn shares_and_times_are_within_their_bounds() {
    check_inside(
        "View -> chance { 60% { } 50% { } }",
        "chance { 60% { } 50% ",
        "the shares add up to more than 100%",
        "make them smaller",
    );
    check_inside(
        "View -> chance { 5.1234% { } }",
        "5.1234%",
        "`5.1234%` is no share",
        "a share is from 0% to 100%, with up to three decimals",
    );
    check_inside("View -> wait 3", "3", "`3` is no time", "a time is like `300ms` or `2s`");
    check_inside(
        "View -> wait 0ms",
        "0ms",
        "`0ms` is not between a millisecond and a day",
        "a time is like `300ms` or `2s`",
    );
    check_inside("View -> after 3h { }", "3h", "`3h` is no time", "a time is like `300ms` or `2s`");
    check_inside("every 2: leave", "2", "`2` is no time", "a time is like `300ms` or `2s`");
}

#[test]
fn texts_and_ids_are_written_well() {
    check_inside(
        r#"TextView "\u{d800}""#,
        r#"\u{d800}"#,
        r#"`\u{d800}` is no character"#,
        r#"characters go from \u{0} to \u{10ffff}, without d800 to dfff"#,
    );
    check_inside(
        r#"TextView "a\q""#,
        r#"\q"#,
        r#"there is no `\q`"#,
        r#"a text knows `\"`, `\\`, `\n` and `\u{e9}`"#,
    );
    check_inside(r#"TextView "a}""#, "}", "a brace in a text is written twice", "write `}}`");
    check_inside(
        r#"TextView "a{}""#,
        "}",
        "a value is missing before `}`",
        r#"a value is a number, `true`, `false`, `none`, a `"text"`, a name, or more in brackets"#,
    );
    check_inside("TextView #a:b", "#a:b", "`#a:b` is no id", "an id is `#save` or `#android:id/list`");
    check_inside(r#"TextView "a #x"#, r#"""#, r#"this `"` is never closed"#, r#"close it with `"`"#);
    check_inside("TextView #!x", "#", "`#` starts an id like `#save`", "a comment has a blank after its `#`");
    check_inside("TextView 'a'", "'", "`'` means nothing here", r#"a text stands in `"..."`"#);
}

#[test]
fn brackets_are_closed_where_they_were_opened() {
    check_inside("TextView (1", "(", "this `(` meets a `}` where `)` is needed", "close it with `)`");
    check_inside("TextView { TextView", "{", "this `{` is never closed", "close it with `}`");
    check_inside(
        "TextView { TextView (}",
        "(",
        "this `(` meets a `}` where `)` is needed",
        "close it with `)`",
    );
    check("activity Main .Main { } }", "}", "this `}` closes nothing", "leave it out, or open it before");
    check(
        "activity Main .Main { } View",
        "View",
        "no item starts with `View`",
        "items start with app, display, param, stored, session, launch, activity, dialog, popup, part, def",
    );
}

#[test]
fn what_is_closed_at_the_margin_was_to_be_closed_before() {
    check(
        "activity Main .Main {\n View -> { leave\n}\ndef d { leave }",
        "{",
        "this `{` is never closed",
        "close it with `}`",
    );
    let found = super::mistakes("activity Main .Main {\n View -> { leave\n}\n");
    assert!(found.contains("a.app:2:10: error: this `{` is never closed"), "{found}");
}

#[test]
fn an_item_says_what_it_lacks() {
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } param x"#,
        "",
        "a `=` is missing after `x`",
        "a variable has a first value: `x = 0`",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } param x ="#,
        "",
        "a value is missing after `=`",
        r#"a value is a number, `true`, `false`, `none`, a `"text"`, a name, or more in brackets"#,
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } param 3 = 4"#,
        "3",
        "`3` can be no name",
        "names are letters, digits and `_`, and start with no digit",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } stored x = 0 y = 1"#,
        "y",
        "a `,` is missing before `y`",
        "several variables are parted by `,`",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } stored x = list()"#,
        "list",
        "there is no function `list`",
        "a list is declared with its fields: `stored notes = list(name)`",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main Main activity Main .Main { }"#,
        "Main",
        "a `,` is missing before `Main`",
        "this item is like `launch Main`",
    );
    check_whole(
        r#"app a.b "A" 1 display 480 800 launch Main activity Main .Main { }"#,
        "480",
        "a size is missing before `480`",
        "a display is like `display 480x800 240dpi`",
    );
    check_whole(
        r#"app a.b "A" 1 display 480x800 240 launch Main activity Main .Main { }"#,
        "240",
        "a density is missing before `240`",
        "a display is like `display 480x800 240dpi`",
    );
    check(
        "activity Main { }",
        "{",
        "a class is missing before `{`",
        "an activity is like `activity Main .MainActivity { ... }`",
    );
    check(
        "activity Main .Main potrait { }",
        "potrait",
        "`potrait` says nothing of a window",
        "did you mean `portrait`?",
    );
    check(
        "activity Main .Main { } part row(1) { }",
        "1",
        "`1` can be no name",
        "names are letters, digits and `_`, and start with no digit",
    );
    check(
        "activity Main .Main { } def { }",
        "{",
        "a name is missing before `{`",
        "this item is like `def save(note) { ... }`",
    );
    check("activity Main .Main { } def a b = 1", "b", "a `{` is missing before `b`", "open the braces");
    check(
        "activity Main .Main { } dialog D .D { }",
        ".",
        "a `{` is missing before `.`",
        "dialogs have no class",
    );
    check("activty Main .Main { }", "activty", "no item starts with `activty`", "did you mean `activity`?");
}

#[test]
fn what_stands_among_widgets_without_being_one_is_said() {
    check_inside(r#"TextView "a"; TextView "b""#, ";", "`;` parts effects, and not widgets", "leave it out");
    check_inside(
        r#"TextView "a" enbled x"#,
        "enbled",
        "there is no attribute `enbled`",
        "did you mean `enabled`?",
    );
    check_inside(
        r#"textView "a""#,
        "textView",
        "`textView` is neither a widget nor an attribute",
        r#"a widget is like `Button #save "Save" -> save(note)`; its class starts with a capital"#,
    );
    check_inside(
        r#"row("a")"#,
        "row",
        "`row` cannot stand here",
        "a part is put in with `use row(...)`, a def is called after `->`",
    );
    check_inside(
        "x = 1",
        "x",
        "`x` cannot be set among widgets",
        "effects stand after `->` or `on EVENT:`; a variable is declared with `own`",
    );
    check_inside("if b { }", "if", "`if` cannot stand here", "write `when E { ... }` among widgets");
    check_inside(
        "View else { }",
        "else",
        "`else` cannot stand here",
        "an `else` follows the `}` of a `when` or an `if`",
    );
    check_inside(
        r#"View text "a""#,
        "text",
        "`text` cannot stand here",
        r#"the text of a widget stands by itself: `"Save"`, or `(E)`"#,
    );
    check_inside("View id #a", "id", "`id` cannot stand here", "an id stands by itself: `#save`");
    check_inside(
        "View click { }",
        "click",
        "`click` cannot stand here",
        "what a click does stands after `->`",
    );
    check_inside(
        "View visible b",
        "visible",
        "`visible` cannot stand here",
        "`when E` says when a widget is there",
    );
    check_inside(
        "View when b == true",
        "=",
        "`=` cannot stand here",
        "what an attribute takes stands in brackets if it is not one value: `when (a == b)`",
    );
    check_inside(
        "View checked n.a()",
        "(",
        "`(` cannot stand here",
        "what an attribute takes stands in brackets if it is not one value: `when (a == b)`",
    );
    check_inside(
        "View\n#more words",
        "words",
        "`words` cannot stand here",
        "a comment has a blank after its `#`",
    );
    check_inside("View // more", "/", "this is no comment", "a comment starts with `#` and a blank");
    check_inside(
        "TextView tall",
        "}",
        "a value is missing before `}`",
        r#"a value is a number, `true`, `false`, `none`, a `"text"`, a name, or more in brackets"#,
    );
    check_inside("TextView tall 5dp", "5dp", "`5dp` is no number", "numbers are whole and have no unit");
    check_inside("TextView at 1,2 3", "}", "a `,` is missing before `}`", "bounds are like `at 0,0 480,800`");
    check_inside(
        r#"toast "a""#,
        "toast",
        "`toast` cannot stand here",
        "effects stand after `->` or `on EVENT:`",
    );
}

#[test]
fn what_is_missing_in_effects_is_said() {
    check_inside(
        "View ->",
        "}",
        "an effect is missing before `}`",
        r#"effects are like `x = 1`, `open Main`, `toast "Saved"`, `save(note)`"#,
    );
    check_inside(
        "View -> { n = 1 n = 2 }",
        "",
        "a `;` is missing here",
        "effects that follow each other are parted by `;`",
    );
    check_inside(
        "View -> n = 1 n = 2",
        "",
        "a `;` is missing here",
        "effects that follow each other are parted by `;`",
    );
    check_inside("View -> n++", "++", "there is no operator `++`", "write `+= 1`");
    check_inside("View -> n == 1", "=", "`==` compares", "`=` sets");
    check_inside("View -> n := 1", ":=", "there is no operator `:=`", "write `=`");
    check_inside(
        "View -> n = 1 +",
        "}",
        "a value is missing before `}`",
        r#"a value is a number, `true`, `false`, `none`, a `"text"`, a name, or more in brackets"#,
    );
    check_inside("View -> n = 5x", "5x", "`5x` is no number", "numbers are whole and have no unit");
    check_inside("View -> open", "}", "a name is missing before `}`", "write `open Main`");
    check_inside(
        "View -> toast",
        "}",
        "a value is missing before `}`",
        r#"a value is a number, `true`, `false`, `none`, a `"text"`, a name, or more in brackets"#,
    );
    check_inside("View -> wait", "}", "a time is missing before `}`", "a time is like `300ms` or `2s`");
    check_inside("View -> wait 300 ms", "ms", "`ms` cannot stand here", "a time has no blank in it: `300ms`");
    check_inside(
        "View -> add notes(name = 3)",
        "=",
        "a field and its value have a `:` between them",
        "write `name: value`",
    );
    check_inside(
        "View -> chance { 5 { } }",
        "5",
        "a share is missing before `5`",
        "a `chance` is like `chance { 5% { ... } else { ... } }`",
    );
    check_inside(
        "View -> leave;",
        "}",
        "an effect is missing before `}`",
        r#"effects are like `x = 1`, `open Main`, `toast "Saved"`, `save(note)`"#,
    );
    check_inside(
        r#"View -> TextView "a""#,
        "TextView",
        "`TextView` is no effect",
        "after a `;` comes an effect; widgets stand in the braces of windows, parts and other widgets",
    );
    check_inside(
        "on back n = 1",
        "=",
        "a `:` is missing before `=`",
        "`on EVENT: effects`, `c ? a : b`, `add notes(name: E)` have one",
    );
    check_inside(
        "on: n = 1",
        ":",
        "an event is missing before `:`",
        "events are like `create`, `back`, `longclick`",
    );
    check_inside("own x", "}", "a `=` is missing before `}`", "a variable has a first value: `x = 0`");
    check_inside("own = 1", "=", "a name is missing before `=`", "write `own x = 0`");
    check_inside(
        "for n notes { }",
        "notes",
        "`in` is missing before `notes`",
        "write `for n in notes`, or `for i in 0..9`",
    );
    check_inside("for n in notes View", "View", "a `{` is missing before `View`", "open the braces");
    check_inside("let x 3", "3", "a `=` is missing before `3`", "a variable has a first value: `x = 0`");
    check_inside("use", "}", "a name is missing before `}`", r#"write `use row("Title")`"#);
    check_inside(
        "edits",
        "edits",
        "`edits` is neither a widget nor an attribute",
        r#"a widget is like `Button #save "Save" -> save(note)`; its class starts with a capital"#,
    );
}

#[test]
fn operators_of_other_languages_get_ours() {
    check_inside("View -> if n = 1 { }", "=", "there is no operator `=`", "write `==`");
    check_inside("View -> b = b & b", "&", "there is no operator `&`", "write `&&`");
    check_inside("View -> b = b | b", "|", "there is no operator `|`", "write `||`");
    check_inside("View -> b = b and b", "and", "there is no operator `and`", "write `&&`");
    check_inside("View -> b = not b", "not", "there is no operator `not`", "write `!`");
    check_inside("View -> b = n === 1", "=", "`=` cannot stand here", "`==` compares, `=` sets");
    check_inside("View -> n = n mod 2", "mod", "there is no operator `mod`", "write `%`");
    check_inside(
        "View (n ? 1)",
        ")",
        "a `:` is missing before `)`",
        "`on EVENT: effects`, `c ? a : b`, `add notes(name: E)` have one",
    );
    check_inside(
        "View (n 1)",
        "1",
        "a `)` is missing before `1`",
        "close the bracket, or part values by `,`",
    );
    check_inside(
        "View (min(1,))",
        ")",
        "a value is missing before `)`",
        r#"a value is a number, `true`, `false`, `none`, a `"text"`, a name, or more in brackets"#,
    );
}

#[test]
fn what_nobody_uses_and_what_is_never_seen_gets_a_warning() {
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } activity Other .Other { View -> open Main }"#,
        "Other",
        "`Other` can never be opened",
        "`open Other` somewhere",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } popup P { }"#,
        "P",
        "`P` can never be shown",
        "`show P` somewhere",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } session x = 1"#,
        "x",
        "nobody uses the variable `x`",
        "leave it out, or use it",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { own x = 1 }"#,
        "x",
        "nobody uses the variable `x`",
        "leave it out, or use it",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } def d { d() }"#,
        "d",
        "nobody uses the def `d`",
        "leave it out, or use it",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { } part y { }"#,
        "y",
        "nobody uses the part `y`",
        "leave it out, or use it",
    );
    check_whole(
        r#"app a.b "A" 1 launch Main activity Main .Main { on result x: leave }"#,
        "x",
        "no activity is opened for the result `x`",
        "write `open ... for x` where it is opened",
    );
}

#[test]
fn how_a_screen_looks_is_not_left_to_chance() {
    let check_look = |items: &str| {
        let message = "the look of a screen cannot be left to chance";
        check(items, "random(1, 6)", message, "set a variable by chance in `on create`, and show that");
    };
    for inside in [
        "TextView (random(1, 6))",
        "TextView \"a\" desc \"{random(1, 6)}\"",
        "View at 0,0 9,(random(1, 6))",
        "View enabled (random(1, 6) > 3)",
        "View when (random(1, 6) > 3)",
        "when random(1, 6) > 3 { View }",
        "for i in 1..random(1, 6) { View }",
        "for x in notes where x.done == random(1, 6) { View }",
        "let x = random(1, 6) TextView (x)",
        "View { let x = random(1, 6) on longclick: n = x }",
    ] {
        check_look(&format!("activity Main .Main {{ {inside} }}"));
    }
    check_look("part row { TextView (random(1, 6)) } activity Main .Main { use row use row }");
    check_look("part row(x) { TextView (x) } activity Main .Main { use row(random(1, 6)) }");
    check_look("part row { content } activity Main .Main in row { TextView (random(1, 6)) }");
    check_look("activity Main .Main awake (random(1, 6) > 3) { }");
}

#[test]
fn what_is_done_may_be_left_to_chance() {
    let text = format!(
        "{HEAD}part row {{ View -> n = random(1, 6) {{ content }} }}
        activity Main .Main in row {{
            own m = random(1, 6)
            on create: n = random(1, 6)
            on back when random(1, 6) > 3: finish
            View -> n = random(1, 6) {{ on tap(x, y): n = random(x, y) }}
        }}"
    );
    model(&text);
}
