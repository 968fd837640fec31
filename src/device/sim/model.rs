//! An app model as a value: every name resolved, every part put in its place.
//!
//! [`read`](super::read) makes it from text, [`Sim`](super::Sim) runs it. Two spellings of a model differ in their
//! [`Span`]s alone, which give mistakes at run time their place.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gui::{Direction, Orientation};
use crate::text::{Source, Span};

/// App model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the source, for messages.
    pub name: String,
    /// Text that the [`Span`]s are places of.
    pub source: Source,
    /// Package of the app.
    pub package: Arc<str>,
    /// Name in the launcher.
    pub label: Arc<str>,
    /// Version of the app.
    pub version: Arc<str>,
    /// Display held upright, for which the bounds in the model are meant.
    pub display: Display,
    /// Parameters that every model has.
    pub settings: Settings,
    /// Variables of the whole app, with the parameters of the model, by their slots.
    pub globals: Vec<Global>,
    /// Names of fields. A field is known by its place here.
    pub fields: Vec<Arc<str>>,
    /// Activities, dialogs and popups.
    pub windows: Vec<Window>,
    /// `def`s.
    pub procedures: Vec<Procedure>,
    /// Activities that can be started from outside, at least one.
    pub launchable: Vec<WindowId>,
    /// Names of requests: after `for` in effects that open an activity, and after `on result`.
    pub requests: Vec<Arc<str>>,
    /// Number of widgets that scroll; [`Scroll::position`] is below it.
    pub scrolls: u32,
    /// Call in the trace of each `crash`, by the first byte of the effect.
    pub crash_sites: BTreeMap<usize, Arc<str>>,
}

/// Size of a display in its natural orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Display {
    pub width: u32,
    pub height: u32,
    pub dpi: u32,
}

impl Display {
    /// Returns the natural orientation: landscape if the display is wider than high.
    pub fn by_nature(self) -> Orientation {
        if self.width > self.height { Orientation::Landscape } else { Orientation::Portrait }
    }

    /// Returns the width and height in the orientation `held`.
    pub fn size(self, held: Orientation) -> (u32, u32) {
        if held == self.by_nature() { (self.width, self.height) } else { (self.height, self.width) }
    }
}

impl Default for Display {
    fn default() -> Display {
        Display { width: 1080, height: 1920, dpi: 420 }
    }
}

/// Behaviour of the device, by the parameters that every model has, like `sim.lose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Percentage of actions that do nothing.
    pub lose_percent: u32,
    /// Percentage of actions after which the app crashes.
    pub crash_percent: u32,
    /// Time that every action takes in addition.
    pub lag_ms: u64,
    /// True if the keyboard is on the display, and not beside it.
    pub has_soft_keyboard: bool,
    /// True if a fresh start keeps stored variables, as if the app were only ended and started.
    pub keeps_stored: bool,
    /// True if actions on the device itself are offered, and not only those of screens.
    pub has_device_actions: bool,
    /// Display of the device, whatever [`Model::display`] says.
    pub display: Display,
}

/// Variable of the whole app.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name in the model.
    pub name: Arc<str>,
    /// Lifetime.
    pub life: Life,
    /// Initial value.
    pub initial: Initial,
}

/// Lifetime of a variable of the whole app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Fixed once the app runs.
    Param,
    /// Until the app is installed again.
    Stored,
    /// Until the process ends.
    Session,
}

/// Initial value of a variable of the whole app.
#[derive(Clone, Debug)]
pub enum Initial {
    /// One value; its expression uses parameters alone.
    Value(Expr),
    /// Empty list of records with these fields.
    List(Vec<FieldId>),
}

/// Value of an expression while a model runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Datum {
    /// No value.
    #[default]
    None,
    /// `true` or `false`.
    Bool(bool),
    /// Whole number.
    Int(i64),
    /// Text.
    Text(Arc<str>),
    /// Record: its list, and its number there, which no other record of the list ever gets.
    Record(GlobalId, u32),
}

/// Index in [`Model::globals`].
pub type GlobalId = u32;
/// Index in [`Model::fields`].
pub type FieldId = u32;
/// Index in [`Model::windows`].
pub type WindowId = u32;
/// Index in [`Model::procedures`].
pub type ProcedureId = u32;
/// Index in [`Model::requests`].
pub type RequestId = u32;
/// Variable of a window's instance: index in [`Window::own`].
pub type OwnId = u32;
/// Slot of a name that some widgets or effects know, below [`Window::locals`] or [`Procedure::locals`].
pub type LocalId = u32;

/// Activity, dialog or popup.
#[derive(Clone, Debug)]
pub struct Window {
    /// Name in the model.
    pub name: Arc<str>,
    /// Kind of window.
    pub kind: WindowKind,
    /// Number of values that open it; they are the first of [`Window::own`].
    pub parameters: u32,
    /// Variables of each instance.
    pub own: Vec<Own>,
    /// Handlers of events, in the order of the model.
    pub handlers: Vec<Handler>,
    /// Nodes that it shows, with parts put in their places.
    pub nodes: Vec<Node>,
    /// Number of slots that its nodes and effects need.
    pub locals: u32,
    /// Place in the text.
    pub span: Span,
}

/// Kind of a window.
#[derive(Clone, Debug)]
pub enum WindowKind {
    /// Screen of its own.
    Activity {
        /// Package, the app's or another one.
        package: Arc<str>,
        /// Class in full.
        class: Arc<str>,
        /// Effect of a rotation.
        turning: Turning,
        /// Condition under which the display stays on.
        awake: Option<Expr>,
    },
    /// Window over an activity.
    Dialog {
        /// True if a touch outside leaves it open.
        is_modal: bool,
    },
    /// Window over an activity that ends with a pause.
    Popup {
        /// True if a touch outside leaves it open.
        is_modal: bool,
    },
}

/// Effect of a rotation on an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turning {
    /// The activity ends and is created anew.
    Recreated,
    /// The activity is laid out again.
    Relaid,
    /// None: the activity always has this orientation.
    Fixed(Orientation),
}

/// Variable of a window's instance.
#[derive(Clone, Debug)]
pub struct Own {
    /// Name in the model.
    pub name: Arc<str>,
    /// True if a rotation keeps its value, as for all parameters.
    pub is_kept: bool,
    /// Initial value, evaluated in this order; `None` for parameters.
    pub initial: Option<Expr>,
}

/// Effects of an event on a window.
#[derive(Clone, Debug)]
pub struct Handler {
    /// Event that runs the effects.
    pub event: Event,
    /// Condition under which they run.
    pub condition: Option<Expr>,
    /// Effects that run.
    pub effects: Arc<[Effect]>,
}

/// Event that happens to a window.
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

/// Part of a look: widgets, or a form that gives widgets.
#[derive(Clone, Debug)]
pub enum Node {
    /// One widget.
    Widget(Arc<Widget>),
    /// Nodes by a condition.
    When {
        /// Condition that chooses.
        condition: Expr,
        /// Nodes if it holds.
        then: Vec<Node>,
        /// Nodes if it does not.
        otherwise: Vec<Node>,
    },
    /// Nodes for each of several values.
    For {
        /// Slot of the value.
        local: LocalId,
        /// Values that a loop goes through.
        each: Each,
        /// Nodes for each value.
        body: Vec<Node>,
    },
    /// Name for a value.
    Let {
        /// Slot of the value.
        local: LocalId,
        /// Value itself.
        value: Expr,
        /// Nodes that know the name.
        body: Vec<Node>,
    },
}

/// Values that a loop goes through.
#[derive(Clone, Debug)]
pub enum Each {
    /// Records of a list.
    Records(Query),
    /// Numbers with both ends, at most 10,000.
    Numbers {
        /// First number.
        from: Expr,
        /// Last number.
        to: Expr,
    },
}

/// Records of a list.
#[derive(Clone, Debug)]
pub struct Query {
    /// List of the records.
    pub list: GlobalId,
    /// Slot of a record in the expressions below.
    pub local: LocalId,
    /// Condition on a record.
    pub condition: Option<Expr>,
    /// Sort key: `none`, then `false`, `true`, numbers, texts. Records with equal keys keep the order of the list.
    pub by: Option<Expr>,
    /// True for descending order.
    pub is_descending: bool,
}

/// Widget of a window.
#[derive(Clone, Debug)]
pub struct Widget {
    /// Class in full.
    pub class: Arc<str>,
    /// Id in full; may be empty.
    pub id: Arc<str>,
    /// Text on it.
    pub text: Option<Expr>,
    /// Content description.
    pub desc: Option<Expr>,
    /// Hint while the text is empty.
    pub hint: Option<Expr>,
    /// Left, top, right, bottom.
    pub bounds: Option<Box<[Expr; 4]>>,
    /// Width.
    pub wide: Option<Expr>,
    /// Height.
    pub tall: Option<Expr>,
    /// True if its children lie side by side.
    pub is_across: bool,
    /// Scrolling of its children.
    pub scroll: Option<Scroll>,
    /// Flag that Android reports; by default it follows from the handlers of the widget.
    pub clickable: Option<Expr>,
    /// Flag that Android reports; by default it follows from the handlers of the widget.
    pub longclickable: Option<Expr>,
    /// Flag that Android reports; a widget with [`Widget::checked`] is checkable too.
    pub checkable: Option<Expr>,
    /// True while it is checked.
    pub checked: Option<Expr>,
    /// True while it is enabled, the default.
    pub enabled: Option<Expr>,
    /// True while it is selected; by default it is not.
    pub selected: Option<Expr>,
    /// True while typed text is hidden, which reports the text as empty; by default it is not.
    pub password: Option<Expr>,
    /// Variable that typed text sets.
    pub edits: Option<Variable>,
    /// True if a touch that no child takes ends here.
    pub is_solid: bool,
    /// Condition under which it is there; by default it is.
    pub condition: Option<Expr>,
    /// Effects of a click.
    pub on_click: Option<Arc<[Effect]>>,
    /// Effects of a long click.
    pub on_longclick: Option<Arc<[Effect]>>,
    /// Effects of a touch, with the slots of its x and y.
    pub on_tap: Option<(LocalId, LocalId, Arc<[Effect]>)>,
    /// Effects of swipes by direction.
    pub on_swipe: Vec<(Direction, Arc<[Effect]>)>,
    /// Effects after text is typed.
    pub on_text: Option<Arc<[Effect]>>,
    /// Child nodes.
    pub nodes: Vec<Node>,
    /// Place in the text.
    pub span: Span,
}

/// Scrolling of the children of a widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scroll {
    /// True if the children move from left to right, and not from top to bottom.
    pub is_sideways: bool,
    /// Index of the scroll position in a window's instance; no other widget of the model has it.
    pub position: u32,
}

/// Variable that effects or typed text set.
#[derive(Clone, Debug)]
pub enum Variable {
    /// Variable of the whole app, no parameter and no list.
    Global(GlobalId),
    /// Variable of the window's instance.
    Own(OwnId),
    /// Field of the record that the expression gives.
    Field(Expr, FieldId),
    /// Slot of a procedure or of effects.
    Local(LocalId),
}

/// Procedure, written `def`.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Name in the model.
    pub name: Arc<str>,
    /// Number of values that call it; they are its first slots. It knows no [`OwnId`]s.
    pub parameters: u32,
    /// Number of slots that it needs.
    pub locals: u32,
    /// Effects of a call.
    pub effects: Arc<[Effect]>,
}

/// Effect with its place in the text.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Its action.
    pub does: Does,
    /// Place in the text.
    pub span: Span,
}

/// Kinds of effects.
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
    /// Branches with their shares in thousandths of a percent, 100,000 together.
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

/// Expression. Evaluation changes nothing, but [`Function::Random`] draws.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Expr {
    Value(Datum),
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
    /// Parts of a text with values in it.
    Text(Vec<Expr>),
    Call(Function, Vec<Expr>),
    Count(Box<Query>),
    Find(Box<Query>),
}

/// Binary operator. `&&`, `||` and `or` evaluate their second side only where it matters.
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

/// Function of the language.
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
