//! Forms: every field is filled and every box ticked, on pages an entry of every list is chosen, and then a button is clicked, as one
//! thing to try.
//!
//! An attempt is a filling (a text for each field, a mark for each box), a button, and the context: what the page shows
//! besides, such as a choice made in a dialog, and how near the objective is. No attempt is made twice. Those come first
//! that fit the fields, and after them those that differ little from one whose answer nobody had seen before: *Wrong
//! password* is nearer than *Unknown user*.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::archive::Way;
use crate::gui::{
    Action, DeviceAction, Element, Flags, Screen, TextForm, Touch, Widget, by_fit, is_button, is_radio,
};
use crate::situation::{ActivityId, LabelingId, Outlook, PhaseId, Scene, ScreenId, Situation, Transition};
use crate::sorted;

/// Most fields of a form, boxes beside them, choices, entries of a choice, forms of an app, and screens whose pages are kept.
const FIELDS_MAX: usize = 6;
const BOXES_MAX: usize = 3;
const CHOICES_MAX: usize = 3;
const CHOSEN_MAX: usize = 6;
const FORMS_MAX: usize = 100;
const PAGES_MAX: usize = 5_000;
/// Most texts of a page that tell its context, and most buttons of a page and of a form: a page with more is a list.
const SHOWN_MAX: usize = 500;
const LISTED_MAX: usize = 200;
/// Most contexts, texts of a field, and fillings of a form that are looked through for an attempt.
const CONTEXTS_MAX: usize = 12;
const TEXTS_MAX: usize = 12;
const FILLINGS_MAX: usize = 200;
/// Most contexts that are kept, and most of those that show the same in other phases.
const KEPT_MAX: usize = 48;
const PHASES_MAX: usize = 4;
/// Most bases of a form, and most buttons that are tried.
const BASES_MAX: usize = 8;
const BUTTONS_MAX: usize = 4;
/// Worth of a change of a blank, in contexts: what is chosen elsewhere is missing as often as an entry is wrong.
const BLANK: u32 = 2;
/// Attempts by which a form as it is found is behind one that is filled.
const FOUND_AFTER: u32 = 4;
/// Attempts at a form of a page that may be made again, as they led to new buttons or away from the form.
const AGAIN_MAX: u32 = 3;
/// Attempts in a row at a page that stays as it is; then something else on it is tried, which may be what is missing.
const IN_A_ROW_MAX: usize = 3;

/// Words of buttons that take in what the fields hold, in most apps.
const SUBMITTING: [&str; 31] = [
    "add", "apply", "book", "buy", "check", "checkout", "confirm", "continue", "create", "done", "enter",
    "finish", "go", "in", "join", "log", "login", "next", "ok", "okay", "order", "pay", "purchase",
    "register", "save", "search", "send", "sign", "start", "submit", "update",
];

/// Labeling of a button of a page that is disabled as long as a form is not filled: it is offered to nobody yet.
const LATER: LabelingId = LabelingId(u32::MAX);

/// Number of a context, and the steps that the objective needs from there at the least.
type Nearness = (u64, u32);

/// Entry of each blank: a place in its entries by fit.
type Filling = Vec<u8>;

/// Blank of a form: a field or a box.
#[derive(Clone, Debug)]
enum Blank {
    /// Texts by fit.
    Field(Vec<Arc<str>>),
    /// Ticked or not, in this order.
    Tick,
    /// One of so many entries: the second first, as the first mostly says what to choose.
    Choice(u8),
}

impl Blank {
    /// Returns the number of entries that it can have.
    fn entries(&self) -> u8 {
        match self {
            Blank::Field(texts) => texts.len() as u8,
            Blank::Tick => 2,
            Blank::Choice(entries) => *entries,
        }
    }

    /// Returns the entry that `input` shows.
    fn entry(&self, input: &Input<'_>) -> Option<u8> {
        match self {
            Blank::Field(texts) => texts.iter().position(|text| shows(input.widget, text)).map(|at| at as u8),
            Blank::Tick => Some(u8::from(!input.widget.flags.has(Flags::CHECKED))),
            Blank::Choice(_) => input.choices.iter().position(|(_, is_chosen)| *is_chosen).map(|at| at as u8),
        }
    }
}

/// Page of a form, as a screen shows it.
#[derive(Clone, Debug)]
struct Page {
    form: usize,
    /// Numbers of the texts and marks besides the blanks.
    shown: Arc<[u64]>,
    /// Places in the offers that make each entry of each blank; none where that is not offered.
    offers: Vec<Vec<Option<u16>>>,
    /// Entry that each blank has now.
    holds: Vec<Option<u8>>,
    buttons: Vec<(u16, LabelingId)>,
    /// True if it has several fields or choices, but for those in rows of a list.
    is_of_several: bool,
}

impl Page {
    /// Returns the number of blanks that do not hold their entry of `filling`.
    fn lacks(&self, filling: &Filling) -> usize {
        self.holds.iter().zip(filling).filter(|(holds, entry)| **holds != Some(**entry)).count()
    }
}

/// Button of a form, and its answers so far.
#[derive(Clone, Debug)]
struct Button {
    labeling: LabelingId,
    /// Guess: 0 if it takes in what the blanks hold.
    doubt: u32,
    clicks: u32,
    answers: FxHashSet<u64>,
}

impl Button {
    /// Returns the number of attempts by which it is behind the best of buttons.
    fn handicap(&self) -> u32 {
        match (self.clicks, self.answers.len()) {
            // It answers to what the blanks hold.
            (_, 2..) => 0,
            (0..=2, _) => 2 * self.doubt,
            (_, _) => 2 * self.doubt + 3,
        }
    }
}

/// Filling whose answer was new, and its use so far.
#[derive(Clone, Debug)]
struct Base {
    filling: Filling,
    attempts: u32,
}

/// Context of a form in a phase of the objective, a page that shows it, and the shortest known way there.
#[derive(Clone, Debug)]
struct Context {
    page: Arc<Page>,
    number: u64,
    phase: PhaseId,
    way: Way,
}

impl Context {
    /// Returns the steps that the objective needs from here at the least, if it can be reached in this many.
    fn least(&self, steps: u32, outlook: &mut dyn Outlook) -> Option<u32> {
        outlook.standing(self.phase).missing(steps.saturating_sub(self.way.len() as u32))
    }
}

/// Form, on however many screens it is seen.
#[derive(Clone, Debug)]
struct Form {
    blanks: Vec<Blank>,
    buttons: Vec<Button>,
    contexts: Vec<Context>,
    /// Texts that answers have brought: they are no part of a context.
    said: FxHashSet<u64>,
    bases: Vec<Base>,
    tried: FxHashSet<(Nearness, Filling, LabelingId)>,
    /// Number of attempts that do not count as made, as they led on.
    again: u32,
    answers: FxHashSet<u64>,
}

/// Attempt at a form that is going on.
#[derive(Clone, Debug)]
struct Attempt {
    form: usize,
    context: Nearness,
    filling: Filling,
    button: LabelingId,
    /// Buttons that were there at the start.
    there: Vec<LabelingId>,
    /// Blank that is next.
    blank: usize,
    /// True once the button was chosen.
    is_sent: bool,
}

/// Forms met so far.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    pages: FxHashMap<ScreenId, Option<Arc<Page>>>,
    numbers: FxHashMap<u64, usize>,
    list: Vec<Form>,
    attempt: Option<Attempt>,
    /// Contexts of the attempts of this episode.
    contexts: Vec<Nearness>,
}

impl Forms {
    /// Ends the attempt of the last episode.
    pub fn begin(&mut self) {
        self.attempt = None;
        self.contexts.clear();
    }

    /// Returns true if a form was met.
    pub fn has_any(&self) -> bool {
        !self.list.is_empty()
    }

    /// Returns true while an attempt goes on.
    pub fn is_filling(&self) -> bool {
        self.attempt.as_ref().is_some_and(|attempt| !attempt.is_sent)
    }

    /// Returns true if `scene` shows a form with several fields or choices. Those in rows of a list count as none.
    pub fn is_at_several(&mut self, scene: &Scene) -> bool {
        self.page(scene).is_some_and(|page| page.is_of_several)
    }

    /// Starts an attempt that fits in this many steps, and returns the way to its page.
    pub fn send(&mut self, steps: u32, outlook: &mut dyn Outlook) -> Option<Way> {
        let mut best: Option<(usize, Plan, usize)> = None;
        for (number, form) in self.list.iter().enumerate() {
            // A form that was tried more often waits, or the largest one takes all attempts.
            let tried = form.tried.len();
            if best.as_ref().is_none_or(|(fewest, ..)| *fewest > tried)
                && let Some(plan) = form.plan(&form.contexts, steps, outlook)
            {
                best = Some((tried, plan, number));
            }
        }
        let (_, plan, form) = best?;
        let way = plan.way.clone();
        self.start(form, plan);
        Some(way)
    }

    /// Returns the next choice of the attempt among `open`, or of another one at this page; none if there is no way to
    /// go on.
    pub fn next(
        &mut self,
        situation: &Situation<'_>,
        open: &[u16],
        outlook: &mut dyn Outlook,
    ) -> Option<u16> {
        let page = self.page(situation.scene)?;
        if self.attempt.as_ref().is_none_or(|attempt| attempt.form != page.form) {
            let form = &self.list[page.form];
            let number = form.context(&page.shown);
            let here = Context { page: page.clone(), number, phase: situation.phase, way: Way::new() };
            let plan = form.plan(&[here], situation.steps_left, outlook)?;
            if self.contexts.iter().filter(|&&number| number == plan.context).count() >= IN_A_ROW_MAX {
                return None;
            }
            self.start(page.form, plan);
        }
        let at = self.attempt.as_mut().and_then(|attempt| attempt.step(&page, open));
        if at.is_none() {
            self.attempt = None;
        }
        at
    }

    fn start(&mut self, number: usize, plan: Plan) {
        let form = &mut self.list[number];
        let Plan { base, context, page, filling, button, .. } = plan;
        if let Some(base) = form.bases.get_mut(base) {
            base.attempts += 1;
        }
        // An attempt that comes to nothing on the way is none to repeat.
        form.tried.insert((context, filling.clone(), button));
        self.contexts.push(context);
        let there = page.buttons.iter().map(|(_, button)| *button).collect();
        self.attempt =
            Some(Attempt { form: number, context, filling, button, there, blank: 0, is_sent: false });
    }

    /// Learns a step, at the end of this way.
    pub fn learn(&mut self, transition: &Transition<'_>, way: &Way, way_max: usize) {
        if let Some(attempt) = self.attempt.take_if(|attempt| attempt.is_sent) {
            let said = said(transition.from.scene, transition.to);
            let stays = self.page(transition.to).is_some_and(|page| page.form == attempt.form);
            let form = &mut self.list[attempt.form];
            let leads_on = !stays || has_new_buttons(transition.from.scene, transition.to);
            if leads_on && transition.to.is_page() && form.again < AGAIN_MAX {
                form.again += 1;
                form.tried.remove(&(attempt.context, attempt.filling.clone(), attempt.button));
            }
            form.note(attempt, transition.to.activity, &said, stays);
        }
        if let Some(page) = self.page(transition.to)
            && way.len() <= way_max
        {
            self.list[page.form].reach(&page, transition.phase, way);
        }
    }

    /// Returns the page of a form that `scene` shows.
    fn page(&mut self, scene: &Scene) -> Option<Arc<Page>> {
        if let Some(page) = self.pages.get(&scene.screen_id) {
            return page.clone();
        }
        if self.pages.len() >= PAGES_MAX {
            self.pages.clear();
        }
        let page = scene.screen.as_ref().and_then(|screen| self.read(scene, screen)).map(Arc::new);
        self.pages.insert(scene.screen_id, page.clone());
        page
    }

    fn read(&mut self, scene: &Scene, screen: &Screen) -> Option<Page> {
        let mut parts = inputs(screen);
        let fields = parts.iter().filter(|part| is_field(part.widget)).count();
        // Many boxes are settings, and no part of what is sent.
        let has_boxes = parts.len() - fields <= BOXES_MAX;
        let is_form = fields > 0 || has_boxes && !parts.is_empty();
        if !is_form || fields > FIELDS_MAX {
            return None;
        }
        parts.retain(|part| is_field(part.widget) || has_boxes);
        let is_page = screen.is_page();
        if is_page {
            parts.extend(choices(screen));
        }
        let is_blank =
            |widget: &Widget| is_field(widget) || has_boxes && is_box(widget) || is_page && is_choice(widget);
        let shown =
            screen.widgets().iter().filter(|widget| widget.is_visible() && !is_blank(widget)).map(number);
        let shown: Arc<[u64]> = shown.take(SHOWN_MAX).collect();
        let (mut offered, mut buttons) = (vec![Vec::new(); parts.len()], Vec::new());
        let mut last_field = 0;
        let mut forms = forms(screen);
        forms.retain(|form| parts.iter().any(|part| is_within(&part.object_id, form)));
        for (at, action) in (0_u16..).zip(scene.actions.iter()) {
            if *action == Action::Device(DeviceAction::Enter) {
                // It sends what is in the fields, as a button does.
                buttons.push((at, scene.offers[usize::from(at)].labeling, true));
            }
            let Some(on) = action.target() else { continue };
            let chosen = |part: &Input<'_>| part.choices.iter().any(|(choice, _)| **choice == *on.object_id);
            let blank = parts.iter().position(|part| *part.object_id == *on.object_id || chosen(part));
            match (action, blank) {
                (Action::Text { text, .. }, Some(blank)) => {
                    offered[blank].push((at, text.clone()));
                    last_field = at;
                }
                (Action::Touch(Touch::Click, _), Some(blank)) if !is_field(parts[blank].widget) => {
                    offered[blank].push((at, on.object_id.clone()));
                }
                (Action::Touch(Touch::Click, _), None) if buttons.len() < LISTED_MAX => {
                    let labeling = scene.offers[usize::from(at)].labeling;
                    let is_own =
                        is_button(&on.class) && forms.iter().any(|form| is_within(&on.object_id, form));
                    buttons.push((at, labeling, is_own || is_submitting(&on.names())));
                }
                _ => {}
            }
        }
        let is_waiting = |widget: &Widget| is_button(&widget.class) && !widget.flags.has(Flags::ENABLED);
        if is_page && screen.widgets().iter().any(|widget| widget.is_visible() && is_waiting(widget)) {
            buttons.push((u16::MAX, LATER, true));
        }
        // Boxes alone are a form only where something looks like the end of one.
        if fields == 0 && buttons.iter().all(|(_, _, is_likely)| !is_likely) {
            return None;
        }
        let form = self.form(scene.activity, &parts, &offered)?;
        let Form { blanks, buttons: known, bases, .. } = &mut self.list[form];
        let holds: Vec<Option<u8>> =
            blanks.iter().zip(&parts).map(|(blank, part)| blank.entry(part)).collect();
        if bases.is_empty() {
            // Each blank with the entry that fits best, or as it is found.
            let found: Filling = holds.iter().map(|entry| entry.unwrap_or(0)).collect();
            bases.push(Base { filling: likeliest(blanks, &parts), attempts: 0 });
            if bases[0].filling != found {
                bases.push(Base { filling: found, attempts: FOUND_AFTER });
            }
        }
        for &(at, labeling, is_likely) in &buttons {
            if known.len() < LISTED_MAX && known.iter().all(|button| button.labeling != labeling) {
                let doubt = if is_likely { 0 } else { 1 + u32::from(at < last_field) };
                known.push(Button { labeling, doubt, clicks: 0, answers: FxHashSet::default() });
            }
        }
        let makes = |(blank, part): (&Blank, &Input<'_>), offered: &[(u16, Arc<str>)]| -> Vec<Option<u16>> {
            match blank {
                Blank::Field(texts) => texts
                    .iter()
                    .map(|text| offered.iter().find(|(_, own)| own == text).map(|&(at, _)| at))
                    .collect(),
                // The same click makes both marks.
                Blank::Tick => vec![offered.first().map(|&(at, _)| at); 2],
                Blank::Choice(_) => {
                    let offer = |choice: &str| offered.iter().find(|(_, own)| **own == *choice);
                    part.choices.iter().map(|(choice, _)| offer(choice).map(|&(at, _)| at)).collect()
                }
            }
        };
        let offers = blanks.iter().zip(&parts).zip(&offered).map(|(blank, offered)| makes(blank, offered));
        let offers = offers.collect();
        let buttons = buttons.into_iter().map(|(at, labeling, _)| (at, labeling)).collect();
        let rows = rows(screen);
        let is_own = |part: &&Input<'_>| {
            !is_box(part.widget) && !rows.iter().any(|row| is_within(&part.object_id, row))
        };
        let is_of_several = parts.iter().filter(is_own).count() > 1;
        Some(Page { form, shown, offers, holds, buttons, is_of_several })
    }

    /// Returns the number of the form with these blanks.
    fn form(
        &mut self,
        activity: ActivityId,
        parts: &[Input<'_>],
        offered: &[Vec<(u16, Arc<str>)>],
    ) -> Option<usize> {
        let mut key = FxHasher::default();
        activity.hash(&mut key);
        parts.iter().for_each(|part| {
            (&part.widget.id, is_box(part.widget), part.choices.len()).hash(&mut key);
        });
        if let Some(&known) = self.numbers.get(&key.finish()) {
            return Some(known);
        }
        if self.list.len() >= FORMS_MAX {
            return None;
        }
        let blank = |input: &Input<'_>, offered: &[(u16, Arc<str>)]| {
            let Input { widget, samples, choices, .. } = input;
            if !choices.is_empty() {
                return Blank::Choice(choices.len() as u8);
            }
            if is_box(widget) {
                return Blank::Tick;
            }
            let all: Vec<Arc<str>> = offered.iter().map(|(_, text)| text.clone()).collect();
            let texts = by_fit(widget, samples, &all).into_iter().take(TEXTS_MAX);
            let mut texts: Vec<Arc<str>> = texts.map(|at| all[at].clone()).collect();
            // What a page says of a field that is left out is worth most, after its samples; of a date, a later one is.
            let second = samples.len().max(1);
            if Element::of(&widget.class).is_some()
                && time_form(widget).is_none()
                && let Some(at) = texts.iter().position(|text| text.is_empty()).filter(|&at| at > second)
            {
                texts[second..=at].rotate_right(1);
            }
            // A field that is left as it is found is an attempt too.
            if !texts.contains(&widget.text) {
                texts.push(widget.text.clone());
            }
            Blank::Field(texts)
        };
        let blanks: Vec<Blank> =
            parts.iter().zip(offered).map(|(part, offered)| blank(part, offered)).collect();
        self.list.push(Form {
            blanks,
            buttons: Vec::new(),
            contexts: Vec::new(),
            said: FxHashSet::default(),
            bases: Vec::new(),
            tried: FxHashSet::default(),
            again: 0,
            answers: FxHashSet::default(),
        });
        self.numbers.insert(key.finish(), self.list.len() - 1);
        Some(self.list.len() - 1)
    }
}

/// Attempt that could be made.
#[derive(Clone, Debug)]
struct Plan {
    base: usize,
    context: Nearness,
    page: Arc<Page>,
    way: Way,
    filling: Filling,
    button: LabelingId,
}

impl Form {
    /// Returns the number of a context that shows this.
    fn context(&self, shown: &[u64]) -> u64 {
        let mut hasher = FxHasher::default();
        shown.iter().filter(|text| !self.said.contains(text)).for_each(|text| text.hash(&mut hasher));
        hasher.finish()
    }

    /// Notes a way to a context.
    fn reach(&mut self, page: &Arc<Page>, phase: PhaseId, way: &Way) {
        let number = self.context(&page.shown);
        let is_it = |known: &&mut Context| known.number == number && known.phase == phase;
        let context = Context { page: page.clone(), number, phase, way: way.clone() };
        match self.contexts.iter_mut().find(is_it) {
            Some(known) if known.way.len() <= way.len() => return,
            Some(known) => *known = context,
            None => self.contexts.push(context),
        }
        sorted::by_key(&mut self.contexts, |context| context.way.len());
        let mut alike = 0;
        self.contexts.retain(|context| {
            alike += usize::from(context.number == number);
            context.number != number || alike <= PHASES_MAX
        });
        self.contexts.truncate(KEPT_MAX);
    }

    /// Notes the answer to an attempt: the activity that it led to, and the texts that it brought, on a page of the form if
    /// it `stays`.
    fn note(&mut self, attempt: Attempt, activity: ActivityId, said: &[u64], stays: bool) {
        let Attempt { filling, button, .. } = attempt;
        let mut answer = FxHasher::default();
        (activity, said).hash(&mut answer);
        let answer = answer.finish();
        if let Some(button) = self.buttons.iter_mut().find(|known| known.labeling == button) {
            button.clicks += 1;
            button.answers.insert(answer);
        }
        let is_new = self.answers.insert(answer);
        let is_base = self.bases.iter().any(|base| base.filling == filling);
        if is_new && !is_base && self.bases.len() < BASES_MAX {
            self.bases.push(Base { filling, attempts: 0 });
        }
        if !stays {
            return;
        }
        let known = self.said.len();
        self.said.extend(said);
        if self.said.len() > known {
            // Contexts that differed in an answer alone are one; the shortest way comes first.
            let mut contexts = std::mem::take(&mut self.contexts);
            contexts.iter_mut().for_each(|context| context.number = self.context(&context.page.shown));
            let mut met = FxHashSet::default();
            contexts.retain(|context| met.insert((context.number, context.phase)));
            self.contexts = contexts;
        }
    }

    /// Returns the best attempt in one of `contexts` that was not made yet and fits in this many steps.
    ///
    /// An attempt that was made is worth another one where the objective is nearer.
    fn plan(&self, contexts: &[Context], steps: u32, outlook: &mut dyn Outlook) -> Option<Plan> {
        let mut order: Vec<&Button> = self.buttons.iter().collect();
        sorted::by_key(&mut order, |button| button.handicap());
        let base = (0..self.bases.len()).min_by_key(|&at| self.bases[at].attempts)?;
        let fillings = fillings(&self.blanks, &self.bases[base].filling);
        let mut best: Option<(u32, Nearness, &Context, &Filling, LabelingId)> = None;
        let nears = contexts.iter().filter_map(|context| Some((context.least(steps, outlook)?, context)));
        let mut nears: Vec<(u32, &Context)> = nears.collect();
        sorted::by_key(&mut nears, |(least, _)| *least);
        for (behind, (least, context)) in (0..).zip(nears.into_iter().take(CONTEXTS_MAX)) {
            let Context { page, number, way, .. } = context;
            let number = (*number, least);
            let steps = (steps as usize).saturating_sub(way.len());
            let is_here = |button: &&&Button| page.buttons.iter().any(|(_, here)| *here == button.labeling);
            for button in order.iter().filter(is_here).take(BUTTONS_MAX) {
                let handicap = behind + BLANK * button.handicap();
                // The fillings are in order, so the first that was not tried is the best here.
                for (far, filling) in &fillings {
                    let cost = handicap + BLANK * far;
                    if best.as_ref().is_some_and(|(least, ..)| *least <= cost) {
                        break;
                    }
                    let is_tried = self.tried.contains(&(number, filling.clone(), button.labeling));
                    if !is_tried && page.lacks(filling) < steps {
                        best = Some((cost, number, context, filling, button.labeling));
                        break;
                    }
                }
            }
        }
        let (_, number, context, filling, button) = best?;
        let (page, way, filling) = (context.page.clone(), context.way.clone(), filling.clone());
        Some(Plan { base, context: number, page, way, filling, button })
    }
}

impl Attempt {
    /// Returns the next choice on `page`.
    fn step(&mut self, page: &Page, open: &[u16]) -> Option<u16> {
        while let Some(&entry) = self.filling.get(self.blank) {
            let blank = self.blank;
            self.blank += 1;
            if page.holds[blank] != Some(entry) {
                let at = page.offers[blank].get(usize::from(entry)).copied().flatten()?;
                return open.contains(&at).then_some(at);
            }
        }
        self.is_sent = true;
        let is_it = |button: LabelingId| match self.button {
            LATER => !self.there.contains(&button),
            wanted => button == wanted,
        };
        let (at, _) = page.buttons.iter().find(|(_, button)| is_it(*button))?;
        open.contains(at).then_some(*at)
    }
}

/// Returns fillings with the number of places by which their entries are behind those of `base`, the nearest first.
fn fillings(blanks: &[Blank], base: &Filling) -> Vec<(u32, Filling)> {
    let mut all = vec![(0_u32, base.clone())];
    for (at, blank) in blanks.iter().enumerate() {
        let mut longer = Vec::new();
        for (far, filling) in &all {
            for entry in (0..blank.entries()).filter(|&entry| entry != base[at]) {
                let mut filling = filling.clone();
                filling[at] = entry;
                // The entry of the base comes first, the others keep their order.
                longer.push((far + 1 + u32::from(entry) - u32::from(entry > base[at]), filling));
            }
        }
        all.extend(longer);
        all.sort();
        all.truncate(FILLINGS_MAX);
    }
    all
}

/// Field, box or choice of a screen.
pub struct Input<'s> {
    /// Its place in the tree; of a choice, that of its first entry.
    pub object_id: String,
    /// It itself.
    pub widget: &'s Widget,
    /// Texts that fit it by its page, the likeliest first.
    pub samples: Vec<&'s Arc<str>>,
    /// Places of its entries in the tree, if it is a choice, each with true if it is chosen.
    pub choices: Vec<(String, bool)>,
}

/// Returns the entry of each blank that fits best. Of two dates, or two times, the first is mostly the earlier one.
#[inline(never)]
fn likeliest(blanks: &[Blank], inputs: &[Input<'_>]) -> Filling {
    let form = |at: usize| time_form(inputs[at].widget);
    let before = |at: usize| (0..at).filter(|&other| form(other) == form(at)).count() as u8;
    let entry = |(at, blank): (usize, &Blank)| match form(at) {
        // The empty text and that which is found come last.
        Some(_) => before(at).min(blank.entries().saturating_sub(2)),
        None => 0,
    };
    blanks.iter().enumerate().map(entry).collect()
}

/// Returns the form of the dates or times that a field of a page is for.
fn time_form(field: &Widget) -> Option<TextForm> {
    TextForm::of(&field.class).filter(|form| form.is_in_parts())
}

/// Returns the visible fields and boxes of `screen`.
pub fn inputs(screen: &Screen) -> Vec<Input<'_>> {
    let (mut inputs, widgets) = (Vec::new(), screen.widgets());
    screen.for_each_object(|place, widget, object_id| {
        if widget.is_visible() && (is_field(widget) || is_box(widget)) {
            let samples = screen.samples(place).collect();
            let object_id = object_id.to_string();
            inputs.push(Input { object_id, widget: &widgets[place], samples, choices: Vec::new() });
        }
    });
    inputs
}

/// Returns true if a field shows `text`, as far as it can be seen: a password on a page is seen as dots.
fn shows(field: &Widget, text: &str) -> bool {
    let is_dots = field.flags.has(Flags::PASSWORD) && !text.is_empty() && Element::of(&field.class).is_some();
    if is_dots { field.text.chars().eq(text.chars().map(|_| '•')) } else { *field.text == *text }
}

/// Returns the places of the forms of a page, each before those in it.
pub fn forms(screen: &Screen) -> Vec<String> {
    places(screen, &|element| element.tag == "form")
}

/// Returns the places of the rows of lists and tables of a page.
pub fn rows(screen: &Screen) -> Vec<String> {
    places(screen, &|element| ["li", "tr"].contains(&element.tag) || element.role == Some("row"))
}

/// Returns the places in the tree of the elements of a page for which `is_it` holds.
fn places(screen: &Screen, is_it: &dyn Fn(Element<'_>) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    screen.for_each_object(|_, widget, object_id| {
        if Element::of(&widget.class).is_some_and(is_it) {
            places.push(object_id.to_string());
        }
    });
    places
}

/// Returns true if the place `inner` in the tree lies in the place `outer`.
pub fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(':'))
}

/// Returns the visible choices of a page: its lists, and its groups of radio buttons.
#[inline(never)]
fn choices(screen: &Screen) -> Vec<Input<'_>> {
    let (mut choices, widgets): (Vec<(String, Input<'_>)>, _) = (Vec::new(), screen.widgets());
    screen.for_each_object(|place, widget, object_id| {
        if !widget.is_visible() || !is_choice(widget) || !widget.flags.has(Flags::ENABLED) {
            return;
        }
        // An entry stands in its list; a radio button mostly in an element of its own.
        let levels = if is_radio(&widget.class) { 2 } else { 1 };
        let around =
            (0..levels).fold(object_id, |id, _| id.rsplit_once(':').map_or("", |(around, _)| around));
        // A name that several share is that of the group.
        let is_shared = widgets.iter().filter(|other| is_choice(other) && other.id == widget.id).count() > 1;
        let group = format!("{around} {}", if is_shared { &widget.id } else { "" });
        let is_chosen = widget.flags.has(Flags::CHECKED) || widget.flags.has(Flags::SELECTED);
        let entry = (object_id.to_string(), is_chosen);
        let is_full = choices.len() >= CHOICES_MAX;
        match choices.iter_mut().find(|(known, _)| *known == group) {
            Some((_, choice)) if choice.choices.len() < CHOSEN_MAX => choice.choices.push(entry),
            Some(_) => {}
            None if is_full => {}
            None => {
                let object_id = object_id.to_string();
                let (widget, samples) = (&widgets[place], Vec::new());
                choices.push((group, Input { object_id, widget, samples, choices: vec![entry] }));
            }
        }
    });
    let mut choices: Vec<Input<'_>> = choices.into_iter().map(|(_, choice)| choice).collect();
    choices.retain(|choice| choice.choices.len() > 1);
    for choice in choices.iter_mut().filter(|choice| !is_radio(&choice.widget.class)) {
        choice.choices.swap(0, 1);
    }
    choices
}

/// Returns true for an entry of a list on a page, and for a radio button.
fn is_choice(widget: &Widget) -> bool {
    is_radio(&widget.class) || Element::of(&widget.class).is_some_and(|element| element.tag == "option")
}

pub fn is_field(widget: &Widget) -> bool {
    widget.flags.has(Flags::EDITABLE)
}

/// Returns true for boxes and switches; a radio button is a choice among others.
pub fn is_box(widget: &Widget) -> bool {
    widget.flags.has(Flags::CHECKABLE) && !is_radio(&widget.class)
}

pub fn is_submitting(names: &[&str]) -> bool {
    names.iter().any(|name| {
        let words = name.split(|char: char| !char.is_alphanumeric());
        words.map(str::to_lowercase).any(|word| SUBMITTING.contains(&&*word))
    })
}

/// Returns true if `to` offers a click on a button that `from` does not.
#[inline(never)]
fn has_new_buttons(from: &Scene, to: &Scene) -> bool {
    fn buttons(scene: &Scene) -> impl Iterator<Item = LabelingId> {
        let is_it =
            |action: &Action| matches!(action, Action::Touch(Touch::Click, on) if is_button(&on.class));
        let all = scene.actions.iter().zip(scene.offers.iter());
        all.filter(move |(action, _)| is_it(action)).map(|(_, offer)| offer.labeling)
    }
    let before: Vec<LabelingId> = buttons(from).collect();
    buttons(to).any(|button| !before.contains(&button))
}

/// Returns a number for the text and the marks of a widget.
fn number(widget: &Widget) -> u64 {
    let mut hasher = FxHasher::default();
    (&widget.text, widget.flags.has(Flags::CHECKED)).hash(&mut hasher);
    hasher.finish()
}

/// Returns the numbers of the texts that a step has brought.
pub fn said(from: &Scene, to: &Scene) -> Vec<u64> {
    fn shown(scene: &Scene) -> FxHashSet<u64> {
        let is_said = |widget: &&Widget| widget.is_visible() && !is_field(widget) && !is_box(widget);
        scene.widgets().iter().filter(is_said).map(number).collect()
    }
    let before = shown(from);
    let mut said: Vec<u64> = shown(to).into_iter().filter(|text| !before.contains(text)).collect();
    said.sort_unstable();
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Context};
    use crate::situation::{ActionId, ClassId, LookId, Standing, StateId, Subgoal};

    fn field(texts: usize) -> Blank {
        Blank::Field((0..texts).map(|text| text.to_string().into()).collect())
    }

    #[test]
    fn fillings_come_by_their_distance_from_the_base_each_once() {
        let blanks = [field(3), Blank::Tick];
        let all = fillings(&blanks, &vec![1, 0]);
        assert_eq!(all[0], (0, vec![1, 0]));
        assert_eq!(all[1..3], [(1, vec![0, 0]), (1, vec![1, 1])], "one blank changes");
        assert!(all.is_sorted_by_key(|(far, _)| *far));
        let different: FxHashSet<&Filling> = all.iter().map(|(_, filling)| filling).collect();
        assert_eq!((different.len(), all.len()), (6, 6));
        let many = fillings(&[field(9), field(9), field(9)], &vec![0, 0, 0]);
        assert_eq!(many.len(), FILLINGS_MAX);
    }

    #[test]
    fn an_attempt_types_what_is_missing_and_then_clicks() {
        let button = LabelingId(7);
        let page = Page {
            form: 0,
            shown: Arc::new([]),
            offers: vec![vec![Some(0), Some(1)], vec![Some(2), Some(2)], vec![None]],
            holds: vec![None, Some(0), Some(0)],
            buttons: vec![(3, button)],
            is_of_several: false,
        };
        let attempt = |filling| Attempt {
            form: 0,
            context: (0, 0),
            filling,
            button,
            there: Vec::new(),
            blank: 0,
            is_sent: false,
        };
        let mut first = attempt(vec![1, 0, 0]);
        assert_eq!(first.step(&page, &[0, 1, 2, 3]), Some(1));
        assert_eq!(first.step(&page, &[0, 1, 2, 3]), Some(3), "the box is ticked, the last field full");
        assert!(first.is_sent);
        assert_eq!(attempt(vec![1, 0, 0]).step(&page, &[0, 2, 3]), None, "the text is no candidate");
    }

    #[test]
    fn a_button_that_a_full_form_enables_is_clicked() {
        let page = |buttons: Vec<(u16, LabelingId)>| Page {
            form: 0,
            shown: Arc::new([]),
            offers: vec![vec![Some(0)]],
            holds: vec![Some(0)],
            buttons,
            is_of_several: false,
        };
        let mut attempt = Attempt {
            form: 0,
            context: (0, 0),
            filling: vec![0],
            button: LATER,
            there: vec![LabelingId(1), LATER],
            blank: 0,
            is_sent: false,
        };
        let old = (1, LabelingId(1));
        let waiting = page(vec![old, (u16::MAX, LATER)]);
        assert_eq!(attempt.clone().step(&waiting, &[0, 1, 2]), None);
        assert_eq!(attempt.step(&page(vec![old, (2, LabelingId(5))]), &[0, 1, 2]), Some(2));
    }

    /// Widgets of a page, each with its depth, its class, its text and its flags.
    fn screen(widgets: &[(u16, &str, &str, Flags)]) -> Screen {
        let widget = |&(depth, class, text, flags): &(u16, &str, &str, Flags)| Widget {
            depth,
            class: class.into(),
            text: text.into(),
            bounds: Bounds::new(0, 0, 9, 9),
            flags: flags.set(Flags::ENABLED, true),
            ..Widget::default()
        };
        Screen::new("http://p", "/", Context::default(), widgets.iter().map(widget).collect())
    }

    #[test]
    fn lists_and_groups_of_radio_buttons_are_choices() {
        let (click, chosen, none) = (Flags::CLICKABLE, Flags::SELECTED, Flags::default());
        let checked = click.set(Flags::CHECKED, true);
        let screen = screen(&[
            (0, "select combobox", "Choose", none),
            (1, "option option", "Choose", click.set(chosen, true)),
            (1, "option option", "Hall", click),
            (1, "option option", "Garden", click),
            (0, "fieldset group", "", none),
            (1, "label -", "Noon", none),
            (2, "input radio", "", click),
            (1, "label -", "Evening", none),
            (2, "input radio", "", checked),
            (0, "label -", "Alone", none),
            (1, "div -", "", none),
            (2, "input radio", "", click),
        ]);
        let choices = choices(&screen);
        let entries = |at: usize| {
            let entries = choices[at].choices.iter();
            entries.map(|(id, is_chosen)| (&**id, *is_chosen)).collect::<Vec<_>>()
        };
        assert_eq!(entries(0), [("0:1", false), ("0:0", true), ("0:2", false)], "the first says what to do");
        assert_eq!(entries(1), [("1:0:0", false), ("1:1:0", true)]);
        assert_eq!(choices.len(), 2, "one radio button is no choice");
        assert_eq!(Blank::Choice(2).entry(&choices[1]), Some(1));
    }

    #[test]
    fn of_two_dates_the_first_is_the_earlier_one_and_a_password_is_told_by_its_dots() {
        let none = Flags::default();
        let secret = Flags::PASSWORD;
        let screen = screen(&[
            (0, "input textbox", "", none),
            (0, "input date", "", none),
            (0, "input textbox", "•••", secret),
            (0, "input date", "", none),
        ]);
        let input = |widget| Input { object_id: String::new(), widget, samples: vec![], choices: vec![] };
        let inputs: Vec<Input<'_>> = screen.widgets().iter().map(input).collect();
        assert_eq!(likeliest(&vec![field(3); 4], &inputs), [0, 0, 0, 1]);
        let widgets = screen.widgets();
        assert!(shows(&widgets[2], "abc") && !shows(&widgets[2], "abcd") && !shows(&widgets[2], ""));
        assert!(shows(&widgets[0], "") && !shows(&widgets[0], "abc"));
    }

    fn form() -> Form {
        Form {
            blanks: vec![field(3)],
            buttons: vec![Button {
                labeling: LabelingId(1),
                doubt: 0,
                clicks: 0,
                answers: FxHashSet::default(),
            }],
            contexts: Vec::new(),
            said: FxHashSet::default(),
            bases: vec![Base { filling: vec![0], attempts: 0 }],
            tried: FxHashSet::default(),
            again: 0,
            answers: FxHashSet::default(),
        }
    }

    /// Objective that needs as many steps as the number of the phase.
    struct Countdown;

    impl Outlook for Countdown {
        fn after(&mut self, phase: PhaseId, _: ClassId, _: LookId) -> PhaseId {
            phase
        }

        fn standing(&mut self, PhaseId(phase): PhaseId) -> Standing {
            Standing::Open(phase)
        }

        fn subgoals(&mut self, _: PhaseId, _: ClassId, _: LookId, _: &mut Vec<Subgoal>) {}

        fn classes(&self) -> u32 {
            1
        }
    }

    #[test]
    fn an_attempt_is_made_anew_where_the_objective_is_nearer() {
        let mut form = form();
        let page = Arc::new(Page {
            form: 0,
            shown: Arc::new([4]),
            offers: vec![vec![Some(0), Some(1), Some(2)]],
            holds: vec![None],
            buttons: vec![(3, LabelingId(1))],
            is_of_several: false,
        });
        let step = (StateId(0), ActionId(0));
        form.reach(&page, PhaseId(3), &vec![step]);
        let plan = |form: &mut Form| {
            let plan = form.plan(&form.contexts, 9, &mut Countdown).expect("an attempt");
            form.tried.insert((plan.context, plan.filling.clone(), plan.button));
            (plan.filling[0], plan.way.len())
        };
        assert_eq!((plan(&mut form), plan(&mut form)), ((0, 1), (1, 1)), "no attempt is made twice");
        form.reach(&page, PhaseId(2), &vec![step; 2]);
        assert_eq!(plan(&mut form), (0, 2), "the nearer one comes first, and there none was made");
        form.reach(&page, PhaseId(8), &vec![step; 2]);
        assert_eq!(plan(&mut form), (1, 2), "what is out of reach is left");
    }

    #[test]
    fn an_answer_that_nobody_has_seen_makes_a_base() {
        let mut form = form();
        let attempt = |text| Attempt {
            form: 0,
            context: (0, 0),
            filling: vec![text],
            button: LabelingId(1),
            there: Vec::new(),
            blank: 1,
            is_sent: true,
        };
        form.note(attempt(1), ActivityId(0), &[5], true);
        form.note(attempt(2), ActivityId(0), &[5], true);
        let bases: Vec<&Filling> = form.bases.iter().map(|base| &base.filling).collect();
        assert_eq!(bases, [&vec![0], &vec![1]], "the same answer makes no other one");
        assert_eq!(form.context(&[4, 5]), form.context(&[4]), "what was said is no part of a context");
        assert_ne!(form.context(&[4]), form.context(&[6]));
    }
}
