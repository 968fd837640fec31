//! The log-in screen of an app, as `farlead init` finds it: its fields, its button, and the texts to start with.

use std::path::Path;

use farlead::agent::PLANNER;
use farlead::device::{self, Sim};
use farlead::gui::{Flags, Screen, Widget, atom_of_widget};
use farlead::rng::Seed;
use farlead::search::{Plan, search};
use farlead::spec::{Source, parse, quoted_value};

/// Steps and episodes of the search for a field of a password: enough for one behind a few pages.
const STEPS_MAX: u32 = 8;
const EPISODES_MAX: u32 = 40;

/// Parts of the names of buttons that log in, in small letters.
const NAMES: [&str; 10] = [
    "log in",
    "login",
    "log-in",
    "sign in",
    "signin",
    "sign-in",
    "anmelden",
    "einloggen",
    "connexion",
    "entrar",
];

/// Parts of the names of activities that log in, in small letters.
const ACTIVITIES: [&str; 4] = ["login", "signin", "authenticat", "logon"];

/// A log-in screen.
#[derive(Debug)]
pub struct LogIn {
    /// Activity in short.
    pub activity: String,
    /// Fields to fill, each as an atom.
    fields: Vec<Field>,
    /// Name of the button; none if it is not known.
    button: Option<String>,
}

/// A field to fill.
#[derive(Debug)]
struct Field {
    atom: String,
    is_password: bool,
}

impl LogIn {
    /// Returns the log-in screen of the app whose model is at `path`, if a short search comes by one.
    pub fn of_model(path: &Path) -> Option<LogIn> {
        let model = device::load_model(path, &[]).ok()?.model;
        let parsed = parse(&Source::new("log-in", "possible \"a password\": F [password = true]"));
        let spec = parsed.file.specs.first()?;
        let plan = Plan { steps_max: STEPS_MAX, episodes_max: EPISODES_MAX, ..Plan::new(&PLANNER) };
        let found = search(&mut Sim::new(model, Seed::default()), spec, &plan, &mut |_| true).ok()?;
        let last = found.run?.steps.pop()?;
        LogIn::on(&last.observation.screen)
    }

    /// Returns the log-in screen that the name of one of `activities` promises.
    pub fn of_names(activities: &[String]) -> Option<LogIn> {
        let short = |name: &String| farlead::gui::short_activity(name).to_string();
        let is_log_in = |name: &String| ACTIVITIES.iter().any(|part| name.to_lowercase().contains(part));
        let activity = activities.iter().map(short).find(is_log_in)?;
        let field = |atom: &str, is_password| Field { atom: atom.to_string(), is_password };
        let fields = vec![field("[id ~ mail]", false), field("[password = true]", true)];
        Some(LogIn { activity, fields, button: None })
    }

    fn on(screen: &Screen) -> Option<LogIn> {
        let visible: Vec<&Widget> = screen.widgets().iter().filter(|widget| widget.is_visible()).collect();
        let password = visible.iter().position(|widget| widget.flags.has(Flags::PASSWORD))?;
        // Fields behind the password belong to something else, like a search.
        let fields = visible[..=password].iter().filter(|widget| widget.flags.has(Flags::EDITABLE));
        let fields: Vec<Field> = fields
            .filter_map(|widget| {
                let atom = atom_of_widget(screen, widget)?.to_string();
                Some(Field { atom, is_password: widget.flags.has(Flags::PASSWORD) })
            })
            .collect();
        let is_button = |widget: &&&Widget| {
            widget.flags.has(Flags::CLICKABLE) && !widget.flags.has(Flags::EDITABLE) && name(widget).is_some()
        };
        let is_named = |widget: &&&Widget| {
            let name = name(widget).unwrap_or_default().to_lowercase();
            NAMES.iter().any(|part| name.contains(part))
        };
        let behind = || visible[password..].iter().filter(is_button);
        let button = behind().find(is_named).or_else(|| behind().next());
        let activity = farlead::gui::short_activity(screen.activity()).to_string();
        Some(LogIn { activity, fields, button: button.and_then(|button| name(button)) })
    }

    /// Returns the lines of farlead.toml about it, all of them comments.
    pub fn settings(&self) -> String {
        let mut text = format!(
            "\n# The log-in screen {}. Put the credentials into the environment as LOGIN_USER and LOGIN_PASSWORD (farlead never\n\
             # writes them anywhere), take the `#` from these rules, and run `farlead check setup/login.ltl`. Then take it from\n\
             # `setup` above: the run logs in before each episode.\n",
            self.activity
        );
        for field in &self.fields {
            let variable = if field.is_password { "LOGIN_PASSWORD" } else { "LOGIN_USER" };
            text += &format!("# [[rule]]\n# type = \"${{{variable}}}\"\n# into = '{}'\n", field.atom);
        }
        text
    }

    /// Returns the spec whose run logs in.
    pub fn spec(&self) -> String {
        let click = match &self.button {
            Some(name) => format!("[actionType = click, actionDetail = {}]", quoted_value(name)),
            None => "[actionType = click]".to_string(),
        };
        format!(
            "# The log-in screen {}: after the click there is no field for a password any more. The run of this spec is the\n\
             # set-up of the others, see farlead.toml. `within` leaves room for the fields.\n\
             possible \"log in\" within 12 steps:\n    \
             F ([password = true] & X ({click} & ![password = true] & [crashed = false]))\n",
            self.activity
        )
    }
}

fn name(widget: &Widget) -> Option<String> {
    let names = [&*widget.text, &*widget.desc, widget.id_entry()];
    names.into_iter().find(|name| !name.trim().is_empty()).map(str::to_string)
}
