//! Apps with something in the way: adverts and questions that come up by chance, and faults to be found.

use super::Goal;
use super::draft::{Draft, fill};
use super::play::Move;

/// A plain app in which adverts and questions come up by chance.
pub fn advert(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let (name, sections, items): (&str, &[&str], &[&str]) = draft.pick(&[
        (
            "Radio",
            &["Jazz", "Rock", "Talk", "Folk"] as &[&str],
            &["Morning", "Noon", "Evening", "Night"] as &[&str],
        ),
        ("Recipes", &["Soups", "Pies", "Salads", "Drinks"], &["Quick", "Cheap", "Fine", "Sweet"]),
        ("Puzzles", &["Easy", "Medium", "Hard"], &["First", "Second", "Third", "Fourth"]),
        ("Wallpapers", &["Hills", "Seas", "Towns"], &["Dawn", "Dusk", "Storm"]),
    ]);
    let percent = |draft: &mut Draft| draft.between(1, 6) * 5;
    let (on_start, on_open, on_way) = (percent(draft), percent(draft), percent(draft));
    let verb = draft.pick(&["Play", "Like", "Use"]);
    draft.app(name, &["All on", "Item help", "Remove adverts", "Sections"]);
    let later = draft.pick(&["Later", "Not now", "No, thanks"]);
    draft.item(&fill(
        "dialog Rating modal { TextView \"Do you like $name?\" Button \"Rate now\" -> close; open Shop Button \"$later\" -> close }
activity Shop com.example.shop/.ShopActivity { TextView \"$name, 4.1 stars\" Button \"Write a review\" clickable Button \"Install more\" clickable }",
        &[("$name", name), ("$later", later)],
    ));
    let delay = draft.between(1, 3);
    let closes = match kind % 3 {
        0 => "Button desc \"x\" wide 40 -> finish".to_string(),
        1 => "when can_close { ImageView #close wide 40 -> finish }".to_string(),
        _ => "ImageButton desc \"Close\" wide 40 -> if can_close { finish } else { open Shop }".to_string(),
    };
    let holds = if draft.coin() { "\n    on back: toast \"Please wait\"" } else { "" };
    let timer = match kind % 3 {
        0 => String::new(),
        _ => format!("    own can_close = false\n    on create: after {delay}s {{ can_close = true }}"),
    };
    let video = draft.pick(&["Play Castle Wars", "Insure your cat", "Cheap flights"]);
    draft.item(&format!(
        "activity Advert .AdvertActivity {{\n{timer}{holds}\n    TextView \"{video}\"\n    {closes}\n    Button \"Install\" -> open Shop\n    ImageView #picture tall 900 -> open Shop\n}}"
    ));
    let start = format!("    on create when !recreated: chance {{ {on_start}% {{ show Rating }} }}\n");
    let way = |draft: &mut Draft, effect: &str| match draft.below(3) {
        0 => effect.to_string(),
        1 => format!("{effect}; chance {{ {on_way}% {{ open Advert }} }}"),
        _ => format!("chance {{ {on_way}% {{ open Advert }} else {{ {effect} }} }}"),
    };
    let links: Vec<String> = sections
        .iter()
        .map(|section| {
            let effect = way(draft, &format!("open Section(\"{section}\")"));
            format!("Button \"{section}\" -> {effect}")
        })
        .collect();
    let is_deep = draft.coin();
    if is_deep {
        let effect = way(draft, "open Browse");
        draft.page(
            "Main",
            "",
            &start,
            &["TextView \"Today\"".to_string(), format!("Button \"Browse\" -> {effect}")],
        );
        draft.page("Browse", "", "", &links);
    } else {
        draft.page("Main", "", &start, &links);
    }
    let links: Vec<String> = items
        .iter()
        .map(|item| {
            let effect = way(draft, &format!("open Item(section, \"{item}\")"));
            format!("TextView \"{item}\" -> {effect}")
        })
        .collect();
    draft.page(
        "Section",
        "(section)",
        "",
        &[&["TextView \"All of {section}\"".to_string()][..], &links].concat(),
    );
    let start = format!(
        "    own is_used = false\n    on create when !recreated: chance {{ {on_open}% {{ open Advert }} 5% {{ show Rating }} }}\n"
    );
    let effect = way(draft, "is_used = true");
    let (click, button) = draft.button(verb, &effect);
    let widgets = [
        "TextView \"{item} of {section}\"".to_string(),
        button,
        "when is_used { TextView \"{item} of {section} is on\" }".to_string(),
    ];
    draft.page("Item", "(section, item)", &start, &widgets);
    let mut pick = || {
        let (section, item) = (draft.pick(sections), draft.pick(items));
        let mut moves = vec![Move::click(section), Move::click(item)];
        if is_deep {
            moves.insert(0, Move::click("Browse"));
        }
        (format!("{item} of {section}"), moves)
    };
    let (one, two, three) = (pick(), pick(), pick());
    let on = |name: &str| format!("[text = \"{name} is on\"]");
    let label = |name: &str| format!("[activity ~ Item] & [text = \"{name}\"]");
    let first = [&one.1[..], std::slice::from_ref(&click)].concat();
    let other = format!("[text = \"All of {}\"]", sections[sections.len() - 1]);
    let second = [&two.1[..], &[Move::BACK, Move::BACK, Move::click(sections[sections.len() - 1])]].concat();
    [
        Goal::new(&[&on(&one.0)], &first),
        Goal::new(&[&label(&two.0), &other], &second),
        Goal::new(&[&on(&three.0)], &[&three.1[..], &[click]].concat()),
    ]
}

/// An app with three faults: one after certain actions, one at a rotation, and one by chance.
pub fn fault(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let pages = draft.some(&["Report", "Chart", "Archive", "Calendar", "Gallery", "Planner", "Inbox"], 5);
    let name = draft.pick(&["Office", "Studio", "Organiser"]);
    let error = draft.pick(&[
        "java.lang.IllegalStateException",
        "java.lang.NullPointerException",
        "java.lang.IndexOutOfBoundsException",
    ]);
    let crash = format!("crash \"{error}\"");
    let percent = draft.pick(&[1, 2, 3, 5, 8, 10, 15, 20]);
    let [by_state, by_turn, by_chance, between, plain] = pages[..] else {
        unreachable!("five pages are drawn")
    };
    draft.app(name, &["Crash report", "Error log", "Report a fault", "Repair"]);
    draft.item("session is_expert = false");
    // Two of the pages are behind another.
    let near = |page: &str| format!("Button \"{page}\" -> open {page}");
    let is_deep = draft.coin();
    if is_deep {
        draft.page("Main", "", "", &[near("Tools"), near(by_state)]);
        draft.page("Tools", "", "", &[near(between), near(plain)]);
    } else {
        draft.page("Main", "", "", &[near(by_state), near(between), near(plain)]);
    }
    let tools = if is_deep { vec![Move::click("Tools")] } else { Vec::new() };
    draft.page(between, "", "", &[format!("TextView \"{between}\""), near(by_turn), near(by_chance)]);
    let (expert, switch) = (
        Move::click("Expert mode"),
        "Switch \"Expert mode\" checked is_expert -> is_expert = !is_expert".to_string(),
    );
    draft.page(plain, "", "", &[format!("TextView \"{plain}\""), switch]);
    // After certain actions.
    let [set, act] =
        draft.pick(&[["Select all", "Sort"], ["Clear", "Export"], ["Zoom in", "Print"], ["Lock", "Edit"]]);
    let is_far = draft.coin();
    let condition = if is_far { "is_set && is_expert" } else { "is_set" };
    let widgets = [
        format!("Button \"{set}\" -> is_set = true"),
        format!("Button \"{act}\" -> if {condition} {{ {crash} }} else {{ is_set = false }}"),
        "when is_set { TextView \"Ready\" }".to_string(),
    ];
    draft.page(by_state, "", "    own is_set = false\n", &widgets);
    let mut moves = Vec::new();
    if is_far {
        moves =
            [&tools[..], &[Move::click(plain), expert, Move::BACK], &vec![Move::BACK; tools.len()]].concat();
    }
    moves.extend([Move::click(by_state), Move::click(set), Move::click(act)]);
    let place = |page: &str| format!("[crashed = true] & Y [activity ~ {page}]");
    let after_actions = Goal::new(&[&place(by_state)], &moves);
    // At a rotation, mostly while something is going on.
    let needs_mode = draft.coin();
    let mode = draft.pick(&["Edit mode", "Full screen", "Compare"]);
    let condition = if needs_mode { "recreated && is_busy" } else { "recreated" };
    let widgets = [
        format!("TextView \"{by_turn}\""),
        format!("ToggleButton \"{mode}\" checked is_busy -> is_busy = !is_busy"),
    ];
    let start = format!("    own kept is_busy = false\n    on create when {condition}: {crash}\n");
    draft.page(by_turn, "", &start, &widgets);
    let mut moves = [&tools[..], &[Move::click(between), Move::click(by_turn)]].concat();
    if needs_mode {
        moves.push(Move::click(mode));
    }
    moves.push(Move::ROTATE);
    let at_rotation = Goal::new(&[&place(by_turn)], &moves);
    // By chance.
    let (go, button) =
        draft.button("Refresh", &format!("chance {{ {percent}% {{ {crash} }} else {{ n = (n + 1) % 3 }} }}"));
    let is_asked = draft.coin();
    let widgets = if is_asked {
        [
            "TextView \"{n} new\"".to_string(),
            format!("when is_open {{ {button} }} else {{ Button \"Begin\" -> is_open = true }}"),
        ]
    } else {
        ["TextView \"{n} new\"".to_string(), button]
    };
    let start = if is_asked { "    own n = 0\n    own is_open = false\n" } else { "    own n = 0\n" };
    draft.page(by_chance, "", start, &widgets);
    let mut moves = [&tools[..], &[Move::click(between), Move::click(by_chance)]].concat();
    if is_asked {
        moves.push(Move::click("Begin"));
    }
    moves.push(go);
    let with_luck = Goal::new(&[&place(by_chance)], &moves);
    let mut goals = [after_actions, at_rotation, with_luck];
    goals.rotate_left(kind as usize % 3);
    goals
}
