//! Forms: every field is filled and every box ticked, on pages an entry of every list is chosen, and then a button is clicked, as one
//! thing to try.
//!
//! An attempt is a filling (a text for each field, a mark for each box), a button, and the context: what the page shows
//! besides, such as a choice made in a dialog, and how near the objective is. No attempt is made twice. Those come first
//! that fit the fields, and after them those that differ little from one whose answer nobody had seen before: *Wrong
//! password* is nearer than *Unknown user*. On a page, a blank beside which an answer stands gets another entry.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::archive::Way;
use super::inputs::{
    CHOSEN_MAX, Input, choices, forms, inputs, is_box, is_choice, is_field, is_in, is_within, nearest,
    openers, options, place, rows, shows, time_form,
};
use crate::gui::{Action, DeviceAction, Element, Flags, Screen, Touch, Widget, by_fit, is_button, is_option};
use crate::situation::{ActivityId, LabelingId, Outlook, PhaseId, Scene, ScreenId, Situation, Transition};
use crate::sorted;

/// Most fields of a form, boxes beside them, forms of an app, and screens whose pages are kept.
const FIELDS_MAX: usize = 6;
const BOXES_MAX: usize = 3;
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
/// Doubt about a button of a page that dismisses the form, or has no name.
const ODD: u32 = 3;
/// Attempts by which a form as it is found is behind one that is filled.
const FOUND_AFTER: u32 = 4;
/// Attempts at a form of a page that may be made again, as they led to new buttons or away from the form.
const AGAIN_MAX: u32 = 1;
/// Changes of a blank that come before an attempt which was made on a page that showed something else, for each time, and
/// before one with an entry that was refused.
const MADE: u32 = 2;
const REFUSED: u32 = 1;
/// Fillings in which all choices change at once, after one that led on.
const AT_ONCE_MAX: usize = 2;
/// Attempts at a form until the form before it, which led there, is filled in other ways.
const ONWARD_MAX: usize = 6;
/// Attempts by a base that led on for each by another one.
const LEADING: u32 = 10;
/// Attempts in a row at a page that stays as it is; then something else on it is tried, which may be what is missing.
const IN_A_ROW_MAX: usize = 3;

/// Words of buttons that take in what the fields hold, in most apps.
const SUBMITTING: [&str; 31] = [
    "add", "apply", "book", "buy", "check", "checkout", "confirm", "continue", "create", "done", "enter",
    "finish", "go", "in", "join", "log", "login", "next", "ok", "okay", "order", "pay", "purchase",
    "register", "save", "search", "send", "sign", "start", "submit", "update",
];

/// Words of buttons that do away with what the fields hold.
const DISMISSING: [&str; 10] =
    ["abort", "back", "cancel", "clear", "close", "discard", "dismiss", "no", "not", "reset"];

/// Labeling of a button of a page that is disabled as long as a form is not filled: it is offered to nobody yet.
const LATER: LabelingId = LabelingId(u32::MAX);

/// Number of a context, and the steps that the objective needs from there at the least.
type Nearness = (u64, u32);

/// Entry of each blank: a place in its entries by fit.
type Filling = Vec<u8>;

/// Blank of a form: a field, a box, or a choice among others.
#[derive(Clone, Debug)]
enum Blank {
    /// Texts by fit, and the samples that its page has given so far.
    Field(Vec<Arc<str>>, Vec<Arc<str>>),
    /// Ticked or not, in this order.
    Tick,
    /// One of so many entries: the second first, as the first mostly says what to choose.
    Choice(u8),
    /// List that a click opens: the texts that it shows with its second option, as it was found, with its first option, and with
    /// each other one, as far as they are known.
    Opener(Vec<Option<Arc<str>>>),
}

/// Entry of a list that opens as it was found.
const AS_FOUND: u8 = 1;

/// Returns the place of the option that an entry of a list that opens chooses.
fn option_of(entry: u8) -> usize {
    match entry {
        0 => 1,
        1 | 2 => 0,
        later => usize::from(later) - 1,
    }
}

impl Blank {
    /// Returns the number of entries that it can have.
    fn entries(&self) -> u8 {
        match self {
            Blank::Field(texts, _) => texts.len() as u8,
            Blank::Tick => 2,
            Blank::Choice(entries) => *entries,
            Blank::Opener(texts) => texts.len() as u8,
        }
    }

    /// Adds the samples of `input` that are new; returns the entry of the first of them.
    fn meet(&mut self, input: &Input<'_>) -> Option<u8> {
        let Blank::Field(texts, samples) = self else { return None };
        let mut first = None;
        for sample in &input.samples {
            if samples.contains(sample) || texts.len() + samples.len() >= 2 * TEXTS_MAX {
                continue;
            }
            samples.push(Arc::clone(sample));
            let at = texts.iter().position(|text| text == *sample).unwrap_or(texts.len());
            if at == texts.len() {
                texts.push(Arc::clone(sample));
            }
            first.get_or_insert(at as u8);
        }
        first
    }

    /// Returns the entry that `input` shows.
    fn entry(&self, input: &Input<'_>) -> Option<u8> {
        match self {
            Blank::Field(texts, _) => {
                texts.iter().position(|text| shows(input.widget, text)).map(|at| at as u8)
            }
            Blank::Tick => Some(u8::from(!input.widget.flags.has(Flags::CHECKED))),
            Blank::Choice(_) => input.choices.iter().position(|(_, is_chosen)| *is_chosen).map(|at| at as u8),
            Blank::Opener(texts) => {
                let shown = input.opener.as_deref()?;
                let is_found = texts[usize::from(AS_FOUND)].as_deref() == Some(shown);
                let is_it =
                    |text: &Option<Arc<str>>| text.as_deref().is_some_and(|text| shown.contains(text));
                if is_found { Some(AS_FOUND) } else { texts.iter().position(is_it).map(|at| at as u8) }
            }
        }
    }
}

/// Page of a form, as a screen shows it.
#[derive(Clone, Debug, Default)]
struct Page {
    form: usize,
    /// Numbers of the texts and marks besides the blanks.
    shown: Arc<[u64]>,
    /// Blank that each of them stands beside.
    beside: Vec<Option<usize>>,
    /// Places in the offers that make each entry of each blank; none where that is not offered.
    offers: Vec<Vec<Option<u16>>>,
    /// Entry that each blank has now.
    holds: Vec<Option<u8>>,
    /// Blanks that are lists which open.
    opens: Vec<bool>,
    /// Order in which the blanks are filled.
    order: Vec<usize>,
    buttons: Vec<(u16, LabelingId)>,
    /// True if a browser shows it.
    is_of_browser: bool,
    /// True if it has several fields or choices, but for those in rows of a list.
    is_of_several: bool,
}

impl Page {
    /// Returns the number of blanks that do not hold their entry of `filling`; none if a page of a browser cannot give it to all:
    /// samples come and go.
    fn lacks(&self, filling: &Filling) -> Option<usize> {
        let blanks = self.holds.iter().zip(&self.offers).zip(filling);
        let mut lacking = blanks.filter(|((holds, _), entry)| **holds != Some(**entry));
        lacking.try_fold(0, |lacks, ((_, offers), &entry)| {
            let is_offered = offers.get(usize::from(entry)).is_some_and(Option::is_some);
            (is_offered || !self.is_of_browser).then_some(lacks + 1)
        })
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
    /// Returns the number of attempts by which it is behind the best of buttons, if the form has led on or not.
    fn handicap(&self, has_led: bool) -> u32 {
        match (self.clicks, self.answers.len()) {
            // It answers to what the blanks hold.
            (_, 2..) if self.doubt < ODD => 0,
            // Once, a form is filled and dismissed, best with what it takes.
            (0, _) if self.doubt >= ODD && has_led => 0,
            (0, _) if self.doubt >= ODD => 2,
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
    /// True if it led on: on a page, to new buttons or away from the form.
    leads: bool,
}

impl Base {
    fn new(filling: Filling, attempts: u32) -> Base {
        Base { filling, attempts, leads: false }
    }

    /// Returns a number by which the base with the least comes next: forms that differ little from one that led on tell most.
    fn turn(&self) -> u32 {
        if self.leads { self.attempts / LEADING } else { self.attempts }
    }
}

/// Attempt that led to another form.
#[derive(Clone, Debug)]
struct Onward {
    filling: Filling,
    button: LabelingId,
    form: usize,
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
#[derive(Clone, Debug, Default)]
struct Form {
    blanks: Vec<Blank>,
    buttons: Vec<Button>,
    contexts: Vec<Context>,
    /// Texts that answers have brought: they are no part of a context.
    said: FxHashSet<u64>,
    bases: Vec<Base>,
    /// Filling with all samples that answers have given.
    told: Option<Filling>,
    /// Texts of its page as it was found.
    found: FxHashSet<u64>,
    /// Entries of each blank beside which an answer came, a bit each.
    refused: Vec<u64>,
    /// Last filling with other entries where answers stood.
    mended: Option<Filling>,
    tried: FxHashSet<(Nearness, Filling, LabelingId)>,
    /// Number of attempts that do not count as made, as they led on.
    again: u32,
    /// Number of times that each attempt was made at a page, whatever that showed besides.
    made: FxHashMap<(Filling, LabelingId), u32>,
    /// Last attempt that led to another form.
    onward: Option<Onward>,
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
    /// Place of the next blank in the order of its page.
    next: usize,
    /// Blank whose list was opened by the last step, and the entry that is wanted.
    opened: Option<(usize, u8)>,
    /// Place of the click that opened it.
    opened_at: Arc<str>,
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
                && let Some(plan) = form.plan(&form.contexts, self.onward(number), steps, outlook)
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
        if let Some((blank, entry)) = self.attempt.as_mut().and_then(|attempt| attempt.opened.take())
            && let Some(at) = self.option(situation.scene, open, blank, entry)
        {
            return Some(at);
        }
        let page = self.page(situation.scene)?;
        if self.attempt.as_ref().is_none_or(|attempt| attempt.form != page.form) {
            let form = &self.list[page.form];
            let number = form.context(&page.shown);
            let here = Context { page: page.clone(), number, phase: situation.phase, way: Way::new() };
            let plan = form.plan(&[here], self.onward(page.form), situation.steps_left, outlook)?;
            if self.contexts.iter().filter(|&&number| number == plan.context).count() >= IN_A_ROW_MAX {
                return None;
            }
            self.start(page.form, plan);
        }
        let at = self.attempt.as_mut().and_then(|attempt| attempt.step(&page, open));
        if let (Some(attempt), Some(at)) = (&mut self.attempt, at)
            && let Some(on) = situation.scene.actions[usize::from(at)].target()
        {
            attempt.opened_at = on.object_id.clone();
        }
        if at.is_none() {
            self.attempt = None;
        }
        at
    }

    /// Returns the attempt at a form that leads to another one, as long as few attempts were made there.
    fn onward(&self, form: usize) -> Option<&Onward> {
        self.list[form].onward.as_ref().filter(|onward| self.list[onward.form].tried.len() < ONWARD_MAX)
    }

    /// Returns the option among `open` that gives this entry to a blank whose list is open; without options, a text for it.
    fn option(&mut self, scene: &Scene, open: &[u16], blank: usize, entry: u8) -> Option<u16> {
        let Attempt { form, opened_at, .. } = self.attempt.as_ref()?;
        let form = *form;
        let is_text = |at: &u16| match &scene.actions[usize::from(*at)] {
            Action::Text { on, text } => on.object_id == *opened_at && !text.is_empty(),
            _ => false,
        };
        let options = options(scene, open);
        let option = options.get(option_of(entry)).or(options.first()).copied();
        let Some(at) = option else { return open.iter().copied().find(is_text) };
        if let Blank::Opener(texts) = &mut self.list[form].blanks[blank] {
            // One entry more is as it was found.
            let entries = options.len().min(CHOSEN_MAX) + 1;
            if texts.len() < entries {
                texts.resize(entries, None);
                self.pages.clear();
            }
            let on = scene.actions[usize::from(at)].target()?;
            let text = Some(Arc::from(on.names()[0]));
            if texts[usize::from(entry)] != text {
                texts[usize::from(entry)] = text;
                // What pages hold was read without this text.
                self.pages.clear();
            }
        }
        Some(at)
    }

    fn start(&mut self, number: usize, plan: Plan) {
        let form = &mut self.list[number];
        let Plan { base, context, page, filling, button, .. } = plan;
        if let Some(base) = form.bases.get_mut(base) {
            base.attempts += 1;
        }
        // An attempt that comes to nothing on the way is none to repeat.
        form.tried.insert((context, filling.clone(), button));
        if page.is_of_browser {
            *form.made.entry((filling.clone(), button)).or_insert(0) += 1;
        }
        self.contexts.push(context);
        let there = page.buttons.iter().map(|(_, button)| *button).collect();
        self.attempt = Some(Attempt {
            form: number,
            context,
            filling,
            button,
            there,
            next: 0,
            opened: None,
            opened_at: Arc::default(),
            is_sent: false,
        });
    }

    /// Learns a step, at the end of this way.
    pub fn learn(&mut self, transition: &Transition<'_>, way: &Way, way_max: usize) {
        if let Some(attempt) = self.attempt.take_if(|attempt| attempt.is_sent) {
            let said = said(transition.from.scene, transition.to);
            let page = self.page(transition.to);
            let after = page.as_ref().map(|page| page.form);
            let stays = after == Some(attempt.form);
            let form = &mut self.list[attempt.form];
            let is_odd =
                form.buttons.iter().any(|button| button.labeling == attempt.button && button.doubt >= ODD);
            let leads_on = transition.to.is_page()
                && !is_odd
                && (!stays || has_new_buttons(transition.from.scene, transition.to));
            if leads_on {
                self.contexts.pop();
                if form.again < AGAIN_MAX {
                    form.again += 1;
                    form.tried.remove(&(attempt.context, attempt.filling.clone(), attempt.button));
                }
                let (filling, button) = (attempt.filling.clone(), attempt.button);
                let onward = after.filter(|_| !stays).map(|form| Onward { filling, button, form });
                form.onward = onward.or(form.onward.take());
            }
            let filling = attempt.filling.clone();
            form.note(attempt, transition.to.activity, &said, stays, leads_on);
            if let Some(page) = page.filter(|page| page.is_of_browser && stays && !leads_on && !is_odd) {
                form.mend(filling, &page);
            }
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
            let openers = openers(screen, scene);
            parts.retain(|part| !openers.iter().any(|opener| is_in(&part.object_id, &opener.object_id)));
            parts.extend(openers);
        }
        let is_blank =
            |widget: &Widget| is_field(widget) || has_boxes && is_box(widget) || is_page && is_choice(widget);
        let (mut shown, mut beside) = (Vec::new(), Vec::new());
        // Answers are told from other texts on pages alone.
        let places: Vec<Vec<u32>> =
            parts.iter().filter(|_| is_page).map(|part| place(&part.object_id)).collect();
        screen.for_each_object(|_, widget, object_id| {
            let is_it = |part: &Input<'_>| part.opener.is_some() && is_in(object_id, &part.object_id);
            let is_besides = widget.is_visible() && !is_blank(widget) && !parts.iter().any(is_it);
            if is_besides && shown.len() < SHOWN_MAX {
                shown.push(number(widget));
                let is_text = is_page && !widget.text.is_empty();
                beside.push(is_text.then(|| nearest(&places, object_id)).flatten());
            }
        });
        let shown: Arc<[u64]> = shown.into();
        let (mut offered, mut buttons) = (vec![Vec::new(); parts.len()], Vec::new());
        let mut last_field = 0;
        let mut forms = forms(screen);
        forms.retain(|form| parts.iter().any(|part| is_within(&part.object_id, form)));
        for (at, action) in (0_u16..).zip(scene.actions.iter()) {
            if *action == Action::Device(DeviceAction::Enter) {
                // It sends what is in the fields, as a button does.
                buttons.push((at, scene.offers[usize::from(at)].labeling, 0));
            }
            let Some(on) = action.target() else { continue };
            let chosen = |part: &Input<'_>| part.choices.iter().any(|(choice, _)| **choice == *on.object_id);
            let blank = parts.iter().position(|part| *part.object_id == *on.object_id || chosen(part));
            match (action, blank) {
                (Action::Text { .. }, Some(blank)) if parts[blank].opener.is_some() => {}
                (Action::Text { text, .. }, Some(blank)) => {
                    offered[blank].push((at, text.clone()));
                    last_field = at;
                }
                (Action::Touch(Touch::Click, _), Some(blank))
                    if !is_field(parts[blank].widget) || parts[blank].opener.is_some() =>
                {
                    offered[blank].push((at, on.object_id.clone()));
                }
                (Action::Touch(Touch::Click, _), None)
                    if buttons.len() < LISTED_MAX && !is_option(&on.class) =>
                {
                    let labeling = scene.offers[usize::from(at)].labeling;
                    let is_own =
                        is_button(&on.class) && forms.iter().any(|form| is_within(&on.object_id, form));
                    let names = on.names();
                    let is_odd = is_page
                        && (has_word(&names, &DISMISSING) || names.iter().all(|name| name.is_empty()));
                    let doubt = if is_odd { ODD } else { u32::from(!is_own && !is_submitting(&names)) };
                    buttons.push((at, labeling, doubt));
                }
                _ => {}
            }
        }
        let is_waiting = |widget: &Widget| is_button(&widget.class) && !widget.flags.has(Flags::ENABLED);
        if is_page && screen.widgets().iter().any(|widget| widget.is_visible() && is_waiting(widget)) {
            buttons.push((u16::MAX, LATER, 0));
        }
        // Boxes alone are a form only where something looks like the end of one.
        if fields == 0 && buttons.iter().all(|(_, _, doubt)| *doubt > 0) {
            return None;
        }
        let form = self.form(scene.activity, &parts, &offered, &shown)?;
        let Form { blanks, buttons: known, bases, told, .. } = &mut self.list[form];
        let new: Vec<(usize, u8)> = blanks
            .iter_mut()
            .zip(&parts)
            .enumerate()
            .filter_map(|(at, (blank, part))| Some((at, blank.meet(part)?)))
            .collect();
        let holds: Vec<Option<u8>> =
            blanks.iter().zip(&parts).map(|(blank, part)| blank.entry(part)).collect();
        if bases.is_empty() {
            // Each blank with the entry that fits best, or as it is found.
            let found: Filling = holds.iter().map(|entry| entry.unwrap_or(0)).collect();
            bases.push(Base::new(likeliest(blanks, &parts), 0));
            if bases[0].filling != found {
                bases.push(Base::new(found, FOUND_AFTER));
            }
        }
        if !new.is_empty() {
            // Answers to several fields come one after the other.
            let mut filling = told.clone().unwrap_or_else(|| bases[0].filling.clone());
            new.into_iter().for_each(|(at, entry)| filling[at] = entry);
            bases.retain(|base| base.attempts > 0 || told.as_ref() != Some(&base.filling));
            bases.truncate(BASES_MAX - 1);
            bases.push(Base::new(filling.clone(), 0));
            *told = Some(filling);
        }
        for &(at, labeling, doubt) in &buttons {
            if known.len() < LISTED_MAX && known.iter().all(|button| button.labeling != labeling) {
                let doubt = if doubt == 0 { 0 } else { doubt + u32::from(at < last_field) };
                known.push(Button { labeling, doubt, clicks: 0, answers: FxHashSet::default() });
            }
        }
        let makes = |(blank, part): (&Blank, &Input<'_>), offered: &[(u16, Arc<str>)]| -> Vec<Option<u16>> {
            match blank {
                Blank::Field(texts, _) => texts
                    .iter()
                    .map(|text| offered.iter().find(|(_, own)| own == text).map(|&(at, _)| at))
                    .collect(),
                // The same click makes both marks.
                Blank::Tick => vec![offered.first().map(|&(at, _)| at); 2],
                // The same click opens it, whatever is chosen then; nothing leads back to how it was found.
                Blank::Opener(texts) => {
                    let mut opens = vec![offered.first().map(|&(at, _)| at); texts.len()];
                    opens[usize::from(AS_FOUND)] = None;
                    opens
                }
                Blank::Choice(_) => {
                    let offer = |choice: &str| offered.iter().find(|(_, own)| **own == *choice);
                    part.choices.iter().map(|(choice, _)| offer(choice).map(|&(at, _)| at)).collect()
                }
            }
        };
        let offers = blanks.iter().zip(&parts).zip(&offered).map(|(blank, offered)| makes(blank, offered));
        let offers = offers.collect();
        let buttons = buttons.into_iter().map(|(at, labeling, _)| (at, labeling)).collect();
        let opens = parts.iter().map(|part| part.opener.is_some()).collect();
        let mut order: Vec<usize> = (0..parts.len()).collect();
        if is_page {
            // Enter sends a form from a field, so fields come last.
            sorted::by_key(&mut order, |&at| parts[at].opener.is_none() && is_field(parts[at].widget));
        }
        let rows = rows(screen);
        let is_own = |part: &&Input<'_>| {
            !is_box(part.widget) && !rows.iter().any(|row| is_within(&part.object_id, row))
        };
        let is_of_several = parts.iter().filter(is_own).count() > 1;
        Some(Page {
            form,
            shown,
            beside,
            offers,
            holds,
            opens,
            order,
            buttons,
            is_of_browser: is_page,
            is_of_several,
        })
    }

    /// Returns the number of the form with these blanks.
    fn form(
        &mut self,
        activity: ActivityId,
        parts: &[Input<'_>],
        offered: &[Vec<(u16, Arc<str>)>],
        shown: &[u64],
    ) -> Option<usize> {
        let mut key = FxHasher::default();
        activity.hash(&mut key);
        parts.iter().for_each(|part| {
            let is_opener = part.opener.is_some();
            (&part.widget.id, is_box(part.widget), is_opener, part.choices.len()).hash(&mut key);
        });
        if let Some(&known) = self.numbers.get(&key.finish()) {
            return Some(known);
        }
        if self.list.len() >= FORMS_MAX {
            return None;
        }
        let blank = |input: &Input<'_>, offered: &[(u16, Arc<str>)]| {
            let Input { widget, samples, choices, opener, .. } = input;
            if let Some(shown) = opener {
                return Blank::Opener(vec![None, Some((&**shown).into()), None]);
            }
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
            Blank::Field(texts, samples.iter().map(|sample| Arc::clone(sample)).collect())
        };
        let blanks: Vec<Blank> =
            parts.iter().zip(offered).map(|(part, offered)| blank(part, offered)).collect();
        let (found, refused) = (shown.iter().copied().collect(), vec![0; parts.len()]);
        self.list.push(Form { blanks, found, refused, ..Form::default() });
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
    /// it `stays`; and if it `leads` on.
    fn note(&mut self, attempt: Attempt, activity: ActivityId, said: &[u64], stays: bool, leads: bool) {
        let Attempt { filling, button, .. } = attempt;
        let mut answer = FxHasher::default();
        (activity, said).hash(&mut answer);
        let answer = answer.finish();
        if let Some(button) = self.buttons.iter_mut().find(|known| known.labeling == button) {
            button.clicks += 1;
            button.answers.insert(answer);
        }
        let is_new = self.answers.insert(answer);
        if let Some(base) = self.bases.iter_mut().find(|base| base.filling == filling) {
            base.leads |= leads;
        } else if is_new && self.bases.len() < BASES_MAX {
            self.bases.push(Base { leads, ..Base::new(filling, 0) });
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

    /// Returns the changes of a blank by which an attempt at a page comes later, as it was made before, or has entries that
    /// `base` has not and that were refused.
    fn known(&self, filling: &Filling, base: &Filling, button: LabelingId) -> u32 {
        if self.made.is_empty() {
            return 0;
        }
        let entries = self.refused.iter().zip(filling).zip(base);
        let is_refused =
            |((refused, entry), own): &((&u64, &u8), &u8)| entry != own && **refused >> **entry & 1 == 1;
        let refused = entries.filter(is_refused).count() as u32;
        MADE * self.made.get(&(filling.clone(), button)).copied().unwrap_or(0) + REFUSED * refused
    }

    /// Makes a filling in which the blanks that an answer stands beside, on `page`, have another entry than in `filling`.
    fn mend(&mut self, mut filling: Filling, page: &Page) {
        let texts = page.shown.iter().zip(&page.beside).filter(|(text, _)| !self.found.contains(text));
        let mut refused: Vec<usize> = texts.filter_map(|(_, &beside)| beside).collect();
        refused.sort_unstable();
        refused.dedup();
        let mut is_other = false;
        for blank in refused {
            self.refused[blank] |= 1 << filling[blank];
            let is_left = |&entry: &u8| {
                let is_offered = page.offers[blank].get(usize::from(entry)).is_some_and(Option::is_some);
                let is_empty = matches!(&self.blanks[blank], Blank::Field(texts, _) if texts[usize::from(entry)].is_empty());
                is_offered && !is_empty && self.refused[blank] >> entry & 1 == 0
            };
            let told = self.told.iter().map(|told| told[blank]);
            let other = told.chain(0..self.blanks[blank].entries()).find(is_left);
            is_other |= other.is_some();
            // The answer may mean another one, so what fits best stays when nothing else is left.
            filling[blank] = other.unwrap_or(self.bases[0].filling[blank]);
        }
        if !is_other {
            return;
        }
        let is_used_up = |base: &Base| {
            let is_it = |one: &Option<Filling>| one.as_ref() == Some(&base.filling);
            !base.leads && (is_it(&self.mended) || base.attempts == 0 && is_it(&self.told))
        };
        self.bases.retain(|base| !is_used_up(base));
        if self.bases.iter().all(|base| base.filling != filling) {
            self.bases.truncate(BASES_MAX - 1);
            // Before those whose answers were new.
            self.bases.insert(self.bases.len().min(1), Base::new(filling.clone(), 0));
        }
        self.mended = Some(filling);
    }

    /// Returns the best attempt in one of `contexts` that was not made yet and fits in this many steps.
    ///
    /// An attempt that was made is worth another one where the objective is nearer, and if it leads onward.
    fn plan(
        &self,
        contexts: &[Context],
        onward: Option<&Onward>,
        steps: u32,
        outlook: &mut dyn Outlook,
    ) -> Option<Plan> {
        let mut order: Vec<&Button> = self.buttons.iter().collect();
        let has_led = self.bases.iter().any(|base| base.leads);
        sorted::by_key(&mut order, |button| button.handicap(has_led));
        let base = (0..self.bases.len()).min_by_key(|&at| self.bases[at].turn())?;
        let own = &self.bases[base].filling;
        let all = fillings(&self.blanks, own);
        let fillings = if self.bases[base].leads { choices_at_once(&self.blanks, own, all) } else { all };
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
                let handicap = behind + BLANK * button.handicap(has_led);
                // The fillings are in order, but what was made before, or refused, comes later than its place.
                for (far, filling) in &fillings {
                    let leads =
                        onward.is_some_and(|on| on.button == button.labeling && on.filling == *filling);
                    let known = if leads { 0 } else { self.known(filling, own, button.labeling) };
                    let is_best = |cost: u32| best.as_ref().is_none_or(|(least, ..)| cost < *least);
                    if !is_best(handicap + BLANK * far) {
                        break;
                    }
                    let cost = handicap + BLANK * (far + known);
                    if !is_best(cost) {
                        continue;
                    }
                    let is_tried = !leads && self.tried.contains(&(number, filling.clone(), button.labeling));
                    if !is_tried && page.lacks(filling).is_some_and(|lacks| lacks < steps) {
                        best = Some((cost, number, context, filling, button.labeling));
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
        while let Some(&blank) = page.order.get(self.next) {
            self.next += 1;
            let (Some(&entry), Some(holds)) = (self.filling.get(blank), page.holds.get(blank)) else {
                continue;
            };
            if *holds != Some(entry) {
                self.opened = page.opens[blank].then_some((blank, entry));
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

/// Returns `all` with those before them in which each choice takes another entry than in `base`, all at once: what a choice does
/// differently mostly shows whatever the others are. Then choices alone change later.
fn choices_at_once(blanks: &[Blank], base: &Filling, mut all: Vec<(u32, Filling)>) -> Vec<(u32, Filling)> {
    let at_once = others_at_once(blanks, base);
    let is_same = |filling: &Filling, at: usize| filling[at] == base[at] || is_one_of_several(&blanks[at]);
    for (far, filling) in all.iter_mut().skip(1) {
        *far += u32::from(!at_once.is_empty() && (0..blanks.len()).all(|at| is_same(filling, at)));
    }
    all.splice(1..1, at_once);
    sorted::by_key(&mut all, |(far, _)| *far);
    all
}

fn is_one_of_several(blank: &Blank) -> bool {
    match blank {
        Blank::Choice(_) | Blank::Opener(_) => true,
        Blank::Field(..) | Blank::Tick => false,
    }
}

/// Returns the fillings in which each choice takes another entry than in `base`, all of them at once.
fn others_at_once(blanks: &[Blank], base: &Filling) -> Vec<(u32, Filling)> {
    let others = |(at, blank): (usize, &Blank)| -> Vec<u8> {
        // Nothing leads back to how it was found.
        let is_found = |entry: u8| matches!(blank, Blank::Opener(_)) && entry == AS_FOUND;
        let is_other = |&entry: &u8| is_one_of_several(blank) && entry != base[at] && !is_found(entry);
        (0..blank.entries()).filter(is_other).collect()
    };
    let others: Vec<Vec<u8>> = blanks.iter().enumerate().map(others).collect();
    let times = others.iter().map(Vec::len).max().unwrap_or(0).min(AT_ONCE_MAX);
    let filling = |time: usize| {
        let entries = others.iter().zip(base);
        entries
            .map(|(others, &own)| if others.is_empty() { own } else { others[time % others.len()] })
            .collect()
    };
    (0..times).map(|time| (1, filling(time))).collect()
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

pub fn is_submitting(names: &[&str]) -> bool {
    has_word(names, &SUBMITTING)
}

fn has_word(names: &[&str], of: &[&str]) -> bool {
    names.iter().any(|name| {
        let words = name.split(|char: char| !char.is_alphanumeric());
        words.map(str::to_lowercase).any(|word| of.contains(&&*word))
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
    use super::super::inputs::tests::screen;
    use super::*;
    use crate::gui::Target;
    use crate::situation::{ActionId, ClassId, LookId, Standing, StateId, Subgoal};

    fn field(texts: usize) -> Blank {
        Blank::Field((0..texts).map(|text| text.to_string().into()).collect(), Vec::new())
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
            offers: vec![vec![Some(0), Some(1)], vec![Some(2), Some(2)], vec![None]],
            holds: vec![None, Some(0), Some(0)],
            opens: vec![false; 3],
            order: vec![0, 1, 2],
            buttons: vec![(3, button)],
            is_of_browser: true,
            ..Page::default()
        };
        let attempt = |filling| Attempt {
            form: 0,
            context: (0, 0),
            filling,
            button,
            there: Vec::new(),
            next: 0,
            opened: None,
            opened_at: Arc::default(),
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
            offers: vec![vec![Some(0)]],
            holds: vec![Some(0)],
            opens: vec![false],
            order: vec![0],
            buttons,
            is_of_browser: true,
            ..Page::default()
        };
        let mut attempt = Attempt {
            form: 0,
            context: (0, 0),
            filling: vec![0],
            button: LATER,
            there: vec![LabelingId(1), LATER],
            next: 0,
            opened: None,
            opened_at: Arc::default(),
            is_sent: false,
        };
        let old = (1, LabelingId(1));
        let waiting = page(vec![old, (u16::MAX, LATER)]);
        assert_eq!(attempt.clone().step(&waiting, &[0, 1, 2]), None);
        assert_eq!(attempt.step(&page(vec![old, (2, LabelingId(5))]), &[0, 1, 2]), Some(2));
    }

    #[test]
    fn a_group_of_radio_buttons_holds_the_one_that_is_checked() {
        let radio = |flags| (0, "input radio", "", flags);
        let screen = screen(&[radio(Flags::CLICKABLE), radio(Flags::CLICKABLE.set(Flags::CHECKED, true))]);
        assert_eq!(Blank::Choice(2).entry(&choices(&screen)[0]), Some(1));
    }

    #[test]
    fn a_list_that_a_click_opens_is_a_blank_of_two_options_and_of_what_was_found() {
        let (click, none) = (Flags::CLICKABLE, Flags::default());
        let page = |chosen: &str, field| {
            screen(&[
                (0, "form form", "", none),
                (1, "input textbox", field, Flags::EDITABLE),
                (1, "div - select", "", click),
                (2, "span - chosen", chosen, none),
                (2, "input combobox", "", none),
                (1, "button button", "Send", click),
            ])
        };
        let listed = |options: &[&str]| {
            let options = options.iter().map(|option| (0, "div - select-option", *option, click));
            screen(&options.collect::<Vec<_>>())
        };
        let on = |id: &str, class: &str, text: &str| Target {
            object_id: id.into(),
            class: class.into(),
            text: text.into(),
            ..Target::default()
        };
        let field = on("0:0", "input textbox", "");
        let text = |text: &str| Action::Text { on: field.clone(), text: text.into() };
        let at_form = vec![
            text("abc"),
            text(""),
            Action::click(on("0:1", "div - select", "")),
            Action::click(on("0:2", "button button", "Send")),
        ];
        let option =
            |(at, text): (usize, &&str)| Action::click(on(&at.to_string(), "div - select-option", text));
        let mut forms = Forms::default();
        let mut choices = |screens: Vec<(u32, Screen, Vec<Action>)>| {
            forms.begin();
            let mut chosen = Vec::new();
            for (number, screen, actions) in screens {
                let screen_id = ScreenId(number);
                let scene = Scene { screen_id, ..Scene::numbered(actions, Some(screen)) };
                let all: Vec<u16> = (0..scene.slots).collect();
                let (phase, candidates, preferred) = (PhaseId::START, &all[..], &all[..]);
                let situation = Situation { scene: &scene, phase, steps_left: 9, candidates, preferred };
                let at = forms.next(&situation, &all, &mut Countdown);
                chosen.push(at.map(|at| scene.actions[usize::from(at)].to_string()));
            }
            chosen.into_iter().map(|chosen| chosen.expect("a choice")).collect::<Vec<String>>()
        };
        let names = ["Tea", "Milk", "Juice"];
        let open = || (3, listed(&names), names.iter().enumerate().map(option).collect());
        let chosen = choices(vec![
            (1, page("Choose", ""), at_form.clone()),
            open(),
            (2, page("Milk", ""), at_form.clone()),
            (4, page("Milk", "abc"), at_form.clone()),
        ]);
        assert!(chosen[0].contains("div") && chosen[1].contains("Milk"), "{chosen:?}");
        assert!(chosen[2].contains("abc") && chosen[3].contains("Send"), "{chosen:?}");
        let again = choices(vec![(4, page("Milk", "abc"), at_form)]);
        assert!(!again[0].contains("Send"), "the same attempt was made: {again:?}");
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
        let input = |widget| Input {
            object_id: String::new(),
            widget,
            samples: vec![],
            choices: vec![],
            opener: None,
        };
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
            bases: vec![Base::new(vec![0], 0)],
            ..Form::default()
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
            shown: Arc::new([4]),
            offers: vec![vec![Some(0), Some(1), Some(2)]],
            holds: vec![None],
            opens: vec![false],
            order: vec![0],
            buttons: vec![(3, LabelingId(1))],
            is_of_browser: true,
            ..Page::default()
        });
        let step = (StateId(0), ActionId(0));
        form.reach(&page, PhaseId(3), &vec![step]);
        let plan = |form: &mut Form| {
            let plan = form.plan(&form.contexts, None, 9, &mut Countdown).expect("an attempt");
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
            next: 1,
            opened: None,
            opened_at: Arc::default(),
            is_sent: true,
        };
        form.note(attempt(1), ActivityId(0), &[5], true, false);
        form.note(attempt(2), ActivityId(0), &[5], true, false);
        let bases: Vec<&Filling> = form.bases.iter().map(|base| &base.filling).collect();
        assert_eq!(bases, [&vec![0], &vec![1]], "the same answer makes no other one");
        assert_eq!(form.context(&[4, 5]), form.context(&[4]), "what was said is no part of a context");
        assert_ne!(form.context(&[4]), form.context(&[6]));
    }

    #[test]
    fn what_an_answer_stands_beside_gets_another_entry() {
        let mut form = Form {
            blanks: vec![field(3), field(3)],
            found: [1].into_iter().collect(),
            refused: vec![0; 2],
            bases: vec![Base::new(vec![0, 0], 1)],
            ..Form::default()
        };
        let page = |first: u64| Page {
            shown: Arc::new([first, 9]),
            beside: vec![Some(0), Some(1)],
            offers: vec![vec![Some(0), Some(1), Some(2)]; 2],
            ..Page::default()
        };
        let mut mended = |filling: Vec<u8>, first: u64| {
            form.mend(filling, &page(first));
            form.bases.iter().map(|base| base.filling.clone()).collect::<Vec<Filling>>()
        };
        assert_eq!(
            mended(vec![0, 0], 1),
            [[0, 0], [0, 1]],
            "the text of the page as it was found is no answer"
        );
        assert_eq!(mended(vec![0, 1], 1), [[0, 0], [0, 2]], "one after the other");
        assert_eq!(mended(vec![0, 2], 1), [[0, 0], [0, 2]], "no entry is left");
        assert_eq!(mended(vec![0, 2], 8), [[0, 0], [1, 0]], "where none is left, it has what fits best");
        let (own, button) = (vec![0, 0], LabelingId(1));
        assert_eq!(form.known(&vec![0, 1], &own, button), 0, "nothing was made yet");
        form.made.insert((vec![1, 0], button), 1);
        assert_eq!(form.known(&vec![0, 1], &own, button), REFUSED);
        assert_eq!(form.known(&vec![1, 0], &own, button), MADE);
        assert_eq!(form.known(&own, &own, button), 0);
    }

    #[test]
    fn a_form_that_led_on_is_dismissed_once_and_then_all_choices_change_at_once() {
        let opener = Blank::Opener(vec![None; 4]);
        let all = others_at_once(&[field(3), Blank::Choice(3), Blank::Tick, opener], &vec![1, 1, 0, 0]);
        assert_eq!(all, [(1, vec![1, 0, 0, 2]), (1, vec![1, 2, 0, 3])]);
        assert_eq!(others_at_once(&[field(3), Blank::Tick], &vec![0, 0]), []);
        let (blanks, base) = ([field(2), Blank::Choice(2)], vec![0, 0]);
        let all = choices_at_once(&blanks, &base, fillings(&blanks, &base));
        let order: Vec<&[u8]> = all.iter().map(|(_, filling)| &filling[..]).collect();
        assert_eq!(
            order,
            [&[0, 0], &[0, 1], &[1, 0], &[0, 1], &[1, 1]],
            "the choice alone comes after the text"
        );
        let mut cancel =
            Button { labeling: LabelingId(2), doubt: ODD, clicks: 0, answers: FxHashSet::default() };
        assert_eq!((cancel.handicap(false), cancel.handicap(true)), (2, 0));
        cancel.clicks = 1;
        assert!(cancel.handicap(true) > 2);
    }
}
