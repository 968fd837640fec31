//! Numbers of the agents, with those of the papers and of their programs.

/// Numbers of `ares-sac` and `fate-sac`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxSac {
    /// Learning rate of all networks and of the temperature.
    pub rate: f64,
    /// Discount of a reward one step later.
    pub discount: f64,
    /// Entropy that the temperature is tuned for: minus this for each number of an action.
    pub entropy: f64,
    /// Share of the way by which the target follows.
    pub tau: f64,
    /// Factor of rewards.
    pub scale: f64,
    /// Most steps that are remembered.
    pub buffer: u32,
    /// Steps of an update.
    pub batch: u32,
    /// Steps at the start whose numbers are drawn at random.
    pub starts: u32,
    /// Steps from one update to the next.
    pub train_freq: u32,
    /// Steps from one move of the target to the next, which falls on an update.
    pub target_update: u32,
}

impl BoxSac {
    /// Numbers of FATE's script, and those of the second study of ARES.
    pub const FATE: BoxSac = BoxSac {
        rate: 1e-3,
        discount: 0.99,
        entropy: 1.0,
        tau: 0.005,
        scale: 0.01,
        buffer: 50_000,
        batch: 64,
        starts: 100,
        train_freq: 10,
        target_update: 5,
    };
    /// Numbers of ARES.
    pub const ARES: BoxSac = BoxSac { rate: 3e-4, train_freq: 5, target_update: 10, ..BoxSac::FATE };
}

/// Numbers of `ares-ddpg` and `fate-ddpg`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxDdpg {
    /// Learning rate of the actor.
    pub actor_rate: f64,
    /// Learning rate of the critic.
    pub critic_rate: f64,
    /// Discount of a reward one step later.
    pub discount: f64,
    /// Share of the way by which the targets follow at each update.
    pub tau: f64,
    /// Factor of rewards.
    pub scale: f64,
    /// Share of steps whose numbers are drawn at random.
    pub random_exploration: f64,
    /// Most steps that are remembered.
    pub buffer: u32,
    /// Steps of an update.
    pub batch: u32,
    /// Steps from some updates to the next.
    pub nb_rollout_steps: u32,
    /// Number of updates at a time.
    pub nb_train_steps: u32,
}

impl BoxDdpg {
    /// Numbers of FATE's script.
    pub const FATE: BoxDdpg = BoxDdpg {
        actor_rate: 1e-4,
        critic_rate: 1e-3,
        discount: 0.99,
        tau: 0.001,
        scale: 0.01,
        random_exploration: 0.8,
        buffer: 50_000,
        batch: 128,
        nb_rollout_steps: 100,
        nb_train_steps: 25,
    };
    /// Numbers of ARES.
    pub const ARES: BoxDdpg = BoxDdpg { random_exploration: 0.7, nb_train_steps: 10, ..BoxDdpg::FATE };
}

/// Numbers of `ares-td3` and `fate-td3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxTd3 {
    /// Learning rate of all networks.
    pub rate: f64,
    /// Discount of a reward one step later.
    pub discount: f64,
    /// Share of the way by which the targets follow.
    pub tau: f64,
    /// Factor of rewards.
    pub scale: f64,
    /// Share of steps whose numbers are drawn at random.
    pub random_exploration: f64,
    /// Standard deviation of the noise on the actions of the target.
    pub noise: f64,
    /// Greatest size of that noise.
    pub noise_clip: f64,
    /// Most steps that are remembered.
    pub buffer: u32,
    /// Steps of an update.
    pub batch: u32,
    /// Steps at the start whose numbers are drawn at random.
    pub starts: u32,
    /// Steps from some updates to the next.
    pub train_freq: u32,
    /// Number of updates at a time.
    pub gradient_steps: u32,
    /// Updates of the critics from one of the actor and the targets to the next.
    pub policy_delay: u32,
}

impl BoxTd3 {
    /// Numbers of the study on FATE's models whose updates are as many as steps.
    pub const FATE: BoxTd3 = BoxTd3 {
        rate: 3e-4,
        discount: 0.99,
        tau: 0.005,
        scale: 0.01,
        random_exploration: 0.8,
        noise: 0.2,
        noise_clip: 0.5,
        buffer: 50_000,
        batch: 128,
        starts: 0,
        train_freq: 100,
        gradient_steps: 100,
        policy_delay: 2,
    };
    /// Numbers of ARES.
    pub const ARES: BoxTd3 = BoxTd3 { starts: 100, train_freq: 10, ..BoxTd3::FATE };
}

/// Numbers of the deep agents of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxedSettings {
    /// Soft actor-critic.
    pub sac: BoxSac,
    /// Deep deterministic policy gradient.
    pub ddpg: BoxDdpg,
    /// Its successor with two critics.
    pub td3: BoxTd3,
}

impl BoxedSettings {
    /// Numbers of FATE.
    pub const FATE: BoxedSettings =
        BoxedSettings { sac: BoxSac::FATE, ddpg: BoxDdpg::FATE, td3: BoxTd3::FATE };
    /// Numbers of ARES.
    pub const ARES: BoxedSettings =
        BoxedSettings { sac: BoxSac::ARES, ddpg: BoxDdpg::ARES, td3: BoxTd3::ARES };
}
