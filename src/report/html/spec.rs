//! The section of one spec.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::coverage::explored_for;
use super::super::run::{SpecReport, Standing};
use super::super::words::{
    self, ITEMS_MAX, LINE_MAX, TEXT_MAX, confidence, counted, distinct, duration, escape, grouped, len, line,
    outcome, unseen,
};
use super::phone::Displays;
use super::timeline::Timeline;
use super::{automaton, curve, map};
use crate::event::{Reached, SpecEnded};
use crate::gui::Screen;

/// Items shown of a long list.
const SHOWN_MAX: usize = 40;

/// Characters of a reason, which is a few sentences.
const REASON_MAX: usize = 2_000;

/// Steps shown of a scenario.
const SCENARIO_MAX: usize = 100;

/// A spec to write, with the screens it may draw.
pub struct Section<'a> {
    pub number: usize,
    pub spec: &'a SpecReport,
    pub screens: &'a [Arc<Screen>],
    pub displays: Displays,
    /// True if pictures are drawn.
    pub is_drawn: bool,
}

/// Returns the CSS class of a spec.
pub fn class(spec: &SpecReport) -> &'static str {
    match spec.standing() {
        Standing::Passed => "passed",
        Standing::Failed => "failed",
        Standing::Flaky => "flaky",
        Standing::Error | Standing::CutShort => "error",
    }
}

/// Returns the outcome of a spec as a badge.
pub fn badge(spec: &SpecReport) -> String {
    let change = match words::change(spec) {
        Some(change) => format!(" <span class=\"change\">{change}</span>"),
        None => String::new(),
    };
    format!("<span class=\"badge {}\">{}</span>{change}", class(spec), outcome(spec))
}

impl Section<'_> {
    /// Returns the section, and adds the screens it draws to `drawn`.
    pub fn html(&self, drawn: &mut BTreeSet<usize>) -> String {
        let began = &self.spec.began;
        let id = self.id();
        // A spec that passed is folded: its head tells enough.
        let has_passed = self.spec.standing() == Standing::Passed;
        let (tag, head) = if has_passed { ("details", "summary") } else { ("article", "header") };
        let mut html = format!(
            "<{tag} class=\"spec {}\" id=\"{id}\" data-outcome=\"{}\">",
            class(self.spec),
            words::kind(self.spec)
        );
        let _ = write!(
            html,
            "<{head}><h2><a class=\"anchor\" href=\"#{id}\" aria-label=\"link to this spec\">#</a>{} <bdi>{}</bdi> {}</h2>\
             <span class=\"where\"><bdi>{}</bdi>:{}</span></{head}>",
            escape(&line(words::form(began), 20)),
            escape(&line(&began.name, 200)),
            badge(self.spec),
            escape(&line(&began.file, 300)),
            began.line
        );
        let _ = write!(html, "<p class=\"reason\">{}</p>", escape(&words::why(self.spec, REASON_MAX)));
        if let Some(ended) = &self.spec.ended {
            html += &advice(&ended.advice);
        }
        if !began.scenario.is_empty() {
            let steps: Vec<String> =
                began.scenario.iter().take(SCENARIO_MAX).map(|step| escape(&line(step, 300))).collect();
            let _ = write!(html, "<pre class=\"scenario\" tabindex=\"0\">{}</pre>", steps.join("\n"));
        }
        if !began.formula.is_empty() {
            let _ = write!(
                html,
                "<pre class=\"formula\" tabindex=\"0\">{}</pre>",
                escape(&line(&began.formula, TEXT_MAX))
            );
        }
        html += &self.facts();
        if let Some(ended) = &self.spec.ended {
            self.write_end(&mut html, ended, drawn);
        }
        if self.is_drawn {
            self.write_drawings(&mut html, drawn);
        } else {
            html += "<p class=\"quiet\">Pictures are left out: the page would be too large.</p>";
        }
        html + &format!("</{tag}>\n")
    }

    fn id(&self) -> String {
        format!("spec-{}", self.number)
    }

    fn write_end(&self, html: &mut String, ended: &SpecEnded, drawn: &mut BTreeSet<usize>) {
        if let Some(test) = &ended.test {
            *html += &commands(test);
        }
        // The pictures have these sentences at their step.
        if !self.is_drawn || ended.run.is_empty() {
            *html += &wrong(ended);
        }
        *html += &self.set_up();
        // Without room for pictures the actions still tell the run.
        if !self.is_drawn {
            *html += &plain_steps(ended);
            return;
        }
        if !ended.run.is_empty() {
            let timeline = Timeline {
                spec: self.number,
                formula: &self.spec.began.formula,
                run: &ended.run,
                replay: ended.replay.as_ref(),
                wrong: words::wrong_step(ended),
                sentences: &sentences(ended),
                screens: self.screens,
                displays: self.displays,
            };
            let title = format!("The run, {}", counted(len(&ended.run), "step"));
            *html += &self.folded("run", &title, true, &timeline.section(drawn));
        }
        if let Some(reach) = &ended.reach {
            // With a run, the reader wants that first.
            let is_open = ended.run.is_empty();
            *html += &self.folded(
                "reach",
                "What was seen, and what never was",
                is_open,
                &never_seen(reach, is_open),
            );
        }
    }

    /// Writes the pictures: the formula at work, the search, and the map.
    fn write_drawings(&self, html: &mut String, drawn: &mut BTreeSet<usize>) {
        let ended = self.spec.ended.as_ref();
        let run = ended.map_or(&[][..], |ended| &ended.run);
        if self.spec.began.automaton.is_some() || !run.is_empty() {
            let drawing = automaton::section(self.spec.began.automaton.as_ref(), run);
            *html += &self.folded("automaton", "What the formula may ask for", false, &drawing);
        }
        // A replay has no episodes, and so no curve.
        if !self.spec.curve.points().is_empty() {
            *html += &self.folded("curve", "How the search went", false, &curve::section(&self.spec.curve));
        }
        if let Some(ended) = ended.filter(|ended| !ended.map.is_empty()) {
            let drawing = map::section(ended, self.screens, self.displays, drawn);
            *html += &self.folded("map", "Map of screens", false, &drawing);
        }
    }

    /// Returns the actions that set the app up, folded.
    fn set_up(&self) -> String {
        let actions = &self.spec.began.set_up;
        if actions.is_empty() {
            return String::new();
        }
        let items: Vec<String> = actions
            .iter()
            .take(SHOWN_MAX)
            .map(|action| format!("<li><code>{}</code></li>", escape(&line(action, 200))))
            .collect();
        let title = format!("Set-up before the run: {}", counted(len(actions), "step"));
        self.folded("set-up", &title, false, &format!("<ol start=\"0\">{}</ol>", items.concat()))
    }

    fn folded(&self, part: &str, title: &str, is_open: bool, content: &str) -> String {
        format!(
            "<details class=\"part\" id=\"{}-{part}\"{}><summary><h3>{title}</h3></summary>{content}</details>",
            self.id(),
            if is_open { " open" } else { "" }
        )
    }

    /// Returns the numbers of a spec, each with its name.
    fn facts(&self) -> String {
        let began = &self.spec.began;
        let mut facts: Vec<(&str, String)> = Vec::new();
        if !began.agent.is_empty() {
            facts.push(("agent", line(&began.agent, 60)));
        }
        // A replay has no budget.
        if began.episodes_max > 0 {
            let most = counted(began.episodes_max, "episode");
            facts.push(("budget", format!("{most} of {}", counted(began.steps_max, "step"))));
        }
        if let Some(ended) = &self.spec.ended {
            if began.episodes_max > 0 || ended.episodes > 0 {
                facts.push(("episodes", grouped(ended.episodes.into())));
                facts.push(("steps", grouped(ended.steps)));
            }
            facts.push(("device time", duration(ended.device_ms)));
            if !ended.run.is_empty() {
                facts.push(("length", length(ended)));
            }
            if let Some(rate) = ended.confirmed {
                facts.push(("reproduced", words::rate(rate)));
            }
        }
        let mut html = String::from("<dl class=\"facts\">");
        for (name, value) in facts {
            let _ = write!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
        }
        html + "</dl>"
    }
}

/// Returns `3 steps, shrunk from 5`.
fn length(ended: &SpecEnded) -> String {
    let length = counted(ended.run.len() as u64, "step");
    match ended.found_steps {
        Some(found) if found > ended.run.len() => format!("{length}, shrunk from {}", grouped(found as u64)),
        Some(_) | None => length,
    }
}

fn advice(advice: &[String]) -> String {
    let items: Vec<String> = advice
        .iter()
        .take(ITEMS_MAX)
        .map(|advice| format!("<li>{}</li>", with_code(&line(advice, LINE_MAX))))
        .collect();
    if items.is_empty() { String::new() } else { format!("<ul class=\"advice\">{}</ul>", items.concat()) }
}

/// Returns `text` with its parts between backticks as code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without its partner is no code.
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(at, part): (usize, &&str)| {
        if at.is_multiple_of(2) { escape(part) } else { format!("<code>{}</code>", escape(part)) }
    };
    parts.iter().enumerate().map(part).collect()
}

/// Returns the path of the test, and the command lines that use it.
fn commands(test: &str) -> String {
    let mut html = format!(
        "<div class=\"test\"><p>kept as <code>{}</code></p><pre tabindex=\"0\">",
        escape(&line(test, TEXT_MAX))
    );
    for command in ["replay", "minimize", "export --to maestro"] {
        let _ = writeln!(html, "{}", escape(&words::command(command, test)));
    }
    html + "</pre></div>"
}

/// Returns the sentences about the step that went wrong.
fn sentences(ended: &SpecEnded) -> Vec<String> {
    ended.replay.iter().flat_map(words::replayed).chain(words::violation(ended)).collect()
}

fn wrong(ended: &SpecEnded) -> String {
    let items: Vec<String> =
        sentences(ended).iter().map(|sentence| format!("<li>{}</li>", escape(sentence))).collect();
    if items.is_empty() { String::new() } else { format!("<ul class=\"replayed\">{}</ul>", items.concat()) }
}

fn plain_steps(ended: &SpecEnded) -> String {
    let items: Vec<String> = ended
        .run
        .iter()
        .take(SHOWN_MAX)
        .map(|step| format!("<li><code>{}</code></li>", escape(&line(&step.action.shown, 200))))
        .collect();
    let rest = ended.run.len().saturating_sub(SHOWN_MAX);
    let rest =
        if rest > 0 { format!("<p>and {} more</p>", counted(rest as u64, "step")) } else { String::new() };
    format!("<ol start=\"0\">{}</ol>{rest}", items.concat())
}

/// Returns the progress of a search, and the actions that were never tried.
fn never_seen(reach: &Reached, has_no_run: bool) -> String {
    let mut html = String::from("<ul class=\"facts-list\">");
    let _ = write!(
        html,
        "<li>{} met in {} of the app</li>",
        counted(reach.screens as u64, "screen"),
        counted(reach.starts, "start")
    );
    if reach.starts_crashed > 0 {
        let _ = write!(html, "<li>the app crashed at {}</li>", counted(reach.starts_crashed, "start"));
    }
    if reach.surprises > 0 {
        let _ = write!(
            html,
            "<li>the app answered otherwise than before {}</li>",
            counted(reach.surprises, "time")
        );
    }
    // With a run at hand, nobody asks how near the search came.
    if let (true, Some((residual, distance))) = (has_no_run, &reach.closest) {
        let _ = write!(
            html,
            "<li>closest: <code>{}</code>, {} from the goal at least</li>",
            escape(&line(residual, LINE_MAX)),
            counted(*distance, "step")
        );
    }
    if let Some(explored) = explored_for(reach).filter(|_| reach.tried_count > 0) {
        let _ = write!(html, "<li>{}</li>", escape(&explored));
    }
    if let Some(confidence) = confidence(reach) {
        let _ = write!(html, "<li>{}</li>", escape(&confidence));
    }
    html += "</ul>";
    html += &atoms(reach);
    if reach.never_tried.is_empty() {
        return html;
    }
    // The list may be cut, so the count comes apart from it.
    let count = reach.never_tried_count.max(reach.never_tried.len());
    let shown: Vec<String> = distinct(&reach.never_tried)
        .take(SHOWN_MAX)
        .map(|action| format!("<li><code>{}</code></li>", escape(&line(action, 120))))
        .collect();
    let _ = write!(
        html,
        "<h4>Never tried: {}</h4><ul class=\"labels\">{}</ul>",
        counted(count as u64, "action"),
        shown.concat()
    );
    html
}

/// Returns how often each atom held; for one that never did, the value seen in its place.
fn atoms(reach: &Reached) -> String {
    if reach.held.is_empty() {
        return String::new();
    }
    let mut html =
        String::from("<table class=\"atoms\"><thead><tr><th>Atom</th><th>Held</th></tr></thead><tbody>");
    // Atoms that never held come first, as one of them may be the reason why no run was found.
    for (atom, hint) in unseen(reach).take(SHOWN_MAX) {
        let hint = hint.map_or(String::new(), |hint| format!("; {}", escape(&line(hint, LINE_MAX))));
        let atom = escape(&line(atom, 200));
        let _ = write!(html, "<tr class=\"never\"><td><code>{atom}</code></td><td>never{hint}</td></tr>");
    }
    for (atom, times) in reach.held.iter().filter(|(_, times)| *times > 0).take(SHOWN_MAX) {
        let atom = escape(&line(atom, 200));
        let _ = write!(html, "<tr><td><code>{atom}</code></td><td>{}</td></tr>", counted(*times, "time"));
    }
    html + "</tbody></table>"
}
