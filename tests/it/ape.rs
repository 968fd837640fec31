//! APE's abstraction on whole apps: the model stays small where screens are new at each look, and costs little.

use std::sync::Arc;
use std::time::Instant;

use farlead::abstraction;
use farlead::abstraction::{Abstraction, Ape, Change, Numbering, Start};
use farlead::agent::{APE, RANDOM};
use farlead::device::sim::{self, model::Model};
use farlead::device::{Device, Sim};
use farlead::gui::{Action, Identity, Outline, Repertoire, Screen, offers};
use farlead::learned_model::Reducer;
use farlead::rng::{Rng, Seed};
use farlead::search::Plan;
use farlead::situation::{
    ActionId, ActivityId, ClassId, Habit, LabelingId, LookId, Next, Offer, PhaseId, Scene, ScreenId,
    Situation, SpotId, StateId, Transition, View,
};
use farlead::spec::Source;
use farlead::trace::Step;

use crate::ape_agent::explored;
use crate::models;

/// Steps of an episode.
const STEPS: usize = 400;

/// Walk of chance through an app, which an abstraction looks at.
struct Walk {
    ape: Ape,
    device: Sim,
    rng: Rng,
    screens: Vec<Identity>,
    activities: Vec<Arc<str>>,
    /// Times that states got other numbers.
    renewals: usize,
}

impl Walk {
    fn new(model: Arc<Model>, start: Start) -> Walk {
        let (device, rng) = (Sim::new(model, Seed(1)), Seed(1).fork("walk"));
        Walk { ape: Ape::new(start), device, rng, screens: Vec::new(), activities: Vec::new(), renewals: 0 }
    }

    fn scene(&mut self, screen: &Arc<Screen>) -> Scene {
        let identity = screen.identity();
        let number = self.screens.iter().rposition(|known| *known == identity).unwrap_or_else(|| {
            self.screens.push(identity);
            self.screens.len() - 1
        });
        let known = self.activities.iter().position(|activity| activity == screen.activity());
        let activity = known.unwrap_or_else(|| {
            self.activities.push(screen.activity().clone());
            self.activities.len() - 1
        });
        let (screen_id, activity, look) =
            (ScreenId(number as u32 + 1), ActivityId(activity as u32), LookId(0));
        let actions = offers(screen, &Repertoire::default());
        let offer = |slot: usize| Offer {
            action: ActionId(slot as u32),
            slot: slot as u16,
            labeling: LabelingId(0),
            spot: SpotId(0),
            class: ClassId(0),
            has_name: true,
            hints: 0,
            habit: Habit::Any,
        };
        let offers: Arc<[Offer]> = (0..actions.len()).map(offer).collect();
        let outline = Outline::default();
        let view = View {
            screen_id,
            activity,
            look,
            sign: 0,
            outline: &outline,
            offers: &offers,
            actions: &actions,
            screen: Some(screen),
        };
        let state = self.ape.state(&view);
        assert_eq!(self.ape.actions(state, &view).len(), actions.len());
        let slots = offers.len() as u16;
        let (actions, screen) = (actions.into(), Some(screen.clone()));
        Scene { state, screen_id, activity, look, frame: 0, slots, offers, actions, screen }
    }

    /// Takes this many steps, each an action that `is_done`.
    fn go(&mut self, steps: usize, is_done: &dyn Fn(&Action) -> bool) {
        let launched = self.device.app().launchable[0].clone();
        let mut here: Option<Scene> = None;
        for step in 0..steps {
            let from = match here.take().filter(|_| step % STEPS != 0) {
                Some(from) => from,
                None => {
                    let screen = self.device.reset(&launched).expect("the model runs").screen;
                    self.scene(&screen)
                }
            };
            let all: Vec<usize> = (0..from.actions.len()).filter(|&at| is_done(&from.actions[at])).collect();
            let at = all[self.rng.below(all.len())];
            let screen = self.device.act(&from.actions[at]).expect("the model runs").screen;
            here = Some(self.observe(&from, at, &screen));
        }
    }

    /// Takes the steps of a walk that another has gone.
    fn follow(&mut self, walk: &[Step]) {
        let mut here: Option<Scene> = None;
        for step in walk {
            let screen = &step.observation.screen;
            let from = here.take();
            let at =
                from.as_ref().and_then(|from| from.actions.iter().position(|offer| *offer == step.action));
            here = Some(match from.zip(at) {
                Some((from, at)) => self.observe(&from, at, screen),
                // A start, and a text that only the agent knows.
                None => self.scene(screen),
            });
        }
    }

    /// Takes in the step from a scene to a screen, and returns the scene there.
    fn observe(&mut self, from: &Scene, at: usize, screen: &Arc<Screen>) -> Scene {
        let to = self.scene(screen);
        let (phase, next) = (PhaseId::START, Next::Truncated);
        let situation = &Situation { scene: from, phase, steps_left: 1, candidates: &[], preferred: &[] };
        let at = at as u16;
        let transition =
            Transition { from: situation, at, reward: 0.0, elapsed_ms: None, to: &to, phase, next };
        if self.ape.observe(&transition) == Numbering::Refined {
            self.renewals += 1;
        }
        Scene { state: StateId(0), ..to }
    }

    fn states(&self) -> usize {
        self.ape.size().0
    }
}

/// Clicks, and back.
fn is_plain(action: &Action) -> bool {
    ["click", "back"].contains(&action.type_name())
}

fn read(text: &str) -> Arc<Model> {
    let read = sim::read(&Source::new("test.app", text));
    read.model.expect("a model without mistakes").into()
}

/// A clock, a counter, and a feed with new rows at each look; each has a page below it, and a dialog.
pub const APPS: [(&str, &str); 3] = [
    (
        "clock",
        r#"app org.example.clock "Clock" 1.0
        launch Main
        activity Main .Main {
            own seconds = 0
            every 1s: seconds += 1
            TextView #now "{seconds} seconds"
            Button "Alarms" -> open Alarms
            Button "Help" -> show Help
        }
        activity Alarms .Alarms { TextView "No alarms" Button "Done" -> finish }
        dialog Help { TextView "It ticks" Button "Close" -> close }"#,
    ),
    (
        "counter",
        r#"app org.example.counter "Counter" 1.0
        stored count = 0
        launch Main
        activity Main .Main {
            Button #more "Count {count}" -> count += 1
            Button "About" -> open About
            Button "Reset" when (count > 3) -> show Sure
        }
        activity About .About { TextView "Counts" Button "Done" -> finish }
        dialog Sure { TextView "Reset?" Button "Yes" -> count = 0; close Button "No" -> close }"#,
    ),
    (
        "feed",
        r#"app org.example.feed "Feed" 1.0
        stored next = 1
        launch Main
        activity Main .Main {
            on resume: next += 4
            ListView #posts {
                for i in 0..3 { TextView #post "{next + i} is a post" -> open Post(next + i) }
            }
            Button "Settings" -> open Settings
        }
        activity Post .Post (number) { TextView "Post {number}" Button "Like" -> finish }
        activity Settings .Settings { Switch "Sound" -> finish Button "Sign out" -> show Sure }
        dialog Sure { TextView "Sign out?" Button "No" -> close }"#,
    ),
];

#[test]
fn the_model_has_at_most_twice_the_windows_of_an_app_whose_screens_never_come_twice() {
    for (name, text) in APPS {
        let mut walk = Walk::new(read(text), Start::Ape);
        walk.go(2_000, &is_plain);
        let (states, screens) = (walk.states(), walk.screens.len());
        let (refined, coarsened): (Vec<&Change>, Vec<&Change>) =
            walk.ape.changes().iter().partition(|change| matches!(change, Change::Refined(_)));
        let changes = refined.len() + coarsened.len();
        println!(
            "{name}: {screens} screens, {states} states, {} + {} changes",
            refined.len(),
            coarsened.len()
        );
        // Three windows or four, and what lies outside the app.
        assert!(states <= 10, "{name}: {states} states of {screens} screens");
        assert!(changes <= 2 * states * 16 && changes <= 64, "{name}: {changes} changes");
        assert!(walk.renewals <= 60);
    }
}

/// A list whose rows come in another order at each look, each with a page.
pub const REORDERED: &str = r#"app org.example.queue "Queue" 1.0
    stored tasks = list(name, at), next = 5
    launch Main
    activity Main .Main {
        on create when (count(tasks) == 0): {
            add tasks(name: "Cook", at: 1); add tasks(name: "Wash", at: 2);
            add tasks(name: "Read", at: 3); add tasks(name: "Walk", at: 4);
        }
        ListView #tasks {
            for task in tasks by -task.at { TextView #task (task.name) -> { task.at = next; next += 1; open Task } }
        }
        Button "Clear" -> show Sure
    }
    activity Task .Task { TextView "A task" Button "Done" -> finish }
    dialog Sure { TextView "All of them?" Button "No" -> close }"#;

#[test]
fn models_have_at_most_twice_the_windows_whoever_explores_and_whatever_the_seed() {
    let kinds = APPS.iter().map(|(_, text)| *text).chain([REORDERED]);
    for text in kinds {
        let model = read(text);
        // And what lies outside of the app.
        let windows = text.matches("activity ").count() + text.matches("dialog ").count() + 1;
        for agent in [&APE, &RANDOM] {
            for seed in 1..=4 {
                let abstraction = abstraction::find("ape").expect("an abstraction");
                let plan = Plan { steps_max: 2_000, seed: Seed(seed), abstraction, ..Plan::new(agent) };
                let explored = explored(model.clone(), &plan, 2_000, true);
                let mut walk = Walk::new(model.clone(), Start::Ape);
                walk.follow(&explored.walk.expect("it is one").steps);
                let (states, changes) = (walk.states(), walk.ape.changes().len());
                let screens = walk.screens.len();
                let what = format!("{}, {}, seed {seed}", model.package, agent.name);
                println!(
                    "{what}: {states} states of {windows} windows and {screens} screens, {changes} changes"
                );
                assert!(states <= 2 * windows, "{what}: {states} states of {windows} windows");
                assert!(changes <= 2 * states * 16, "{what}: {changes} changes of {states} states");
            }
        }
    }
}

#[test]
fn the_files_of_the_paper_come_to_be_named_by_their_text_alone() {
    let mut walk = Walk::new(models::model("files", &[]), Start::Stoat);
    walk.go(2_000, &is_plain);
    let mut told: Vec<Change> = walk.ape.changes().to_vec();
    told.dedup();
    let by_place = Reducer::INDEX.with(Reducer::PARENT);
    let by_name = Reducer::TEXT.with(Reducer::PARENT);
    let by_both = by_place.with(Reducer::TEXT);
    println!("{told:?}, {} states of {} screens", walk.states(), walk.screens.len());
    let expected = [Change::Refined(by_place), Change::Refined(by_both), Change::Coarsened(by_both)];
    assert_eq!(told[..3], expected, "L1, L2, and back");
    assert_eq!(told.last(), Some(&Change::Refined(by_name)), "L3");
}

#[test]
fn many_steps_take_little_time() {
    let [_, _, (_, text)] = APPS;
    let mut walk = Walk::new(read(text), Start::Ape);
    let begun = Instant::now();
    walk.go(5_000, &is_plain);
    // A second on a quiet machine is 20,000 steps of the walk; a busy one gets 20 times as long.
    println!("5000 steps in {:?}", begun.elapsed());
    assert!(begun.elapsed().as_secs() < 5);
}
