//! Apps with content that comes and goes: what must be waited for, a shop with a cart, and notes.

use super::Goal;
use super::draft::{Draft, fill};
use super::play::Move;

/// Content that takes its time: an article with comments, a download, messages to refresh, or an offer that ends.
pub fn waiting(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let name = draft.pick(&["Daily", "Weather", "Podcasts", "Maps"]);
    let first = draft.between(1, 5).to_string();
    let second = draft.between(1, 5).to_string();
    let spinner =
        draft.pick(&["ProgressBar #spinner", "TextView \"Loading ...\"", "ProgressBar desc \"Please wait\""]);
    let awake = if draft.coin() { "awake" } else { "" };
    draft.app(name, &["Load faster", "Text size", "Report a message", "Offers"]);
    let set = |text: &str| fill(text, &[("$first", &first), ("$second", &second), ("$spinner", spinner)]);
    match kind % 4 {
        0 => {
            let titles =
                draft.some(&["Rain ahead", "New bridge", "Old songs", "Long walks", "Tall trees"], 4);
            let title = draft.pick(&titles);
            let (says, person) =
                (draft.pick(&["Comments", "Reply", "Discussion"]), draft.pick(&["Ada", "Bo", "Cyd"]));
            let links: Vec<String> = titles
                .iter()
                .map(|title| format!("TextView \"{title}\" -> open Article(\"{title}\")"))
                .collect();
            draft.page("Main", "", "", &links);
            let (more, button) = draft.button(says, "open Comments(title)");
            let widgets = [
                set("when !is_loaded { $spinner }"),
                "when is_loaded { TextView \"By our reporter on {title}\" }".to_string(),
                format!("when is_loaded {{ {button} }}"),
            ];
            let start = set("    own is_loaded = false\n    on create: after $firsts { is_loaded = true }");
            draft.page("Article", &format!("(title) {awake}"), &start, &widgets);
            let widgets = [
                set("when left > 0 { $spinner }"),
                format!("when left == 0 {{ TextView \"{person} on {{title}}\" }}"),
            ];
            let start = set("    own left = $second\n    every 1s: left = max(left - 1, 0)");
            draft.page("Comments", &format!("(title) {awake}"), &start, &widgets);
            let read = [Move::click(title), Move::IDLE];
            let both = [&read[..], &[more, Move::IDLE]].concat();
            let article = format!("[text = \"By our reporter on {title}\"]");
            let comment = format!("[text = \"{person} on {title}\"]");
            [
                Goal::new(&[&comment], &both),
                Goal::new(&[&article, &comment], &both),
                Goal::new(&[&article], &read),
            ]
        }
        1 => {
            let files = draft.some(&["Atlas", "Ballad", "Comedy", "Diary", "Essay"], 3);
            let file = draft.pick(&files);
            let per = draft.pick(&[20_usize, 25, 10]);
            let links: Vec<String> =
                files.iter().map(|file| format!("Button \"{file}\" -> open Item(\"{file}\")")).collect();
            draft.page("Main", "", "", &links);
            let (get, get_button) = draft.button("Download", "is_going = true");
            let (open, open_button) = draft.button("Open", "open Viewer(file)");
            let start = format!(
                "    own got = 0\n    own is_going = false\n    every 1s: if is_going {{ got = min(got + {per}, 100) }}"
            );
            let widgets = [
                "TextView \"{got} %\"".to_string(),
                get_button,
                "Button \"Details\" -> toast \"12 MB\"".to_string(),
                format!("when got == 100 {{ {open_button} }}"),
            ];
            draft.page("Item", &format!("(file) {awake}"), &start, &widgets);
            draft.page("Viewer", "(file)", "", &["TextView \"Now open: {file}\"".to_string()]);
            let begin = [Move::click(file), get];
            let all = [&begin[..], &[Move::IDLE, open]].concat();
            let part = per * draft.between(1, 3);
            let slow = [&begin[..], &vec![Move::click("Details"); 2 * part / per]].concat();
            let opened = format!("[text = \"Now open: {file}\"]");
            [
                Goal::new(&[&opened], &all),
                Goal::new(&[&format!("[text = \"{part} %\"]")], &slow),
                Goal::new(&[&opened], &all),
            ]
        }
        2 => {
            let count = draft.between(2, 5);
            let (refresh, button) = draft.button(
                "Refresh",
                &set("is_loading = true; after $firsts { is_loading = false; came = $count }")
                    .replace("$count", &count.to_string()),
            );
            let widgets = [
                button,
                set("when is_loading { $spinner }"),
                "when came == 0 { TextView \"No messages\" }".to_string(),
                "when !is_loading { for i in 1..came { TextView \"Message {i}\" -> open Message(i) } }"
                    .to_string(),
            ];
            let start = "    own kept came = 0\n    own is_loading = false";
            draft.page("Main", awake, start, &widgets);
            let widgets = [
                set("when !is_there { $spinner }"),
                "when is_there { TextView \"Text of message {i}\" Button \"Delete\" -> toast \"Not yours\" }"
                    .to_string(),
            ];
            let start = set("    own is_there = false\n    on create: after $seconds { is_there = true }");
            draft.page("Message", &format!("(i) {awake}"), &start, &widgets);
            let wanted = draft.between(1, count);
            let listed = [refresh, Move::IDLE];
            let read = [&listed[..], &[Move::Click(format!("Message {wanted}")), Move::IDLE]].concat();
            let text = format!("[text = \"Text of message {wanted}\"]");
            let there = format!("[text = \"Message {count}\"]");
            [Goal::new(&[&text], &read), Goal::new(&[&there, &text], &read), Goal::new(&[&there], &listed)]
        }
        _ => {
            let delay = draft.between(1, 3);
            let end = delay + draft.between(3, 6);
            let thing = draft.pick(&["Concert", "Flight", "Breakfast", "Tour"]);
            let (take, button) = draft.button(draft_verb(end), "open Yours");
            let (go, link) = draft.button(thing, "open Offer");
            let after = "Button \"Again\" -> finish; open Offer";
            draft.page("Main", "", "", &["TextView \"Today\"".to_string(), link]);
            let start = format!(
                "    own state = 0\n    on create: after {delay}s {{ state = 1 }}; after {end}s {{ state = 2 }}"
            );
            let widgets = [
                "Button \"Details\" -> toast \"Only today\"".to_string(),
                set("when state == 0 { $spinner }"),
                format!("when state == 1 {{ {button} }}"),
                format!("when state == 2 {{ TextView \"Too late\" {after} }}"),
            ];
            draft.page("Offer", awake, &start, &widgets);
            draft.page("Yours", "", "", &[format!("TextView \"{thing}: it is yours\"")]);
            let in_time = [&[go.clone()][..], &vec![Move::click("Details"); 2 * delay], &[take]].concat();
            let late = [&[go, Move::IDLE, Move::click("Again")][..], &in_time[1..]].concat();
            let yours = format!("[text = \"{thing}: it is yours\"]");
            [
                Goal::new(&[&yours], &in_time),
                Goal::new(&["[text = \"Too late\"]", &yours], &late),
                Goal::new(&["[activity ~ Yours]"], &in_time),
            ]
        }
    }
}

fn draft_verb(end: usize) -> &'static str {
    ["Claim", "Take it", "Get"][end % 3]
}

/// A shop: things to put in a cart, and an order only from a number of things or a total on.
pub fn cart(draft: &mut Draft) -> [Goal; 3] {
    let things: &[&str] = draft.pick(&[
        &["Tea", "Rice", "Honey", "Bread", "Salt", "Plums"] as &[&str],
        &["Lamp", "Chair", "Shelf", "Carpet", "Mirror", "Vase"],
        &["Pen", "Glue", "Paper", "Ruler", "Chalk", "Stapler"],
    ]);
    let count = draft.between(3, 6);
    let things = draft.some(things, count);
    let prices = draft.some(&[2_usize, 3, 4, 5, 7, 9, 11, 13], count);
    let (has_details, by_total, has_payment) = (draft.coin(), draft.coin(), draft.coin());
    let least = draft.between(2, 3);
    let amount = prices.iter().max().expect("there are things") + draft.between(1, 4);
    draft.app(draft_shop(amount), &["Receipts", "Paid orders", "Total help", "Order again"]);
    let total: Vec<String> =
        prices.iter().enumerate().map(|(at, price)| format!("n_{at} * {price}")).collect();
    let total = total.join(" + ");
    let number: Vec<String> = (0..count).map(|at| format!("n_{at}")).collect();
    let number = number.join(" + ");
    draft.item(&format!(
        "session {}",
        (0..count).map(|at| format!("n_{at} = 0")).collect::<Vec<_>>().join(", ")
    ));
    let mut widgets = Vec::new();
    for (at, (thing, price)) in things.iter().zip(&prices).enumerate() {
        let add = format!("n_{at} = min(n_{at} + 1, 9); toast \"Added\"");
        if has_details {
            widgets.push(format!("TextView \"{thing}\" -> open {thing}Page"));
            let widgets = [
                format!("TextView \"{thing} for {price}\""),
                format!("Button \"Add to cart\" -> {add}"),
                format!("when n_{at} > 0 {{ TextView \"{{n_{at}}} in the cart\" }}"),
            ];
            draft.page(&format!("{thing}Page"), "", "", &widgets);
        } else {
            widgets.push(format!(
                "LinearLayout across tall 56 {{ TextView \"{thing}, {price}\" wide 400 Button desc \"Add {thing}\" wide 200 -> {add} }}"
            ));
        }
    }
    let (open_cart, button) = draft.button("Cart", "open Cart");
    widgets.push(button);
    draft.page("Main", "", "", &widgets);
    let (condition, refusal) = if by_total {
        (format!("{total} >= {amount}"), format!("Orders from {amount} on"))
    } else {
        (format!("{number} >= {least}"), format!("At least {least} things"))
    };
    let pay = if has_payment { "open Payment" } else { "open Receipt" };
    let verb = draft.pick(&["Checkout", "Buy now", "To the till"]);
    let (check_out, button) =
        draft.button(verb, &format!("if {condition} {{ {pay} }} else {{ said = \"{refusal}\" }}"));
    let mut widgets: Vec<String> = things
        .iter()
        .enumerate()
        .map(|(at, thing)| {
            format!(
                "when n_{at} > 0 {{ LinearLayout across tall 56 {{ TextView \"{thing} x {{n_{at}}}\" wide 400 Button desc \"Remove {thing}\" wide 200 -> n_{at} -= 1 }} }}"
            )
        })
        .collect();
    widgets.extend([format!("TextView \"Total: {{{total}}}\""), "TextView (said)".to_string(), button]);
    draft.page("Cart", "", "    own said = \"\"\n", &widgets);
    let mut to_receipt = vec![check_out.clone()];
    if has_payment {
        let ways = draft.some(&["Cash", "Card", "Invoice", "Voucher"], 3);
        let way = ways[0];
        let widgets: Vec<String> = ways
            .iter()
            .map(|way| {
                if *way == "Voucher" {
                    format!("Button \"{way}\" -> toast \"You have none\"")
                } else {
                    format!("Button \"{way}\" -> open Receipt")
                }
            })
            .collect();
        draft.page("Payment", "", "", &widgets);
        to_receipt.push(Move::click(if way == "Voucher" { ways[1] } else { way }));
    }
    draft.page(
        "Receipt",
        "",
        "",
        &["TextView \"Your order is on its way\"".to_string(), format!("TextView \"Paid: {{{total}}}\"")],
    );
    // Things to add, by their place, and the moves for it.
    let fetch = |bought: &[(usize, usize)]| -> Vec<Move> {
        let mut moves = Vec::new();
        for &(at, count) in bought {
            if has_details {
                moves.push(Move::click(things[at]));
                moves.extend(vec![Move::click("Add to cart"); count]);
                moves.push(Move::BACK);
            } else {
                moves.extend(vec![Move::Click(format!("Add {}", things[at])); count]);
            }
        }
        moves
    };
    let sum = |bought: &[(usize, usize)]| bought.iter().map(|&(at, count)| prices[at] * count).sum::<usize>();
    // The dearest thing twice is always enough in value, and one more in number.
    let dear = (0..count).max_by_key(|&at| prices[at]).expect("there are things");
    let order = [(dear, if by_total { 2 } else { least })];
    let mut exact = vec![order[0]];
    let other = (dear + 1) % count;
    if !by_total && least == 2 {
        exact = vec![(dear, 1), (other, if has_details { 1 } else { 2 })];
    } else if !has_details {
        exact.push((other, 1));
    }
    let pays = [&fetch(&exact)[..], std::slice::from_ref(&open_cart), &to_receipt].concat();
    let refused = [
        &[open_cart.clone(), check_out, Move::BACK][..],
        &fetch(&order),
        std::slice::from_ref(&open_cart),
        &to_receipt,
    ]
    .concat();
    let few = [(other, 1 + usize::from(!has_details)), ((other + 1) % count, 1)];
    let looks = [&fetch(&few)[..], &[open_cart]].concat();
    [
        Goal::new(&[&format!("[activity ~ Receipt] & [text = \"Paid: {}\"]", sum(&exact))], &pays),
        Goal::new(&[&format!("[text = \"{refusal}\"]"), "[activity ~ Receipt]"], &refused),
        Goal::new(&[&format!("[activity ~ Cart] & [text = \"Total: {}\"]", sum(&few))], &looks),
    ]
}

fn draft_shop(amount: usize) -> &'static str {
    ["Corner shop", "Market", "Store", "Bazaar"][amount % 4]
}

/// Notes that are added, removed and restored: by a bar that ends, from a bin, or after a question.
pub fn notes(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let names = draft.some(&["Milk", "Call home", "Dentist", "Post", "Fix bike", "Water plants"], 5);
    let (what, olds) = (
        draft.pick(&["Notes", "Tasks", "Reminders"]),
        if kind.is_multiple_of(3) { 2 } else { draft.between(1, 3) },
    );
    let (one, other) = (names[3], names[4]);
    draft.app(what, &["Restore all", "Remove adverts", "Notes help", "Bin day"]);
    if kind % 3 != 1 {
        draft.item("session lost = none");
    }
    draft.item("stored notes = list(name), is_filled = false");
    let fills: Vec<String> =
        names[..olds].iter().map(|name| format!("add notes(name: \"{name}\")")).collect();
    let mut start = format!("    on create when !is_filled: is_filled = true; {}\n", fills.join("; "));
    let empty = draft.pick(&["Nothing here", "All done", "No entries"]);
    let row = "TextView #note \"{n.name}\" -> open Editor(n)";
    let (add, add_button) = draft.button("Add", "open Editor(none)");
    let mut widgets = vec![format!("when count(notes) == 0 {{ TextView \"{empty}\" }}")];
    let mut removal = String::new();
    let (mut undo, delete): (Vec<Move>, Vec<Move>);
    // The screen in front while one is away.
    let away;
    match kind % 3 {
        0 => {
            let seconds = draft.between(3, 6);
            widgets.push(format!(
                "for n in notes {{ {row} {{ on longclick: lost = n.name; remove n; after {seconds}s {{ lost = none }} }} }}"
            ));
            let (click, button) = draft.button("Undo", "add notes(name: lost); lost = none");
            widgets.push(format!("when lost {{ TextView \"1 removed\" {button} }}"));
            undo = vec![click];
            delete = vec![];
            away = "[text = \"1 removed\"]".to_string();
        }
        1 => {
            draft.item("stored binned = list(name)");
            widgets.push(format!("for n in notes {{ {row} }}"));
            let (open, button) = draft.button("Bin", "open Bin");
            widgets.push(button);
            removal =
                "when n { Button \"Delete\" -> add binned(name: n.name); remove n; finish }".to_string();
            let widgets = [
                "for b in binned { LinearLayout across tall 56 { TextView #binned \"{b.name}\" wide 400 Button desc \"Restore {b.name}\" wide 200 -> add notes(name: b.name); remove b } }".to_string(),
                "Button \"Empty\" -> clear binned".to_string(),
            ];
            draft.page("Bin", "", "", &widgets);
            undo = vec![open];
            delete = vec![Move::click("Delete")];
            away = String::new();
        }
        _ => {
            draft.item("dialog Sure(n) { TextView \"Really?\" Button \"Yes\" -> lost = n.name; remove n; close Button \"No\" -> close }");
            widgets.push(format!("for n in notes {{ {row} {{ on longclick: show Sure(n) }} }}"));
            let (click, button) = draft.button("Undo", "add notes(name: lost); lost = none");
            widgets.push(format!("when lost {{ TextView \"1 removed\" {button} }}"));
            undo = vec![click];
            delete = vec![Move::click("Yes")];
            away = "[text = \"1 removed\"]".to_string();
        }
    }
    if draft.coin() {
        start += "    own kept by_name = false\n";
        widgets.push("TextView \"{count(notes)} in all\"".to_string());
        widgets.push("CheckBox \"By name\" checked by_name -> by_name = !by_name".to_string());
    }
    widgets.push(add_button);
    draft.page("Main", "", &start, &widgets);
    let verb = draft.pick(&["Save", "Done", "Keep"]);
    let (save, save_button) = draft.button(
        verb,
        "if name == \"\" { toast \"Write something\" } else { if n { n.name = name } else { add notes(name: name) }; finish }",
    );
    let mut editor = vec!["EditText #name hint \"Write here\" edits name".to_string(), save_button];
    if !removal.is_empty() {
        editor.push(removal);
    }
    draft.page("Editor", "(n)", "    own kept name = n.name or \"\"\n", &editor);
    let write = |name: &str| [add.clone(), Move::text("name", name), save.clone()];
    let remove = |name: &str| match kind % 3 {
        1 => [&[Move::click(name)][..], &delete].concat(),
        _ => [&[Move::LongClick(name.to_string())][..], &delete].concat(),
    };
    let seen = |name: &str| format!("[text = \"{name}\", id = note]");
    let old = names[0];
    // A name that the app begins with needs no typing; one that is added does.
    let restored = if draft.coin() { old } else { one };
    let mut moves = if restored == one { write(one).to_vec() } else { Vec::new() };
    let mut labels = if restored == one { vec![seen(one)] } else { Vec::new() };
    moves.extend(remove(restored));
    if kind % 3 == 1 {
        undo.extend([Move::Click(format!("Restore {restored}")), Move::BACK]);
        labels.push(format!("[text = \"{restored}\", id = binned]"));
    } else {
        labels.push(format!("{away} & !{}", seen(restored)));
    }
    labels.push(seen(restored));
    moves.extend(undo);
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let two = [write(one), write(other)].concat();
    let cleared: Vec<Move> = names[..olds].iter().flat_map(|name| remove(name)).collect();
    [
        Goal::new(&labels, &moves),
        Goal::new(&[&format!("{} & {}", seen(one), seen(other))], &two),
        Goal::new(&[&format!("[text = \"{empty}\"]")], &cleared),
    ]
}
