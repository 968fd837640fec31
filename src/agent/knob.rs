//! Numbers of agents that a comparison may set, each with its names, its range and the origin of its default.

use super::Settings;
use crate::gui::WAIT_MS_MAX;

/// Number of an agent.
#[derive(Debug)]
pub struct Knob {
    /// Name, as in `epsilon=0.3`.
    pub name: &'static str,
    /// Letter of the paper, which is as good; empty if it has none.
    pub letter: &'static str,
    /// Description in a line of the docs.
    pub about: &'static str,
    /// Least and greatest value.
    pub range: (f64, f64),
    /// True if it takes whole numbers alone.
    pub is_whole: bool,
    /// Returns the value.
    pub get: fn(&Settings) -> f64,
    /// Sets the value, which is in the range.
    pub set: fn(&mut Settings, f64),
}

impl Knob {
    /// Returns true if `name` is one of its names.
    pub fn is_called(&self, name: &str) -> bool {
        name == self.name || (!name.is_empty() && name == self.letter)
    }
}

/// Declares the knob of a field: `knob!(farlead.eta, "eta", "", "...", 0.0, 1.0)`.
macro_rules! knob {
    ($($field:ident).+, $name:literal, $letter:literal, $about:literal, $least:expr, $most:expr) => {
        Knob {
            name: $name,
            letter: $letter,
            about: $about,
            range: ($least, $most),
            is_whole: false,
            get: |settings| settings.$($field).+,
            set: |settings, value| settings.$($field).+ = value,
        }
    };
}

/// Numbers of `farlead`.
pub(super) static OF_FARLEAD: [Knob; 14] = [
    knob!(farlead.temperature, "temperature", "T", "softmax temperature at the start", 1e-6, 1e6),
    knob!(farlead.temperature_step, "temperature_step", "dT", "its decrease per episode", 0.0, 1e6),
    knob!(farlead.temperature_min, "temperature_min", "T_min", "its floor", 1e-6, 1e6),
    knob!(farlead.epsilon, "epsilon", "eps", "share of random choices at the start", 0.0, 1.0),
    knob!(farlead.epsilon_factor, "epsilon_factor", "u", "its factor per episode", 0.0, 1.0),
    knob!(farlead.epsilon_min, "epsilon_min", "eps_min", "its floor", 0.0, 1.0),
    knob!(farlead.eta, "eta", "", "learning rate at the start", 0.0, 1.0),
    knob!(farlead.eta_factor, "eta_factor", "v", "its factor per episode", 0.0, 1.0),
    knob!(farlead.eta_min, "eta_min", "", "its floor", 0.0, 1.0),
    knob!(farlead.lambda, "lambda", "", "decay of eligibility per step", 0.0, 1.0),
    knob!(
        farlead.eligibility_min,
        "eligibility_min",
        "e_min",
        "eligibility below which a decision learns no more",
        1e-6,
        1.0
    ),
    knob!(farlead.rho, "rho", "", "bound on the values of the first table", 1e-6, 1e6),
    knob!(farlead.alpha, "alpha", "", "share of the second table that stays", 0.0, 1.0),
    Knob {
        name: "tail",
        letter: "h",
        about: "pairs of action and screen before the screen that count; a whole number",
        range: (0.0, 4.0),
        is_whole: true,
        get: |settings| settings.farlead.tail as f64,
        set: |settings, value| settings.farlead.tail = value as usize,
    },
];

/// Numbers of `qlearning`.
pub(super) static OF_QLEARNING: [Knob; 3] = [
    knob!(qlearning.exploration, "epsilon", "eps", "share of random choices", 0.0, 1.0),
    knob!(qlearning.rate, "alpha", "", "learning rate", 0.0, 1.0),
    knob!(qlearning.discount, "gamma", "", "discount of a reward one step later", 0.0, 1.0),
];

/// Greatest number of steps that a knob may set.
const STEPS_MAX: f64 = 1e9;

/// Greatest number of steps that a replay buffer may have room for.
const BUFFER_MAX: f64 = 1e6;

/// Declares the knob of a field with a whole number.
macro_rules! whole {
    ($($field:ident).+, $name:literal, $about:literal, $least:expr, $most:expr) => {
        Knob {
            name: $name,
            letter: "",
            about: $about,
            range: ($least, $most),
            is_whole: true,
            get: |settings| f64::from(settings.$($field).+),
            set: |settings, value| settings.$($field).+ = value as u32,
        }
    };
}

/// Declares the numbers that the deep agent `$agent` shares with the others, and its own before them.
macro_rules! deep {
    ($agent:ident, [$($own:expr),*]) => {
        [
            $($own,)*
            knob!($agent.rate, "rate", "lr", "learning rate of all networks", 0.0, 1.0),
            knob!($agent.discount, "gamma", "", "discount of a reward one step later", 0.0, 1.0),
            knob!($agent.tau, "tau", "", "share of the way by which targets follow the critics", 0.0, 1.0),
            whole!($agent.batch, "batch", "steps that an update learns from; a whole number", 1.0, 1024.0),
            whole!($agent.every, "every", "steps from one update to the next; a whole number", 1.0, STEPS_MAX),
            whole!(
                $agent.residuals,
                "residuals",
                "other residuals of the formula under which each step is learned too; a whole number",
                0.0,
                64.0
            ),
        ]
    };
}

/// Declares the share of random choices of the deep agent `$agent`.
macro_rules! exploration {
    ($agent:ident) => {
        knob!($agent.exploration, "epsilon", "eps", "share of random choices", 0.0, 1.0)
    };
}

/// Numbers of `sac`.
pub(super) static OF_SAC: [Knob; 7] = deep!(
    sac,
    [knob!(
        sac.entropy,
        "entropy",
        "",
        "entropy that the temperature is tuned for, as a share of that of a random choice",
        0.0,
        1.0
    )]
);

/// Numbers of `ddpg`.
pub(super) static OF_DDPG: [Knob; 7] = deep!(ddpg, [exploration!(ddpg)]);

/// Numbers of `td3`.
pub(super) static OF_TD3: [Knob; 9] = deep!(
    td3,
    [
        exploration!(td3),
        knob!(
            td3.noise,
            "noise",
            "",
            "greatest noise on scores by which a target finds the best",
            0.0,
            100.0
        ),
        whole!(
            td3.delay,
            "delay",
            "updates from one move of the targets to the next; a whole number",
            1.0,
            STEPS_MAX
        )
    ]
);

/// Declares the knobs of a variant of DinoDroid.
macro_rules! of_dino {
    ($agent:ident $(, $more:expr)*) => {
        [
            knob!($agent.rate, "rate", "lr", "learning rate", 0.0, 1.0),
            knob!($agent.discount, "gamma", "", "discount of a reward one step later", 0.0, 1.0),
            knob!(
                $agent.epsilon,
                "epsilon",
                "eps",
                "share of choices among the events that were done least",
                0.0,
                1.0
            ),
            whole!(
                $agent.first,
                "first",
                "steps of a phase that are such choices in any case; a whole number",
                0.0,
                STEPS_MAX
            ),
            whole!(
                $agent.phases,
                "phases",
                "phases of a run; counts and memory begin anew in each; a whole number",
                1.0,
                1000.0
            ),
            whole!($agent.width, "width", "numbers of a word; 0 reads no words; a whole number", 0.0, 1024.0),
            whole!(
                $agent.batch,
                "batch",
                "most steps that an update learns from; a whole number",
                1.0,
                1024.0
            ),
            whole!($agent.epochs, "epochs", "updates by the same steps; a whole number", 1.0, 1000.0),
            whole!(
                $agent.every,
                "every",
                "steps from one update to the next; a whole number",
                1.0,
                STEPS_MAX
            ),
            knob!(
                $agent.dropout,
                "dropout",
                "",
                "share of the findings in texts that are left out while it learns",
                0.0,
                0.99
            ),
            knob!($agent.huber, "huber", "", "greatest error that counts in full", 1e-6, 1e6),
            whole!(
                $agent.copy,
                "copy",
                "updates from one copy of the network to the next; 0 has none; a whole number",
                0.0,
                STEPS_MAX
            ),
            $($more,)*
        ]
    };
}

/// Numbers of `dino`.
pub(super) static OF_DINO: [Knob; 12] = of_dino!(dino);

/// Numbers of `dino2`.
pub(super) static OF_DINO2: [Knob; 13] = of_dino!(
    dino2,
    knob!(
        dino2.pull,
        "pull",
        "",
        "worth of an event that was never done beyond what the network says; half of it with each step to one",
        0.0,
        1e6
    )
);

/// Numbers of `ape`.
pub(super) static OF_APE: [Knob; 7] = [
    knob!(ape.epsilon, "epsilon", "eps", "share of choices by priority where all was done", 0.0, 1.0),
    knob!(ape.texts, "texts", "", "share of clicks on a field that type a text", 0.0, 1.0),
    knob!(ape.fuzz, "fuzz", "", "share of steps with any action at all; 0.02 in its program", 0.0, 1.0),
    whole!(
        ape.quiet,
        "quiet",
        "steps without a new state or transition until the app is started afresh; a whole number",
        1.0,
        STEPS_MAX
    ),
    whole!(ape.still, "still", "steps in the same state until then; a whole number", 1.0, STEPS_MAX),
    whole!(ape.life_min, "life_min", "fewest steps until then in any case; a whole number", 1.0, STEPS_MAX),
    whole!(ape.life_max, "life_max", "most steps until then in any case; a whole number", 1.0, STEPS_MAX),
];

/// Numbers of `monkey`.
pub(super) static OF_MONKEY: [Knob; 1] = [Knob {
    name: "throttle",
    letter: "",
    about: "milliseconds that pass on the device after each event; a whole number, 0 in Android",
    // As long as a user's action may wait.
    range: (0.0, WAIT_MS_MAX as f64),
    is_whole: true,
    get: |settings| f64::from(settings.throttle_ms),
    set: |settings, value| settings.throttle_ms = value as u32,
}];

/// Numbers of `ares-qlearning` and `fate-qlearning`.
pub(super) static OF_NUMBERED: [Knob; 3] = [
    knob!(
        numbered.exploration,
        "epsilon",
        "eps",
        "share of random numbers; 0.8 in the second study of ARES",
        0.0,
        1.0
    ),
    knob!(numbered.rate, "alpha", "", "learning rate", 0.0, 1.0),
    knob!(
        numbered.discount,
        "gamma",
        "",
        "discount of a reward one step later; 0.9 and 0.99 in ARES",
        0.0,
        1.0
    ),
];

/// Declares the numbers of the deep agents of a program: `boxed!(ares, OF_ARES_SAC, OF_ARES_DDPG, OF_ARES_TD3)`.
macro_rules! boxed {
    ($program:ident, $sac:ident, $ddpg:ident, $td3:ident) => {
        /// Numbers of its soft actor-critic.
        pub(super) static $sac: [Knob; 10] = [
            knob!($program.sac.rate, "rate", "lr", "learning rate of all networks", 0.0, 1.0),
            knob!($program.sac.discount, "gamma", "", "discount of a reward one step later", 0.0, 1.0),
            knob!(
                $program.sac.entropy,
                "entropy",
                "",
                "entropy that the temperature is tuned for: minus this for each number",
                -10.0,
                10.0
            ),
            knob!($program.sac.tau, "tau", "", "share of the way by which the target follows", 0.0, 1.0),
            knob!($program.sac.scale, "scale", "", "factor of rewards; 1 in the original", 0.0, 1e3),
            whole!(
                $program.sac.buffer,
                "buffer",
                "steps that are remembered; a whole number",
                1.0,
                BUFFER_MAX
            ),
            whole!(
                $program.sac.batch,
                "batch",
                "steps that an update learns from; a whole number",
                1.0,
                1024.0
            ),
            whole!(
                $program.sac.starts,
                "learning_starts",
                "steps at the start whose numbers are drawn at random; a whole number",
                0.0,
                STEPS_MAX
            ),
            whole!(
                $program.sac.train_freq,
                "train_freq",
                "steps from one update to the next; a whole number",
                1.0,
                STEPS_MAX
            ),
            whole!(
                $program.sac.target_update,
                "target_update",
                "steps until the target follows at an update; a whole number",
                1.0,
                STEPS_MAX
            ),
        ];

        /// Numbers of its DDPG.
        pub(super) static $ddpg: [Knob; 10] = [
            knob!($program.ddpg.actor_rate, "actor_rate", "", "learning rate of the actor", 0.0, 1.0),
            knob!($program.ddpg.critic_rate, "critic_rate", "", "learning rate of the critic", 0.0, 1.0),
            knob!($program.ddpg.discount, "gamma", "", "discount of a reward one step later", 0.0, 1.0),
            knob!(
                $program.ddpg.tau,
                "tau",
                "",
                "share of the way by which the targets follow at each update",
                0.0,
                1.0
            ),
            knob!($program.ddpg.scale, "scale", "", "factor of rewards; 1 in the original", 0.0, 1e3),
            knob!(
                $program.ddpg.random_exploration,
                "random_exploration",
                "",
                "share of steps whose numbers are drawn at random",
                0.0,
                1.0
            ),
            whole!(
                $program.ddpg.buffer,
                "buffer",
                "steps that are remembered; a whole number",
                1.0,
                BUFFER_MAX
            ),
            whole!(
                $program.ddpg.batch,
                "batch",
                "steps that an update learns from; a whole number",
                1.0,
                1024.0
            ),
            whole!(
                $program.ddpg.nb_rollout_steps,
                "nb_rollout_steps",
                "steps from some updates to the next; a whole number",
                1.0,
                STEPS_MAX
            ),
            whole!(
                $program.ddpg.nb_train_steps,
                "nb_train_steps",
                "updates at a time; a whole number",
                0.0,
                1024.0
            ),
        ];

        /// Numbers of its TD3.
        pub(super) static $td3: [Knob; 13] = [
            knob!($program.td3.rate, "rate", "lr", "learning rate of all networks", 0.0, 1.0),
            knob!($program.td3.discount, "gamma", "", "discount of a reward one step later", 0.0, 1.0),
            knob!($program.td3.tau, "tau", "", "share of the way by which the targets follow", 0.0, 1.0),
            knob!($program.td3.scale, "scale", "", "factor of rewards; 1 in the original", 0.0, 1e3),
            knob!(
                $program.td3.random_exploration,
                "random_exploration",
                "",
                "share of steps whose numbers are drawn at random",
                0.0,
                1.0
            ),
            knob!(
                $program.td3.noise,
                "noise",
                "",
                "standard deviation of the noise on the actions of the target",
                0.0,
                10.0
            ),
            knob!($program.td3.noise_clip, "noise_clip", "", "greatest size of that noise", 0.0, 10.0),
            whole!(
                $program.td3.buffer,
                "buffer",
                "steps that are remembered; a whole number",
                1.0,
                BUFFER_MAX
            ),
            whole!(
                $program.td3.batch,
                "batch",
                "steps that an update learns from; a whole number",
                1.0,
                1024.0
            ),
            whole!(
                $program.td3.starts,
                "learning_starts",
                "steps at the start whose numbers are drawn at random; a whole number",
                0.0,
                STEPS_MAX
            ),
            whole!(
                $program.td3.train_freq,
                "train_freq",
                "steps from some updates to the next; a whole number",
                1.0,
                STEPS_MAX
            ),
            whole!(
                $program.td3.gradient_steps,
                "gradient_steps",
                "updates at a time; a whole number",
                0.0,
                1024.0
            ),
            whole!(
                $program.td3.policy_delay,
                "policy_delay",
                "updates of the critics from one of the actor to the next; a whole number",
                1.0,
                1024.0
            ),
        ];
    };
}

boxed!(ares, OF_ARES_SAC, OF_ARES_DDPG, OF_ARES_TD3);
boxed!(fate, OF_FATE_SAC, OF_FATE_DDPG, OF_FATE_TD3);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AGENTS;

    #[test]
    fn each_knob_sets_its_own_number_alone() {
        for info in AGENTS {
            for (at, knob) in info.knobs.iter().enumerate() {
                let default = Settings::default();
                let (least, most) = knob.range;
                assert!((least..=most).contains(&(knob.get)(&default)), "{}", knob.name);
                let mut settings = default;
                (knob.set)(&mut settings, least);
                assert_eq!((knob.get)(&settings), least, "{}", knob.name);
                for (other, kept) in info.knobs.iter().enumerate().filter(|(other, _)| *other != at) {
                    assert_eq!((kept.get)(&settings), (kept.get)(&default), "{at} {other}");
                    assert!(!kept.is_called(knob.name) && !kept.is_called(knob.letter), "{}", knob.name);
                }
            }
        }
    }
}
