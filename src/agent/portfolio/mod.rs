//! The portfolio: a planner, and simple members that hold where nothing can be planned.
//!
//! Each episode belongs to one member, and all members learn from it. The [shares](shares) of the members follow what they
//! have brought lately. Most of the first episodes are the plan's.

mod amounts;
mod archive;
mod cover;
mod detour;
mod forms;
mod inputs;
mod latest;
mod repeats;
mod shares;
mod survey;
mod sweep;
mod walk;
mod yields;

use self::amounts::{Aim, Amounts};
use self::archive::{Archive, WAY_MAX, Way};
use self::cover::Cover;
use self::detour::Detours;
use self::forms::Forms;
use self::latest::{Latest, Taken};
use self::repeats::Repeats;
use self::shares::{Shares, Walks};
use self::survey::Survey;
use self::sweep::Sweep;
use self::walk::Walk;
use super::{Agent, Planner, Settings};
use crate::rng::Rng;
use crate::situation::{
    Blind, Choice, Evidence, Explanation, Origin, Outlook, Reason, Recollection, Situation, Standing,
    Summary, Transition, Turn, TurnCause,
};

/// Steps of the first episodes on a page, which walk by chance where the objective gives no direction: a page shows most of what
/// it does within few steps. The last of these episodes is walked to its end. Where there is a direction, walks take turns with
/// it.
const STEPS_WALKED: u32 = 240;
/// Chance that a walk at a form with several fields begins to fill it.
const FILLED: f64 = 0.5;
/// Chance of an action that ends the run unless the screen changes as the objective wants.
const RISKED: f64 = 0.1;
/// Chance of taking one that nobody has done, nor its like in the activity, in place of such an action: of 50 runs on large apps
/// of the choosing half at level b, 5 failed with 0.3 and 9 with 0. Other families took as many steps.
const DARED: f64 = 0.3;

/// Member of a portfolio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Member {
    /// The planner's plan.
    Plan,
    /// The way to a sight that was rarely seen, then the actions that were rarely done there.
    Novelty,
    /// The numbers and texts that the objective wants, by the actions that change them.
    Amounts,
    /// Each click at each place, for clicks that lead to ever other places.
    Survey,
    /// A way that ended in vain, with clicks on it that showed no effect.
    Detour,
    /// The fields of a form filled, and then a button.
    Forms,
    /// Actions never done, and the texts of forms that refuse and the words of pads, one after the other.
    Sweep,
    /// Each action on each kind of page, and after each other one, where the objective gives no direction.
    Cover,
    /// The actions that were rarely done at what is seen, from the start of the app.
    Least,
    /// A random walk that repeats no history while others are left.
    Random,
}

impl Member {
    /// All members, in order of precedence.
    pub const ALL: [Member; 10] = [
        Member::Plan,
        Member::Amounts,
        Member::Sweep,
        Member::Novelty,
        Member::Survey,
        Member::Detour,
        Member::Forms,
        Member::Cover,
        Member::Least,
        Member::Random,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Member::Plan => "plan",
            Member::Novelty => "novelty",
            Member::Amounts => "amounts",
            Member::Survey => "survey",
            Member::Detour => "detour",
            Member::Forms => "forms",
            Member::Sweep => "sweep",
            Member::Cover => "cover",
            Member::Least => "least",
            Member::Random => "random",
        }
    }

    /// Returns the member of this name.
    pub fn find(name: &str) -> Option<Member> {
        Member::ALL.into_iter().find(|member| member.name() == name)
    }
}

/// Set of members, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members(u16);

impl Members {
    /// All members.
    pub const ALL: Members = Members(0b11_1111_1111);

    /// Returns the set of `members`; all of them if there is none.
    pub fn of(members: impl IntoIterator<Item = Member>) -> Members {
        let bits = members.into_iter().fold(0, |bits, member| bits | 1 << member as u8);
        if bits == 0 { Members::ALL } else { Members(bits) }
    }

    fn list(self) -> Vec<Member> {
        Member::ALL.into_iter().filter(|&member| self.0 >> member as u8 & 1 == 1).collect()
    }
}

impl Default for Members {
    fn default() -> Members {
        Members::ALL
    }
}

/// The agent that shares its episodes out between members.
#[derive(Clone, Debug)]
pub struct Portfolio {
    planner: Planner,
    archive: Archive,
    amounts: Amounts,
    forms: Forms,
    sweep: Sweep,
    survey: Survey,
    detours: Detours,
    /// Latest step for these four, which know all steps before it.
    latest: Latest,
    /// Coverage; none once the objective has shown that it gives a direction.
    cover: Option<Cover>,
    walk: Walk,
    repeats: Repeats,
    shares: Shares,
    /// Member that this episode belongs to, once it has made its first choice.
    turn: Option<Member>,
    way: Way,
    news: u32,
    steps: u32,
    reason: Option<Reason>,
    /// Turn that begins with the next step that is learned.
    begun: Option<Turn>,
    /// True while the past is learned once more: it pays nobody.
    is_recalled: bool,
}

impl Portfolio {
    /// Returns a portfolio that knows nothing yet.
    pub fn new(settings: &Settings) -> Portfolio {
        let Settings { planner, members, spent, .. } = *settings;
        Portfolio {
            planner: Planner::new(planner, spent),
            archive: Archive::default(),
            amounts: Amounts::default(),
            forms: Forms::default(),
            sweep: Sweep::default(),
            survey: Survey::default(),
            detours: Detours::default(),
            latest: Latest::default(),
            cover: Some(Cover::default()),
            walk: Walk::default(),
            repeats: Repeats::default(),
            shares: Shares::new(&members.list(), spent),
            turn: None,
            way: Vec::new(),
            news: 0,
            steps: 0,
            reason: None,
            begun: None,
            is_recalled: false,
        }
    }

    fn take_turn(&mut self, situation: &Situation<'_>, outlook: &mut dyn Outlook, rng: &mut Rng) -> Member {
        let confirms = self.planner.is_tried_out() && !self.planner.is_exhausted();
        let (has_forms, is_aimless) = (self.forms.has_any(), outlook.is_aimless());
        if !is_aimless {
            self.cover = None;
        }
        let walks = match (situation.scene.is_page(), is_aimless) {
            (true, true) => Walks::First(STEPS_WALKED.div_ceil(situation.steps_left.max(1))),
            (true, false) => Walks::InTurn,
            (false, _) => Walks::None,
        };
        let (has_amounts, has_sweeps) = (!is_aimless && self.amounts.has_work(), self.sweep.has_work());
        let has_survey = !is_aimless && self.survey.has_work();
        let has_detours = !is_aimless && self.detours.has_work(situation.steps_left);
        self.shares.has_pad = has_sweeps && self.sweep.has_pad();
        let can = |member: Member| match member {
            Member::Sweep => has_sweeps,
            Member::Amounts => has_amounts,
            Member::Survey => has_survey,
            Member::Detour => has_detours,
            member => can(member, is_aimless, has_forms),
        };
        let (member, cause) = match self.shares.next(situation.steps_left, walks, can) {
            // Only the likeliest histories, done again, tell whether the app answers alike.
            _ if confirms && self.shares.has(Member::Plan) => (Member::Plan, TurnCause::Again),
            next => next,
        };
        self.start_turn(member, cause, situation, outlook, rng)
    }

    /// Leaves the rest of an episode to another member than sweeps, which have nothing to do any more.
    fn hand_over(&mut self, situation: &Situation<'_>, outlook: &mut dyn Outlook, rng: &mut Rng) -> Member {
        self.shares.pay(Member::Sweep, self.news, self.steps);
        (self.news, self.steps) = (0, 0);
        let has_forms = self.forms.has_any();
        let is_aimless = outlook.is_aimless();
        let (member, cause) = self.shares.rest(|member| can(member, is_aimless, has_forms));
        self.start_turn(member, cause, situation, outlook, rng)
    }

    fn start_turn(
        &mut self,
        member: Member,
        cause: TurnCause,
        situation: &Situation<'_>,
        outlook: &mut dyn Outlook,
        rng: &mut Rng,
    ) -> Member {
        self.turn = Some(member);
        self.begun = self.shares.has_several().then_some(Turn { member: member.name(), cause });
        // Ways begin at the start of the app.
        let has_ways = self.archive.trail().len() <= 1;
        let sent = match member {
            Member::Forms if has_ways => self.forms.send(situation.steps_left, outlook),
            _ => None,
        };
        self.way = match (member, sent) {
            (Member::Forms, Some(way)) => way,
            // Forms without anything to try leave their turn to novelty.
            (Member::Novelty | Member::Forms, _) if has_ways => {
                self.archive.send(situation.steps_left, outlook, rng)
            }
            _ => Way::new(),
        };
        member
    }

    /// Has the members that know all steps before learn one more.
    fn take_in(&mut self, taken: &Taken) {
        self.amounts.learn(taken);
        self.sweep.learn(taken);
        self.survey.learn(taken);
        self.detours.learn(taken);
    }

    /// Goes on after the past was learned once more.
    fn settle(&mut self) {
        if let Some(taken) = self.latest.settle() {
            self.take_in(&taken);
        }
    }

    /// Returns true if a walk fills a form with its next step.
    fn fills(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> bool {
        let Situation { scene, candidates, .. } = *situation;
        self.forms.is_filling()
            || self.forms.is_at_several(scene)
                && self.walk.brought(scene, candidates).is_empty()
                && rng.unit() < FILLED
    }

    fn explain(&mut self, evidence: Evidence, choices: usize) {
        self.reason = Some(Reason { evidence, chance: 0.0, choices, hinted: 0, turn: None });
    }
}

/// Returns true if a member other than sweeps, amounts, the survey and detours can take a turn.
fn can(member: Member, is_aimless: bool, has_forms: bool) -> bool {
    match member {
        Member::Forms => has_forms,
        Member::Sweep | Member::Amounts | Member::Survey | Member::Detour => false,
        Member::Cover => is_aimless,
        // Without a direction there is nothing to plan for.
        Member::Plan | Member::Least => !is_aimless,
        Member::Novelty | Member::Random => true,
    }
}

/// Returns those of `open` after which the objective is still within reach if the screen stays as it is, as a rule; by chance,
/// those that end the run then and that nobody has done; all of them if there is none, and by chance.
fn alive(
    open: Vec<u16>,
    planner: &Planner,
    situation: &Situation<'_>,
    outlook: &mut dyn Outlook,
    rng: &mut Rng,
) -> Vec<u16> {
    let Situation { scene, phase, steps_left, .. } = *situation;
    let mut is_alive = |at: u16| {
        let after = outlook.after(phase, scene.offers[usize::from(at)].class, scene.look);
        let standing = outlook.standing(after);
        standing == Standing::Won || standing.missing(steps_left.saturating_sub(1)).is_some()
    };
    let (alive, ending): (Vec<u16>, Vec<u16>) = open.iter().partition(|&&at| is_alive(at));
    if alive.is_empty() || ending.is_empty() {
        return open;
    }
    // The formula may need just the action that makes the screen change.
    let unknown: Vec<u16> =
        ending.into_iter().filter(|&at| planner.is_unknown(&scene.offers[usize::from(at)])).collect();
    if !unknown.is_empty() && rng.unit() < DARED {
        return unknown;
    }
    if rng.unit() >= RISKED { alive } else { open }
}

impl Agent for Portfolio {
    fn begin(&mut self) {
        self.planner.begin();
        self.archive.begin();
        if !self.latest.is_past() {
            self.amounts.begin();
            self.sweep.begin();
            self.detours.begin();
        }
        self.forms.begin();
        self.cover.iter_mut().for_each(Cover::begin);
        self.walk.begin();
    }

    fn begin_amid(&mut self) {
        self.begin();
        self.planner.begin_amid();
        self.archive.begin_amid();
        self.cover.iter_mut().for_each(Cover::begin_amid);
    }

    fn choose(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice {
        let mut blind = Blind;
        let outlook = outlook.unwrap_or(&mut blind);
        self.is_recalled = false;
        self.settle();
        self.amounts.look(situation.scene, situation.phase, outlook);
        self.detours.look(situation, outlook);
        let mut member = match self.turn {
            Some(member) => member,
            None => self.take_turn(situation, outlook, rng),
        };
        let screen = situation.scene.screen.as_deref();
        let deviation = screen.and_then(|screen| outlook.deviation(situation.phase, screen));
        if let Some(at) = self.repeats.next(deviation, situation) {
            self.planner.look(situation);
            self.explain(Evidence::Repeated, situation.candidates.len());
            return Choice::Offer(at);
        }
        if member == Member::Amounts
            && let Some((at, aim)) = self.amounts.next(situation, outlook, rng)
        {
            self.planner.look(situation);
            let evidence = match aim {
                Aim::Reach => Evidence::Counted,
                Aim::Test => Evidence::Tested,
            };
            self.explain(evidence, situation.candidates.len());
            return Choice::Offer(at);
        }
        if member == Member::Sweep {
            if let Some(at) = self.sweep.next(situation, rng) {
                self.planner.look(situation);
                let open = self.planner.open(situation).len();
                self.explain(Evidence::Swept, open);
                return Choice::Offer(at);
            }
            member = self.hand_over(situation, outlook, rng);
        }
        if member == Member::Detour
            && let Some(at) = self.detours.next(situation, outlook)
        {
            self.planner.look(situation);
            self.explain(Evidence::Detoured, situation.candidates.len());
            return Choice::Offer(at);
        }
        if matches!(member, Member::Plan | Member::Amounts | Member::Detour) {
            self.reason = None;
            return self.planner.choose(situation, Some(outlook), rng);
        }
        self.planner.look(situation);
        let open = self.planner.open(situation);
        // Only novelty and forms have a way; the other members have an empty one.
        if let Some(at) = self.archive.follow(&self.way, situation) {
            self.explain(Evidence::WayToRare, situation.candidates.len());
            return Choice::Offer(at);
        }
        if member == Member::Forms
            && let Some(at) = self.forms.next(situation, &open, outlook)
        {
            self.explain(Evidence::Form, open.len());
            return Choice::Offer(at);
        }
        if member == Member::Cover
            && let Some(at) = self.cover.as_mut().and_then(|cover| cover.next(situation, rng))
        {
            self.explain(Evidence::Pair, situation.candidates.len());
            return Choice::Offer(at);
        }
        if member == Member::Random
            && situation.scene.is_page()
            && self.fills(situation, rng)
            && let Some(at) = self.forms.next(situation, &open, outlook)
        {
            self.walk.pass(situation.scene, at);
            self.explain(Evidence::Form, open.len());
            return Choice::Offer(at);
        }
        if member == Member::Random && situation.scene.is_page() {
            let all = situation.candidates.to_vec();
            let candidates = &alive(all, &self.planner, situation, outlook, rng)[..];
            self.explain(Evidence::Chance, candidates.len());
            return Choice::Offer(self.walk.next(&Situation { candidates, ..*situation }, rng));
        }
        let open = alive(open, &self.planner, situation, outlook, rng);
        if member == Member::Survey
            && let Some(at) = self.survey.next(situation, &open, rng)
        {
            self.explain(Evidence::Surveyed, open.len());
            return Choice::Offer(at);
        }
        if member == Member::Random {
            let open = self.archive.yields().leave_out(situation, open, rng);
            self.explain(Evidence::Chance, open.len());
            return Choice::Offer(open[rng.below(open.len())]);
        }
        self.explain(Evidence::LeastTried, open.len());
        Choice::Offer(self.archive.least(&Situation { candidates: &open, ..*situation }, rng))
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, origin: Origin) {
        self.is_recalled = origin == Origin::Experience;
        self.reason = None;
        if origin == Origin::Device {
            self.settle();
        }
        self.planner.note(situation, taken, origin);
    }

    fn learn(&mut self, transition: &Transition<'_>, rng: &mut Rng) -> Explanation {
        let is_new = self.archive.learn(transition);
        if let Some(taken) = self.latest.pass(Taken::of(transition)) {
            self.take_in(&taken);
        }
        self.forms.learn(transition, self.archive.trail(), WAY_MAX);
        self.cover.iter_mut().for_each(|cover| cover.learn(transition));
        if !self.is_recalled {
            self.steps += 1;
            self.news += u32::from(is_new);
            self.repeats.note(transition.from.scene, transition.at);
        }
        let explanation = self.planner.learn(transition, rng);
        let reason = self.reason.or(explanation.reason);
        let turn = if self.is_recalled { None } else { self.begun.take() };
        Explanation { reason: reason.map(|reason| Reason { turn, ..reason }), ..explanation }
    }

    fn learn_aside(&mut self, transition: &Transition<'_>) {
        self.planner.learn_aside(transition);
    }

    fn end(&mut self, origin: Origin) -> Summary {
        // Recalled episodes may come in the middle of one, which still belongs to its member afterwards.
        if origin == Origin::Device {
            let turn = self.turn.take();
            if let Some(member) = turn {
                self.shares.pay(member, self.news, self.steps);
            }
            (self.news, self.steps) = (0, 0);
            self.settle();
            self.survey.end(turn == Some(Member::Survey));
            self.amounts.end(turn == Some(Member::Amounts));
            self.detours.end();
            self.repeats.end();
        }
        self.planner.end(origin)
    }

    fn forget(&mut self, recollection: Recollection) {
        self.planner.forget(recollection);
        self.archive = Archive::default();
        self.forms = Forms::default();
        self.repeats = Repeats::default();
        self.latest.forget();
        self.cover.iter_mut().for_each(|cover| *cover = Cover::default());
        // Its states have other numbers now.
        self.way.clear();
    }
}
