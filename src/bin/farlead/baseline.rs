//! Tests of a comparison: each agent against the baseline, and all agents over all specs.

use std::cmp::Ordering;
use std::io::{self, Write};

use farlead::rng::Seed;
use farlead::search::Tally;
use farlead::statistics::{
    FAILED, Observed, Size, Tested, a12, a12_interval, friedman, holm, log_rank, mann_whitney, wilcoxon,
};
use serde::Serialize;

use crate::compare::write_lines;

/// Corrected probability below which one agent is called better.
const BETTER_BELOW: f64 = 0.05;
/// Corrected probabilities below which a cell of the heat map has one star more.
const STARS: [f64; 3] = [0.05, 0.01, 0.001];
/// Samples drawn for an interval: its ends then hardly depend on the seed.
const DRAWS: usize = 2_000;

/// Runs of all agents on a spec, or on an app that they explore.
pub struct Group {
    pub file: String,
    /// Name of the spec; empty where apps are explored.
    pub spec: String,
    pub measured: Measured,
}

/// Measured numbers, agent by agent.
pub enum Measured {
    /// Searches.
    Searches(Vec<Tally>),
    /// Areas under the curves of explorations.
    Areas(Vec<Vec<f64>>),
}

impl Group {
    /// Returns the tallies of searches; none of explorations.
    pub fn tallies(&self) -> &[Tally] {
        match &self.measured {
            Measured::Searches(tallies) => tallies,
            Measured::Areas(_) => &[],
        }
    }

    /// Returns a number for each run of an agent: the lower the better.
    fn costs(&self, agent: usize) -> Vec<f64> {
        match &self.measured {
            Measured::Searches(tallies) => steps(&tallies[agent]),
            Measured::Areas(areas) => areas[agent].iter().map(|area| -area).collect(),
        }
    }

    /// Returns the log-rank test of two agents, if a run of theirs failed.
    fn log_rank(&self, agent: usize, other: usize) -> Option<Tested> {
        let Measured::Searches(tallies) = &self.measured else { return None };
        let (tally, other) = (&tallies[agent], &tallies[other]);
        let has_failures = tally.failures() + other.failures() > 0;
        has_failures.then(|| log_rank(&observed(tally), &observed(other))).flatten()
    }
}

/// Words for the measured numbers.
pub struct Words {
    /// Numbers, as in `steps`.
    pub numbers: &'static str,
    /// The better agent does this, as in `takes fewer steps`.
    pub does: &'static str,
    /// Tasks, as in `specs`.
    pub tasks: &'static str,
    /// The best number, as in `the fewest steps`.
    pub best: &'static str,
    /// Headings of the columns that name a task.
    columns: &'static [&'static str],
    /// Heading of the test of cut off runs, if there can be any.
    censored: &'static [&'static str],
}

/// Words for searches.
pub const SEARCHES: Words = Words {
    numbers: "steps",
    does: "takes fewer steps",
    tasks: "specs",
    best: "the fewest steps",
    columns: &["file", "spec"],
    censored: &["log-rank p"],
};

/// Words for explorations.
pub const EXPLORATIONS: Words = Words {
    numbers: "areas under the curve",
    does: "covers more",
    tasks: "apps",
    best: "the largest area",
    columns: &["app"],
    censored: &[],
};

/// Agents, and the way to compare them.
pub struct Against<'a> {
    pub agents: &'a [&'a str],
    /// Place of the agent that all others are compared with.
    pub baseline: usize,
    /// True if runs with the same seed are pairs.
    pub is_paired: bool,
    /// Seed of the intervals.
    pub seed: Seed,
    pub words: &'static Words,
}

/// An agent against the baseline.
#[derive(Serialize)]
struct Comparison {
    file: String,
    spec: String,
    agent: String,
    baseline: String,
    /// Probability that the agent takes fewer steps than the baseline, or covers more, ties counted half.
    a12: f64,
    size: char,
    a12_low: f64,
    a12_high: f64,
    test: &'static str,
    statistic: f64,
    p_is_exact: bool,
    p: f64,
    p_holm: f64,
    #[serde(flatten)]
    log_rank: LogRank,
    better: Option<String>,
    /// `Less` if the agent tends to do better.
    #[serde(skip)]
    costs: Ordering,
}

/// The log-rank test, if a run failed.
#[derive(Serialize)]
struct LogRank {
    #[serde(rename = "log_rank_statistic")]
    statistic: Option<f64>,
    #[serde(rename = "log_rank_p")]
    p: Option<f64>,
    #[serde(rename = "log_rank_p_holm")]
    p_holm: Option<f64>,
}

/// All agents over all specs, by their median steps.
#[derive(Serialize)]
struct Over {
    test: &'static str,
    specs: usize,
    statistic: f64,
    p: f64,
    agents: Vec<Ranked>,
}

#[derive(Serialize)]
struct Ranked {
    agent: String,
    mean_rank: f64,
    /// Nemenyi's probability that it is no better or worse than the baseline.
    nemenyi_p: Option<f64>,
    better: Option<String>,
}

/// Tests of a whole table.
pub struct Tests<'a> {
    against: &'a Against<'a>,
    comparisons: Vec<Comparison>,
    over: Option<Over>,
}

/// Compares the agents on each spec, and over all.
///
/// Specs of a level are not put together: runs with the same seed walk alike on several specs, and the tests would take each
/// for news.
pub fn tests<'a>(specs: &[Group], against: &'a Against<'a>) -> Tests<'a> {
    let others = || (0..against.agents.len()).filter(|&agent| agent != against.baseline);
    let mut comparisons: Vec<Comparison> = specs
        .iter()
        .flat_map(|group| others().filter_map(move |agent| comparison(group, agent, against)))
        .collect();
    correct(&mut comparisons);
    Tests { against, comparisons, over: over(specs, against) }
}

impl Tests<'_> {
    /// Returns the place of the baseline.
    pub fn baseline(&self) -> usize {
        self.against.baseline
    }

    /// Returns A12 of an agent on the spec at `group`, and stars for its corrected probability; none of the baseline.
    pub fn effect(&self, group: usize, agent: usize) -> Option<(f64, String)> {
        // The comparisons of a spec stand together, without the baseline.
        let others = self.against.agents.len() - 1;
        let place = (0..agent).filter(|&other| other != self.against.baseline).count();
        let one = self.comparisons.get(group * others + place).filter(|_| agent != self.against.baseline)?;
        let stars = STARS.iter().filter(|&&below| one.p_holm < below).count();
        Some((one.a12, "*".repeat(stars)))
    }

    /// Writes each comparison, and the test over all specs, as a line of JSON.
    pub fn write_json(&self, out: &mut impl Write) -> anyhow::Result<()> {
        for comparison in &self.comparisons {
            writeln!(out, "{}", serde_json::to_string(comparison)?)?;
        }
        if let Some(over) = &self.over {
            writeln!(out, "{}", serde_json::to_string(over)?)?;
        }
        Ok(())
    }

    /// Writes tables, with lines that say how to read them if `is_explained`.
    pub fn write(&self, out: &mut impl Write, is_explained: bool) -> io::Result<()> {
        if self.comparisons.is_empty() {
            return Ok(());
        }
        let baseline = self.against.agents[self.against.baseline];
        let test = if self.against.is_paired {
            "Wilcoxon signed-rank test of the runs with the same seed"
        } else {
            "Mann-Whitney test"
        };
        let (all, cut_off) = (self.comparisons.len(), self.with_log_rank());
        let Words { numbers, does, tasks, best, .. } = *self.against.words;
        writeln!(
            out,
            "\n{numbers} of each agent against {baseline}: {test}; p corrected by Holm over the whole table ({all})"
        )?;
        let rest = ["agent", "A12", "95 % interval", "p"];
        let headings = self.against.words.columns.iter().chain(&rest);
        let headings = headings.chain(self.against.words.censored).chain(&["better"]);
        let rows = self.comparisons.iter().map(|one| one.cells(self.against.words));
        let names = self.against.words.columns.len() + 1;
        write_lines(
            out,
            names,
            &[vec![headings.map(ToString::to_string).collect()], rows.collect()].concat(),
        )?;
        if is_explained {
            writeln!(
                out,
                "A12: probability that the agent {does} than {baseline}; above 0.5 the agent is better"
            )?;
            writeln!(out, "     N, S, M, L: negligible, small, medium, large difference")?;
            if !self.against.words.censored.is_empty() {
                writeln!(out, "     a failed run counts as longer than every run that succeeds")?;
            }
            if cut_off > 0 {
                writeln!(
                    out,
                    "log-rank p: failed runs count as cut off after their steps; corrected by Holm over its column ({cut_off})"
                )?;
            }
            writeln!(
                out,
                "better: the agent that {does}, if p < {BETTER_BELOW}; `-` if these runs cannot tell"
            )?;
        }
        let Some(over) = &self.over else { return Ok(()) };
        let Over { specs, statistic, .. } = over;
        writeln!(
            out,
            "\nall agents over {specs} {tasks}, by their median {numbers}: Friedman test, {statistic:.2}, p {}",
            shown(over.p)
        )?;
        let headings = ["agent", "mean rank", "Nemenyi p", "better"].map(str::to_string).to_vec();
        let rows = over.agents.iter().map(Ranked::cells);
        write_lines(out, 1, &[vec![headings], rows.collect()].concat())?;
        if is_explained {
            writeln!(out, "mean rank: 1 is {best}; Nemenyi p: against {baseline}, corrected for all pairs")?;
        }
        Ok(())
    }

    fn with_log_rank(&self) -> usize {
        self.comparisons.iter().filter(|one| one.log_rank.p.is_some()).count()
    }
}

impl Comparison {
    fn cells(&self, words: &Words) -> Vec<String> {
        let names = [self.file.clone(), self.spec.clone()];
        let log_rank = self.log_rank.p_holm.map_or("-".to_string(), shown);
        let mut cells: Vec<String> = names.into_iter().take(words.columns.len()).collect();
        cells.extend([
            self.agent.clone(),
            format!("{:.2} {}", self.a12, self.size),
            format!("{:.2} to {:.2}", self.a12_low, self.a12_high),
            shown(self.p_holm),
        ]);
        cells.extend(words.censored.iter().map(|_| log_rank.clone()));
        cells.push(self.better.clone().unwrap_or("-".to_string()));
        cells
    }
}

impl Ranked {
    fn cells(&self) -> Vec<String> {
        vec![
            self.agent.clone(),
            format!("{:.2}", self.mean_rank),
            self.nemenyi_p.map_or("-".to_string(), shown),
            self.better.clone().unwrap_or("-".to_string()),
        ]
    }
}

/// Returns a probability as tables show it.
fn shown(p: f64) -> String {
    if p < 0.0001 { "<0.0001".to_string() } else { format!("{p:.4}") }
}

fn comparison(group: &Group, agent: usize, against: &Against<'_>) -> Option<Comparison> {
    let (costs, of_baseline) = (group.costs(agent), group.costs(against.baseline));
    // The lower number is better, so the agent wins where the baseline has the larger one.
    let a12_of = a12(&of_baseline, &costs)?;
    let mut rng = against.seed.fork("interval");
    let (a12_low, a12_high) = a12_interval(&of_baseline, &costs, DRAWS, &mut rng)?;
    let tested = if against.is_paired {
        let pairs: Vec<(f64, f64)> = costs.into_iter().zip(of_baseline).collect();
        wilcoxon(&pairs)?
    } else {
        mann_whitney(&costs, &of_baseline)?
    };
    let cut_off = group.log_rank(agent, against.baseline);
    Some(Comparison {
        file: group.file.clone(),
        spec: group.spec.clone(),
        agent: against.agents[agent].to_string(),
        baseline: against.agents[against.baseline].to_string(),
        a12: a12_of,
        size: Size::of(a12_of).letter(),
        a12_low,
        a12_high,
        test: if against.is_paired { "wilcoxon" } else { "mann-whitney" },
        statistic: tested.statistic,
        p_is_exact: tested.is_exact,
        p: tested.p,
        p_holm: tested.p,
        log_rank: LogRank {
            statistic: cut_off.map(|tested| tested.statistic),
            p: cut_off.map(|tested| tested.p),
            p_holm: cut_off.map(|tested| tested.p),
        },
        better: None,
        costs: tested.first,
    })
}

/// Returns the steps of each run, failed runs above all others.
pub fn steps(tally: &Tally) -> Vec<f64> {
    let runs = tally.steps.iter().zip(&tally.failed);
    runs.map(|(&steps, &is_failed)| if is_failed { FAILED } else { steps as f64 }).collect()
}

fn observed(tally: &Tally) -> Vec<Observed> {
    let runs = tally.steps.iter().zip(&tally.failed);
    runs.map(|(&steps, &is_censored)| Observed { time: steps as f64, is_censored }).collect()
}

/// Corrects the probabilities of each test over the whole table, and names the better agents.
fn correct(comparisons: &mut [Comparison]) {
    let all: Vec<f64> = comparisons.iter().map(|one| one.p).collect();
    for (one, p_holm) in comparisons.iter_mut().zip(holm(&all)) {
        one.p_holm = p_holm;
        one.better = better(p_holm, one.costs, &one.agent, &one.baseline);
    }
    let cut_off: Vec<f64> = comparisons.iter().filter_map(|one| one.log_rank.p).collect();
    let with_log_rank = comparisons.iter_mut().filter(|one| one.log_rank.p.is_some());
    with_log_rank.zip(holm(&cut_off)).for_each(|(one, p_holm)| one.log_rank.p_holm = Some(p_holm));
}

/// Returns the better one, by the costs of the agent beside those of the baseline.
fn better(p: f64, costs: Ordering, agent: &str, baseline: &str) -> Option<String> {
    match costs {
        Ordering::Less if p < BETTER_BELOW => Some(agent.to_string()),
        Ordering::Greater if p < BETTER_BELOW => Some(baseline.to_string()),
        Ordering::Less | Ordering::Greater | Ordering::Equal => None,
    }
}

fn over(specs: &[Group], against: &Against<'_>) -> Option<Over> {
    let of = |group: &Group| (0..against.agents.len()).map(|agent| median(group.costs(agent))).collect();
    let medians: Vec<Vec<f64>> = specs.iter().map(of).collect();
    let tested = friedman(&medians)?;
    let of_baseline = tested.ranks[against.baseline];
    let ranked = |(place, &name): (usize, &&str)| {
        let nemenyi_p =
            (place != against.baseline).then(|| tested.nemenyi(place, against.baseline)).flatten();
        let steps = tested.ranks[place].total_cmp(&of_baseline);
        Ranked {
            agent: name.to_string(),
            mean_rank: tested.ranks[place],
            nemenyi_p,
            better: nemenyi_p.and_then(|p| better(p, steps, name, against.agents[against.baseline])),
        }
    };
    let agents = against.agents.iter().enumerate().map(ranked).collect();
    Some(Over { test: "friedman", specs: specs.len(), statistic: tested.statistic, p: tested.p, agents })
}

/// Returns the median, [`FAILED`] if half of the runs failed.
fn median(mut steps: Vec<f64>) -> f64 {
    steps.sort_by(f64::total_cmp);
    let half = steps.len() / 2;
    if steps.len() % 2 == 1 { steps[half] } else { (steps[half - 1] + steps[half]) / 2.0 }
}
