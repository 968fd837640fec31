//! Specs that a project starts with.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{BYTES_MAX, quoted, quoted_value};

const HEAD: &str = "# A spec for each activity of the app: some run reaches it. Where none is found, the activity may need more
# steps than others (`within 20 steps` before the colon), a text that nobody would guess (`texts` in
# farlead.toml), or someone who has logged in (`setup` there). What is of no interest may be taken out.
";

/// Returns the text of a file with a spec for each activity of an app: those that can be started, and the others. It has no
/// mistakes, whatever the names are. Specs that would make it too long are left out and counted.
pub fn reach(launchable: &[String], others: &[String]) -> String {
    let short = |name: &str| crate::gui::short_activity(name).to_string();
    let is_plain = |name: &str| name.chars().all(|char| char.is_ascii_alphanumeric() || "._$".contains(char));
    let mut namesakes: BTreeMap<String, u32> = BTreeMap::new();
    for activity in launchable.iter().chain(others) {
        *namesakes.entry(short(activity)).or_default() += 1;
    }
    let (mut text, mut left_out) = (HEAD.to_string(), 0);
    for (number, activity) in launchable.iter().chain(others).enumerate() {
        // Two activities of one short name need their full names.
        let is_only = namesakes.get(&short(activity)) == Some(&1);
        let name = if is_only { short(activity) } else { activity.clone() };
        let value = if is_plain(activity) { activity.clone() } else { quoted_value(activity) };
        let formula = if number < launchable.len() {
            // The activity may hand on to another before it is ever seen.
            let started = format!("[actionType = reinitialise, actionDetail = {value}] & [crashed = false]");
            format!(
                "# Or started: it may hand on to another at once.\n    F ([activity = {value}] | {started})"
            )
        } else {
            format!("F [activity = {value}]")
        };
        let spec = format!("\npossible {}:\n    {formula}\n", quoted(&format!("reach {name}")));
        // Half of the largest file: people add to it.
        if text.len() + spec.len() > BYTES_MAX / 2 {
            left_out += 1;
        } else {
            text += &spec;
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "\n# {left_out} more would make the file too long.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Source, parse};

    /// Returns the number of specs written for these activities, and checks that they are sound.
    fn specs(launchable: &[String], others: &[String]) -> usize {
        let parsed = parse(&Source::new("reach.ltl", reach(launchable, others)));
        assert_eq!(parsed.diagnostics.iter().next(), None);
        parsed.file.specs.len()
    }

    #[test]
    fn any_names_of_activities_make_sound_specs() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(specs(&names(&["a.Main", "b.Main", "Main"]), &names(&["a.b.Other", "Other"])), 5);
        let hostile = ["a\"b", "\\", "x]\nnever: true", "\u{1b}[2J", " ", "a, b", "é.日", "~ /x/", "a.B$C"];
        assert_eq!(specs(&names(&hostile), &names(&["a.b"])), 10);
        let many: Vec<String> =
            (0..10_000).map(|number| format!("org.example.a.long.name.A{number}")).collect();
        let written = specs(&many[..5], &many[5..]);
        assert!((1_000..10_000).contains(&written), "{written}");
        assert!(reach(&[], &many).contains("more would make the file too long"));
        assert_eq!(specs(&["x".repeat(2_000_000)], &many[..3]), 3);
    }
}
