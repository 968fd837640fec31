//! The order of items in each column with few crossings, and their heights near to what they are bound to.

use super::columns::{Columns, End, Item};

use crate::sorted;

/// Rounds of moving items towards those they are bound to; the best of them is kept.
const ROUNDS_MAX: usize = 40;

/// Fewer rounds are made of large graphs, so that all rounds together move about this many items and segments.
const MOVES_MAX: usize = 2_000_000;

/// First rounds, in which a column follows one neighbour alone: they untangle, later ones balance.
const SWEEPS: usize = 4;

/// Weight of an item that nothing is bound to: it gives way to all others.
const WEIGHT_MIN: f64 = 0.01;

/// The columns an item is drawn towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
}

/// Freedom of the order of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Free,
    Kept,
}

/// The top an item would have, were it alone in its column.
#[derive(Clone, Copy, Debug)]
struct Preference {
    item: usize,
    y: f64,
    weight: f64,
}

/// An order of all columns, and how good it is.
struct Arrangement {
    crossings: usize,
    length: f64,
    columns: Vec<Vec<usize>>,
    /// The tops of all items.
    heights: Vec<f64>,
}

/// Orders the items of each column and gives each its height.
pub fn settle(columns: &mut Columns) {
    for column in 0..columns.columns.len() {
        stack(columns, column);
    }
    // What each item's segments ask for; zero between two uses.
    let mut sums = vec![(0.0, 0); columns.items.len()];
    let rounds = (MOVES_MAX / (columns.items.len() + columns.segments.len() + 1)).clamp(2, ROUNDS_MAX);
    let mut best: Option<Arrangement> = None;
    for round in 0..rounds {
        let is_rightwards = round % 2 == 0;
        let side = match is_rightwards {
            _ if round >= SWEEPS => Side::Both,
            true => Side::Left,
            false => Side::Right,
        };
        // Sweeps in turns, so that both ends of the graph pull at all columns.
        sweep(columns, is_rightwards, side, Order::Free, &mut sums);
        let (crossings, length) = (crossings(columns), length(columns));
        // A later round may be worse: the barycentre heuristic does not converge.
        let is_better = best.as_ref().is_none_or(|best| {
            crossings < best.crossings || (crossings == best.crossings && length < best.length)
        });
        if is_better {
            let heights = columns.items.iter().map(|item| item.y).collect();
            best = Some(Arrangement { crossings, length, columns: columns.columns.clone(), heights });
        }
    }
    if let Some(best) = best {
        columns.columns = best.columns;
        for (item, y) in columns.items.iter_mut().zip(best.heights) {
            item.y = y;
        }
    }
    // The order stays; items still come nearer to each other.
    for round in 0..rounds {
        sweep(columns, round % 2 == 0, Side::Both, Order::Kept, &mut sums);
    }
    let top = columns.items.iter().map(|item| item.y - item.over).fold(f64::INFINITY, f64::min);
    for item in &mut columns.items {
        item.y -= top;
    }
}

/// Puts the items of a column below each other as they are.
fn stack(columns: &mut Columns, column: usize) {
    let room = |item: &Item| item.over + item.height + 2.0 * item.pad;
    let mut y = -columns.columns[column].iter().map(|&at| room(&columns.items[at])).sum::<f64>() / 2.0;
    for &at in &columns.columns[column] {
        let item = &mut columns.items[at];
        item.y = y + item.pad + item.over;
        y += room(item);
    }
}

/// Moves the items of one column after the other.
fn sweep(columns: &mut Columns, is_rightwards: bool, side: Side, order: Order, sums: &mut [(f64, u32)]) {
    let count = columns.columns.len();
    for step in 0..count {
        let column = if is_rightwards { step } else { count - 1 - step };
        let mut preferences = preferences(columns, column, side, sums);
        if order == Order::Free {
            // By the middle, as a high node and a lane that want the same top do not lie side by side.
            let middle = |preference: &Preference| preference.y + columns.items[preference.item].height / 2.0;
            sorted::by(&mut preferences, |one, other| middle(one).total_cmp(&middle(other)));
        }
        columns.columns[column] = preferences.iter().map(|preference| preference.item).collect();
        spread(columns, &preferences);
    }
}

/// Returns the preferences of the items of a column in their order: the mean of what their segments ask for.
fn preferences(columns: &Columns, column: usize, side: Side, sums: &mut [(f64, u32)]) -> Vec<Preference> {
    let mut ask = |end: End, other: End| {
        let offset = columns.height(end) - columns.items[end.item].y;
        let sum = &mut sums[end.item];
        sum.0 += columns.height(other) - offset;
        sum.1 += 1;
    };
    if column > 0 && side != Side::Right {
        for &segment in &columns.gaps[column - 1] {
            let (left, right) = columns.left_first(segment);
            ask(right, left);
        }
    }
    if side != Side::Left {
        for &segment in &columns.gaps[column] {
            let (left, right) = columns.left_first(segment);
            ask(left, right);
        }
    }
    let preference = |&item: &usize| match std::mem::take(&mut sums[item]) {
        (_, 0) => Preference { item, y: columns.items[item].y, weight: WEIGHT_MIN },
        (sum, count) => {
            // Columns are stacked around 0, so the middle of the picture stays there.
            let centred = -columns.items[item].height / 2.0;
            let weight = f64::from(count) + columns.pull;
            Preference { item, y: (sum + columns.pull * centred) / weight, weight }
        }
    };
    columns.columns[column].iter().map(preference).collect()
}

/// Places items in the order of their preferences, none above the end of the one before, with the least sum of the squares of
/// the distances from the preferences (by pooling neighbours that meet).
fn spread(columns: &mut Columns, preferences: &[Preference]) {
    // Stacked from 0, each item would lie at its offset; what is wished beyond that must not fall.
    let mut stacked = 0.0;
    let mut offsets = Vec::new();
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for preference in preferences {
        let item = columns.items[preference.item];
        let offset = stacked + item.pad + item.over;
        offsets.push(offset);
        stacked = offset + item.height + item.pad;
        let mut pool = (preference.y - offset, preference.weight, 1);
        while let Some(&(before, before_weight, count)) = pools.last() {
            if before <= pool.0 {
                break;
            }
            pools.pop();
            let weight = before_weight + pool.1;
            pool = ((before * before_weight + pool.0 * pool.1) / weight, weight, count + pool.2);
        }
        pools.push(pool);
    }
    let shifts = pools.iter().flat_map(|&(shift, _, count)| std::iter::repeat_n(shift, count));
    for ((preference, offset), shift) in preferences.iter().zip(offsets).zip(shifts) {
        columns.items[preference.item].y = offset + shift;
    }
}

/// Returns how often segments cross each other between columns.
pub fn crossings(columns: &Columns) -> usize {
    let crossings = columns.gaps.iter().map(|gap| {
        let mut ends: Vec<(f64, f64)> = gap
            .iter()
            .map(|&segment| {
                let (left, right) = columns.left_first(segment);
                (columns.height(left), columns.height(right))
            })
            .collect();
        ends.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let mut right: Vec<f64> = ends.into_iter().map(|(_, right)| right).collect();
        inversions(&mut right)
    });
    crossings.sum()
}

/// Sorts `numbers`, and returns how many pairs of them stood in the wrong order.
fn inversions(numbers: &mut [f64]) -> usize {
    if numbers.len() < 2 {
        return 0;
    }
    let (left, right) = numbers.split_at_mut(numbers.len() / 2);
    let mut count = inversions(left) + inversions(right);
    let mut before = 0;
    for &number in &*right {
        while before < left.len() && left[before] <= number {
            before += 1;
        }
        count += left.len() - before;
    }
    numbers.sort_by(f64::total_cmp);
    count
}

/// Returns the sum of the differences in height between the ends of segments.
fn length(columns: &Columns) -> f64 {
    columns
        .segments
        .iter()
        .map(|segment| (columns.height(segment.from) - columns.height(segment.to)).abs())
        .sum()
}
