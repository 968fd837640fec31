//! `farlead look`: prints a screen as atoms and actions to paste into a spec.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use clap::Args;
use farlead::device::{Capabilities, Device};
use farlead::gui::{
    self, Action, Atom, BUILTIN_TEXTS, Context, DUMP_BYTES_MAX, Hierarchy, Key, Labeller, Pasted, Repertoire,
    Screen, TypedText,
};
use farlead::rng::Seed;
use farlead::spec::{SpecFile, printable, shown_path};
use serde::Serialize;

use crate::app::AppArgs;
use crate::deciding::failed;
use crate::lint::counted;
use crate::progress::interruption;
use crate::project::Project;
use crate::secrets::SecretTexts;
use crate::sources::{self, Shell};
use crate::stdout::{Out, out};
use crate::{Exit, Missing, Mistake, Usage};

/// Show a screen as atoms and actions to paste into a spec.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead look                                       the screen of the attached device
  farlead look --device emulator-5554 --watch        and again at each change
  farlead look --app apps/notes.app                  the first screen of a model
  farlead look --dump window_dump.xml                a saved hierarchy
  adb exec-out uiautomator dump /dev/tty | farlead look --dump -
  farlead look --app apps/notes.app --against specs/notes/palette.ltl
  farlead look --dump window_dump.xml --json

On a device nothing is installed, started or changed. A saved hierarchy says nothing of the activity, the network and whether the screen is lit, so
nothing is said of them. With --json, one object: package, activity, widgets (how many nodes
there are, seen or not), actions (type, detail, objectID, bounds as [left, top, right, bottom]),
labels (atoms that hold); with --against also against (spec, atom, holds, why).

Exit codes: 0 looked; 2 command line; 3 the hierarchy, the app or the spec is missing or has mistakes;
4 no such device.")]
pub struct LookArgs {
    /// Hierarchy from `uiautomator dump`, Appium's UiAutomator2 driver or `maestro hierarchy`; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["app", "apk", "package", "url", "device", "u2", "set", "seed"])]
    dump: Option<PathBuf>,
    /// Seed of the simulator
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Show which atoms of these specs hold, and why the others do not
    #[arg(long, value_name = "SPEC")]
    against: Option<PathBuf>,
    /// Look again at each change, until Ctrl-C
    #[arg(long, conflicts_with = "dump")]
    watch: bool,
    /// Write JSON, one object a screen
    #[arg(long)]
    json: bool,
    #[command(flatten, next_help_heading = "App")]
    app: AppArgs,
}

/// Pause between two looks at a device.
const WATCH_EVERY: Duration = Duration::from_millis(500);

/// A screen that was looked at.
struct Look {
    screen: Screen,
    /// Number of nodes in its tree; a screen may leave some out.
    nodes: usize,
    /// False of a dump, which does not say what surrounds the widgets.
    has_context: bool,
    /// Kinds of action of the device.
    capabilities: Capabilities,
}

pub fn run(args: &LookArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut project = Project::find()?;
    let read = |path: &Path| sources::read_sound(path, &project, shell);
    let against = args.against.as_deref().map(read).transpose()?;
    let mut texts = SecretTexts::of(&project)?;
    if let (Some(path), Some(file)) = (&args.against, &against) {
        texts.add_specs(&sources::read_text(path)?, &file.specs);
    }
    project.secrets = texts.read()?;
    if let Some(path) = &args.dump {
        let mut look = of_dump(path)?;
        if let Some(secrets) = &project.secrets {
            look.screen = (*secrets.hide_on(&look.screen.into())).clone();
        }
        say_all(args, &look, against.as_ref(), &mut out())?;
        return Ok(Exit::Passed);
    }
    if let Some(mut device) = args.app.device_to_look_at(&project, shell)? {
        return watch(args, &mut *device, against.as_ref());
    }
    if args.watch {
        let message =
            "`--watch` waits for what someone does on a device; on the simulator nobody does anything";
        return Err(Usage::new(message.to_string()).into());
    }
    let mut device = args.app.open(&project, shell)?.device(Seed(args.seed));
    start(&mut *device)?;
    watch(args, &mut *device, against.as_ref())
}

/// Writes the screen that a device shows; with `--watch` again whenever it is another.
fn watch(args: &LookArgs, device: &mut dyn Device, against: Option<&SpecFile>) -> anyhow::Result<Exit> {
    let (interrupted, mut out) = (interruption(), out());
    let mut before = None;
    loop {
        let seen = device.look().map_err(|error| failed(&error))?;
        let screen = (*seen.screen).clone();
        // Compared with its bounds, which are printed here and which an identity lacks.
        if before.as_ref() != Some(&screen) {
            let nodes = screen.widgets().len();
            let capabilities = device.capabilities();
            let look = Look { screen: screen.clone(), nodes, has_context: true, capabilities };
            if args.watch && before.is_some() && !args.json {
                writeln!(out)?;
            }
            say_all(args, &look, against, &mut out)?;
            before = Some(screen);
        }
        if !args.watch || interrupted.load(Ordering::Relaxed) || out.is_closed() {
            return Ok(Exit::Passed);
        }
        thread::sleep(WATCH_EVERY);
    }
}

fn say_all(args: &LookArgs, look: &Look, against: Option<&SpecFile>, out: &mut Out) -> anyhow::Result<()> {
    let actions = against.map_or(&[][..], |file| &file.actions);
    // All that can be done here is shown, even if only some specs have it offered.
    let repertoire = Repertoire::new(BUILTIN_TEXTS, actions, true);
    let offers = gui::offers(&look.screen, &Repertoire { capabilities: look.capabilities, ..repertoire });
    let mut out = BufWriter::new(out);
    if args.json {
        say_as_json(&mut out, look, &offers, against)?;
    } else {
        match against {
            Some(file) => say_against(&mut out, look, &offers, file)?,
            None => say(&mut out, look, &offers)?,
        }
    }
    Ok(out.flush()?)
}

fn of_dump(path: &Path) -> anyhow::Result<Look> {
    let name = if path == Path::new("-") { "standard input".to_string() } else { shown_path(path) };
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        // One byte too many shows that the dump is too long, and an endless input ends.
        let read = io::stdin().lock().take(DUMP_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| Mistake::new(format!("cannot read {name}: {error}")))?;
        bytes
    } else {
        sources::read_bytes(path)?
    };
    let hierarchy =
        Hierarchy::read_saved(&bytes).map_err(|error| Mistake::new(format!("{name}: {error}")))?;
    // A dump tells its orientation and nothing else of the context.
    let context = Context { orientation: hierarchy.orientation(), ..Context::default() };
    let (nodes, package) = (hierarchy.widgets.len(), hierarchy.package.clone());
    let screen = hierarchy.into_screen(package, "", context);
    // The device behind a dump is not known, so no kind of action is left out.
    Ok(Look { screen, nodes, has_context: false, capabilities: Capabilities::PHONE })
}

/// Starts the app with its first activity.
fn start(device: &mut dyn Device) -> anyhow::Result<()> {
    let Some(activity) = device.app().launchable.first().cloned() else {
        return Err(
            Missing::new(format!("{} has no activity that can be started", device.app().package)).into()
        );
    };
    device.reset(&activity).map_err(|error| failed(&error))?;
    Ok(())
}

impl Look {
    /// Returns the atoms that hold and speak of what is known.
    fn atoms(&self) -> Vec<Pasted> {
        let mut atoms = gui::atoms_of_screen(&self.screen);
        atoms.retain(|pasted| self.knows(&pasted.atom));
        atoms
    }

    fn knows(&self, atom: &Atom) -> bool {
        let unsaid = [Key::Activity, Key::Screen, Key::Network, Key::Crashed, Key::Anr];
        self.has_context || !unsaid.iter().any(|&key| atom.mentions(key))
    }
}

/// `--json`.
#[derive(Serialize)]
struct Form<'a> {
    package: &'a str,
    activity: &'a str,
    widgets: usize,
    actions: Vec<ActionForm<'a>>,
    labels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Vec<JudgedForm>>,
}

#[derive(Serialize)]
struct ActionForm<'a> {
    #[serde(rename = "type")]
    action_type: &'a str,
    detail: &'a str,
    #[serde(rename = "objectID")]
    object_id: &'a str,
    bounds: [i32; 4],
}

/// An atom of a spec; `holds` is none if the dump does not say it.
#[derive(Serialize)]
struct JudgedForm {
    spec: String,
    atom: String,
    holds: Option<bool>,
    why: String,
}

fn say_as_json(
    out: &mut impl Write,
    look: &Look,
    offers: &[Action],
    against: Option<&SpecFile>,
) -> anyhow::Result<()> {
    let bounds = |action: &Action| {
        let bounds = action.target().map(|on| on.bounds).unwrap_or_default();
        [bounds.left, bounds.top, bounds.right, bounds.bottom]
    };
    let form = Form {
        package: look.screen.package(),
        activity: look.screen.activity(),
        widgets: look.nodes,
        actions: offers
            .iter()
            .map(|action| ActionForm {
                action_type: action.type_name(),
                detail: action.detail(),
                object_id: action.target().map_or("", |on| &on.object_id),
                bounds: bounds(action),
            })
            .collect(),
        labels: look.atoms().iter().map(|pasted| pasted.atom.to_string()).collect(),
        against: against.map(|file| judged(look, offers, file)),
    };
    serde_json::to_writer(&mut *out, &form)?;
    writeln!(out)?;
    Ok(())
}

fn say(out: &mut impl Write, look: &Look, offers: &[Action]) -> io::Result<()> {
    let Look { screen, nodes, .. } = look;
    let visible = screen.widgets().iter().filter(|widget| widget.is_visible()).count();
    let name = match (&**screen.package(), &**screen.activity()) {
        ("", _) => "a screen of no package".to_string(),
        (package, "") => package.to_string(),
        (_, activity) => activity.to_string(),
    };
    writeln!(out, "{}: {}, {visible} of them visible", printable(&name), counted(*nodes, "widget"))?;
    writeln!(out, "\nAtoms that hold")?;
    for Pasted { atom, seen } in look.atoms() {
        let seen = seen.map_or(String::new(), |seen| format!("  # {seen:?}"));
        writeln!(out, "  {}", printable(&format!("{atom}{seen}")))?;
    }
    writeln!(out, "\nActions")?;
    // The texts for one field give one line, as it leaves the text open.
    let mut seen = BTreeSet::new();
    for action in offers {
        let line = action_line(action);
        if let Some(line) = line.filter(|line| seen.insert(line.clone())) {
            writeln!(out, "  {}", printable(&line))?;
        }
    }
    Ok(())
}

/// Returns the atom of an action, followed by its widget as a comment.
fn action_line(action: &Action) -> Option<String> {
    // The author of the spec chooses the text, so the atom leaves it open.
    let atom = match action {
        Action::Text { on, .. } => gui::atom_of_action(&Action::Text { on: on.clone(), text: "".into() }),
        other => gui::atom_of_action(other),
    }?;
    Some(match action.target() {
        // A nameless widget is shown by its place, which need not appear twice.
        Some(on) if on.to_string().ends_with(&*on.object_id) => {
            format!("{atom}  # on {on}, at {}", on.bounds)
        }
        Some(on) => format!("{atom}  # on {on}, objectID {}, at {}", on.object_id, on.bounds),
        None => atom.to_string(),
    })
}

fn say_against(out: &mut impl Write, look: &Look, offers: &[Action], file: &SpecFile) -> io::Result<()> {
    let mut spec = None;
    for one in judged(look, offers, file) {
        if spec.as_ref() != Some(&one.spec) {
            let gap = if spec.is_some() { "\n" } else { "" };
            writeln!(out, "{gap}{}", printable(&one.spec))?;
            spec = Some(one.spec);
        }
        let word = match one.holds {
            Some(true) => "yes",
            Some(false) => "no ",
            None => "?  ",
        };
        let why = if one.why.is_empty() { String::new() } else { format!(": {}", printable(&one.why)) };
        writeln!(out, "  {word} {}{why}", printable(&one.atom))?;
    }
    Ok(())
}

/// Judges each atom of each spec, in the order of their names.
fn judged(look: &Look, offers: &[Action], file: &SpecFile) -> Vec<JudgedForm> {
    let mut judged = Vec::new();
    for spec in &file.specs {
        for (name, atom) in &spec.atoms {
            let (holds, why) = judge(look, offers, atom);
            judged.push(JudgedForm { spec: spec.name.clone(), atom: name.clone(), holds, why });
        }
    }
    judged
}

fn judge(look: &Look, offers: &[Action], atom: &Atom) -> (Option<bool>, String) {
    if atom.is_action() {
        // An atom about actions holds of none that was done yet, so the offers are counted.
        let labeller = Labeller::new([(0, atom)], TypedText::Counts);
        let count = offers.iter().filter(|action| !labeller.of_action(action).is_empty()).count();
        return match count {
            0 => (Some(false), "no action here is like this".to_string()),
            count => (Some(true), format!("of {} here", counted(count, "action"))),
        };
    }
    if !look.knows(atom) {
        return (None, "a saved hierarchy does not say it".to_string());
    }
    match gui::shortfall(atom, &look.screen) {
        None => (Some(true), String::new()),
        Some(why) => (Some(false), why),
    }
}
