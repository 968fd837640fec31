//! Gestures: hands touches and keys to the widgets and windows that take them.

use std::sync::Arc;

use super::caret::{Caret, Edit, Written};
use super::effects::{Base, Run};
use super::evaluate::{Fault, measured, set, shown};
use super::layout::{Field, Look, Placed, Purpose, TouchMap, scene};
use super::model::{Datum, Effect, Event, Variable, Widget, WindowId};
use super::render::{Front, Press, front, is_modal, system_widgets};
use super::state::{Focus, Frame, Phase};
use crate::gui::{Bounds, Direction, Flags, PressedKey};

/// A point of the display, in pixels.
pub(super) type Pixel = (i32, i32);

impl Run<'_> {
    /// Touches the display for a moment.
    pub fn tap(&mut self, at: Pixel) -> Result<(), Fault> {
        self.touch(at, false)
    }

    /// Touches the display for a long time.
    pub fn long_tap(&mut self, at: Pixel) -> Result<(), Fault> {
        self.touch(at, true)
    }

    fn touch(&mut self, at: Pixel, is_long: bool) -> Result<(), Fault> {
        self.wake()?;
        let Some(touch_map) = self.touch_map()? else {
            // Widgets of the system ignore long touches.
            return if is_long { Ok(()) } else { self.press(at) };
        };
        if self.closes_by_touch(&touch_map, at)? {
            return self.settle();
        }
        // As on Android, a disabled widget takes a touch from those below it, and does nothing.
        if let Some(taker) = touch_map.taker(at)
            && taker.flags.has(Flags::ENABLED)
        {
            self.take(taker, &touch_map, at, is_long)?;
        }
        self.settle()
    }

    /// Hands a touch to the widget that takes it.
    fn take(&mut self, taker: &Placed, touch_map: &TouchMap, at: Pixel, is_long: bool) -> Result<(), Fault> {
        // As on Android, a field has the focus before its handlers run.
        if let Some(field) = touch_map.field(taker) {
            let caret = self.touched_caret(field, touch_map, taker.bounds, at)?;
            self.focus(field, caret);
        }
        let Some(mut frame) = self.frame_with(touch_map.names(taker.names)) else { return Ok(()) };
        if is_long && taker.flags.has(Flags::LONG_CLICKABLE) {
            return self.effects_of(&taker.widget, taker.widget.on_longclick.as_deref(), &mut frame);
        }
        if let Some((x, y, effects)) = &taker.widget.on_tap {
            // Handlers use the pixels of the model, which the display may stretch.
            let (point, corner) = (touch_map.stretch.back(at), taker.corner());
            set(&mut frame.locals, *x, Datum::Int(point.0 - corner.0));
            set(&mut frame.locals, *y, Datum::Int(point.1 - corner.1));
            self.effects_of(&taker.widget, Some(effects), &mut frame)?;
        }
        // As on Android, a long touch counts as a short one where no long one is handled.
        if taker.flags.has(Flags::CLICKABLE) {
            self.effects_of(&taker.widget, taker.widget.on_click.as_deref(), &mut frame)?;
        }
        Ok(())
    }

    /// Touches the display, moves the finger to another point, and lifts it.
    pub fn swipe(&mut self, from: Pixel, to: Pixel) -> Result<(), Fault> {
        self.wake()?;
        let Some(touch_map) = self.touch_map()? else { return Ok(()) };
        if self.closes_by_touch(&touch_map, from)? {
            return self.settle();
        }
        // Far points may be given, and their distance may need more bits.
        let (right, down) = (i64::from(to.0) - i64::from(from.0), i64::from(to.1) - i64::from(from.1));
        let is_sideways = right.abs() > down.abs();
        let towards = match (is_sideways, right > 0, down > 0) {
            (true, true, _) => Direction::Right,
            (true, false, _) => Direction::Left,
            (false, _, true) => Direction::Down,
            (false, _, false) => Direction::Up,
        };
        let under = touch_map.under(from);
        // As on Android, the innermost widget comes first, and a list that is at its end leaves the swipe to those around it.
        let taker = under.iter().find_map(|placed| {
            let scroll = placed.scroll().filter(|scroll| scroll.is_sideways == is_sideways);
            // The content follows the finger, so a finger to the right or down goes back to the content's start.
            let moves = scroll.filter(|scroll| match towards {
                Direction::Right | Direction::Down => scroll.offset > 0,
                Direction::Left | Direction::Up => scroll.offset < scroll.offset_max,
            });
            let handler = placed.widget.on_swipe.iter().find(|(direction, _)| *direction == towards);
            let effects = handler.map(|(_, effects)| &**effects);
            (moves.is_some() || effects.is_some()).then_some((placed, moves, effects))
        });
        match taker {
            None => {}
            Some((_, Some(scroll), _)) => {
                if let Some(number) = self.front_number()
                    && let Some(instance) = self.state.instance_mut(number)
                {
                    // Scroll offsets are in pixels of the model.
                    let (from, to) = (touch_map.stretch.back(from), touch_map.stretch.back(to));
                    let moved = if is_sideways { from.0 - to.0 } else { from.1 - to.1 };
                    let offset = (scroll.offset + moved).clamp(0, scroll.offset_max);
                    instance.scroll_to(scroll.position, offset);
                }
            }
            Some((placed, None, effects)) => {
                if let Some(mut frame) = self.frame_with(touch_map.names(placed.names)) {
                    self.effects_of(&placed.widget, effects, &mut frame)?;
                }
            }
        }
        self.settle()
    }

    /// Puts `text` at the caret of the focused field.
    pub fn type_text(&mut self, text: &str) -> Result<(), Fault> {
        self.change_text(|written| {
            written.put(text);
            true
        })
    }

    /// Replaces the text of the focused field by `text`.
    pub fn replace_text(&mut self, text: &str) -> Result<(), Fault> {
        self.change_text(|written| {
            written.press(Edit::SelectAll);
            written.put(text);
            true
        })
    }

    /// Presses a key that edits the text of the focused field, this many times.
    pub fn edit_text(&mut self, key: Edit, times: u32) -> Result<(), Fault> {
        self.change_text(|written| (0..times).fold(false, |is_changed, _| written.press(key) || is_changed))
    }

    /// Changes the text of the focused field, which `change` says, or its caret; without such a field, nothing happens.
    fn change_text(&mut self, change: impl FnOnce(&mut Written) -> bool) -> Result<(), Fault> {
        self.wake()?;
        let Some(touch_map) = self.touch_map()? else { return Ok(()) };
        let touched = match front(&self.state) {
            Front::Window { instance, .. } => instance.focus.as_ref(),
            Front::System => None,
        };
        let caret = touched.map_or(Caret::default(), |focus| focus.caret);
        let Some(field) = touch_map.focus(touched) else { return Ok(()) };
        let Some(variable) = &field.widget.edits else { return Ok(()) };
        let Some(mut frame) = self.frame_with(touch_map.names(field.names)) else { return Ok(()) };
        let fault = |fault: Fault| fault.at(&field.widget.span);
        let before = self.typed(variable, &mut frame).map_err(fault)?;
        let mut written = Written::new(&before, caret, line_width(field, touch_map.place(field)));
        let is_changed = change(&mut written);
        if written.caret() != caret {
            self.focus(field, written.caret());
        }
        if !is_changed {
            return Ok(());
        }
        let text = measured(&written.text()).map_err(fault)?;
        self.assign(variable, text, &mut frame).map_err(fault)?;
        self.effects_of(&field.widget, field.widget.on_text.as_deref(), &mut frame)?;
        self.settle()
    }

    fn typed(&mut self, variable: &Variable, frame: &mut Frame) -> Result<String, Fault> {
        let value = match variable {
            Variable::Global(global) => self.state.global(*global),
            Variable::Own(own) => {
                self.state.own(frame.instance).get(*own as usize).cloned().unwrap_or_default()
            }
            Variable::Local(local) => frame.locals.get(*local as usize).cloned().unwrap_or_default(),
            Variable::Field(record, field) => {
                let record = self.value(record, frame)?;
                self.state.field(self.model, &record, *field)
            }
        };
        Ok(shown(value).to_string())
    }

    /// Presses a key.
    pub fn key(&mut self, key: PressedKey) -> Result<(), Fault> {
        self.wake()?;
        if self.state.system.is_some() {
            return Ok(());
        }
        match key {
            PressedKey::Back => self.back()?,
            PressedKey::Menu => {
                if let Some(number) = self.front_number() {
                    self.handle(number, Event::Menu, Datum::None, false)?;
                }
            }
            PressedKey::Home => self.state.is_in_front = false,
            PressedKey::Delete => self.change_text(Written::delete)?,
            // Fields of a model have neither lines nor actions, and there is no search.
            PressedKey::Enter
            | PressedKey::Tab
            | PressedKey::Search
            | PressedKey::Escape
            | PressedKey::Up
            | PressedKey::Down
            | PressedKey::Left
            | PressedKey::Right => {}
        }
        self.settle()
    }

    fn back(&mut self) -> Result<(), Fault> {
        let Front::Window { instance, activity } = front(&self.state) else { return Ok(()) };
        let number = instance.number;
        if self.handle(number, Event::Back, Datum::None, false)? {
            return Ok(());
        }
        if number == activity {
            self.finish(activity, Datum::None);
            Ok(())
        } else {
            self.close(number)
        }
    }

    /// Turns the phone.
    pub fn rotate(&mut self) -> Result<(), Fault> {
        self.wake()?;
        self.state.orientation = self.state.orientation.turned();
        self.settle()
    }

    /// Connects the phone to the network, or disconnects it.
    pub fn switch_network(&mut self) -> Result<(), Fault> {
        self.wake()?;
        self.state.has_network = !self.state.has_network;
        let created = self.state.stack.iter().filter(|activity| activity.phase != Phase::Opened);
        // Taken first, because handlers may change the stack.
        let numbers: Vec<u32> = created.map(|activity| activity.instance.number).collect();
        for number in numbers {
            if !self.hangs() {
                self.handle(number, Event::Network, Datum::None, false)?;
                self.settle()?;
            }
        }
        Ok(())
    }

    /// Touches a widget of the system.
    fn press(&mut self, at: Pixel) -> Result<(), Fault> {
        let widgets = system_widgets(self.model, &self.state);
        // The topmost widget comes last.
        let pressed = widgets.iter().rfind(|(widget, _)| widget.bounds.contains(at.0, at.1));
        match pressed.and_then(|(_, press)| *press) {
            None => {}
            Some(Press::Start) => self.start(self.state.launched)?,
            Some(Press::Wait) => self.state.system = None,
            Some(Press::End) => {
                self.state.system = None;
                self.end_process()?;
            }
        }
        self.settle()
    }

    /// Brings the app to the front, and opens `window` if no activity is open.
    pub fn start(&mut self, window: WindowId) -> Result<(), Fault> {
        match self.state.top() {
            Some(_) => self.state.is_in_front = true,
            None => self.open(window, Vec::new(), false, None)?,
        }
        Ok(())
    }

    /// Brings the app to the front unchanged if `window` started it or is on top; else opens `window` on top.
    pub fn bring_up(&mut self, window: WindowId) -> Result<(), Fault> {
        self.wake()?;
        let Some(top) = self.state.top() else {
            self.state.launched = window;
            return self.open(window, Vec::new(), false, None);
        };
        self.state.is_in_front = true;
        if self.state.launched != window && self.state.stack[top].instance.window != window {
            self.open(window, Vec::new(), false, None)?;
        }
        Ok(())
    }

    /// Returns the touch map of the app's window, if it is in front.
    fn touch_map(&mut self) -> Result<Option<Arc<TouchMap>>, Fault> {
        let Front::Window { instance, .. } = front(&self.state) else { return Ok(None) };
        let look = Look::of(&self.state, instance);
        // A touch map depends on the look alone, so a run can share the map of its start.
        let base = self.base.as_mut().filter(|base| match front(&base.state) {
            Front::Window { instance, .. } => Look::of(&base.state, instance) == look,
            Front::System => false,
        });
        if let Some(Base { touch_map: Some(touch_map), .. }) = &base {
            return Ok(Some(touch_map.clone()));
        }
        let scene = scene(self.model, &self.state, instance, self.meter.now_ms, Purpose::Touched)?;
        let touch_map = Arc::new(scene.touch_map);
        self.meter.has_read_clock |= scene.has_read_clock;
        if let Some(base) = base.filter(|_| !scene.has_read_clock) {
            base.touch_map = Some(touch_map.clone());
        }
        Ok(Some(touch_map))
    }

    /// Returns the number of the app's window in front.
    fn front_number(&self) -> Option<u32> {
        match front(&self.state) {
            Front::Window { instance, .. } => Some(instance.number),
            Front::System => None,
        }
    }

    /// Closes the dialog in front if `at` is outside of it and a touch there closes it. Returns true if it
    /// does.
    fn closes_by_touch(&mut self, touch_map: &TouchMap, at: Pixel) -> Result<bool, Fault> {
        let Front::Window { instance, activity } = front(&self.state) else { return Ok(false) };
        let number = instance.number;
        let is_modal = self.window(instance.window).is_none_or(|window| is_modal(&window.kind));
        if number == activity || is_modal {
            return Ok(false);
        }
        let is_within = touch_map.is_within(at);
        if !is_within {
            self.close(number)?;
        }
        Ok(!is_within)
    }

    /// Returns the caret of a field that is touched at a pixel.
    fn touched_caret(
        &mut self,
        field: &Field,
        touch_map: &TouchMap,
        bounds: Bounds,
        (x, y): Pixel,
    ) -> Result<Caret, Fault> {
        let Some(variable) = &field.widget.edits else { return Ok(Caret::default()) };
        let Some(mut frame) = self.frame_with(touch_map.names(field.names)) else {
            return Ok(Caret::default());
        };
        let text = self.typed(variable, &mut frame).map_err(|fault| fault.at(&field.widget.span))?;
        let mut written = Written::new(&text, Caret::default(), line_width(field, Some(bounds)));
        let from = |at: i32, edge: i32| i64::from(at) - i64::from(edge);
        written.touch((from(x, bounds.left), from(y, bounds.top)), i64::from(bounds.height()));
        Ok(written.caret())
    }

    fn focus(&mut self, field: &Field, caret: Caret) {
        self.state.has_keyboard = self.model.settings.has_soft_keyboard;
        if let Some(number) = self.front_number()
            && let Some(instance) = self.state.instance_mut(number)
        {
            // Two fields of a model may be alike in everything but their address.
            let widget = std::ptr::from_ref(&*field.widget).addr();
            instance.focus = Some(Focus { widget, items: field.items.to_vec(), caret });
        }
    }

    /// Returns a frame of the window in front with these names.
    fn frame_with(&self, names: &[Datum]) -> Option<Frame> {
        let frame = self.frame(self.front_number()?)?;
        Some(Frame { locals: names.to_vec(), ..frame })
    }

    fn effects_of(
        &mut self,
        widget: &Widget,
        effects: Option<&[Effect]>,
        frame: &mut Frame,
    ) -> Result<(), Fault> {
        let Some(effects) = effects else { return Ok(()) };
        // Starting a handler costs fuel too, even one without effects.
        self.burn()?;
        self.effects(effects, frame).map_err(|fault| fault.at(&widget.span))
    }
}

/// Returns the width of a field whose text wraps. That of a password stays in its line.
fn line_width(field: &Field, bounds: Option<Bounds>) -> Option<i64> {
    bounds.filter(|_| field.widget.password.is_none()).map(|bounds| bounds.width().into())
}
