//! The tests of farlead.toml that set up an app before each episode.

use std::path::{Path, PathBuf};

use clap::Args;
use farlead::device::App;
use farlead::setup::SetUpTest;
use farlead::spec::shown_path;

use crate::Mistake;
use crate::project::Project;
use crate::sources::{self, Shell};

/// Set-up of apps.
#[derive(Clone, Copy, Debug, Args)]
pub struct SetUpArgs {
    /// Skip the set-up tests of farlead.toml
    #[arg(long)]
    no_setup: bool,
}

/// The set-up tests of a project, in their order.
#[derive(Debug, Default)]
pub struct SetUps {
    tests: Vec<SetUpTest>,
    /// File of each, as a path from the root.
    files: Vec<PathBuf>,
}

impl SetUpArgs {
    /// Reads the tests that `project` names, all of which start the same activity.
    pub fn read(self, project: &Project, shell: &Shell) -> anyhow::Result<SetUps> {
        let mut all = SetUps::default();
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
            let test = sources::read_test(&named.path, shell).map_err(|error| match error.to_string() {
                // The mistakes are on stderr by now; the place in farlead.toml is not.
                said if said.is_empty() => {
                    Mistake::new(format!("{place}: the set-up test {name} has mistakes"))
                }
                why => Mistake::new(format!("{place}: {why}")),
            })?;
            // The same file may be typed in several ways.
            all.files.push(named.path.canonicalize().unwrap_or_else(|_| named.path.clone()));
            all.tests.push(SetUpTest { name, test });
            let (first, last) = (&all.tests[0], &all.tests[all.tests.len() - 1]);
            if first.starts() != last.starts() {
                let message = format!(
                    "{place}: the set-up test {} starts {}, and {} starts {}; they go on from each other, so they start the same \
                     activity",
                    last.name,
                    last.starts(),
                    first.name,
                    first.starts()
                );
                return Err(Mistake::new(message).into());
            }
        }
        Ok(all)
    }
}

impl SetUps {
    /// Returns all tests.
    pub fn all(&self) -> &[SetUpTest] {
        &self.tests
    }

    /// Returns the tests for the stored test in the file at `path`: those before it if it sets apps up itself, else all.
    pub fn for_test(&self, path: &Path) -> &[SetUpTest] {
        // Most projects have none, and resolving the path of each of a thousand tests takes a while.
        if self.tests.is_empty() {
            return &[];
        }
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let own = self.files.iter().position(|file| *file == path);
        &self.tests[..own.unwrap_or(self.tests.len())]
    }

    /// Returns the tests for the spec `name` in the file at `path`: those before the test that was found for it, else all.
    pub fn for_spec(&self, project: &Project, path: &Path, name: &str) -> &[SetUpTest] {
        if self.tests.is_empty() {
            return &[];
        }
        // A test says its spec from the folder of the project, wherever it was typed.
        let file = crate::app::from(&project.folder, path);
        let is_own = |one: &SetUpTest| one.test.provenance.spec == file && one.test.oracle.name == name;
        let own = self.tests.iter().position(is_own);
        &self.tests[..own.unwrap_or(self.tests.len())]
    }
}

/// Refuses `tests` of another app than `app`.
pub fn check_app(tests: &[SetUpTest], app: &App) -> Result<(), Mistake> {
    for SetUpTest { name, test } in tests {
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
                first.name,
                first.starts(),
                app.package,
                app.launchable.join(", ")
            );
            Err(Mistake::new(message))
        }
        Some(_) | None => Ok(()),
    }
}
