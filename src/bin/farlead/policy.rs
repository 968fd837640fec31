//! The file of `--policy`: read before anything runs, and written after training.

use std::path::Path;

use farlead::agent::{AgentInfo, Kept};
use farlead::policy::{Policy, SHIPPED};
use farlead::spec::{Source, shown_path};
use farlead::store;

use crate::sources;
use crate::{Missing, Mistake};

/// Returns the policy in the file at `path`, or the one that comes with farlead if that is its name; it must be one of
/// `agent`.
pub fn read(path: &Path, agent: &AgentInfo) -> anyhow::Result<Policy> {
    let source = match path == Path::new(SHIPPED) {
        true => Source::new(SHIPPED, Policy::shipped()),
        false => sources::read_text(path)?,
    };
    let policy = Policy::read(source.text())
        .map_err(|mistake| Mistake::new(format!("{}:{mistake}", shown_path(path))))?;
    if policy.agent.name != agent.name {
        let message = format!(
            "{} is a policy of the agent {}, and the agent here is {}; say `--agent {}`",
            shown_path(path),
            policy.agent.name,
            agent.name,
            policy.agent.name
        );
        return Err(Mistake::new(message).into());
    }
    Ok(policy)
}

/// Returns what an agent starts from: what it learned of the app itself, else the policy.
pub fn start(learned: Kept, policy: Option<&Policy>) -> Kept {
    match policy {
        Some(policy) if learned.bytes().is_empty() => policy.kept.clone(),
        Some(_) | None => learned,
    }
}

/// Writes `policy` to the file at `path`, whole or not at all.
pub fn write(path: &Path, policy: &Policy) -> anyhow::Result<()> {
    store::write(path, policy.to_text().as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
    Ok(())
}
