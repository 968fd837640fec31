//! Apps to get into: log-ins, codes, forms, code locks, and counters that must reach a number.

use farlead::gui::Direction;

use super::Goal;
use super::draft::{Draft, fill};
use super::play::Move;

const PEOPLE: [&str; 8] = ["anna", "bela", "cem", "dora", "emil", "fatou", "goran", "hana"];
const SECRETS: [&str; 6] = ["tiger7", "blue-moon", "s3same", "north wind", "12monkeys", "Quince!"];

/// A log-in with user and password, on one page or two, and a profile behind it.
pub fn login(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let person = draft.pick(&PEOPLE);
    let (user, pass) = match kind % 3 {
        0 => ("name@example.com", draft.pick(&["abc", "42"])),
        1 => (person, draft.pick(&["abc", "42", "a few words, and 1 more"])),
        _ => (draft.pick(&["abc", "42", person]), draft.pick(&SECRETS)),
    };
    let name = draft.pick(&["Bank", "Chat", "Library", "Clinic", "Club", "Mail"]);
    let (is_apart, has_welcome, has_check) = (draft.coin(), draft.coin(), draft.between(1, 3) == 1);
    let unknown = draft.pick(&["Unknown user", "No such account", "User not found"]);
    let wrong = draft.pick(&["Wrong password", "The password does not match"]);
    let verb = draft.pick(&["Log in", "Sign in", "Enter", "Go"]);
    let (user_hint, user_id) = if user.contains('@') { ("E-mail", "mail") } else { ("User", "user") };
    draft.app(name, &["My home", "Profile help", "New password", "Welcome tour"]);
    let mut before = Vec::new();
    let first = if has_welcome { "Login" } else { "Main" };
    if has_welcome {
        let (click, way) = draft.button(verb, "open Login");
        let (_, join) = draft.button("Create account", "toast \"Not from here\"");
        draft.page("Main", "", "", &["TextView \"Hello\"".to_string(), join, way]);
        before.push(click);
    }
    let enter = "open Home afresh";
    let check_pass = fill(
        "if pass != \"$pass\" { said = \"$wrong\" } else { $enter }",
        &[("$pass", pass), ("$wrong", wrong), ("$enter", enter)],
    );
    let checked = if has_check {
        format!("if !is_ticked {{ said = \"Accept the terms\" }} else {{ {check_pass} }}")
    } else {
        check_pass
    };
    let (tick, box_) = if draft.coin() {
        (Move::click("terms"), "CheckBox #terms \"Terms of use\" checked is_ticked -> is_ticked = !is_ticked")
    } else {
        (Move::click("I accept"), "CheckBox \"I accept\" checked is_ticked -> is_ticked = !is_ticked")
    };
    let hint = match kind % 3 {
        0 => format!("For a try: {user} with {pass}"),
        1 => format!("Forgotten? It is: {pass}"),
        _ => "Keep your password to yourself".to_string(),
    };
    let hint = if draft.coin() {
        draft.item(&format!("dialog Hint {{ TextView \"{hint}\" Button \"OK\" -> close }}"));
        "Button \"Forgot password\" -> show Hint".to_string()
    } else {
        format!("TextView \"{hint}\"")
    };
    let user_field = format!("EditText #{user_id} hint \"{user_hint}\" edits user");
    let pass_field = "EditText #password hint \"Password\" edits pass password".to_string();
    let said = "TextView (said)".to_string();
    let find = |then: &str| {
        fill(
            "if user != \"$user\" { said = \"$unknown\" } else { $then }",
            &[("$user", user), ("$unknown", unknown), ("$then", then)],
        )
    };
    let type_user = Move::text(user_id, user);
    let type_pass = Move::text("password", pass);
    // All up to where the password alone is missing.
    let mut up_to_pass = before.clone();
    let mut pass_widgets = vec![pass_field, hint, said.clone()];
    let mut pass_owns = "    own pass = \"\"\n    own said = \"\"\n".to_string();
    if has_check {
        pass_owns += "    own is_ticked = false\n";
        pass_widgets.insert(1, box_.to_string());
    }
    let go;
    // Refused for want of a user, then not for that any more.
    let asked_again;
    up_to_pass.push(type_user.clone());
    if is_apart {
        let (next, next_button) = draft.button("Next", &find("open Password"));
        draft.page(first, "", "    own user = \"\"\n    own said = \"\"\n", &[user_field, said, next_button]);
        let button;
        (go, button) = draft.button(verb, &checked);
        pass_widgets.push(button);
        draft.page("Password", "", &pass_owns, &pass_widgets);
        asked_again = [&before[..], &[next.clone(), type_user, next.clone()]].concat();
        up_to_pass.push(next);
    } else {
        let button;
        (go, button) = draft.button(verb, &find(&checked));
        pass_widgets.push(button);
        pass_widgets.insert(0, user_field);
        draft.page(first, "", &format!("    own user = \"\"\n{pass_owns}"), &pass_widgets);
        let ticks = if has_check { vec![tick.clone()] } else { Vec::new() };
        asked_again = [&before[..], &[go.clone(), type_user], &ticks, std::slice::from_ref(&go)].concat();
    }
    if has_check {
        up_to_pass.push(tick);
    }
    let (profile, profile_button) =
        draft.button(draft_word(kind, &["Profile", "My account", "Me"]), "open Profile");
    let (_, out) = draft.button("Log out", "open Main afresh; finish");
    draft.page("Home", "", "", &["TextView \"Welcome back\"".to_string(), profile_button, out]);
    draft.page(
        "Profile",
        "",
        "",
        &[format!("TextView \"{user}\""), "TextView \"Member for 3 years\"".to_string()],
    );
    let home: Vec<Move> = [&up_to_pass[..], &[type_pass.clone(), go.clone()]].concat();
    let to_profile = [&home[..], &[profile]].concat();
    let here = format!("[activity ~ Profile] & [text = \"{user}\", class = TextView]");
    let unknown = format!("[text = \"{unknown}\"]");
    let named = format!("[text = \"{user}\", id = {user_id}]");
    let accepted =
        if is_apart { "[activity ~ Password]".to_string() } else { format!("[text = \"{wrong}\"]") };
    let goals = [
        Goal::new(&[&here], &to_profile),
        Goal::new(&[&unknown, &named, &accepted], &asked_again),
        Goal::new(&["[activity ~ Home] & [text = \"Welcome back\"]"], &home),
    ];
    if kind % 3 == 2 {
        // A password that its own field hides may stand in no other.
        return goals.map(|goal| goal.always(&format!("![text = \"{pass}\"]")));
    }
    goals
}

fn draft_word<'a>(kind: u64, words: &[&'a str]) -> &'a str {
    words[kind as usize % words.len()]
}

/// An app that shows a code in one place and asks for it in another: an invitation, a first password, or a receipt.
pub fn code(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let digits: String = (0..5).map(|_| draft.below(10).to_string()).collect();
    let letters = draft.pick(&["QK", "ZT", "VX", "HB"]);
    let (code, shown) = match kind % 3 {
        0 => (format!("{letters}{digits}"), "Invitation code: $code"),
        1 => (draft.pick(&["sesame", "marigold", "lighthouse"]).to_string(), "Your first password is $code"),
        _ => (digits, "Receipt $code, keep it"),
    };
    let shown = format!("TextView \"{}\"", fill(shown, &[("$code", &code)]));
    let name = draft.pick(&["Family", "Parcels", "Tickets", "Studio"]);
    draft.app(name, &["Enter", "Join later", "Codes", "Receipts"]);
    let (_, show) = draft.button(draft_word(kind, &["Invite", "Sign up", "Orders"]), "open Shown");
    let (ask, ask_button) = draft.button(draft_word(kind, &["Join", "Sign in", "Collect"]), "open Asked");
    draft.page("Main", "", "", &[show, ask_button]);
    if draft.coin() {
        let (_, button) = draft.button("Show it", "show Secret");
        draft.item(&format!("dialog Secret {{ {shown} Button \"OK\" -> close }}"));
        draft.page("Shown", "", "", &[button]);
    } else {
        draft.page("Shown", "", "", &[shown]);
    }
    let no = draft.pick(&["That is not it", "Unknown", "Please check it"]);
    let hint = draft_word(kind, &["Code", "Password", "Receipt"]);
    let enter = format!("if entry != \"{code}\" {{ said = \"{no}\" }} else {{ open Inside }}");
    let (go, go_button) = draft.button(draft_word(kind, &["OK", "Go", "Open"]), &enter);
    let field = format!("EditText #entry hint \"{hint}\" edits entry");
    let widgets = [field, go_button, "TextView (said)".to_string()];
    draft.page("Asked", "", "    own entry = \"\"\n    own said = \"\"\n", &widgets);
    draft.page("Inside", "", "", &["TextView \"Come in\"".to_string()]);
    let typed = Move::text("entry", &code);
    let enters = [ask.clone(), typed.clone(), go.clone()];
    let is_refused = [ask, go.clone(), typed, go];
    let (inside, said) = ("[activity ~ Inside]", format!("[text = \"{no}\"]"));
    [Goal::new(&[inside], &enters), Goal::new(&[&said, inside], &is_refused), Goal::new(&[inside], &enters)]
}

/// A form with fields that are checked, a choice in a dialog, and a box to tick, on one page or two.
pub fn form(draft: &mut Draft) -> [Goal; 3] {
    // Variable, hint, text that will do, condition that it will not, and what is said then.
    let fields = [
        ("name", "Name", "abc", "name == \"\"", "Enter your name"),
        ("mail", "E-mail", "name@example.com", "!contains(mail, \"@\")", "Enter a valid address"),
        ("age", "Age", "42", "number(age) == none", "Your age is a number"),
        ("message", "Message", "a few words, and 1 more", "len(message) < 10", "Write ten letters or more"),
    ];
    let count = draft.between(2, 3);
    let fields = draft.some(&fields, count);
    let (title, values): (&str, &[&str]) = draft.pick(&[
        ("Country", &["Norway", "Chile", "Kenya", "Japan", "Malta", "Nepal"] as &[&str]),
        ("Size", &["Small", "Medium", "Large", "Huge"]),
        ("Colour", &["Red", "Green", "Blue", "Grey", "Black"]),
        ("Day", &["Monday", "Tuesday", "Friday"]),
    ]);
    let count = draft.between(3, values.len());
    let values = draft.some(values, count);
    let value = draft.pick(&values);
    let name = draft.pick(&["Enrol", "Order form", "Survey", "Booking", "Complaint"]);
    let thanks = draft.pick(&["Thank you", "We have received it", "Sent"]);
    let (is_apart, is_kept) = (draft.coin(), draft.coin());
    draft.app(name, &["Send later", "Agree later", "Thank a friend", "Finished ones"]);
    draft.item("session choice = none");
    let choices: Vec<String> =
        values.iter().map(|value| format!("Button \"{value}\" -> choice = \"{value}\"; close")).collect();
    draft.item(&format!("dialog Pick {{ TextView \"{title}?\" {} }}", choices.join(" ")));
    let own = if is_kept { "own kept" } else { "own" };
    let mut owns = format!("    {own} said = \"\"\n");
    let mut widgets: Vec<String> = Vec::new();
    let mut checks = Vec::new();
    let mut types = Vec::new();
    let mut complaints = Vec::new();
    for (variable, hint, text, fails, says) in fields {
        complaints.push(format!("[text = \"{says}\"]"));
        owns += &format!("    {own} {variable} = \"\"\n");
        widgets.push(format!("EditText #{variable} hint \"{hint}\" edits {variable}"));
        checks.push(format!("if {fails} {{ said = \"{says}\" }} else "));
        types.push(Move::text(variable, text));
    }
    let (open, picker) = draft.button(title, "show Pick");
    let chosen = "TextView (choice or \"Not chosen\")".to_string();
    let agree = draft.pick(&["I agree", "I have read the terms", "All of this is true"]);
    let consent = draft.pick(&["Please agree first", "Something is not ticked"]);
    let missing = format!("Choose a {}", title.to_lowercase());
    let box_ = format!("CheckBox \"{agree}\" checked is_agreed -> is_agreed = !is_agreed");
    let verb = draft.pick(&["Submit", "Send", "Order", "Finish"]);
    let end = "open Finished";
    let last = [
        format!("if !choice {{ said = \"{missing}\" }} else "),
        format!("if !is_agreed {{ said = \"{consent}\" }} else "),
    ];
    let said = "TextView (said)".to_string();
    let pick = Move::click(value);
    let tick = Move::click(agree);
    let submit;
    // The button under the fields.
    let go_on;
    let mut moves = types.clone();
    if is_apart {
        let (next, button) = draft.button("Next", &format!("{}{{ open Second }}", checks.concat()));
        widgets.extend([said.clone(), button]);
        draft.page("Main", "", &owns, &widgets);
        let button;
        (submit, button) = draft.button(verb, &format!("{}{{ {end} }}", last.concat()));
        let owns = format!("    {own} said = \"\"\n    {own} is_agreed = false\n");
        draft.page("Second", "", &owns, &[picker, chosen, box_, said, button]);
        moves.push(next.clone());
        go_on = next;
    } else {
        checks.extend(last);
        // The consent is asked for last, so that a goal can tell it from the others.
        let (submits, button) = draft.button(verb, &format!("{}{{ {end} }}", checks.concat()));
        submit = submits;
        go_on = submit.clone();
        owns += &format!("    {own} is_agreed = false\n");
        widgets.extend([picker, chosen, box_, said, button]);
        draft.page("Main", "", &owns, &widgets);
    }
    let receipt = vec![format!("TextView \"{thanks}\""), format!("TextView \"{title}: {{choice}}\"")];
    draft.page("Finished", "", "", &receipt);
    moves.extend([open, pick]);
    // One complaint after the other, as the fields before are filled.
    let mut refused = vec![go_on.clone()];
    for typing in &types[..types.len() - 1] {
        refused.extend([typing.clone(), go_on.clone()]);
    }
    let complaints: Vec<&str> = complaints.iter().map(String::as_str).collect();
    let done = [&moves[..], &[tick, submit]].concat();
    let receipt = format!("[activity ~ Finished] & [text = \"{title}: {value}\"]");
    [
        Goal::new(&[&receipt], &done),
        Goal::new(&complaints, &refused),
        Goal::new(&[&format!("[text = \"{thanks}\"]")], &done),
    ]
}

/// A lock with three or four places on four to six keys, which shows at most how many were pressed.
pub fn lock(draft: &mut Draft) -> [Goal; 3] {
    let keys: &[(&str, &str)] = draft.pick(&[
        &[("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("5", "5"), ("6", "6")] as &[(&str, &str)],
        &[("9", "9"), ("8", "8"), ("7", "7"), ("3", "3"), ("2", "2"), ("0", "0")],
        &[("A", "a"), ("B", "b"), ("C", "c"), ("D", "d"), ("E", "e"), ("F", "f")],
        &[("Red", "r"), ("Green", "g"), ("Blue", "b"), ("White", "w"), ("Yellow", "y"), ("Violet", "v")],
    ]);
    let count = draft.between(4, 6);
    let keys = draft.some(keys, count);
    let places = if count == 4 { draft.between(3, 4) } else { 3 };
    let code: Vec<(&str, &str)> = (0..places).map(|_| draft.pick(&keys)).collect();
    let typed: String = code.iter().map(|(_, letter)| *letter).collect();
    let (needs_ok, shows_dots, is_behind, tells_wrong) =
        (draft.coin(), draft.coin(), draft.coin(), draft.coin());
    let name = draft.pick(&["Safe", "Bicycle lock", "Locker", "Gate"]);
    draft.app(name, &["Inside view", "Open all", "Hand over", "Code help"]);
    let mut before = Vec::new();
    let page = if is_behind { "Lock" } else { "Main" };
    if is_behind {
        let (click, button) = draft.button("Open", "open Lock");
        draft.page("Main", "", "", &["TextView \"Locked\"".to_string(), button]);
        before.push(click);
    }
    let wrong = if tells_wrong { "; said = \"Wrong code\"" } else { "" };
    let test =
        format!("if typed == \"{typed}\" {{ typed = \"\"; open Inside }} else {{ typed = \"\"{wrong} }}");
    let mut owns = "    own typed = \"\"\n".to_string();
    let mut widgets = Vec::new();
    if shows_dots {
        widgets.push("TextView #dots (left(\"******\", len(typed)))".to_string());
    }
    if tells_wrong {
        owns += "    own said = \"\"\n";
        widgets.push("TextView (said)".to_string());
    }
    for (says, letter) in &keys {
        let press = format!("typed = left(typed + \"{letter}\", 6)");
        let effect =
            if needs_ok { press } else { format!("{press}; if len(typed) == {places} {{ {test} }}") };
        widgets.push(format!("Button \"{says}\" -> {effect}"));
    }
    let mut moves = before;
    moves.extend(code.iter().map(|(says, _)| Move::click(says)));
    if needs_ok {
        let (click, button) = draft.button("OK", &test);
        widgets.push(button);
        moves.push(click);
    }
    if draft.coin() {
        widgets.push("Button \"Clear\" -> typed = \"\"".to_string());
    }
    draft.page(page, "", &owns, &widgets);
    let things = draft.some(&["Passport", "Gold", "Letters", "Photos", "Ring", "Will"], 3);
    let thing = draft.pick(&things);
    let mut widgets = vec!["TextView \"Open\"".to_string()];
    widgets.extend(things.iter().map(|thing| format!("Button \"{thing}\" -> open Thing(\"{thing}\")")));
    draft.page("Inside", "", "", &widgets);
    draft.page("Thing", "(thing)", "", &["TextView \"In your hand: {thing}\"".to_string()]);
    let taken = [&moves[..], &[Move::click(thing)]].concat();
    let hand = format!("[text = \"In your hand: {thing}\"]");
    [
        Goal::new(&["[activity ~ Inside]"], &moves),
        Goal::new(&["[activity ~ Inside]", &hand], &taken),
        Goal::new(&[&hand], &taken),
    ]
}

/// A counter, a calculator, steppers or sliders, with a number to reach.
pub fn counter(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    match kind % 4 {
        0 => steps(draft),
        1 => calculator(draft),
        2 => steppers(draft),
        _ => sliders(draft),
    }
}

/// One number and buttons that change it.
fn steps(draft: &mut Draft) -> [Goal; 3] {
    let (add, less, times) =
        (draft.between(3, 9) as i64, draft.between(1, 2) as i64, draft.between(2, 3) as i64);
    let all: [(String, i64, i64); 4] = [
        ("+1".to_string(), 1, 1),
        (format!("+{add}"), 1, add),
        (format!("-{less}"), 1, -less),
        (format!("x{times}"), times, 0),
    ];
    let count = draft.between(3, 4);
    let ways = draft.some(&all, count);
    let total = draft.pick(&["Total", "Score", "Points", "Laps"]);
    let name = draft_word(add as u64, &["Counter", "Score board", "Laps"]);
    draft.app(name, &["Total help", "Points", "Laps of others"]);
    let first = draft.between(0, 3) as i64;
    let mut widgets = vec![format!("TextView \"{total}: {{n}}\"")];
    widgets.extend(
        ways.iter().map(|(says, by, plus)| format!("Button \"{says}\" -> n = min(n * {by} + {plus}, 999)")),
    );
    widgets.push(format!("Button \"Reset\" -> n = {first}"));
    draft.page("Main", "", &format!("    own kept n = {first}\n"), &widgets);
    // Steps to numbers that were not met before.
    let walk = |draft: &mut Draft, wanted: usize| {
        let (mut n, mut met, mut moves) = (first, vec![first], Vec::new());
        for _ in 0..200 {
            let (says, by, plus) = draft.pick(&ways);
            let next = n * by + plus;
            if moves.len() < wanted && (1..900).contains(&next) && !met.contains(&next) {
                n = next;
                met.push(n);
                moves.push(Move::Click(says));
            }
        }
        (n, met, moves)
    };
    let count = draft.between(5, 7);
    let (far, _, moves) = walk(draft, count);
    let (next, met, over) = walk(draft, count - 1);
    let (near, _, short) = walk(draft, 4);
    let half = met[met.len() / 2];
    let label = |n: i64| format!("[text = \"{total}: {n}\"]");
    [
        Goal::new(&[&label(far)], &moves),
        Goal::new(&[&label(half), &label(next)], &over),
        Goal::new(&[&label(near)], &short),
    ]
}

/// A calculator with few digits, and results that contain another.
fn calculator(draft: &mut Draft) -> [Goal; 3] {
    let count = draft.between(3, 5);
    let digits = draft.some(&[1_u64, 2, 3, 4, 5, 6, 7, 8, 9], count);
    draft.app("Sums", &["Sums", "Display", "Results"]);
    let mut widgets = vec!["TextView #display \"{now_shown}\"".to_string()];
    let signs = [("+", "plus"), ("-", "minus"), ("x", "times")];
    let count = draft.between(2, 3);
    let signs = draft.some(&signs, count);
    for digit in &digits {
        widgets.push(format!("Button \"{digit}\" -> now_shown = (now_shown * 10 + {digit}) % 10000"));
    }
    for (says, word) in &signs {
        let effect = format!("first = now_shown; now_shown = 0; sign = \"{word}\"");
        widgets.push(format!("Button \"{says}\" -> {effect}"));
    }
    widgets.push(
        "Button \"=\" -> if sign == \"plus\" { now_shown = first + now_shown } else if sign == \"minus\" { now_shown = first - now_shown } else if sign == \"times\" { now_shown = first * now_shown }; sign = none"
            .to_string(),
    );
    let owns = "    own kept now_shown = 0\n    own kept first = 0\n    own kept sign = none\n";
    draft.page("Main", "", owns, &widgets);
    let sum = |draft: &mut Draft, long: usize| {
        loop {
            let mut moves = Vec::new();
            let number = |draft: &mut Draft, moves: &mut Vec<Move>, length: usize| {
                (0..length).fold(0_i64, |number, _| {
                    let digit = draft.pick(&digits);
                    moves.push(Move::Click(digit.to_string()));
                    number * 10 + digit as i64
                })
            };
            let one = number(draft, &mut moves, long);
            let (says, word) = draft.pick(&signs);
            moves.push(Move::click(says));
            let length = draft.between(1, 2);
            let other = number(draft, &mut moves, length);
            moves.push(Move::click("="));
            let result = match word {
                "plus" => one + other,
                "minus" => one - other,
                _ => one * other,
            };
            let shown = result.to_string();
            let is_typed =
                shown.chars().all(|letter| digits.iter().any(|d| d.to_string() == letter.to_string()));
            if result != 0 && result < 5_000 && !is_typed {
                return (format!("[id = display, text = \"{shown}\"]"), moves);
            }
        }
    };
    let (long, short, other) = (sum(draft, 2), sum(draft, 1), sum(draft, 1));
    let both = [&short.1[..], &[Move::click(signs[0].0)], &other.1].concat();
    let (b_labels, b_moves) = if both.len() <= 11 {
        (vec![short.0.clone(), other.0.clone()], both)
    } else {
        (vec![short.0.clone()], short.1.clone())
    };
    let b_labels: Vec<&str> = b_labels.iter().map(String::as_str).collect();
    [Goal::new(&[&long.0], &long.1), Goal::new(&b_labels, &b_moves), Goal::new(&[&other.0], &other.1)]
}

/// Two or three numbers, each with buttons for more and less, and their weighted sum.
fn steppers(draft: &mut Draft) -> [Goal; 3] {
    let (name, rows): (&str, &[&str]) = draft.pick(&[
        ("Tickets", &["Adult", "Child", "Senior"] as &[&str]),
        ("Hotel", &["Guest", "Night", "Room"]),
        ("Bakery", &["Roll", "Loaf", "Cake"]),
    ]);
    let count = draft.between(2, 3);
    let rows: Vec<(&str, usize)> =
        draft.some(rows, count).into_iter().zip(draft.some(&[2, 3, 5, 7, 11], count)).collect();
    draft.app(name, &["Sum help", "To pay later", "Prices"]);
    let (mut owns, mut widgets, mut terms) = (String::new(), Vec::new(), Vec::new());
    for (row, price) in &rows {
        let count = format!("n_{}", row.to_lowercase());
        owns += &format!("    own kept {count} = 0\n");
        widgets.push(format!(
            "LinearLayout across tall 56 {{ TextView \"{row}: {{{count}}}\" wide 300 Button desc \"Less {row}\" wide 150 -> {count} = max({count} - 1, 0) Button desc \"More {row}\" wide 150 -> {count} = min({count} + 1, 9) }}"
        ));
        terms.push(format!("{count} * {price}"));
    }
    let sum = draft.pick(&["To pay", "Sum", "Price"]);
    widgets.push(format!("TextView \"{sum}: {{{}}}\"", terms.join(" + ")));
    draft.page("Main", "", &owns, &widgets);
    let mut ways = |most: usize| {
        let mut total = 0;
        let mut moves = Vec::new();
        for (row, price) in &rows {
            let count = draft.between(1, most);
            total += count * price;
            moves.extend((0..count).map(|_| Move::Click(format!("More {row}"))));
        }
        (format!("[text = \"{sum}: {total}\"]"), moves)
    };
    let (far, near) = (ways(3), ways(2));
    let (row, price) = rows[0];
    let one = format!("[text = \"{sum}: {price}\"]");
    let exact = format!("{} & [text = \"{row}: 1\"]", one);
    let last = format!("[text = \"{sum}: {}\"]", rows[1].1 * 2);
    let swap = [
        Move::Click(format!("More {row}")),
        Move::Click(format!("Less {row}")),
        Move::Click(format!("More {}", rows[1].0)),
        Move::Click(format!("More {}", rows[1].0)),
    ];
    [Goal::new(&[&far.0], &far.1), Goal::new(&[&exact, &last], &swap), Goal::new(&[&near.0], &near.1)]
}

/// Two sliders and a switch, which make up one number.
fn sliders(draft: &mut Draft) -> [Goal; 3] {
    let [one, other] = draft.pick(&[["Volume", "Bass"], ["Heat", "Fan"], ["Speed", "Incline"]]);
    let (first, weight) = (draft.between(0, 3), draft.between(5, 9));
    draft.app(&format!("{one} control"), &["Level help", "Output", "Power off"]);
    let slider = |name: &str, own: &str| {
        format!(
            "SeekBar desc \"{name}\" {{ on swipe left: {own} = max({own} - 1, 0) on swipe right: {own} = min({own} + 1, 6) }}"
        )
    };
    let level = draft.pick(&["Level", "Output", "Power"]);
    let widgets = [
        format!("TextView \"{level} {{(is_boosted ? 100 : 0) + one * {weight} + other}}\""),
        slider(one, "one"),
        slider(other, "other"),
        "Switch \"Boost\" checked is_boosted -> is_boosted = !is_boosted".to_string(),
    ];
    let owns = format!(
        "    own kept one = {first}\n    own kept other = {first}\n    own kept is_boosted = false\n"
    );
    draft.page("Main", "", &owns, &widgets);
    let swipe = |name: &str, towards, count: usize| vec![Move::Swipe(name.to_string(), towards); count];
    let label = |one: usize, other: usize, boost: usize| {
        format!("[text = \"{level} {}\"]", boost * 100 + one * weight + other)
    };
    let (up, more) = (draft.between(1, 3), draft.between(1, 2));
    let right =
        [swipe(one, Direction::Right, up), swipe(other, Direction::Right, more), vec![Move::click("Boost")]]
            .concat();
    let quiet = [swipe(other, Direction::Right, 2), swipe(one, Direction::Right, up)].concat();
    [
        Goal::new(&[&label(first + up, first + more, 1)], &right),
        Goal::new(&[&label(first, first + 2, 0), &label(first + up, first + 2, 0)], &quiet),
        Goal::new(
            &[&label(first, first + 3, 1)],
            &[swipe(other, Direction::Right, 3), vec![Move::click("Boost")]].concat(),
        ),
    ]
}
