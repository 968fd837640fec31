//! Directions of scrolls on recorded screens, judged by the bounds of the children alone.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use farlead::agent::PLANNER;
use farlead::device::{Ask, Decorator, Device, DeviceError, Observation, Sim, sim};
use farlead::gui::{
    Action, Bounds, Context, Direction, Flags, Hierarchy, Repertoire, Screen, Stroke, Widget, offers,
};
use farlead::rng::Seed;
use farlead::search::{Plan, search};
use farlead::spec::{Source, parse};

use crate::shared;

/// Classes of the recordings that scroll one way only, whatever lies in them.
const ONE_WAY: [&str; 5] = ["HorizontalScrollView", "ViewPager", "ScrollView", "ListView", "GridView"];

/// A scrollable widget of a recording.
struct Scrollable {
    class: String,
    children: Vec<Bounds>,
    offered: Vec<Direction>,
}

impl Scrollable {
    /// Returns true if two visible children share rows and one lies beside the other, and no two share columns and lie
    /// below each other.
    fn lies_sideways(&self) -> bool {
        let beside = |one: Bounds, other: Bounds| {
            one.top < other.bottom
                && other.top < one.bottom
                && (one.right <= other.left || other.right <= one.left)
        };
        self.any_pair(beside) && !self.any_pair(below)
    }

    fn lies_downwards(&self) -> bool {
        let turned = |at: Bounds| Bounds::new(at.top, at.left, at.bottom, at.right);
        self.any_pair(below) && !self.any_pair(|one, other| below(turned(one), turned(other)))
    }

    fn any_pair(&self, holds: impl Fn(Bounds, Bounds) -> bool) -> bool {
        self.children.iter().any(|&one| self.children.iter().any(|&other| holds(one, other)))
    }
}

fn below(one: Bounds, other: Bounds) -> bool {
    one.left < other.right && other.left < one.right && (one.bottom <= other.top || other.bottom <= one.top)
}

/// Returns the visible children of the widget at `at`.
fn children(widgets: &[Widget], at: usize) -> Vec<Bounds> {
    let depth = widgets[at].depth;
    let inside = widgets[at + 1..].iter().take_while(|widget| widget.depth > depth);
    inside
        .filter(|widget| widget.depth == depth + 1 && widget.is_visible())
        .map(|widget| widget.bounds)
        .collect()
}

/// Returns the visible widgets of a screen that scroll.
fn scrollables(screen: &Screen) -> Vec<Scrollable> {
    let mut offered: BTreeMap<String, Vec<Direction>> = BTreeMap::new();
    for action in offers(screen, &Repertoire::default()) {
        if let Action::Stroke(Stroke::Scroll, on, towards) = action {
            offered.entry(on.object_id.to_string()).or_default().push(towards);
        }
    }
    let mut found = Vec::new();
    screen.for_each_object(|at, widget, object_id| {
        let scrolls = widget.flags.has(Flags::SCROLLABLE.set(Flags::ENABLED, true)) && widget.is_visible();
        let offered = offered.remove(object_id).unwrap_or_default();
        assert_eq!(offered.is_empty(), !scrolls, "{}", widget.class);
        if scrolls {
            let class = widget.class.rsplit('.').next().expect("a name").to_string();
            found.push(Scrollable { class, children: children(screen.widgets(), at), offered });
        }
    });
    found
}

#[test]
fn recorded_lists_scroll_the_way_they_lie() {
    use Direction::{Down, Left, Right, Up};
    // Number of widgets by the directions that are offered.
    let (mut sideways, mut downwards, mut all) = (0, 0, 0);
    let mut read = 0;
    for folder in ["ui", "ui_derived"] {
        let Some(folder) = shared::path(&format!("android/{folder}")) else { return };
        let entries = fs::read_dir(folder).expect("a folder that can be listed");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            // Broken recordings are there for the tests of the reader.
            let Ok(hierarchy) = Hierarchy::read(&fs::read(&path).expect("a readable file")) else { continue };
            let screen = Screen::new("p", "p.A", Context::default(), hierarchy.widgets);
            read += 1;
            for scrollable in scrollables(&screen) {
                let Scrollable { class, offered, .. } = &scrollable;
                let file = path.display();
                match offered[..] {
                    [Left, Right] => sideways += 1,
                    [Up, Down] => downwards += 1,
                    [Up, Down, Left, Right] => all += 1,
                    _ => panic!("{file}: {class} scrolls {offered:?}"),
                }
                if !ONE_WAY.contains(&&**class) && scrollable.lies_sideways() {
                    assert_eq!(offered[..], [Left, Right], "{file}: {class}");
                }
                if !ONE_WAY.contains(&&**class) && scrollable.lies_downwards() {
                    assert_eq!(offered[..], [Up, Down], "{file}: {class}");
                }
                // Where the class decides, the children do not contradict it in any recording but for grids.
                if ["HorizontalScrollView", "ViewPager"].contains(&&**class) {
                    assert!(offered[..] == [Left, Right] && !scrollable.lies_downwards(), "{file}: {class}");
                }
                if ["ScrollView", "ListView"].contains(&&**class) {
                    assert!(offered[..] == [Up, Down] && !scrollable.lies_sideways(), "{file}: {class}");
                }
            }
        }
    }
    eprintln!(
        "{read} screens: {sideways} lists scroll sideways, {downwards} downwards, {all} may scroll either way"
    );
    assert_eq!((sideways, downwards, all), (4, 9, 18));
}

/// Returns the screen of a scrollable widget with these children, each with its class and bounds.
fn list(class: &str, children: &[(i32, i32, i32, i32)]) -> Screen {
    let scrolls = Flags::ENABLED.set(Flags::SCROLLABLE, true);
    let bounds = Bounds::new(0, 0, 1_080, 600);
    let mut widgets = vec![Widget { class: class.into(), bounds, flags: scrolls, ..Widget::default() }];
    widgets.extend(children.iter().map(|&(left, top, right, bottom)| Widget {
        depth: 1,
        class: "android.view.View".into(),
        bounds: Bounds::new(left, top, right, bottom),
        flags: Flags::ENABLED,
        ..Widget::default()
    }));
    Screen::new("p", "p.A", Context::default(), widgets)
}

#[test]
fn rows_of_compose_and_of_view_apps_scroll_sideways() {
    // A lazy row of cards, of which the last is cut off, and chips of a recycler of different heights.
    let cards = [(0, 20, 400, 580), (420, 20, 820, 580), (840, 20, 1_080, 580)];
    let chips = [(0, 0, 200, 90), (216, 10, 500, 80), (516, 0, 1_080, 90)];
    for class in ["android.view.View", "androidx.recyclerview.widget.RecyclerView"] {
        for children in [&cards, &chips] {
            let screen = list(class, children);
            let found = scrollables(&screen);
            assert!(found[0].lies_sideways());
            assert_eq!(found[0].offered, [Direction::Left, Direction::Right], "{class}");
        }
    }
}

#[test]
fn only_what_scrolls_and_takes_input_is_offered_a_scroll() {
    for flags in [Flags::SCROLLABLE, Flags::ENABLED, Flags::default()] {
        let mut widgets = list("android.widget.ListView", &[]).widgets().to_vec();
        widgets[0].flags = flags;
        assert!(scrollables(&Screen::new("p", "p.A", Context::default(), widgets)).is_empty());
    }
}

/// An app of pages that look alike, each with a list that only goes down though its screen does not tell so.
const PAGES: &str = "\
app org.pages \"Pages\" 1
launch Main
session page = 0
activity Main .Main {
    TextView \"Page {page}\"
    View #list scrolls tall 400 { View { for i in 1..40 { TextView \"Row {i}\" tall 100 } } }
    Button \"Next\" -> page += 1
}
";

/// The app, and the number of scrolls done in each direction.
struct Watched {
    sim: Sim,
    scrolls: BTreeMap<Direction, usize>,
}

impl Decorator for Watched {
    fn inner(&self) -> &dyn Device {
        &self.sim
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut self.sim
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        if let Ask::Act(Action::Stroke(Stroke::Scroll, _, towards)) = ask {
            *self.scrolls.entry(*towards).or_default() += 1;
        }
        ask.of(&mut self.sim)
    }
}

#[test]
fn a_direction_that_changed_nothing_is_tried_less_on_later_pages() {
    let read = sim::read(&Source::new("pages.app", PAGES));
    let model = Arc::new(read.model.unwrap_or_else(|| panic!("{:?}", read.diagnostics)));
    let file = parse(&Source::new("page.ltl", "possible \"far\": F [text = \"Page 99\"]")).file;
    let mut scrolls = BTreeMap::new();
    for seed in 1..=5 {
        let plan = Plan { steps_max: 15, episodes_max: 20, seed: Seed(seed), ..Plan::new(&PLANNER) };
        let mut app = Watched { sim: Sim::new(model.clone(), plan.seed), scrolls };
        search(&mut app, &file.specs[0], &plan, &mut |_| true).expect("the model runs");
        scrolls = app.scrolls;
    }
    let count = |towards| scrolls.get(&towards).copied().unwrap_or_default();
    let sideways = count(Direction::Left) + count(Direction::Right);
    assert!(sideways * 2 < count(Direction::Down), "{scrolls:?}");
}
