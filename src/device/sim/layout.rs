//! Layout: places the widgets of the window in front, with conditions and loops resolved, in pixels of the
//! display.
//!
//! Widgets are laid out on the model's own upright display and then stretched to the actual one.

use std::sync::Arc;

use super::chance::Chance;
use super::evaluate::{Fault, Meter, Scope, is_true, set, shown};
use super::model::{Datum, Each, Expr, Model, Node, Variable, Widget, WindowId};
use super::state::{Focus, Instance, Slot, State, size_of_values};
use crate::gui::{self, Bounds, Flags, Orientation};

/// Most widgets of a screen, hidden ones included.
const WIDGETS_MAX: usize = 20_000;

/// Deepest nesting of nodes: a thread's stack is sure to hold it.
const DEPTH_MAX: u16 = 250;

/// Default height and width of a leaf: Android's minimum size of touch targets.
const LEAF_DP: i64 = 48;

/// Limit for coordinates, beyond any display; numbers of a model are clamped to it.
const FAR: i64 = 1_000_000;

/// The purpose of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// For a screen too, so with texts.
    Seen,
    /// Only for touches.
    Touched,
}

/// The laid-out widgets of a window.
#[derive(Debug)]
pub(super) struct Scene {
    /// The visible widgets, each before those inside it; empty for [`Purpose::Touched`].
    pub widgets: Vec<gui::Widget>,
    /// The same widgets as touches meet them.
    pub touch_map: TouchMap,
    /// True if the clock was read for the touch map.
    pub has_read_clock: bool,
    /// True if the clock was read for texts.
    pub texts_have_read_clock: bool,
}

/// The targets of touches in a window: where they are, and the names known there.
///
/// It refers to no window by number, so it fits every state with the same [`Look`].
#[derive(Debug, Default)]
pub(super) struct TouchMap {
    /// The visible widgets that may react to a touch, each before those inside it.
    placed: Vec<Placed>,
    /// Bounds and index in `placed` of the widgets that take a tap. A list of its own, as every tap searches
    /// it.
    takers: Vec<(Bounds, u32)>,
    /// The enabled fields, visible or not.
    fields: Vec<Field>,
    /// The bounds around all visible widgets.
    area: Option<Bounds>,
    /// The stretch from the model's upright display to the actual one.
    pub stretch: Stretch,
    /// Snapshots of the local names at widgets, one after another.
    names: Vec<Datum>,
    names_len: usize,
}

/// A widget with its place in a window.
#[derive(Debug)]
pub(super) struct Placed {
    pub widget: Arc<Widget>,
    /// Its visible part, in pixels of the display.
    pub bounds: Bounds,
    pub flags: Flags,
    /// Index of its names in [`TouchMap::names`].
    pub names: u32,
    /// Index among the fields that take input, if it is one.
    field: Option<u32>,
    /// Its index among all widgets, and the index of the first later widget outside of it.
    span: (u32, u32),
    more: Option<Box<More>>,
}

/// Properties that few widgets have.
#[derive(Debug)]
struct More {
    corner: (i64, i64),
    scroll: Option<Scrolled>,
}

/// A field that takes input.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub widget: Arc<Widget>,
    /// The loop values that identify it, if there are several for one widget.
    pub items: Box<[Datum]>,
    /// Index of its names in [`TouchMap::names`].
    pub names: u32,
}

impl Placed {
    /// Returns its top left corner in pixels of the model, known only if it reports taps or scrolls.
    pub fn corner(&self) -> (i64, i64) {
        self.more.as_ref().map_or((0, 0), |more| more.corner)
    }

    /// Returns how far it is scrolled and can be, if it scrolls.
    pub fn scroll(&self) -> Option<Scrolled> {
        self.more.as_ref()?.scroll
    }
}

impl TouchMap {
    /// Returns the topmost widget that takes a touch at `(x, y)`.
    pub fn taker(&self, (x, y): (i32, i32)) -> Option<&Placed> {
        let found = self.takers.iter().rfind(|(bounds, _)| bounds.contains(x, y))?;
        self.placed.get(found.1 as usize)
    }

    /// Returns the enabled widgets under a moving finger, the topmost first. A solid widget hides all others
    /// but those around it. Widgets that do not react to swipes are left out.
    pub fn under(&self, at: (i32, i32)) -> Vec<&Placed> {
        let mut found = Vec::new();
        let mut solid = None;
        for placed in self.placed.iter().rev() {
            // A widget that ends before the solid one does not contain it, and so lies hidden below it.
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

    /// Returns true if a touch is within the window.
    pub fn is_within(&self, (x, y): (i32, i32)) -> bool {
        self.area.is_some_and(|area| area.contains(x, y))
    }

    /// Returns the field that was touched last, or else the first that takes input, as on Android. It may be
    /// out of sight.
    pub fn focus(&self, touched: Option<&Focus>) -> Option<&Field> {
        focused(&self.fields, touched).map(|at| &self.fields[at])
    }

    /// Returns the field of a widget, if it is one and takes input.
    pub fn field(&self, placed: &Placed) -> Option<&Field> {
        self.fields.get(placed.field? as usize)
    }

    /// Returns where a field that takes input is; `None` if it is out of sight.
    pub fn place(&self, field: &Field) -> Option<Bounds> {
        let at = self.fields.iter().position(|other| std::ptr::eq(other, field))?;
        self.placed.iter().find(|placed| placed.field == Some(at as u32)).map(|placed| placed.bounds)
    }

    /// Returns the names known at a widget.
    pub fn names(&self, from: u32) -> &[Datum] {
        let from = from as usize;
        self.names.get(from..from + self.names_len).unwrap_or_default()
    }

    /// Returns its approximate size in bytes.
    pub fn size(&self) -> usize {
        let more = 72 * self.placed.iter().filter(|placed| placed.more.is_some()).count();
        let fields: usize = self.fields.iter().map(|field| 40 + size_of_values(&field.items)).sum();
        let widgets = size_of::<Placed>() * self.placed.len() + 20 * self.takers.len();
        200 + widgets + more + fields + size_of_values(&self.names)
    }
}

/// All that the layout of a state depends on, besides the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look<'s> {
    window: WindowId,
    own: &'s [Datum],
    scrolls: &'s [(u32, i64)],
    orientation: Orientation,
    has_network: bool,
    globals: &'s [Slot],
}

impl<'s> Look<'s> {
    /// Returns the look of the window `instance`.
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

/// A scroll position, in pixels of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scrolled {
    pub offset: i64,
    pub offset_max: i64,
    pub is_sideways: bool,
    pub position: u32,
}

/// The map from the model's display to the actual one in its current orientation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    from: (i64, i64),
    to: (i64, i64),
}

impl Stretch {
    pub fn new(model: &Model, orientation: Orientation) -> Stretch {
        let to = model.settings.display.size(orientation);
        // A display without a size would divide by 0.
        let size = |(width, height): (u32, u32)| (i64::from(width.max(1)), i64::from(height.max(1)));
        Stretch { from: size((model.display.width, model.display.height)), to: size(to) }
    }

    /// Returns the bounds of the actual display.
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

    /// Returns the point of the model's display at a pixel.
    pub fn back(self, (x, y): (i32, i32)) -> (i64, i64) {
        (
            (i64::from(x) * self.from.0).div_euclid(self.to.0),
            (i64::from(y) * self.from.1).div_euclid(self.to.1),
        )
    }
}

/// Lays out the window `instance`, which must be in front.
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
        result: &Datum::None,
        is_recreated: false,
        orientation,
        leaves_traces: true,
    };
    let mut expansion = Expansion {
        scope,
        // Looking must draw no chance, or it would change the run.
        meter: Meter::new(Chance::Absent, now_ms),
        locals: vec![Datum::None; window.map_or(0, |window| window.locals as usize)],
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
        touch_map: TouchMap { fields, stretch, names, names_len: locals.len(), ..TouchMap::default() },
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

/// A widget during layout.
#[derive(Debug)]
struct Laid<'m> {
    widget: &'m Arc<Widget>,
    text: Arc<str>,
    desc: Arc<str>,
    flags: Flags,
    depth: u16,
    /// Index of its names in [`TouchMap::names`].
    names: u32,
    /// Index among the fields that take input, if it is one.
    field: Option<u32>,
    /// Index of the next widget that is not inside it.
    end: usize,
    /// The bounds that the model gives it.
    bounds: Option<Rectangle>,
    wide: Option<i64>,
    tall: Option<i64>,
    /// Width and height needed for its contents.
    need: (i64, i64),
    /// True if it shrinks where room is short, because something in it scrolls.
    gives_way: bool,
    is_alone: bool,
    /// Its place.
    at: Rectangle,
    /// Scroll offset of the widgets around it, which moves bounds given by the model.
    shift: (i64, i64),
    clip: Rectangle,
    scroll: Option<Scrolled>,
}

/// Resolves conditions and loops.
struct Expansion<'a, 'm> {
    scope: Scope<'a>,
    meter: Meter<'static>,
    locals: Vec<Datum>,
    /// See [`TouchMap::names`].
    names: Vec<Datum>,
    /// Index in `names` of the current locals, if they are there, and true if some widget needs them.
    known: Option<(usize, bool)>,
    items: Vec<Datum>,
    purpose: Purpose,
    /// The fields that take input, with their indexes in `found`.
    fields: Vec<(usize, Field)>,
    texts_have_read_clock: bool,
    found: Vec<Laid<'m>>,
}

impl<'m> Expansion<'_, 'm> {
    /// Adds the widgets of `nodes`. Its frame is kept small, so that a thread's stack is enough for the
    /// recursion.
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
            // Loop values identify the fields inside the body.
            self.items.push(item.clone());
            self.set(local, item);
            self.nodes(body, depth, nesting + 1)?;
            self.items.pop();
        }
        Ok(())
    }

    fn items(&mut self, each: &Each) -> Result<Vec<Datum>, Fault> {
        match each {
            Each::Records(query) => self.scope.records(query, &mut self.locals, &mut self.meter),
            Each::Numbers { from, to } => {
                let numbers = self.scope.ends(from, to, &mut self.locals, &mut self.meter)?;
                Ok(numbers.map(Datum::Int).collect())
            }
        }
    }

    fn name(&mut self, local: u32, value: &Expr) -> Result<(), Fault> {
        let value = self.value(value)?;
        self.set(local, value);
        Ok(())
    }

    fn set(&mut self, local: u32, value: Datum) {
        set(&mut self.locals, local, value);
        self.forget_names();
    }

    /// Notes that the locals have changed.
    fn forget_names(&mut self) {
        // No widget needs the old ones, so their room is free again.
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

    /// Adds a widget without its contents; returns false if its condition does not hold.
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
        // Names are noted here, before the rest is evaluated and whether or not someone needs them later: so a
        // state holds the same names whichever way it was reached.
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
        // A field takes clicks and long clicks by itself.
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

    /// Returns the text and the description of a widget. Reading them leaves no traces.
    fn texts(&mut self, widget: &Widget) -> Result<(Arc<str>, Arc<str>), Fault> {
        // Counted apart: touches do not depend on texts, so a text with the time leaves the touch map certain.
        let had_read_clock = self.meter.has_read_clock;
        self.scope.leaves_traces = false;
        let texts = (self.text(widget)?, self.shown(widget.desc.as_ref())?);
        self.scope.leaves_traces = true;
        self.texts_have_read_clock |= self.meter.has_read_clock;
        self.meter.has_read_clock = had_read_clock;
        Ok(texts)
    }

    /// Returns the text of a widget; for a field, the text typed, or the hint if it is empty.
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

    fn variable(&mut self, variable: &Variable) -> Result<Datum, Fault> {
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
                // Counted like other values, so that bounds do not depend on this short cut.
                self.meter.work(1)?;
                Ok(is_true(value))
            }
            Some(expr) => Ok(is_true(&self.value(expr)?)),
        }
    }

    fn length(&mut self, expr: &Expr) -> Result<Option<i64>, Fault> {
        // Most lengths are constants, which need no evaluation.
        if let Expr::Value(Datum::Int(number)) = expr {
            self.meter.work(1)?;
            return Ok(Some((*number).clamp(-FAR, FAR)));
        }
        Ok(match self.value(expr)? {
            Datum::Int(number) => Some(number.clamp(-FAR, FAR)),
            Datum::None | Datum::Bool(_) | Datum::Text(_) | Datum::Record(..) => None,
        })
    }

    fn size(&mut self, expr: Option<&Expr>) -> Result<Option<i64>, Fault> {
        expr.map_or(Ok(None), |expr| Ok(self.length(expr)?.map(|length| length.max(0))))
    }

    fn value(&mut self, expr: &Expr) -> Result<Datum, Fault> {
        self.scope.value(expr, &mut self.locals, &mut self.meter)
    }
}

/// Returns the indexes of the widgets directly between two indexes, without those inside them.
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
    // Backwards: contents come after their widget and must be measured before it.
    for at in (0..widgets.len()).rev() {
        measure(widgets, at, leaf);
    }
    for &at in &top {
        widgets[at].clip = display;
    }
    arrange(widgets, &top, display, false, (false, false));
    // Forwards: a widget must have its place before its contents get theirs.
    for at in 0..widgets.len() {
        place_contents(widgets, at, instance);
    }
}

/// Computes the size that the widget at `at` needs; its contents must be measured already.
fn measure(widgets: &mut [Laid<'_>], at: usize, leaf: i64) {
    let laid = &mut widgets[at];
    if laid.end == at + 1 && laid.widget.nodes.is_empty() {
        // Most widgets are leaves, so this case ends early.
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
    // A group whose contents all have bounds of their own extends around them.
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
    // The contents may have become shorter since they were scrolled.
    let offset = instance.scrolled(scroll.position).clamp(0, offset_max);
    let moved = if scroll.is_sideways { (offset, 0) } else { (0, offset) };
    for &child in &inner {
        let child = &mut widgets[child];
        child.at = child.at.moved(moved);
        child.shift = (shift.0 + moved.0, shift.1 + moved.1);
        // Contents that scroll are seen within their widget alone.
        child.clip = clip.intersection(frame);
    }
    let laid = &mut widgets[at];
    laid.scroll =
        Some(Scrolled { offset, offset_max, is_sideways: scroll.is_sideways, position: scroll.position });
    laid.flags = laid.flags.set(Flags::SCROLLABLE, offset_max > 0);
}

/// Places the widgets at `inner` in `frame`, which may extend beyond the visible part.
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
        // Limited, so that no sum of lengths overflows.
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

/// Returns true if a widget fills the one around it, whatever the bounds of its contents.
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
            // Even shares; room that one does not need is left for those after it.
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
            // Dividing the rest anew each time also hands out the remainder of the division.
            let width = left / count;
            left -= width;
            count -= 1;
            width
        })
    });
    widths.collect()
}

impl Scene {
    /// Adds the visible widgets. Everything inside an invisible widget is invisible too.
    fn add_in_sight(&mut self, found: Vec<Laid<'_>>, purpose: Purpose) {
        if purpose == Purpose::Seen {
            self.widgets.reserve(found.len());
        }
        let stretch = self.touch_map.stretch;
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
            self.touch_map.add(at, &laid, bounds);
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

impl TouchMap {
    /// Adds the widget with index `at`, if it may react to a touch.
    fn add(&mut self, at: usize, laid: &Laid<'_>, bounds: Bounds) {
        // The outermost widgets bound the window.
        if laid.depth == 0 {
            self.area = Some(self.area.map_or(bounds, |area| around(area, bounds)));
        }
        let Laid { widget, flags, names, field, scroll, .. } = *laid;
        // With nothing out of sight, there is nowhere to scroll to.
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

/// Returns true if a touch or text has effects on this widget, which may need names.
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
