//! Reads the spec files and other texts that a command line names, and prints their mistakes.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use farlead::device::android::log::of_trace;
use farlead::device::sim;
use farlead::search::in_order;
use farlead::sorted;
pub use farlead::spec::FILE_BYTES_MAX as BYTES_MAX;
use farlead::spec::{self, Diagnostics, Linted, Source, SpecFile, Style, shown_path};
use farlead::test_case::{self, TestCase};

use crate::explore::{any_crash, never_again};
use crate::project::Project;
use crate::{Mistake, Usage};

/// Use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

/// Styles of results and messages.
#[derive(Clone, Copy, Debug)]
pub struct Shell {
    pub stdout: Style,
    pub stderr: Style,
    pub quiet: bool,
}

impl Shell {
    pub fn new(colour: Colour, quiet: bool) -> Shell {
        // By no-color.org, any value but the empty one says no.
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let style = |is_terminal: bool| match colour {
            // A flag that is typed comes before the environment.
            Colour::Always => Style::Colour,
            Colour::Auto if is_terminal && !no_colour => Style::Colour,
            Colour::Auto | Colour::Never => Style::Plain,
        };
        Shell { stdout: style(io::stdout().is_terminal()), stderr: style(io::stderr().is_terminal()), quiet }
    }
}

/// A spec file with all judgements of it.
pub struct Judged {
    pub source: Source,
    pub linted: Linted,
    /// The test in it, if it is a stored one; the test's specs are those of the file.
    pub test: Option<TestCase>,
}

impl Judged {
    /// Writes all mistakes to stderr and fails, if there are any.
    pub fn unless_mistaken(&self, shell: &Shell) -> Result<(), Mistake> {
        let diagnostics = &self.linted.diagnostics;
        if diagnostics.errors() > 0 { Err(refuse(&self.source, diagnostics, shell)) } else { Ok(()) }
    }
}

/// Returns the spec files that `paths` name; a folder stands for the `.ltl` and `.feature` files below it.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Mistake> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            add_below(path, &mut files)?;
            // A mistyped folder would else pass, as nothing in it fails.
            if files.len() == before {
                return Err(Mistake::new(format!(
                    "{}: no .ltl or .feature file in this folder",
                    shown_path(path)
                )));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn add_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Mistake> {
    let cannot_read = |error: io::Error| Mistake::new(format!("cannot read {}: {error}", shown_path(folder)));
    let mut entries: Vec<_> = fs::read_dir(folder).and_then(Iterator::collect).map_err(cannot_read)?;
    // A system lists files in any order, and results must not depend on it.
    sorted::by_key(&mut entries, fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link may lead to a folder above it, so links are not followed.
        let kind = entry.file_type().map_err(cannot_read)?;
        if kind.is_dir() {
            add_below(&path, files)?;
        // Reading a pipe could block for ever; a link to a file is as good as one.
        } else if is_spec_file(&path) && (kind.is_file() || path.is_file()) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_spec_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ltl" || extension == "feature")
}

/// Reads and judges the spec file at `path`, with the actions of `project`.
pub fn read(path: &Path, project: &Project) -> Result<Judged, Mistake> {
    let bytes = read_text_bytes(path)?;
    Ok(match Source::from_bytes(path.display().to_string(), bytes) {
        Ok(source) if sim::is_model(source.text()) => {
            let path = shown_path(path);
            let message = format!(
                "{path} is a model of an app, and no specs; `farlead check SPEC --app {path}` checks specs on it, and `farlead \
                 model check {path}` reads it"
            );
            return Err(Mistake::new(message));
        }
        Ok(source) => judge(source, project),
        Err(not_text) => {
            let diagnostics = Diagnostics::from(not_text.diagnostic);
            let linted = Linted { file: SpecFile::default(), diagnostics, judgements: Vec::new() };
            Judged { source: not_text.source, linted, test: None }
        }
    })
}

/// Reads and judges the spec files at `paths` as [`read`] does, on up to `jobs` threads, and returns them in this order.
pub fn read_all(paths: &[PathBuf], project: &Project, jobs: usize) -> Vec<Result<Judged, Mistake>> {
    if let [path] = paths {
        return vec![read(path, project)];
    }
    let mut all = Vec::with_capacity(paths.len());
    in_order(jobs, paths.len(), |number| read(&paths[number], project), |_, one| all.push(one));
    all
}

/// Reads the stored tests and logs of APE at `paths` on up to `jobs` threads, and hands each in this order to `take`, with
/// what `look` says of it, until that fails. The mistakes of a test are on stderr before it is taken.
pub fn read_tests<T: Send>(
    paths: &[PathBuf],
    jobs: usize,
    shell: &Shell,
    look: impl Fn(&Source, &TestCase) -> T + Sync,
    mut take: impl FnMut(usize, anyhow::Result<(TestCase, T)>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut taken = Ok(());
    let work = |number: usize| {
        let read = read_run_silently(&paths[number]);
        read.map(|test| test.map(|(source, test, warnings)| (look(&source, &test), test, source, warnings)))
    };
    in_order(jobs, paths.len(), work, |number, read| {
        if taken.is_ok() {
            let test = read.and_then(|read| match read {
                Ok((said, test, source, warnings)) => {
                    warn_unless_quiet(&source, &warnings, shell);
                    Ok((test, said))
                }
                Err((source, diagnostics)) => Err(refuse(&source, &diagnostics, shell).into()),
            });
            taken = take(number, test);
        }
    });
    taken
}

/// Judges the specs of `source`, or those of the stored test that it is, with the actions of `project`.
pub fn judge(source: Source, project: &Project) -> Judged {
    // The first line tells a stored test, as its file may have any name.
    if !test_case::is_test(source.text()) {
        return Judged { linted: spec::lint_given(&source, &project.actions), source, test: None };
    }
    let test_case::Read { test, diagnostics } = test_case::read(&source);
    let linted = match &test {
        Some(test) => {
            let mut linted = spec::lint_given(&test_case::specs_alone(&source), &project.actions);
            // The format of the test decides what its specs say without a word.
            for spec in &mut linted.file.specs {
                let kept = test.captured.iter().chain([&test.oracle]).find(|kept| kept.name == spec.name);
                spec.typed = kept.map_or(spec.typed, |kept| kept.typed);
            }
            linted
        }
        // The specs of a broken test are no specs to check by themselves.
        None => Linted { file: SpecFile::default(), diagnostics, judgements: Vec::new() },
    };
    Judged { source, linted, test }
}

/// Reads the stored test at `path`, with its text; writes its mistakes to stderr, if it has any.
pub fn read_test(path: &Path, shell: &Shell) -> anyhow::Result<(Source, TestCase)> {
    said(test_of(path, read_text(path)?)?, shell)
}

/// Text of a run with the test that it is and the warnings, or with its mistakes.
type ReadTest = Result<(Source, TestCase, Diagnostics), (Source, Diagnostics)>;

/// Reads the stored test or the log of APE at `path`, as [`read_test`] does.
pub fn read_run(path: &Path, shell: &Shell) -> anyhow::Result<(Source, TestCase)> {
    said(read_run_silently(path)?, shell)
}

/// Writes the warnings or the mistakes of a run to stderr.
fn said(read: ReadTest, shell: &Shell) -> anyhow::Result<(Source, TestCase)> {
    match read {
        Ok((source, test, warnings)) => {
            warn_unless_quiet(&source, &warnings, shell);
            Ok((source, test))
        }
        Err((source, diagnostics)) => Err(refuse(&source, &diagnostics, shell).into()),
    }
}

fn warn_unless_quiet(source: &Source, warnings: &Diagnostics, shell: &Shell) {
    if !shell.quiet {
        warn(source, warnings, shell);
    }
}

fn read_run_silently(path: &Path) -> anyhow::Result<ReadTest> {
    let source = read_text(path)?;
    if !test_case::is_ape_log(source.text()) {
        return test_of(path, source);
    }
    let (run, diagnostics) = test_case::read_ape_log(&source);
    Ok(match run {
        Some(run) => {
            let identity = run.crash.as_ref().map(|trace| of_trace(trace, &run.package));
            let oracle = identity.map_or_else(any_crash, |identity| never_again(&identity));
            Ok((source, run.into_test(oracle), diagnostics))
        }
        None => Err((source, diagnostics)),
    })
}

fn test_of(path: &Path, source: Source) -> anyhow::Result<ReadTest> {
    if !test_case::is_test(source.text()) {
        let message = format!(
            "{} is no stored test: its first line is not `farlead test {}`; `farlead check` makes one",
            shown_path(path),
            test_case::FORMAT
        );
        return Err(Mistake::new(message).into());
    }
    let test_case::Read { test, diagnostics } = test_case::read(&source);
    Ok(match test {
        Some(test) => Ok((source, test, Diagnostics::default())),
        None => Err((source, diagnostics)),
    })
}

/// Reads the text at `path`, in whatever language it is.
pub fn read_text(path: &Path) -> anyhow::Result<Source> {
    Ok(spec::read_text(path).map_err(|error| Mistake::new(error.to_string()))?)
}

/// Reads the file at `path`.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Mistake> {
    spec::read_bytes(path).map_err(|error| Mistake::new(error.to_string()))
}

/// Reads the file at `path`, which should hold a text.
pub fn read_text_bytes(path: &Path) -> Result<Vec<u8>, Mistake> {
    spec::read_text_bytes(path).map_err(|error| Mistake::new(error.to_string()))
}

/// Refuses to write to `path` if one of `inputs` is there.
pub fn refuse_to_overwrite<'a>(path: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Usage> {
    // A file that is not there yet is none that was read.
    let Ok(output) = path.canonicalize() else { return Ok(()) };
    for input in inputs {
        if input.canonicalize().is_ok_and(|input| input == output) {
            let message = format!("{} is what was read; give another file to write to", shown_path(path));
            return Err(Usage::new(message));
        }
    }
    Ok(())
}

/// Reads the spec file at `path`, with the actions of `project`; writes its mistakes to stderr, if it has any.
pub fn read_sound(path: &Path, project: &Project, shell: &Shell) -> Result<SpecFile, Mistake> {
    let judged = read(path, project)?;
    judged.unless_mistaken(shell)?;
    Ok(judged.linted.file)
}

/// Writes `diagnostics` to stderr, and returns a mistake that needs no message any more.
pub fn refuse(source: &Source, diagnostics: &Diagnostics, shell: &Shell) -> Mistake {
    warn(source, diagnostics, shell);
    Mistake::new(String::new())
}

/// Writes `diagnostics` to stderr.
pub fn warn(source: &Source, diagnostics: &Diagnostics, shell: &Shell) {
    // A closed stderr leaves nobody to tell, so a failed write is no error.
    let _ = write!(io::stderr(), "{}", diagnostics.render(source, shell.stderr));
}
