//! `farlead words`: the sentences of features, each with the formula that it becomes.

use std::io::{BufWriter, Write};

use clap::Args;
use farlead::spec::{MODIFIERS, ModifierPattern, SENTENCES, SentenceKind, SentencePattern, example_of};
use serde::Serialize;

use crate::Exit;
use crate::stdout::out;

/// List the sentences of .feature files, with the formulas that they become.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead words
  farlead words --json               one JSON object a line

Words in quotes and the number 3 stand for any. Words with a `/` between them are alike, and those in
round brackets may be left out. An atom like [text = OK] may take the place of a word in quotes, or of
a whole sentence.

With --json a line has an \"event\": sentence (kind, sentence, example, formula) or modifier (words, of,
meaning).

Exit codes: 0 listed; 2 command line.")]
pub struct WordsArgs {
    /// Write JSON, one object a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    Sentence { kind: &'static str, sentence: &'static str, example: String, formula: &'static str },
    Modifier { words: &'static str, of: &'static str, meaning: &'static str },
}

pub fn run(args: &WordsArgs) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(out());
    if args.json {
        for &SentencePattern { sentence, kind, formula } in SENTENCES {
            let event =
                Event::Sentence { kind: kind.name(), sentence, example: example_of(sentence), formula };
            writeln!(out, "{}", serde_json::to_string(&event)?)?;
        }
        for &ModifierPattern { words, of, meaning } in MODIFIERS {
            writeln!(out, "{}", serde_json::to_string(&Event::Modifier { words, of, meaning })?)?;
        }
        out.flush()?;
        return Ok(Exit::Passed);
    }
    for (kind, head) in [
        (SentenceKind::Start, "The start, step 0 of a run"),
        (SentenceKind::State, "What is given or seen: after Given, When or Then"),
        (SentenceKind::Action, "What is done: after Given or When"),
    ] {
        writeln!(out, "{head}")?;
        for pattern in SENTENCES.iter().filter(|pattern| pattern.kind == kind) {
            writeln!(out, "  {}", pattern.sentence)?;
            if !pattern.formula.is_empty() {
                writeln!(out, "      {}", pattern.formula)?;
            }
        }
        writeln!(out)?;
    }
    writeln!(out, "Words before or after a sentence")?;
    for ModifierPattern { words, of, meaning } in MODIFIERS {
        writeln!(out, "  {words} (of {of}): {meaning}")?;
    }
    out.flush()?;
    Ok(Exit::Passed)
}
