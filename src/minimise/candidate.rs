//! Candidates: possible shortened runs, in compact form.

use std::borrow::Cow;
use std::ops::Range;

use super::Element;

/// A possible shortening of the current run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// Keeps this part alone.
    Part(Range<usize>),
    /// Keeps all but this part.
    Rest(Range<usize>),
    /// Keeps these elements.
    Other(Vec<Element>),
}

impl Candidate {
    /// Returns the elements of `current` that the candidate keeps.
    pub fn of<'a>(&'a self, current: &'a [Element]) -> Cow<'a, [Element]> {
        match self {
            Candidate::Part(part) => Cow::Borrowed(&current[part.clone()]),
            Candidate::Rest(part) => Cow::Owned([&current[..part.start], &current[part.end..]].concat()),
            Candidate::Other(kept) => Cow::Borrowed(kept),
        }
    }
}

/// Splits `length` places into `count` parts whose sizes differ by one at most.
pub(super) fn parts(length: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).map(move |part| part * length / count..(part + 1) * length / count)
}

/// The probability that each element of the original is needed, in the manner of ProbDD: a failure without some
/// elements makes each of them likelier to be needed, the more the fewer they are.
#[derive(Clone, Debug)]
pub(super) struct Needs {
    probability: Vec<f64>,
}

/// Highest probability of need. Never 1: a run may have failed by chance.
const NEED_MAX: f64 = 0.99;

impl Needs {
    pub fn new(length: usize) -> Needs {
        // Only a few elements of a run are needed, however long it is.
        Needs { probability: vec![(3.0 / length.max(1) as f64).min(0.5); length] }
    }

    /// Learns that `kept`, a part of `current`, does not pass.
    pub fn failed(&mut self, current: &[Element], kept: &[Element]) {
        let removed = removed(current, kept);
        // Bayes' rule: the failure shows that at least one of the removed elements is needed.
        let spared: f64 = removed.iter().map(|&at| 1.0 - self.probability[at]).product();
        for at in removed {
            self.probability[at] = (self.probability[at] / (1.0 - spared)).min(NEED_MAX);
        }
    }

    /// Sorts parts of `current`, those first that are likelier not to be needed.
    pub fn sort(&self, current: &[Element], parts: &mut [Range<usize>]) {
        let spared = |part: &Range<usize>| -> f64 {
            current[part.clone()].iter().map(|kept| 1.0 - self.probability[kept.at]).product()
        };
        parts.sort_by_cached_key(|part| std::cmp::Reverse(Ordered(spared(part))));
    }
}

/// A floating-point number with a total order.
#[derive(PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Returns the elements of `current` that are not in `kept`, which is a subsequence of it.
fn removed(current: &[Element], kept: &[Element]) -> Vec<usize> {
    let mut kept = kept.iter().peekable();
    current
        .iter()
        .filter(|element| kept.next_if(|kept| kept.at == element.at).is_none())
        .map(|element| element.at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(at: &[usize]) -> Vec<Element> {
        at.iter().map(|&at| Element { at, form: 0 }).collect()
    }

    #[test]
    fn parts_cover_all_places_once_and_are_alike_in_size() {
        for length in 1..40 {
            for count in 1..=length {
                let parts: Vec<Range<usize>> = parts(length, count).collect();
                assert_eq!(
                    parts.iter().cloned().flatten().collect::<Vec<_>>(),
                    (0..length).collect::<Vec<_>>()
                );
                let sizes: Vec<usize> = parts.iter().map(ExactSizeIterator::len).collect();
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }
    }

    #[test]
    fn a_part_and_the_rest_make_the_whole() {
        let all = run(&[2, 3, 5, 7]);
        assert_eq!(&*Candidate::Part(1..3).of(&all), run(&[3, 5]));
        assert_eq!(&*Candidate::Rest(1..3).of(&all), run(&[2, 7]));
    }

    #[test]
    fn what_failed_without_few_elements_makes_them_likely_to_be_needed() {
        let all = run(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let mut needs = Needs::new(8);
        needs.failed(&all, &run(&[0, 1, 2, 3, 5, 6, 7]));
        needs.failed(&all, &run(&[0, 1, 2, 3, 4, 5]));
        let mut singles: Vec<Range<usize>> = parts(8, 8).collect();
        needs.sort(&all, &mut singles);
        assert_eq!(singles, [0..1, 1..2, 2..3, 3..4, 5..6, 6..7, 7..8, 4..5]);
    }
}
