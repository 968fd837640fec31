//! Gates: buttons that say something and lead nowhere, beside a number. They may want more of it.
//!
//! A shop takes no order below a least sum: `Buy now` answers `Orders from 14 on` beside `Total: 5`. So the number is raised
//! above every one at which the button has refused, and the button is clicked again.

use rustc_hash::FxHashSet;

use super::super::forms::said;
use super::super::inputs::is_field;
use super::super::latest::Taken;
use super::map::Name;
use crate::gui::{Action, Flags, Touch};

/// Most gates, and most clicks in vain on each.
const GATES_MAX: usize = 24;
const REFUSED_MAX: u32 = 20;
/// Most times that a gate is gone through: what lies behind it is known by then.
const PASSED_MAX: u32 = 8;

/// Button that has refused beside a number.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// The button.
    pub name: Name,
    /// Text of the number.
    pub text: u64,
    /// Greatest number at which it has refused.
    refused: i64,
    times: u32,
    /// Least number at which it has led on, and how often it has.
    passed: Option<i64>,
    passes: u32,
}

impl Gate {
    /// Returns the least number at which it may lead on.
    pub fn least(&self) -> i64 {
        self.passed.unwrap_or(self.refused.saturating_add(1))
    }
}

/// Gates met so far.
#[derive(Clone, Debug, Default)]
pub struct Gates {
    list: Vec<Gate>,
    /// Buttons that change a number themselves.
    counters: FxHashSet<Name>,
    /// True once one has led on in this episode, or no way to any is known.
    is_over: bool,
    /// Fewest steps that the objective was away in any phase.
    nearest: Option<u32>,
}

impl Gates {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.is_over = false;
    }

    /// Leaves the rest of the episode to others.
    pub fn give_up(&mut self) {
        self.is_over = true;
    }

    /// Returns true if there is a gate.
    pub fn has_any(&self) -> bool {
        !self.list.is_empty()
    }

    /// Returns true if this button is a gate.
    fn has(&self, name: Name) -> bool {
        self.list.iter().any(|gate| gate.name == name)
    }

    /// Returns the gates that are worth going to, those first that have led on, then those that have refused least.
    pub fn open(&self) -> Vec<Gate> {
        // A number at which it has refused and has led on is not what it asks for.
        let is_open = |gate: &&Gate| {
            gate.passed.is_none_or(|passed| passed > gate.refused)
                && gate.passes < PASSED_MAX
                && gate.times < REFUSED_MAX
        };
        let mut open: Vec<Gate> = self.list.iter().filter(is_open).copied().collect();
        open.sort_by_key(|gate| (gate.passed.is_none(), gate.times));
        open
    }

    /// Returns those to go to now, where the objective is `missing` so many steps: what comes before a gate is done first.
    pub fn now(&mut self, missing: Option<u32>) -> Vec<Gate> {
        let Some(missing) = missing else { return Vec::new() };
        let nearest = self.nearest.map_or(missing, |nearest| nearest.min(missing));
        self.nearest = Some(nearest);
        if self.is_over || missing > nearest { Vec::new() } else { self.open() }
    }

    /// Learns a click beside these numbers, each with its text, and those `after` it; returns true if it has led on through a gate.
    pub fn learn(
        &mut self,
        name: Name,
        has_moved: bool,
        is_answered: bool,
        beside: &[(u64, i64)],
        after: &[(u64, i64)],
    ) -> bool {
        if has_moved {
            return self.pass(name, beside);
        }
        let changes =
            |(text, number): &(u64, i64)| after.iter().any(|(own, other)| own == text && other != number);
        if beside.iter().any(changes) {
            self.leave_out(name);
        } else if (is_answered || self.has(name)) && beside.iter().all(|number| after.contains(number)) {
            self.refuse(name, beside);
        }
        false
    }

    /// Notes that a button has refused beside these numbers.
    fn refuse(&mut self, name: Name, numbers: &[(u64, i64)]) {
        for &(text, number) in numbers.iter().filter(|_| !self.counters.contains(&name)) {
            if let Some(gate) = self.list.iter_mut().find(|gate| (gate.name, gate.text) == (name, text)) {
                gate.times += u32::from(number > gate.refused);
                gate.refused = gate.refused.max(number);
            } else if self.list.len() < GATES_MAX {
                self.list.push(Gate { name, text, refused: number, times: 1, passed: None, passes: 0 });
            }
        }
    }

    /// Notes that a button changes a number itself.
    fn leave_out(&mut self, name: Name) {
        if self.counters.len() < GATES_MAX && self.counters.insert(name) {
            self.list.retain(|gate| gate.name != name);
        }
    }

    /// Notes that a button has led on beside these numbers, if it is a gate; returns true then.
    fn pass(&mut self, name: Name, numbers: &[(u64, i64)]) -> bool {
        let mut is_gate = false;
        for gate in self.list.iter_mut().filter(|gate| gate.name == name) {
            is_gate = true;
            gate.passes += 1;
            let shown = numbers.iter().find(|(text, _)| *text == gate.text).map(|(_, number)| *number);
            gate.passed = gate.passed.into_iter().chain(shown).min();
        }
        self.is_over |= is_gate;
        is_gate
    }
}

/// Returns true if the step is a click on a button that stays where it is and is answered by a text, on a page without fields:
/// where there are any, the answer is about them.
pub fn is_answered(taken: &Taken) -> bool {
    let Taken { from, at, to, .. } = taken;
    let is_checkable = || from.widget(*at).is_some_and(|widget| widget.flags.has(Flags::CHECKABLE));
    let has_field = || from.widgets().iter().any(is_field);
    let labeling = from.offers[usize::from(*at)].labeling;
    from.screen_id != to.screen_id
        && from.activity == to.activity
        && matches!(from.actions[usize::from(*at)], Action::Touch(Touch::Click, _))
        && !is_checkable()
        && !has_field()
        && to.offers.iter().any(|offer| offer.labeling == labeling)
        && !said(from, to).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::situation::{ActivityId, LabelingId};

    const BUY: Name = (ActivityId(1), LabelingId(7));
    const TOTAL: u64 = 5;
    const VERSION: u64 = 6;

    fn wanted(gates: &mut Gates) -> Vec<(u64, i64)> {
        gates.begin();
        gates.now(Some(3)).iter().map(|gate| (gate.text, gate.least())).collect()
    }

    #[test]
    fn a_button_is_gone_to_above_the_numbers_at_which_it_refuses_and_where_it_has_led_on() {
        let mut gates = Gates::default();
        for total in [0, 9, 5] {
            gates.refuse(BUY, &[(TOTAL, total), (VERSION, 3)]);
        }
        assert_eq!(wanted(&mut gates), [(VERSION, 4), (TOTAL, 10)]);
        assert!(gates.pass(BUY, &[(TOTAL, 14), (VERSION, 3)]));
        assert!(gates.now(Some(3)).is_empty(), "the rest of the episode is for what lies behind");
        assert_eq!(wanted(&mut gates), [(TOTAL, 14)], "the version is not what it asks for");
        (1..PASSED_MAX).for_each(|_| assert!(gates.pass(BUY, &[(TOTAL, 20)])));
        assert_eq!(wanted(&mut gates), []);
    }

    #[test]
    fn what_comes_before_a_gate_is_done_first() {
        let mut gates = Gates::default();
        gates.refuse(BUY, &[(TOTAL, 0)]);
        assert_eq!(gates.now(Some(2)).len(), 1);
        assert_eq!(gates.now(Some(3)).len(), 0);
        assert_eq!(gates.now(None).len(), 0);
        assert_eq!(gates.now(Some(1)).len(), 1);
        assert_eq!(gates.now(Some(2)).len(), 0);
    }

    #[test]
    fn a_counter_is_no_gate_and_one_that_always_refuses_is_left() {
        let mut gates = Gates::default();
        gates.refuse(BUY, &[(TOTAL, 0)]);
        gates.leave_out(BUY);
        gates.refuse(BUY, &[(TOTAL, 1)]);
        assert!(!gates.has_any() && !gates.pass(BUY, &[(TOTAL, 2)]));
        let other = (ActivityId(1), LabelingId(8));
        (0..i64::from(REFUSED_MAX)).for_each(|total| gates.refuse(other, &[(TOTAL, total)]));
        assert!(gates.has(other) && gates.open().is_empty());
    }
}
