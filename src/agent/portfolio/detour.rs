//! Detours: a way that ended in vain, with clicks on it that showed no effect.
//!
//! An app keeps things that no screen shows, and then the last click of a good way leads to the wrong place, or nowhere. A front
//! is a place where a click put the objective out of reach. That click is an ending; so is a click that does nothing there. A
//! silent click changed nothing to see. A detour is the way to a front, with as many silent clicks as there are steps to spare,
//! and then an ending. Each silent click comes before each ending once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::latest::Taken;
use crate::gui::{Action, DeviceAction, Touch};
use crate::situation::{ActivityId, LabelingId, Offer, Outlook, PhaseId, Scene, Situation};

/// Most activities, clicks of an activity, fronts, and endings of a front that are kept.
const ACTIVITIES_MAX: usize = 500;
const CLICKS_MAX: usize = 40;
const FRONTS_MAX: usize = 24;
const ENDINGS_MAX: usize = 8;
/// Most steps of a way to a front, and most clicks of an episode, and before an ending, that are kept.
const WAY_MAX: usize = 60;
const TESTED_MAX: usize = 500;
/// Episodes before detours are made: a plan finds by itself, at first, what needs none.
const EPISODES_MIN: u32 = 20;
/// Worth of an ending whose name the objective hints at, and of one that did nothing, as a multiple of that of others.
const HINTED: f64 = 4.0;
const SILENT: f64 = 0.25;

/// Click of an activity, by its name.
type Name = (ActivityId, LabelingId);

/// Step of a run that is done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// Action of this name.
    Named(Name),
    /// Back from this activity.
    Back(ActivityId),
}

impl Move {
    /// Returns the activity that it is done on.
    fn activity(self) -> ActivityId {
        match self {
            Move::Named((activity, _)) | Move::Back(activity) => activity,
        }
    }
}

/// Effect of a click, the last time it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// None that shows.
    Silent,
    /// Another activity came up.
    Opens(ActivityId),
    /// The activity shows something else.
    Shows,
}

/// Click at a front that put the objective out of reach, or came to nothing.
#[derive(Clone, Debug)]
struct Ending {
    labeling: LabelingId,
    /// Worth of doing it again, each time.
    worth: f64,
    /// Times that it was done.
    times: u32,
    /// Silent clicks that came before it.
    tested: FxHashSet<Name>,
}

/// Place where a click put the objective out of reach.
#[derive(Clone, Debug)]
struct Front {
    phase: PhaseId,
    activity: ActivityId,
    /// Steps that are missing there at least.
    missing: u32,
    way: Vec<Move>,
    endings: Vec<Ending>,
}

impl Front {
    /// Returns the activities on the way, that of the front last.
    fn places(&self) -> impl Iterator<Item = ActivityId> {
        self.way.iter().map(|step| step.activity()).chain([self.activity])
    }
}

/// Detour to be made.
#[derive(Clone, Debug)]
struct Detour {
    /// Steps still to come, the next last.
    moves: Vec<Move>,
    /// Silent clicks that it is about.
    clicks: Vec<Name>,
    /// Numbers of its front and its ending.
    front: usize,
    ending: usize,
}

impl Detour {
    fn is_about(&self, next: Move) -> bool {
        matches!(next, Move::Named(name) if self.clicks.contains(&name))
    }
}

/// The member that makes detours.
#[derive(Clone, Debug, Default)]
pub struct Detours {
    effects: FxHashMap<ActivityId, Vec<(LabelingId, Effect)>>,
    fronts: Vec<Front>,
    detour: Option<Detour>,
    /// Steps of this episode so far.
    trail: Vec<Move>,
    /// Silent clicks of this episode.
    silent: FxHashSet<Name>,
    /// Phase on the screen now, and the steps that are missing at least.
    here: Option<(PhaseId, u32)>,
    episodes: u32,
}

impl Detours {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.trail.clear();
        self.silent.clear();
        (self.detour, self.here) = (None, None);
    }

    /// Ends an episode.
    pub fn end(&mut self) {
        self.episodes += 1;
    }

    /// Returns true if there is a detour to be made in so many steps.
    pub fn has_work(&self, steps: u32) -> bool {
        self.episodes >= EPISODES_MIN && self.plan(steps).is_some()
    }

    /// Takes notice of a situation, whoever chooses in it.
    pub fn look(&mut self, situation: &Situation<'_>, outlook: &mut dyn Outlook) {
        let Situation { scene, phase, steps_left, .. } = *situation;
        let missing = outlook.standing(phase).missing(steps_left);
        let is_place = scene.screen.is_some() && self.trail.len() <= WAY_MAX;
        self.here = missing.filter(|_| is_place).map(|missing| (phase, missing));
    }

    /// Learns a step.
    pub fn learn(&mut self, Taken { from, at, to, is_end, .. }: &Taken) {
        let offer = &from.offers[usize::from(*at)];
        let action = &from.actions[usize::from(*at)];
        let name = (from.activity, offer.labeling);
        if matches!(action, Action::Touch(Touch::Click, _)) {
            let effect = if to.screen_id == from.screen_id {
                Effect::Silent
            } else if to.activity == from.activity {
                Effect::Shows
            } else {
                Effect::Opens(to.activity)
            };
            self.note(name, effect);
            self.end_at(from.activity, offer, *is_end, effect);
            if effect == Effect::Silent && self.silent.len() < TESTED_MAX {
                self.silent.insert(name);
            }
        }
        self.here = None;
        // One step more than a way has tells that there is none.
        if self.trail.len() <= WAY_MAX {
            let is_back = matches!(action, Action::Device(DeviceAction::Back));
            self.trail.push(if is_back { Move::Back(from.activity) } else { Move::Named(name) });
        }
    }

    /// Learns the effect of a click on an activity, which did not reach the objective.
    fn end_at(&mut self, activity: ActivityId, offer: &Offer, is_lost: bool, effect: Effect) {
        let Some((phase, missing)) = self.here else { return };
        let known = self.fronts.iter().position(|front| front.phase == phase && front.activity == activity);
        let number = match known {
            Some(known) => known,
            None if is_lost && self.fronts.len() < FRONTS_MAX => {
                let (way, endings) = (self.trail.clone(), Vec::new());
                self.fronts.push(Front { phase, activity, missing, way, endings });
                self.fronts.len() - 1
            }
            None => return,
        };
        let front = &mut self.fronts[number];
        if self.trail.len() < front.way.len() {
            front.way.clone_from(&self.trail);
        }
        let labeling = offer.labeling;
        let known = front.endings.iter().position(|ending| ending.labeling == labeling);
        let at = known.unwrap_or(front.endings.len());
        let is_hinted = offer.hints != 0;
        if known.is_none() && (is_lost || is_hinted || effect == Effect::Silent) && at < ENDINGS_MAX {
            let worth = if is_hinted { HINTED } else { 1.0 } * if is_lost { 1.0 } else { SILENT };
            front.endings.push(Ending { labeling, worth, times: 0, tested: FxHashSet::default() });
        }
        if let Some(ending) = front.endings.get_mut(at) {
            ending.times += 1;
            ending.tested.extend(self.silent.iter().copied());
        }
    }

    fn note(&mut self, (activity, labeling): Name, effect: Effect) {
        if self.effects.len() >= ACTIVITIES_MAX && !self.effects.contains_key(&activity) {
            return;
        }
        let clicks = self.effects.entry(activity).or_default();
        if let Some((_, known)) = clicks.iter_mut().find(|(known, _)| *known == labeling) {
            *known = effect;
        } else if clicks.len() < CLICKS_MAX {
            clicks.push((labeling, effect));
        }
    }

    /// Returns the silent clicks of an activity.
    fn silent_of(&self, activity: ActivityId) -> impl Iterator<Item = Name> {
        let clicks = self.effects.get(&activity).into_iter().flatten();
        clicks.filter(|(_, effect)| *effect == Effect::Silent).map(move |&(labeling, _)| (activity, labeling))
    }

    /// Returns the next detour of so many steps; none if all were made, or none fits.
    fn plan(&self, steps: u32) -> Option<Detour> {
        let missing = self.fronts.iter().map(|front| front.missing).min()?;
        let mut best: Option<(f64, Detour)> = None;
        for (number, front) in self.fronts.iter().enumerate().filter(|(_, front)| front.missing == missing) {
            let spare = (steps as usize).saturating_sub(front.way.len() + 1);
            let endings = front.endings.iter().enumerate();
            for (at, ending) in endings.filter(|(_, ending)| ending.tested.len() < TESTED_MAX) {
                // Where a plan ends again and again, it takes the objective to be near.
                let cost = (1 + ending.tested.len()) as f64 / (f64::from(ending.times) * ending.worth);
                if best.as_ref().is_none_or(|(least, _)| cost < *least)
                    && let Some((mut moves, clicks)) =
                        self.on_way(front, ending, spare).or_else(|| self.beside(front, ending, spare))
                {
                    moves.push(Move::Named((front.activity, ending.labeling)));
                    moves.reverse();
                    best = Some((cost, Detour { moves, clicks, front: number, ending: at }));
                }
            }
        }
        best.map(|(_, detour)| detour)
    }

    /// Returns the silent clicks of an activity that are left to come before an ending of a front.
    fn left(&self, activity: ActivityId, front: &Front, ending: &Ending) -> impl Iterator<Item = Name> {
        let end = (front.activity, ending.labeling);
        self.silent_of(activity).filter(move |name| *name != end && !ending.tested.contains(name))
    }

    /// Returns the way to a front with at most `spare` silent clicks on it, and these clicks; none if none is left.
    fn on_way(&self, front: &Front, ending: &Ending, spare: usize) -> Option<(Vec<Move>, Vec<Name>)> {
        let (mut moves, mut clicks): (Vec<Move>, Vec<Name>) = (Vec::new(), Vec::new());
        for (at, activity) in front.places().enumerate() {
            for name in self.left(activity, front, ending) {
                if clicks.len() < spare && !clicks.contains(&name) {
                    clicks.push(name);
                    moves.push(Move::Named(name));
                }
            }
            moves.extend(front.way.get(at));
        }
        (!clicks.is_empty()).then_some((moves, clicks))
    }

    /// Returns the same by a page beside the way, and back.
    fn beside(&self, front: &Front, ending: &Ending, spare: usize) -> Option<(Vec<Move>, Vec<Name>)> {
        let mut links = front.places().enumerate().flat_map(|(at, activity)| {
            let known = self.effects.get(&activity).into_iter().flatten();
            known.filter_map(move |&(labeling, effect)| match effect {
                Effect::Opens(side) => Some((at, (activity, labeling), side)),
                Effect::Silent | Effect::Shows => None,
            })
        });
        let (at, link, side) = links.find(|&(.., side)| self.left(side, front, ending).next().is_some())?;
        // There and back again are two of the steps.
        let clicks: Vec<Name> = self.left(side, front, ending).take(spare.saturating_sub(2)).collect();
        let (before, after) = front.way.split_at(at);
        let aside =
            [link].into_iter().chain(clicks.iter().copied()).map(Move::Named).chain([Move::Back(side)]);
        let moves = before.iter().copied().chain(aside).chain(after.iter().copied()).collect();
        (!clicks.is_empty()).then_some((moves, clicks))
    }

    /// Returns the next choice of the detour of this episode; none if there is none, or it has come off its way.
    pub fn next(&mut self, situation: &Situation<'_>, outlook: &mut dyn Outlook) -> Option<u16> {
        let Situation { scene, phase, steps_left, candidates, .. } = *situation;
        if self.trail.is_empty() {
            let detour = self.plan(steps_left)?;
            self.fronts[detour.front].endings[detour.ending].tested.extend(detour.clicks.iter().copied());
            self.detour = Some(detour);
        }
        let detour = self.detour.as_mut()?;
        while let Some(next) = detour.moves.pop() {
            let Some(at) = place(scene, candidates, next) else {
                // A click that is missing is left out, and without a step of the way the rest makes no sense.
                if detour.is_about(next) {
                    continue;
                }
                break;
            };
            if detour.is_about(next) {
                let after = outlook.after(phase, scene.offers[usize::from(at)].class, scene.look);
                if outlook.standing(after).missing(steps_left.saturating_sub(1)).is_none() {
                    continue;
                }
            }
            return Some(at);
        }
        detour.moves.clear();
        None
    }
}

/// Returns the candidate that a move is.
fn place(scene: &Scene, candidates: &[u16], next: Move) -> Option<u16> {
    candidates.iter().copied().find(|&at| match next {
        Move::Named((activity, labeling)) => {
            scene.activity == activity && scene.offers[usize::from(at)].labeling == labeling
        }
        Move::Back(_) => matches!(scene.actions[usize::from(at)], Action::Device(DeviceAction::Back)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: ActivityId = ActivityId(1);
    const HALL: ActivityId = ActivityId(2);
    const SIDE: ActivityId = ActivityId(3);

    fn named(activity: ActivityId, click: u32) -> Name {
        (activity, LabelingId(click))
    }

    /// Knows a way of one step to a hall, and the ending 9 there.
    fn known(effects: &[(Name, Effect)]) -> Detours {
        let mut detours = Detours::default();
        effects.iter().for_each(|&(name, effect)| detours.note(name, effect));
        let tested = FxHashSet::default();
        detours.fronts.push(Front {
            phase: PhaseId(1),
            activity: HALL,
            missing: 1,
            way: vec![Move::Named(named(MAIN, 1))],
            endings: vec![Ending { labeling: LabelingId(9), worth: 1.0, times: 1, tested }],
        });
        detours
    }

    /// Moves of all detours of so many steps, the first first.
    fn all(detours: &mut Detours, steps: u32) -> Vec<Vec<Move>> {
        let mut all = Vec::new();
        while let Some(mut detour) = detours.plan(steps) {
            detours.fronts[detour.front].endings[detour.ending].tested.extend(detour.clicks);
            detour.moves.reverse();
            all.push(detour.moves);
        }
        all
    }

    #[test]
    fn each_click_without_an_effect_comes_before_the_ending_once() {
        let clicks = [named(MAIN, 2), named(MAIN, 3), named(HALL, 4)];
        let mut detours = known(&clicks.map(|name| (name, Effect::Silent)));
        detours.note(named(HALL, 5), Effect::Shows);
        let [way, end] = [named(MAIN, 1), named(HALL, 9)].map(Move::Named);
        let [two, three, four] = clicks.map(Move::Named);
        assert_eq!(all(&mut detours, 4), [vec![two, three, way, end], vec![way, four, end]]);
    }

    #[test]
    fn a_page_beside_the_way_comes_after_the_pages_on_it() {
        let link = named(MAIN, 6);
        let effects = [
            (named(MAIN, 2), Effect::Silent),
            (link, Effect::Opens(SIDE)),
            (named(SIDE, 7), Effect::Silent),
            (named(SIDE, 8), Effect::Silent),
        ];
        let [two, way, end, seven, eight, link] =
            [effects[0].0, named(MAIN, 1), named(HALL, 9), effects[2].0, effects[3].0, link].map(Move::Named);
        let beside = |click| vec![link, click, Move::Back(SIDE), way, end];
        assert_eq!(all(&mut known(&effects), 5), [vec![two, way, end], beside(seven), beside(eight)]);
        assert_eq!(all(&mut known(&effects), 4), [vec![two, way, end]], "there are too few steps for it");
    }
}
