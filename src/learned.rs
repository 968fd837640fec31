//! Knowledge of an app as the text of a file that the next run starts from: experience, and what agents have kept.
//!
//! `docs/formats.md` shows its lines. Everything is measured before it is kept, and a mistake is reported with its line.
//! The shell knows where the file lies, and which app it has to be of.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::agent::{self, AgentInfo, Kept};
use crate::experience::{self, Experience, Link};
use crate::gui::{ActionRecord, Identity, Screen};

/// Version of the format that is written. Version 1 had the values of the agent `farlead` in lines of their own.
pub const VERSION: u64 = 2;

/// Most agents whose knowledge a file holds.
const AGENTS_MAX: usize = 100;

/// Most widgets of a file. A search keeps fewer, see [`experience::WIDGETS_MAX`].
const WIDGETS_MAX: usize = 1_000_000;

/// Kind of file, as the first line calls it.
const KIND: &str = "learned";

/// Knowledge of an app.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// App; the first release did not name it.
    pub app: Option<LearnedApp>,
    /// Bytes that agents have kept, by the names of the agents. Those of agents that this program does not know stay as
    /// they are.
    pub agents: BTreeMap<String, Vec<u8>>,
    /// Steps of earlier runs.
    pub experience: Experience,
}

/// App that something was learned of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedApp {
    /// Its package.
    #[serde(rename = "app")]
    pub package: Arc<str>,
    /// Its version, as its makers call it.
    pub version: Arc<str>,
}

/// Reason to refuse a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {message}")]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// Mistake in it.
    pub message: String,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    farlead: String,
    version: u64,
}

/// Line with the bytes that an agent has kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentLine {
    agent: String,
    /// In Base64.
    kept: String,
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
        reader.end()?;
        let Learned { app, agents, experience } = reader.learned;
        Ok(Learned { app, agents, experience: experience.grown_old() })
    }

    /// Returns what agents of this kind have kept, nothing if there is none.
    pub fn kept(&self, info: &AgentInfo) -> Kept {
        let bytes = self.agents.get(info.name).map_or(&[][..], Vec::as_slice);
        // Whatever was read of an agent in the table was found good then.
        Kept::new(info, bytes).unwrap_or_default()
    }

    /// Adds what an agent has kept since.
    pub fn add(&mut self, info: &AgentInfo, kept: &[u8]) {
        if !kept.is_empty() {
            let known = self.agents.entry(info.name.to_string()).or_default();
            *known = if known.is_empty() { kept.to_vec() } else { (info.merge)(known, kept) };
        }
    }

    /// Returns the text that holds it, the same for the same content however that was come by.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        push_line(&mut text, &Header { farlead: KIND.to_string(), version: VERSION });
        if let Some(app) = &self.app {
            push_line(&mut text, app);
        }
        for (agent, kept) in &self.agents {
            push_line(&mut text, &AgentLine { agent: agent.clone(), kept: BASE64.encode(kept) });
        }
        let mut screens: BTreeMap<Identity, usize> = BTreeMap::new();
        for (step, link) in self.experience.links().enumerate() {
            let Link { before, record, screen: seen, times } = link;
            let next = screens.len();
            let screen = *screens.entry(seen.identity()).or_insert(next);
            if screen == next {
                push_line(&mut text, &ScreenLine { screen, seen: &**seen });
            }
            push_line(&mut text, &StepLine { step, after: before, action: record, screen, ended: times });
        }
        text
    }
}

fn push_line(text: &mut String, line: &impl Serialize) {
    *text += &serde_json::to_string(line).expect("texts and numbers are JSON");
    text.push('\n');
}

/// Reader of a file, line by line.
#[derive(Default)]
struct Reader {
    learned: Learned,
    has_header: bool,
    /// Lines of version 1 with values of the agent `farlead`, each with its number.
    values: Vec<(usize, String)>,
    screens: Vec<Arc<Screen>>,
    /// Numbers of widgets of the screens, and of bytes of their texts.
    widgets: usize,
    bytes: usize,
    /// The places of the steps in the experience.
    /// Places of the steps; none for those without room.
    steps: Vec<Option<usize>>,
}

impl Reader {
    fn line(&mut self, number: usize, text: &str) -> Result<(), String> {
        let FirstKey(key) = parse(text)?;
        match &*key {
            "farlead" if number == 1 => self.header(text),
            "type" | "names" | "typed" | "values" => {
                self.values.push((number, text.to_string()));
                Ok(())
            }
            "app" | "agent" | "screen" | "step" if !self.has_header => Err(format!(
                "without a first line `{{\"farlead\":\"{KIND}\",\"version\":{VERSION}}}` there is no `{key}`"
            )),
            "app" => match self.learned.app.replace(parse(text)?) {
                Some(_) => Err("the app is said twice".to_string()),
                None => Ok(()),
            },
            "agent" => self.agent(parse(text)?),
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

    fn agent(&mut self, line: AgentLine) -> Result<(), String> {
        let AgentLine { agent, kept } = line;
        let kept = BASE64
            .decode(&kept)
            .map_err(|error| unknown(&format!("what `{agent}` has kept is no Base64: {error}")))?;
        if let Some(info) = agent::find(&agent) {
            Kept::new(info, &kept).map_err(|error| unknown(&format!("`{agent}`: {error}")))?;
        }
        if self.learned.agents.insert(agent, kept).is_some() {
            return Err("what an agent has kept is said twice".to_string());
        }
        if self.learned.agents.len() > AGENTS_MAX {
            return Err(format!("these are more than {AGENTS_MAX} agents"));
        }
        Ok(())
    }

    /// Takes in the values of version 1: they are what the agent `farlead` keeps, line by line.
    fn end(&mut self) -> Result<(), Mistake> {
        let Some((first, _)) = self.values.first() else { return Ok(()) };
        let mut kept = "{\"version\":1}\n".to_string();
        for (_, line) in &self.values {
            kept += line;
            kept.push('\n');
        }
        let at = |line: usize| self.values.get(line.saturating_sub(2)).map_or(*first, |(number, _)| *number);
        Kept::new(&agent::FARLEAD, kept.as_bytes())
            .map_err(|error| Mistake { line: at(error.line), message: unknown(&error.message) })?;
        self.learned.agents.insert(agent::FARLEAD.name.to_string(), kept.into_bytes());
        Ok(())
    }

    fn screen(&mut self, line: ScreenLine<Screen>) -> Result<(), String> {
        in_turn("screen", line.screen, self.screens.len())?;
        let (widgets, bytes) = experience::size(&line.seen);
        self.widgets += widgets;
        self.bytes += bytes;
        if self.screens.len() >= experience::HISTORIES_MAX
            || self.widgets > WIDGETS_MAX
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
        if self.steps.len() >= experience::HISTORIES_MAX {
            return Err(too_much());
        }
        // Earlier versions kept more; what has no room is left out, as it is in a search.
        let place = match before {
            Some(None) => None,
            Some(Some(before)) => self.learned.experience.link(Some(before), line.action, screen, line.ended),
            None => self.learned.experience.link(None, line.action, screen, line.ended),
        };
        self.steps.push(place);
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
        WIDGETS_MAX,
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gui::{Action, Bounds, Context, Direction, Flags, Stroke, Target, Touch, Widget};

    const HEADER: &str = "{\"farlead\":\"learned\",\"version\":2}\n";
    const SCREEN: &str = r#"{"screen":0,"seen":{"package":"p","activity":"p.A","widgets":[{"text":"a"}]}}"#;
    const START: &str =
        r#"{"step":0,"action":{"type":"reinitialise","activity":"p.A"},"screen":0,"ended":2}"#;
    const BACK: &str = r#"{"step":1,"after":0,"action":{"type":"back"},"screen":0,"ended":1}"#;
    /// An agent of another program, with bytes that are no text.
    const AGENT: &str = r#"{"agent":"another","kept":"AP8="}"#;
    /// A line of version 1.
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
        let text = file(&[r#"{"app":"p","version":"1.2"}"#, AGENT, SCREEN, START, BACK]);
        let learned = Learned::read(&text).expect("a file");
        assert_eq!(learned.to_text(), text);
        assert_eq!((learned.agents.len(), learned.experience.steps()), (1, 4));
        assert_eq!(learned.app.map(|app| app.version), Some("1.2".into()));
    }

    #[test]
    fn a_file_of_the_first_release_has_values_alone() {
        let old = Learned::read(&format!("{VALUES}\n")).expect("a file");
        assert_eq!((old.agents.len(), old.app.clone()), (1, None));
        let kept = old.kept(&agent::FARLEAD);
        assert_eq!(String::from_utf8_lossy(kept.bytes()), format!("{{\"version\":1}}\n{VALUES}\n"));
        let again = Learned::read(&old.to_text()).expect("a file of now");
        assert_eq!(again.kept(&agent::FARLEAD), kept);
        assert!(Learned::read("").expect("an empty file").agents.is_empty());
        let mistake = Learned::read(SCREEN).expect_err("without a first line");
        assert!(mistake.message.contains("without a first line"), "{mistake}");
    }

    #[test]
    fn what_an_agent_keeps_is_merged_as_the_agent_says() {
        let mut learned = Learned::read(&format!("{VALUES}\n")).expect("a file");
        let other = VALUES.replace("\"a\"", "\"b\"");
        learned.add(&agent::FARLEAD, format!("{{\"version\":1}}\n{other}\n").as_bytes());
        learned.add(&agent::FARLEAD, b"");
        let kept = learned.kept(&agent::FARLEAD);
        assert_eq!(String::from_utf8_lossy(kept.bytes()).lines().count(), 3);
        assert_eq!(learned.kept(&agent::RANDOM), Kept::default());
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
        refused(&[AGENT, AGENT], 3, "said twice");
        refused(&[&AGENT.replace("AP8=", "AP8")], 2, "is no Base64");
        refused(&[&AGENT.replace("another", "random")], 2, "`random`: line 1 of what the agent has kept");
        refused(&[SCREEN, &VALUES.replace("0.5", "1e999")], 3, "number out of range");
        let names = format!("[{}\"\"]", "\"\",".repeat(16));
        refused(&[&VALUES.replace(r#"["a","",""]"#, &names)], 2, "at most 16 names");
        refused(&[&"[".repeat(1_000_000)], 2, "expected an object");
        refused(&[&format!("{{\"screen\":{}", "[".repeat(1_000_000))], 2, "EOF");
    }

    #[test]
    fn what_is_of_another_kind_or_of_later_is_refused() {
        for (header, part) in [
            (r#"{"farlead":"learned","version":3,"new":[]}"#, "use a newer farlead"),
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
            agents in prop::collection::btree_map("[a-c]{1,3}", prop::collection::vec(any::<u8>(), 0..9), 0..4),
        ) {
            let mut learned = Learned::default();
            for episode in &episodes {
                learned.experience.add(
                    episode.iter().map(|(action, screen)| (action, &screens[screen % screens.len()])),
                );
            }
            learned.agents = agents;
            let text = learned.to_text();
            let read = Learned::read(&text).expect("what was written");
            prop_assert_eq!(read.to_text(), text);
            prop_assert_eq!(&read.agents, &learned.agents);
            let shown = |experience: &Experience| -> Vec<String> {
                experience.runs().map(|run| format!("{run:?}")).collect()
            };
            prop_assert_eq!(shown(&read.experience), shown(&learned.experience));
            prop_assert_eq!(read.experience.steps(), learned.experience.steps());
        }

        #[test]
        fn any_change_of_a_file_is_read_or_refused(at in any::<prop::sample::Index>(), by in any::<char>()) {
            let text = file(&[r#"{"app":"p","version":"1.2"}"#, AGENT, SCREEN, START, BACK]);
            let at = at.index(text.len());
            let changed = format!("{}{by}{}", &text[..at], &text[at + 1..]);
            if let Ok(read) = Learned::read(&changed) {
                prop_assert!(Learned::read(&read.to_text()).is_ok());
            }
        }
    }
}
