//! Exports: a stored test as a Maestro flow, a UI Automator test in Kotlin, a shell script for adb, an Appium test in Python, or a
//! Playwright test in TypeScript.
//!
//! An export is kept and read without farlead. What a format cannot do is named twice: as a comment at the step, and as a
//! note to the user who exports. A test becomes a list of commands first, in `commands`, which each format prints. Writing
//! files is for the shell.

mod adb;
mod appium;
mod commands;
mod element;
mod java;
mod javascript;
mod locate;
mod maestro;
mod on_page;
mod page;
mod playwright;
mod sight;
mod uiautomator;

use crate::deflated;
use crate::spec::Spec;
use crate::test_case::TestCase;
use on_page::is_of_page;
use page::{Page, one_line};

/// Characters of a package in a message.
const PACKAGE_CHARS_MAX: usize = 200;

/// A format to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A flow for Maestro.
    Maestro,
    /// A test for androidx.test.uiautomator, in Kotlin.
    UiAutomator,
    /// A script for any POSIX shell that needs adb.
    Adb,
    /// A test for pytest with Appium's client, in Python.
    Appium,
    /// A test of a page for Playwright, in TypeScript.
    Playwright,
}

/// An exported test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The whole of the file.
    pub text: String,
    /// Differences from the test, a sentence each, with the step. The text has them as comments too.
    pub notes: Vec<String>,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 5] =
        [Target::Maestro, Target::UiAutomator, Target::Adb, Target::Appium, Target::Playwright];

    /// Returns the name of the target, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Target::Maestro => "maestro",
            Target::UiAutomator => "uiautomator",
            Target::Adb => "adb",
            Target::Appium => "appium",
            Target::Playwright => "playwright",
        }
    }

    /// Returns the target written `name`.
    pub fn parse(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns true if it takes tests of pages, and false if it takes those of apps on phones.
    pub fn is_for_pages(self) -> bool {
        match self {
            Target::Playwright => true,
            Target::Maestro | Target::UiAutomator | Target::Adb | Target::Appium => false,
        }
    }

    /// Returns the name for the file of `test`, which in Kotlin is that of the class, and which the tools look for.
    pub fn file_name(self, test: &TestCase) -> String {
        let class = uiautomator::class_name(&test.oracle.name);
        let stem = || class.strip_suffix("Test").unwrap_or(&class);
        match self {
            Target::Maestro => format!("{}.yaml", dashed(&class, '-')),
            Target::UiAutomator => format!("{class}.kt"),
            Target::Adb => format!("{}.sh", dashed(&class, '-')),
            Target::Appium => format!("test_{}.py", dashed(stem(), '_')),
            Target::Playwright => format!("{}.spec.ts", dashed(stem(), '-')),
        }
    }
}

/// A test that a format does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The test was found on a page.
    #[error(
        "the test was found on a page, {package}, and {} drives apps on phones: export it with `--to playwright`", to.name()
    )]
    OfPage {
        /// The format.
        to: Target,
        /// Origin of the page.
        package: String,
    },
    /// The test was found on a phone.
    #[error(
        "the test was found in an app on a phone, {package}, and {} drives pages: export it with `--to` and one of {}", to.name(), for_phones()
    )]
    OfPhone {
        /// The format.
        to: Target,
        /// Package of the app.
        package: String,
    },
}

fn for_phones() -> String {
    let names: Vec<&str> = Target::ALL.iter().filter(|to| !to.is_for_pages()).map(|to| to.name()).collect();
    names.join(", ")
}

/// Returns `test` in the format of `to`; refuses a test of a page for a tool of phones, and the other way round.
///
/// The same test gives the same text. Hostile names in it are escaped.
pub fn export(test: &TestCase, to: Target) -> Result<Exported, ExportError> {
    let package = || one_line(&test.provenance.package, PACKAGE_CHARS_MAX);
    match (is_of_page(test), to.is_for_pages()) {
        (true, false) => return Err(ExportError::OfPage { to, package: package() }),
        (false, true) => return Err(ExportError::OfPhone { to, package: package() }),
        (true, true) | (false, false) => {}
    }
    Ok(match to {
        Target::Maestro => maestro::print(test),
        Target::UiAutomator => uiautomator::print(test),
        Target::Adb => adb::print(test),
        Target::Appium => appium::print(test),
        Target::Playwright => playwright::print(test),
    })
}

/// Writes the origin and the purpose of the test, as comments.
fn write_head(page: &mut Page, test: &TestCase, how: &[&str]) {
    let from = &test.provenance;
    page.comment(&format!("Made by farlead {} from a test it keeps.", from.farlead));
    how.iter().for_each(|line| page.comment(line));
    page.comment("");
    page.comment("What the run was found for:");
    write_spec(page, &test.oracle);
    if let Some(captured) = &test.captured {
        page.comment("What captures it, step by step:");
        write_spec(page, captured);
    }
    let app = from.app.join(" ");
    let facts = [
        ("app", joined(&[&from.package, &from.version])),
        ("in farlead", app),
        ("device", from.device.clone()),
        ("spec", from.spec.clone()),
        ("found by", from.agent.clone()),
        ("seed", from.seed.to_string()),
    ];
    for (what, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        page.comment(&format!("{what}: {value}"));
    }
    page.comment(&format!("search: {} episodes, {} steps", from.episodes, from.steps));
    page.comment(&format!("steps: {} of the {} it was found with", test.steps.len(), from.found_steps));
    page.comment(&format!("did it again: {} of {} times", from.confirmed.passes, from.confirmed.runs));
}

fn write_spec(page: &mut Page, spec: &Spec) {
    for line in spec.to_string().lines() {
        page.comment(&format!("    {line}"));
    }
}

fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().filter(|part| !part.is_empty()).copied().collect();
    parts.join(" ")
}

/// Returns `GoToAboutTest` as `go-to-about-test`, with `dash` between the words.
fn dashed(class: &str, dash: char) -> String {
    let mut dashed = String::new();
    for char in class.chars() {
        if char.is_ascii_uppercase() && !dashed.is_empty() {
            dashed.push(dash);
        }
        dashed.push(char.to_ascii_lowercase());
    }
    dashed
}

/// Returns the parts of `library` that `body` calls, directly or through other parts, in their order. A part starts after a
/// line with `sign` and its name.
fn used(library: &[u8], sign: &str, body: &str, quotes: Quotes) -> String {
    let library = deflated::text(library);
    let parts: Vec<(&str, &str)> = library
        .split(&format!("\n{sign}"))
        .map(|part| part.trim_start_matches(sign).split_once('\n').unwrap_or_default())
        .collect();
    let codes: Vec<String> = parts.iter().map(|(_, part)| code_of(part, quotes)).collect();
    let body = code_of(body, quotes);
    let mut is_used: Vec<bool> = parts.iter().map(|(name, _)| has_word(&body, name)).collect();
    // Parts call parts, so go on until no part is added.
    while let Some(next) = (0..parts.len()).find(|&at| {
        let calls_it = |other: usize| is_used[other] && has_word(&codes[other], parts[at].0);
        !is_used[at] && (0..parts.len()).any(calls_it)
    }) {
        is_used[next] = true;
    }
    let kept = parts.iter().zip(is_used).filter(|(_, is_used)| *is_used);
    kept.map(|((_, part), _)| format!("{}\n", part.trim_end_matches('\n'))).collect()
}

/// Quotes around the texts of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    /// Single quotes without escapes.
    Shell,
    Single,
    Double,
}

/// Returns `text` without its comments and quoted texts.
fn code_of(text: &str, quotes: Quotes) -> String {
    let quote = match quotes {
        Quotes::Shell | Quotes::Single => '\'',
        Quotes::Double => '"',
    };
    let mut code = String::new();
    // A comment may name functions that no code calls.
    let is_comment = |line: &&str| line.trim_start().starts_with(['#', '/']);
    for line in text.lines().filter(|line| !is_comment(line)) {
        let mut is_quoted = false;
        let mut chars = line.chars();
        while let Some(char) = chars.next() {
            match char {
                '\\' if !is_quoted || quotes != Quotes::Shell => {
                    chars.next();
                }
                _ if char == quote => is_quoted = !is_quoted,
                _ if !is_quoted => code.push(char),
                _ => {}
            }
        }
        code.push('\n');
    }
    code
}

/// Returns true if `text` has `word` as a whole word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}
