//! The tests that set up an app before each episode: those of farlead.toml, or those that a stored test keeps.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use farlead::device::App;
use farlead::gui::Action;
use farlead::report::to_type;
use farlead::setup::{SetUpTest, kept};
use farlead::spec::{Source, shown_path};
use farlead::test_case::{SET_UP_STEPS_MAX, SetUpRun, TestCase, TestSetUp};

use crate::Mistake;
use crate::outputs::warn;
use crate::project::Project;
use crate::secrets::SecretTexts;
use crate::sources::{self, Shell};

/// Set-up of apps.
#[derive(Clone, Copy, Debug, Args)]
pub struct SetUpArgs {
    /// Skip the set-up of farlead.toml, and that of stored tests
    #[arg(long)]
    no_setup: bool,
}

/// The set-up tests of a project, in their order.
#[derive(Debug, Default)]
pub struct SetUps {
    tests: Vec<SetUpTest>,
    /// Test, text and file of each, the last as a path from the root.
    stored: Vec<(TestCase, Source, PathBuf)>,
    /// True if there is no set-up on request, not even one that a stored test keeps.
    is_left_out: bool,
}

/// Set-up of a stored test.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub tests: Vec<SetUpTest>,
    /// Difference between the set-up that the test keeps and that of farlead.toml.
    pub difference: Option<String>,
    /// Possible cause if the test does not hold.
    pub advice: Option<String>,
}

impl Chosen {
    /// Refuses tests of farlead.toml that are of another app than `app`.
    pub fn check_app(&self, app: &App) -> Result<(), Mistake> {
        check_app(&self.tests, app)
    }
}

impl SetUpArgs {
    /// Returns these flags as they are typed.
    pub fn flags(self) -> Option<OsString> {
        self.no_setup.then(|| "--no-setup".into())
    }

    /// Reads the tests that `project` names, all of which start the same activity.
    pub fn read(self, project: &Project, shell: &Shell) -> anyhow::Result<SetUps> {
        let mut all = SetUps { is_left_out: self.no_setup, ..SetUps::default() };
        if self.no_setup {
            return Ok(all);
        }
        for named in &project.set_up {
            let (name, place) = (shown_path(&named.path), &named.place);
            if !named.path.is_file() {
                let message = format!(
                    "{place}: there is no set-up test {name}; `farlead check --no-setup` on its spec makes one, and with \
                     `--no-setup` apps are not set up"
                );
                return Err(Mistake::new(message).into());
            }
            let (source, test) =
                sources::read_test(&named.path, shell).map_err(|error| match error.to_string() {
                    // The mistakes are on stderr by now; the place in farlead.toml is not.
                    said if said.is_empty() => {
                        Mistake::new(format!("{place}: the set-up test {name} has mistakes"))
                    }
                    why => Mistake::new(format!("{place}: {why}")),
                })?;
            // The same file may be typed in several ways.
            let file = named.path.canonicalize().unwrap_or_else(|_| named.path.clone());
            all.stored.push((test.clone(), source, file));
            all.tests.push(SetUpTest::Stored { name, test: test.into() });
            let (first, last) = (&all.tests[0], &all.tests[all.tests.len() - 1]);
            if first.starts() != last.starts() {
                let message = format!(
                    "{place}: the set-up test {} starts {}, and {} starts {}; they go on from each other, so they start the same \
                     activity",
                    last.name(),
                    last.starts(),
                    first.name(),
                    first.starts()
                );
                return Err(Mistake::new(message).into());
            }
        }
        let steps: usize = all.tests.iter().map(|test| test.steps().len()).sum();
        if steps > SET_UP_STEPS_MAX {
            let place = project.set_up.first().map_or("", |named| &named.place);
            let message = format!(
                "{place}: the set-up tests have {steps} steps in all, and {SET_UP_STEPS_MAX} are the most"
            );
            return Err(Mistake::new(message).into());
        }
        Ok(all)
    }
}

impl SetUps {
    /// Adds the texts that may name secrets.
    pub fn add_to(&self, texts: &mut SecretTexts) {
        self.stored.iter().for_each(|(test, source, _)| texts.add_test(source, test));
    }

    /// Returns all tests.
    pub fn all(&self) -> &[SetUpTest] {
        &self.tests
    }

    /// Returns the set-up of `test`, which is stored in the file at `path`: the one it keeps, else that of farlead.toml.
    pub fn for_test(&self, path: &Path, test: &TestCase) -> Chosen {
        let of_project = self.of_project(path);
        let names = || of_project.iter().map(SetUpTest::name).collect::<Vec<_>>().join(", ");
        match &test.set_up {
            _ if self.is_left_out => Chosen { tests: Vec::new(), difference: None, advice: None },
            TestSetUp::OfProject => {
                let advice = (!of_project.is_empty()).then(|| {
                    format!(
                        "the test keeps no set-up of its own, so that of farlead.toml came first ({}); if the test was found \
                         without, `--no-setup` leaves it out",
                        names()
                    )
                });
                Chosen { tests: of_project.to_vec(), difference: None, advice }
            }
            TestSetUp::Own(runs) => {
                let difference = difference(runs, &kept(of_project, &mut Vec::new())).map(|difference| {
                    let spec = match &*test.provenance.spec {
                        "" => "SPEC",
                        spec => spec,
                    };
                    format!(
                        "{difference}; the test runs with its own; `{}` finds it with that of farlead.toml",
                        to_type("check --update", spec)
                    )
                });
                Chosen {
                    tests: runs.iter().cloned().map(SetUpTest::Kept).collect(),
                    advice: difference.clone(),
                    difference,
                }
            }
        }
    }

    /// Returns the tests of farlead.toml for the stored test in the file at `path`: those before it if it sets apps up
    /// itself, else all.
    fn of_project(&self, path: &Path) -> &[SetUpTest] {
        // Most projects have none, and resolving the path of each of a thousand tests takes a while.
        if self.tests.is_empty() {
            return &[];
        }
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let own = self.stored.iter().position(|(_, _, file)| *file == path);
        &self.tests[..own.unwrap_or(self.tests.len())]
    }

    /// Returns the tests for the spec `name` in the file at `path`: those before the test that was found for it, else all.
    pub fn for_spec(&self, project: &Project, path: &Path, name: &str) -> &[SetUpTest] {
        if self.tests.is_empty() {
            return &[];
        }
        // A test says its spec from the folder of the project, wherever it was typed.
        let file = crate::app::from(&project.folder, path);
        let is_own = |test: &TestCase| test.provenance.spec == file && test.oracle.name == name;
        let own = self.stored.iter().position(|(test, ..)| is_own(test));
        &self.tests[..own.unwrap_or(self.tests.len())]
    }

    /// Refuses the tests of farlead.toml if they are of another app than `app`.
    pub fn check_app(&self, app: &App) -> Result<(), Mistake> {
        check_app(&self.tests, app)
    }
}

/// Warns in one line of stored tests that keep another set-up than farlead.toml has; each with its name.
pub fn warn_of_differences<'t>(tests: impl IntoIterator<Item = (&'t str, &'t Chosen)>) {
    let mut differing =
        tests.into_iter().filter_map(|(name, chosen)| Some((name, chosen.difference.as_ref()?)));
    let Some((name, difference)) = differing.next() else { return };
    let more = match differing.count() {
        0 => String::new(),
        more => format!(" (and {more} more like it)"),
    };
    warn(&format!("{name}{more}: {difference}"));
}

/// Returns the first difference between the set-up that a test keeps and that of farlead.toml.
fn difference(own: &[SetUpRun], project: &[SetUpRun]) -> Option<String> {
    let names = |runs: &[SetUpRun]| runs.iter().map(|run| &*run.name).collect::<Vec<_>>().join(", ");
    if own.is_empty() || project.is_empty() {
        return match (own, project) {
            ([], []) => None,
            ([], _) => Some(format!("it keeps no set-up, and farlead.toml names {}", names(project))),
            (_, _) => Some(format!("it keeps the set-up by {}, and farlead.toml names none", names(own))),
        };
    }
    let differing = own.iter().zip(project).find(|(own, other)| !own.is_same(other));
    let Some((own, other)) = differing else {
        return (own.len() != project.len()).then(|| {
            format!("it keeps the set-up by {}, and farlead.toml names {}", names(own), names(project))
        });
    };
    let step = own.steps.iter().zip(&other.steps).position(|(own, other)| own != other);
    let step = step.unwrap_or(own.steps.len().min(other.steps.len()));
    let does = |run: &SetUpRun| match run.steps.get(step) {
        Some(step) => action_text(&step.action),
        None => "nothing more".to_string(),
    };
    let (mine, theirs) = (does(own), does(other));
    let (name, file) = (&own.name, &other.name);
    Some(if mine == theirs {
        format!(
            "its set-up by {name} differs from {file} of farlead.toml at step {step}, {mine}, in widget or result"
        )
    } else {
        format!(
            "step {step} of its set-up by {name} is {mine}, and that of {file} in farlead.toml is {theirs}"
        )
    })
}

/// Describes an action; a text that is typed may be long, and is left to the test.
fn action_text(action: &Action) -> String {
    let text = action.to_string();
    let short: String = text.chars().take(ACTION_LETTERS_MAX).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

/// Most letters of an action in a message.
const ACTION_LETTERS_MAX: usize = 80;

/// Refuses `tests` of another app than `app`.
fn check_app(tests: &[SetUpTest], app: &App) -> Result<(), Mistake> {
    for one in tests {
        // Steps that a test keeps are of the app of that test.
        let SetUpTest::Stored { name, test } = one else { continue };
        let package = &test.provenance.package;
        if !package.is_empty() && **package != *app.package {
            let message = format!(
                "the set-up test {name} is of the app {package}, and this is {}; `--no-setup` leaves it out",
                app.package
            );
            return Err(Mistake::new(message));
        }
    }
    // All tests start the same activity, so the first stands for all.
    match tests.first() {
        Some(first) if !app.launchable.iter().any(|activity| **activity == *first.starts()) => {
            let message = format!(
                "the set-up test {} starts {}, which {} does not launch; it launches {}",
                first.name(),
                first.starts(),
                app.package,
                app.launchable.join(", ")
            );
            Err(Mistake::new(message))
        }
        Some(_) | None => Ok(()),
    }
}
