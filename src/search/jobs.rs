//! Work spread over threads, its results in the order of the work.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};

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
    // Here results wait for their turn.
    let results: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    let lock = |task: usize| results[task].lock().unwrap_or_else(PoisonError::into_inner);
    let work = |task| {
        let result = work(task);
        *lock(task) = Some(result);
    };
    numbers_in_order(jobs, tasks, &work, &mut |task, is_pause| {
        let result = lock(task).take().expect("the task has ended");
        done(task, result, is_pause);
    });
}

// Threads and channels are much code, and here there is one copy of it for all kinds of results.
fn numbers_in_order(
    jobs: usize,
    tasks: usize,
    work: &(dyn Fn(usize) + Sync),
    done: &mut dyn FnMut(usize, bool),
) {
    let next = AtomicUsize::new(0);
    let (sender, ended) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.max(1)) {
            let (sender, next) = (sender.clone(), &next);
            // Work that reads text finds room here, and starts no thread of its own for each text.
            spawn_with_room(scope, "worker", move || {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= tasks {
                        break;
                    }
                    work(task);
                    // If nobody listens any more, there is nothing left to do.
                    if sender.send(task).is_err() {
                        break;
                    }
                }
            });
        }
        // The loop below ends once all senders are gone, so this one must not outlive the spawning.
        drop(sender);
        let mut early = BTreeSet::new();
        let mut turn = 0;
        while let Ok(task) = ended.recv() {
            early.insert(task);
            while early.remove(&turn) {
                early.extend(ended.try_iter());
                let is_pause = turn + 1 < tasks && !early.contains(&(turn + 1));
                done(turn, is_pause);
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

/// Knowledge that is handed from wave to wave: a task starts from the findings of all waves before its own, taken in in the
/// order of the tasks, so that results do not depend on the number of threads.
pub struct Relay<K, F> {
    /// Number of the first task behind each wave.
    ends: Vec<usize>,
    add: fn(&mut K, F),
    close: fn(&mut K),
    state: Mutex<RelayState<K, F>>,
    opened: Condvar,
}

struct RelayState<K, F> {
    /// Knowledge of the tasks of the open wave.
    known: K,
    /// The same with the findings of that wave so far.
    gathered: K,
    /// Number of waves that are over.
    over: usize,
    /// Findings that wait for those of earlier tasks; none of a task that has panicked.
    early: BTreeMap<usize, Option<F>>,
    /// First task without findings.
    turn: usize,
}

/// Part of a task in a [`Relay`].
pub struct Leg<'r, K: Clone, F> {
    relay: &'r Relay<K, F>,
    task: usize,
    /// Knowledge from earlier waves.
    pub known: K,
    found: Option<F>,
}

impl<K: Clone, F> Relay<K, F> {
    /// Returns a relay over `waves` that starts from `known`: `add` adds the findings of a task, `close` ends a wave.
    pub fn new(
        known: K,
        waves: impl Iterator<Item = Range<usize>>,
        add: fn(&mut K, F),
        close: fn(&mut K),
    ) -> Relay<K, F> {
        let gathered = known.clone();
        let state = RelayState { known, gathered, over: 0, early: BTreeMap::new(), turn: 0 };
        let ends = waves.map(|wave| wave.end).collect();
        Relay { ends, add, close, state: Mutex::new(state), opened: Condvar::new() }
    }

    /// Waits until the waves before that of `task` are over, and begins it. Tasks begin in their order.
    pub fn begin(&self, task: usize) -> Leg<'_, K, F> {
        let wave = self.ends.partition_point(|&end| end <= task);
        let is_closed = |state: &mut RelayState<K, F>| state.over < wave;
        let state = self.opened.wait_while(self.lock(), is_closed).unwrap_or_else(PoisonError::into_inner);
        Leg { relay: self, task, known: state.known.clone(), found: None }
    }

    /// Returns the knowledge from all tasks.
    pub fn into_known(self) -> K {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).gathered
    }
}

impl<K, F> Relay<K, F> {
    fn lock(&self) -> MutexGuard<'_, RelayState<K, F>> {
        // A thread that panics ends the whole run, so what it left behind is of no use to anybody.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone, F> Leg<'_, K, F> {
    /// Hands on the findings of the task.
    pub fn end(mut self, found: F) {
        self.found = Some(found);
    }
}

// A task that panics hands on nothing, and those who wait for it end as well.
impl<K: Clone, F> Drop for Leg<'_, K, F> {
    fn drop(&mut self) {
        let mut guard = self.relay.lock();
        let state = &mut *guard;
        state.early.insert(self.task, self.found.take());
        while let Some(found) = state.early.remove(&state.turn) {
            if let Some(found) = found {
                (self.relay.add)(&mut state.gathered, found);
            }
            state.turn += 1;
            if self.relay.ends.get(state.over) == Some(&state.turn) {
                (self.relay.close)(&mut state.gathered);
                state.known = state.gathered.clone();
                state.over += 1;
                self.relay.opened.notify_all();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_knows_all_waves_before_its_own_and_nothing_else() {
        for jobs in [1, 2, 5] {
            let relay: Relay<Vec<usize>, usize> =
                Relay::new(Vec::new(), waves(40, 1), |known, task| known.push(task), |_| {});
            let mut seen = Vec::new();
            let work = |task: usize| {
                let leg = relay.begin(task);
                let known = leg.known.clone();
                std::thread::sleep(std::time::Duration::from_millis((40 - task as u64) % 3));
                leg.end(task);
                known
            };
            in_order(jobs, 40, work, |_, known| seen.push(known));
            let expected: Vec<Vec<usize>> =
                waves(40, 1).flat_map(|wave| wave.clone().map(move |_| (0..wave.start).collect())).collect();
            assert_eq!(seen, expected);
            assert_eq!(relay.into_known(), (0..40).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_task_that_panics_keeps_nobody_waiting() {
        let relay: Relay<u32, u32> = Relay::new(0, waves(7, 1), |known, found| *known += found, |_| {});
        let work = |task: usize| {
            let leg = relay.begin(task);
            assert_ne!(task, 2);
            leg.end(1);
        };
        let run = std::panic::AssertUnwindSafe(|| in_order(2, 7, work, |_, ()| {}));
        assert!(std::panic::catch_unwind(run).is_err());
        assert_eq!(relay.into_known(), 6);
    }

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
