//! The run as a row of screens, each with its action, its labels and its residual.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::words::{self, ITEMS_MAX, LINE_MAX, TEXT_MAX, counted, duration, escape, len, line, lines};
use super::phone::{self, Displays};
use crate::drawing::svg::short;
use crate::event::{ReplayVerdict, Replayed, StepTaken};
use crate::gui::Screen;
use crate::sorted;
use crate::trace::Notice;

/// Steps drawn at the start and at the end of a run; of a longer run the middle is left out.
const STEPS_AT_START: usize = 40;
const STEPS_AT_END: usize = 20;

/// Characters shown of a residual.
const RESIDUAL_MAX: usize = 1_200;

/// Words of a residual that is compared word by word, as the time grows with the product of both lengths.
const WORDS_MAX: usize = 400;

/// Size of a screen in the page, relative to its own units.
const SCALE: f64 = 0.88;

/// The source of a timeline.
pub struct Timeline<'a> {
    pub spec: usize,
    pub formula: &'a str,
    pub run: &'a [StepTaken],
    /// Result of the replay.
    pub replay: Option<&'a Replayed>,
    /// Step that went wrong, and the sentences about it.
    pub wrong: Option<usize>,
    pub sentences: &'a [String],
    pub screens: &'a [Arc<Screen>],
    pub displays: Displays,
}

impl Timeline<'_> {
    /// Returns the run as a row of screens, and adds those it draws to `drawn`.
    pub fn section(&self, drawn: &mut BTreeSet<usize>) -> String {
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"the run, {}\"><ol class=\"timeline\" start=\"0\">",
            counted(len(self.run), "step")
        );
        // Of a run that the two parts cover together nothing is left out.
        let end = self.run.len().saturating_sub(STEPS_AT_END).max(STEPS_AT_START);
        for number in (0..self.run.len()).filter(|&number| number < STEPS_AT_START || number >= end) {
            if number == end && end > STEPS_AT_START {
                // A gap without a word would look as if one action led over it.
                let left_out = counted((end - STEPS_AT_START) as u64, "step");
                let _ = write!(html, "<li class=\"gap\">{left_out} left out</li>");
            }
            html += &self.step(number);
            drawn.insert(self.run[number].screen);
        }
        html += &self.missing();
        html += "</ol></div>";
        html
    }

    /// Returns the step that could not be done, which follows those that were.
    fn missing(&self) -> String {
        let Some(Replayed { verdict: ReplayVerdict::Diverged, step: Some(step), expected, nearest, .. }) =
            self.replay
        else {
            return String::new();
        };
        // A file from outside may name a step that was done.
        if *step < self.run.len() {
            return String::new();
        }
        let mut html = format!(
            "<li class=\"moment wrong\" id=\"spec-{}-step-{step}\"><div class=\"via\"><b class=\"number\">{step}</b><code>{}</code></div>\
             <p class=\"replay-end\">this step could not be done</p>",
            self.spec,
            escape(&line(expected.as_deref().unwrap_or_default(), 120))
        );
        if let Some(nearest) = nearest {
            let _ = write!(
                html,
                "<p class=\"nearest-said\">nearest: <code>{}</code></p>",
                escape(&line(nearest, 200))
            );
        }
        html + "</li>"
    }

    fn step(&self, number: usize) -> String {
        let step = &self.run[number];
        let before = if number == 0 { self.formula } else { &self.run[number - 1].residual };
        let canvas = self.displays.canvas(&self.screens[step.screen]);
        let turned = if canvas.width() > canvas.height() { " turned" } else { "" };
        let wrong = if self.wrong == Some(number) { " wrong" } else { "" };
        let mut html =
            format!("<li class=\"moment{turned}{wrong}\" id=\"spec-{}-step-{number}\">", self.spec);
        let _ = write!(
            html,
            "<div class=\"via\"><b class=\"number\">{number}</b><code>{}</code></div>",
            escape(&line(&step.action.shown, 120))
        );
        html += &self.picture(number);
        let _ = write!(html, "<p class=\"meta\">{} · screen {}</p>", duration(step.at_ms), step.screen);
        html += &self.said(number);
        step.notices.iter().take(ITEMS_MAX).for_each(|notice| html += &noticed(notice));
        if !step.labels.is_empty() {
            html += "<ul class=\"labels\" aria-label=\"what holds\">";
            for label in step.labels.iter().take(30) {
                let _ = write!(html, "<li><code>{}</code></li>", escape(&line(label, 200)));
            }
            html += "</ul>";
        }
        html += &residual(before, &step.residual);
        let _ = write!(
            html,
            "<details class=\"because\"><summary>for experts</summary><p><b>reward</b> {}</p>",
            signed(step.reward)
        );
        for (what, said) in [("why", &step.why), ("learned", &step.learned)] {
            if let Some(said) = said {
                let _ = write!(html, "<p><b>{what}</b> {}</p>", escape(&line(said, LINE_MAX)));
            }
        }
        html + "</details></li>"
    }

    /// Returns the sentences about the step that went wrong.
    fn said(&self, number: usize) -> String {
        if self.wrong != Some(number) {
            return String::new();
        }
        let items: Vec<String> =
            self.sentences.iter().map(|sentence| format!("<li>{}</li>", escape(sentence))).collect();
        format!("<ul class=\"replay-end\">{}</ul>", items.concat())
    }

    /// Returns the screen after a step, with the mark of the next action.
    fn picture(&self, number: usize) -> String {
        let at = self.run[number].screen;
        let screen = &self.screens[at];
        let canvas = self.displays.canvas(screen);
        // The next action is marked here, as it was done on this screen.
        let next = self.run.get(number + 1);
        let activity = line(crate::gui::short_activity(screen.activity()), 60);
        let done = next.map_or(String::new(), |next| format!("; next: {}", line(&next.action.shown, 120)));
        format!(
            "<svg class=\"phone\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {2} {3}\" role=\"img\" aria-label=\"{4}\">\
             <use href=\"#screen-{at}\" width=\"{2}\" height=\"{3}\"/>{5}</svg>",
            short(canvas.width() * SCALE),
            short(canvas.height() * SCALE),
            short(canvas.width()),
            short(canvas.height()),
            escape(&format!("screen {at}: {activity}{done}")),
            next.map_or_else(|| self.nearest(canvas), |next| phone::mark(&next.action, canvas))
        )
    }

    /// Returns the outline of the nearest widget, for the screen on which a step could not be done.
    fn nearest(&self, canvas: phone::Canvas) -> String {
        let bounds = self.replay.and_then(|replay| replay.nearest_at);
        bounds.map_or(String::new(), |bounds| phone::nearest(bounds, canvas))
    }
}

/// Returns `+0.333`.
fn signed(reward: f64) -> String {
    // Without this, a reward of nothing would be `+0.000`, or `-0.000`.
    if reward == 0.0 { "0".to_string() } else { line(&format!("{reward:+.3}"), 20) }
}

fn noticed(notice: &Notice) -> String {
    let (what, text) = words::notice(notice);
    let first = escape(&words::first_line(text, 200));
    match notice {
        Notice::Toast(_) | Notice::Prompt(_) | Notice::Field(_) => {
            format!("<p class=\"toast\"><b>{what}</b> {first}</p>")
        }
        // A stack trace is long, so it is folded below its first line.
        Notice::Crash(_) | Notice::Anr(_) => format!(
            "<details class=\"fatal\"><summary><b>{what}</b> {first}</summary><pre tabindex=\"0\">{}</pre></details>",
            escape(&lines(text, TEXT_MAX))
        ),
    }
}

/// Returns the residual with its new parts marked, and the atoms that are no longer asked for.
fn residual(before: &str, after: &str) -> String {
    let text = line(after, RESIDUAL_MAX);
    match &*text {
        "true" => return "<p class=\"left good\">satisfied</p>".to_string(),
        "false" => return "<p class=\"left lost\">violated</p>".to_string(),
        _ => {}
    }
    let before = line(before, RESIDUAL_MAX);
    if text == before {
        return format!("<p class=\"left same\"><span>as before</span> <code>{}</code></p>", escape(&text));
    }
    let (old, new) = (tokens(&before), tokens(&text));
    let mut html = String::from("<p class=\"left\"><span>still asked for</span> <code>");
    for (token, is_new) in marked(&old, &new) {
        let token = escape(token);
        html += &if is_new { format!("<mark>{token}</mark>") } else { token };
    }
    html += "</code></p>";
    // Operators come and go with every step; only atoms tell people anything.
    let is_atom = |token: &&str| token.starts_with('[');
    let left: BTreeSet<&str> = sorted::set(new.iter().copied().filter(is_atom));
    let gone: BTreeSet<&str> =
        sorted::set(old.iter().copied().filter(is_atom).filter(|atom| !left.contains(atom)));
    if !gone.is_empty() {
        let gone: Vec<String> =
            gone.iter().map(|atom| format!("<del><code>{}</code></del>", escape(atom))).collect();
        let _ = write!(html, "<p class=\"gone\"><span>no longer</span> {}</p>", gone.join(" "));
    }
    html
}

/// Returns the brackets and words of `text`, and the characters between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            // An atom is one token, so that no mark splits it.
            '[' => bracket(rest),
            _ if first.is_alphanumeric() => {
                rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Returns the length of the bracket at the start; a bracket within quotes does not close it.
fn bracket(text: &str) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the tokens of `new`; true marks those outside a longest common subsequence with `old`.
fn marked<'t>(old: &[&str], new: &[&'t str]) -> Vec<(&'t str, bool)> {
    // Without a comparison nothing counts as new, as marks on everything would say nothing.
    if old.len() > WORDS_MAX || new.len() > WORDS_MAX {
        return new.iter().map(|&token| (token, false)).collect();
    }
    let mut common = vec![vec![0_u16; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    // `common[i][j]` is the length of a longest common subsequence of `old[i..]` and `new[j..]`.
    let (mut i, mut marked) = (0, Vec::new());
    for (j, &token) in new.iter().enumerate() {
        while i < old.len() && old[i] != token && common[i + 1][j] == common[i][j] {
            i += 1;
        }
        let is_common = i < old.len() && old[i] == token;
        i += usize::from(is_common);
        // A mark on a lone sign or space says little.
        marked.push((token, !is_common && token.chars().any(char::is_alphanumeric)));
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[&str]) {
        let (old, new) = (tokens(before), tokens(after));
        let found: Vec<&str> =
            marked(&old, &new).into_iter().filter(|(_, is_new)| *is_new).map(|(token, _)| token).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_new_in_a_residual_is_marked() {
        check("F a", "F a", &[]);
        check("X (a & X b)", "a & X b", &[]);
        check("F [text = a]", "F [text = a] | [text = b]", &["[text = b]"]);
        check("", "G a", &["G", "a"]);
        let gone = residual("[a] & X [b]", "[b]");
        assert!(gone.contains("<del><code>[a]</code></del>") && !gone.contains("<mark>"), "{gone}");
    }

    #[test]
    fn a_bracket_is_one_word_whatever_is_in_it() {
        assert_eq!(tokens(r#"[text = "a]\"]"] U b"#), [r#"[text = "a]\"]"]"#, " ", "U", " ", "b"]);
        assert_eq!(tokens("[never closed"), ["[never closed"]);
    }
}
