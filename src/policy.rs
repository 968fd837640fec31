//! Policies as the text of a file: the networks of an agent that were trained on some apps, for use on any other.
//!
//! `docs/formats.md` shows its two lines. A file holds numbers and names alone; whatever does not fit is refused with its
//! line.

use std::fmt::Write as _;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::agent::{self, AgentInfo, Kept};
use crate::learned::Mistake;
use crate::sorted;

/// Version of the format that is written.
const VERSION: u64 = 1;

/// Most apps that a file names, and most bytes of a name.
const APPS_MAX: usize = 10_000;
const NAME_BYTES_MAX: usize = 1_000;

/// Kind of file, as the first line calls it.
const KIND: &str = "policy";

/// Name of the policy that comes with farlead, in the place of a file.
pub const SHIPPED: &str = "shipped";

/// Networks that were trained, and the apps that they were trained on.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Agent whose networks these are.
    pub agent: &'static AgentInfo,
    /// Packages of the apps, in the order of the training.
    pub apps: Vec<String>,
    /// Steps of the training.
    pub steps: u64,
    /// Bytes of the networks.
    pub kept: Kept,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    farlead: String,
    version: u64,
    agent: String,
    steps: u64,
    apps: Vec<String>,
    /// SHA-256 of the networks.
    sum: String,
}

/// The second line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Networks {
    /// In Base64.
    networks: String,
}

impl Policy {
    /// Returns the text of the policy that comes with farlead: of the agent `ddpg`, trained on made-up apps by
    /// `src/policy/train`.
    pub fn shipped() -> String {
        let packed = &include_bytes!("policy/ddpg.policy.gz")[..];
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text).expect("the file was packed from a policy");
        text
    }

    /// Returns what `text` holds.
    ///
    /// ```
    /// use farlead::policy::Policy;
    ///
    /// assert_eq!(Policy::read("[]").unwrap_err().line, 1);
    /// ```
    pub fn read(text: &str) -> Result<Policy, Mistake> {
        let wrong = |line: usize, message: String| Mistake { line, message };
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let header: Header = serde_json::from_str(first)
            .map_err(|error| wrong(1, format!("this is no policy of farlead: {error}")))?;
        if header.farlead != KIND {
            return Err(wrong(1, format!("this is a file of kind `{}`, and not a policy", header.farlead)));
        }
        if header.version != VERSION {
            let message =
                format!("version {} is not known, only {VERSION}; a newer farlead wrote it", header.version);
            return Err(wrong(1, message));
        }
        let Some(agent) = agent::find(&header.agent) else {
            return Err(wrong(1, format!("there is no agent `{}`", header.agent)));
        };
        if header.apps.len() > APPS_MAX || header.apps.iter().any(|name| name.len() > NAME_BYTES_MAX) {
            return Err(wrong(1, "it names too many apps, or too long ones".to_string()));
        }
        let second = lines.next().unwrap_or_default();
        let Networks { networks } = serde_json::from_str(second)
            .map_err(|error| wrong(2, format!("the networks are missing or damaged: {error}")))?;
        let bytes = BASE64
            .decode(networks)
            .map_err(|error| wrong(2, format!("the networks are not in Base64: {error}")))?;
        if sum(&bytes) != header.sum {
            return Err(wrong(
                2,
                "the networks are not those that the first line names: they were changed".to_string(),
            ));
        }
        if lines.next().is_some() {
            return Err(wrong(3, "a policy has two lines, and this is one more".to_string()));
        }
        let kept = Kept::new(agent, &bytes).map_err(|error| wrong(2, error.message))?;
        Ok(Policy { agent, apps: header.apps, steps: header.steps, kept })
    }

    /// Returns the text that holds it.
    pub fn to_text(&self) -> String {
        let header = Header {
            farlead: KIND.to_string(),
            version: VERSION,
            agent: self.agent.name.to_string(),
            steps: self.steps,
            apps: self.apps.clone(),
            sum: sum(self.kept.bytes()),
        };
        let networks = Networks { networks: BASE64.encode(self.kept.bytes()) };
        let mut text = serde_json::to_string(&header).expect("names and numbers are JSON") + "\n";
        text += &serde_json::to_string(&networks).expect("a text is JSON");
        text + "\n"
    }

    /// Describes its training in a line for people.
    pub fn describe(&self) -> String {
        let mut text = format!("policy of {}, trained for {} steps on ", self.agent.name, self.steps);
        // An app may have been trained on several times.
        let distinct = sorted::set(&self.apps);
        match (distinct.first(), distinct.len()) {
            (None, _) => text.push_str("no app"),
            (Some(one), 1) => text.push_str(one),
            (Some(_), count) => write!(text, "{count} apps").expect("a text takes all"),
        }
        text
    }
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text takes all");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{RANDOM, SAC};

    fn policy() -> Policy {
        Policy { agent: &RANDOM, apps: vec!["a".to_string()], steps: 7, kept: Kept::default() }
    }

    #[test]
    fn an_app_that_was_trained_on_twice_is_one_app() {
        let on = |apps: &[&str]| {
            let apps = apps.iter().map(|app| app.to_string()).collect();
            Policy { apps, ..policy() }.describe()
        };
        assert_eq!(on(&[]), "policy of random, trained for 7 steps on no app");
        assert_eq!(on(&["a", "a"]), "policy of random, trained for 7 steps on a");
        assert_eq!(on(&["b", "a", "b"]), "policy of random, trained for 7 steps on 2 apps");
    }

    fn refusal(text: &str) -> (usize, String) {
        let Mistake { line, message } = Policy::read(text).expect_err("it is refused");
        (line, message)
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text = policy().to_text();
        assert_eq!(Policy::read(&text).expect("its own text").to_text(), text);
    }

    #[test]
    fn whatever_does_not_fit_is_refused_with_its_line() {
        let text = policy().to_text();
        let with = |from: &str, to: &str| refusal(&text.replacen(from, to, 1));
        assert!(refusal("").1.contains("this is no policy"));
        assert_eq!(
            with("policy", "learned"),
            (1, "this is a file of kind `learned`, and not a policy".to_string())
        );
        assert!(with("\"version\":1", "\"version\":9").1.contains("a newer farlead wrote it"));
        assert_eq!(with("random", "nobody"), (1, "there is no agent `nobody`".to_string()));
        assert_eq!(with("\"networks\":\"\"", "\"networks\":\"AAAA\"").0, 2);
        assert_eq!(with("\"networks\":\"\"", "\"networks\":\"?\"").0, 2);
        assert_eq!(refusal(text.lines().next().expect("a line")).0, 2);
        assert_eq!(refusal(&format!("{text}\n")).0, 3);
        // These are the networks of no agent.
        let kept = b"{}\n";
        let text = text.replace("random", SAC.name).replace(&sum(b""), &sum(kept));
        let text = text.replace("\"networks\":\"\"", &format!("\"networks\":\"{}\"", BASE64.encode(kept)));
        assert!(refusal(&text).1.contains("method"), "{:?}", refusal(&text));
    }
}
