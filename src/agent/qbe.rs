//! QBE-style exploration: a kind of action drawn by a table that was trained on other apps.
//!
//! Of QBE (Koroglu and others, 2018) neither its code nor its table is to be had. Those who use it tell that pages fall
//! into five classes by their number of widgets, actions into seven kinds, and that the variant for activities draws by a
//! distribution that was learned before. The bounds of the classes, the training and the table are farlead's own;
//! `cargo bench --bench results -- --only qbe` trains it again.

use super::groups::{OfScreens, groups};
use super::{Agent, KeptError};
use crate::gui::{Action, DeviceAction, Touch};
use crate::rng::Rng;
use crate::situation::{
    Choice, Explanation, Labelings, Next, Outlook, Scene, ScreenId, Situation, Transition,
};

/// Number of classes of pages, and of kinds of actions.
const CLASSES: usize = 5;
const KINDS: usize = 7;

/// Most widgets in view on a page of each class but the last.
const WIDGETS_MAX: [usize; CLASSES - 1] = [4, 8, 16, 32];

/// Values in thousandths, by class and kind, as the training prints them.
const TABLE: Table = [
    [110, 124, 266, 0, 0, 0, 108],
    [151, 273, 324, 268, 197, 238, 150],
    [280, 154, 564, 286, 216, 177, 278],
    [142, 79, 320, 187, 150, 151, 143],
    [318, 144, 702, 310, 201, 315, 316],
];

/// Values by class and kind, in thousandths.
pub type Table = [[u32; KINDS]; CLASSES];

/// Learning rate of the training, its discount, and the least reward that counts as a new activity.
const RATE: f64 = 0.01;
const DISCOUNT: f64 = 0.5;
const NEW_ACTIVITY: f64 = 1.0;

/// Draws the kind of action by the table, each with a probability that grows with its value, then a widget and its action,
/// each as likely.
#[derive(Clone, Debug)]
pub struct Qbe {
    table: Table,
    /// Values that are being trained; none once the table is made.
    trained: Option<[[f64; KINDS]; CLASSES]>,
    pages: OfScreens<Page>,
    /// Page of the last choice, which the training learns from.
    last: Option<ScreenId>,
}

/// Page, as QBE sees it: its class, and the offers of each kind, widget by widget.
#[derive(Clone, Debug, Default)]
struct Page {
    class: usize,
    kinds: [Vec<Vec<u16>>; KINDS],
}

impl Page {
    fn new(scene: &Scene, places: impl Iterator<Item = u16>) -> Page {
        let widgets = scene.widgets().iter().filter(|widget| widget.is_visible()).count();
        let class = WIDGETS_MAX.iter().position(|&most| widgets <= most).unwrap_or(CLASSES - 1);
        let mut kinds: [Vec<Vec<u16>>; KINDS] = Default::default();
        for alike in groups(&scene.actions, places).into_iter().flat_map(|group| group.kinds) {
            kinds[kind(&scene.actions[usize::from(alike[0])])].push(alike);
        }
        Page { class, kinds }
    }
}

/// Returns the number of the kind of `action`.
fn kind(action: &Action) -> usize {
    match action {
        Action::Device(DeviceAction::Menu) => 0,
        Action::Device(DeviceAction::Back) => 1,
        Action::Touch(Touch::Click, _) => 2,
        Action::Touch(Touch::LongClick | Touch::DoubleClick | Touch::Hover, _) => 3,
        Action::Text { .. } => 4,
        Action::Stroke(..) => 5,
        Action::Device(_) | Action::Reinitialise(_) | Action::User { .. } => 6,
    }
}

impl Qbe {
    /// Returns the agent with the table of the program; if it `trains`, with an empty one that it learns.
    pub fn new(trains: bool) -> Qbe {
        let trained = trains.then_some([[0.0; KINDS]; CLASSES]);
        Qbe { table: TABLE, trained, pages: OfScreens::default(), last: None }
    }

    /// Returns the table of the program.
    pub fn table() -> Table {
        TABLE
    }

    fn weight(&self, page: &Page, kind: usize) -> usize {
        match (page.kinds[kind].is_empty(), &self.trained) {
            (true, _) => 0,
            // The training tries all kinds alike.
            (false, Some(_)) => 1,
            (false, None) => (self.table[page.class][kind] as usize).max(1),
        }
    }
}

impl Agent for Qbe {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let Situation { scene, preferred, .. } = *situation;
        let page = if preferred.len() < scene.offers.len() {
            Page::new(scene, preferred.iter().copied()).into()
        } else {
            self.pages.get(scene, |scene| Page::new(scene, 0..scene.offers.len() as u16))
        };
        self.last = Some(scene.screen_id);
        let sum: usize = (0..KINDS).map(|kind| self.weight(&page, kind)).sum();
        let mut drawn = rng.below(sum);
        let mut kind = 0;
        while drawn >= self.weight(&page, kind) {
            drawn -= self.weight(&page, kind);
            kind += 1;
        }
        let widgets = &page.kinds[kind];
        let alike = &widgets[rng.below(widgets.len())];
        Choice::Offer(alike[rng.below(alike.len())])
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        let Some(values) = &mut self.trained else { return Explanation::default() };
        let of = |scene: &Scene| Page::new(scene, 0..scene.offers.len() as u16);
        let scene = transition.from.scene;
        let (page, done) = (of(scene), kind(&scene.actions[usize::from(transition.at)]));
        let ahead = match &transition.next {
            Next::Choice(next) => {
                let next = of(next.scene);
                let kinds = (0..KINDS).filter(|&kind| !next.kinds[kind].is_empty());
                kinds.map(|kind| values[next.class][kind]).fold(0.0, f64::max)
            }
            Next::DeadEnd | Next::Terminal | Next::Truncated | Next::Unknown => 0.0,
        };
        // A crash ends the episode, and is no activity; a start always is.
        let is_start = matches!(scene.actions[usize::from(transition.at)], Action::Reinitialise(_));
        let is_news = transition.reward >= NEW_ACTIVITY && !matches!(transition.next, Next::Terminal);
        if !is_start {
            let value = &mut values[page.class][done];
            *value += RATE * (f64::from(u8::from(is_news)) + DISCOUNT * ahead - *value);
        }
        Explanation::default()
    }

    fn save(&self, _: &dyn Labelings) -> Vec<u8> {
        let Some(values) = &self.trained else { return Vec::new() };
        let rows = values.map(|row| row.map(|value| format!("{value:?}")).join(" "));
        rows.join("\n").into_bytes()
    }

    fn load(&mut self, kept: &[u8], _: &mut dyn Labelings) -> Result<(), KeptError> {
        let error = |line: usize| KeptError { line, message: "this is no table of values".to_string() };
        if kept.is_empty() {
            return Ok(());
        }
        let Some(values) = &mut self.trained else {
            return Err(KeptError { line: 1, message: "this agent keeps nothing".to_string() });
        };
        let text = std::str::from_utf8(kept).map_err(|_| error(1))?;
        for (at, row) in values.iter_mut().enumerate() {
            let words: Vec<&str> = text.lines().nth(at).unwrap_or_default().split(' ').collect();
            for (kind, value) in row.iter_mut().enumerate() {
                let read = words.get(kind).and_then(|word| word.parse::<f64>().ok());
                *value = read.filter(|value| value.is_finite()).ok_or_else(|| error(at + 1))?;
            }
        }
        Ok(())
    }
}
