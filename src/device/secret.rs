//! Secrets: texts of the environment that only the app gets to see.
//!
//! Everywhere in farlead a secret is its reference, as in `${PASSWORD}`. A device that is sealed puts the value in the place
//! of the reference when it types, and the reference in the place of the value in all that it reports. So no event, test,
//! report or message can hold the value: nothing outside the device ever has it. The letters `${PASSWORD}` themselves are
//! written `\${PASSWORD}`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{Ask, BoxedDevice, Decorator, Device, DeviceError, Notice, Observation};
use crate::gui::{Action, Flags, Gesture, PageReport, Pixels, Screen, UserAction, Widget};
use crate::sorted;

/// A place in a text where a secret is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// Name of the variable.
    pub name: &'a str,
    /// Range of the reference, with the backslash before it if there is one.
    pub range: Range<usize>,
    /// True if a backslash makes letters of it.
    pub is_escaped: bool,
}

/// Returns the references in `text`: `${NAME}` with a name of ASCII letters, digits and `_`.
pub fn references(text: &str) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("${").map(|offset| at + offset) {
        let rest = &text[start + 2..];
        let length =
            rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len());
        let is_name = !rest.is_empty() && rest[length..].starts_with('}') && length > 0;
        if !is_name || rest.starts_with(|char: char| char.is_ascii_digit()) {
            at = start + 2;
            continue;
        }
        let (end, is_escaped) = (start + 2 + length + 1, text[..start].ends_with('\\'));
        let range = start - usize::from(is_escaped)..end;
        found.push(Reference { name: &rest[..length], range, is_escaped });
        at = end;
    }
    found
}

/// The secrets of a run, by their names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    /// Value of each name, the longest first; `None` for a name that only stands for its letters.
    named: Vec<(String, Option<String>)>,
}

/// Names alone: a value must not reach any output.
impl fmt::Debug for Secrets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.named.iter().map(|(name, _)| name)).finish()
    }
}

impl Secrets {
    /// Returns secrets of these names and values; an empty value is none.
    pub fn new(named: impl IntoIterator<Item = (String, Option<String>)>) -> Secrets {
        let mut named: Vec<(String, Option<String>)> =
            named.into_iter().map(|(name, value)| (name, value.filter(|value| !value.is_empty()))).collect();
        // A value may be part of another, of which nothing must be left.
        let length = |value: &Option<String>| value.as_ref().map_or(0, String::len);
        sorted::by(&mut named, |one, other| {
            length(&other.1).cmp(&length(&one.1)).then_with(|| one.0.cmp(&other.0))
        });
        Secrets { named }
    }

    /// Returns the secrets in all forms in which a phone's answer may have them: as they are, in XML, in JSON, and XML in JSON.
    pub(super) fn in_other_forms(&self) -> Secrets {
        let in_xml = |text: &str| -> String {
            let escape = |char: char| match char {
                '&' => "&amp;".to_string(),
                '<' => "&lt;".to_string(),
                '>' => "&gt;".to_string(),
                '"' => "&quot;".to_string(),
                char => char.to_string(),
            };
            text.chars().map(escape).collect()
        };
        let in_json = |text: &str| {
            let quoted = serde_json::Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_string()
        };
        Secrets::new(self.named.iter().flat_map(|(name, value)| {
            let forms = value.as_ref().map(|value| {
                let xml = in_xml(value);
                [value.clone(), xml.clone(), in_json(value), in_json(&xml)]
            });
            let forms = forms.map_or_else(|| vec![None], |forms| forms.map(Some).to_vec());
            forms.into_iter().map(|form| (name.clone(), form))
        }))
    }

    /// Returns the name of the first secret whose value is in `text`, if there is one.
    pub fn name_in(&self, text: &str) -> Option<&str> {
        let is_in = |value: &Option<String>| value.as_ref().is_some_and(|value| text.contains(&**value));
        self.named.iter().find(|(_, value)| is_in(value)).map(|(name, _)| &**name)
    }

    /// Returns `text` as the app gets it.
    pub fn revealed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let known = |name: &str| self.named.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let mut revealed = String::new();
        let mut at = 0;
        for Reference { name, range, is_escaped } in references(text) {
            let Some(value) = known(name) else { continue };
            let Some(put) = (match (is_escaped, value) {
                (true, _) => Some(&text[range.start + 1..range.end]),
                (false, value) => value.as_deref(),
            }) else {
                continue;
            };
            revealed.push_str(&text[at..range.start]);
            revealed.push_str(put);
            at = range.end;
        }
        if at == 0 {
            return Cow::Borrowed(text);
        }
        revealed.push_str(&text[at..]);
        Cow::Owned(revealed)
    }

    /// Returns `text` with references in the place of values, and a backslash before letters that look like one.
    pub fn hidden<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut hidden = String::new();
        let (mut at, mut done) = (0, 0);
        while at < text.len() {
            let rest = &text[at..];
            let is_value = |(_, value): &&(String, Option<String>)| {
                value.as_ref().is_some_and(|value| rest.starts_with(&**value))
            };
            let found = self
                .named
                .iter()
                .find(is_value)
                .map(|(name, value)| (format!("${{{name}}}"), value.as_ref().map_or(0, String::len)));
            let found = found.or_else(|| {
                let letters = |name: &str| format!("${{{name}}}");
                let (name, _) = self.named.iter().find(|(name, _)| rest.starts_with(&letters(name)))?;
                Some((format!("\\{}", letters(name)), letters(name).len()))
            });
            match found {
                Some((put, length)) => {
                    hidden.push_str(&text[done..at]);
                    hidden.push_str(&put);
                    at += length;
                    done = at;
                }
                None => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        hidden.push_str(&text[done..]);
        Cow::Owned(hidden)
    }

    /// Returns `action` as the app gets it.
    pub fn reveal<'a>(&self, action: &'a Action) -> Cow<'a, Action> {
        match action {
            Action::Text { on, text } => match self.revealed(text) {
                Cow::Borrowed(_) => Cow::Borrowed(action),
                Cow::Owned(text) => Cow::Owned(Action::Text { on: on.clone(), text: text.into() }),
            },
            Action::User { action: own, on } => {
                let reveal = |gesture: &Gesture| match gesture {
                    Gesture::Text(text) => Gesture::Text(self.revealed(text).into_owned()),
                    other => other.clone(),
                };
                let gestures = own.gestures.iter().map(reveal).collect();
                let own = UserAction { gestures, ..UserAction::clone(own) };
                Cow::Owned(Action::User { action: Arc::new(own), on: on.clone() })
            }
            Action::Reinitialise(_) | Action::Touch(..) | Action::Stroke(..) | Action::Device(_) => {
                Cow::Borrowed(action)
            }
        }
    }

    /// Returns `screen` without values; the same `Arc` if it has none.
    pub fn hide_on(&self, screen: &Arc<Screen>) -> Arc<Screen> {
        let is_touched = |widget: &Widget| {
            [&widget.text, &widget.desc].into_iter().any(|text| matches!(self.hidden(text), Cow::Owned(_)))
                || self.behind_dots(widget).is_some()
        };
        let crash: Option<Arc<str>> = screen.crash().map(|crash| self.hidden(crash).into());
        let report = screen.report().and_then(|report| {
            let console = report.console.as_ref().map(|console| self.hidden(console).into());
            PageReport::of(console, report.status)
        });
        let hide = |(at, sample): &(u32, Arc<str>)| (*at, self.hidden(sample).into());
        let samples: Vec<(u32, Arc<str>)> = screen.all_samples().iter().map(hide).collect();
        let is_bare = crash.as_ref() == screen.crash()
            && report.as_ref() == screen.report()
            && *samples == *screen.all_samples();
        if is_bare && !screen.widgets().iter().any(is_touched) {
            return screen.clone();
        }
        let hide = |widget: &Widget| {
            let text = self.behind_dots(widget).unwrap_or_else(|| self.hidden(&widget.text).into());
            Widget { text, desc: self.hidden(&widget.desc).into(), ..widget.clone() }
        };
        let widgets = screen.widgets().iter().map(hide).collect();
        screen.with_widgets(widgets).with_crash(crash).with_report(report).with_samples(samples).into()
    }

    /// Returns the reference for a password field with as many dots as a value has letters: their number is a part of
    /// the secret too.
    fn behind_dots(&self, widget: &Widget) -> Option<Arc<str>> {
        let first = widget.text.chars().next().filter(|char| !char.is_alphanumeric())?;
        if !widget.flags.has(Flags::PASSWORD) || widget.text.chars().any(|char| char != first) {
            return None;
        }
        let dots = widget.text.chars().count();
        let is_as_long =
            |value: &Option<String>| value.as_ref().is_some_and(|value| value.chars().count() == dots);
        let (name, _) = self.named.iter().find(|(_, value)| is_as_long(value))?;
        Some(format!("${{{name}}}").into())
    }

    /// Returns `notices` without values.
    pub fn hide_in(&self, notices: &Arc<[Notice]>) -> Arc<[Notice]> {
        let hide = |text: &Arc<str>| -> Arc<str> { self.hidden(text).into() };
        let hidden = notices.iter().map(|notice| match notice {
            Notice::Toast(text) => Notice::Toast(hide(text)),
            Notice::Crash(text) => Notice::Crash(hide(text)),
            Notice::Anr(text) => Notice::Anr(hide(text)),
            Notice::Prompt(text) => Notice::Prompt(hide(text)),
            Notice::Field(text) => Notice::Field(hide(text)),
        });
        if notices.is_empty() { notices.clone() } else { hidden.collect() }
    }

    /// Returns `error` without values.
    pub fn hide_error(&self, error: DeviceError) -> DeviceError {
        // Sources may say what their messages leave out.
        let mut said = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            said += &cause.to_string();
            source = cause.source();
        }
        if self.name_in(&said).is_none() {
            return error;
        }
        let message = self.hidden(&error.to_string()).into_owned();
        match error {
            DeviceError::Lost { .. } | DeviceError::Faulty { .. } | DeviceError::NoneLeft { .. } => {
                DeviceError::Lost { source: message.into() }
            }
            DeviceError::Model { model, message } => {
                DeviceError::Model { model, message: self.hidden(&message).into_owned() }
            }
            DeviceError::Refused { .. } | DeviceError::SetUp { .. } => {
                DeviceError::Refused { source: message.into() }
            }
        }
    }
}

/// A device that keeps secrets to itself.
pub struct Sealed {
    inner: BoxedDevice,
    secrets: Arc<Secrets>,
    /// The screen that was hidden last, before and after: a device may give the same `Arc` again.
    last: Option<(Arc<Screen>, Arc<Screen>)>,
    /// True if the last notices held a value.
    is_secret_shown: bool,
}

impl Sealed {
    /// Wraps `inner`, which alone gets the values of `secrets`.
    pub fn new(inner: BoxedDevice, secrets: Arc<Secrets>) -> Sealed {
        Sealed { inner, secrets, last: None, is_secret_shown: false }
    }

    fn hidden(&mut self, seen: Result<Observation, DeviceError>) -> Result<Observation, DeviceError> {
        let seen = seen.map_err(|error| self.secrets.hide_error(error))?;
        let Observation { screen, notices, .. } = &seen;
        let hidden = match &self.last {
            Some((before, hidden)) if Arc::ptr_eq(before, screen) => hidden.clone(),
            Some(_) | None => self.secrets.hide_on(screen),
        };
        self.last = Some((screen.clone(), hidden.clone()));
        let notices = self.secrets.hide_in(notices);
        self.is_secret_shown = notices != seen.notices;
        Ok(Observation { screen: hidden, notices, ..seen })
    }
}

impl Decorator for Sealed {
    fn inner(&self) -> &dyn Device {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut *self.inner
    }

    fn picture(&mut self) -> Option<Pixels> {
        let (screen, hidden) = self.last.as_ref()?;
        // A keyboard proposes words that were typed.
        if self.is_secret_shown || screen.context().keyboard {
            return None;
        }
        let mut pixels = self.inner.picture()?;
        for (widget, hidden) in screen.widgets().iter().zip(hidden.widgets()) {
            if widget.text != hidden.text || widget.desc != hidden.desc {
                pixels.black_out(widget.bounds);
            }
        }
        Some(pixels)
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        let seen = match ask {
            Ask::Act(action) => self.inner.act(&self.secrets.reveal(action)),
            other => other.of(&mut *self.inner),
        };
        self.hidden(seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        let value = |name: &str, value: &str| (name.to_string(), Some(value.to_string()));
        Secrets::new([value("PASSWORD", "hunter2"), value("PIN", "hunter"), ("HOME".to_string(), None)])
    }

    #[test]
    fn a_reference_is_a_name_in_braces_and_a_backslash_makes_letters_of_it() {
        let found = |text: &str| -> Vec<(String, bool)> {
            references(text).into_iter().map(|one| (one.name.to_string(), one.is_escaped)).collect()
        };
        assert_eq!(
            found("a ${B_1} \\${C}${D}"),
            [("B_1", false), ("C", true), ("D", false)].map(|(name, is)| (name.to_string(), is))
        );
        for text in ["", "$", "${", "${}", "${1}", "${a b}", "${a", "$ {a}", "{a}", "${é}"] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_hidden_is_revealed_again_and_has_no_value_in_it() {
        let secrets = secrets();
        for (shown, hidden) in [
            ("hello hunter2!", "hello ${PASSWORD}!"),
            ("hunter, hunter2hunter2", "${PIN}, ${PASSWORD}${PASSWORD}"),
            ("${PASSWORD} and ${HOME}", "\\${PASSWORD} and \\${HOME}"),
            ("${OTHER} of hunting", "${OTHER} of hunting"),
            ("", ""),
        ] {
            assert_eq!(secrets.hidden(shown), hidden);
            assert_eq!(secrets.revealed(hidden), shown);
            assert_eq!(secrets.name_in(hidden), None);
        }
        assert_eq!(format!("{secrets:?}"), "[\"PASSWORD\", \"PIN\", \"HOME\"]");
    }

    #[test]
    fn dots_do_not_tell_the_length_of_a_secret() {
        let field = |text: &str, flags: Flags| Widget { text: text.into(), flags, ..Widget::default() };
        let behind = |text: &str, flags: Flags| secrets().behind_dots(&field(text, flags));
        assert_eq!(behind("•••••••", Flags::PASSWORD).as_deref(), Some("${PASSWORD}"));
        assert_eq!(behind("••••••••", Flags::PASSWORD), None);
        assert_eq!(behind("•••••••", Flags::default()), None);
        assert_eq!(behind("aaaaaaa", Flags::PASSWORD), None);
    }

    #[test]
    fn an_error_loses_the_value_and_nothing_else() {
        let lost = |text: &str| DeviceError::Lost { source: text.into() };
        let hidden = secrets().hide_error(lost("`input text hunter2` failed"));
        assert_eq!(hidden.to_string(), "`input text ${PASSWORD}` failed");
        assert!(hidden.is_lost());
        assert_eq!(secrets().hide_error(lost("gone")).to_string(), "gone");
    }
}
