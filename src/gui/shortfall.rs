//! Shortfalls: the reason why an atom does not hold on a screen, in words.

use super::atom::{Atom, Comparison, Key, Op};
use super::constant::{Constant, quote};
use super::element::short_class;
use super::label::{Labeller, WidgetTest};
use super::linked::values;
use super::nearest::nearest;
use super::pattern::Pattern;
use super::screen::{Flags, Screen};
use super::term::Term;
use super::typed::TypedText;

/// Most characters of a screen's text that are repeated.
const CHARS_MAX: usize = 60;

/// Returns the reason why `atom` does not hold on `screen`; nothing if it holds there or is about actions.
///
/// ```
/// use farlead::gui::{Context, Screen, shortfall};
///
/// let screen = Screen::new("org.notes", "org.notes.Main", Context::default(), vec![]);
/// let atom = farlead::spec::read_atom("[activity ~ About]").expect("an atom");
/// assert_eq!(shortfall(&atom, &screen).as_deref(), Some("activity is org.notes.Main"));
/// ```
pub fn shortfall(atom: &Atom, screen: &Screen) -> Option<String> {
    if atom.is_action()
        || atom.is_about_step()
        || !Labeller::new([(0, atom)], TypedText::Counts).on_screen(screen).is_empty()
    {
        return None;
    }
    Some(match atom {
        Atom::State(all) => of_state(all, screen),
        Atom::Widget(all) if !atom.is_linked() => of_widget(all, screen),
        Atom::Widget(_) => "no visible widget has this value".to_string(),
        Atom::Count { of, .. } => format!("there are {}", count(of, screen, true)),
        Atom::Checked(true) => "no visible widget is checked".to_string(),
        Atom::Checked(false) => {
            let is_checked =
                |flag: Flags| screen.widgets().iter().any(|one| one.is_visible() && one.flags.has(flag));
            let what = if is_checked(Flags::CHECKED) {
                "a visible widget is checked"
            } else {
                "no visible widget can be checked"
            };
            what.to_string()
        }
        Atom::Placed(pattern) => of_placed(pattern, screen),
        Atom::Compared { left, right, .. } => {
            let is = |term: &Term| format!("`{term}` is {}", values(term, screen));
            let sides: Vec<String> = [Some(left), right.term()].into_iter().flatten().map(is).collect();
            sides.join(", ")
        }
        Atom::Action(_) => return None,
    })
}

fn of_state(all: &[Comparison], screen: &Screen) -> String {
    let context = screen.context();
    let on = |is_on: bool| if is_on { "on" } else { "off" };
    let said: Vec<String> = all
        .iter()
        .filter(|one| holds_not(one, screen))
        .map(|one| {
            let value = match one.key {
                Key::Package => clipped(screen.package()),
                Key::Activity => clipped(screen.activity()),
                Key::Screen => on(context.screen_on).to_string(),
                Key::Orientation => context.orientation.name().to_string(),
                Key::Network => on(context.network).to_string(),
                Key::Crashed => context.crashed.to_string(),
                Key::Crash => screen.crash().map_or("none".to_string(), |crash| clipped(crash)),
                Key::Anr => context.anr.to_string(),
                Key::Keyboard => context.keyboard.to_string(),
                Key::Console => screen.console().map_or("nothing".to_string(), |console| clipped(console)),
                Key::Status => screen.status().map_or("none".to_string(), |status| status.to_string()),
                // Other keys are about widgets or actions, which stand in brackets of their own.
                _ => "something else".to_string(),
            };
            format!("{} is {value}", one.key.name())
        })
        .collect();
    said.join(", ")
}

fn holds_not(comparison: &Comparison, screen: &Screen) -> bool {
    let Ok(atom) = Atom::new(vec![comparison.clone()]) else { return false };
    Labeller::new([(0, &atom)], TypedText::Counts).on_screen(screen).is_empty()
}

fn of_widget(all: &[Comparison], screen: &Screen) -> String {
    if count(all, screen, false) > 0 {
        return "the widget that meets it is not visible".to_string();
    }
    let unmet: Vec<&Comparison> =
        all.iter().filter(|one| count(std::slice::from_ref(*one), screen, true) == 0).collect();
    if unmet.is_empty() {
        return "each of these is met by some visible widget, and no widget meets all".to_string();
    }
    let said: Vec<String> = unmet.iter().map(|one| unmet_words(one, screen)).collect();
    said.join(", ")
}

fn of_placed(pattern: &Pattern, screen: &Screen) -> String {
    let own = Pattern { comparisons: pattern.comparisons.clone(), places: Vec::new() };
    let is_there = own.comparisons.is_empty() || count(&own.comparisons, screen, true) > 0;
    match is_there {
        true => "no visible widget like this has the others around it".to_string(),
        false => of_widget(&own.comparisons, screen),
    }
}

/// `no visible widget has text = Wifi; there is "Wi-Fi"`.
fn unmet_words(one: &Comparison, screen: &Screen) -> String {
    let atom = Atom::Widget(vec![one.clone()]).to_string();
    let what = atom.trim_start_matches('[').trim_end_matches(']');
    let (Constant::Text(wanted), Op::Equal | Op::Contains) = (&one.value, one.op) else {
        return format!("no visible widget has {what}");
    };
    let visible = screen.widgets().iter().filter(|widget| widget.is_visible());
    let names = visible.map(|widget| match one.key {
        Key::Text => &*widget.text,
        Key::Desc => &widget.desc,
        Key::Id => widget.id_entry(),
        Key::Class => short_class(&widget.class),
        _ => "",
    });
    // The search for a near one is slow, and nobody reads through more widgets than these.
    const WIDGETS_MAX: usize = 2_000;
    match nearest(wanted, names.filter(|name| !name.is_empty()).take(WIDGETS_MAX)) {
        Some(near) => format!("no visible widget has {what}; there is {}", clipped(&quote(near))),
        None => format!("no visible widget has {what}"),
    }
}

/// Returns the number of widgets that meet all of these, among those that are seen or among all.
fn count(all: &[Comparison], screen: &Screen, visible_alone: bool) -> usize {
    let Some(test) = WidgetTest::new(&Atom::Widget(all.to_vec())) else { return 0 };
    let mut count = 0;
    screen.for_each_object(|_, widget, object_id| {
        let is_meant = widget.is_visible() || !visible_alone;
        count += usize::from(is_meant && test.holds(widget, object_id));
    });
    count
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
