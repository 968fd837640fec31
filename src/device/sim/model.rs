//! An app model as a value: every name resolved, every part put in its place.
//!
//! It is made from text by [`read`](super::read) and run by [`Sim`](super::Sim). Nothing in it depends on how it was
//! written but [`Place`]s, by which mistakes at run time are told.

use std::ops::Range;
use std::sync::Arc;

use crate::gui::{Direction, Orientation};
use crate::spec::Source;

/// Where something stands in the model's text, in bytes.
pub type Place = Range<usize>;

/// An app model.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the model was read from, for messages.
    pub name: String,
    /// Its text, in which [`Place`]s are.
    pub source: Source,
    /// The app's package.
    pub package: Arc<str>,
    /// What the launcher calls it.
    pub label: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// The display held upright, for which the bounds in the model are meant.
    pub display: Display,
    /// The parameters that every model has.
    pub settings: Settings,
    /// The variables of the whole app, by their slots; parameters are among them.
    pub globals: Vec<Global>,
    /// The names of fields; a field is known by its place here.
    pub fields: Vec<Arc<str>>,
    /// Activities, dialogs and popups.
    pub windows: Vec<Window>,
    /// `def`s.
    pub procedures: Vec<Procedure>,
    /// The windows that can be started from outside, all of them activities; at least one.
    pub launchable: Vec<WindowId>,
    /// The names after `for` of effects that open an activity, and of `on result`.
    pub requests: Vec<Arc<str>>,
    /// How many widgets have a scroll position to remember: [`Widget::scroll`] is below.
    pub scrolls: u32,
}

/// The size of a display, held as it is by nature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Display {
    pub width: u32,
    pub height: u32,
    pub dpi: u32,
}

impl Display {
    /// Which way up it is by nature: one that is wider than high lies.
    pub fn by_nature(self) -> Orientation {
        if self.width > self.height { Orientation::Landscape } else { Orientation::Portrait }
    }

    /// Its width and height as it is held.
    pub fn size(self, held: Orientation) -> (u32, u32) {
        if held == self.by_nature() { (self.width, self.height) } else { (self.height, self.width) }
    }
}

impl Default for Display {
    fn default() -> Display {
        Display { width: 1080, height: 1920, dpi: 420 }
    }
}

/// The parameters that every model has, `sim.lose` and its kin: how the device behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Of a hundred actions, how many do nothing.
    pub lose_percent: u32,
    /// After how many of a hundred actions the app crashes.
    pub crash_percent: u32,
    /// How much longer every action takes.
    pub lag_ms: u64,
    /// Whether the keyboard is on the display, and not beside it.
    pub has_soft_keyboard: bool,
    /// The display there is, whatever [`Model::display`] says.
    pub display: Display,
}

/// A variable of the whole app.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: Arc<str>,
    /// How long it lives.
    pub life: Life,
    /// What it is at first.
    pub initial: Initial,
}

/// How long a variable of the whole app lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It never changes once the app runs.
    Param,
    /// Until the app is installed anew.
    Stored,
    /// Until the process ends.
    Session,
}

/// What a variable of the whole app is at first.
#[derive(Clone, Debug)]
pub enum Initial {
    /// One value; it speaks of parameters alone.
    Value(Expr),
    /// No records with these fields.
    List(Vec<FieldId>),
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Nothing.
    #[default]
    None,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(Arc<str>),
    /// A record: its list, and its number in it, which no other record of the list ever has.
    Record(GlobalId, u32),
}

/// A place in [`Model::globals`].
pub type GlobalId = u32;
/// A place in [`Model::fields`].
pub type FieldId = u32;
/// A place in [`Model::windows`].
pub type WindowId = u32;
/// A place in [`Model::procedures`].
pub type ProcedureId = u32;
/// A place in [`Model::requests`].
pub type RequestId = u32;
/// A variable of a window's instance: a place in [`Window::own`].
pub type OwnId = u32;
/// A name of a few widgets or effects, at most [`Window::locals`] or [`Procedure::locals`] of them at a time.
pub type LocalId = u32;

/// An activity, a dialog or a popup.
#[derive(Clone, Debug)]
pub struct Window {
    /// Its name in the model.
    pub name: Arc<str>,
    /// What it is.
    pub kind: WindowKind,
    /// How many values it is opened with; they are the first of [`Window::own`].
    pub parameters: u32,
    /// Its variables.
    pub own: Vec<Own>,
    /// What it does, in the order of the model.
    pub handlers: Vec<Handler>,
    /// What it shows, parts put in.
    pub nodes: Vec<Node>,
    /// How many locals its nodes and effects need.
    pub locals: u32,
    /// Where it stands.
    pub place: Place,
}

/// What a window is.
#[derive(Clone, Debug)]
pub enum WindowKind {
    /// A screen of its own.
    Activity {
        /// Its package, the app's or another one's.
        package: Arc<str>,
        /// Its class in full.
        class: Arc<str>,
        /// How it is turned.
        turning: Turning,
        /// Whether the display stays on.
        awake: Option<Expr>,
    },
    /// A window over an activity.
    Dialog {
        /// Whether a touch outside leaves it open.
        is_modal: bool,
    },
    /// A window over an activity that does not outlive a pause.
    Popup {
        /// Whether a touch outside leaves it open.
        is_modal: bool,
    },
}

/// What a rotation does to an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turning {
    /// It is ended and made anew.
    Recreated,
    /// It is laid out again.
    Relaid,
    /// Nothing: it is always this way up.
    Fixed(Orientation),
}

/// A variable of a window's instance.
#[derive(Clone, Debug)]
pub struct Own {
    /// Its name.
    pub name: Arc<str>,
    /// Whether a rotation leaves it as it is; so it is with parameters.
    pub is_kept: bool,
    /// What it is at first, worked out in this order; nothing for parameters.
    pub initial: Option<Expr>,
}

/// What a window does when something happens.
#[derive(Clone, Debug)]
pub struct Handler {
    /// When.
    pub event: Event,
    /// Only while this holds.
    pub condition: Option<Expr>,
    /// What.
    pub effects: Arc<[Effect]>,
}

/// Something that happens to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Event {
    Create,
    Resume,
    Pause,
    Destroy,
    Result(RequestId),
    Back,
    Menu,
    Network,
    Every { ms: u64 },
}

/// What a window shows.
#[derive(Clone, Debug)]
pub enum Node {
    /// A widget.
    Widget(Arc<Widget>),
    /// Some nodes or others.
    When {
        /// Which.
        condition: Expr,
        /// If it holds.
        then: Vec<Node>,
        /// If not.
        otherwise: Vec<Node>,
    },
    /// Nodes for each of several values.
    For {
        /// The value's name.
        local: LocalId,
        /// The values.
        each: Each,
        /// The nodes.
        body: Vec<Node>,
    },
    /// A name for a value.
    Let {
        /// The name.
        local: LocalId,
        /// The value.
        value: Expr,
        /// Where the name is known.
        body: Vec<Node>,
    },
}

/// Values to go through.
#[derive(Clone, Debug)]
pub enum Each {
    /// Records.
    Records(Query),
    /// Numbers, both ends included; no more than 10,000.
    Numbers {
        /// The first.
        from: Expr,
        /// The last.
        to: Expr,
    },
}

/// Records of a list.
#[derive(Clone, Debug)]
pub struct Query {
    /// The list.
    pub list: GlobalId,
    /// The name of a record in the expressions below.
    pub local: LocalId,
    /// Which of them.
    pub condition: Option<Expr>,
    /// In which order, the list's where it is the same: `none`, then `false`, `true`, numbers, texts.
    pub by: Option<Expr>,
    /// Whether that order is turned around.
    pub is_descending: bool,
}

/// A widget of a window.
#[derive(Clone, Debug)]
pub struct Widget {
    /// Its class in full.
    pub class: Arc<str>,
    /// Its id in full; may be empty.
    pub id: Arc<str>,
    /// Its text.
    pub text: Option<Expr>,
    /// Its description.
    pub desc: Option<Expr>,
    /// What is shown while its text is empty.
    pub hint: Option<Expr>,
    /// Left, top, right, bottom.
    pub bounds: Option<Box<[Expr; 4]>>,
    /// How wide it is.
    pub wide: Option<Expr>,
    /// How high it is.
    pub tall: Option<Expr>,
    /// Whether what is in it lies side by side.
    pub is_across: bool,
    /// What is in it is seen through it.
    pub scroll: Option<Scroll>,
    /// As Android reports it; nothing said, it follows from what the widget does.
    pub clickable: Option<Expr>,
    /// As Android reports it; nothing said, it follows from what the widget does.
    pub longclickable: Option<Expr>,
    /// As Android reports it; a widget with [`Widget::checked`] is checkable too.
    pub checkable: Option<Expr>,
    /// Whether it is checked.
    pub checked: Option<Expr>,
    /// Whether it is enabled, else yes.
    pub enabled: Option<Expr>,
    /// Whether it is selected, else no.
    pub selected: Option<Expr>,
    /// Whether what is typed is hidden, else no. Its text is reported empty then.
    pub password: Option<Expr>,
    /// The variable that is typed.
    pub edits: Option<Variable>,
    /// Whether a touch ends here that nothing in it takes.
    pub is_solid: bool,
    /// Whether it is there, else yes.
    pub condition: Option<Expr>,
    /// What a click does.
    pub on_click: Option<Arc<[Effect]>>,
    /// What a long click does.
    pub on_longclick: Option<Arc<[Effect]>>,
    /// What a touch does, and the names of where it was.
    pub on_tap: Option<(LocalId, LocalId, Arc<[Effect]>)>,
    /// What swipes do.
    pub on_swipe: Vec<(Direction, Arc<[Effect]>)>,
    /// What is done after something was typed.
    pub on_text: Option<Arc<[Effect]>>,
    /// What is in it.
    pub nodes: Vec<Node>,
    /// Where it stands.
    pub place: Place,
}

/// How what is in a widget is seen through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scroll {
    /// Whether it moves from left to right, and not from top to bottom.
    pub is_sideways: bool,
    /// The number under which an instance of the window remembers how far; no other widget of the model has it.
    pub position: u32,
}

/// A variable that is set or typed.
#[derive(Clone, Debug)]
pub enum Variable {
    /// Of the whole app, no parameter and no list.
    Global(GlobalId),
    /// Of the window's instance.
    Own(OwnId),
    /// A field of the record that this is.
    Field(Expr, FieldId),
    /// A local of a procedure or of effects.
    Local(LocalId),
}

/// `def`.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Arc<str>,
    /// How many values it is called with; they are its first locals. It knows no [`OwnId`]s.
    pub parameters: u32,
    /// How many locals it needs.
    pub locals: u32,
    /// What it does.
    pub effects: Arc<[Effect]>,
}

/// Something that is done, and where it stands.
#[derive(Clone, Debug)]
pub struct Effect {
    /// What.
    pub does: Does,
    /// Where it stands.
    pub place: Place,
}

/// Something that is done.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Does {
    Set {
        variable: Variable,
        value: Expr,
    },
    /// `let` in effects.
    Let {
        local: LocalId,
        value: Expr,
    },
    Add {
        list: GlobalId,
        values: Vec<(FieldId, Expr)>,
        local: Option<LocalId>,
    },
    Remove {
        record: Expr,
    },
    Clear {
        list: GlobalId,
    },
    Open {
        window: WindowId,
        values: Vec<Expr>,
        afresh: bool,
        request: Option<RequestId>,
    },
    Finish {
        with: Option<Expr>,
    },
    Show {
        window: WindowId,
        values: Vec<Expr>,
    },
    Close,
    Leave,
    Toast {
        text: Expr,
    },
    Wait {
        ms: u64,
    },
    After {
        ms: u64,
        effects: Arc<[Effect]>,
    },
    /// Of each branch its share in thousandths of a percent; they add up to 100,000.
    Chance {
        branches: Vec<(u32, Arc<[Effect]>)>,
    },
    If {
        condition: Expr,
        then: Arc<[Effect]>,
        otherwise: Arc<[Effect]>,
    },
    For {
        local: LocalId,
        each: Each,
        effects: Arc<[Effect]>,
    },
    Call {
        procedure: ProcedureId,
        values: Vec<Expr>,
    },
    Keyboard,
    Crash {
        trace: Expr,
    },
    Anr {
        reason: Expr,
    },
}

/// What is worked out. It changes nothing, but [`Function::Random`] draws.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Expr {
    Value(Value),
    Global(GlobalId),
    Own(OwnId),
    Local(LocalId),
    Field(Box<Expr>, FieldId),
    /// `n.index`.
    Index(Box<Expr>),
    Portrait,
    Landscape,
    Network,
    Recreated,
    Result,
    Now,
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The parts of a text with values in it.
    Text(Vec<Expr>),
    Call(Function, Vec<Expr>),
    Count(Box<Query>),
    Find(Box<Query>),
}

/// An operator with two sides. `&&`, `||` and `or` work out the second only where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operator {
    Or,
    And,
    /// `a or b`.
    Else,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Function {
    Len,
    Left,
    Lower,
    Upper,
    Trim,
    Contains,
    Starts,
    Number,
    Min,
    Max,
    Abs,
    Random,
}
