//! The page of a comparison: curves, box plots, the sizes of effects, failures and steps, for people.
//!
//! It needs no other file and no script, and prints as it looks.

use std::fmt::Write as _;

use super::html::{STYLE, opening};
use super::words::{escape, grouped};
use crate::drawing::chart::{self, Cell, Five, LOOKS, Mark};

const CHARTS: &str = include_str!("compared.css");

/// Policy that allows the style of the page alone, and no request.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Most tasks with charts of their own; the heat map and the tables have all.
const PANELS_MAX: usize = 200;

/// Comparison as its page shows it.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Comparison in a line.
    pub title: String,
    /// Facts, each with its name.
    pub facts: Vec<(String, String)>,
    /// Agents in the order of the charts.
    pub agents: Vec<String>,
    /// Agent that the others are compared with.
    pub baseline: usize,
    /// Tasks.
    pub panels: Vec<Panel>,
    /// Name of the samples' unit, as in `steps`.
    pub unit: String,
    /// Names of the axes of curves, and their upper end if it is the same for all.
    pub axes: (String, String, Option<f64>),
    /// Tables as they are printed, each with its heading.
    pub tables: Vec<(String, String)>,
}

/// Task of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Name.
    pub name: String,
    /// Curve of each agent.
    pub curves: Vec<Vec<Mark>>,
    /// Numbers of each agent's runs; infinite for a run that failed.
    pub samples: Vec<Vec<f64>>,
    /// Size of the effect of each agent against the baseline, from 0 to 1, with its stars; none of the baseline.
    pub effects: Vec<Option<(f64, String)>>,
}

/// Returns the page of a comparison.
pub fn compared_html(compared: &Compared) -> String {
    let Compared { title, facts, agents, panels, tables, .. } = compared;
    let title = escape(title);
    let mut page = opening(&title, POLICY, "", &[STYLE, CHARTS]);
    let _ = write!(
        page,
        "<main>\n<header class=\"top\"><p class=\"brand\">farlead compare</p><h1>{title}</h1><dl class=\"facts\">"
    );
    for (name, fact) in facts {
        let _ = write!(page, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(fact));
    }
    page += "</dl></header>\n";
    page += &legend(agents);
    page += &whole(compared);
    for panel in panels.iter().take(PANELS_MAX) {
        page += &section(compared, panel);
    }
    if panels.len() > PANELS_MAX {
        let more = grouped((panels.len() - PANELS_MAX) as u64);
        let _ =
            writeln!(page, "<p class=\"quiet\">{more} more have no charts here; the tables have all.</p>");
    }
    for (heading, table) in tables {
        let _ = writeln!(
            page,
            "<section class=\"spec\"><h2>{}</h2><pre tabindex=\"0\">{}</pre></section>",
            escape(heading),
            escape(table)
        );
    }
    page + "</main>\n</body>\n</html>\n"
}

/// Returns the names of the agents beside a piece of their curves.
fn legend(agents: &[String]) -> String {
    let mut html = String::from("<ul class=\"legend\">");
    for (at, agent) in agents.iter().enumerate() {
        let _ = write!(
            html,
            "<li><svg viewBox=\"0 0 34 10\" width=\"34\" height=\"10\" aria-hidden=\"true\"><g class=\"s{}\"><path class=\"line\" d=\"M0 5H34\"/></g></svg>{}</li>",
            at % LOOKS,
            escape(agent)
        );
    }
    html + "</ul>\n"
}

/// Returns the charts over all tasks.
fn whole(compared: &Compared) -> String {
    let Compared { agents, panels, baseline, unit, .. } = compared;
    let mut html = String::from("<section class=\"spec\"><h2>All</h2><div class=\"charts\">");
    let of = |agent: usize| panels.iter().filter_map(move |panel| panel.samples.get(agent)).flatten();
    let failures: Vec<(String, f64, Option<f64>)> = agents
        .iter()
        .enumerate()
        .map(|(at, name)| (name.clone(), of(at).filter(|number| number.is_infinite()).count() as f64, None))
        .collect();
    if failures.iter().any(|(_, failed, _)| *failed > 0.0) {
        html += &figure("Failed runs", &chart::bars("failed runs of each agent", "failed runs", &failures));
    }
    let sizes: Vec<(String, f64, Option<f64>)> = agents
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let numbers: Vec<f64> = of(at).copied().filter(|number| number.is_finite()).collect();
            let mean = numbers.iter().sum::<f64>() / (numbers.len().max(1)) as f64;
            (name.clone(), (10.0 * mean).round() / 10.0, Some(numbers.iter().copied().fold(0.0, f64::max)))
        })
        .collect();
    let title = format!("Mean {unit} of runs that did not fail, and the most (line)");
    html += &figure(&title, &chart::bars("mean and most of each agent", unit, &sizes));
    html += "</div>";
    if agents.len() > 1 {
        let others = || (0..agents.len()).filter(|at| at != baseline);
        let columns: Vec<String> = others().map(|at| agents[at].clone()).collect();
        let cell = |effect: &Option<(f64, String)>| {
            effect.as_ref().map(|(value, stars)| Cell { value: *value, text: format!("{value:.2}{stars}") })
        };
        let rows: Vec<(String, Vec<Option<Cell>>)> = panels
            .iter()
            .map(|panel| (panel.name.clone(), others().map(|at| cell(&panel.effects[at])).collect()))
            .collect();
        let baseline = &agents[*baseline];
        let about = format!("probability that an agent does better than {baseline}");
        let _ = write!(
            html,
            "<figure class=\"heat-map\"><figcaption>A12: {}; above 0.5 the agent does; stars by p after Holm: * 0.05, ** 0.01, *** 0.001</figcaption>{}</figure>",
            escape(&about),
            chart::heat(&about, &columns, &rows)
        );
    }
    html + "</section>\n"
}

/// Returns the charts of a task.
fn section(compared: &Compared, panel: &Panel) -> String {
    let Compared { agents, unit, axes: (x, y, top), .. } = compared;
    let name = escape(&panel.name);
    let mut html = format!("<section class=\"spec\"><h2>{name}</h2><div class=\"charts\">");
    let series: Vec<(String, Vec<Mark>)> = agents.iter().cloned().zip(panel.curves.iter().cloned()).collect();
    let about = format!("{y} over {x} on {}", panel.name);
    html += &figure(y, &chart::curves(&about, (x, ""), *top, &series));
    let rows: Vec<(String, Five)> =
        agents.iter().cloned().zip(panel.samples.iter().map(|sample| five(sample))).collect();
    let about = format!("{unit} of each agent on {}", panel.name);
    let title = format!("{unit}: least, quartiles, median, most");
    html += &figure(&title, &chart::boxes(&about, unit, &rows));
    html + "</div></section>\n"
}

fn figure(title: &str, svg: &str) -> String {
    let mut title = title.to_string();
    if let Some(first) = title.get(..1) {
        title = first.to_uppercase() + &title[1..];
    }
    format!("<figure><figcaption>{}</figcaption>{svg}</figure>", escape(&title))
}

/// Returns the five numbers of a sample whose failed runs are infinite.
fn five(sample: &[f64]) -> Five {
    let mut numbers: Vec<f64> = sample.iter().copied().filter(|number| number.is_finite()).collect();
    numbers.sort_by(f64::total_cmp);
    let missing = (sample.len() - numbers.len()) as f64 / sample.len().max(1) as f64;
    if numbers.is_empty() {
        return Five { numbers: [0.0; 5], missing };
    }
    // Between two numbers a quartile lies on the line that joins them.
    let quantile = |share: f64| {
        let place = share * (numbers.len() - 1) as f64;
        let below = numbers[place.floor() as usize];
        below + (numbers[place.ceil() as usize] - below) * place.fract()
    };
    Five { numbers: [0.0, 0.25, 0.5, 0.75, 1.0].map(quantile), missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_on_the_line_between_their_neighbours() {
        let of = |sample: &[f64]| five(sample);
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]).numbers, [1.0, 1.75, 2.5, 3.25, 4.0]);
        assert_eq!(of(&[3.0, f64::INFINITY]), Five { numbers: [3.0; 5], missing: 0.5 });
        assert_eq!(of(&[f64::INFINITY]).missing, 1.0);
        assert_eq!(of(&[]).missing, 0.0);
    }

    #[test]
    fn names_from_outside_stay_names() {
        let hostile = "<script>alert(1)</script>".to_string();
        let panel = Panel {
            name: hostile.clone(),
            curves: vec![vec![Mark { x: 1.0, y: 0.5, low: 0.0, high: 1.0 }]; 2],
            samples: vec![vec![1.0, 2.0], vec![f64::INFINITY]],
            effects: vec![None, Some((0.2, "**".to_string()))],
        };
        let page = compared_html(&Compared {
            title: hostile.clone(),
            facts: vec![(hostile.clone(), hostile.clone())],
            agents: vec![hostile.clone(), hostile.clone()],
            panels: vec![panel],
            unit: hostile.clone(),
            axes: (hostile.clone(), hostile.clone(), None),
            tables: vec![(hostile.clone(), hostile)],
            baseline: 0,
        });
        assert!(!page.contains("<script") && page.contains("&lt;script"), "{page}");
    }
}
