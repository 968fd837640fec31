//! Tests of a comparison: each agent against the baseline, and all agents over all specs.

use std::cmp::Ordering;
use std::io::{self, Write};

use farlead::rng::Seed;
use farlead::search::Tally;
use farlead::statistics::{
    FAILED, Observed, Size, a12, a12_interval, friedman, holm, log_rank, mann_whitney, wilcoxon,
};
use serde::Serialize;

use crate::compare::write_lines;

/// Corrected probability below which one agent is called better.
const BETTER_BELOW: f64 = 0.05;
/// Corrected probabilities below which a cell of the heat map has one star more.
const STARS: [f64; 3] = [0.05, 0.01, 0.001];
/// Samples drawn for an interval: its ends then hardly depend on the seed.
const DRAWS: usize = 2_000;

/// Runs of all agents on a spec.
pub struct Group {
    pub file: String,
    pub spec: String,
    /// Tally of each agent.
    pub tallies: Vec<Tally>,
}

/// Agents, and the way to compare them.
pub struct Against<'a> {
    pub agents: &'a [&'a str],
    /// Place of the agent that all others are compared with.
    pub baseline: usize,
    /// True if runs with the same seed are pairs.
    pub is_paired: bool,
    /// Seed of the intervals.
    pub seed: Seed,
}

/// An agent against the baseline.
#[derive(Serialize)]
struct Comparison {
    file: String,
    spec: String,
    agent: String,
    baseline: String,
    /// Probability that the agent takes fewer steps than the baseline, ties counted half.
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
    /// `Less` if the agent tends to take fewer steps.
    #[serde(skip)]
    steps: Ordering,
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
        writeln!(
            out,
            "\nsteps of each agent against {baseline}: {test}; p corrected by Holm over the whole table ({all})"
        )?;
        let headings = ["file", "spec", "agent", "A12", "95 % interval", "p", "log-rank p", "better"];
        let rows = self.comparisons.iter().map(Comparison::cells);
        write_lines(out, 3, &[vec![headings.map(str::to_string).to_vec()], rows.collect()].concat())?;
        if is_explained {
            writeln!(
                out,
                "A12: probability that the agent takes fewer steps than {baseline}; above 0.5 the agent is better"
            )?;
            writeln!(out, "     N, S, M, L: negligible, small, medium, large difference")?;
            writeln!(out, "     a failed run counts as longer than every run that succeeds")?;
            if cut_off > 0 {
                writeln!(
                    out,
                    "log-rank p: failed runs count as cut off after their steps; corrected by Holm over its column ({cut_off})"
                )?;
            }
            writeln!(
                out,
                "better: the agent that takes fewer steps, if p < {BETTER_BELOW}; `-` if these runs cannot tell"
            )?;
        }
        let Some(over) = &self.over else { return Ok(()) };
        let Over { specs, statistic, .. } = over;
        writeln!(
            out,
            "\nall agents over {specs} specs, by their median steps: Friedman test, {statistic:.2}, p {}",
            shown(over.p)
        )?;
        let headings = ["agent", "mean rank", "Nemenyi p", "better"].map(str::to_string).to_vec();
        let rows = over.agents.iter().map(Ranked::cells);
        write_lines(out, 1, &[vec![headings], rows.collect()].concat())?;
        if is_explained {
            writeln!(
                out,
                "mean rank: 1 is the fewest steps; Nemenyi p: against {baseline}, corrected for all pairs"
            )?;
        }
        Ok(())
    }

    fn with_log_rank(&self) -> usize {
        self.comparisons.iter().filter(|one| one.log_rank.p.is_some()).count()
    }
}

impl Comparison {
    fn cells(&self) -> Vec<String> {
        vec![
            self.file.clone(),
            self.spec.clone(),
            self.agent.clone(),
            format!("{:.2} {}", self.a12, self.size),
            format!("{:.2} to {:.2}", self.a12_low, self.a12_high),
            shown(self.p_holm),
            self.log_rank.p_holm.map_or("-".to_string(), shown),
            self.better.clone().unwrap_or("-".to_string()),
        ]
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
    let (tally, other) = (&group.tallies[agent], &group.tallies[against.baseline]);
    let (agent_steps, baseline_steps) = (steps(tally), steps(other));
    // Fewer steps are better, so the agent wins where the baseline has the larger number.
    let a12_of = a12(&baseline_steps, &agent_steps)?;
    let mut rng = against.seed.fork("interval");
    let (a12_low, a12_high) = a12_interval(&baseline_steps, &agent_steps, DRAWS, &mut rng)?;
    let tested = if against.is_paired {
        let pairs: Vec<(f64, f64)> = agent_steps.into_iter().zip(baseline_steps).collect();
        wilcoxon(&pairs)?
    } else {
        mann_whitney(&agent_steps, &baseline_steps)?
    };
    let has_failures = tally.failures() + other.failures() > 0;
    let cut_off = has_failures.then(|| log_rank(&observed(tally), &observed(other))).flatten();
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
        steps: tested.first,
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
        one.better = better(p_holm, one.steps, &one.agent, &one.baseline);
    }
    let cut_off: Vec<f64> = comparisons.iter().filter_map(|one| one.log_rank.p).collect();
    let with_log_rank = comparisons.iter_mut().filter(|one| one.log_rank.p.is_some());
    with_log_rank.zip(holm(&cut_off)).for_each(|(one, p_holm)| one.log_rank.p_holm = Some(p_holm));
}

/// Returns the better one, by the steps of the agent beside those of the baseline.
fn better(p: f64, steps: Ordering, agent: &str, baseline: &str) -> Option<String> {
    match steps {
        Ordering::Less if p < BETTER_BELOW => Some(agent.to_string()),
        Ordering::Greater if p < BETTER_BELOW => Some(baseline.to_string()),
        Ordering::Less | Ordering::Greater | Ordering::Equal => None,
    }
}

fn over(specs: &[Group], against: &Against<'_>) -> Option<Over> {
    let medians: Vec<Vec<f64>> =
        specs.iter().map(|spec| spec.tallies.iter().map(|tally| median(steps(tally))).collect()).collect();
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
