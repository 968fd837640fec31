//! Walks by chance, in which buttons and fields are drawn more often than keys.
//!
//! A page offers a dozen keys and gestures besides its own buttons, and a field takes many texts; drawn evenly, they would take
//! most of the steps. Two of five texts are sent at once, by enter or by a button beside the field; the others stay in it while
//! something else is done. A field that a step has opened, and a button that it has brought, are used at once as a rule, as they
//! go with most other steps. Actions that a watched spec names come first where they were not done yet: on a page of this shape,
//! after the action before. Of the others, those that mostly lead to fewer offers come later: many faults need a page with
//! several things on it.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::super::groups::groups;
use super::cover::worth;
use super::inputs::{forms, is_within, options, rows};
use super::yields::is_typing;
use crate::gui::{Action, DeviceAction, Flags, Screen, Target, Touch, Widget, is_button, is_option};
use crate::rng::Rng;
use crate::situation::{ActivityId, ClassId, LabelingId, Scene, Situation};

/// Chance that a text is sent right after it was typed.
const SENT: f64 = 0.4;
/// Chance that a button sends it where enter could, too.
const BY_BUTTON: f64 = 0.5;
/// Most buttons that a step brings and that are used at once.
const BROUGHT_MAX: usize = 3;
/// Most times that a button is used at once: two buttons may bring each other for ever.
const USED_MAX: i32 = 3;
/// Chance that a button or a field is used right after it was brought or opened. This number and those below were chosen on programs
/// that answer as `todos`, `vdom`, `routes` and `forms` of `tests/pages` do with faults.
const USED: f64 = 0.8;
/// Weight of a text for a field, of emptying it, and of a key of the browser. A click has that of coverage.
const FILLING: f64 = 2.0;
const EMPTYING: f64 = 0.7;
const EMPTYING_OPENED: f64 = 3.0;
const EMPTYING_EMPTY: f64 = 0.1;
const KEY: f64 = 0.06;
/// Factor on the weight of enter in an empty field.
const ENTER_EMPTY: f64 = 0.2;
/// Factor on the weight of an action that no spec names, if more of its steps led to fewer offers than to more.
const SHRINKING: f64 = 0.4;
/// Weight of a text that the field has already.
const SAME: f64 = 0.02;
/// Factor on the weight of a text that stands on a widget to click, as it mostly comes from a condition on that widget.
const ON_WIDGET: f64 = 0.3;
/// Factor on the weight of an action that a spec names and that was not done yet where it is new; and of a text that meets a
/// condition of a spec.
const NAMED: f64 = 4.0;
/// Most named actions, most texts, and most effects, that are remembered.
const DONE_MAX: usize = 10_000;

/// Named action with what makes it new: the activity, the shape of the page, and the class of the action before.
type Named = (ActivityId, u64, ClassId, ClassId);

/// The member that walks.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Field of the last choice, if that was a text.
    typed_into: Option<Arc<str>>,
    /// Class of the last choice.
    last: ClassId,
    /// Screen of the last choice.
    before: Option<Arc<Screen>>,
    /// Named actions that were done.
    done: FxHashSet<Named>,
    /// Number of times that each text was typed into each field.
    typed: FxHashMap<u64, u32>,
    /// Name of the last choice, and the number of offers it was made of.
    taken: Option<(LabelingId, usize)>,
    /// True if the last choice was a click on a button, or enter.
    has_sent: bool,
    /// Number of times that each button was used as soon as it was brought.
    used: FxHashMap<LabelingId, i32>,
    /// Number of steps by actions of each name that led to more offers, less those that led to fewer.
    growth: FxHashMap<LabelingId, i32>,
}

impl Walk {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.typed_into = None;
        self.last = ClassId::UNNAMED;
        self.before = None;
        self.taken = None;
        self.has_sent = false;
    }

    /// Draws a candidate: a kind of action on a widget by its weight, and one of this kind.
    pub fn next(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> u16 {
        let scene = situation.scene;
        self.learn(scene);
        let shape = shape(scene);
        let at = self.draw(situation, shape, rng);
        let class = scene.offers[usize::from(at)].class;
        let last = self.last;
        self.pass(scene, at);
        if let Action::Text { on, text } = &scene.actions[usize::from(at)] {
            self.typed_into = Some(on.object_id.clone());
            if self.typed.len() < DONE_MAX {
                *self.typed.entry(text_number(scene, at, text)).or_insert(0) += 1;
            }
        } else if class != ClassId::UNNAMED && self.done.len() < DONE_MAX {
            self.done.insert((scene.activity, shape, class, last));
        }
        at
    }

    /// Notes a choice, of whoever has made it.
    #[inline(never)]
    pub fn pass(&mut self, scene: &Scene, at: u16) {
        let offer = &scene.offers[usize::from(at)];
        self.typed_into = None;
        self.last = offer.class;
        self.before = scene.screen.clone();
        self.taken = Some((offer.labeling, scene.offers.len()));
        self.has_sent = match &scene.actions[usize::from(at)] {
            Action::Touch(Touch::Click, on) => is_button(&on.class),
            action => *action == Action::Device(DeviceAction::Enter),
        };
    }

    /// Returns the clicks among `candidates` on options of a list that the last step has opened, or else on buttons that it has
    /// brought, as a dialog does; none if these are many. Buttons of rows in a list are left out, as they come with each row,
    /// and so is what was often used at once.
    #[inline(never)]
    pub fn brought(&self, scene: &Scene, candidates: &[u16]) -> Vec<u16> {
        let (Some(before), Some(screen)) = (&self.before, &scene.screen) else { return Vec::new() };
        let is_it = |widget: &Widget| {
            (self.has_sent && is_button(&widget.class) || is_option(&widget.class)) && widget.is_visible()
        };
        let is_known = |button: &Widget| {
            let is_alike = |other: &Widget| {
                (&other.id, &other.text, &other.desc) == (&button.id, &button.text, &button.desc)
            };
            before.widgets().iter().any(|other| is_it(other) && is_alike(other))
        };
        let is_new = |at: &u16| {
            matches!(scene.actions[usize::from(*at)], Action::Touch(Touch::Click, _))
                && scene.widget(*at).is_some_and(|widget| is_it(widget) && !is_known(widget))
        };
        // A form that comes with its buttons is to be filled first.
        let used_max = if has_new_field(before, screen) { 1 } else { USED_MAX };
        let is_used_up = |at: &u16| {
            let labeling = scene.offers[usize::from(*at)].labeling;
            self.used.get(&labeling).is_some_and(|&times| times >= used_max)
        };
        let mut brought: Vec<u16> = candidates.iter().copied().filter(is_new).collect();
        let mut options = options(scene, &brought);
        if !options.is_empty() {
            options.retain(|at| !is_used_up(at));
            return options;
        }
        if brought.is_empty() || brought.len() > BROUGHT_MAX {
            return Vec::new();
        }
        let rows = rows(screen);
        brought.retain(|&at| {
            let on = scene.actions[usize::from(at)].target();
            !is_used_up(&at) && on.is_some_and(|on| !rows.iter().any(|row| is_within(&on.object_id, row)))
        });
        brought
    }

    /// Learns the effect of the last choice, which has led to `scene`.
    fn learn(&mut self, scene: &Scene) {
        if let Some((labeling, offers)) = self.taken
            && self.growth.len() < DONE_MAX
        {
            *self.growth.entry(labeling).or_insert(0) += scene.offers.len().cmp(&offers) as i32;
        }
    }

    fn draw(&mut self, situation: &Situation<'_>, shape: u64, rng: &mut Rng) -> u16 {
        let Situation { scene, candidates, .. } = *situation;
        let action = |at: u16| &scene.actions[usize::from(at)];
        if let Some(at) = self.sender(scene, candidates, rng) {
            return at;
        }
        let brought = self.brought(scene, candidates);
        if !brought.is_empty() && rng.unit() < USED {
            // Yes comes after no.
            let times =
                |at: &u16| self.used.get(&scene.offers[usize::from(*at)].labeling).copied().unwrap_or(0);
            let least = brought.iter().map(times).min();
            let least: Vec<u16> = brought.iter().copied().filter(|at| Some(times(at)) == least).collect();
            let at = least[rng.below(least.len())];
            if self.used.len() < DONE_MAX {
                *self.used.entry(scene.offers[usize::from(at)].labeling).or_insert(0) += 1;
            }
            return at;
        }
        let of_opened = self.of_opened(scene, candidates);
        let is_used = !of_opened.is_empty() && rng.unit() < USED;
        let drawn_from = if is_used { of_opened } else { candidates.to_vec() };
        let mut kinds: Vec<Vec<u16>> = Vec::new();
        for kind in groups(&scene.actions, drawn_from.into_iter()).into_iter().flat_map(|group| group.kinds) {
            let (empties, fills) = kind.into_iter().partition(|&at| empties(action(at)));
            kinds.extend([empties, fills].into_iter().filter(|kind: &Vec<u16>| !kind.is_empty()));
        }
        let weight = |kind: &Vec<u16>| {
            let news = if self.is_named_and_new(scene, shape, kind[0]) { NAMED } else { 1.0 };
            let shrinking = if !is_used && self.is_shrinking(scene, kind[0]) { SHRINKING } else { 1.0 };
            weight(scene, kind[0], is_used) * news * shrinking
        };
        let kind = &kinds[rng.by_weight(kinds.iter().map(weight))];
        kind[rng.by_weight(kind.iter().map(|&at| self.weight_of_text(scene, at)))]
    }

    /// Returns an action that sends the text just typed, by chance: enter, or a button beside the field.
    fn sender(&self, scene: &Scene, candidates: &[u16], rng: &mut Rng) -> Option<u16> {
        let field = self.typed_into.as_ref()?;
        let is_enter = |at: &u16| scene.actions[usize::from(*at)] == Action::Device(DeviceAction::Enter);
        let enter = candidates.iter().copied().find(is_enter);
        let buttons = buttons_beside(scene, candidates, field);
        if enter.is_none() && buttons.is_empty() || rng.unit() >= SENT {
            return None;
        }
        match enter {
            Some(enter) if buttons.is_empty() || rng.unit() >= BY_BUTTON => Some(enter),
            Some(_) | None => Some(buttons[rng.below(buttons.len())]),
        }
    }

    fn is_named_and_new(&self, scene: &Scene, shape: u64, at: u16) -> bool {
        let class = scene.offers[usize::from(at)].class;
        !is_typing(&scene.actions[usize::from(at)])
            && class != ClassId::UNNAMED
            && !self.done.contains(&(scene.activity, shape, class, self.last))
    }

    /// Returns true if no spec names the action at `at`, and it mostly leads to fewer offers.
    fn is_shrinking(&self, scene: &Scene, at: u16) -> bool {
        let offer = &scene.offers[usize::from(at)];
        !is_typing(&scene.actions[usize::from(at)])
            && offer.class == ClassId::UNNAMED
            && self.growth.get(&offer.labeling).is_some_and(|&growth| growth < 0)
    }

    /// Returns the weight of an action among those of its kind: texts come the later, the more often they were typed, and
    /// later if they stand on a widget to click.
    fn weight_of_text(&self, scene: &Scene, at: u16) -> f64 {
        let Action::Text { text, .. } = &scene.actions[usize::from(at)] else { return 1.0 };
        let is_on_widget = |widget: &Widget| {
            widget.text == *text && widget.flags.has(Flags::CLICKABLE) && !widget.flags.has(Flags::EDITABLE)
        };
        let times = self.typed.get(&text_number(scene, at, text)).copied().unwrap_or_default();
        if scene.widget(at).is_some_and(|field| field.text == *text) {
            return SAME;
        }
        let is_named = scene.offers[usize::from(at)].class != ClassId::UNNAMED;
        let weight = if is_named { NAMED } else { 1.0 } / f64::from(1 + times);
        if scene.widgets().iter().any(is_on_widget) { ON_WIDGET * weight } else { weight }
    }

    /// Returns those of `candidates` that use a field which the last step has opened: its texts, and the keys it takes.
    fn of_opened(&self, scene: &Scene, candidates: &[u16]) -> Vec<u16> {
        let Some(before) = &self.before else { return Vec::new() };
        let is_opened = |field: &Widget| is_new_field(before, field);
        if !scene.widgets().iter().any(is_opened) {
            return Vec::new();
        }
        let is_for_opened = |&at: &u16| match &scene.actions[usize::from(at)] {
            Action::Text { .. } => scene.widget(at).is_some_and(is_opened),
            Action::Device(DeviceAction::Enter | DeviceAction::Escape) => {
                scene.screen.as_ref().and_then(|screen| screen.focused_field()).is_some_and(is_opened)
            }
            Action::Device(_)
            | Action::Touch(..)
            | Action::Stroke(..)
            | Action::User { .. }
            | Action::Reinitialise(_) => false,
        };
        candidates.iter().copied().filter(is_for_opened).collect()
    }
}

/// Returns true for a field that `before` has not.
fn is_new_field(before: &Screen, field: &Widget) -> bool {
    let is_alike =
        |other: &Widget| (&field.class, &field.id, &field.desc) == (&other.class, &other.id, &other.desc);
    field.flags.has(Flags::EDITABLE) && !before.widgets().iter().any(is_alike)
}

/// Returns true if `after` has a field that `before` has not.
fn has_new_field(before: &Screen, after: &Screen) -> bool {
    after.widgets().iter().any(|widget| widget.is_visible() && is_new_field(before, widget))
}

/// Returns a number that pages share which show the same kinds of widgets, each once or several times.
fn shape(scene: &Scene) -> u64 {
    let mut kinds: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for widget in scene.widgets() {
        kinds
            .entry((&widget.class, &widget.id))
            .and_modify(|is_repeated| *is_repeated = true)
            .or_insert(false);
    }
    number(&kinds)
}

/// Returns the number of a text for the field that the offer at `at` acts on. A field in a list shares it with its like.
fn text_number(scene: &Scene, at: u16, text: &str) -> u64 {
    number(&(scene.widget(at).map(|field| (&field.class, &field.id, &field.desc)), text))
}

fn number(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Returns the clicks among `candidates` on buttons of the form that `field` is in; without a form, on buttons that stand beside
/// it.
fn buttons_beside(scene: &Scene, candidates: &[u16], field: &str) -> Vec<u16> {
    fn around(id: &str) -> Option<&str> {
        id.rsplit_once(':').map(|(around, _)| around)
    }
    let forms = scene.screen.as_ref().map_or_else(Vec::new, |screen| forms(screen));
    let form = forms.iter().rfind(|form| is_within(field, form));
    let is_beside = |on: &Target| match form {
        Some(form) => is_within(&on.object_id, form),
        None => around(&on.object_id) == around(field),
    };
    let is_it = |action: &Action| matches!(action, Action::Touch(Touch::Click, on) if is_button(&on.class) && is_beside(on));
    candidates.iter().copied().filter(|&at| is_it(&scene.actions[usize::from(at)])).collect()
}

fn empties(action: &Action) -> bool {
    matches!(action, Action::Text { text, .. } if text.is_empty())
}

fn weight(scene: &Scene, at: u16, is_opened: bool) -> f64 {
    let is_empty = |at: u16| scene.widget(at).is_some_and(|field| field.text.is_empty());
    match &scene.actions[usize::from(at)] {
        action if empties(action) && is_empty(at) => EMPTYING_EMPTY,
        action if empties(action) && is_opened => EMPTYING_OPENED,
        action if empties(action) => EMPTYING,
        Action::Text { .. } => FILLING,
        Action::Device(DeviceAction::Enter) => {
            let field = scene.screen.as_ref().and_then(|screen| screen.focused_field());
            let is_empty = field.is_some_and(|field| field.text.is_empty());
            worth(scene, at) * if is_empty { ENTER_EMPTY } else { 1.0 }
        }
        Action::Device(_) => KEY,
        Action::Touch(..) | Action::User { .. } | Action::Stroke(..) | Action::Reinitialise(_) => {
            worth(scene, at)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Context};
    use crate::rng::Seed;
    use crate::situation::PhaseId;

    /// Counts the choices of 1,000 walks at the last of these screens, each with its actions.
    fn choices(scenes: &[&Scene]) -> Vec<usize> {
        let mut counts = vec![0; scenes.last().expect("a screen").actions.len()];
        for walk in 0..1_000 {
            let (mut rng, mut at) = (Seed(walk).fork("walk"), 0);
            let mut walk = Walk::default();
            for scene in scenes {
                let all: Vec<u16> = (0..scene.slots).collect();
                let (candidates, preferred) = (&all[..], &all[..]);
                let phase = PhaseId::START;
                at = walk.next(&Situation { scene, phase, steps_left: 9, candidates, preferred }, &mut rng);
            }
            counts[usize::from(at)] += 1;
        }
        counts
    }

    fn widget(class: &str, text: &str, flags: Flags) -> Widget {
        Widget {
            depth: 0,
            class: class.into(),
            id: "".into(),
            text: text.into(),
            desc: "".into(),
            bounds: Bounds::new(0, 0, 9, 9),
            flags: flags.set(Flags::ENABLED, true),
        }
    }

    #[test]
    fn a_text_is_sent_by_enter_or_by_a_button_beside_its_field() {
        let on = |object_id: &str, class: &str| Target {
            object_id: object_id.into(),
            class: class.into(),
            ..Target::default()
        };
        let (field, button) = (on("0:0", "input textbox"), |at: &str| on(at, "button button"));
        let mut actions = vec![Action::Text { on: field, text: "a".into() }];
        // Far away are ten other buttons.
        actions.extend((1..11).map(|at| Action::click(button(&format!("1:{at}")))));
        actions.extend([Action::click(button("0:1")), Action::Device(DeviceAction::Enter)]);
        let typed = Scene::numbered(vec![actions[0].clone()], None);
        let counts = choices(&[&typed, &Scene::numbered(actions.clone(), None)]);
        let (beside, enter) = (counts[11], counts[12]);
        assert!(beside > 200 && enter > 200, "{beside} and {enter} of 1,000");
        let counts = choices(&[&Scene::numbered(actions, None)]);
        assert!(counts[11] < 150, "{} of 1,000 without a text", counts[11]);
        // A form has its button farther away.
        let mut widgets =
            vec![widget("form form", "", Flags::default()), widget("p -", "", Flags::default())];
        widgets[1].depth = 1;
        let screen = Screen::new("http://p", "/", Context::default(), widgets);
        let in_form = [on("0:0:0", "input textbox"), button("0:1:0"), button("1")];
        let form = Scene::numbered(in_form.into_iter().map(Action::click).collect(), Some(screen));
        assert_eq!(buttons_beside(&form, &[0, 1, 2], "0:0:0"), [1]);
        assert_eq!(buttons_beside(&typed, &[0], "0:0"), [0; 0]);
    }

    #[test]
    fn enter_is_rare_in_an_empty_field() {
        let entered = |text: &str| {
            let field = widget("Field", text, Flags::EDITABLE.set(Flags::FOCUSED, true));
            let screen = Screen::new("p", "A", Context::default(), vec![field]);
            let row = Action::click(Target { object_id: "1".into(), ..Target::default() });
            choices(&[&Scene::numbered(vec![row, Action::Device(DeviceAction::Enter)], Some(screen))])[1]
        };
        let (empty, filled) = (entered(""), entered("a"));
        assert!(2 * empty < filled, "{empty} of 1,000 in an empty field, {filled} in another");
    }

    #[test]
    fn texts_that_were_not_typed_come_before_others_and_those_that_a_spec_names_first() {
        let text = |text: u32| Action::Text {
            on: Target { object_id: "0".into(), ..Target::default() },
            text: text.to_string().into(),
        };
        let plain = Scene::numbered((0..10).map(text).collect(), None);
        let all: Vec<u16> = (0..10).collect();
        let phase = PhaseId::START;
        let situation = Situation { scene: &plain, phase, steps_left: 9, candidates: &all, preferred: &all };
        let different: usize = (0..1_000)
            .map(|seed| {
                let (mut walk, mut rng) = (Walk::default(), Seed(seed).fork("walk"));
                (0..10).map(|_| walk.next(&situation, &mut rng)).collect::<FxHashSet<u16>>().len()
            })
            .sum();
        // Ten texts drawn evenly are 6.5 different ones.
        assert!(different > 7_000, "{different} in 1,000 walks of ten");
        let mut offers = plain.offers.to_vec();
        offers[3].class = ClassId(1);
        let named = Scene { offers: offers.into(), ..plain.clone() };
        let (first, without) = (choices(&[&named])[3], choices(&[&plain])[3]);
        assert!(first > 2 * without, "{first} of 1,000 in place of {without}");
    }

    #[test]
    fn actions_that_a_spec_names_are_new_on_each_shape_of_a_page_and_after_each_other() {
        let on = |id: &str| Target { object_id: id.into(), ..Target::default() };
        let clicks = || (0..10).map(|at: u8| Action::click(on(&at.to_string()))).collect();
        let page = |rows: usize| {
            let row = widget("li listitem", "a", Flags::default());
            let screen = Screen::new("http://p", "/", Context::default(), vec![row; rows]);
            let plain = Scene::numbered(clicks(), Some(screen));
            let mut offers = plain.offers.to_vec();
            offers[3].class = ClassId(1);
            Scene { offers: offers.into(), ..plain }
        };
        let (one, two, three) = (page(1), page(2), page(3));
        let long = |last| [vec![&two; 100], vec![last]].concat();
        let (known, other) = (choices(&long(&three))[3], choices(&long(&one))[3]);
        assert!(other > 2 * known, "{other} of 1,000 on a page with one row in place of {known}");
        let mut walk = Walk { last: ClassId(2), ..Walk::default() };
        walk.done.insert((two.activity, shape(&two), ClassId(1), ClassId(2)));
        assert!(!walk.is_named_and_new(&two, shape(&two), 3));
        walk.last = ClassId(1);
        assert!(walk.is_named_and_new(&two, shape(&two), 3));
    }

    #[test]
    fn a_field_that_was_opened_is_used_at_once() {
        let rows: Vec<Widget> = (0..4).map(|_| widget("Row", "a", Flags::CLICKABLE)).collect();
        let field = widget("Field", "a", Flags::EDITABLE.set(Flags::FOCUSED, true));
        let screen = |widgets: Vec<Widget>| Screen::new("p", "A", Context::default(), widgets);
        let (closed, opened) = (screen(rows.clone()), screen([rows, vec![field]].concat()));
        let on = |place: u32| Target { object_id: place.to_string().into(), ..Target::default() };
        let clicks = || (0..4).map(|place| Action::Touch(Touch::Click, on(place)));
        let text = |text: &str| Action::Text { on: on(4), text: text.into() };
        let uses = [text(""), text("b"), Action::Device(DeviceAction::Enter)];
        let before = Scene::numbered(clicks().collect(), Some(closed));
        let after = Scene::numbered(clicks().chain(uses).collect(), Some(opened));
        let uses = |counts: Vec<usize>| counts[4..].iter().sum::<usize>();
        let (anew, later) = (uses(choices(&[&before, &after])), uses(choices(&[&after, &after])));
        assert!(anew > 850, "{anew} of 1,000 use a field that was opened");
        assert!(later < 750, "{later} of 1,000 use a field that was there");
    }

    #[test]
    fn a_button_that_a_step_has_brought_is_used_at_once_unless_it_is_of_a_row() {
        let button = |text: &str, depth| Widget { depth, ..widget("button button", text, Flags::CLICKABLE) };
        let row = |tag: &str| widget(&format!("{tag} -"), "", Flags::default());
        let screen = |widgets: Vec<Widget>| Screen::new("http://p", "/", Context::default(), widgets);
        let on = |place: &str| Target {
            object_id: place.into(),
            class: "button button".into(),
            ..Target::default()
        };
        let plain: Vec<Widget> = (0..8).map(|at| button(&at.to_string(), 0)).collect();
        let clicks = || (0..8).map(|at: u8| Action::click(on(&at.to_string())));
        let before = Scene::numbered(clicks().collect(), Some(screen(plain.clone())));
        let share = |tag: &str| {
            let widgets = [plain.clone(), vec![row(tag), button("Yes", 1), button("No", 1)]].concat();
            let actions = clicks().chain(["8:0", "8:1"].map(|place| Action::click(on(place))));
            let after = Scene::numbered(actions.collect(), Some(screen(widgets)));
            choices(&[&before, &after])[8..].iter().sum::<usize>()
        };
        let (dialog, row) = (share("dialog"), share("li"));
        assert!(dialog > 750 && row < 450, "{dialog} and {row} of 1,000");
        // With a field, each of them is used once.
        let field = widget("input textbox", "", Flags::EDITABLE);
        let after = screen([plain.clone(), vec![field, button("Yes", 0), button("No", 0)]].concat());
        let actions = clicks().chain(["9", "10"].map(|place| Action::click(on(place))));
        let after = Scene::numbered(actions.collect(), Some(after));
        let mut walk = Walk { before: before.screen.clone(), has_sent: true, ..Walk::default() };
        assert_eq!(walk.brought(&after, &[8, 9]), [8, 9]);
        walk.used.insert(after.offers[8].labeling, 1);
        assert_eq!(walk.brought(&after, &[8, 9]), [9]);
    }

    #[test]
    fn a_field_gets_another_text_than_it_has() {
        let field = widget("Field", "1", Flags::EDITABLE);
        let screen = Screen::new("p", "A", Context::default(), vec![field]);
        let on = Target { object_id: "0".into(), ..Target::default() };
        let text = |text: &str| Action::Text { on: on.clone(), text: text.into() };
        let counts = choices(&[&Scene::numbered(["1", "2"].map(text).to_vec(), Some(screen))]);
        assert!(counts[0] < 60, "{} of 1,000", counts[0]);
    }

    #[test]
    fn actions_that_a_spec_names_come_first_where_they_are_new() {
        let on = |id: &str| Target { object_id: id.into(), ..Target::default() };
        let clicks = (0..10).map(|at: u8| Action::Touch(Touch::Click, on(&at.to_string())));
        let plain = Scene::numbered(clicks.collect(), None);
        let mut offers = plain.offers.to_vec();
        offers[3].class = ClassId(1);
        let named = Scene { offers: offers.into(), ..plain.clone() };
        let (first, without) = (choices(&[&named])[3], choices(&[&plain])[3]);
        assert!(first > 2 * without, "{first} of 1,000 in place of {without}");
        // After a hundred steps on the same screen it was done.
        let later = choices(&vec![&named; 100])[3];
        assert!(later < 2 * without, "{later} of 1,000 in place of {without}");
    }

    #[test]
    fn actions_that_lead_to_fewer_offers_come_later_unless_a_spec_names_them() {
        let on = |id: &str| Target { object_id: id.into(), ..Target::default() };
        let plain = Scene::numbered((0..10).map(|at: u8| Action::click(on(&at.to_string()))).collect(), None);
        let all: Vec<u16> = (0..10).collect();
        let after = |offers: &[usize], scene: &Scene| {
            let mut walk = Walk::default();
            for &offers in offers {
                walk.taken = Some((LabelingId(3), offers));
                walk.learn(scene);
            }
            let phase = PhaseId::START;
            let situation = Situation { scene, phase, steps_left: 9, candidates: &all, preferred: &all };
            let mut drawn = |seed| walk.draw(&situation, 0, &mut Seed(seed).fork("walk"));
            (0..1_000).filter(|&seed| drawn(seed) == 3).count()
        };
        let (fewer, more) = (after(&[11], &plain), after(&[9], &plain));
        assert!(3 * fewer < 2 * more, "{fewer} of 1,000 in place of {more}");
        assert_eq!(after(&[11, 9], &plain), more, "as often fewer as more");
        let mut offers = plain.offers.to_vec();
        offers[3].class = ClassId(1);
        let named = Scene { offers: offers.into(), ..plain };
        assert_eq!(after(&[11], &named), after(&[9], &named));
    }

    #[test]
    fn texts_that_stand_on_a_button_come_later() {
        let text = |text: u32| Action::Text {
            on: Target { object_id: "1".into(), ..Target::default() },
            text: text.to_string().into(),
        };
        let typed = |flags: Flags| {
            let screen = Screen::new("p", "A", Context::default(), vec![widget("Button", "3", flags)]);
            choices(&[&Scene::numbered((0..10).map(text).collect(), Some(screen))])[3]
        };
        let (button, heading) = (typed(Flags::CLICKABLE), typed(Flags::default()));
        assert!(2 * button < heading, "{button} of 1,000 in place of {heading}");
    }

    #[test]
    fn buttons_come_before_keys_and_most_texts_are_sent() {
        let on =
            |id: &str| Target { object_id: id.into(), bounds: Bounds::new(0, 0, 9, 9), ..Target::default() };
        let text = |text: &str| Action::Text { on: on("field"), text: text.into() };
        let mut actions =
            vec![Action::Touch(Touch::Click, on("button")), text(""), text("a"), text("b"), text("c")];
        let keys = [DeviceAction::Enter, DeviceAction::Back, DeviceAction::Forward, DeviceAction::Reload];
        actions.extend(keys.map(Action::Device));
        let scene = Scene::numbered(actions, None);
        let all: Vec<u16> = (0..9).collect();
        let situation = Situation {
            scene: &scene,
            phase: PhaseId::START,
            steps_left: 9,
            candidates: &all,
            preferred: &all,
        };
        let (mut walk, mut rng) = (Walk::default(), Seed(1).fork("walk"));
        let drawn: Vec<u16> = (0..4_000).map(|_| walk.next(&situation, &mut rng)).collect();
        let count = |is_it: &dyn Fn(u16) -> bool| drawn.iter().filter(|&&at| is_it(at)).count();
        assert!(count(&|at| at == 0) > 4 * count(&|at| at > 5), "a button before three keys");
        assert!(count(&|at| (2..5).contains(&at)) > 2 * count(&|at| at == 1), "filling before emptying");
        let pairs = drawn.windows(2).filter(|pair| (1..5).contains(&pair[0]));
        let (texts, sent) =
            pairs.fold((0, 0), |(texts, sent), pair| (texts + 1, sent + u32::from(pair[1] == 5)));
        assert!((50..75).contains(&(sent * 100 / texts)), "{sent} of {texts} are sent");
        let some: Vec<u16> = vec![7, 8];
        let fewer = Situation { candidates: &some, ..situation };
        assert!((0..100).all(|_| some.contains(&walk.next(&fewer, &mut rng))));
    }
}
