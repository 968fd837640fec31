//! Work spread over threads, its results in the order of the work.

use std::collections::BTreeMap;
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
}
