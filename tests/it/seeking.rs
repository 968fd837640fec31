//! A step finds the widget that it was recorded on, or none, whatever happens to the widgets around it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use farlead::gui::{
    Action, Around, Bounds, Context, Flags, Gap, Hierarchy, Near, Repertoire, Screen, Sought, ToldBy, Widget,
    offers, seek,
};

use crate::shared;

/// Name that no recorded widget has.
const STRANGE: &str = "Delete all data";

/// Widgets with a mark, which tells each of them again after a change.
type Marked = Vec<(Widget, u32)>;

#[derive(Clone, Debug)]
struct Tree(Marked);

impl Tree {
    fn new(screen: &Screen) -> Tree {
        Tree(screen.widgets().iter().cloned().zip(0..).collect())
    }

    fn screen(&self) -> Screen {
        let widgets = self.0.iter().map(|(widget, _)| widget.clone()).collect();
        Screen::new("p", "p.A", Context::default(), widgets)
    }

    fn end(&self, at: usize) -> usize {
        let depth = self.0[at].0.depth;
        (at + 1..self.0.len()).find(|&next| self.0[next].0.depth <= depth).unwrap_or(self.0.len())
    }

    /// Returns the next sibling of the widget at `at`.
    fn next(&self, at: usize) -> Option<usize> {
        let next = self.end(at);
        (self.0.get(next)?.0.depth == self.0[at].0.depth).then_some(next)
    }

    /// Returns the trees after a change to the widget at `at` and its siblings.
    fn changed(&self, at: usize) -> Vec<(&'static str, Tree)> {
        let end = self.end(at);
        let with = |kind, change: &dyn Fn(&mut Marked)| {
            let mut tree = self.clone();
            change(&mut tree.0);
            (kind, tree)
        };
        let unmarked = |widgets: &[(Widget, u32)]| -> Marked {
            widgets.iter().map(|(widget, _)| (widget.clone(), u32::MAX)).collect()
        };
        let stranger = |text: &str| {
            let Widget { depth, class, bounds, flags, .. } = self.0[at].0.clone();
            let flags = flags.set(Flags::CLICKABLE, true).set(Flags::ENABLED, true);
            (Widget { depth, class, bounds, flags, text: text.into(), ..Widget::default() }, u32::MAX)
        };
        let mut all = vec![
            with("removed", &|widgets| drop(widgets.drain(at..end))),
            with("a copy before it", &|widgets| {
                widgets.splice(at..at, unmarked(&self.0[at..end]));
            }),
            with("a copy after it", &|widgets| {
                widgets.splice(end..end, unmarked(&self.0[at..end]));
            }),
            with("a stranger before it", &|widgets| widgets.insert(at, stranger(STRANGE))),
            with("a nameless stranger before it", &|widgets| widgets.insert(at, stranger(""))),
            with("renamed", &|widgets| {
                for (widget, _) in &mut widgets[at..end] {
                    if !widget.text.is_empty() {
                        widget.text = STRANGE.into();
                    }
                    if !widget.desc.is_empty() {
                        widget.desc = STRANGE.into();
                    }
                }
            }),
        ];
        if let Some(next) = self.next(at) {
            let next_end = self.end(next);
            let swapped = [&self.0[next..next_end], &self.0[at..end]].concat();
            all.push(with("swapped with the next", &|widgets| {
                widgets.splice(at..next_end, swapped.clone());
            }));
        }
        all
    }
}

/// Number of cases by their end.
#[derive(Debug, Default)]
struct Cases {
    found: usize,
    missing: usize,
    /// Clicks whose widget is told by its place alone.
    by_place: usize,
    clicks: usize,
}

/// Most clicks of a screen, and most changed widgets near each: each case reads a screen anew.
const PER_SCREEN_MAX: usize = 24;

/// Most widgets of a screen; those of the largest recordings repeat a few.
const WIDGETS_MAX: usize = 400;

/// Changes the tree in all ways near each click of `screen`, and asserts that the click goes to its widget or nowhere.
#[track_caller]
fn check(name: &str, screen: &Screen, cases: &mut Cases) {
    let tree = Tree::new(screen);
    let clicks: Vec<Action> = offers(screen, &Repertoire::default())
        .into_iter()
        .filter(|action| action.target().is_some() && action.type_name() == "click")
        .collect();
    let mut places = BTreeMap::new();
    screen.for_each_object(|at, _, object_id| {
        places.insert(object_id.to_string(), at);
    });
    for click in clicks.iter().take(PER_SCREEN_MAX) {
        let around = Around::of(screen, click).expect("the screen offers the click");
        cases.clicks += 1;
        cases.by_place += usize::from(matches!(around.told_by, ToldBy::Place(_)));
        let object_id = click.target().expect("a click has a widget").object_id.clone();
        let own = places[&*object_id];
        assert_eq!(seek(screen, click, Some(&around)), Sought::Found(click.clone()), "{name}, {click}");
        // The siblings of the widget, and those of all it lies in.
        let mut near: Vec<usize> = vec![own];
        let parts: Vec<&str> = object_id.split(':').collect();
        for level in 0..parts.len() {
            let above = parts[..level].join(":");
            let is_sibling = |id: &str| match id.rsplit_once(':') {
                Some((parent, _)) => parent == above,
                None => above.is_empty(),
            };
            near.extend(places.iter().filter(|(id, at)| is_sibling(id) && **at != own).map(|(_, at)| *at));
        }
        for at in near.into_iter().take(PER_SCREEN_MAX) {
            for (kind, changed) in tree.changed(at) {
                let now = changed.screen();
                match seek(&now, click, Some(&around)) {
                    Sought::Found(found) => {
                        let found = &found.target().expect("a click has a widget").object_id;
                        let mut mark = None;
                        now.for_each_object(|at, _, object_id| {
                            if *object_id == **found {
                                mark = Some(changed.0[at].1);
                            }
                        });
                        assert_eq!(
                            mark,
                            Some(own as u32),
                            "{name}: {click} at {object_id} ({around:?}) went to {found} after a change at {at}: {kind}"
                        );
                        cases.found += 1;
                    }
                    Sought::Missing(_) => cases.missing += 1,
                }
            }
        }
    }
}

/// Asserts that a button without a name is called by the words in it, which a slow search finds too.
#[track_caller]
fn check_names(name: &str, screen: &Screen) {
    let widgets = screen.widgets();
    let parent = |at: usize| (0..at).rev().find(|&above| widgets[above].depth < widgets[at].depth);
    let takes_actions = |at: usize| {
        let flags = [Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::EDITABLE, Flags::SCROLLABLE];
        flags.into_iter().any(|flag| widgets[at].flags.has(flag))
    };
    let owner = |at: usize| {
        let mut above = parent(at);
        while let Some(at) = above.filter(|&at| !takes_actions(at)) {
            above = parent(at);
        }
        above
    };
    screen.for_each_object(|at, widget, object_id| {
        let has_name = [&widget.text, &widget.desc, &widget.id].iter().any(|name| !name.trim().is_empty());
        if has_name || !widget.flags.has(Flags::CLICKABLE.set(Flags::ENABLED, true)) || !widget.is_visible() {
            return;
        }
        let inner = (at + 1..widgets.len()).filter(|&other| {
            let says = &widgets[other];
            says.is_visible() && !takes_actions(other) && owner(other) == Some(at)
        });
        let mut words: Vec<&str> = Vec::new();
        for inner in inner {
            let (text, desc) = (widgets[inner].text.trim(), widgets[inner].desc.trim());
            words.extend([text, if desc == text { "" } else { desc }].iter().filter(|word| !word.is_empty()));
        }
        let words = words.join(", ");
        let clicks = offers(screen, &Repertoire::default());
        let is_click = |action: &&Action| {
            action.type_name() == "click" && action.target().is_some_and(|on| *on.object_id == *object_id)
        };
        let click = clicks.iter().find(is_click).expect("the click is offered");
        match click.detail().strip_suffix('…') {
            Some(start) => assert!(words.starts_with(start), "{name}, {object_id}: {words}"),
            None => assert_eq!(click.detail(), words, "{name}, {object_id}"),
        }
    });
}

fn screen(widgets: &[(u16, &str, &str, bool)]) -> Screen {
    let widgets = (0..).zip(widgets).map(|(at, &(depth, id, text, is_clickable))| Widget {
        depth,
        class: "android.view.View".into(),
        id: id.into(),
        text: text.into(),
        bounds: Bounds::new(0, at * 10, 100, at * 10 + 10),
        flags: Flags::ENABLED.set(Flags::CLICKABLE, is_clickable),
        ..Widget::default()
    });
    Screen::new("p", "p.A", Context::default(), widgets.collect())
}

/// Returns screens as today's toolkits make them.
fn made_up() -> [(&'static str, Screen); 4] {
    let settings = [
        (0, "", "", false),
        (1, "", "Settings", false),
        (1, "", "", true),
        (2, "", "Test connection", false),
        (1, "", "", true),
        (2, "", "Sign out", false),
    ];
    let list = [
        (0, "", "", false),
        (1, "p:id/row", "", true),
        (2, "", "Milk", false),
        (2, "", "", true),
        (2, "", "", true),
        (1, "p:id/row", "", true),
        (2, "", "Bread", false),
        (2, "", "", true),
        (2, "", "", true),
        (1, "p:id/row", "", true),
        (2, "", "Bread", false),
        (2, "", "", true),
        (2, "", "", true),
    ];
    let names = [
        (0, "", "", false),
        (1, "p:id/ok", "OK", true),
        (1, "", "Milk", false),
        (1, "p:id/other", "OK", true),
        (1, "", "Milk", false),
        (1, "p:id/cancel", "Cancel", true),
    ];
    let nothing = [(0, "", "", false), (1, "", "", true), (1, "", "", true), (1, "", "", true)];
    [("settings", &settings[..]), ("list", &list), ("names", &names), ("nothing", &nothing)]
        .map(|(name, widgets)| (name, screen(widgets)))
}

#[test]
fn a_click_goes_to_its_widget_or_nowhere_whatever_happens_around_it() {
    let mut cases = Cases::default();
    for (name, screen) in &made_up() {
        check_names(name, screen);
        check(name, screen, &mut cases);
    }
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/android/ui");
    for folder in [Some(own), shared::path("android/ui")].into_iter().flatten() {
        let files = std::fs::read_dir(folder).expect("a folder");
        let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        files.sort();
        for file in files {
            let Ok(hierarchy) = Hierarchy::read(&std::fs::read(&file).expect("a readable file")) else {
                continue;
            };
            let screen = hierarchy.into_screen("p", "p.A", Context::default());
            if screen.widgets().len() > WIDGETS_MAX {
                continue;
            }
            check_names(&file.display().to_string(), &screen);
            check(&file.display().to_string(), &screen, &mut cases);
        }
    }
    eprintln!("{cases:?}");
    assert!(cases.found > cases.missing, "most changes leave the widget to be found: {cases:?}");
}

#[test]
fn a_button_that_came_above_is_not_pressed() {
    let [(_, settings), ..] = made_up();
    let clicks = offers(&settings, &Repertoire::default());
    let test = clicks
        .iter()
        .find(|click| click.to_string() == "click \"Test connection\"")
        .expect("it is called so");
    let around = Around::of(&settings, test).expect("it is offered");
    let mut tree = Tree::new(&settings);
    let added = screen(&[(0, "", "", false), (1, "", "", true), (2, "", STRANGE, false)]);
    tree.0.splice(2..2, Tree::new(&added).0.drain(1..));
    let Sought::Found(found) = seek(&tree.screen(), test, Some(&around)) else { panic!("it is there") };
    assert_eq!(found.target().map(|on| &*on.object_id), Some("0:2"));
    tree.0.drain(4..6);
    let Sought::Missing(Some(near)) = seek(&tree.screen(), test, Some(&around)) else { panic!("it is gone") };
    assert_eq!(near.on.to_string(), format!("{STRANGE:?}"));
}

#[test]
fn rows_with_the_same_buttons_are_told_apart_by_their_words() {
    let [_, (_, list), ..] = made_up();
    let clicks = offers(&list, &Repertoire::default());
    let told: Vec<String> = clicks
        .iter()
        .filter(|click| click.target().is_some())
        .filter_map(|click| Around::of(&list, click))
        .map(|around| format!("{} {:?}", around.beside, around.told_by))
        .collect();
    let place = |number, of| format!("Place(Nth {{ number: {number}, of: {of} }})");
    assert_eq!(
        told,
        [
            "Bread, Bread Names".to_string(),
            format!("Milk {}", place(1, 2)),
            format!("Milk {}", place(2, 2)),
            format!("Milk, Bread {}", place(1, 2)),
            format!("Bread {}", place(1, 4)),
            format!("Bread {}", place(2, 4)),
            format!("Milk, Bread {}", place(2, 2)),
            format!("Bread {}", place(3, 4)),
            format!("Bread {}", place(4, 4)),
        ]
    );
}

#[test]
fn what_is_beside_a_widget_now_is_said_where_it_tells_the_difference() {
    let [.., (_, nothing)] = made_up();
    let click = &offers(&nothing, &Repertoire::default())[0];
    let around = Around::of(&nothing, click).expect("it is offered");
    let mut tree = Tree::new(&nothing);
    tree.0[0].0.text = STRANGE.into();
    let Sought::Missing(Some(Near { gap, .. })) = seek(&tree.screen(), click, Some(&around)) else {
        panic!("its surroundings are others")
    };
    assert_eq!(gap, Gap::Beside(STRANGE.into()));
}
