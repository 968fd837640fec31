//! The table of agents: command lines, comparisons, documents and library users read it.

use std::sync::Arc;

use super::knob::{self, Knob};
use super::{
    Agent, Ape, ApeSettings, Boxed, BoxedSettings, Deep, DeepSettings, Dino, DinoSettings, Farlead,
    FarleadSettings, KeptError, Least, Letter, Members, Method, Monkey, Numbered, PlannerSettings, Portfolio,
    QLearning, QLearningSettings, Qbe, Random, Tree, farlead,
};
use crate::situation::{LabelingList, Switches};

/// Agent under its name: a kind of agent, and how one is made.
///
/// A library user brings an agent of their own by a `static` of this type.
#[derive(Debug)]
pub struct AgentInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in a line of help.
    pub about: &'static str,
    /// Additions to the loop, unless someone says otherwise.
    pub switches: Switches,
    /// Names of switches that no other agent has.
    pub own_switches: &'static [&'static str],
    /// Numbers that a comparison may set.
    pub knobs: &'static [Knob],
    /// Name of the abstraction, unless someone says otherwise.
    pub abstraction: &'static str,
    /// Information that others would rather not spend time on.
    pub needs: Needs,
    /// Makes an agent that knows nothing yet.
    pub make: fn(&Settings) -> Box<dyn Agent>,
    /// Merges two texts that agents of this kind have saved, the older first.
    pub merge: fn(&[u8], &[u8]) -> Vec<u8>,
}

/// Information that takes time to work out or to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Structure of screens, habits of actions, and hints of names.
    pub details: bool,
    /// Experience of earlier searches.
    pub experience: bool,
}

/// Settings of all agents; each takes its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Settings of `ape`.
    pub ape: ApeSettings,
    /// Settings of `farlead`.
    pub farlead: FarleadSettings,
    /// Settings of `qlearning`.
    pub qlearning: QLearningSettings,
    /// Settings of `sac`.
    pub sac: DeepSettings,
    /// Settings of `ddpg`.
    pub ddpg: DeepSettings,
    /// Settings of `td3`.
    pub td3: DeepSettings,
    /// Settings of `dino`.
    pub dino: DinoSettings,
    /// Settings of `dino2`.
    pub dino2: DinoSettings,
    /// Settings of the plan of `planner`.
    pub planner: PlannerSettings,
    /// Members of `planner`.
    pub members: Members,
    /// Settings of `ares-qlearning` and `fate-qlearning`.
    pub numbered: QLearningSettings,
    /// Settings of `ares-sac`, `ares-ddpg` and `ares-td3`.
    pub ares: BoxedSettings,
    /// Settings of `fate-sac`, `fate-ddpg` and `fate-td3`.
    pub fate: BoxedSettings,
    /// Time that `monkey` waits after each event.
    pub throttle_ms: u32,
    /// Number of texts that are typed into fields; the search knows it.
    pub texts: usize,
    /// Episodes that the search has had before this agent; the agent counts on from them.
    pub spent: u32,
    /// Steps of the run; the search knows it. 0 where nobody does.
    pub run_steps: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            ape: ApeSettings::default(),
            farlead: FarleadSettings::default(),
            qlearning: QLearningSettings::default(),
            sac: DeepSettings::SAC,
            ddpg: DeepSettings::DDPG,
            td3: DeepSettings::TD3,
            dino: DinoSettings::LETTER,
            dino2: DinoSettings::QUICK,
            planner: PlannerSettings::default(),
            members: Members::default(),
            numbered: QLearningSettings::ARES,
            ares: BoxedSettings::ARES,
            fate: BoxedSettings::FATE,
            throttle_ms: 0,
            texts: 0,
            spent: 0,
            run_steps: 0,
        }
    }
}

/// Bytes that an agent has kept, read once and found good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept(Arc<[u8]>);

impl Kept {
    /// Returns `bytes` if an agent of the kind `info` can read them.
    pub fn new(info: &AgentInfo, bytes: &[u8]) -> Result<Kept, KeptError> {
        (info.make)(&Settings::default()).load(bytes, &mut LabelingList::default())?;
        Ok(Kept(bytes.into()))
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// All additions; `cargo bench --bench defaults` shows their worth on made-up apps.
const ALL: Switches = Switches { prediction: true, sure_actions: true, restart_hopeless: true };

/// No additions.
const NONE: Switches = Switches { prediction: false, sure_actions: false, restart_hopeless: false };

/// Needs of agents that learn tables.
const TABULAR: Needs = Needs { details: false, experience: false };

/// Returns the newer of two texts: the merge of agents whose last word counts.
pub fn newest(_older: &[u8], newer: &[u8]) -> Vec<u8> {
    newer.to_vec()
}

/// The planner.
pub static PLANNER: AgentInfo = AgentInfo {
    name: "planner",
    about: "Learns the app and plans on it with the formula: fewest steps on the device",
    // The planner itself weighs what cannot lose against what may win.
    switches: Switches { sure_actions: false, ..ALL },
    own_switches: &["habits", "names", "sharing", "naming", "survival"],
    knobs: &[],
    abstraction: "places",
    needs: Needs { details: true, experience: true },
    make: |settings| Box::new(Portfolio::new(settings)),
    merge: newest,
};

/// The agent of FARLEAD-Android.
pub static FARLEAD: AgentInfo = AgentInfo {
    name: "farlead",
    about: "The agent of FARLEAD-Android",
    switches: ALL,
    own_switches: &["residual", "tails", "action-labels", "double-q", "traces"],
    knobs: &knob::OF_FARLEAD,
    abstraction: "looks",
    needs: TABULAR,
    make: |settings| Box::new(Farlead::new(settings.farlead)),
    merge: farlead::merge,
};

/// Tree search.
pub static TREE: AgentInfo = AgentInfo {
    name: "tree",
    about: "Every history once, nothing learned",
    switches: ALL,
    own_switches: &[],
    knobs: &[],
    abstraction: "looks",
    needs: TABULAR,
    make: |_| Box::new(Tree::default()),
    merge: newest,
};

/// Plain Q-learning.
pub static QLEARNING: AgentInfo = AgentInfo {
    name: "qlearning",
    about: "Plain Q-learning over screens",
    switches: ALL,
    own_switches: &[],
    knobs: &knob::OF_QLEARNING,
    abstraction: "looks",
    needs: TABULAR,
    make: |settings| Box::new(QLearning::new(settings.qlearning)),
    merge: newest,
};

/// The agent of APE.
pub static APE: AgentInfo = AgentInfo {
    name: "ape",
    about: "The agent of APE: paths along a model of the app to what was never done",
    switches: ALL,
    own_switches: &[],
    knobs: &knob::OF_APE,
    abstraction: "ape",
    needs: TABULAR,
    make: |settings| Box::new(Ape::new(settings.ape)),
    merge: newest,
};

/// Soft actor-critic over offers.
pub static SAC: AgentInfo = AgentInfo {
    name: "sac",
    about: "Soft actor-critic: neural networks that weigh each action by its words and by what was done",
    switches: ALL,
    own_switches: &[],
    knobs: &knob::OF_SAC,
    abstraction: "looks",
    needs: Needs { details: true, experience: false },
    make: |settings| Box::new(Deep::new(Method::Sac, settings.sac)),
    merge: newest,
};

/// The critic of DDPG over offers.
pub static DDPG: AgentInfo = AgentInfo {
    name: "ddpg",
    about: "The critic of DDPG, which weighs each action by its words and by what was done",
    knobs: &knob::OF_DDPG,
    make: |settings| Box::new(Deep::new(Method::Ddpg, settings.ddpg)),
    ..SAC
};

/// The critics of TD3 over offers.
pub static TD3: AgentInfo = AgentInfo {
    name: "td3",
    about: "The two critics of TD3, which weigh each action by its words and by what was done",
    knobs: &knob::OF_TD3,
    make: |settings| Box::new(Deep::new(Method::Td3, settings.td3)),
    ..SAC
};

/// DinoDroid to the letter of its program.
pub static DINO: AgentInfo = AgentInfo {
    name: "dino",
    about: "The agent of DinoDroid: a neural network that weighs each event by its words and by what was done",
    switches: ALL,
    own_switches: &[],
    knobs: &knob::OF_DINO,
    abstraction: "looks",
    needs: Needs { details: true, experience: false },
    make: |settings| Box::new(Dino::letter(settings.dino, settings.run_steps)),
    merge: newest,
};

/// The quick variant of DinoDroid.
pub static DINO2: AgentInfo = AgentInfo {
    name: "dino2",
    about: "The same with another network for what comes next, larger updates, and what the formula says",
    knobs: &knob::OF_DINO2,
    make: |settings| Box::new(Dino::quick(settings.dino2, settings.run_steps)),
    ..DINO
};

/// Chance.
pub static RANDOM: AgentInfo = AgentInfo {
    name: "random",
    about: "Any widget, then any of its actions, each as likely",
    // The baseline of all others knows nothing of the formula.
    switches: NONE,
    own_switches: &[],
    knobs: &[],
    abstraction: "looks",
    needs: TABULAR,
    make: |_| Box::new(Random::default()),
    merge: newest,
};

/// Actions that were done least.
pub static LEAST: AgentInfo = AgentInfo {
    name: "least",
    about: "The action that was done least on the screen",
    switches: ALL,
    own_switches: &[],
    knobs: &[],
    abstraction: "looks",
    needs: TABULAR,
    make: |_| Box::new(Least::default()),
    merge: newest,
};

/// Android's Monkey.
pub static MONKEY: AgentInfo = AgentInfo {
    name: "monkey",
    about: "Android's Monkey: events at any point, most of them into nothing",
    knobs: &knob::OF_MONKEY,
    make: |settings| Box::new(Monkey::new(settings.throttle_ms)),
    ..RANDOM
};

/// QBE-style exploration.
pub static QBE: AgentInfo = AgentInfo {
    name: "qbe",
    about: "QBE-style: a kind of action by a table that was trained on other apps, then any action of this kind",
    make: |_| Box::new(Qbe::new(false)),
    ..RANDOM
};

/// Random choice of numbers, as in ARES.
pub static ARES_RANDOM: AgentInfo = AgentInfo {
    name: "ares-random",
    about: "Random numbers as ARES draws them, some of which mean nothing",
    make: |settings| Box::new(Numbered::random(Letter::Ares, settings.texts)),
    ..RANDOM
};

/// Q-learning over numbers, as in ARES.
pub static ARES_QLEARNING: AgentInfo = AgentInfo {
    name: "ares-qlearning",
    about: "Q-learning of ARES over such numbers",
    knobs: &knob::OF_NUMBERED,
    make: |settings| Box::new(Numbered::qlearning(Letter::Ares, settings.texts, settings.numbered)),
    ..RANDOM
};

/// Random choice of numbers, as in FATE.
pub static FATE_RANDOM: AgentInfo = AgentInfo {
    name: "fate-random",
    about: "Random numbers as FATE draws them, some of which mean nothing",
    make: |settings| Box::new(Numbered::random(Letter::Fate, settings.texts)),
    ..RANDOM
};

/// Q-learning over numbers, as in FATE.
pub static FATE_QLEARNING: AgentInfo = AgentInfo {
    name: "fate-qlearning",
    about: "Q-learning of FATE over such numbers",
    knobs: &knob::OF_NUMBERED,
    make: |settings| Box::new(Numbered::qlearning(Letter::Fate, settings.texts, settings.numbered)),
    ..RANDOM
};

/// Soft actor-critic over numbers, as in ARES.
pub static ARES_SAC: AgentInfo = AgentInfo {
    name: "ares-sac",
    about: "Soft actor-critic of ARES: neural networks that emit such numbers",
    knobs: &knob::OF_ARES_SAC,
    make: |settings| Box::new(Boxed::sac(Letter::Ares, settings.texts, settings.ares.sac)),
    ..RANDOM
};

/// DDPG over numbers, as in ARES.
pub static ARES_DDPG: AgentInfo = AgentInfo {
    name: "ares-ddpg",
    about: "DDPG of ARES: neural networks that emit such numbers",
    knobs: &knob::OF_ARES_DDPG,
    make: |settings| Box::new(Boxed::ddpg(Letter::Ares, settings.texts, settings.ares.ddpg)),
    ..RANDOM
};

/// TD3 over numbers, as in ARES.
pub static ARES_TD3: AgentInfo = AgentInfo {
    name: "ares-td3",
    about: "TD3 of ARES: neural networks that emit such numbers",
    knobs: &knob::OF_ARES_TD3,
    make: |settings| Box::new(Boxed::td3(Letter::Ares, settings.texts, settings.ares.td3)),
    ..RANDOM
};

/// Soft actor-critic over numbers, as in FATE.
pub static FATE_SAC: AgentInfo = AgentInfo {
    name: "fate-sac",
    about: "Soft actor-critic of FATE: neural networks that emit such numbers",
    knobs: &knob::OF_FATE_SAC,
    make: |settings| Box::new(Boxed::sac(Letter::Fate, settings.texts, settings.fate.sac)),
    ..RANDOM
};

/// DDPG over numbers, as in FATE.
pub static FATE_DDPG: AgentInfo = AgentInfo {
    name: "fate-ddpg",
    about: "DDPG of FATE: neural networks that emit such numbers",
    knobs: &knob::OF_FATE_DDPG,
    make: |settings| Box::new(Boxed::ddpg(Letter::Fate, settings.texts, settings.fate.ddpg)),
    ..RANDOM
};

/// TD3 over numbers, as in FATE.
pub static FATE_TD3: AgentInfo = AgentInfo {
    name: "fate-td3",
    about: "TD3 of FATE: neural networks that emit such numbers",
    knobs: &knob::OF_FATE_TD3,
    make: |settings| Box::new(Boxed::td3(Letter::Fate, settings.texts, settings.fate.td3)),
    ..RANDOM
};

/// All agents of the program, the default first.
pub static AGENTS: [&AgentInfo; 24] = [
    &PLANNER,
    &FARLEAD,
    &TREE,
    &QLEARNING,
    &SAC,
    &DDPG,
    &TD3,
    &DINO,
    &DINO2,
    &APE,
    &LEAST,
    &RANDOM,
    &MONKEY,
    &QBE,
    &ARES_RANDOM,
    &ARES_QLEARNING,
    &ARES_SAC,
    &ARES_DDPG,
    &ARES_TD3,
    &FATE_RANDOM,
    &FATE_QLEARNING,
    &FATE_SAC,
    &FATE_DDPG,
    &FATE_TD3,
];

/// Returns the agent of this name.
pub fn find(name: &str) -> Option<&'static AgentInfo> {
    AGENTS.into_iter().find(|info| info.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_differ() {
        for info in AGENTS {
            assert!(std::ptr::eq(find(info.name).expect("a name of the table"), info));
        }
        assert!(find("nobody").is_none());
    }

    #[test]
    fn an_agent_that_keeps_nothing_reads_nothing_else() {
        assert_eq!(Kept::new(&RANDOM, b"").expect("nothing").bytes(), b"");
        let error = Kept::new(&RANDOM, b"x").expect_err("it keeps nothing");
        assert_eq!(error.to_string(), "line 1 of what the agent has kept: this agent keeps nothing");
    }
}
