//! Shares of the members of a portfolio in the episodes: a bandit that pays for news.
//!
//! Each episode belongs to one member. Its pay is the number of its steps that brought a new sight to the
//! [archive](super::archive). A member that brings more a step gets more episodes; none falls below a floor, as luck
//! changes deeper in an app.

use std::ops::RangeInclusive;

use super::Member;
use crate::situation::TurnCause;

/// Episodes at the start that belong to the plan, if it takes part: what it finds at all, it finds early as a rule.
const PLAN_FIRST: u32 = 20;
/// Episodes until the plan's news count no more than those of others: it meets fewer sights, as it looks for the right
/// ones.
const PLAN_FAVOURED: f64 = 80.0;
/// Part of the past that remains after another episode of the same member.
const MEMORY: f64 = 0.9;
/// News and steps that each member has to its credit before its first episode.
const CREDIT_NEWS: f64 = 0.5;
const CREDIT_STEPS: f64 = 5.0;
/// Least weight of the plan, as a part of those of all others: hidden state takes long, and nobody else finds it.
const PLAN_MIN: f64 = 0.5;
/// Episodes after which amounts have every second one of these, as long as they have something to do, and their least weight
/// afterwards, as a part of those of all others.
const AMOUNTS_AFTER: u32 = 4;
const AMOUNTS_MIN: f64 = 1.0;
/// Least weight of forms until they have had this many turns, as a part of those of all others: what a form does with the
/// texts that fit shows soon.
const FORMS_MIN: f64 = 0.6;
const FORMS_FAVOURED: u32 = 60;
/// Episodes at the start that belong to sweeps, as long as they have something to do: what was never done is worth most. At
/// most so many, and one for so many steps of an episode, as a short one is over before a form is swept.
const SWEEP_FIRST: u32 = 20;
const SWEEP_FIRST_STEPS: u32 = 5;
/// Least weight of sweeps afterwards, as a part of those of all others.
const SWEEP_MIN: f64 = 0.15;
/// The same while words of a pad are left: there are many, and nobody else tries each once.
const SWEEP_MIN_OF_PAD: f64 = 1.5;
/// Episodes that a guard has as a rule, in which it meets what it is about: those for a survey, or a gate alone, come later.
pub const GUARD_EPISODES: u32 = 50;
/// Least weight of the survey while it has something to do, as a part of those of all others.
const SURVEY_MIN: f64 = 0.5;
/// Least weight of detours while there are any to be made, as a part of those of all others.
const DETOUR_MIN: f64 = 0.3;
/// Least weight of coverage where it takes part, and of random walks beside it, as a part of those of all others: walks mix
/// what coverage does cleanly.
const COVER_MIN: f64 = 3.0;
const RANDOM_MIN: f64 = 1.0;
/// Least weight of a member, as a part of the largest.
const SHARE_MIN: f64 = 0.15;

/// Episodes of which every second one is a random walk where walks take turns with the plan. These numbers were chosen on five
/// faults of `todos` and one of `vdom` in `tests/pages`.
const WALKED_IN_TURN: RangeInclusive<u32> = 4..=40;

/// Random walks among the first episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walks {
    /// None but those that the shares give.
    None,
    /// So many at the very start.
    First(u32),
    /// One after each other episode, for a while.
    InTurn,
}

/// Account of a member.
#[derive(Clone, Debug)]
struct Account {
    member: Member,
    /// News and steps of its episodes, the older ones counting less.
    news: f64,
    steps: f64,
    turns: u32,
    /// Virtual time of its next episode: the member with the least is next.
    due: f64,
}

/// Accounts of all members.
#[derive(Clone, Debug)]
pub struct Shares {
    accounts: Vec<Account>,
    episodes: u32,
    /// True while sweeps have words of a pad left.
    pub has_pad: bool,
}

impl Shares {
    /// Returns the shares of these members, in order of precedence, after so many episodes; at least one member.
    pub fn new(members: &[Member], episodes: u32) -> Shares {
        let account =
            |&member: &Member| Account { member, news: CREDIT_NEWS, steps: CREDIT_STEPS, turns: 0, due: 0.0 };
        Shares { accounts: members.iter().map(account).collect(), episodes, has_pad: false }
    }

    /// Returns the member whose turn it is for an episode of so many steps, of those that `can` take one, and why; if none
    /// can, the first.
    pub fn next(&mut self, steps: u32, walks: Walks, can: impl Fn(Member) -> bool) -> (Member, TurnCause) {
        self.episodes += 1;
        let is_early = self.episodes <= GUARD_EPISODES;
        let can = |member: Member| can(member) && !(is_early && member == Member::Survey);
        let takes_part = |member: Member| self.has(member) && can(member);
        let is_second = self.episodes.is_multiple_of(2);
        let (walks_first, is_in_turn) = match walks {
            Walks::None => (0, false),
            Walks::First(walks) => (walks, false),
            Walks::InTurn => (0, true),
        };
        if self.episodes <= walks_first && takes_part(Member::Random) {
            return (Member::Random, TurnCause::First);
        }
        if is_in_turn && is_second && WALKED_IN_TURN.contains(&self.episodes) && takes_part(Member::Random) {
            return (Member::Random, TurnCause::Second);
        }
        if self.episodes <= PLAN_FIRST {
            // Where walks take every second episode, amounts take every fourth one.
            let is_counted = if is_in_turn { self.episodes % 4 == 1 } else { is_second };
            if is_counted && self.episodes > AMOUNTS_AFTER && takes_part(Member::Amounts) {
                return (Member::Amounts, TurnCause::Wanted);
            }
            if takes_part(Member::Plan) {
                return (Member::Plan, TurnCause::First);
            }
        }
        let sweeps = walks_first + SWEEP_FIRST.min(steps / SWEEP_FIRST_STEPS);
        if self.episodes <= sweeps && takes_part(Member::Sweep) {
            return (Member::Sweep, TurnCause::First);
        }
        self.rest(can)
    }

    /// Returns the member, of those that `can` go on, that has the rest of an episode, and why; if none can, the first.
    pub fn rest(&mut self, can: impl Fn(Member) -> bool) -> (Member, TurnCause) {
        let weights = self.weights(&can);
        let whole: f64 = weights.iter().sum();
        let mut at: Option<usize> = None;
        for (other, account) in self.accounts.iter().enumerate().filter(|(_, account)| can(account.member)) {
            if at.is_none_or(|at| account.due < self.accounts[at].due) {
                at = Some(other);
            }
        }
        let at = at.unwrap_or(0);
        // Who could take no turn has none to catch up on.
        let now = self.accounts[at].due;
        for account in self.accounts.iter_mut().filter(|account| !can(account.member)) {
            account.due = account.due.max(now);
        }
        let share = if whole > 0.0 { weights[at] / whole } else { 1.0 };
        self.accounts[at].due += 1.0 / share;
        self.accounts[at].turns += 1;
        let Account { member, news, steps, .. } = self.accounts[at];
        (member, TurnCause::News(news / steps.max(1.0)))
    }

    /// Returns true if `member` takes part.
    pub fn has(&self, member: Member) -> bool {
        self.accounts.iter().any(|account| account.member == member)
    }

    /// Returns true if there is more than one member.
    pub fn has_several(&self) -> bool {
        self.accounts.len() > 1
    }

    /// Pays `member` for an episode of so many steps.
    pub fn pay(&mut self, member: Member, news: u32, steps: u32) {
        if let Some(account) = self.accounts.iter_mut().find(|account| account.member == member) {
            account.news = account.news * MEMORY + f64::from(news);
            account.steps = account.steps * MEMORY + f64::from(steps);
        }
    }

    fn weights(&self, can: &impl Fn(Member) -> bool) -> Vec<f64> {
        let favour = (PLAN_FAVOURED / f64::from(self.episodes.max(1))).max(1.0);
        // Forms keep their weight before they come up.
        let is_out = |account: &Account| !can(account.member) && account.member != Member::Forms;
        let rate = |account: &Account| {
            let rate = account.news / account.steps.max(1.0);
            if is_out(account) {
                return 0.0;
            }
            if account.member == Member::Plan { favour * rate } else { rate }
        };
        let most = self.accounts.iter().map(rate).fold(f64::MIN_POSITIVE, f64::max);
        let mut weights: Vec<f64> = self
            .accounts
            .iter()
            .map(|account| if is_out(account) { 0.0 } else { rate(account).max(SHARE_MIN * most) })
            .collect();
        let mut raise = |member: Member, least: f64, turns_max: u32| {
            let is_it =
                |account: &Account| account.member == member && account.turns < turns_max && !is_out(account);
            if let Some(at) = self.accounts.iter().position(is_it) {
                let others: f64 = weights.iter().sum::<f64>() - weights[at];
                weights[at] = weights[at].max(least * others);
            }
        };
        raise(Member::Forms, FORMS_MIN, FORMS_FAVOURED);
        raise(Member::Amounts, AMOUNTS_MIN, u32::MAX);
        raise(Member::Survey, SURVEY_MIN, u32::MAX);
        raise(Member::Detour, DETOUR_MIN, u32::MAX);
        raise(Member::Plan, PLAN_MIN, u32::MAX);
        if self.has(Member::Cover) && can(Member::Cover) {
            raise(Member::Random, RANDOM_MIN, u32::MAX);
        }
        raise(Member::Cover, COVER_MIN, u32::MAX);
        if can(Member::Sweep) {
            let least = if self.has_pad { SWEEP_MIN_OF_PAD } else { SWEEP_MIN };
            raise(Member::Sweep, least, u32::MAX);
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(shares: &mut Shares, episodes: usize, news: impl Fn(Member) -> u32) -> Vec<Member> {
        let mut turn = || {
            let (member, _) = shares.next(30, Walks::None, |_| true);
            shares.pay(member, news(member), 10);
            member
        };
        (0..episodes).map(|_| turn()).collect()
    }

    #[test]
    fn the_plan_begins_and_those_that_bring_more_get_more() {
        let mut shares = Shares::new(&[Member::Plan, Member::Novelty, Member::Random], 0);
        let all = turns(&mut shares, 200, |member| if member == Member::Random { 5 } else { 0 });
        let first = PLAN_FIRST as usize;
        assert!(all[..first].iter().all(|&member| member == Member::Plan));
        let count = |of| all[first..].iter().filter(|&&member| member == of).count();
        assert!(count(Member::Random) > 2 * count(Member::Novelty), "{all:?}");
        assert!(count(Member::Plan) >= 60 && count(Member::Novelty) > 10, "nobody is left out: {all:?}");
    }

    #[test]
    fn walks_take_turns_with_the_plan_and_with_amounts() {
        let first = |walks: Walks, has_amounts: bool| -> Vec<Member> {
            let mut shares = Shares::new(&[Member::Plan, Member::Amounts, Member::Random], 0);
            (0..8)
                .map(|_| shares.next(30, walks, |member| has_amounts || member != Member::Amounts).0)
                .collect()
        };
        use Member::{Amounts, Plan, Random};
        let plain = [Plan, Plan, Plan, Random, Plan, Random, Plan, Random];
        assert_eq!(first(Walks::InTurn, false), plain);
        assert_eq!(first(Walks::InTurn, true), [Plan, Plan, Plan, Random, Amounts, Random, Plan, Random]);
        assert_eq!(first(Walks::None, true), [Plan, Plan, Plan, Plan, Plan, Amounts, Plan, Amounts]);
        assert_eq!(first(Walks::First(2), false)[..3], [Random, Random, Plan]);
    }

    #[test]
    fn who_cannot_take_a_turn_has_none_to_catch_up_on() {
        let mut shares = Shares::new(&[Member::Forms, Member::Random], 0);
        let mut turns = |can_forms: bool| -> Vec<Member> {
            (0..20)
                .map(|_| shares.next(30, Walks::None, |member| can_forms || member != Member::Forms).0)
                .collect()
        };
        assert!(turns(false).iter().all(|&member| member == Member::Random));
        let both = turns(true);
        assert!(both.contains(&Member::Random) && both.contains(&Member::Forms), "{both:?}");
    }

    #[test]
    fn a_member_alone_has_all_turns() {
        let mut shares = Shares::new(&[Member::Random], 0);
        assert!(turns(&mut shares, 30, |_| 0).iter().all(|&member| member == Member::Random));
    }
}
