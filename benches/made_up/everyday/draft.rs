//! The model of an everyday app in the making: its items, and on each screen widgets that lead to no goal.

use farlead::rng::Rng;

use super::play::Move;

/// Words on widgets without use.
const WORDS: [&str; 32] = [
    "More",
    "Share",
    "Help",
    "Info",
    "Tips",
    "Search",
    "Menu",
    "Edit",
    "Sort",
    "Filter",
    "Copy",
    "Print",
    "Favourite",
    "Like",
    "Follow",
    "Feedback",
    "Language",
    "Theme",
    "Account",
    "History",
    "Refresh",
    "Invite",
    "Rate",
    "Bookmark",
    "Skip",
    "Undo",
    "Scan",
    "Sync",
    "Mute",
    "Pin",
    "Export",
    "Import",
];

/// Sentences on screens.
const SENTENCES: [&str; 8] = [
    "Nothing new today",
    "Swipe for more",
    "Version 3.2",
    "You are up to date",
    "Thanks for being here",
    "New: dark colours",
    "Tap and hold for a menu",
    "Made with care",
];

/// Screens that lead to nothing.
const SIDES: [&str; 6] = ["About", "News", "Terms", "Contact", "Donate", "Imprint"];

/// Order of the widgets of a screen.
#[derive(Clone, Copy)]
enum Layout {
    Scattered,
    /// Widgets without use in a bar at the top, the others below.
    Toolbar,
    /// In a bar at the bottom.
    BottomBar,
    First,
    Last,
}

pub struct Draft {
    rng: Rng,
    text: String,
    layout: Layout,
    /// Most widgets without use on a screen, beyond five.
    idle_more: usize,
    sides: Vec<&'static str>,
    sides_used: Vec<&'static str>,
    dialogs: usize,
    labels: usize,
    /// Words that sound like a way to the goal, on widgets without use.
    decoys: &'static [&'static str],
}

impl Draft {
    pub fn new(mut rng: Rng) -> Draft {
        let layouts = [Layout::Scattered, Layout::Toolbar, Layout::BottomBar, Layout::First, Layout::Last];
        let layout = layouts[rng.below(layouts.len())];
        let idle_more = 1 + rng.below(10);
        let mut draft = Draft {
            rng,
            text: String::new(),
            layout,
            idle_more,
            sides: Vec::new(),
            sides_used: Vec::new(),
            dialogs: 0,
            labels: 0,
            decoys: &[],
        };
        draft.sides = draft.some(&SIDES, 3);
        draft
    }

    /// Begins the text, with what the app is called; some of the widgets without use say one of `decoys`.
    pub fn app(&mut self, name: &str, decoys: &'static [&'static str]) {
        self.decoys = decoys;
        let package = name.to_lowercase().replace(' ', "");
        self.text +=
            &format!("app org.madeup.{package} \"{name}\" 1\ndisplay 1080x2400 160dpi\nlaunch Main\n");
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.rng.below(end)
    }

    /// Returns a number between both, which may come up too.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.rng.below(most + 1 - least)
    }

    pub fn coin(&mut self) -> bool {
        self.rng.coin()
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len())].clone()
    }

    /// Returns `count` different ones in any order.
    pub fn some<T: Clone>(&mut self, from: &[T], count: usize) -> Vec<T> {
        let mut all = from.to_vec();
        for place in (1..all.len()).rev() {
            all.swap(place, self.rng.below(place + 1));
        }
        all.truncate(count);
        all
    }

    /// Adds an item to the model.
    pub fn item(&mut self, text: &str) {
        self.text += text;
        self.text += "\n";
    }

    /// Returns a click on a new widget that says this, and the widget with its effect.
    pub fn button(&mut self, says: &str, effect: &str) -> (Move, String) {
        let class = self.pick(&["Button", "Button", "Button", "TextView", "ImageButton"]);
        let (name, label) = self.label(says, class == "ImageButton");
        (Move::Click(name), format!("{class} {label} -> {effect}"))
    }

    /// Returns a name for a widget and the attributes that give it this name: a text, a description or an id.
    pub fn label(&mut self, says: &str, is_picture: bool) -> (String, String) {
        let id = says.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
        let has_id = id.starts_with(|letter: char| letter.is_ascii_lowercase());
        match self.below(8) {
            0 if has_id => (id.clone(), format!("#{id}")),
            0..=2 if is_picture => (says.to_string(), format!("desc \"{says}\"")),
            1 | 2 if has_id => (says.to_string(), format!("#{id} \"{says}\"")),
            3 => (says.to_string(), format!("desc \"{says}\"")),
            _ => (says.to_string(), format!("\"{says}\"")),
        }
    }

    /// Adds an activity: `head` has its parameters' brackets or nothing, `starts` its variables and handlers, one a
    /// line, and `widgets` those that matter, in their order.
    pub fn page(&mut self, name: &str, head: &str, starts: &str, widgets: &[String]) {
        let mut owns = String::new();
        let mut pieces: Vec<String> = Vec::new();
        let count = 5 + self.rng.below(self.idle_more + 1);
        let in_bar = match self.layout {
            Layout::Toolbar | Layout::BottomBar => 2 + self.rng.below(3),
            Layout::Scattered | Layout::First | Layout::Last => 0,
        };
        let bar: Vec<String> = (0..in_bar).map(|_| self.icon()).collect();
        let idle: Vec<String> = (in_bar..count).map(|_| self.idle(&mut owns)).collect();
        let bar = format!("LinearLayout across tall 56 {{ {} }}", bar.join(" "));
        match self.layout {
            Layout::Toolbar => {
                pieces.push(bar);
                pieces.extend(widgets.iter().cloned().chain(idle));
            }
            Layout::BottomBar => {
                pieces.extend(widgets.iter().cloned().chain(idle));
                pieces.push(bar);
            }
            Layout::First => pieces.extend(idle.into_iter().chain(widgets.iter().cloned())),
            Layout::Last => pieces.extend(widgets.iter().cloned().chain(idle)),
            Layout::Scattered => {
                pieces.extend(widgets.iter().cloned());
                for widget in idle {
                    pieces.insert(self.rng.below(pieces.len() + 1), widget);
                }
            }
        }
        let head = if head.is_empty() { String::new() } else { format!(" {}", head.trim()) };
        let starts = if starts.is_empty() { String::new() } else { format!("{}\n", starts.trim_end()) };
        let pieces: String = pieces.iter().map(|piece| format!("    {piece}\n")).collect();
        self.text += &format!("activity {name} .{name}Activity{head} {{\n{owns}{starts}{pieces}}}\n");
    }

    /// Returns a small button without use.
    fn icon(&mut self) -> String {
        let word = self.pick(&WORDS);
        let class = self.pick(&["ImageButton", "Button"]);
        let effect = match self.below(3) {
            0 => "clickable".to_string(),
            1 => "-> toast \"Done\"".to_string(),
            _ => format!("-> {}", self.way_aside()),
        };
        format!("{class} desc \"{word}\" wide 150 {effect}")
    }

    /// Returns a widget without use, and adds the variable that it needs.
    fn idle(&mut self, owns: &mut String) -> String {
        let word = if self.below(5) == 0 { self.pick(self.decoys) } else { self.pick(&WORDS) };
        let (_, label) = self.label(word, false);
        // More states would only multiply those of the app.
        let may_keep = owns.lines().count() < 2;
        self.labels += 1;
        let own = format!("idle_{}", self.labels);
        match self.below(12) {
            0 | 1 => format!("Button {label} clickable"),
            2 => format!("Button {label} -> toast \"Done\""),
            3 | 4 if may_keep => {
                *owns += &format!("    own {own} = false\n");
                let class = self.pick(&["CheckBox", "Switch", "ToggleButton"]);
                format!("{class} {label} checked {own} -> {own} = !{own}")
            }
            5 if may_keep => {
                *owns += &format!("    own {own} = 0\n");
                format!("Button \"{word} ({{{own}}})\" -> {own} = ({own} + 1) % 3")
            }
            6 => format!("ImageView desc \"{word}\" clickable"),
            7 => format!("Button {label} longclickable -> toast \"Hold it\""),
            8 => {
                self.dialogs += 1;
                let name = format!("Note{}", self.dialogs);
                let sentence = self.pick(&SENTENCES);
                let ok = self.pick(&["OK", "Close", "Got it"]);
                self.item(&format!("dialog {name} {{ TextView \"{sentence}\" Button \"{ok}\" -> close }}"));
                format!("Button {label} -> show {name}")
            }
            9 | 10 => {
                let aside = self.way_aside();
                format!("Button {label} -> {aside}")
            }
            _ => {
                let sentence = self.pick(&SENTENCES);
                format!("TextView \"{sentence}\"")
            }
        }
    }

    fn way_aside(&mut self) -> String {
        let side = self.pick(&self.sides.clone());
        if !self.sides_used.contains(&side) {
            self.sides_used.push(side);
        }
        format!("open {side}")
    }

    pub fn finish(mut self) -> String {
        for side in std::mem::take(&mut self.sides_used) {
            let lines: String = (0..1 + self.below(5))
                .map(|_| format!("    TextView \"{}\"\n", self.pick(&SENTENCES)))
                .collect();
            let end = if self.coin() { "    Button \"Done\" -> finish\n" } else { "" };
            self.text +=
                &format!("activity {side} .{side}Activity {{\n    TextView \"{side}\"\n{lines}{end}}}\n");
        }
        self.text
    }
}

/// Returns `text` with each of these names replaced by its value.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_string(), |text, (name, value)| text.replace(name, value))
}
