//! The prompts in farlead.toml: windows of the system that are answered or left alone.

use farlead::device::android::prompt::{Prompt, Prompts, Reply};
use farlead::spec::Source;
use serde::Deserialize;
use toml::Spanned;

use super::place;
use crate::Mistake;

/// Most prompts of a project: each is compared with every screen of another app.
pub const PROMPTS_MAX: usize = 100;

/// A prompt as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenPrompt {
    package: Option<String>,
    says: Option<String>,
    press: Option<String>,
    #[serde(default)]
    leave: bool,
}

/// Returns the prompts that are written in `source`.
pub fn read(source: &Source, written: &[Spanned<WrittenPrompt>]) -> Result<Prompts, Mistake> {
    let prompts: Result<Vec<Prompt>, Mistake> = written.iter().map(|prompt| one(source, prompt)).collect();
    Ok(Prompts::new(prompts?))
}

fn one(source: &Source, written: &Spanned<WrittenPrompt>) -> Result<Prompt, Mistake> {
    let WrittenPrompt { package, says, press, leave } = written.get_ref();
    let texts = [package, says, press];
    let is_whole = texts.into_iter().flatten().all(|text| !text.is_empty());
    let reply = match (package, press, leave) {
        (_, None, true) => Reply::Leave,
        // A button of any package could be one of an app that is tested next.
        (Some(_), Some(button), false) => Reply::Press(button.as_str().into()),
        _ => return Err(mistake(source, written)),
    };
    if !is_whole {
        return Err(mistake(source, written));
    }
    let shared = |text: &Option<String>| text.as_deref().map(Into::into);
    Ok(Prompt { package: shared(package), says: shared(says), reply })
}

fn mistake(source: &Source, written: &Spanned<WrittenPrompt>) -> Mistake {
    let place = place(source, written.span());
    Mistake::new(format!(
        "{place}: a prompt has `package = \"..\"` and `press = \"..\"`, or `leave = true`; `says = \"..\"` may be with both"
    ))
}
