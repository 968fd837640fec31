//! Agents as command lines and projects name them.

use clap::ValueEnum;
use farlead::search::AgentKind;
use serde::Deserialize;

/// An agent as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentName {
    /// Learns the app and plans on it with the formula: fewest steps on the device
    Planner,
    /// The agent of FARLEAD-Android
    Farlead,
    /// Every history once, nothing learned
    Tree,
    /// Plain Q-learning over screens
    Qlearning,
    /// Anything, each as likely
    Random,
}

impl AgentName {
    /// Which agent that is.
    pub fn kind(self) -> AgentKind {
        match self {
            AgentName::Planner => AgentKind::Planner,
            AgentName::Farlead => AgentKind::Farlead,
            AgentName::Tree => AgentKind::Tree,
            AgentName::Qlearning => AgentKind::QLearning,
            AgentName::Random => AgentKind::Random,
        }
    }
}
