//! `farlead explore --train`: lets an agent explore apps one after the other, and writes its networks as a policy.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use farlead::agent::Kept;
use farlead::gui::Repertoire;
use farlead::learned_model::LearnedModel;
use farlead::policy::{Policy, SHIPPED};
use farlead::rng::Seed;
use farlead::search::{Budget, ExploreNews, Plan, explore, together};
use farlead::spec::shown_path;

use crate::app::OpenedApp;
use crate::deciding::failed;
use crate::explore::shown_learning;
use crate::lint::counted;
use crate::progress::{Progress, interrupted_exit, interruption, left};
use crate::sources::Shell;
use crate::stdout::out;
use crate::{Exit, Usage, policy};

/// Training on some apps.
pub struct Training<'a> {
    /// Apps, in the order of the command line.
    pub apps: &'a [OpenedApp],
    /// File of the policy. One that is there is trained on.
    pub path: &'a Path,
    /// Plan of the agent.
    pub plan: Plan,
    /// Texts of the user, if there are any.
    pub texts: Option<Vec<String>>,
    /// Budget of each app.
    pub budget: Budget,
}

/// Trains, and writes the policy after each app, so that an interruption loses little.
pub fn train(training: Training<'_>, shell: &Shell) -> anyhow::Result<Exit> {
    let Training { apps, path, mut plan, texts, budget } = training;
    if path == Path::new(SHIPPED) {
        let message = format!("`{SHIPPED}` is the policy that comes with farlead; choose another name");
        return Err(Usage::new(message).into());
    }
    let mut trained = match path.exists() {
        true => policy::read(path, plan.agent)?,
        false => Policy { agent: plan.agent, apps: Vec::new(), steps: 0, kept: Kept::default() },
    };
    let interrupted = interruption();
    let progress = Progress::new(!shell.quiet);
    let begun = Instant::now();
    let seed = plan.seed;
    let order = shuffled(apps.len(), seed);
    let width = apps.iter().map(|app| app.app().package.chars().count()).max().unwrap_or_default();
    for (nth, &place) in order.iter().enumerate() {
        let app = &apps[place];
        // Each app has a chance of its own, wherever it comes in the order.
        plan.seed = seed.derived(&format!("training on app {place}"));
        plan.texts = app.dictionary(texts.clone());
        plan.kept = trained.kept.clone();
        let repertoire = Repertoire { rules: plan.rules.clone(), ..together([], &plan.texts) };
        let mut device = app.device(plan.seed);
        let begun_with = LearnedModel::default();
        let steps_all = order.len() as u64 * budget.steps_max;
        let explored = explore(&mut *device, &[], repertoire, &plan, budget, begun_with, &mut |news| {
            progress.say(|_| {
                let ExploreNews { point, learning, .. } = news;
                let done = nth as u64 * budget.steps_max + point.steps;
                let left = left(done as f64, steps_all as f64, begun.elapsed().as_secs_f64());
                let (app, apps) = (nth + 1, order.len());
                let learning = learning.map(shown_learning).unwrap_or_default();
                let (steps, activities) = (point.steps, point.activities);
                format!("app {app} of {apps}, step {steps}: {activities} activities{learning}; {left} left")
            });
            !interrupted.load(Ordering::Relaxed)
        });
        progress.clear();
        if let Some(error) = &explored.failure {
            return Err(failed(error));
        }
        if explored.kept.is_empty() {
            let message = format!(
                "the agent {} learns nothing that helps on another app; `--agent sac` does",
                plan.agent.name
            );
            return Err(Usage::new(message).into());
        }
        trained.kept = Kept::new(plan.agent, &explored.kept).expect("the agent wrote it");
        trained.apps.push(app.app().package.to_string());
        trained.steps += explored.steps;
        policy::write(path, &trained)?;
        let last = explored.last();
        let learning = explored.learning.last().map(|(_, learning)| shown_learning(*learning));
        writeln!(
            out(),
            "{:width$}  {}, {} of {} activities, {} screens{}",
            trained.apps.last().expect("one was pushed"),
            counted(explored.steps as usize, "step"),
            last.activities,
            explored.model.app.activities.len(),
            last.screens,
            learning.unwrap_or_default()
        )?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(interrupted_exit());
        }
    }
    writeln!(out(), "{}: {}", shown_path(path), trained.describe())?;
    Ok(Exit::Passed)
}

/// Returns the places of so many apps in an order by chance: neighbours on the command line are often alike.
fn shuffled(count: usize, seed: Seed) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    seed.fork("order of apps").shuffle(&mut order);
    order
}
