//! `--news`: what a program that looks on is told while `check` and `explore` search.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;

use crate::cli::command;
use crate::project::Folder;

/// Time for anything to be told.
const PATIENCE: Duration = Duration::from_secs(120);

fn notes() -> String {
    format!("{}/apps/notes.app", env!("CARGO_MANIFEST_DIR"))
}

fn lines(folder: &Folder, file: &str) -> Vec<Value> {
    folder.read(file).lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Returns the news of one kind.
fn of<'n>(news: &'n [Value], kind: &str) -> Vec<&'n Value> {
    news.iter().filter(|line| line["news"] == kind).collect()
}

#[test]
fn a_search_tells_its_episodes_with_pictures_and_its_results_are_the_same() {
    let folder = Folder::new("news-check");
    folder.write("two.ltl", "possible \"two\": F ([activity ~ Sketch] & X F [activity ~ Settings])\n");
    let app = notes();
    let search = ["check", "two.ltl", "--app", &app, "--no-exhaustive", "--json"];
    let without = folder.done(0, &search);
    let with = folder.done(0, &[&search[..], &["--news", "news.jsonl"]].concat());
    assert_eq!(with.stdout, without.stdout);
    let news = lines(&folder, "news.jsonl");
    let mut drawn = BTreeSet::new();
    for line in &news {
        if line["news"] == "screen" {
            assert!(line["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg ")), "{line}");
            drawn.insert(line["number"].as_u64().expect("a number"));
        }
        for step in line["run"]["steps"].as_array().into_iter().flatten() {
            // Whoever reads in order has the picture already.
            assert!(step["screen"].as_u64().is_some_and(|number| drawn.contains(&number)), "{step}");
        }
    }
    let (episodes, counts) = (of(&news, "episode"), of(&news, "counts"));
    assert_eq!(episodes.len(), counts.len());
    // The run that was found is always told, as nothing has come nearer.
    let last = episodes.last().expect("an episode");
    assert_eq!((&last["spec"], &last["closest"]), (&"two".into(), &0.into()), "{last}");
    let steps = last["run"]["steps"].as_array().expect("steps");
    assert_eq!(steps.last().expect("a step")["left"], "true");
    assert!(steps.iter().any(|step| step["why"].is_string()), "{last}");
}

#[test]
fn exploring_tells_its_counts() {
    let folder = Folder::new("news-explore");
    folder.done(0, &["explore", "--app", &notes(), "--budget", "300", "--news", "news.jsonl"]);
    let news = lines(&folder, "news.jsonl");
    let counts = of(&news, "counts");
    let last = &counts.last().expect("counts")["explored"];
    assert!(last["screens"].as_u64() > Some(1) && last["steps"].as_u64() <= Some(300), "{last}");
    assert!(of(&news, "episode").iter().all(|one| one["spec"].is_null()));
}

#[test]
fn the_map_of_a_search_grows() {
    let folder = Folder::new("news-map");
    // No text of the spec, which would be typed, and then shows.
    folder.write("never.ltl", "never within 30 steps, 1000000 episodes: F [activity ~ Nowhere]\n");
    let args = ["check", "never.ltl", "--app", &notes(), "--no-exhaustive", "--news", "news.jsonl"];
    let mut search = command(&args).current_dir(folder.path(".")).spawn().expect("farlead");
    let began = Instant::now();
    let maps = loop {
        thread::sleep(Duration::from_millis(300));
        // The last line may be half written.
        let text = fs::read_to_string(folder.path("news.jsonl")).unwrap_or_default();
        let news: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let maps: Vec<Value> = of(&news, "map").into_iter().cloned().collect();
        if maps.len() > 1 || began.elapsed() > PATIENCE {
            break maps;
        }
    };
    search.kill().expect("it runs");
    search.wait().expect("an end");
    assert!(maps.len() >= 2, "{} maps", maps.len());
    let svg = |map: &Value| map["svg"].as_str().unwrap_or_default().to_string();
    assert!(maps.iter().all(|map| map["spec"] == "never" && svg(map).contains("MainActivity")));
    // Screens that are built alike become one card, so a map may grow and yet be shorter. Small maps and large ones say how many
    // screens a card has.
    let screens = |map: &Value| -> u64 { svg(map).split(" screens<").filter_map(number_at_end).sum() };
    assert!(screens(&maps[0]) < screens(&maps[1]), "{} and {} screens", screens(&maps[0]), screens(&maps[1]));
}

/// Returns the number that a text ends in.
fn number_at_end(text: &str) -> Option<u64> {
    text[text.trim_end_matches(|letter: char| letter.is_ascii_digit()).len()..].parse().ok()
}

#[test]
fn news_take_no_place_of_what_is_read_or_cannot_be_written() {
    let folder = Folder::new("news-place");
    let spec = "possible \"main\": F [activity ~ Main]\n";
    folder.write("main.ltl", spec);
    let app = notes();
    for (place, why) in
        [("main.ltl", "is what was read"), ("none/news.jsonl", "cannot write none/news.jsonl")]
    {
        let ended = folder.done(2, &["check", "main.ltl", "--app", &app, "--news", place]);
        assert!(ended.stderr.contains(why), "{}", ended.stderr);
    }
    assert_eq!(folder.read("main.ltl"), spec);
}
