//! Apps to find one's way in: mazes, settings, and long lists.

use std::collections::VecDeque;

use farlead::gui::Direction;

use super::Goal;
use super::draft::Draft;
use super::play::Move;

const ROOMS: [&str; 25] = [
    "Hall", "Kitchen", "Cellar", "Attic", "Study", "Porch", "Pantry", "Stable", "Chapel", "Tower", "Bath",
    "Office", "Garage", "Lobby", "Closet", "Terrace", "Gallery", "Workshop", "Nursery", "Parlour", "Den",
    "Vault", "Studio", "Shed", "Yard",
];

/// A grid with walls, of which only the own place is seen; with a key to fetch first in every second one.
pub fn maze(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let grid = Grid::new(draft);
    let sides: [&str; 4] = draft.pick(&[
        ["North", "East", "South", "West"],
        ["Up", "Right", "Down", "Left"],
        ["N", "E", "S", "W"],
    ]);
    draft.app(draft_name(kind), &["Garden tour", "Key help", "Row", "Column"]);
    let cells = grid.wide * grid.high;
    // Far cells first: a goal that is one step away is none.
    let from = draft.below(cells);
    let mut far: Vec<usize> = draft.some(&(0..cells).collect::<Vec<_>>(), cells);
    // With a way back, a near one is far enough.
    let most = if kind.is_multiple_of(2) { 8 } else { 4 };
    far.retain(|&cell| (3..=most).contains(&grid.way(from, cell).len()));
    let (target, other) = (far[0], far[far.len() / 2]);
    let place = match kind % 3 {
        0 => format!("\"Row {{cell / {w} + 1}}, column {{cell % {w} + 1}}\"", w = grid.wide),
        1 => {
            let letters = (1..grid.wide).fold("\"A\"".to_string(), |rest, at| {
                format!("cell % {} == {at} ? \"{}\" : {rest}", grid.wide, char::from(b'A' + at as u8))
            });
            format!("(\"You are at \" + ({letters}) + (cell / {} + 1))", grid.wide)
        }
        _ => {
            let chain = (1..cells).fold(format!("\"{}\"", ROOMS[0]), |rest, at| {
                format!("cell == {at} ? \"{}\" : {rest}", ROOMS[at])
            });
            format!("({chain})")
        }
    };
    let shown = |cell: usize| match kind % 3 {
        0 => format!("[text = \"Row {}, column {}\"]", cell / grid.wide + 1, cell % grid.wide + 1),
        1 => format!(
            "[text = \"You are at {}{}\"]",
            char::from(b'A' + (cell % grid.wide) as u8),
            cell / grid.wide + 1
        ),
        _ => format!("[text = {}]", ROOMS[cell]),
    };
    let mut owns = format!("    own kept cell = {from}\n");
    let mut widgets = vec![format!("TextView {place}")];
    let bump = draft.pick(&["toast \"A wall\"", "said = \"A wall\"", "bumps += 1"]);
    match bump {
        "said = \"A wall\"" => {
            owns += "    own said = \"\"\n";
            widgets.push("TextView (said)".to_string());
        }
        "bumps += 1" => owns += "    own bumps = 0\n",
        _ => {}
    }
    let effect = if bump == "bumps += 1" { "bumps = (bumps + 1) % 2" } else { bump };
    let order = draft.some(&[0, 1, 2, 3], 4);
    for side in order {
        let open: Vec<String> = (0..cells)
            .filter(|&cell| grid.neighbour(cell, side).is_some_and(|to| grid.is_open(cell, to)))
            .map(|cell| format!("cell == {cell}"))
            .collect();
        let by = [-(grid.wide as i64), 1, grid.wide as i64, -1][side];
        let condition = if open.is_empty() { "false".to_string() } else { open.join(" || ") };
        widgets.push(format!(
            "Button \"{}\" -> if {condition} {{ cell += {by} }} else {{ {effect} }}",
            sides[side]
        ));
    }
    let moves = |from: usize, to: usize| -> Vec<Move> {
        grid.way(from, to).into_iter().map(|side| Move::click(sides[side])).collect()
    };
    if kind.is_multiple_of(2) {
        let more: Vec<Move> = moves(target, other);
        let both = [&moves(from, target)[..], &more].concat();
        let second = if both.len() <= 11 && !more.is_empty() {
            Goal::new(&[&shown(target), &shown(other)], &both)
        } else {
            Goal::new(&[&shown(other)], &moves(from, other))
        };
        draft.page("Main", "", &owns, &widgets);
        return [
            Goal::new(&[&shown(target)], &moves(from, target)),
            second,
            Goal::new(&[&shown(other)], &moves(from, other)),
        ];
    }
    // The door is where one comes back to, near the key.
    let door = (0..cells)
        .filter(|&cell| {
            cell != target && cell != from && grid.way(from, target).len() + grid.way(target, cell).len() <= 9
        })
        .max_by_key(|&cell| grid.way(target, cell).len())
        .unwrap_or(from);
    owns += "    own kept has_key = false\n";
    let thing = draft.pick(&["key", "ticket", "lamp"]);
    widgets.push(format!(
        "when cell == {target} && !has_key {{ Button \"Take the {thing}\" -> has_key = true }}"
    ));
    widgets.push(format!("when has_key {{ TextView \"You carry the {thing}\" }}"));
    widgets.push(format!(
        "when cell == {door} {{ Button \"Open the door\" -> if has_key {{ open Garden }} else {{ toast \"Not without the {thing}\" }} }}"
    ));
    draft.page("Main", "", &owns, &widgets);
    draft.page("Garden", "", "", &["TextView \"You are free\"".to_string()]);
    let take = [&moves(from, target)[..], &[Move::Click(format!("Take the {thing}"))]].concat();
    let out = [&take[..], &moves(target, door), &[Move::click("Open the door")]].concat();
    let carry = format!("[text = \"You carry the {thing}\"]");
    [
        Goal::new(&["[activity ~ Garden]"], &out),
        Goal::new(&[&carry, "[text = \"You are free\"]"], &out),
        Goal::new(&[&carry], &take),
    ]
}

fn draft_name(kind: u64) -> &'static str {
    ["Maze", "Castle", "Labyrinth", "Old house"][(kind / 2) as usize % 4]
}

/// Cells in rows, with a way between any two.
struct Grid {
    wide: usize,
    high: usize,
    open: Vec<(usize, usize)>,
}

impl Grid {
    fn new(draft: &mut Draft) -> Grid {
        let mut grid = Grid { wide: draft.between(3, 5), high: draft.between(3, 5), open: Vec::new() };
        let mut seen = vec![0];
        // One in four turns goes on from an old cell, so ways are long and have branches.
        while seen.len() < grid.wide * grid.high {
            let from = if draft.below(4) == 0 { draft.pick(&seen) } else { seen[seen.len() - 1] };
            let ways: Vec<usize> = (0..4)
                .filter_map(|side| grid.neighbour(from, side))
                .filter(|cell| !seen.contains(cell))
                .collect();
            if ways.is_empty() {
                let last = seen.len() - 1;
                let at = draft.below(seen.len());
                seen.swap(at, last);
                continue;
            }
            let to = draft.pick(&ways);
            grid.open.push((from, to));
            seen.push(to);
        }
        for _ in 0..draft.below(4) {
            let (from, side) = (draft.below(grid.wide * grid.high), draft.below(4));
            if let Some(to) = grid.neighbour(from, side) {
                grid.open.push((from, to));
            }
        }
        grid
    }

    fn is_open(&self, one: usize, other: usize) -> bool {
        self.open.iter().any(|&pair| pair == (one, other) || pair == (other, one))
    }

    /// Returns the cell above, right of, below or left of `cell`.
    fn neighbour(&self, cell: usize, side: usize) -> Option<usize> {
        let (x, y) = (cell % self.wide, cell / self.wide);
        match side {
            0 => (y > 0).then(|| cell - self.wide),
            1 => (x + 1 < self.wide).then(|| cell + 1),
            2 => (y + 1 < self.high).then(|| cell + self.wide),
            _ => (x > 0).then(|| cell - 1),
        }
    }

    /// Returns the sides to go to, on a shortest way.
    fn way(&self, from: usize, to: usize) -> Vec<usize> {
        let mut ways: Vec<Option<Vec<usize>>> = vec![None; self.wide * self.high];
        ways[from] = Some(Vec::new());
        let mut next = VecDeque::from([from]);
        while let Some(cell) = next.pop_front() {
            let way = ways[cell].clone().expect("what was met has a way");
            for side in 0..4 {
                let Some(other) = self.neighbour(cell, side) else { continue };
                if self.is_open(cell, other) && ways[other].is_none() {
                    ways[other] = Some([&way[..], &[side]].concat());
                    next.push_back(other);
                }
            }
        }
        ways[to].take().expect("all cells are connected")
    }
}

const TOPICS: [&str; 48] = [
    "Display",
    "Sound",
    "Battery",
    "Storage",
    "Privacy",
    "Security",
    "Accounts",
    "Language",
    "Keyboard",
    "Backup",
    "Updates",
    "Location",
    "Camera",
    "Calls",
    "Messages",
    "Widgets",
    "Gestures",
    "Shortcuts",
    "Themes",
    "Fonts",
    "Brightness",
    "Vibration",
    "Ringtones",
    "Alarms",
    "Focus",
    "Parents",
    "Guests",
    "Permissions",
    "Data use",
    "Hotspot",
    "Printing",
    "Nearby",
    "Cast",
    "Screen saver",
    "Wallpaper",
    "Lock screen",
    "Notices",
    "Bubbles",
    "Captions",
    "Contrast",
    "Magnifier",
    "Reader",
    "Cache",
    "Cookies",
    "Downloads",
    "Certificates",
    "Developer",
    "Diagnostics",
];

/// Settings in a tree of 15 to 40 screens, with switches that show elsewhere.
pub fn settings(draft: &mut Draft) -> [Goal; 3] {
    let pages = draft.between(15, 40);
    let names = draft.some(&TOPICS, pages);
    let firsts = draft.between(4, 6);
    // The place of the parent of each page; the first ones have none.
    let mut parents: Vec<Option<usize>> = vec![None; firsts];
    let depth = |parents: &[Option<usize>], mut at: usize| {
        let mut depth = 1;
        while let Some(parent) = parents[at] {
            (at, depth) = (parent, depth + 1);
        }
        depth
    };
    while parents.len() < pages {
        let parent = draft.below(parents.len());
        if depth(&parents, parent) < 3 {
            parents.push(Some(parent));
        }
    }
    let mut deep: Vec<usize> = (0..pages).filter(|&at| depth(&parents, at) >= 2).collect();
    deep = draft.some(&deep, 3);
    deep.sort_by_key(|&at| usize::MAX - depth(&parents, at));
    let (has_home, has_status) = (draft.coin(), draft.coin());
    let effects = draft.some(
        &["Night light", "Saver", "Quiet hours", "Large print", "Roaming", "Flight mode", "Driving", "Guard"],
        3,
    );
    let labels = draft.some(
        &["Automatic", "Smart mode", "Advanced", "Enhanced", "Optimised", "Adaptive", "Use always", "Allow"],
        3,
    );
    let name = draft.pick(&["Phone settings", "Control centre", "Preferences"]);
    draft.app(name, &["Turn all on", "Quiet", "Light", "Guard help"]);
    for at in 0..3 {
        draft.item(&format!("stored effect_{at} = false"));
    }
    let shown: Vec<String> = effects
        .iter()
        .enumerate()
        .map(|(at, effect)| format!("TextView (effect_{at} ? \"{effect} is on\" : \"{effect} is off\")"))
        .collect();
    let (to_settings, button) = draft.button("Settings", "open Settings");
    let mut widgets = vec!["TextView \"Hello\"".to_string(), button];
    if has_status {
        widgets.push("Button \"Status\" -> open Status".to_string());
        draft.page("Status", "", "", &shown);
    } else {
        widgets.extend(shown);
    }
    draft.page("Main", "", "", &widgets);
    let activity = |at: usize| format!("{}Page", names[at].replace(' ', ""));
    let home = "Button \"Home\" -> open Main afresh".to_string();
    let list = |of: Option<usize>| -> Vec<String> {
        (0..pages)
            .filter(|&at| parents[at] == of)
            .map(|at| format!("TextView \"{}\" -> open {}", names[at], activity(at)))
            .collect()
    };
    draft.page("Settings", "", "", &list(None));
    for at in 0..pages {
        let mut widgets = vec![format!("TextView #title \"{}\"", names[at])];
        let mut owns = String::new();
        widgets.extend(list(Some(at)));
        if let Some(place) = deep.iter().position(|&page| page == at) {
            let (label, effect) = (labels[place], format!("effect_{place}"));
            widgets.push(format!("Switch \"{label}\" checked {effect} -> {effect} = !{effect}"));
        }
        // Another page has a switch by the name of the effect, and does nothing.
        if at % 5 == 1 {
            owns = "    own is_set = false\n".to_string();
            widgets.push(format!("Switch \"{}\" checked is_set -> is_set = !is_set", effects[at % 3]));
        }
        if has_home {
            widgets.push(home.clone());
        }
        draft.page(&activity(at), "", &owns, &widgets);
    }
    let goal = |place: usize| {
        let mut way = vec![deep[place]];
        while let Some(parent) = parents[way[0]] {
            way.insert(0, parent);
        }
        let mut moves = vec![to_settings.clone()];
        moves.extend(way.iter().map(|&at| Move::click(names[at])));
        moves.push(Move::click(labels[place]));
        if has_home {
            moves.push(Move::click("Home"));
        } else {
            moves.extend(vec![Move::BACK; way.len() + 1]);
        }
        if has_status {
            moves.push(Move::click("Status"));
        }
        (format!("[text = \"{} is on\"]", effects[place]), moves, names[deep[place]])
    };
    let (a, b, c) = (goal(0), goal(1), goal(2));
    let title = format!("[id = title, text = \"{}\"]", b.2);
    [Goal::new(&[&a.0], &a.1), Goal::new(&[&title, &b.0], &b.1), Goal::new(&[&c.0], &c.1)]
}

/// A list of 100 to 300 items: to scroll, to search, in pages, or with what is wanted inside the items.
pub fn list(draft: &mut Draft, kind: u64) -> [Goal; 3] {
    let count = draft.between(100, 300);
    let item = draft.pick(&["Item", "Song", "Customer", "Photo", "Lesson"]);
    let tall = draft.pick(&[40, 60]);
    draft.app(&format!("{item}s"), &["Detail", "Items", "Shelf help", "Yours"]);
    let seen = 1200 / tall;
    // A scroll moves by four fifths of what is seen.
    let by = seen * 4 / 5;
    let is_framed = draft.coin();
    let row = |number: &str| {
        let text = format!("TextView \"{item} {{{number}}}\"");
        if is_framed {
            format!(
                "LinearLayout desc \"{item} {{{number}}}\" tall {tall} -> open Detail({number}) {{ {text} }}"
            )
        } else {
            format!("{text} tall {tall} -> open Detail({number})")
        }
    };
    let (factor, plus) = (draft.pick(&[37, 41, 53, 59]), draft.between(1, 90));
    let word = draft.pick(&["Shelf", "Code", "Rank"]);
    // Items near enough to fit a dozen steps, the farthest first.
    let mut starts = match kind % 4 {
        0 => vec![draft.between(4, 7.min((count - seen) / by)), draft.between(2, 4), draft.between(1, 3)],
        2 => vec![draft.between(4, 8), draft.between(2, 4), draft.between(1, 3)],
        // The wanted word tells nothing of its place, so near is hard enough.
        3 => vec![draft.between(1, 3), draft.between(1, 2), 1],
        _ => vec![0; 3],
    };
    starts.iter_mut().for_each(|start| *start = (*start).min(count / by - 2));
    let mut widgets = Vec::new();
    let mut owns = String::new();
    const A_PAGE: usize = 10;
    let numbers: Vec<usize> = match kind % 4 {
        1 => vec![draft.between(100, count), draft.between(70, 99), draft.between(45, 69)],
        2 => starts.iter().map(|start| start * A_PAGE + 1 + draft.below(A_PAGE)).collect(),
        // Those that were not seen one scroll before.
        _ => starts.iter().map(|start| start * by + (seen - by) + 1 + draft.below(by - 2)).collect(),
    };
    match kind % 4 {
        1 => {
            owns += "    own query = \"\"\n";
            widgets.push("EditText #query hint \"Find\" edits query".to_string());
            widgets.push(format!(
                "ListView #list scrolls tall 1200 {{ for i in 1..{count} {{ when query == \"\" || contains(\"{item} {{i}}\", query) {{ {} }} }} }}",
                row("i")
            ));
        }
        2 => {
            owns += "    own kept page = 0\n";
            widgets.push("TextView \"Page {page + 1}\"".to_string());
            widgets.push(format!(
                "ListView #list {{ for i in 1..{A_PAGE} {{ {} }} }}",
                row(&format!("page * {A_PAGE} + i"))
            ));
            widgets.push(format!("Button \"Next\" -> page = min(page + 1, {})", count / A_PAGE - 1));
            widgets.push("Button \"Previous\" -> page = max(page - 1, 0)".to_string());
        }
        _ => {
            widgets.push(format!(
                "ListView #list scrolls tall 1200 {{ for i in 1..{count} {{ {} }} }}",
                row("i")
            ));
        }
    }
    draft.page("Main", "", &owns, &widgets);
    let verb = draft.pick(&["Keep", "Play", "Mark"]);
    let (save, button) = draft.button(verb, "is_kept = !is_kept");
    draft.page(
        "Detail",
        "(number)",
        "    own is_kept = false\n",
        &[
            format!("TextView #name \"{item} {{number}}\""),
            format!("TextView \"{word} {{(number * {factor} + {plus}) % 311}}\""),
            button,
            format!("when is_kept {{ TextView \"{item} {{number}} is yours\" }}"),
        ],
    );
    let way = |at: usize| {
        let name = format!("{item} {}", numbers[at]);
        let mut moves = match kind % 4 {
            1 => vec![Move::text("query", &name)],
            2 => vec![Move::click("Next"); starts[at]],
            _ => vec![Move::Scroll(Direction::Down); starts[at]],
        };
        moves.push(Move::Click(name));
        moves
    };
    let label = |at: usize| {
        if kind % 4 == 3 {
            format!("[text = \"{word} {}\"]", (numbers[at] * factor + plus) % 311)
        } else {
            format!("[activity ~ Detail] & [text = \"{item} {}\"]", numbers[at])
        }
    };
    let kept = format!("[text = \"{item} {} is yours\"]", numbers[1]);
    let keep = [&way(1)[..], &[save]].concat();
    [
        Goal::new(&[&label(0)], &way(0)),
        Goal::new(&[&label(1), &kept], &keep),
        Goal::new(&[&label(2)], &way(2)),
    ]
}
