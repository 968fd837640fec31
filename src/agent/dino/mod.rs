//! DinoDroid: a network scores each event by how often it was done, by what lies behind it, and by what it says.
//!
//! After Zhao, Harrison and Yu, *DinoDroid: Testing Android Apps Using Deep Q-Networks*, in two variants: one to the letter
//! of its program, and a quick one. Both know an event by the words of its widget, on any page of an activity, so a list that
//! scrolls brings only its new rows as new events.

mod events;
mod graph;
mod kept;
mod learner;
mod net;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::events::{Event, Events};
use self::graph::{EVENTS_MAX, Graph};
use self::kept::Weights;
use self::learner::{FURTHER, Learner, Row, Sample, first_best};
use self::words::{Text, hash};
use super::goals::Goals;
use super::{Agent, KeptError};
use crate::gui::Action;
use crate::rng::{Rng, Seed};
use crate::situation::{
    Choice, Explanation, Labelings, Learning, Next, Origin, Outlook, PhaseId, Recollection, Scene, Situation,
    StateId, Summary, Transition,
};

/// Most events that are remembered of a page.
const REMEMBERED_MAX: usize = 48;

/// Most events of an episode that are told apart from the others.
const EPISODE_MAX: usize = 10_000;

/// Steps from one action of the system to the next, in DinoDroid.
const SYSTEM_EVERY: u64 = 10;

/// Word of the event that starts the app afresh.
const RESTART: &str = "restart";

/// Numbers of DinoDroid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DinoSettings {
    /// Learning rate.
    pub rate: f64,
    /// Discount of a reward one step later.
    pub discount: f64,
    /// Share of choices among the events that were done least.
    pub epsilon: f64,
    /// Steps of a phase that are such choices in any case.
    pub first: u32,
    /// Phases of a run: in each, steps are counted and remembered anew.
    pub phases: u32,
    /// Numbers of a word; without any, words are not read.
    pub width: u32,
    /// Most steps of an update.
    pub batch: u32,
    /// Updates by the same steps.
    pub epochs: u32,
    /// Steps of the device from one update to the next.
    pub every: u32,
    /// Share of the findings in texts that are left out while learning.
    pub dropout: f64,
    /// Greatest error that counts in full.
    pub huber: f64,
    /// Updates from one copy of the network to the next; without copies the network tells the worth of what comes next.
    pub copy: u32,
    /// Worth of an event that was never done, beyond what the network says, where no formula is followed. An event that leads
    /// to one has half of it with each step.
    pub pull: f64,
}

impl DinoSettings {
    /// Numbers of its program.
    pub const LETTER: DinoSettings = DinoSettings {
        rate: 1e-4,
        discount: 0.6,
        epsilon: 0.2,
        first: 20,
        phases: 3,
        width: 400,
        batch: 5,
        epochs: 20,
        every: 1,
        dropout: 0.5,
        huber: 1e6,
        copy: 0,
        pull: 0.0,
    };

    /// Numbers of the quick variant.
    pub const QUICK: DinoSettings = DinoSettings {
        rate: 1e-3,
        discount: 0.95,
        phases: 1,
        width: 32,
        batch: 32,
        epochs: 2,
        dropout: 0.0,
        huber: 1.0,
        copy: 100,
        pull: 2.0,
        ..DinoSettings::LETTER
    };
}

/// Variant of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// To the letter of its program.
    Letter,
    /// With fewer and larger updates, a target network, and what the formula says.
    Quick,
}

impl Variant {
    /// Returns the name of the agent.
    fn name(self) -> &'static str {
        match self {
            Variant::Letter => "dino",
            Variant::Quick => "dino2",
        }
    }
}

/// Event that was chosen.
#[derive(Clone, Debug)]
struct Made {
    row: Row,
    /// Number of events to choose from.
    events: usize,
    page: StateId,
    vertex: u64,
}

/// Chooses the event of the greatest worth, or one of those that were done least.
#[derive(Clone, Debug)]
pub struct Dino {
    settings: DinoSettings,
    variant: Variant,
    /// Steps of each phase.
    phase_steps: u64,
    events: Events,
    graph: Graph,
    goals: Goals,
    learner: Option<Box<Learner>>,
    /// Network that the first choice starts from, if one was loaded.
    kept: Option<Weights>,
    /// Events of the episode.
    episode: FxHashSet<u64>,
    last: Option<Made>,
    /// Choice to start the app afresh, until it was started.
    restarting: Option<Made>,
    /// Step whose next page is not known yet, and its reward.
    open: Option<(Made, f64)>,
    steps: u64,
    /// True while steps of the past are counted anew.
    is_recalling: bool,
}

/// Moment of a choice.
#[derive(Clone, Copy, Debug)]
struct Now<'a> {
    scene: &'a Scene,
    phase: PhaseId,
    steps_left: u32,
}

/// Events to choose from, with their rows.
struct Choices {
    events: Vec<Event>,
    rows: Vec<Row>,
    /// Worth of each beyond what the network says.
    pulls: Vec<f32>,
}

impl Dino {
    /// Returns an agent to the letter, for a run of so many steps, if their number is known.
    pub fn letter(settings: DinoSettings, run_steps: u64) -> Dino {
        Dino::new(settings, Variant::Letter, run_steps)
    }

    /// Returns an agent of the quick variant, for a run of so many steps, if their number is known.
    pub fn quick(settings: DinoSettings, run_steps: u64) -> Dino {
        Dino::new(settings, Variant::Quick, run_steps)
    }

    fn new(settings: DinoSettings, variant: Variant, run_steps: u64) -> Dino {
        let phases = u64::from(settings.phases.max(1));
        Dino {
            settings,
            variant,
            phase_steps: if phases > 1 && run_steps > 0 { run_steps.div_ceil(phases) } else { u64::MAX },
            events: Events::new(variant == Variant::Quick),
            graph: Graph::default(),
            goals: Goals::default(),
            learner: None,
            kept: None,
            episode: FxHashSet::default(),
            last: None,
            restarting: None,
            open: None,
            steps: 0,
            is_recalling: false,
        }
    }

    /// Takes in the page of a scene.
    fn meet(&mut self, scene: &Scene, has_system: bool) -> Arc<Vec<Event>> {
        let events = self.events.of(scene);
        let of = |of_system: bool| {
            events.iter().filter(move |event| event.is_of_system == of_system).map(|event| event.vertex)
        };
        self.graph.meet(scene.state, of(false), of(true).filter(|_| has_system));
        events
    }

    fn row(&self, now: Now<'_>, event: &Event, ahead: &mut graph::Ahead<'_>) -> Row {
        Row {
            text: event.text.clone(),
            times: self.graph.times(event.vertex),
            ahead: ahead.of(event.vertex),
            further: self.further(now, event),
        }
    }

    /// Returns what an event is worth beyond what the network says: half as much with each step to what was never done.
    fn pull(&self, event: &Event, ahead: &mut graph::Ahead<'_>) -> f32 {
        let is_pulled = self.settings.pull > 0.0 && !event.is_of_system;
        let distance = if is_pulled { ahead.distance(event.vertex) } else { None };
        distance.map_or(0.0, |steps| (self.settings.pull / f64::from(1u32 << steps)) as f32)
    }

    /// Returns what the network reads of an event beyond its counts and its words.
    fn further(&self, now: Now<'_>, event: &Event) -> [f32; FURTHER] {
        let mut further = [0.0; FURTHER];
        if self.variant == Variant::Letter {
            return further;
        }
        let Some(&at) = event.places.first() else { return further };
        let Now { scene, phase, steps_left } = now;
        let (offer, action) = (&scene.offers[usize::from(at)], &scene.actions[usize::from(at)]);
        let [episode, steps, on_page, rest @ ..] = &mut further;
        let flag = |is: bool| f32::from(u8::from(is));
        *episode = flag(self.episode.contains(&event.vertex));
        *steps = steps_left.min(50) as f32 / 50.0;
        *on_page = 1.0 / (1.0 + self.graph.times_on(scene.state, event.vertex) as f32).sqrt();
        let (goals, kinds) = rest.split_at_mut(6);
        let goal = self.goals.of(phase, offer.class, scene.look);
        goals.copy_from_slice(&[
            self.goals.closeness(phase),
            goal.stays,
            goal.best,
            goal.ease,
            flag(offer.hints != 0),
            flag(offer.hints & goal.gained != 0),
        ]);
        kinds[kind(action)] = 1.0;
        further
    }

    /// Returns the rows of all events of a page, of very many those of some.
    fn next_rows(&mut self, now: Now<'_>, has_system: bool, rng: &mut Rng) -> Option<Arc<[Row]>> {
        let events = self.meet(now.scene, has_system);
        let mut ahead = self.graph.ahead();
        let met = events.iter().filter(|event| has_system || !event.is_of_system);
        let rows: Vec<Row> = met.take(EVENTS_MAX).map(|event| self.row(now, event, &mut ahead)).collect();
        remembered(rows, rng)
    }

    /// Returns the events with an action among the preferred ones, of very many some, with their rows.
    fn choices(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choices {
        let is_letter = self.variant == Variant::Letter;
        let Situation { scene, preferred, .. } = *situation;
        let has_system = !is_letter || outlook.is_some();
        let met = self.meet(scene, has_system);
        let mut events = preferred_of(&met, scene, preferred);
        if !has_system && events.iter().any(|event| !event.is_of_system) {
            events.retain(|event| !event.is_of_system);
        }
        rng.keep_some(&mut events, EVENTS_MAX);
        let now = now(situation);
        let is_exploring = outlook.is_none();
        if let (Some(outlook), false) = (outlook, is_letter) {
            let firsts = events.iter().filter_map(|event| event.places.first());
            let classes = firsts.map(|&at| scene.offers[usize::from(at)].class);
            self.goals.look_ahead(now.phase, scene.look, classes, outlook);
        }
        if !has_system && scene.screen.is_some() {
            events.push(restart(scene));
        }
        let mut ahead = self.graph.ahead();
        let rows = events.iter().map(|event| self.row(now, event, &mut ahead)).collect();
        let pulls = events.iter().map(|event| if is_exploring { self.pull(event, &mut ahead) } else { 0.0 });
        let pulls = pulls.collect();
        Choices { events, rows, pulls }
    }

    /// Learns from the open step, given the events of the page after it.
    fn close(&mut self, next: Option<Arc<[Row]>>) {
        let Some((Made { row, events, .. }, reward)) = self.open.take() else { return };
        if let Some(learner) = &mut self.learner {
            learner.learn(
                Sample { row, events, reward, next },
                self.steps.is_multiple_of(self.settings.every.into()),
            );
        }
    }

    /// Begins a phase once it is time.
    fn begin_phase(&mut self) {
        if self.steps.is_multiple_of(self.phase_steps) {
            self.graph = Graph::default();
            self.episode.clear();
            self.open = None;
            if let Some(learner) = &mut self.learner {
                learner.forget();
            }
        }
    }

    /// Returns the place of the event to choose.
    fn pick(&mut self, Choices { rows, pulls, .. }: &Choices, rng: &mut Rng) -> usize {
        let is_first = self.steps % self.phase_steps < u64::from(self.settings.first);
        if is_first || rng.unit() < self.settings.epsilon {
            let least = rows.iter().map(|row| row.times).min().unwrap_or_default();
            let equals: Vec<usize> = (0..rows.len()).filter(|&at| rows[at].times == least).collect();
            return equals[rng.below(equals.len())];
        }
        self.learner.as_mut().map_or(0, |learner| {
            let worths = learner.worths(rows).iter().zip(pulls).map(|(worth, pull)| worth + pull);
            first_best(&worths.collect::<Vec<f32>>())
        })
    }
}

/// Returns the events with some of the preferred offers, and only these.
fn preferred_of(met: &[Event], scene: &Scene, preferred: &[u16]) -> Vec<Event> {
    if preferred.len() == scene.offers.len() {
        return met.to_vec();
    }
    let mut is_preferred = vec![false; scene.offers.len()];
    preferred.iter().for_each(|&at| is_preferred[usize::from(at)] = true);
    let narrowed = |event: &Event| Event {
        places: event.places.iter().copied().filter(|&at| is_preferred[usize::from(at)]).collect(),
        ..event.clone()
    };
    met.iter().map(narrowed).filter(|event| !event.places.is_empty()).collect()
}

/// Returns the event that starts the app afresh, which stands for no offer.
fn restart(scene: &Scene) -> Event {
    let activity = scene.screen.as_ref().map_or(&[][..], |screen| screen.activity().as_bytes());
    Event {
        vertex: hash(activity.iter().chain(b"\0").chain(RESTART.as_bytes()).copied()),
        places: Arc::default(),
        text: Arc::new(Text::of_name(RESTART)),
        is_of_system: false,
    }
}

/// Returns the rows that are remembered of a page, if it has any: of many, some are drawn.
fn remembered(mut rows: Vec<Row>, rng: &mut Rng) -> Option<Arc<[Row]>> {
    rng.keep_some(&mut rows, REMEMBERED_MAX);
    (!rows.is_empty()).then(|| rows.into())
}

/// Returns the number of an action's kind, of nine.
fn kind(action: &Action) -> usize {
    match action {
        Action::Reinitialise(_) => 0,
        Action::Touch(..) if action.type_name() == "click" => 1,
        Action::Touch(..) => 2,
        Action::Text { .. } => 3,
        Action::Stroke(..) => 4,
        Action::User { .. } => 5,
        Action::Device(_) if *action == Action::BACK => 6,
        Action::Device(_) if action.type_name() == "menu" => 7,
        Action::Device(_) => 8,
    }
}

fn now<'a>(situation: &Situation<'a>) -> Now<'a> {
    Now { scene: situation.scene, phase: situation.phase, steps_left: situation.steps_left }
}

impl Agent for Dino {
    fn begin(&mut self) {
        self.episode.clear();
        (self.last, self.open) = (None, None);
    }

    fn choose(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice {
        self.is_recalling = false;
        let (settings, variant, kept) = (self.settings, self.variant, &self.kept);
        self.learner.get_or_insert_with(|| {
            let seed = Seed(rng.below(1 << 31) as u64);
            let mut learner = Learner::new(&settings, variant, seed);
            if let Some(kept) = kept {
                learner.start_from(kept);
            }
            Box::new(learner)
        });
        // Where nothing is to be reached, actions of the system are no events to the letter.
        let is_by_letter = variant == Variant::Letter && outlook.is_none();
        let choices = self.choices(situation, outlook, rng);
        self.close(remembered(choices.rows.clone(), rng));
        let scene = situation.scene;
        if is_by_letter && self.steps % SYSTEM_EVERY == SYSTEM_EVERY - 1 {
            let all = self.events.of(scene);
            let mut of_system = preferred_of(&all, scene, situation.preferred);
            of_system.retain(|event| event.is_of_system);
            if !of_system.is_empty() {
                let places = &of_system[rng.below(of_system.len())].places;
                return Choice::Offer(places[rng.below(places.len())]);
            }
        }
        let at = self.pick(&choices, rng);
        let Choices { events, rows, .. } = choices;
        let Event { vertex, places, .. } = &events[at];
        let made = Made { row: rows[at].clone(), events: rows.len(), page: scene.state, vertex: *vertex };
        if places.is_empty() {
            self.restarting = Some(made);
            return Choice::Restart;
        }
        self.last = Some(made);
        Choice::Offer(places[rng.below(places.len())])
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, origin: Origin) {
        if origin == Origin::Experience {
            return;
        }
        self.is_recalling = false;
        let events = self.meet(situation.scene, true);
        let Some(event) = events.iter().find(|event| event.places.contains(&taken)) else { return };
        let mut row = self.row(now(situation), event, &mut self.graph.ahead());
        if let Some(wins) = row.further.last_mut().filter(|_| self.variant == Variant::Quick) {
            *wins = 1.0;
        }
        self.close(Some([row.clone()].into()));
        self.last = Some(Made { row, events: 1, page: situation.scene.state, vertex: event.vertex });
    }

    fn learn(&mut self, transition: &Transition<'_>, rng: &mut Rng) -> Explanation {
        let (from, to) = (transition.from.scene, transition.to);
        let events = self.events.of(from);
        let done = events.iter().find(|event| event.places.contains(&transition.at));
        // Actions of the system are no events of a page where they are done aside.
        let is_aside = self.last.is_none() && !self.is_recalling;
        if let Some(event) = done.filter(|event| !(is_aside && event.is_of_system)) {
            self.graph.count(from.state, event.vertex, to.state);
            if self.episode.len() < EPISODE_MAX {
                self.episode.insert(event.vertex);
            }
        }
        if self.is_recalling {
            return Explanation::default();
        }
        self.steps += 1;
        let mut last = self.last.take();
        if from.screen.is_none()
            && let Some(restarting) = self.restarting.take()
        {
            self.graph.count(restarting.page, restarting.vertex, to.state);
            last = Some(restarting);
        }
        if let Some(last) = last.filter(|_| transition.reward.is_finite()) {
            self.open = Some((last, transition.reward));
        }
        match &transition.next {
            Next::Choice(_) => {}
            Next::DeadEnd | Next::Terminal => self.close(None),
            Next::Truncated => {
                // The app would go on.
                let steps_left = transition.from.steps_left;
                let now = Now { scene: to, phase: transition.phase, steps_left };
                let has_system = self.variant == Variant::Quick;
                let next = self.next_rows(now, has_system, rng);
                self.close(next);
            }
            Next::Unknown => self.open = None,
        }
        self.begin_phase();
        Explanation::default()
    }

    fn end(&mut self, origin: Origin) -> Summary {
        self.is_recalling &= origin == Origin::Experience;
        Summary::default()
    }

    fn learning(&self) -> Option<Learning> {
        self.learner.as_ref().map(|learner| learner.learning())
    }

    fn save(&self, _: &dyn Labelings) -> Vec<u8> {
        let kept = self.learner.as_ref().map(|learner| learner.weights()).or_else(|| self.kept.clone());
        kept.map_or_else(Vec::new, |kept| kept::write(self.variant, self.settings.width, &kept))
    }

    fn load(&mut self, kept: &[u8], _: &mut dyn Labelings) -> Result<(), KeptError> {
        if !kept.is_empty() {
            let weights = learner::net(&self.settings, self.variant).weights();
            self.kept = Some(kept::read(self.variant, self.settings.width, weights, kept)?);
        }
        Ok(())
    }

    fn forget(&mut self, _: Recollection) {
        // Rows say nothing of numbers of states, so what was learned stays.
        self.graph = Graph::default();
        self.episode.clear();
        (self.last, self.open, self.restarting) = (None, None, None);
        self.is_recalling = true;
    }
}
