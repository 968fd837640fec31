//! Agents and abstractions as command lines and projects name them: by the tables of the library.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};
use farlead::abstraction::{self, ABSTRACTIONS, AbstractionInfo};
use farlead::agent::{self, AGENTS, AgentInfo, Knob, Member, Members, PLANNER};
use farlead::search::Plan;
use serde::de::{self, Deserialize, Deserializer};

use crate::policy;

/// Agent that the command line names.
#[derive(Clone, Copy, Debug)]
pub struct AgentName(pub &'static AgentInfo);

impl ValueEnum for AgentName {
    fn value_variants<'a>() -> &'a [AgentName] {
        // clap wants a slice that lives as long as the program.
        static ALL: LazyLock<Vec<AgentName>> = LazyLock::new(|| AGENTS.map(AgentName).to_vec());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name).help(self.0.about))
    }
}

impl<'de> Deserialize<'de> for AgentName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AgentName, D::Error> {
        // The message wants names that live as long as the program.
        static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| AGENTS.map(|info| info.name).to_vec());
        let name = String::deserialize(deserializer)?;
        agent::find(&name).map(AgentName).ok_or_else(|| de::Error::unknown_variant(&name, &NAMES))
    }
}

/// Abstraction that the command line names.
#[derive(Clone, Copy, Debug)]
pub struct AbstractionName(pub &'static AbstractionInfo);

impl ValueEnum for AbstractionName {
    fn value_variants<'a>() -> &'a [AbstractionName] {
        static ALL: LazyLock<Vec<AbstractionName>> =
            LazyLock::new(|| ABSTRACTIONS.map(AbstractionName).to_vec());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name).help(self.0.about))
    }
}

/// Agent with settings of its own, like `farlead:abstraction=places,h=2` or `planner:members=plan+least`.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Name in tables: the agent with its settings.
    pub name: String,
    pub agent: &'static AgentInfo,
    /// Abstraction in place of the one for all.
    abstraction: Option<&'static AbstractionInfo>,
    /// Members in place of all.
    members: Option<Members>,
    /// Numbers in place of the defaults.
    numbers: Vec<(&'static Knob, f64)>,
    /// File of a policy to start from.
    policy: Option<PathBuf>,
}

/// Most agents that one value may name: a sweep multiplies.
const ENTRANTS_MAX: usize = 1_000;

impl Entrant {
    /// Returns an agent without settings of its own.
    pub fn plain(AgentName(agent): AgentName) -> Entrant {
        let name = agent.name.to_string();
        Entrant { name, agent, abstraction: None, members: None, numbers: Vec::new(), policy: None }
    }

    /// Returns the same agent with `setting` set to `value` as well.
    fn with(&self, setting: &str, value: &str) -> Result<Entrant, String> {
        let mut with = self.clone();
        let refused = || refusal(self.agent, &format!("{setting}={value}"));
        match setting {
            "abstraction" => with.abstraction = Some(abstraction::find(value).ok_or_else(refused)?),
            "policy" => with.policy = Some(PathBuf::from(value)),
            "members" if std::ptr::eq(self.agent, &PLANNER) => {
                let members: Option<Vec<Member>> = value.split('+').map(Member::find).collect();
                with.members = Some(Members::of(members.ok_or_else(refused)?));
            }
            _ => {
                let knob =
                    self.agent.knobs.iter().find(|knob| knob.is_called(setting)).ok_or_else(refused)?;
                let (least, most) = knob.range;
                let number = value.parse().ok().filter(|number| (least..=most).contains(number));
                let number: f64 = number.ok_or_else(|| {
                    format!(
                        "`{setting}` of {} is a number from {least} to {most}, and not `{value}`",
                        self.agent.name
                    )
                })?;
                if number.fract() != 0.0 && knob.is_whole {
                    return Err(format!(
                        "`{setting}` of {} is a whole number, and not `{value}`",
                        self.agent.name
                    ));
                }
                with.numbers.retain(|(known, _)| known.name != knob.name);
                with.numbers.push((knob, number));
            }
        }
        let mark = if self.name.contains(':') { ',' } else { ':' };
        with.name += &format!("{mark}{setting}={value}");
        Ok(with)
    }

    /// Gives a plan of the agent its own settings.
    pub fn set(&self, plan: &mut Plan) -> anyhow::Result<()> {
        if let Some(path) = &self.policy {
            plan.kept = policy::read(path, self.agent)?.kept;
        }
        plan.abstraction = self.abstraction.unwrap_or(plan.abstraction);
        plan.settings.members = self.members.unwrap_or(plan.settings.members);
        self.numbers.iter().for_each(|(knob, value)| (knob.set)(&mut plan.settings, *value));
        Ok(())
    }
}

/// Returns the message about a setting that `agent` does not have.
fn refusal(agent: &AgentInfo, setting: &str) -> String {
    let abstractions = ABSTRACTIONS.map(|info| info.name.replace([':', ','], "+"));
    let mut known = vec![format!("`abstraction={}`", abstractions.join("|")), "`policy=FILE`".to_string()];
    if std::ptr::eq(agent, &PLANNER) {
        let members = Member::ALL.map(Member::name).join("|");
        known.push(format!("`members={members}`, several joined by `+`"));
    }
    known.extend(agent.knobs.iter().map(|knob| match knob.letter {
        "" => format!("`{}`", knob.name),
        letter => format!("`{}` or `{letter}`", knob.name),
    }));
    format!("`{setting}` is no setting of {}; there is {}", agent.name, known.join(", "))
}

/// Agents of a comparison: several, and of a sweep each combination of its values.
#[derive(Clone, Debug)]
pub struct Entrants(pub Vec<Entrant>);

impl Entrants {
    /// Reads `random,planner` and `qlearning:epsilon=.6,.8;farlead:h=2,lambda=.3`. `agent` returns the agent of a name.
    fn parse(
        text: &str,
        agent: &dyn Fn(&str) -> Result<AgentName, Error>,
    ) -> Result<Entrants, EntrantsError> {
        let mut all = Vec::new();
        for part in text.split(';') {
            // All combinations of the values so far, and the setting that the last value was of.
            let (mut swept, mut last): (Vec<Entrant>, Option<Sweep>) = (Vec::new(), None);
            for item in part.split([',', ':']).map(str::trim).filter(|item| !item.is_empty()) {
                match (item.split_once('='), &mut last) {
                    (Some((setting, value)), _) if !swept.is_empty() => {
                        let with: Result<Vec<Entrant>, String> =
                            swept.iter().map(|one| one.with(setting, value)).collect();
                        last = Some(Sweep {
                            setting: setting.to_string(),
                            before: std::mem::replace(&mut swept, with?),
                        });
                    }
                    // A word alone is another value of the setting, or another agent.
                    (None, Some(sweep)) if agent::find(item).is_none() => {
                        for one in &sweep.before {
                            swept.push(one.with(&sweep.setting, item)?);
                        }
                    }
                    _ => {
                        all.append(&mut swept);
                        swept.push(Entrant::plain(agent(item)?));
                        last = None;
                    }
                }
                if all.len() + swept.len() > ENTRANTS_MAX {
                    return Err(format!("these are more than {ENTRANTS_MAX} agents").into());
                }
            }
            all.append(&mut swept);
        }
        Ok(Entrants(all))
    }
}

/// Setting that may get more values, and the combinations before it.
struct Sweep {
    setting: String,
    before: Vec<Entrant>,
}

/// Reason why agents cannot be read.
enum EntrantsError {
    Said(String),
    /// An agent is not known; clap says it with its nearest name.
    Unknown(Error),
}

impl From<String> for EntrantsError {
    fn from(message: String) -> EntrantsError {
        EntrantsError::Said(message)
    }
}

impl From<Error> for EntrantsError {
    fn from(error: Error) -> EntrantsError {
        EntrantsError::Unknown(error)
    }
}

/// Parser of [`Entrants`].
#[derive(Clone, Debug)]
pub struct EntrantsParser;

impl TypedValueParser for EntrantsParser {
    type Value = Entrants;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Entrants, Error> {
        // clap's own parser names the known agents and the one most like a mistyped name.
        let agent = |name: &str| EnumValueParser::new().parse_ref(command, arg, OsStr::new(name));
        let refused = |message: String| {
            Error::raw(clap::error::ErrorKind::ValueValidation, message + "\n").with_cmd(command)
        };
        match Entrants::parse(&value.to_string_lossy(), &agent) {
            Ok(entrants) if entrants.0.is_empty() => Err(refused("there is no agent".to_string())),
            Ok(entrants) => Ok(entrants),
            Err(EntrantsError::Said(message)) => Err(refused(message)),
            Err(EntrantsError::Unknown(error)) => Err(error),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(AgentName::value_variants().iter().filter_map(AgentName::to_possible_value)))
    }
}

/// Parser of a single [`Entrant`].
#[derive(Clone, Debug)]
pub struct EntrantParser;

impl TypedValueParser for EntrantParser {
    type Value = Entrant;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Entrant, Error> {
        let Entrants(mut all) = EntrantsParser.parse_ref(command, arg, value)?;
        match (all.pop(), all.is_empty()) {
            (Some(one), true) => Ok(one),
            _ => {
                let message = "these are several agents, and this command takes one\n";
                Err(Error::raw(clap::error::ErrorKind::ValueValidation, message).with_cmd(command))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        EntrantsParser.possible_values()
    }
}
