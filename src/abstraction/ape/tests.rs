//! Laws of the lattice, of trees and of the model, and the figures of the paper.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::lattice::{Deed, Gui, NO_WIDGET, Part};
use super::model::{Key, Model, Refined, State, Step};
use super::refine::{Change, Learner};
use super::tree::{Branch, Forest, Start, TreeId};
use crate::gui::{Bounds, Context, Flags, Outline, Repertoire, Screen, Widget, offers};
use crate::learned_model::{LearnedAbstraction, LearnedModel, Reducer};
use crate::rng::Seed;
use crate::situation::{ActivityId, LookId, ScreenId, View};

const CLICK: u32 = 3;
const BACK: u32 = 5;

fn part(parent: u32, index: u32, actions: u32, of_type: u64, text: u64) -> Part {
    Part {
        parent,
        index,
        actions,
        is_visible: true,
        is_row: false,
        of_type,
        text,
        ancestors: 0,
        place: u64::from(parent) << 32 | u64::from(index),
        has_text: true,
    }
}

/// Returns a list with a row of each text that takes clicks, and whatever is beside the list.
fn list(rows: &[u64], title: u64) -> Gui {
    let row = |(index, &text): (usize, &u64)| Part {
        is_row: true,
        // All rows of a list are one place.
        place: 7,
        ..part(0, index as u32, CLICK, 9, text)
    };
    let parts = [part(NO_WIDGET, 0, 0, 8, 0)].into_iter().chain(rows.iter().enumerate().map(row));
    let beside = part(NO_WIDGET, 1, 0, 10, title);
    gui(1, parts.chain([beside]).collect())
}

/// Returns a screen without actions.
fn viewer(window: u64) -> Gui {
    gui(window, vec![part(NO_WIDGET, 0, 0, 20, window)])
}

fn gui(window: u64, parts: Vec<Part>) -> Gui {
    Gui { window, parts: parts.into(), deeds: Box::default() }
}

fn see(learner: &mut Learner, screen: u32, gui: Gui) -> ScreenId {
    learner.model.see(ScreenId(screen), || gui);
    ScreenId(screen)
}

fn click(from: ScreenId, widget: u32, to: ScreenId) -> Step {
    Step { from, deed: Deed { widget, kind: CLICK }, to }
}

const IN_PLACE: Reducer = Reducer::INDEX.with(Reducer::PARENT);
const BY_NAME: Reducer = Reducer::TEXT.with(Reducer::PARENT);

/// The list in an order: its rows are the files in that order.
struct Files {
    learner: Learner,
    changes: Vec<Change>,
    screens: BTreeMap<Vec<u64>, ScreenId>,
    viewers: BTreeMap<u64, ScreenId>,
}

impl Files {
    fn new() -> Files {
        let mut learner = Learner::new(Start::Stoat, BACK);
        let viewers = [1, 2, 3].map(|kind| (kind, see(&mut learner, 100 + kind as u32, viewer(100 + kind))));
        Files { learner, changes: Vec::new(), screens: BTreeMap::new(), viewers: viewers.into() }
    }

    fn look(&mut self, order: &[u64]) -> ScreenId {
        let next = ScreenId(self.screens.len() as u32 + 1);
        let screen = *self.screens.entry(order.to_vec()).or_insert(next);
        see(&mut self.learner, screen.0, list(order, 0))
    }

    /// Clicks the row at `at`, and goes back to the list, where that file is the first one then.
    fn open(&mut self, order: &mut Vec<u64>, at: usize) {
        let from = self.look(order);
        let file = order.remove(at);
        order.insert(0, file);
        let (to, viewer) = (self.look(order), self.viewers[&file]);
        let back = Step { from: viewer, deed: Deed { widget: NO_WIDGET, kind: BACK }, to };
        for step in [click(from, at as u32 + 1, viewer), back] {
            self.changes.extend(self.learner.learn(step));
        }
    }
}

#[test]
fn the_files_of_the_paper_are_told_apart_by_place_then_by_name_and_then_by_name_alone() {
    let mut files = Files::new();
    let mut order = vec![1, 2, 3];
    files.open(&mut order, 0);
    assert_eq!(files.changes, []);
    // Two clicks, and the one action of the list has led to two viewers: L1.
    files.open(&mut order, 1);
    assert_eq!(files.changes, [Change::Refined(IN_PLACE)]);
    // The rows have swapped, so the first one leads to another viewer: L2.
    files.open(&mut order, 0);
    let by_both = IN_PLACE.with(Reducer::TEXT);
    assert_eq!(files.changes, [Change::Refined(IN_PLACE), Change::Refined(by_both)]);
    // More pictures of the same name: each order is a state of its own, until there are too many.
    order = vec![1, 1, 2, 3, 2];
    let mut rng = Seed(1).fork("test");
    for _ in 0..200 {
        let at = rng.below(order.len());
        files.open(&mut order, at);
    }
    let mut told: Vec<Change> = files.changes.clone();
    told.dedup();
    let coarsened = Change::Coarsened(by_both);
    let expected = [IN_PLACE, by_both].map(Change::Refined);
    let by_name = Change::Refined(BY_NAME);
    assert_eq!(told, [expected[0], expected[1], coarsened, by_name], "L1, L2, back to L1, L3");
    // One state, and three actions of it.
    let lists: Vec<&State> = files.learner.model.states.values().filter(|state| state.window == 1).collect();
    let [list] = lists[..] else { panic!("{lists:?}") };
    assert_eq!(list.actions.len(), 3);
    assert!(list.actions.values().all(|targets| targets.states.len() == 1));
}

/// A label whose texts explain nothing never becomes part of a name; without the trap, each of its texts was a state.
#[test]
fn a_text_that_is_new_at_each_look_is_never_taken_for_a_cause() {
    let mut learner = Learner::new(Start::Stoat, BACK);
    let (one, two) = (see(&mut learner, 1, viewer(2)), see(&mut learner, 2, viewer(3)));
    let mut changes = Vec::new();
    // The clock beside the list ticks, and the app answers by chance.
    for time in 0..40 {
        let from = see(&mut learner, 10 + time, list(&[1, 2], u64::from(time)));
        let (before, to) = if time % 3 == 0 { (one, two) } else { (two, one) };
        changes.extend(learner.learn(Step {
            from: before,
            deed: Deed { widget: NO_WIDGET, kind: BACK },
            to: from,
        }));
        changes.extend(learner.learn(click(from, 1, to)));
    }
    let texts = |change: &&Change| matches!(change, Change::Refined(reducer) if reducer.has(Reducer::TEXT));
    assert!(changes.iter().filter(texts).count() <= 3, "{changes:?}");
    assert!(learner.model.states.len() <= 10, "{:?}", learner.model.states.len());
}

#[test]
fn chance_and_what_back_leads_to_are_no_reason_to_refine() {
    let mut learner = Learner::new(Start::Stoat, BACK);
    let from = see(&mut learner, 1, list(&[1, 2], 0));
    let other = see(&mut learner, 2, list(&[2, 1], 0));
    let (one, two) = (see(&mut learner, 3, viewer(2)), see(&mut learner, 4, viewer(3)));
    let mut changes = learner.learn(click(from, 1, one));
    changes.extend(learner.learn(click(from, 1, two)));
    for (from, to) in [(from, one), (other, two)] {
        changes.extend(learner.learn(Step { from, deed: Deed { widget: NO_WIDGET, kind: BACK }, to }));
    }
    assert_eq!(changes, []);
}

#[test]
fn an_action_for_more_than_three_widgets_is_split_at_once() {
    let mut learner = Learner::new(Start::Stoat, BACK);
    let (from, three) = (see(&mut learner, 1, viewer(2)), see(&mut learner, 2, list(&[1, 2, 3], 0)));
    let four = see(&mut learner, 3, list(&[1, 2, 3, 3], 0));
    assert_eq!(learner.learn(click(from, 0, three)), []);
    assert_eq!(learner.learn(click(from, 0, four)), [Change::Refined(IN_PLACE)]);
}

#[test]
fn reducers_come_the_coarsest_first_and_each_once() {
    let all = Reducer::NOTHING.finer();
    assert_eq!(all.len(), 31);
    for (at, one) in all.iter().enumerate() {
        assert!(!all[at + 1..].iter().any(|later| one.is_finer(*later)), "{one:?}");
    }
    assert_eq!(Reducer::TYPE.finer().len(), 15);
}

fn view<'a>(screen: &'a Screen, outline: &'a Outline, actions: &'a [crate::gui::Action]) -> View<'a> {
    let (screen_id, activity, look) = (ScreenId(1), ActivityId(1), LookId(0));
    View { screen_id, activity, look, sign: 0, outline, offers: &[], actions, screen: Some(screen) }
}

#[test]
fn a_screen_in_numbers_has_its_rows_and_the_widget_of_each_action() {
    let widget = |depth, class: &str, text: &str, flags| Widget {
        depth,
        class: class.into(),
        text: text.into(),
        bounds: Bounds::new(0, 0, 9, 9),
        flags,
        ..Widget::default()
    };
    let (click, on) = (Flags::CLICKABLE.set(Flags::ENABLED, true), Flags::ENABLED);
    let widgets = vec![
        widget(0, "a.FrameLayout", "", on),
        widget(1, "a.ListView", "", on),
        widget(2, "a.TextView", "Holidays in May", click),
        widget(2, "a.TextView", "Holidays in June", click),
        widget(1, "a.Button", "Camera", click),
        widget(1, "a.TextView", "Camera", Flags::default()),
    ];
    let screen = Screen::new("p", "p.A", Context::default(), widgets);
    let actions = offers(&screen, &Repertoire::default());
    let gui = Gui::new(&view(&screen, &Outline::default(), &actions));
    let on_widgets = gui.deeds.iter().map(|deed| deed.widget).filter(|widget| *widget != NO_WIDGET);
    assert_eq!(on_widgets.collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(gui.deeds.len(), actions.len());
    let parts = &gui.parts;
    assert_eq!(
        parts.iter().map(|part| part.is_row).collect::<Vec<_>>(),
        [false, false, true, true, false, false]
    );
    assert_eq!(parts.iter().map(|part| part.index).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 2]);
    // Texts are told apart by their first eight letters, and rows lie in one place.
    assert!(parts[2].text == parts[3].text && parts[2].place == parts[3].place);
    assert_eq!((parts[0].actions, parts[2].actions), (0, parts[4].actions));
    let names = |start| -> Vec<u64> {
        let names = Forest::new(start).names(TreeId::FIRST, None, &gui);
        names.into_iter().map(|named| named.name).collect()
    };
    let count = |start| names(start).into_iter().collect::<BTreeSet<u64>>().len();
    // Nothing, the type of rows, the type of the button.
    assert_eq!(count(Start::Ape), 3);
    assert_eq!(count(Start::Lists), 3);
    assert_eq!(count(Start::ResourceId), 5);
    assert_eq!(count(Start::ParentIndex), 6);
    let stoat = names(Start::Stoat);
    assert_eq!((count(Start::Stoat), stoat[2]), (5, stoat[3]));
}

#[test]
fn screens_that_the_objective_tells_apart_are_never_one_state() {
    let screen = Screen::new("p", "p.A", Context::default(), vec![Widget::default()]);
    let crashed = screen.in_context(Context { crashed: true, ..Context::default() });
    let outline = Outline::default();
    let state = |screen: &Screen, look: u32| {
        let gui = Gui::new(&View { sign: look.into(), ..view(screen, &outline, &[]) });
        Model::new(Start::Ape).way(&Refined::default(), &gui).state
    };
    assert_eq!(state(&screen, 1), state(&screen, 1));
    assert_ne!(state(&screen, 1), state(&screen, 2));
    assert_ne!(state(&screen, 1), state(&crashed, 1));
}

#[test]
fn a_screen_of_too_many_widgets_is_named_and_never_refined() {
    let rows: Vec<u64> = (0..99_000).map(|row| row / 5).collect();
    let mut learner = Learner::new(Start::ResourceId, BACK);
    let (from, to) = (see(&mut learner, 1, viewer(2)), see(&mut learner, 2, list(&rows, 0)));
    assert_eq!(learner.learn(click(from, 0, to)), []);
    assert_eq!(learner.learn(click(to, 1, from)), []);
    assert_eq!(learner.learn(click(to, 2, to)), []);
    assert_eq!(learner.model.states.len(), 2);
}

/// Any screens: windows, rows and a title.
fn guis() -> impl Strategy<Value = Vec<Gui>> {
    let rows = prop::collection::vec(0_u64..4, 0..6);
    let one =
        (0_u64..3, rows, 0_u64..3).prop_map(|(window, rows, title)| Gui { window, ..list(&rows, title) });
    prop::collection::vec(one, 2..12)
}

/// Any steps between screens: the screen, a widget of it, the screen after it.
fn steps() -> impl Strategy<Value = Vec<(prop::sample::Index, u32, prop::sample::Index)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0_u32..7, any::<prop::sample::Index>()), 0..80)
}

/// Returns a model without screens that names widgets as this learner does now.
fn by_trees_of(learner: &Learner) -> Model {
    let mut model = Model::new(Start::Stoat);
    model.forest = learner.model.forest.clone();
    model.refined = learner.model.refined.clone();
    model
}

fn states(model: &Model) -> BTreeMap<Key, State> {
    let mut states = model.states.clone();
    for state in states.values_mut() {
        // Notes of the learner, which the states do not depend on.
        state.actions.values_mut().for_each(|targets| targets.examined = 0);
    }
    states
}

/// Attribute path of a widget by its definition: what is kept of it, and of what it lies in.
fn path(forest: &Forest, tree: TreeId, gui: &Gui, at: usize, reducer: Reducer) -> String {
    let part = &gui.parts[at];
    let mut path = format!("{reducer:?} takes {}", part.actions);
    for (primitive, attribute) in [
        (Reducer::TYPE, part.of_type),
        (Reducer::INDEX, part.index.into()),
        (Reducer::TEXT, part.text),
        (Reducer::ANCESTOR, part.ancestors),
    ] {
        if reducer.has(primitive) {
            path += &format!(", {primitive:?} {attribute}");
        }
    }
    if reducer.has(Reducer::PARENT) && part.parent != NO_WIDGET {
        let parent = part.parent as usize;
        let above = forest.reducer(tree, forest.names(tree, None, gui)[parent].node);
        path = format!("<{}> / {path}", self::path(forest, tree, gui, parent, above));
    }
    path
}

proptest! {
    #[test]
    fn what_is_rebuilt_is_the_model_that_the_last_abstraction_makes_from_the_start(
        guis in guis(),
        steps in steps(),
        kept in 0_u32..14,
    ) {
        let mut learner = Learner::new(Start::Stoat, BACK);
        let mut taken = Vec::new();
        for (from, widget, to) in steps {
            let [from, to] = [from, to].map(|at| {
                let at = at.index(guis.len());
                see(&mut learner, at as u32, guis[at].clone())
            });
            // Some steps are of the device.
            let kind = if widget == 0 { BACK } else { CLICK };
            let step = Step { from, deed: Deed { widget, kind }, to };
            learner.learn(step);
            taken.push(step);
            let mut anew = by_trees_of(&learner);
            for step in &taken {
                for screen in [step.from, step.to] {
                    anew.see(screen, || guis[screen.0 as usize].clone());
                }
                anew.add(*step);
            }
            prop_assert_eq!(states(&anew), states(&learner.model));
            for state in anew.states.values() {
                let alike = anew.states.values().filter(|other| other.window == state.window).count();
                prop_assert_eq!(learner.model.states_of(state.window), alike);
                for above in &state.above {
                    let below = learner.model.below(*above).len();
                    prop_assert_eq!(learner.model.states_below(*above), below);
                }
            }
        }
        // What is left after some is forgotten is the model of the rest.
        let is_kept = |screen: ScreenId| screen.0 < kept;
        learner.retain(&is_kept);
        let mut anew = by_trees_of(&learner);
        let mut screens: Vec<ScreenId> = taken.iter().flat_map(|step| [step.from, step.to]).collect();
        screens.retain(|screen| is_kept(*screen));
        screens.iter().for_each(|screen| anew.see(*screen, || guis[screen.0 as usize].clone()));
        taken.retain(|step| is_kept(step.from) && is_kept(step.to));
        taken.iter().for_each(|step| anew.add(*step));
        prop_assert_eq!(states(&anew), states(&learner.model));
    }

    #[test]
    fn what_goes_on_from_a_file_names_all_screens_as_the_run_that_wrote_it(
        guis in guis(),
        steps in steps(),
        noise in prop::collection::btree_set(any::<u64>(), 0..4),
    ) {
        let mut learner = Learner::new(Start::Stoat, BACK);
        noise.iter().for_each(|place| learner.model.texts.know(*place));
        let mut taken = Vec::new();
        for (from, widget, to) in steps {
            let [from, to] = [from, to].map(|at| {
                let at = at.index(guis.len());
                see(&mut learner, at as u32, guis[at].clone())
            });
            let kind = if widget == 0 { BACK } else { CLICK };
            let step = Step { from, deed: Deed { widget, kind }, to };
            learner.learn(step);
            taken.push(step);
        }
        let naming = learner.naming("ape:stoat");
        let abstraction = LearnedAbstraction { naming: naming.clone(), ..LearnedAbstraction::default() };
        let mut model = LearnedModel::default();
        model.abstraction = Some(abstraction.into());
        let read = LearnedModel::read(&model.to_text()).expect("what was written").abstraction;
        let read = read.expect("an abstraction").naming;
        prop_assert_eq!(&read, &naming);
        let mut other = Learner::new(Start::Stoat, BACK);
        other.go_on(&read);
        for gui in &guis {
            let [one, two] = [&learner.model, &other.model].map(|model| model.way(&model.refined, gui));
            prop_assert_eq!((one.state, one.names), (two.state, two.names));
        }
        // The steps of the earlier run change nothing, and make the same model.
        for step in &taken {
            for screen in [step.from, step.to] {
                see(&mut other, screen.0, guis[screen.0 as usize].clone());
            }
            other.know(*step);
        }
        prop_assert_eq!(states(&other.model), states(&learner.model));
        prop_assert_eq!(other.naming("ape:stoat"), naming);
    }

    #[test]
    fn widgets_share_a_name_if_and_only_if_they_share_the_attribute_path(
        guis in guis(),
        branches in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..8),
    ) {
        let (mut forest, mut tree) = (Forest::new(Start::Stoat), TreeId::FIRST);
        for (widget, finer) in branches {
            let all: Vec<_> = guis.iter().flat_map(|gui| forest.names(tree, None, gui)).collect();
            let named = all[widget.index(all.len())];
            let reducers = forest.reducer(tree, named.node).finer();
            if reducers.is_empty() {
                continue;
            }
            let reducer = reducers[finer.index(reducers.len())];
            let branch = Branch { at: named.node, selector: named.name, reducer };
            let before: Vec<_> = guis.iter().map(|gui| forest.names(tree, Some(&branch), gui)).collect();
            tree = forest.grow(tree, branch);
            let after: Vec<_> = guis.iter().map(|gui| forest.names(tree, None, gui)).collect();
            prop_assert_eq!(before, after, "a branch that is tried names as one that is grown");
        }
        let mut names: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for gui in &guis {
            for (at, named) in forest.names(tree, None, gui).into_iter().enumerate() {
                let path = path(&forest, tree, gui, at, forest.reducer(tree, named.node));
                names.entry(path).or_default().insert(named.name);
            }
        }
        prop_assert!(names.values().all(|names| names.len() == 1), "a path has one name");
        let all: BTreeSet<u64> = names.values().flatten().copied().collect();
        prop_assert_eq!(all.len(), names.len(), "a name is of one path");
    }
}
