//! What was learned of an app, as the text of a file that the next run starts from.
//!
//! `docs/formats.md` shows its lines. What is read is measured before it is kept, and what is wrong is said with its
//! line. Where the file lies, and which app it has to be of, is for the shell to say.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::episode::Labeling;
use crate::experience::{self, Experience, Link};
use crate::gui::{ActionRecord, Identity, Screen};

/// The version of the format that is written.
pub const VERSION: u64 = 1;

/// The most actions of which it is kept what they were worth.
pub const LABELINGS_MAX: usize = 1_000_000;

/// An action is called by its text, its description, its id and its detail, and no more than this.
const NAMES_MAX: usize = 16;

/// What the first line calls a file of this kind.
const KIND: &str = "learned";

/// What was learned of an app.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// Of which app; the first release did not say it.
    pub app: Option<LearnedApp>,
    /// What actions were worth in both tables, by what they are called.
    pub labelings: BTreeMap<Labeling, [f64; 2]>,
    /// What was done and seen.
    pub experience: Experience,
}

/// An app of which something was learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedApp {
    /// Its package.
    #[serde(rename = "app")]
    pub package: Arc<str>,
    /// Its version, as its makers call it.
    pub version: Arc<str>,
}

/// Why a text is not what was learned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {message}")]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    farlead: String,
    version: u64,
}

/// A line on what actions of a name were worth.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelingLine {
    #[serde(rename = "type")]
    action_type: String,
    #[serde(deserialize_with = "few_names")]
    names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    typed: Option<String>,
    values: [f64; 2],
}

/// A line with a screen.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScreenLine<S> {
    screen: usize,
    seen: S,
}

/// A line with a step: a history that goes on from another, or from the start.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepLine<D> {
    step: usize,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    after: Option<usize>,
    action: D,
    screen: usize,
    #[serde(skip_serializing_if = "is_zero", default)]
    ended: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Learned {
    /// Returns what `text` holds.
    ///
    /// ```
    /// use farlead::learned::Learned;
    ///
    /// let learned = Learned::read("{\"farlead\":\"learned\",\"version\":1}\n").expect("a first line alone");
    /// assert!(learned.experience.is_empty());
    /// assert_eq!(Learned::read("[]").unwrap_err().line, 1);
    /// ```
    pub fn read(text: &str) -> Result<Learned, Mistake> {
        let mut reader = Reader::default();
        for (line, text) in (1..).zip(text.lines()) {
            reader.line(line, text).map_err(|message| Mistake { line, message })?;
        }
        let Learned { app, labelings, experience } = reader.learned;
        Ok(Learned { app, labelings, experience: experience.grown_old() })
    }

    /// Adds what actions were worth since: of one that is known, what is said now counts.
    pub fn add(&mut self, labelings: impl IntoIterator<Item = (Labeling, [f64; 2])>) {
        for (labeling, values) in labelings {
            if self.labelings.len() < LABELINGS_MAX || self.labelings.contains_key(&labeling) {
                self.labelings.insert(labeling, values);
            }
        }
    }

    /// Returns the text that holds it, the same for the same content however that was come by.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        push_line(&mut text, &Header { farlead: KIND.to_string(), version: VERSION });
        if let Some(app) = &self.app {
            push_line(&mut text, app);
        }
        for (Labeling { action_type, names, typed }, &values) in &self.labelings {
            let (action_type, names, typed) = (action_type.clone(), names.clone(), typed.clone());
            push_line(&mut text, &LabelingLine { action_type, names, typed, values });
        }
        let mut screens: BTreeMap<Identity, usize> = BTreeMap::new();
        for (step, link) in self.experience.links().enumerate() {
            let Link { before, deed, screen: seen, times } = link;
            let next = screens.len();
            let screen = *screens.entry(seen.identity()).or_insert(next);
            if screen == next {
                push_line(&mut text, &ScreenLine { screen, seen: &**seen });
            }
            push_line(&mut text, &StepLine { step, after: before, action: deed, screen, ended: times });
        }
        text
    }
}

fn push_line(text: &mut String, line: &impl Serialize) {
    *text += &serde_json::to_string(line).expect("texts and numbers are JSON");
    text.push('\n');
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    learned: Learned,
    has_header: bool,
    screens: Vec<Arc<Screen>>,
    /// How many widgets the screens have, and how many bytes their texts.
    widgets: usize,
    bytes: usize,
    /// The places of the steps in the experience.
    steps: Vec<usize>,
}

impl Reader {
    fn line(&mut self, number: usize, text: &str) -> Result<(), String> {
        let FirstKey(key) = parse(text)?;
        match &*key {
            "farlead" if number == 1 => self.header(text),
            "type" | "names" | "typed" | "values" => self.labeling(parse(text)?),
            "app" | "screen" | "step" if !self.has_header => Err(format!(
                "without a first line `{{\"farlead\":\"{KIND}\",\"version\":{VERSION}}}` there is no `{key}`"
            )),
            "app" => match self.learned.app.replace(parse(text)?) {
                Some(_) => Err("the app is said twice".to_string()),
                None => Ok(()),
            },
            "screen" => self.screen(parse(text)?),
            "step" => self.step(parse(text)?),
            _ => Err(unknown(&format!("there are no lines that start with `{key}` here"))),
        }
    }

    fn header(&mut self, text: &str) -> Result<(), String> {
        let Header { farlead, version } = parse(text)?;
        if farlead != KIND {
            return Err(unknown(&format!("this is `{farlead}`, and not what was learned")));
        }
        if version > VERSION {
            return Err(format!(
                "this is version {version} of the format, and this farlead reads version {VERSION}: use a newer farlead, or \
                 another file"
            ));
        }
        self.has_header = true;
        Ok(())
    }

    fn labeling(&mut self, line: LabelingLine) -> Result<(), String> {
        let LabelingLine { action_type, names, typed, values } = line;
        self.learned.labelings.insert(Labeling { action_type, names, typed }, values);
        if self.learned.labelings.len() > LABELINGS_MAX {
            return Err(format!("these are more than {LABELINGS_MAX} actions"));
        }
        Ok(())
    }

    fn screen(&mut self, line: ScreenLine<Screen>) -> Result<(), String> {
        in_turn("screen", line.screen, self.screens.len())?;
        let (widgets, bytes) = experience::size(&line.seen);
        self.widgets += widgets;
        self.bytes += bytes;
        if self.screens.len() >= experience::HISTORIES_MAX
            || self.widgets > experience::WIDGETS_MAX
            || self.bytes > experience::BYTES_MAX
        {
            return Err(too_much());
        }
        self.screens.push(Arc::new(line.seen));
        Ok(())
    }

    fn step(&mut self, line: StepLine<ActionRecord>) -> Result<(), String> {
        in_turn("step", line.step, self.steps.len())?;
        let before = match line.after {
            None => None,
            Some(after) => Some(*self.steps.get(after).ok_or_else(|| {
                format!("step {} comes after step {after}, which is not among those before it", line.step)
            })?),
        };
        let Some(screen) = self.screens.get(line.screen) else {
            return Err(format!("there is no screen {} before this line", line.screen));
        };
        let place = self.learned.experience.link(before, line.action, screen, line.ended);
        self.steps.push(place.ok_or_else(too_much)?);
        Ok(())
    }
}

fn in_turn(what: &str, number: usize, expected: usize) -> Result<(), String> {
    if number == expected {
        Ok(())
    } else {
        Err(format!("this is {what} {number}, and {what} {expected} is next"))
    }
}

fn too_much() -> String {
    format!(
        "this is more than is kept: {} steps, and {} widgets with {} MB of texts",
        experience::HISTORIES_MAX,
        experience::WIDGETS_MAX,
        experience::BYTES_MAX >> 20
    )
}

fn unknown(what: &str) -> String {
    format!("{what}; was this file written by `--learned`?")
}

fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, String> {
    // The line of the file is said by whoever counts them.
    let message = |error: serde_json::Error| error.to_string().replace(" at line 1 column", " at column");
    serde_json::from_str(line).map_err(|error| unknown(&message(error)))
}

/// The first key of an object, which says what kind of line it is.
struct FirstKey(String);

impl<'de> Deserialize<'de> for FirstKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FirstKey, D::Error> {
        deserializer.deserialize_map(FirstKeyVisitor)
    }
}

struct FirstKeyVisitor;

impl<'de> Visitor<'de> for FirstKeyVisitor {
    type Value = FirstKey;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FirstKey, A::Error> {
        let key = map.next_key()?.ok_or_else(|| de::Error::custom("an object without keys"))?;
        map.next_value::<IgnoredAny>()?;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(FirstKey(key))
    }
}

fn few_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_seq(NamesVisitor)
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Vec<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of names")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element()? {
            if names.len() == NAMES_MAX {
                return Err(de::Error::custom(format_args!("an action has at most {NAMES_MAX} names")));
            }
            names.push(name);
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gui::{Action, Bounds, Context, Direction, Flags, Stroke, Target, Touch, Widget};

    const HEADER: &str = "{\"farlead\":\"learned\",\"version\":1}\n";
    const SCREEN: &str = r#"{"screen":0,"seen":{"package":"p","activity":"p.A","widgets":[{"text":"a"}]}}"#;
    const START: &str =
        r#"{"step":0,"action":{"type":"reinitialise","activity":"p.A"},"screen":0,"ended":2}"#;
    const BACK: &str = r#"{"step":1,"after":0,"action":{"type":"back"},"screen":0,"ended":1}"#;
    const VALUES: &str = r#"{"type":"click","names":["a","",""],"values":[0.5,-0.25]}"#;

    fn file(lines: &[&str]) -> String {
        HEADER.to_string() + &lines.iter().map(|line| format!("{line}\n")).collect::<String>()
    }

    #[track_caller]
    fn refused(lines: &[&str], line: usize, part: &str) {
        let mistake = Learned::read(&file(lines)).expect_err("this is to be refused");
        assert!(mistake.line == line && mistake.message.contains(part), "{mistake}");
    }

    #[test]
    fn what_is_read_is_written_as_it_was() {
        let text = file(&[r#"{"app":"p","version":"1.2"}"#, VALUES, SCREEN, START, BACK]);
        let learned = Learned::read(&text).expect("a file");
        assert_eq!(learned.to_text(), text);
        assert_eq!((learned.labelings.len(), learned.experience.steps()), (1, 4));
        assert_eq!(learned.app.map(|app| app.version), Some("1.2".into()));
    }

    #[test]
    fn a_file_of_the_first_release_has_values_alone() {
        let old = Learned::read(&format!("{VALUES}\n")).expect("a file");
        assert_eq!((old.labelings.len(), old.app.clone()), (1, None));
        assert_eq!(old.to_text(), file(&[VALUES]));
        assert!(Learned::read("").expect("an empty file").labelings.is_empty());
        let mistake = Learned::read(SCREEN).expect_err("without a first line");
        assert!(mistake.message.contains("without a first line"), "{mistake}");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        refused(&["", START], 2, "EOF");
        refused(&["[]"], 2, "expected an object");
        refused(&["{}"], 2, "an object without keys");
        refused(&[HEADER.trim_end()], 2, "no lines that start with `farlead`");
        refused(&[r#"{"foo":1}"#], 2, "was this file written by `--learned`?");
        refused(&[r#"{"app":"p","version":"1"}"#, r#"{"app":"p","version":"1"}"#], 3, "said twice");
        refused(&[START], 2, "there is no screen 0");
        refused(&[BACK], 2, "this is step 1, and step 0 is next");
        refused(&[SCREEN, SCREEN], 3, "this is screen 0, and screen 1 is next");
        refused(&[SCREEN, &BACK.replace("\"step\":1", "\"step\":0")], 3, "comes after step 0");
        refused(&[SCREEN, &START.replace("activity", "active")], 3, "unknown field `active`");
        refused(&[SCREEN, &START.replace(":2}", ":-2}")], 3, "invalid value");
        refused(&[&SCREEN.replace("text", "txet")], 2, "unknown field `txet`");
        refused(&[&VALUES.replace("0.5", "1e999")], 2, "number out of range");
        let names = format!("[{}\"\"]", "\"\",".repeat(NAMES_MAX));
        refused(&[&VALUES.replace(r#"["a","",""]"#, &names)], 2, "at most 16 names");
        refused(&[&"[".repeat(1_000_000)], 2, "expected an object");
        refused(&[&format!("{{\"screen\":{}", "[".repeat(1_000_000))], 2, "EOF");
    }

    #[test]
    fn what_is_of_another_kind_or_of_later_is_refused() {
        for (header, part) in [
            (r#"{"farlead":"learned","version":2,"new":[]}"#, "use a newer farlead"),
            (r#"{"farlead":"trace","version":1}"#, "this is `trace`, and not what was learned"),
        ] {
            let mistake = Learned::read(header).expect_err("this is to be refused");
            assert!(mistake.line == 1 && mistake.message.contains(part), "{mistake}");
        }
    }

    #[test]
    fn more_than_is_kept_is_refused_in_good_time() {
        let mut text = file(&[SCREEN, START]);
        for step in 1..=experience::HISTORIES_MAX {
            let (step, after) = (format!("\"step\":{step}"), format!("\"after\":{}", step - 1));
            text +=
                &BACK.replace("\"step\":1", &step).replace("\"after\":0", &after).replace(",\"ended\":1", "");
            text.push('\n');
        }
        let mistake = Learned::read(&text).expect_err("too much");
        assert!(
            mistake.line == experience::HISTORIES_MAX + 3 && mistake.message.contains("more than is kept")
        );
        let wide = "{},".repeat(99_999) + "{}";
        let screen =
            |number: usize| SCREEN.replace(":0,", &format!(":{number},")).replace(r#"{"text":"a"}"#, &wide);
        let screens: Vec<String> = (0..11).map(screen).collect();
        refused(&screens.iter().map(String::as_str).collect::<Vec<_>>(), 12, "more than is kept");
    }

    fn text() -> impl Strategy<Value = Arc<str>> {
        prop_oneof!["", "[ab\"\\\\\n\u{0}\u{2028}é]{1,3}"].prop_map(Arc::from)
    }

    prop_compose! {
        fn widget()(
            depth in 0..3_u16,
            (class, id, text, desc) in (text(), text(), text(), text()),
            (left, right) in any::<(i32, i32)>(),
            flags in any::<[bool; 3]>(),
        ) -> Widget {
            let all = [Flags::CHECKED, Flags::ENABLED, Flags::EDITABLE];
            let flags = all.into_iter().zip(flags).fold(Flags::default(), |some, (flag, on)| some.set(flag, on));
            Widget { depth, class, id, text, desc, bounds: Bounds::new(left, 0, right, 9), flags }
        }
    }

    prop_compose! {
        fn screen()(
            (package, activity) in (text(), text()),
            (screen_on, network, crashed) in any::<(bool, bool, bool)>(),
            widgets in prop::collection::vec(widget(), 0..4),
        ) -> Arc<Screen> {
            let context = Context { screen_on, network, crashed, ..Context::default() };
            Arc::new(Screen::new(package, activity, context, widgets))
        }
    }

    fn action() -> impl Strategy<Value = Action> {
        let target = (text(), text(), text()).prop_map(|(object_id, text, desc)| Target {
            object_id,
            text,
            desc,
            ..Target::default()
        });
        (0..6, target, text()).prop_map(|(kind, on, text)| match kind {
            0 => Action::Reinitialise(text),
            1 => Action::click(on),
            2 => Action::Text { on, text },
            3 => Action::Stroke(Stroke::Scroll, on, Direction::Left),
            4 => Action::BACK,
            _ => Action::Touch(Touch::LongClick, on),
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            screens in prop::collection::vec(screen(), 1..5),
            episodes in prop::collection::vec(prop::collection::vec((action(), any::<usize>()), 0..6), 0..8),
            labelings in prop::collection::vec((text(), prop::option::of(text()), -4..4), 0..4),
        ) {
            let mut learned = Learned::default();
            for episode in &episodes {
                learned.experience.add(
                    episode.iter().map(|(action, screen)| (action, &screens[screen % screens.len()])),
                );
            }
            for (name, typed, value) in labelings {
                let names = vec![name.to_string(), String::new()];
                let typed = typed.map(|typed| typed.to_string());
                let labeling = Labeling { action_type: "click".to_string(), names, typed };
                learned.labelings.insert(labeling, [f64::from(value) / 4.0, 0.0]);
            }
            let text = learned.to_text();
            let read = Learned::read(&text).expect("what was written");
            prop_assert_eq!(read.to_text(), text);
            prop_assert_eq!(&read.labelings, &learned.labelings);
            let shown = |experience: &Experience| -> Vec<String> {
                experience.runs().map(|run| format!("{run:?}")).collect()
            };
            prop_assert_eq!(shown(&read.experience), shown(&learned.experience));
            prop_assert_eq!(read.experience.steps(), learned.experience.steps());
        }

        #[test]
        fn any_change_of_a_file_is_read_or_refused(at in any::<prop::sample::Index>(), by in any::<char>()) {
            let text = file(&[r#"{"app":"p","version":"1.2"}"#, VALUES, SCREEN, START, BACK]);
            let at = at.index(text.len());
            let changed = format!("{}{by}{}", &text[..at], &text[at + 1..]);
            if let Ok(read) = Learned::read(&changed) {
                prop_assert!(Learned::read(&read.to_text()).is_ok());
            }
        }
    }
}
