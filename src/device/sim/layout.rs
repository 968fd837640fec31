//! Where widgets lie: the window in front, its conditions and loops resolved, in pixels of the display.
//!
//! Everything is laid out as on the upright display of the model, and then stretched to the one there is.

use std::sync::Arc;

use super::chance::Chance;
use super::evaluate::{Fault, Meter, Scope, is_true, set, shown};
use super::model::{Each, Expr, Model, Node, Value, Variable, Widget, WindowId};
use super::state::{Focus, Instance, Slot, State, size_of_values};
use crate::gui::{self, Bounds, Flags, Orientation};

/// How many widgets a screen has at most, those out of sight counted too.
const WIDGETS_MAX: usize = 20_000;

/// How deep nodes stand in each other at most: so deep that a thread's stack is sure to hold it.
const DEPTH_MAX: u16 = 250;

/// How high a leaf is, and how wide where nothing else says so: Android's size of what is touched.
const LEAF_DP: i64 = 48;

/// Farther than any display reaches; numbers of a model are cut to it.
const FAR: i64 = 1_000_000;

/// What widgets are laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be seen too: with texts.
    Seen,
    /// To be touched alone.
    Touched,
}

/// The widgets of a window.
#[derive(Debug)]
pub(super) struct Scene {
    /// Those in sight, each before those in it; none if they are only to be touched.
    pub widgets: Vec<gui::Widget>,
    /// The same as touches meet them.
    pub ground: Ground,
    /// Whether the clock was read for the ground.
    pub has_read_clock: bool,
    /// Whether it was read for texts.
    pub texts_have_read_clock: bool,
}

/// What a touch of a window may meet: all there is to know but what is done then.
///
/// It speaks of no window's number, so that it is good for every state with the same [`Look`].
#[derive(Debug, Default)]
pub(super) struct Ground {
    /// The widgets in sight for which a touch may be meant, each before those in it.
    placed: Vec<Placed>,
    /// Those that take a tap: where they are, and their places in `placed`. It is gone through at every tap.
    takers: Vec<(Bounds, u32)>,
    /// The enabled fields, in sight or not.
    fields: Vec<Field>,
    /// What reaches around all that is in sight.
    area: Option<Bounds>,
    /// How the model's upright display is stretched.
    pub stretch: Stretch,
    /// Names as they are known at one widget or another, one after the other.
    names: Vec<Value>,
    names_len: usize,
}

/// A widget of a window, where it lies.
#[derive(Debug)]
pub(super) struct Placed {
    pub widget: Arc<Widget>,
    /// What is seen of it, in pixels of the display.
    pub bounds: Bounds,
    pub flags: Flags,
    /// The names known where it stands, see [`Ground::names`].
    pub names: u32,
    /// Which of the fields that take input it is.
    field: Option<u32>,
    /// Its place among the widgets, and that of the first one after it that does not lie in it.
    span: (u32, u32),
    more: Option<Box<More>>,
}

/// What few widgets have.
#[derive(Debug)]
struct More {
    corner: (i64, i64),
    scroll: Option<Scrolled>,
}

/// A field that takes input.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub widget: Arc<Widget>,
    /// Of the values for which it is there, the one it is there for.
    pub items: Box<[Value]>,
    /// The names known where it stands, see [`Ground::names`].
    pub names: u32,
}

impl Placed {
    /// Its top left corner, in pixels of the model; it is known of those that a tap tells.
    pub fn corner(&self) -> (i64, i64) {
        self.more.as_ref().map_or((0, 0), |more| more.corner)
    }

    /// How far it is scrolled and can be, if it scrolls.
    pub fn scroll(&self) -> Option<Scrolled> {
        self.more.as_ref()?.scroll
    }
}

impl Ground {
    /// The widget that takes a touch at `(x, y)`: the topmost one.
    pub fn taker(&self, (x, y): (i32, i32)) -> Option<&Placed> {
        let found = self.takers.iter().rfind(|(bounds, _)| bounds.contains(x, y))?;
        self.placed.get(found.1 as usize)
    }

    /// The enabled widgets under a finger that moves, the topmost first: a solid one hides all but those
    /// that it lies in. Those that know nothing of swipes are left out.
    pub fn under(&self, at: (i32, i32)) -> Vec<&Placed> {
        let mut found = Vec::new();
        let mut solid = None;
        for placed in self.placed.iter().rev() {
            let is_hidden = solid.is_some_and(|solid| placed.span.1 <= solid);
            if is_hidden || !placed.bounds.contains(at.0, at.1) {
                continue;
            }
            if placed.flags.has(Flags::ENABLED) {
                found.push(placed);
            }
            if placed.widget.is_solid && solid.is_none() {
                solid = Some(placed.span.0);
            }
        }
        found
    }

    /// Whether a touch is within the window.
    pub fn is_within(&self, (x, y): (i32, i32)) -> bool {
        self.area.is_some_and(|area| area.contains(x, y))
    }

    /// The field that was touched last, or else the first that takes input, as on Android; it may be out
    /// of sight.
    pub fn focus(&self, touched: Option<&Focus>) -> Option<&Field> {
        focused(&self.fields, touched).map(|at| &self.fields[at])
    }

    /// The field that a widget is, if it is one and takes input.
    pub fn field(&self, placed: &Placed) -> Option<&Field> {
        self.fields.get(placed.field? as usize)
    }

    /// The names known at a widget.
    pub fn names(&self, from: u32) -> &[Value] {
        let from = from as usize;
        self.names.get(from..from + self.names_len).unwrap_or_default()
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let more = 72 * self.placed.iter().filter(|placed| placed.more.is_some()).count();
        let fields: usize = self.fields.iter().map(|field| 40 + size_of_values(&field.items)).sum();
        let widgets = size_of::<Placed>() * self.placed.len() + 20 * self.takers.len();
        200 + widgets + more + fields + size_of_values(&self.names)
    }
}

/// What of a state widgets are laid out by, besides the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look<'s> {
    window: WindowId,
    own: &'s [Value],
    scrolls: &'s [(u32, i64)],
    orientation: Orientation,
    has_network: bool,
    globals: &'s [Slot],
}

impl<'s> Look<'s> {
    /// The look of the window `instance`.
    pub fn of(state: &'s State, instance: &'s Instance) -> Look<'s> {
        Look {
            window: instance.window,
            own: &instance.own,
            scrolls: &instance.scrolls,
            orientation: state.shown_orientation(),
            has_network: state.has_network,
            globals: &state.globals,
        }
    }
}

/// How far something is scrolled, in pixels of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scrolled {
    pub offset: i64,
    pub offset_max: i64,
    pub is_sideways: bool,
    pub position: u32,
}

/// From the model's display to the one there is, as it is held.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    from: (i64, i64),
    to: (i64, i64),
}

impl Stretch {
    pub fn new(model: &Model, orientation: Orientation) -> Stretch {
        let to = model.settings.display.size(orientation);
        let size = |(width, height): (u32, u32)| (i64::from(width.max(1)), i64::from(height.max(1)));
        Stretch { from: size((model.display.width, model.display.height)), to: size(to) }
    }

    /// The display there is.
    pub fn display(self) -> Bounds {
        Bounds::new(0, 0, self.to.0 as i32, self.to.1 as i32)
    }

    pub fn x(self, x: i64) -> i32 {
        (x * self.to.0).div_euclid(self.from.0).clamp(-FAR, FAR) as i32
    }

    pub fn y(self, y: i64) -> i32 {
        (y * self.to.1).div_euclid(self.from.1).clamp(-FAR, FAR) as i32
    }

    fn bounds(self, bounds: Rectangle) -> Bounds {
        let Rectangle { left, top, right, bottom } = bounds;
        Bounds::new(self.x(left), self.y(top), self.x(right), self.y(bottom))
    }

    /// Where on the model's display a point is.
    pub fn back(self, (x, y): (i32, i32)) -> (i64, i64) {
        (
            (i64::from(x) * self.from.0).div_euclid(self.to.0),
            (i64::from(y) * self.from.1).div_euclid(self.to.1),
        )
    }
}

/// Lays out the window `instance`, which is in front.
pub(super) fn scene(
    model: &Model,
    state: &State,
    instance: &Instance,
    now_ms: u64,
    purpose: Purpose,
) -> Result<Scene, Fault> {
    let orientation = state.shown_orientation();
    let window = model.windows.get(instance.window as usize);
    let scope = Scope {
        model,
        state,
        own: &instance.own,
        result: &Value::None,
        is_recreated: false,
        orientation,
        leaves_traces: true,
    };
    let mut expansion = Expansion {
        scope,
        meter: Meter::new(Chance::Absent, now_ms),
        locals: vec![Value::None; window.map_or(0, |window| window.locals as usize)],
        names: Vec::new(),
        known: None,
        items: Vec::new(),
        purpose,
        fields: Vec::new(),
        texts_have_read_clock: false,
        found: Vec::new(),
    };
    if let Some(window) = window {
        expansion.nodes(&window.nodes, 0, 0).map_err(|fault| fault.at(&window.span))?;
    }
    expansion.forget_names();
    let Expansion { locals, names, fields, texts_have_read_clock, mut found, meter, .. } = expansion;
    place(&mut found, model, instance);
    let (at, fields): (Vec<usize>, Vec<Field>) = fields.into_iter().unzip();
    if let Some(focus) = focused(&fields, instance.focus.as_ref()) {
        let flags = &mut found[at[focus]].flags;
        *flags = flags.set(Flags::FOCUSED, true);
    }
    let stretch = Stretch::new(model, orientation);
    let mut scene = Scene {
        widgets: Vec::new(),
        ground: Ground { fields, stretch, names, names_len: locals.len(), ..Ground::default() },
        has_read_clock: meter.has_read_clock,
        texts_have_read_clock,
    };
    scene.add_in_sight(found, purpose);
    Ok(scene)
}

fn focused(fields: &[Field], touched: Option<&Focus>) -> Option<usize> {
    let touched = touched.and_then(|focus| {
        fields.iter().position(|field| {
            std::ptr::from_ref(&*field.widget).addr() == focus.widget && *field.items == *focus.items
        })
    });
    touched.or_else(|| (!fields.is_empty()).then_some(0))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rectangle {
    left: i64,
    top: i64,
    right: i64,
    bottom: i64,
}

impl Rectangle {
    fn moved(self, (x, y): (i64, i64)) -> Rectangle {
        Rectangle { left: self.left - x, top: self.top - y, right: self.right - x, bottom: self.bottom - y }
    }

    fn width(self) -> i64 {
        (self.right - self.left).max(0)
    }

    fn height(self) -> i64 {
        (self.bottom - self.top).max(0)
    }

    fn union(self, other: Rectangle) -> Rectangle {
        Rectangle {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    fn intersection(self, other: Rectangle) -> Rectangle {
        Rectangle {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}

/// A widget on its way to its place.
#[derive(Debug)]
struct Laid<'m> {
    widget: &'m Arc<Widget>,
    text: Arc<str>,
    desc: Arc<str>,
    flags: Flags,
    depth: u16,
    /// See [`Ground::names`].
    names: u32,
    /// Which of the fields that take input it is.
    field: Option<u32>,
    /// Where the next widget is that does not lie in it.
    end: usize,
    /// What the model says of it.
    bounds: Option<Rectangle>,
    wide: Option<i64>,
    tall: Option<i64>,
    /// How wide and high it has to be for what is in it.
    need: (i64, i64),
    /// Whether it gives way where there is too little room: something in it scrolls.
    gives_way: bool,
    is_alone: bool,
    /// Where it lies.
    at: Rectangle,
    /// How far what the model gives bounds to is moved by scrolling.
    shift: (i64, i64),
    clip: Rectangle,
    scroll: Option<Scrolled>,
}

/// Resolves conditions and loops.
struct Expansion<'a, 'm> {
    scope: Scope<'a>,
    meter: Meter<'static>,
    locals: Vec<Value>,
    /// See [`Ground::names`].
    names: Vec<Value>,
    /// Where the locals as they are stand in `names`, and whether somebody asks for them.
    known: Option<(usize, bool)>,
    items: Vec<Value>,
    purpose: Purpose,
    /// The fields that take input, and their places in `found`.
    fields: Vec<(usize, Field)>,
    texts_have_read_clock: bool,
    found: Vec<Laid<'m>>,
}

impl<'m> Expansion<'_, 'm> {
    /// What others lie in is kept small here, so that a thread's stack is enough.
    fn nodes(&mut self, nodes: &'m [Node], depth: u16, nesting: u16) -> Result<(), Fault> {
        if nesting == DEPTH_MAX {
            return Err(Fault::new(format!("more than {DEPTH_MAX} widgets and loops lie in each other")));
        }
        for node in nodes {
            self.meter.work(1)?;
            match node {
                Node::Widget(widget) => self.widget(widget, depth, nesting)?,
                Node::When { condition, then, otherwise } => {
                    let chosen = if self.flag(Some(condition), true)? { then } else { otherwise };
                    self.nodes(chosen, depth, nesting + 1)?;
                }
                Node::Let { local, value, body } => {
                    self.name(*local, value)?;
                    self.nodes(body, depth, nesting + 1)?;
                }
                Node::For { local, each, body } => self.each(*local, each, body, depth, nesting)?,
            }
        }
        Ok(())
    }

    fn each(
        &mut self,
        local: u32,
        each: &Each,
        body: &'m [Node],
        depth: u16,
        nesting: u16,
    ) -> Result<(), Fault> {
        for item in self.items(each)? {
            self.meter.work(1)?;
            self.items.push(item.clone());
            self.set(local, item);
            self.nodes(body, depth, nesting + 1)?;
            self.items.pop();
        }
        Ok(())
    }

    fn items(&mut self, each: &Each) -> Result<Vec<Value>, Fault> {
        match each {
            Each::Records(query) => self.scope.records(query, &mut self.locals, &mut self.meter),
            Each::Numbers { from, to } => {
                let numbers = self.scope.ends(from, to, &mut self.locals, &mut self.meter)?;
                Ok(numbers.map(Value::Int).collect())
            }
        }
    }

    fn name(&mut self, local: u32, value: &Expr) -> Result<(), Fault> {
        let value = self.value(value)?;
        self.set(local, value);
        Ok(())
    }

    fn set(&mut self, local: u32, value: Value) {
        set(&mut self.locals, local, value);
        self.forget_names();
    }

    /// Notes that the locals have changed.
    fn forget_names(&mut self) {
        if let Some((from, false)) = self.known.take() {
            self.names.truncate(from);
        }
    }

    fn widget(&mut self, widget: &'m Arc<Widget>, depth: u16, nesting: u16) -> Result<(), Fault> {
        let at = self.found.len();
        if self.begin(widget, depth).map_err(|fault| fault.at(&widget.span))? {
            let done = self.nodes(&widget.nodes, depth + 1, nesting + 1);
            self.found[at].end = self.found.len();
            return done.map_err(|fault| fault.at(&widget.span));
        }
        Ok(())
    }

    /// Adds a widget without what is in it; `false` if it is not there.
    fn begin(&mut self, widget: &'m Arc<Widget>, depth: u16) -> Result<bool, Fault> {
        if !self.flag(widget.condition.as_ref(), true)? {
            return Ok(false);
        }
        let at = self.found.len();
        if at == WIDGETS_MAX {
            return Err(Fault::new(format!("a screen has more than {WIDGETS_MAX} widgets")));
        }
        let (text, desc) = match self.purpose {
            Purpose::Seen => self.texts(widget)?,
            Purpose::Touched => (Arc::default(), Arc::default()),
        };
        // They are noted before what follows is worked out, whoever asks for them in the end: so a state
        // holds the same, by whatever way it was come to.
        let names = &mut self.names;
        let (names, is_asked_for) = self.known.get_or_insert_with(|| {
            let from = names.len();
            names.extend_from_slice(&self.locals);
            (from, false)
        });
        *is_asked_for |= does_something(widget);
        let names = *names as u32;
        let bounds = match widget.bounds.as_deref() {
            Some([left, top, right, bottom]) => Some(Rectangle {
                left: self.length(left)?.unwrap_or(0),
                top: self.length(top)?.unwrap_or(0),
                right: self.length(right)?.unwrap_or(0),
                bottom: self.length(bottom)?.unwrap_or(0),
            }),
            None => None,
        };
        let flags = self.flags(widget)?;
        let (wide, tall) = (self.size(widget.wide.as_ref())?, self.size(widget.tall.as_ref())?);
        let mut field = None;
        if widget.edits.is_some() && flags.has(Flags::ENABLED) {
            field = Some(self.fields.len() as u32);
            let items = self.items.as_slice().into();
            self.fields.push((at, Field { widget: widget.clone(), items, names }));
        }
        self.found.push(Laid {
            widget,
            text,
            desc,
            flags,
            depth,
            names,
            field,
            end: 0,
            bounds,
            wide,
            tall,
            need: (0, 0),
            gives_way: false,
            is_alone: false,
            at: Rectangle::default(),
            shift: (0, 0),
            clip: Rectangle::default(),
            scroll: None,
        });
        Ok(true)
    }

    fn flags(&mut self, widget: &Widget) -> Result<Flags, Fault> {
        let edits = widget.edits.is_some();
        let is_clickable = self.flag(widget.clickable.as_ref(), edits || widget.on_click.is_some())?;
        let is_longclickable =
            self.flag(widget.longclickable.as_ref(), edits || widget.on_longclick.is_some())?;
        Ok(Flags::default()
            .set(Flags::CLICKABLE, is_clickable)
            .set(Flags::LONG_CLICKABLE, is_longclickable)
            .set(Flags::CHECKABLE, self.flag(widget.checkable.as_ref(), widget.checked.is_some())?)
            .set(Flags::CHECKED, self.flag(widget.checked.as_ref(), false)?)
            .set(Flags::ENABLED, self.flag(widget.enabled.as_ref(), true)?)
            .set(Flags::SELECTED, self.flag(widget.selected.as_ref(), false)?)
            .set(Flags::PASSWORD, self.flag(widget.password.as_ref(), false)?)
            .set(Flags::EDITABLE, edits))
    }

    /// What is read on a widget, and its description; to look at them leaves no traces.
    fn texts(&mut self, widget: &Widget) -> Result<(Arc<str>, Arc<str>), Fault> {
        let had_read_clock = self.meter.has_read_clock;
        self.scope.leaves_traces = false;
        let texts = (self.text(widget)?, self.shown(widget.desc.as_ref())?);
        self.scope.leaves_traces = true;
        self.texts_have_read_clock |= self.meter.has_read_clock;
        self.meter.has_read_clock = had_read_clock;
        Ok(texts)
    }

    /// What is read on a widget: of a field what was typed, and the hint where there is nothing.
    fn text(&mut self, widget: &Widget) -> Result<Arc<str>, Fault> {
        if self.flag(widget.password.as_ref(), false)? {
            return Ok(Arc::default());
        }
        let text = match &widget.edits {
            Some(variable) => shown(self.variable(variable)?),
            None => self.shown(widget.text.as_ref())?,
        };
        if text.is_empty() { self.shown(widget.hint.as_ref()) } else { Ok(text) }
    }

    fn variable(&mut self, variable: &Variable) -> Result<Value, Fault> {
        Ok(match variable {
            Variable::Global(global) => self.scope.state.global(*global),
            Variable::Own(own) => self.scope.own.get(*own as usize).cloned().unwrap_or_default(),
            Variable::Local(local) => self.locals.get(*local as usize).cloned().unwrap_or_default(),
            Variable::Field(record, field) => {
                let record = self.value(record)?;
                self.scope.state.field(self.scope.model, &record, *field)
            }
        })
    }

    fn shown(&mut self, expr: Option<&Expr>) -> Result<Arc<str>, Fault> {
        expr.map_or(Ok(Arc::default()), |expr| Ok(shown(self.value(expr)?)))
    }

    fn flag(&mut self, expr: Option<&Expr>, otherwise: bool) -> Result<bool, Fault> {
        match expr {
            None => Ok(otherwise),
            Some(Expr::Value(value)) => {
                self.meter.work(1)?;
                Ok(is_true(value))
            }
            Some(expr) => Ok(is_true(&self.value(expr)?)),
        }
    }

    fn length(&mut self, expr: &Expr) -> Result<Option<i64>, Fault> {
        if let Expr::Value(Value::Int(number)) = expr {
            self.meter.work(1)?;
            return Ok(Some((*number).clamp(-FAR, FAR)));
        }
        Ok(match self.value(expr)? {
            Value::Int(number) => Some(number.clamp(-FAR, FAR)),
            Value::None | Value::Bool(_) | Value::Text(_) | Value::Record(..) => None,
        })
    }

    fn size(&mut self, expr: Option<&Expr>) -> Result<Option<i64>, Fault> {
        expr.map_or(Ok(None), |expr| Ok(self.length(expr)?.map(|length| length.max(0))))
    }

    fn value(&mut self, expr: &Expr) -> Result<Value, Fault> {
        self.scope.value(expr, &mut self.locals, &mut self.meter)
    }
}

/// The places of the widgets that lie directly between two places.
fn children(widgets: &[Laid<'_>], from: usize, to: usize) -> Vec<usize> {
    let mut at = from;
    let mut children = Vec::new();
    while at < to {
        children.push(at);
        at = widgets[at].end;
    }
    children
}

fn place(widgets: &mut [Laid<'_>], model: &Model, instance: &Instance) {
    let leaf = LEAF_DP * i64::from(model.display.dpi) / 160;
    let display = Rectangle {
        left: 0,
        top: 0,
        right: i64::from(model.display.width),
        bottom: i64::from(model.display.height),
    };
    let top = children(widgets, 0, widgets.len());
    if let [alone] = top[..] {
        widgets[alone].is_alone = true;
    }
    for at in (0..widgets.len()).rev() {
        measure(widgets, at, leaf);
    }
    for &at in &top {
        widgets[at].clip = display;
    }
    arrange(widgets, &top, display, false, (false, false));
    for at in 0..widgets.len() {
        place_contents(widgets, at, instance);
    }
}

/// Works out what the widget at `at` needs, once those in it have been measured.
fn measure(widgets: &mut [Laid<'_>], at: usize, leaf: i64) {
    let laid = &mut widgets[at];
    if laid.end == at + 1 && laid.widget.nodes.is_empty() {
        // Most widgets are leaves, so they are done with at once.
        laid.need = (laid.wide.unwrap_or(leaf).min(FAR), laid.tall.unwrap_or(leaf).min(FAR));
        laid.gives_way = laid.widget.scroll.is_some_and(|scroll| !scroll.is_sideways) && laid.tall.is_none();
        return;
    }
    let inner = children(widgets, at + 1, widgets[at].end);
    if let [alone] = inner[..] {
        widgets[alone].is_alone = true;
    }
    let widget = widgets[at].widget;
    let (mut width, mut height) = (0, 0);
    let mut gives_way = widget.scroll.is_some_and(|scroll| !scroll.is_sideways);
    let mut around: Option<Rectangle> = None;
    for &child in &inner {
        let child = &widgets[child];
        if let Some(bounds) = child.bounds {
            around = Some(around.map_or(bounds, |around| around.union(bounds)));
            continue;
        }
        gives_way |= child.gives_way;
        if widget.is_across {
            width += child.need.0;
            height = height.max(child.need.1);
        } else {
            width = width.max(child.need.0);
            height += child.need.1;
        }
    }
    if widget.nodes.is_empty() {
        (width, height) = (leaf, leaf);
    }
    // What holds nothing but widgets with bounds of their own reaches around them.
    let is_group = inner.iter().all(|&child| widgets[child].bounds.is_some());
    let laid = &mut widgets[at];
    laid.need = (laid.wide.unwrap_or(width).min(FAR), laid.tall.unwrap_or(height).min(FAR));
    laid.gives_way = gives_way && laid.tall.is_none();
    if laid.bounds.is_none()
        && laid.wide.is_none()
        && laid.tall.is_none()
        && widget.scroll.is_none()
        && is_group
    {
        laid.bounds = around;
    }
}

fn place_contents(widgets: &mut [Laid<'_>], at: usize, instance: &Instance) {
    let laid = &widgets[at];
    let (frame, clip, shift, end) = (laid.at, laid.clip, laid.shift, laid.end);
    let widget = laid.widget;
    if end == at + 1 && widget.scroll.is_none() {
        return;
    }
    let inner = children(widgets, at + 1, end);
    for &child in &inner {
        widgets[child].clip = clip;
        widgets[child].shift = shift;
    }
    let is_free = match widget.scroll {
        None => (false, false),
        Some(scroll) => (scroll.is_sideways, !scroll.is_sideways),
    };
    arrange(widgets, &inner, frame, widget.is_across, is_free);
    let Some(scroll) = widget.scroll else { return };
    let (mut right, mut bottom) = (frame.right, frame.bottom);
    for &child in &inner {
        right = right.max(widgets[child].at.right);
        bottom = bottom.max(widgets[child].at.bottom);
    }
    let offset_max = if scroll.is_sideways { right - frame.right } else { bottom - frame.bottom };
    let offset = instance.scrolled(scroll.position).clamp(0, offset_max);
    let moved = if scroll.is_sideways { (offset, 0) } else { (0, offset) };
    for &child in &inner {
        let child = &mut widgets[child];
        child.at = child.at.moved(moved);
        child.shift = (shift.0 + moved.0, shift.1 + moved.1);
        child.clip = clip.intersection(frame);
    }
    let laid = &mut widgets[at];
    laid.scroll =
        Some(Scrolled { offset, offset_max, is_sideways: scroll.is_sideways, position: scroll.position });
    laid.flags = laid.flags.set(Flags::SCROLLABLE, offset_max > 0);
}

/// Gives the widgets at `inner` their places in `frame`, which may end later than it is seen to.
fn arrange(
    widgets: &mut [Laid<'_>],
    inner: &[usize],
    frame: Rectangle,
    is_across: bool,
    is_free: (bool, bool),
) {
    let flowing: Vec<usize> =
        inner.iter().copied().filter(|&at| widgets[at].bounds.is_none() || fills(&widgets[at])).collect();
    let lengths = if is_across {
        widths_across(widgets, &flowing, frame.width(), is_free.0)
    } else {
        heights_below(widgets, &flowing, frame.height(), is_free.1)
    };
    let mut start = if is_across { frame.left } else { frame.top };
    for (&at, length) in flowing.iter().zip(lengths) {
        let laid = &mut widgets[at];
        let end = (start + length).min(2 * FAR);
        laid.at = if is_across {
            let needed = if is_free.1 { laid.need.1 } else { 0 };
            let height = laid.tall.unwrap_or(frame.height().max(needed));
            Rectangle { left: start, top: frame.top, right: end, bottom: frame.top + height }
        } else {
            let needed = if is_free.0 { laid.need.0 } else { 0 };
            let width = laid.wide.unwrap_or(frame.width().max(needed));
            Rectangle { left: frame.left, top: start, right: frame.left + width, bottom: end }
        };
        start = end;
    }
    for &at in inner {
        let laid = &mut widgets[at];
        if let Some(bounds) = laid.bounds.filter(|_| !fills(laid)) {
            laid.at = bounds.moved(laid.shift);
        }
    }
}

/// Whether a widget fills what holds it, whatever the bounds of those in it.
fn fills(laid: &Laid<'_>) -> bool {
    laid.is_alone && laid.widget.bounds.is_none()
}

fn heights_below(widgets: &[Laid<'_>], flowing: &[usize], room: i64, is_free: bool) -> Vec<i64> {
    let mut heights: Vec<i64> = flowing
        .iter()
        .map(|&at| {
            let laid = &widgets[at];
            match laid.tall {
                Some(tall) => tall,
                None if !laid.is_alone => laid.need.1,
                None if is_free => laid.need.1.max(room),
                None => room,
            }
        })
        .collect();
    let needed: i64 = heights.iter().sum();
    if is_free || needed <= room {
        return heights;
    }
    let gives_way = |at: usize| widgets[at].gives_way;
    let mut count = flowing.iter().filter(|&&at| gives_way(at)).count() as i64;
    let firm: i64 =
        flowing.iter().zip(&heights).filter(|(at, _)| !gives_way(**at)).map(|(_, height)| height).sum();
    let mut left = (room - firm).max(0);
    for (&at, height) in flowing.iter().zip(&mut heights) {
        if gives_way(at) {
            *height = (*height).min(left / count);
            left -= *height;
            count -= 1;
        }
    }
    heights
}

fn widths_across(widgets: &[Laid<'_>], flowing: &[usize], room: i64, is_free: bool) -> Vec<i64> {
    if is_free {
        return flowing.iter().map(|&at| widgets[at].need.0).collect();
    }
    let said: i64 = flowing.iter().filter_map(|&at| widgets[at].wide).sum();
    let mut count = flowing.iter().filter(|&&at| widgets[at].wide.is_none()).count() as i64;
    let mut left = (room - said).max(0);
    let widths = flowing.iter().map(|&at| {
        widgets[at].wide.unwrap_or_else(|| {
            let width = left / count;
            left -= width;
            count -= 1;
            width
        })
    });
    widths.collect()
}

impl Scene {
    /// Adds the widgets of which something is seen; what lies in one that is not, is not either.
    fn add_in_sight(&mut self, found: Vec<Laid<'_>>, purpose: Purpose) {
        if purpose == Purpose::Seen {
            self.widgets.reserve(found.len());
        }
        let stretch = self.ground.stretch;
        let mut hidden_until = 0;
        for (at, laid) in found.into_iter().enumerate() {
            if at < hidden_until {
                continue;
            }
            let bounds = stretch.bounds(laid.at.intersection(laid.clip));
            if bounds.is_empty() {
                hidden_until = laid.end;
                continue;
            }
            self.ground.add(at, &laid, bounds);
            if purpose == Purpose::Seen {
                self.widgets.push(gui::Widget {
                    depth: laid.depth,
                    class: laid.widget.class.clone(),
                    id: laid.widget.id.clone(),
                    text: laid.text,
                    desc: laid.desc,
                    bounds,
                    flags: laid.flags,
                });
            }
        }
    }
}

impl Ground {
    /// Adds the widget at `at` among all, as far as a touch may be meant for it.
    fn add(&mut self, at: usize, laid: &Laid<'_>, bounds: Bounds) {
        if laid.depth == 0 {
            self.area = Some(self.area.map_or(bounds, |area| around(area, bounds)));
        }
        let Laid { widget, flags, names, field, scroll, .. } = *laid;
        let scroll = scroll.filter(|scroll| scroll.offset_max > 0);
        let takes = widget.is_solid
            || widget.edits.is_some()
            || widget.on_tap.is_some()
            || flags.has(Flags::CLICKABLE)
            || flags.has(Flags::LONG_CLICKABLE);
        if takes {
            self.takers.push((bounds, self.placed.len() as u32));
        } else if widget.on_swipe.is_empty() && scroll.is_none() {
            return;
        }
        let more = (widget.on_tap.is_some() || scroll.is_some())
            .then(|| Box::new(More { corner: (laid.at.left, laid.at.top), scroll }));
        let span = (at as u32, laid.end as u32);
        self.placed.push(Placed { widget: widget.clone(), bounds, flags, names, field, span, more });
    }
}

/// Whether a touch or text does something that may ask for names.
fn does_something(widget: &Widget) -> bool {
    widget.edits.is_some()
        || widget.on_click.is_some()
        || widget.on_longclick.is_some()
        || widget.on_tap.is_some()
        || widget.on_text.is_some()
        || !widget.on_swipe.is_empty()
}

fn around(one: Bounds, other: Bounds) -> Bounds {
    Bounds {
        left: one.left.min(other.left),
        top: one.top.min(other.top),
        right: one.right.max(other.right),
        bottom: one.bottom.max(other.bottom),
    }
}
