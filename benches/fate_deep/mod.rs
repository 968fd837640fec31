//! FATE's deep agents on its models, beside its own program and the paper.

use std::time::Instant;

use farlead::agent::{AgentInfo, FATE_DDPG, FATE_SAC, FATE_TD3};
use farlead::rng::Seed;
use farlead::search::Plan;

use crate::fate::{ACTIONS, CONFIGURATIONS, EPISODE, Task, folder, mean_and_error, measure};

/// Runs of FATE's own program behind its means.
const RUNS_OF_ORIGINAL: f64 = 20.0;

/// Deep agent: its thousand steps a second in FATE's own program, the means of that program, and those of the paper.
struct Deep {
    name: &'static str,
    agent: &'static AgentInfo,
    speed_of_original: f64,
    /// Means by configuration.
    original: &'static [(&'static str, f64)],
    /// Means in the order of the configurations; the paper's row of Market augmented repeats another.
    paper: [Option<f64>; 16],
}

#[rustfmt::skip]
const AGENTS: [Deep; 3] = [
    Deep {
        name: "fate-sac 5/10",
        agent: &FATE_SAC,
        speed_of_original: 2.0,
        original: &[("Player", 89_375.0), ("Social 20", 20_486.0), ("Bank 20", 27_895.0), ("Market 20", 19_801.0)],
        paper: [
            Some(89_943.0), Some(25_463.0), Some(10_361.0), Some(7_254.0), Some(17_402.0), Some(11_559.0),
            Some(28_016.0), Some(16_535.0), Some(5_621.0), Some(14_914.0), Some(14_195.0), Some(23_403.0),
            Some(15_936.0), Some(15_937.0), Some(21_208.0), None,
        ],
    },
    Deep {
        name: "fate-ddpg .8/25",
        agent: &FATE_DDPG,
        speed_of_original: 1.0,
        original: &[("Player", 88_014.0), ("Social 20", 28_716.0), ("Bank 20", 31_097.0), ("Market 20", 22_884.0)],
        paper: [
            Some(90_337.0), Some(30_008.0), Some(7_363.0), Some(4_774.0), Some(13_385.0), Some(8_870.0),
            Some(36_977.0), Some(6_458.0), Some(4_798.0), Some(11_472.0), Some(15_361.0), Some(25_923.0),
            Some(16_318.0), Some(15_932.0), Some(16_027.0), None,
        ],
    },
    Deep {
        name: "fate-td3 .8/100",
        agent: &FATE_TD3,
        speed_of_original: 0.1,
        original: &[],
        paper: [
            Some(89_903.0), Some(22_809.0), Some(14_451.0), Some(5_730.0), Some(13_094.0), Some(13_737.0),
            Some(29_159.0), Some(9_305.0), Some(4_776.0), Some(8_702.0), Some(13_289.0), Some(20_980.0),
            Some(15_949.0), Some(15_935.0), Some(16_500.0), None,
        ],
    },
];

/// Prints the areas under the curve of the agents named in `wanted`, or of all, and their speed.
pub fn table(runs: u32, wanted: &[String]) {
    let Some(folder) = folder() else { return };
    let is_wanted = |deep: &&Deep| wanted.is_empty() || wanted.iter().any(|name| name == deep.agent.name);
    println!("### FATE's deep agents on its models\n");
    println!("{runs} runs of {ACTIONS} actions.\n");
    println!("| agent | model | farlead | saw all | FATE's program | difference | paper |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut speeds = Vec::new();
    for deep in AGENTS.iter().filter(is_wanted) {
        let plan = Plan { steps_max: EPISODE + 1, ..Plan::new(deep.agent) };
        let (mut seconds, mut farthest) = (0.0, 0.0_f64);
        for (configuration, paper) in CONFIGURATIONS.iter().zip(deep.paper) {
            let task = Task::new(&folder, configuration);
            let (areas, whole) = measure(&task, &plan, runs);
            let (mean, error) = mean_and_error(&areas);
            let known = deep.original.iter().find(|(name, _)| *name == configuration.name);
            let (original, difference) = known.map_or(("-".to_string(), "-".to_string()), |(_, original)| {
                let error_of_original = error * (f64::from(runs) / RUNS_OF_ORIGINAL).sqrt();
                let difference = (mean - original) / error.hypot(error_of_original);
                farthest = farthest.max(difference.abs());
                (format!("{original:.0}"), format!("{difference:+.1}"))
            });
            let paper = paper.map_or("-".to_string(), |paper| format!("{paper:.0}"));
            println!(
                "| {} | {} | {mean:.0} ± {error:.0} | {whole} | {original} | {difference} | {paper} |",
                deep.name, configuration.name
            );
            let begun = Instant::now();
            drop(task.run(&plan, Seed(1)));
            seconds += begun.elapsed().as_secs_f64();
            eprintln!("fate-deep: {} on {} is done", deep.name, configuration.name);
        }
        let speed = CONFIGURATIONS.len() as f64 * ACTIONS as f64 / seconds / 1e3;
        speeds.push((deep, speed, farthest));
    }
    println!(
        "\n| agent | thousand steps a second on one core | FATE's program | ratio | farthest, in standard errors |"
    );
    println!("| --- | --- | --- | --- | --- |");
    for (deep, speed, farthest) in speeds {
        let original = deep.speed_of_original;
        println!("| {} | {speed:.1} | {original} | {:.0} | {farthest:.1} |", deep.name, speed / original);
    }
    println!();
}
