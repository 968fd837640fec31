//! Work spread over threads, its results in the order of the work.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::text::spawn_with_room;

/// Does `work` for each number below `tasks` on up to `jobs` threads, and hands each result to `done` in the order of
/// the numbers, as soon as those before it are there.
pub fn in_order<T: Send>(
    jobs: usize,
    tasks: usize,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T),
) {
    in_order_with_pauses(jobs, tasks, work, |task, result, _| done(task, result));
}

/// Works as [`in_order`] does, and tells `done` with each result if the next one is still being worked on: then there is
/// time for what is slow and serves many results, such as a sync. After the last result there is no pause.
pub fn in_order_with_pauses<T: Send>(
    jobs: usize,
    tasks: usize,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T, bool),
) {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            // Work that reads text finds room here, and starts no thread of its own for each text.
            spawn_with_room(scope, "worker", move || {
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
        while let Ok((task, result)) = results.recv() {
            early.insert(task, result);
            while let Some(result) = early.remove(&turn) {
                early.extend(results.try_iter());
                let is_pause = turn + 1 < tasks && !early.contains_key(&(turn + 1));
                done(turn, result, is_pause);
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
    fn a_pause_comes_while_the_next_result_is_worked_on_and_never_after_the_last() {
        let (go, wait) = mpsc::channel::<()>();
        let wait = std::sync::Mutex::new(wait);
        let mut seen = Vec::new();
        let work = |task: usize| {
            // The second result comes only once the pause after the first was told.
            if task == 1 {
                wait.lock().expect("no panic").recv().expect("a pause");
            }
        };
        in_order_with_pauses(2, 2, work, |task, (), is_pause| {
            seen.push((task, is_pause));
            if is_pause {
                go.send(()).expect("a worker");
            }
        });
        assert_eq!(seen, [(0, true), (1, false)]);
    }

    #[test]
    fn workers_read_text_without_threads_of_their_own() {
        let name = || std::thread::current().name().map(str::to_owned);
        in_order(
            2,
            4,
            |_| crate::text::on_own_stack(name),
            |_, name| assert_eq!(name.as_deref(), Some("worker")),
        );
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
