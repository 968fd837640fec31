//! Ways to install farlead: release workflow, GitHub Action and docs/installing.md agree with each other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use yaml_rust2::{Yaml, YamlLoader};

#[test]
fn the_page_and_the_action_know_every_archive_of_a_release() {
    let release = yaml(".github/workflows/release.yml");
    let matrix = &release["jobs"]["build"]["strategy"]["matrix"]["include"];
    let released: BTreeSet<String> = matrix
        .as_vec()
        .expect("systems")
        .iter()
        .map(|system| {
            let target = system["target"].as_str().expect("a target");
            let ending = if target.contains("windows") { "zip" } else { "tar.gz" };
            format!("farlead-{target}.{ending}")
        })
        .collect();
    assert_eq!(archives("docs/installing.md"), released);
    assert_eq!(archives("action.yml"), released);
}

#[test]
fn the_page_describes_every_input_and_output_of_the_action() {
    let (page, action) = (text_of("docs/installing.md"), yaml("action.yml"));
    for kind in ["inputs", "outputs"] {
        for (name, about) in action[kind].as_hash().expect("names") {
            let name = name.as_str().expect("a name");
            assert!(
                page.contains(&format!("\n| `{name}` |")),
                "docs/installing.md does not describe `{name}`"
            );
            assert!(about["description"].as_str().is_some(), "`{name}` has no description");
        }
    }
    // GitHub demands a shell of each script of an action.
    for step in action["runs"]["steps"].as_vec().expect("steps") {
        assert_ne!(step["run"].is_badvalue(), step["uses"].is_badvalue(), "{step:?}");
        assert_eq!(step["run"].is_badvalue(), step["shell"].is_badvalue(), "{step:?}");
    }
}

#[test]
fn every_workflow_of_the_page_is_yaml_with_jobs() {
    let page = text_of("docs/installing.md");
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let workflow = &YamlLoader::load_from_str(block).expect("YAML")[0];
        assert!(workflow["jobs"]["farlead"]["steps"].as_vec().is_some(), "{block}");
    }
}

/// Returns the names of archives in a text.
fn archives(path: &str) -> BTreeSet<String> {
    let text = text_of(path);
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && !"-_.".contains(char));
    let is_archive = |word: &&str| {
        word.starts_with("farlead-") && [".tar.gz", ".zip"].iter().any(|end| word.ends_with(end))
    };
    words.filter(is_archive).map(str::to_string).collect()
}

fn yaml(path: &str) -> Yaml {
    let mut documents =
        YamlLoader::load_from_str(&text_of(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    documents.remove(0)
}

fn text_of(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
