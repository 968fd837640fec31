//! Models of made-up apps, as text.
//!
//! Apps with different kinds of names draw the same chance for everything else: they have the same widgets in
//! the same order.

use farlead::rng::Rng;

use super::{Family, Names, chance};

/// Names of activities. None is part of another.
const NAMES: [&str; 20] = [
    "Main", "Account", "Basket", "Camera", "Detail", "Export", "Folder", "Gallery", "Help", "Inbox",
    "Journal", "Keys", "Library", "Map", "Notice", "Orders", "People", "Queue", "Reports", "Safety",
];

/// The activity that opens only after something was done elsewhere.
const VAULT: &str = "Vault";

/// Words on widgets without effect.
const WORDS: [&str; 12] =
    ["More", "Like", "Edit", "Sort", "Filter", "Info", "Copy", "Mark", "Move", "Hide", "Pin", "Mute"];

pub fn text(family: Family, number: u64, names: Names) -> String {
    let mut rng = chance(family, number, "model");
    let pages = match family {
        Family::Large => 14,
        Family::Vast => NAMES.len(),
        Family::Long => 6 + rng.below(5),
        _ => 5 + rng.below(4),
    };
    let draft = Draft {
        family,
        names,
        has_ids: names == Names::None && (number / 2) % 2 == 1,
        rng,
        labels: 0,
        items: String::new(),
        pages: (0..pages).map(Page::new).collect(),
    };
    draft.finish(number)
}

struct Page {
    name: &'static str,
    /// Variables, handlers and the widgets on top.
    head: String,
    /// Widgets, not yet in their order.
    pieces: Vec<String>,
    /// The widgets at the bottom.
    foot: String,
    /// Number of its own variables.
    owns: usize,
}

impl Page {
    fn new(at: usize) -> Page {
        Page { name: NAMES[at], head: String::new(), pieces: Vec::new(), foot: String::new(), owns: 0 }
    }

    /// Declares a variable of its own, and returns the variable's name.
    fn own(&mut self, first: &str) -> String {
        let name = format!("own_{}", self.owns);
        self.owns += 1;
        self.head += &format!("    own {name} = {first}\n");
        name
    }
}

/// A model in the making.
struct Draft {
    family: Family,
    names: Names,
    /// True if widgets without names have meaningless ids.
    has_ids: bool,
    rng: Rng,
    labels: usize,
    /// All items other than pages.
    items: String,
    pages: Vec<Page>,
}

impl Draft {
    fn finish(mut self, number: u64) -> String {
        let pages = self.pages.len();
        self.items += "app org.madeup \"Made up\" 1\ndisplay 1080x2400 160dpi\nlaunch Main\n";
        for at in 0..pages {
            let kept = if self.rng.coin() { "stored" } else { "session" };
            self.items += &format!("{kept} switch_{at} = false\n");
            self.switch(at);
        }
        match self.family {
            Family::Vast => self.long_ways(),
            _ => self.links(),
        }
        match self.family {
            Family::Clock => self.clock(number),
            Family::Feed => self.feeds(number),
            Family::Hidden => self.vault(number),
            Family::Chance => self.adverts(),
            Family::Crash => self.crashes(),
            Family::Outside => self.others(),
            Family::Vast => {
                self.rows();
                self.deep_crashes();
            }
            _ => {}
        }
        for at in 0..pages {
            let count = match self.family {
                Family::Large => 22 + self.rng.below(9),
                Family::Crash | Family::Outside => 6 + self.rng.below(5),
                Family::Vast => 2 + self.rng.below(8),
                _ => self.rng.below(5),
            };
            for _ in 0..count {
                let piece = self.nothing(at);
                self.pages[at].pieces.push(piece);
            }
        }
        let Draft { items: mut text, pages, mut rng, .. } = self;
        for (at, Page { name, head, mut pieces, foot, .. }) in pages.into_iter().enumerate() {
            text +=
                &format!("activity {name} .{name}Activity {{\n{head}    TextView \"You are here: {at}\"\n");
            // A shuffle, so that useful widgets are anywhere among the others.
            for place in (1..pieces.len()).rev() {
                pieces.swap(place, rng.below(place + 1));
            }
            text.extend(pieces.iter().map(|piece| format!("    {piece}\n")));
            text += &foot;
            text += "}\n";
        }
        text
    }

    /// Returns the properties that label a widget with `says`: a text, a description or an id.
    fn label(&mut self, says: &str) -> String {
        let kind = self.rng.below(6);
        self.labels += 1;
        let says = match self.names {
            Names::Good => says.to_string(),
            Names::Other => nonsense(says),
            Names::None if self.has_ids => return format!("#a{}", self.labels),
            Names::None => return String::new(),
        };
        match kind {
            0 => format!("desc \"{says}\""),
            1 => format!("#{}", says.to_lowercase().replace(' ', "_")),
            _ => format!("\"{says}\""),
        }
    }

    /// Returns the label of a widget that leads to `goal`; two in three such labels name it.
    fn label_to(&mut self, goal: &str) -> String {
        let says = if self.rng.below(3) < 2 { goal.to_string() } else { self.number_of("Item") };
        self.label(&says)
    }

    fn number_of(&mut self, word: &str) -> String {
        format!("{word} {}", self.rng.below(100))
    }

    /// Adds a check box for the switch of a page, and mostly a sign on some page that it is on.
    fn switch(&mut self, at: usize) {
        let label = self.label_to(&format!("Sign {at}"));
        self.pages[at]
            .pieces
            .push(format!("CheckBox {label} checked switch_{at} -> switch_{at} = !switch_{at}"));
        if self.rng.below(3) < 2 {
            let page = self.rng.below(self.pages.len());
            self.pages[page].foot += &format!("    when switch_{at} {{ TextView \"Sign {at} is on\" }}\n");
        }
    }

    /// Adds a way to every page, and at least as many between any two; some are open only while a switch is on.
    fn links(&mut self) {
        let pages = self.pages.len();
        for to in 1..pages {
            let from = self.rng.below(to);
            self.link(from, to, None);
        }
        for _ in 0..pages + self.rng.below(pages) {
            let (from, to) = (self.rng.below(pages), self.rng.below(pages));
            let needs = (self.rng.below(3) == 0).then(|| self.rng.below(pages));
            if from != to {
                self.link(from, to, needs);
            }
        }
    }

    /// Adds a way to every page from one of the three before it, and half as many between any two. One in four is open only
    /// while a switch on a page that comes before is on.
    fn long_ways(&mut self) {
        let pages = self.pages.len();
        for to in 1..pages {
            let from = to - 1 - self.rng.below(to.min(3));
            let needs = (self.rng.below(4) == 0).then(|| self.rng.below(to));
            self.link(from, to, needs);
        }
        for _ in 0..pages / 2 {
            let (from, to) = (self.rng.below(pages), self.rng.below(pages));
            let needs = (self.rng.below(4) == 0).then(|| self.rng.below(pages));
            if from != to {
                self.link(from, to, needs);
            }
        }
    }

    fn link(&mut self, from: usize, to: usize, needs: Option<usize>) {
        let goal = NAMES[to];
        let label = self.label_to(goal);
        let opens = self.opening(goal);
        let effect = needs.map_or(opens.clone(), |switch| format!("if switch_{switch} {{ {opens} }}"));
        let class = ["Button", "Button", "ImageButton", "TextView"][self.rng.below(4)];
        let piece = match self.rng.below(12) {
            0 => format!("{class} {label} {{ on longclick: {effect} }}"),
            1 => {
                let (yes, no, name) = (self.label("Yes"), self.label("No"), format!("Ask{}", self.labels));
                self.items += &format!(
                    "dialog {name} {{ TextView \"Are you sure?\" Button {yes} -> close; {effect} Button {no} -> close }}\n"
                );
                format!("{class} {label} -> show {name}")
            }
            _ => format!("{class} {label} -> {effect}"),
        };
        self.pages[from].pieces.push(piece);
    }

    /// Returns the effect that opens a page, perhaps with chance in between.
    fn opening(&mut self, goal: &str) -> String {
        if self.family != Family::Chance {
            return format!("open {goal}");
        }
        let percent = 10 + 10 * self.rng.below(5);
        match self.rng.below(4) {
            0 => format!("chance {{ {percent}% {{ show Offer }} else {{ open {goal} }} }}"),
            1 => format!("open {goal}; chance {{ {percent}% {{ open Advert }} }}"),
            2 => format!("chance {{ {}% {{ open {goal} }} }}", 100 - percent),
            _ => format!("open {goal}"),
        }
    }

    /// Returns a widget without effect, or with an unwanted one.
    fn nothing(&mut self, at: usize) -> String {
        // One in ten has a misleading name.
        let says = match self.rng.below(10) {
            0 => NAMES[self.rng.below(self.pages.len())].to_string(),
            _ => {
                let word = WORDS[self.rng.below(WORDS.len())];
                self.number_of(word)
            }
        };
        let label = self.label(&says);
        let is_bad = self.rng.coin();
        let way_out = ["open Web", "open Chooser", "leave"][self.rng.below(3)];
        let kind = self.rng.below(10);
        match self.family {
            Family::Crash if is_bad => {
                return format!("Button {label} -> crash \"java.lang.IllegalStateException\"");
            }
            Family::Outside if is_bad || kind < 4 => return format!("Button {label} -> {way_out}"),
            _ => {}
        }
        let labels = self.labels;
        let page = &mut self.pages[at];
        match kind {
            0 | 1 => format!("Button {label} clickable"),
            2 => {
                let own = page.own("false");
                format!("CheckBox {label} checked {own} -> {own} = !{own}")
            }
            3 => {
                let own = page.own("\"\"");
                format!("EditText {label} edits {own}")
            }
            4 => {
                let ok = self.label("OK");
                self.items +=
                    &format!("dialog Note{labels} {{ TextView \"Nothing new\" Button {ok} -> close }}\n");
                format!("Button {label} -> show Note{labels}")
            }
            5 => {
                let own = page.own("0");
                let rows = 4 + self.rng.below(12);
                format!(
                    "ListView scrolls tall 120 {{ for i in 1..{rows} {{ LinearLayout tall 30 -> {own} = i {{ TextView \"Row {{i}} of {{{own}}}\" }} }} }}"
                )
            }
            6 => {
                let own = page.own("0");
                format!("Button {label} -> {own} = ({own} + 1) % 4 {{ TextView \"{{{own}}} times\" }}")
            }
            7 => format!("Button {label} longclickable -> toast \"Done\""),
            8 => {
                let own = page.own("3");
                format!(
                    "SeekBar {label} {{ on swipe left: {own} = max({own} - 1, 0) on swipe right: {own} = min({own} + 1, 5) TextView \"{{{own}}}\" }}"
                )
            }
            _ => "TextView \"Nothing to see here\"".to_string(),
        }
    }

    /// Adds a text to every page that changes: with the time, at every visit, or every second.
    fn clock(&mut self, number: u64) {
        for page in &mut self.pages {
            page.head += match (number / 2) % 3 {
                0 => "    own drawn = random(0, 999)\n    TextView \"{now / 10 + drawn}\"\n",
                1 => {
                    "    own drawn = 0\n    on resume: drawn = random(0, 999)\n    TextView \"{drawn}, {now / 500}\"\n"
                }
                _ => "    own since = random(0, 999)\n    every 1s: since += 1\n    TextView \"{since} s\"\n",
            };
        }
    }

    /// Adds long lists to two pages; some of their rows lead to a page, and which ones changes with each visit.
    fn feeds(&mut self, number: u64) {
        let pages = self.pages.len();
        for at in [self.rng.below(2), 2 + self.rng.below(pages - 2)] {
            let rows = 30 + self.rng.below(171);
            let to = NAMES[1 + (at + self.rng.below(pages - 2)) % (pages - 1)];
            let every = 2 + self.rng.below(3);
            self.items += &format!("stored visits_{at} = 0, liked_{at} = 0\n");
            let page = &mut self.pages[at];
            let mut salt = format!("visits_{at}");
            if (number / 2) % 2 == 1 {
                page.head += "    own drawn = random(0, 499)\n";
                salt += " + drawn";
            }
            page.head += &format!("    on create: visits_{at} += 1\n");
            page.head += &format!("    TextView \"{{liked_{at}}} liked\"\n");
            let shown = format!("{{(i * 37 + ({salt}) * 11) % 997}}");
            let effect = format!(
                "if (i + {salt}) % {every} == 0 {{ open {to} }} else {{ liked_{at} = (liked_{at} + 1) % 50 }}"
            );
            let row = match self.names {
                Names::Good => format!("TextView \"Post {shown}\" tall 10 -> {effect}"),
                Names::Other => format!("TextView \"{} {shown}\" tall 10 -> {effect}", nonsense("Post")),
                Names::None => format!("LinearLayout tall 10 -> {effect} {{ TextView \"Post {shown}\" }}"),
            };
            page.foot += &format!("    ListView scrolls tall 1200 {{ for i in 1..{rows} {{ {row} }} }}\n");
        }
    }

    /// Adds a page behind a button that works only after a setting was changed, after something was stored on
    /// leaving, or at a second visit.
    fn vault(&mut self, number: u64) {
        let pages = self.pages.len();
        // Pages with low numbers are near the start.
        let (here, there) = (self.rng.below(4), self.rng.below(4));
        let label = self.label_to(VAULT);
        let setting = self.label_to("Open all");
        let otherwise = match self.rng.below(3) {
            0 => "toast \"Not yet\"".to_string(),
            _ => format!("open {}", NAMES[(here + 1 + self.rng.below(pages - 1)) % pages]),
        };
        self.items += "stored is_open = false\nactivity Vault .VaultActivity { TextView \"You made it\" }\n";
        match (number / 2) % 3 {
            0 => self.pages[there].pieces.push(format!("Button {setting} -> is_open = !is_open")),
            1 => {
                let page = &mut self.pages[there];
                let own = page.own("is_open");
                page.head += &format!("    on pause: is_open = {own}\n");
                page.pieces.push(format!("CheckBox {setting} checked {own} -> {own} = !{own}"));
            }
            _ => {
                self.items += "stored visits = 0\n";
                self.pages[here].head += "    on create: visits += 1; if visits >= 2 { is_open = true }\n";
            }
        }
        let gate = format!("Button {label} -> if is_open {{ open {VAULT} }} else {{ {otherwise} }}");
        self.pages[here].pieces.push(gate);
    }

    /// Adds interruptions: a dialog, an activity, and one of them when a page is created.
    fn adverts(&mut self) {
        let (yes, no, skip) = (self.label("Yes"), self.label("Later"), self.label("Skip"));
        self.items += &format!(
            "dialog Offer modal {{ TextView \"Rate us\" Button {yes} -> close; toast \"Thanks\" Button {no} -> close }}
activity Advert .AdvertActivity {{ TextView \"Buy now\" Button {skip} -> finish }}\n"
        );
        for page in &mut self.pages[1..] {
            page.head += match self.rng.below(4) {
                0 => "    on create when !recreated: chance { 20% { show Offer } }\n",
                1 => "    on create when !recreated: chance { 10% { open Advert } }\n",
                _ => "",
            };
        }
        // The pages above may have drawn only one kind or none, so one button opens both.
        self.pages[0].pieces.push("Button -> chance { 50% { show Offer } else { open Advert } }".to_string());
    }

    /// Adds keys and rotations that crash the app.
    fn crashes(&mut self) {
        for page in &mut self.pages {
            for handler in ["on back", "on menu", "on create when recreated"] {
                if self.rng.below(3) == 0 {
                    page.head += &format!("    {handler}: crash \"java.lang.NullPointerException\"\n");
                }
            }
        }
    }

    /// Adds up to six rows above the widgets of every page, as many as chance says at each visit.
    fn rows(&mut self) {
        for page in &mut self.pages {
            page.head += "    own rows = 0, read = 0
    on resume: rows = random(0, 6)
    for i in 1..rows { LinearLayout tall 30 -> read = i { TextView \"News {i} of {rows}\" } }
";
        }
    }

    /// Adds six crashes to pages far from the start: where a switch is on, at the third time, and after a long click.
    fn deep_crashes(&mut self) {
        let pages = self.pages.len();
        for nth in 0..6 {
            let at = pages / 3 + self.rng.below(pages - pages / 3);
            let fault = format!("crash \"org.madeup.Fault{nth}\"");
            let word = WORDS[self.rng.below(WORDS.len())];
            let says = self.number_of(word);
            let label = self.label(&says);
            let switch = self.rng.below(at);
            let page = &mut self.pages[at];
            let piece = match nth % 3 {
                0 => format!("Button {label} -> if switch_{switch} {{ {fault} }}"),
                1 => {
                    let own = page.own("0");
                    format!("Button {label} -> {own} = {own} + 1; if {own} == 3 {{ {fault} }}")
                }
                _ => format!("Button {label} {{ on longclick: {fault} }}"),
            };
            page.pieces.push(piece);
        }
    }

    /// Adds other apps and ways to them.
    fn others(&mut self) {
        let (reload, choice) = (self.label("Reload"), self.label("Bluetooth"));
        self.items += &format!(
            "activity Web com.android.browser/.BrowserActivity {{
    own loads = 0
    TextView \"http://example.com/{{loads}}\" Button {reload} -> loads = (loads + 1) % 3 Button clickable
}}
activity Chooser com.android.internal/.ChooserActivity {{
    TextView \"Share with\" Button {choice} -> finish Button -> open Web Button -> leave
}}\n"
        );
        let web = self.label("Visit us");
        let share = self.label("Share");
        self.pages[0].pieces.push(format!("Button {web} -> open Web"));
        self.pages[0].pieces.push(format!("Button {share} -> open Chooser"));
        for page in &mut self.pages[1..] {
            if self.rng.below(3) == 0 {
                page.head += "    on back: leave\n";
            }
        }
    }
}

/// Returns the text in a language of its own: each word backwards.
fn nonsense(says: &str) -> String {
    let backwards = |word: &str| -> String {
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            word.to_string()
        } else {
            word.to_lowercase().chars().rev().collect()
        }
    };
    says.split(' ').map(backwards).collect::<Vec<_>>().join(" ")
}
