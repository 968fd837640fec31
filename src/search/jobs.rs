//! Work spread over threads, its results in the order of the work.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Does `work` for each number below `tasks` on up to `jobs` threads, and hands each result to `done` in the order of
/// the numbers, as soon as those before it are there.
pub fn in_order<T: Send>(
    jobs: usize,
    tasks: usize,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T),
) {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    // If nobody listens any more, there is nothing left to do.
                    if task >= tasks || sender.send((task, work(task))).is_err() {
                        break;
                    }
                }
            });
        }
        // The loop below ends once all senders are gone, so this one must not outlive the spawning.
        drop(sender);
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for (task, result) in results {
            early.insert(task, result);
            while let Some(result) = early.remove(&turn) {
                done(turn, result);
                turn += 1;
            }
        }
    });
}

/// Returns the numbers below `tasks` in waves of `first`, twice as many, and so on up to 16 of them: what one wave has
/// found out can be handed to the next, whatever number of threads works on each.
pub fn waves(tasks: usize, first: usize) -> impl Iterator<Item = Range<usize>> {
    // Late waves know most of what there is to know, and are large enough for all threads to have work.
    const SIZE_MAX: usize = 16;
    let (mut start, mut size) = (0_usize, first);
    std::iter::from_fn(move || {
        let wave = start..tasks.min(start.saturating_add(size));
        (start, size) = (wave.end, SIZE_MAX.min(size.saturating_mul(2)));
        (!wave.is_empty()).then_some(wave)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_however_long_each_takes() {
        for jobs in [0, 1, 2, 7] {
            let mut seen = Vec::new();
            let work = |task: usize| {
                std::thread::sleep(std::time::Duration::from_millis((10 - task as u64) % 3));
                task * task
            };
            in_order(jobs, 10, work, |task, result| seen.push((task, result)));
            assert_eq!(seen, (0..10).map(|task| (task, task * task)).collect::<Vec<_>>());
        }
        in_order(4, 0, |_| (), |_, ()| panic!("there was nothing to do"));
    }

    #[test]
    fn waves_grow_and_leave_nothing_out() {
        let sizes = |tasks: usize| -> Vec<usize> { waves(tasks, 1).map(|wave| wave.len()).collect() };
        assert_eq!(sizes(0), [0; 0]);
        assert_eq!(sizes(1), [1]);
        assert_eq!(sizes(10), [1, 2, 4, 3]);
        assert_eq!(sizes(65), [1, 2, 4, 8, 16, 16, 16, 2]);
        assert_eq!(waves(65, 1).flatten().collect::<Vec<_>>(), (0..65).collect::<Vec<_>>());
        assert_eq!(waves(65, 65).map(|wave| wave.len()).collect::<Vec<_>>(), [65]);
    }
}
