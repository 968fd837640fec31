//! Agents and abstractions as command lines and projects name them: by the tables of the library.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};
use farlead::abstraction::{self, ABSTRACTIONS, AbstractionInfo};
use farlead::agent::{self, AGENTS, AgentInfo, Member, Members, PLANNER};
use farlead::search::Plan;
use serde::de::{self, Deserialize, Deserializer};

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

/// Agent with settings of its own, like `farlead:abstraction=places` or `planner:members=plan+least`.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Name as it was typed.
    pub name: String,
    pub agent: &'static AgentInfo,
    /// Abstraction in place of the one for all.
    abstraction: Option<&'static AbstractionInfo>,
    /// Members in place of all.
    members: Option<Members>,
}

impl Entrant {
    /// Returns an agent without settings of its own.
    pub fn plain(AgentName(agent): AgentName) -> Entrant {
        Entrant { name: agent.name.to_string(), agent, abstraction: None, members: None }
    }

    fn parse(text: &str, agent: &'static AgentInfo, settings: &str) -> Result<Entrant, String> {
        let mut entrant = Entrant { name: text.to_string(), ..Entrant::plain(AgentName(agent)) };
        for setting in settings.split(':').filter(|setting| !setting.is_empty()) {
            match setting.split_once('=') {
                Some(("abstraction", name)) if abstraction::find(name).is_some() => {
                    entrant.abstraction = abstraction::find(name);
                }
                Some(("members", names)) if std::ptr::eq(agent, &PLANNER) => {
                    let members: Option<Vec<Member>> = names.split('+').map(Member::find).collect();
                    entrant.members = Some(Members::of(members.ok_or_else(|| refusal(agent, setting))?));
                }
                _ => return Err(refusal(agent, setting)),
            }
        }
        Ok(entrant)
    }

    /// Gives a plan of the agent its own settings.
    pub fn set(&self, plan: &mut Plan) {
        plan.abstraction = self.abstraction.unwrap_or(plan.abstraction);
        plan.settings.members = self.members.unwrap_or(plan.settings.members);
    }
}

/// Returns the message about a setting that `agent` does not have.
fn refusal(agent: &AgentInfo, setting: &str) -> String {
    let mut known = format!("`abstraction={}`", ABSTRACTIONS.map(|info| info.name).join("|"));
    if std::ptr::eq(agent, &PLANNER) {
        let members = Member::ALL.map(Member::name).join("|");
        known += &format!(" and `members={members}`, several joined by `+`");
    }
    format!("`{setting}` is no setting of {}; there is {known}", agent.name)
}

/// Parser of an [`Entrant`].
#[derive(Clone, Debug)]
pub struct EntrantParser;

impl TypedValueParser for EntrantParser {
    type Value = Entrant;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Entrant, Error> {
        let text = value.to_string_lossy();
        let (name, settings) = text.split_once(':').unwrap_or((&text, ""));
        // clap's own parser names the known agents and the one most like a mistyped name.
        let AgentName(agent) = EnumValueParser::new().parse_ref(command, arg, OsStr::new(name))?;
        Entrant::parse(&text, agent, settings).map_err(|message| {
            Error::raw(clap::error::ErrorKind::ValueValidation, message + "\n").with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(AgentName::value_variants().iter().filter_map(AgentName::to_possible_value)))
    }
}
