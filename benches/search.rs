//! Speed of the whole loop (screens, labels, policy, learning) by widgets, episodes and jobs.
//!
//! One item is one step on the simulator.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use farlead::agent::{AGENTS, AgentInfo, FARLEAD};
use farlead::device::Sim;
use farlead::device::sim::{self, model::Model};
use farlead::rng::Seed;
use farlead::search::{Finding, Plan, in_order, search};
use farlead::spec::{Source, Spec, parse};

fn main() {
    divan::main();
}

fn model(text: &str) -> Arc<Model> {
    Arc::new(sim::read(&Source::new("bench.app", text)).model.expect("a model without mistakes"))
}

fn app(name: &str) -> Arc<Model> {
    let path = format!("{}/apps/{name}.app", env!("CARGO_MANIFEST_DIR"));
    model(&std::fs::read_to_string(path).expect("a model"))
}

fn spec(text: &str) -> Spec {
    parse(&Source::new("bench.ltl", text)).file.specs.remove(0)
}

/// Returns a spec that no run of the app satisfies, so that every episode runs to its end.
fn unmet() -> Spec {
    spec("X ([activity ~ Main] U ([activity ~ About] & X ([activity ~ About] U [text = never])))")
}

fn plan(agent: &'static AgentInfo, steps_max: u32, episodes_max: u32) -> Plan {
    Plan { steps_max, episodes_max, ..Plan::new(agent) }
}

fn run(model: &Arc<Model>, spec: &Spec, plan: &Plan) -> Finding {
    search(&mut Sim::new(model.clone(), plan.seed), spec, plan, &mut |_| true).expect("the model runs")
}

fn bench(bencher: Bencher<'_, '_>, model: &Arc<Model>, spec: &Spec, plan: &Plan) {
    let steps = run(model, spec, plan).steps;
    bencher.counter(ItemsCount::new(steps)).bench_local(|| run(model, spec, plan).steps);
}

#[divan::bench(args = ["random", "qlearning", "farlead"], sample_count = 5)]
fn chesswalk(bencher: Bencher<'_, '_>, agent: &str) {
    let kind = AGENTS.into_iter().find(|kind| kind.name == agent).expect("an agent");
    bench(bencher, &app("chesswalk"), &unmet(), &plan(kind, 6, 20_000));
}

#[divan::bench(args = ["random", "qlearning", "farlead"], sample_count = 5)]
fn notes(bencher: Bencher<'_, '_>, agent: &str) {
    let kind = AGENTS.into_iter().find(|kind| kind.name == agent).expect("an agent");
    let spec = spec("F ([activity ~ Main] & X ([text = never] & F [checked = true]))");
    bench(bencher, &app("notes"), &spec, &plan(kind, 6, 20_000));
}

/// Measures a run of the whole program: three specs of a bundled app.
#[divan::bench(sample_count = 50)]
fn check_from_start(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        std::process::Command::new(env!("CARGO_BIN_EXE_farlead"))
            .args(["check", "specs/chesswalk/about.ltl", "--app", "apps/chesswalk.app", "--quiet"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the binary runs")
    });
}

/// Measures screens with this number of widgets, a tenth of them buttons.
#[divan::bench(args = [10, 100, 1_000, 5_000], sample_count = 5)]
fn widgets(bencher: Bencher<'_, '_>, widgets: usize) {
    let text = format!(
        "app org.wide \"Wide\" 1
         launch Main
         activity Main .Main {{
             own page = 0
             TextView \"page {{page}}\"
             for i in 1..{} {{ TextView \"text {{i}}\" at 0,0 9,9 }}
             for i in 1..{} {{ Button \"button {{i}}\" at (i),20 (i + 1),40 -> page = (page + i) % 20 }}
         }}",
        widgets * 9 / 10,
        widgets / 10
    );
    let spec = spec("F ([text = \"page 21\"] & F [text ~ never])");
    bench(bencher, &model(&text), &spec, &plan(&FARLEAD, 10, 1_000));
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 5)]
fn episodes(bencher: Bencher<'_, '_>, episodes: u32) {
    bench(bencher, &app("chesswalk"), &unmet(), &plan(&FARLEAD, 6, episodes));
}

/// Measures the same work on one thread and on two.
#[divan::bench(args = [1, 2], sample_count = 5)]
fn jobs(bencher: Bencher<'_, '_>, jobs: usize) {
    let (model, spec) = (app("chesswalk"), unmet());
    let all = || {
        let mut steps = 0;
        let one = |seed: usize| {
            run(&model, &spec, &Plan { seed: Seed(seed as u64), ..plan(&FARLEAD, 6, 10_000) }).steps
        };
        in_order(jobs, 16, one, |_, of_one| steps += of_one);
        steps
    };
    let steps = all();
    bencher.counter(ItemsCount::new(steps)).bench_local(all);
}
