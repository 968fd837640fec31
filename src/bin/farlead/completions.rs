//! `farlead completions`: scripts that complete command lines in shells.

use std::io::Write;

use clap::{Args, CommandFactory};

use crate::stdout::out;
use crate::{Cli, Exit};

/// Write the completions of a shell for commands and flags.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead completions bash > ~/.local/share/bash-completion/completions/farlead
  farlead completions zsh > ~/.zfunc/_farlead
  farlead completions fish > ~/.config/fish/completions/farlead.fish

Exit codes: 0 written; 2 command line; 4 the disk.")]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: clap_complete::Shell,
}

pub fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    // Into memory first: `generate` panics if it cannot write, as into a closed pipe.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "farlead", &mut text);
    out().write_all(&text)?;
    Ok(Exit::Passed)
}
