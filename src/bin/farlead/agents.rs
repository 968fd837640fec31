//! Agents and abstractions as command lines and projects name them: by the tables of the library.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};
use farlead::abstraction::{self, ABSTRACTIONS, AbstractionInfo};
use farlead::agent::{self, AGENTS, AgentInfo};
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

/// Agent with settings of its own, like `farlead:abstraction=places`.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Name as it was typed.
    pub name: String,
    pub agent: &'static AgentInfo,
    /// Abstraction in place of the one for all.
    pub abstraction: Option<&'static AbstractionInfo>,
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
        let mut abstraction = None;
        if !settings.is_empty() {
            let known = settings.split_once('=').filter(|(key, _)| *key == "abstraction");
            abstraction = known.and_then(|(_, name)| abstraction::find(name));
            if abstraction.is_none() {
                let names = ABSTRACTIONS.map(|info| info.name).join("|");
                let message =
                    format!("`{settings}` is no setting of an agent; there is `abstraction={names}`");
                return Err(
                    Error::raw(clap::error::ErrorKind::ValueValidation, message + "\n").with_cmd(command)
                );
            }
        }
        Ok(Entrant { name: text.into_owned(), agent, abstraction })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(AgentName::value_variants().iter().filter_map(AgentName::to_possible_value)))
    }
}
