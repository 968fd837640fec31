//! The app that a command drives, as the command line names it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use farlead::device::Device;
use farlead::device::sim::model::Model;
use farlead::device::sim::{self, Sim};
use farlead::rng::Seed;
use farlead::spec::{Diagnostics, Source};

use crate::project::Project;
use crate::sources::{self, Shell};
use crate::{Missing, Mistake, Usage};

/// Which app, and on what.
#[derive(Debug, Args)]
pub struct AppArgs {
    /// An app model, run by the embedded simulator
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["apk", "package"])]
    app: Option<PathBuf>,
    /// An app as it is installed; one made by `farlead model pack` carries its model and needs no device
    #[arg(long, value_name = "APK", conflicts_with = "package")]
    apk: Option<PathBuf>,
    /// An app that is on the device already
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// What to run it on: `sim`, the embedded simulator
    #[arg(long, value_name = "D")]
    device: Option<String>,
    /// A parameter of the model, like fixed=true; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// An app model that is ready to run.
#[derive(Debug)]
pub struct OpenedApp {
    model: Arc<Model>,
}

impl OpenedApp {
    /// Returns a simulator of it, all its chance from `seed`.
    pub fn simulator(&self, seed: Seed) -> Sim {
        Sim::new(self.model.clone(), seed)
    }

    /// What runs, in a line.
    pub fn describe(&self) -> String {
        self.simulator(Seed::default()).describe()
    }
}

impl AppArgs {
    /// Returns the app that is asked for here, else by `project`, or what to type so that there is one.
    pub fn open(&self, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if self.app.is_some() || self.apk.is_some() || self.package.is_some() {
            return self.open_own(shell);
        }
        let Project { app, apk, package, set, .. } = project.clone();
        // What is said here comes last, and so counts.
        let set = set.into_iter().chain(self.set.iter().cloned()).collect();
        let device = self.device.clone();
        AppArgs { app, apk, package, device, set }.open_own(shell)
    }

    fn open_own(&self, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if let Some(device) = self.device.as_ref().filter(|device| *device != "sim") {
            let message = format!("there is no device `{device}`; there is `sim`, the embedded simulator");
            return Err(Missing::new(message).into());
        }
        if let Some(path) = &self.app {
            let source = sources::read_text(path)?;
            return self.opened(source, shell);
        }
        if let Some(path) = &self.apk {
            let bytes = fs::read(path)
                .map_err(|error| Mistake::new(format!("cannot read {}: {error}", path.display())))?;
            return match sim::apk::unpack_model(std::io::Cursor::new(bytes)) {
                Ok(Some(text)) => {
                    let name = format!("{}:{}", path.display(), sim::apk::MODEL_PATH);
                    self.opened(Source::new(name, text), shell)
                }
                Ok(None) => Err(Missing::new(format!(
                    "{} carries no model, and there is no device to install it on; give a model with `--app MODEL`, or make an \
                     apk that carries one with `farlead model pack MODEL`",
                    path.display()
                ))
                .into()),
                Err(error) => Err(Mistake::new(format!("{}: {error}", path.display())).into()),
            };
        }
        if let Some(package) = &self.package {
            return Err(Missing::new(format!(
                "there is no device that `{package}` could be on; give a model with `--app MODEL`, run by the simulator"
            ))
            .into());
        }
        Err(Usage::new(
            "which app? Give a model with `--app apps/chesswalk.app`, or an apk with `--apk notes.apk`"
                .into(),
        )
        .into())
    }

    fn opened(&self, source: Source, shell: &Shell) -> anyhow::Result<OpenedApp> {
        let sim::Read { model, diagnostics } = sim::read(&source);
        let Some(mut model) = model else {
            return Err(sources::refuse(&source, &diagnostics, shell).into());
        };
        for set in &self.set {
            let Some((name, value)) = set.split_once('=') else {
                return Err(
                    Usage::new(format!("`--set {set}` has no value; it is like `--set fixed=true`")).into()
                );
            };
            model.set(name.trim(), value.trim()).map_err(|error| Usage::new(error.to_string()))?;
        }
        warn_once(&source, &diagnostics, shell);
        Ok(OpenedApp { model: Arc::new(model) })
    }
}

fn warn_once(source: &Source, diagnostics: &Diagnostics, shell: &Shell) {
    if !shell.quiet {
        sources::warn(source, diagnostics, shell);
    }
}
