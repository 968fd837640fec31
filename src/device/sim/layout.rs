//! Where widgets lie: the window in front, its conditions and loops resolved, in pixels of the display.
//!
//! Everything is laid out as on the upright display of the model, and then stretched to the one there is.

use std::rc::Rc;
use std::sync::Arc;

use super::chance::Chance;
use super::evaluate::{Fault, Meter, Scope, is_true, set, shown};
use super::model::{Display, Each, Expr, Model, Node, Value, Variable, Widget};
use super::state::{Instance, State};
use crate::gui::{Bounds, Flags, Orientation};

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
    /// To be seen: with texts.
    Seen,
    /// To be touched: with the names that effects know.
    Touched,
}

/// The widgets of a window.
#[derive(Debug)]
pub(super) struct Scene<'m> {
    /// Those in sight, each before those in it.
    pub widgets: Vec<Placed<'m>>,
    /// The field that has the focus; it may be out of sight.
    pub focus: Option<Placed<'m>>,
    /// How the model's upright display is stretched.
    pub stretch: Stretch,
    /// Whether the clock was read.
    pub has_read_clock: bool,
}

/// A widget of a window, where it lies.
#[derive(Clone, Debug)]
pub(super) struct Placed<'m> {
    pub widget: &'m Widget,
    pub depth: u16,
    /// What is seen of it, in pixels of the display.
    pub bounds: Bounds,
    /// Its top left corner, in pixels of the model.
    pub corner: (i64, i64),
    pub flags: Flags,
    pub text: Arc<str>,
    pub desc: Arc<str>,
    /// The names known where it stands.
    pub locals: Rc<[Value]>,
    /// Of the values for which it is there, the one it is there for.
    pub items: Vec<Value>,
    /// How far it is scrolled and can be, if it scrolls.
    pub scroll: Option<Scrolled>,
}

/// How far something is scrolled, in pixels of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scrolled {
    pub offset: i64,
    pub offset_max: i64,
    pub is_sideways: bool,
    pub position: u32,
}

/// From the model's upright display to the one there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    from: (i64, i64),
    to: (i64, i64),
}

impl Stretch {
    pub fn new(model: &Model, orientation: Orientation) -> Stretch {
        let Display { width, height, .. } = model.settings.display;
        let to = match orientation {
            Orientation::Portrait => (width, height),
            Orientation::Landscape => (height, width),
        };
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

/// Lays out the window `instance`, which is `activity` or over it.
pub(super) fn scene<'m>(
    model: &'m Model,
    state: &State,
    instance: &Instance,
    orientation: Orientation,
    now_ms: u64,
    purpose: Purpose,
) -> Result<Scene<'m>, Fault> {
    let window = model.windows.get(instance.window as usize);
    let mut expansion = Expansion {
        scope: Scope {
            model,
            state,
            own: &instance.own,
            result: &Value::None,
            is_recreated: false,
            orientation,
        },
        meter: Meter::new(Chance::Absent, now_ms),
        locals: vec![Value::None; window.map_or(0, |window| window.locals as usize)],
        known: None,
        items: Vec::new(),
        purpose,
        found: Vec::new(),
    };
    if let Some(window) = window {
        expansion.nodes(&window.nodes, 0, 0).map_err(|fault| fault.at(&window.place))?;
    }
    let has_read_clock = expansion.meter.has_read_clock;
    let mut widgets = expansion.found;
    let focus = focused(&widgets, instance);
    if let Some(focus) = focus {
        let flags = &mut widgets[focus].placed.flags;
        *flags = flags.set(Flags::FOCUSED, true);
    }
    let stretch = Stretch::new(model, orientation);
    place(&mut widgets, model, instance);
    let focus = focus.map(|focus| widgets[focus].placed.clone());
    Ok(Scene { widgets: in_sight(widgets, stretch), focus, stretch, has_read_clock })
}

/// The field that was touched last, or else the first that takes input, as on Android.
fn focused(widgets: &[Laid<'_>], instance: &Instance) -> Option<usize> {
    let takes_input =
        |laid: &Laid<'_>| laid.placed.widget.edits.is_some() && laid.placed.flags.has(Flags::ENABLED);
    let touched = instance.focus.as_ref().and_then(|focus| {
        widgets.iter().position(|laid| {
            takes_input(laid)
                && std::ptr::from_ref(laid.placed.widget).addr() == focus.widget
                && laid.placed.items == focus.items
        })
    });
    touched.or_else(|| widgets.iter().position(takes_input))
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
    placed: Placed<'m>,
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
}

/// Resolves conditions and loops.
struct Expansion<'a, 'm> {
    scope: Scope<'a>,
    meter: Meter<'static>,
    locals: Vec<Value>,
    /// The locals as they are, once somebody asked for them.
    known: Option<Rc<[Value]>>,
    items: Vec<Value>,
    purpose: Purpose,
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
        if self.purpose == Purpose::Touched {
            self.known = None;
        }
    }

    fn widget(&mut self, widget: &'m Widget, depth: u16, nesting: u16) -> Result<(), Fault> {
        let at = self.found.len();
        if self.begin(widget, depth).map_err(|fault| fault.at(&widget.place))? {
            let done = self.nodes(&widget.nodes, depth + 1, nesting + 1);
            self.found[at].end = self.found.len();
            return done.map_err(|fault| fault.at(&widget.place));
        }
        Ok(())
    }

    /// Adds a widget without what is in it; `false` if it is not there.
    fn begin(&mut self, widget: &'m Widget, depth: u16) -> Result<bool, Fault> {
        if !self.flag(widget.condition.as_ref(), true)? {
            return Ok(false);
        }
        if self.found.len() == WIDGETS_MAX {
            return Err(Fault::new(format!("a screen has more than {WIDGETS_MAX} widgets")));
        }
        let (text, desc) = match self.purpose {
            Purpose::Seen => (self.text(widget)?, self.shown(widget.desc.as_ref())?),
            Purpose::Touched => (Arc::default(), Arc::default()),
        };
        let names = || match self.purpose {
            Purpose::Seen => Rc::default(),
            Purpose::Touched => self.locals.as_slice().into(),
        };
        let locals = self.known.get_or_insert_with(names).clone();
        let bounds = match widget.bounds.as_deref() {
            Some([left, top, right, bottom]) => Some(Rectangle {
                left: self.length(left)?.unwrap_or(0),
                top: self.length(top)?.unwrap_or(0),
                right: self.length(right)?.unwrap_or(0),
                bottom: self.length(bottom)?.unwrap_or(0),
            }),
            None => None,
        };
        let laid = Laid {
            placed: Placed {
                widget,
                depth,
                bounds: Bounds::default(),
                corner: (0, 0),
                flags: self.flags(widget)?,
                text,
                desc,
                locals,
                items: if widget.edits.is_some() { self.items.clone() } else { Vec::new() },
                scroll: None,
            },
            end: 0,
            bounds,
            wide: self.size(widget.wide.as_ref())?,
            tall: self.size(widget.tall.as_ref())?,
            need: (0, 0),
            gives_way: false,
            is_alone: false,
            at: Rectangle::default(),
            shift: (0, 0),
            clip: Rectangle::default(),
        };
        self.found.push(laid);
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
        expr.map_or(Ok(otherwise), |expr| Ok(is_true(&self.value(expr)?)))
    }

    fn length(&mut self, expr: &Expr) -> Result<Option<i64>, Fault> {
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
    let inner = children(widgets, at + 1, widgets[at].end);
    if let [alone] = inner[..] {
        widgets[alone].is_alone = true;
    }
    let widget = widgets[at].placed.widget;
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
    let widget = laid.placed.widget;
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
    let placed = &mut widgets[at].placed;
    placed.scroll =
        Some(Scrolled { offset, offset_max, is_sideways: scroll.is_sideways, position: scroll.position });
    placed.flags = placed.flags.set(Flags::SCROLLABLE, offset_max > 0);
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
    laid.is_alone && laid.placed.widget.bounds.is_none()
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

/// The widgets of which something is seen; what lies in one that is not, is not either.
fn in_sight(widgets: Vec<Laid<'_>>, stretch: Stretch) -> Vec<Placed<'_>> {
    let mut seen = Vec::with_capacity(widgets.len());
    let mut hidden_until = 0;
    for (at, laid) in widgets.into_iter().enumerate() {
        if at < hidden_until {
            continue;
        }
        let bounds = stretch.bounds(laid.at.intersection(laid.clip));
        if bounds.is_empty() {
            hidden_until = laid.end;
            continue;
        }
        seen.push(Placed { bounds, corner: (laid.at.left, laid.at.top), ..laid.placed });
    }
    seen
}
