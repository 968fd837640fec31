//! The life of activities, and time: what Android does between the effects of a model.

use super::effects::{Run, globals};
use super::evaluate::{Fault, is_true};
use super::model::{Event, Handler, Turning, Value, WindowId, WindowKind};
use super::state::{Block, Phase, System, Task, Trouble};
use crate::device::Notice;
use crate::gui::Orientation;

/// After how long without a touch the display goes off: Android's own setting, one minute.
const LIT_MS: u64 = 60_000;

impl Run<'_> {
    /// Lets activities come, go and change places until nothing is left to do.
    pub fn settle(&mut self) -> Result<(), Fault> {
        loop {
            self.burn().map_err(|fault| self.at_top(fault))?;
            if let Some((trace, window)) = self.crash.take() {
                self.notices.push(Notice::Crash(trace));
                self.state.system = Some(System { trouble: Trouble::Crash, window });
                self.end_process()?;
            }
            // What hangs neither comes nor goes.
            if self.hangs() || !self.settle_once()? {
                return Ok(());
            }
        }
    }

    /// A fault of the activities as a whole: it is said of the one on top.
    fn at_top(&self, fault: Fault) -> Fault {
        let top = self.state.stack.last().and_then(|activity| self.window(activity.instance.window));
        match top {
            Some(window) => fault.at(&window.span),
            None => fault,
        }
    }

    /// Does the next thing that is due; `false` if nothing is.
    fn settle_once(&mut self) -> Result<bool, Fault> {
        let top = self.state.top();
        if top.is_none() {
            self.state.is_in_front = false;
        }
        let wanted = top.filter(|_| self.state.is_in_front && self.state.is_lit);
        let resumed = self.state.stack.iter().position(|activity| activity.phase == Phase::Resumed);
        if let Some(resumed) = resumed
            && (Some(resumed) != wanted || self.is_to_be_made_anew(resumed))
        {
            self.pause(resumed)?;
            return Ok(true);
        }
        if let Some(top) = wanted
            && self.bring_to_front(top)?
        {
            return Ok(true);
        }
        let Some(ended) = self.state.stack.iter().rposition(|activity| activity.is_finishing) else {
            return Ok(false);
        };
        self.destroy(ended)?;
        Ok(true)
    }

    /// Does the next thing that is missing until the activity at `top` is resumed; `false` if it is.
    fn bring_to_front(&mut self, top: usize) -> Result<bool, Fault> {
        let activity = &self.state.stack[top];
        let number = activity.instance.number;
        let orientation = self.orientation_for(activity.instance.window);
        if activity.phase == Phase::Opened {
            self.state.stack[top].phase = Phase::Created;
            self.state.stack[top].orientation = orientation;
            self.initialise(number, true)?;
            self.start_timers(number)?;
            self.handle(number, Event::Create, Value::None, false)?;
        } else if self.is_to_be_made_anew(top) {
            self.make_anew(top)?;
        } else if activity.orientation != orientation {
            self.state.stack[top].orientation = orientation;
            self.close_popups(top)?;
        } else if !activity.results.is_empty() {
            let (request, result) = self.state.stack[top].results.remove(0);
            self.handle(number, Event::Result(request), result, false)?;
        } else if activity.phase != Phase::Resumed {
            self.state.stack[top].phase = Phase::Resumed;
            self.handle(number, Event::Resume, Value::None, false)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn pause(&mut self, at: usize) -> Result<(), Fault> {
        let activity = &mut self.state.stack[at];
        activity.phase = Phase::Created;
        let number = activity.instance.number;
        self.state.has_keyboard = false;
        self.handle(number, Event::Pause, Value::None, false)?;
        self.close_popups(at)
    }

    fn close_popups(&mut self, at: usize) -> Result<(), Fault> {
        let Some(activity) = self.state.stack.get(at) else { return Ok(()) };
        let popups: Vec<u32> = activity
            .over
            .iter()
            .filter(|over| {
                let window = self.model.windows.get(over.window as usize);
                window.is_some_and(|window| matches!(window.kind, WindowKind::Popup { .. }))
            })
            .map(|over| over.number)
            .collect();
        popups.into_iter().try_for_each(|number| self.close(number))
    }

    /// Whether the activity at `at` is turned otherwise than the phone, and has to be made anew for it.
    fn is_to_be_made_anew(&self, at: usize) -> bool {
        let activity = &self.state.stack[at];
        activity.phase != Phase::Opened
            && activity.orientation != self.orientation_for(activity.instance.window)
            && self.turning(activity.instance.window) == Some(Turning::Recreated)
    }

    fn make_anew(&mut self, at: usize) -> Result<(), Fault> {
        let activity = &self.state.stack[at];
        let (number, window) = (activity.instance.number, activity.instance.window);
        self.close_popups(at)?;
        self.handle(number, Event::Destroy, Value::None, false)?;
        self.state.timers.retain(|timer| match &timer.task {
            Task::Every { instance, .. } => *instance != number,
            Task::After { frame, .. } => frame.instance != number,
        });
        let orientation = self.orientation_for(window);
        if let Some(activity) = self.state.activity_mut(number) {
            activity.orientation = orientation;
        }
        self.initialise(number, false)?;
        self.start_timers(number)?;
        self.handle(number, Event::Create, Value::None, true)?;
        Ok(())
    }

    /// Ends the activity at `at` and what is over it.
    fn destroy(&mut self, at: usize) -> Result<(), Fault> {
        while let Some(over) = self.state.stack[at].over.last() {
            self.close(over.number)?;
        }
        let activity = &self.state.stack[at];
        let number = activity.instance.number;
        if activity.phase != Phase::Opened {
            self.handle(number, Event::Destroy, Value::None, false)?;
        }
        // Its handlers may have opened a dialog over it, which ends with it.
        self.state.stack.retain(|activity| activity.instance.number != number);
        let stack = &self.state.stack;
        let is_there = |number: u32| {
            stack.iter().any(|activity| {
                activity.instance.number == number || activity.over.iter().any(|over| over.number == number)
            })
        };
        self.state.timers.retain(|timer| match &timer.task {
            Task::Every { instance, .. } => is_there(*instance),
            Task::After { frame, .. } => frame.activity != number,
        });
        Ok(())
    }

    /// Ends the app's process, with nobody being asked.
    pub fn end_process(&mut self) -> Result<(), Fault> {
        self.state.stack.clear();
        self.state.closed.clear();
        self.state.timers.clear();
        self.state.is_in_front = false;
        self.state.has_keyboard = false;
        self.state.globals = globals(self.model, Some(&self.state.globals))?;
        Ok(())
    }

    fn turning(&self, window: WindowId) -> Option<Turning> {
        match self.window(window)?.kind {
            WindowKind::Activity { turning, .. } => Some(turning),
            WindowKind::Dialog { .. } | WindowKind::Popup { .. } => None,
        }
    }

    /// How an activity is laid out as the phone is held.
    pub fn orientation_for(&self, window: WindowId) -> Orientation {
        match self.turning(window) {
            Some(Turning::Fixed(orientation)) => orientation,
            Some(Turning::Recreated | Turning::Relaid) | None => self.state.orientation,
        }
    }

    /// Does what the window with this number does at an event; says whether it does anything.
    pub fn handle(
        &mut self,
        number: u32,
        event: Event,
        result: Value,
        is_recreated: bool,
    ) -> Result<bool, Fault> {
        let Some(window) = self.state.instance(number).and_then(|instance| self.window(instance.window))
        else {
            return Ok(false);
        };
        let mut is_handled = false;
        for handler in window.handlers.iter().filter(|handler| handler.event == event) {
            let done = self.handle_with(number, handler, result.clone(), is_recreated);
            is_handled |= done.map_err(|fault| fault.at(&window.span))?;
            let is_one_enough = matches!(event, Event::Back | Event::Menu);
            if (is_handled && is_one_enough) || self.crash.is_some() {
                break;
            }
        }
        Ok(is_handled)
    }

    fn handle_with(
        &mut self,
        number: u32,
        handler: &Handler,
        result: Value,
        is_recreated: bool,
    ) -> Result<bool, Fault> {
        let Some(frame) = self.frame(number) else { return Ok(false) };
        let mut frame = super::state::Frame { result, is_recreated, ..frame };
        let holds = match &handler.condition {
            Some(condition) => is_true(&self.value(condition, &mut frame)?),
            None => true,
        };
        if holds {
            self.effects(&handler.effects, &mut frame)?;
        }
        Ok(holds)
    }

    /// Sets the timers that a window has from the moment it is created.
    pub fn start_timers(&mut self, number: u32) -> Result<(), Fault> {
        let Some(window) = self.state.instance(number).and_then(|instance| self.window(instance.window))
        else {
            return Ok(());
        };
        for (handler, Handler { event, .. }) in window.handlers.iter().enumerate() {
            if let Event::Every { ms } = *event {
                let ms = ms.max(1);
                self.set_timer(ms, Task::Every { instance: number, handler, ms })?;
            }
        }
        Ok(())
    }

    /// Lights the display, as every touch and key does.
    pub fn wake(&mut self) -> Result<(), Fault> {
        self.quiet_ms = 0;
        if !self.state.is_lit {
            self.state.is_lit = true;
            self.settle()?;
        }
        Ok(())
    }

    /// Lets `ms` pass, and as much as effects ask for: timers go off, and in the end the display.
    pub fn pass(&mut self, ms: u64) -> Result<(), Fault> {
        let mut left_ms = ms;
        loop {
            left_ms = left_ms.saturating_add(std::mem::take(&mut self.wait_ms));
            if self.state.is_lit && self.quiet_ms >= LIT_MS && !self.is_awake()? {
                self.state.is_lit = false;
                self.settle()?;
                continue;
            }
            let due = self.next_timer().filter(|&(_, due_ms)| due_ms <= left_ms);
            let dark_ms = LIT_MS.checked_sub(self.quiet_ms).filter(|&ms| ms > 0 && ms <= left_ms);
            match (due, dark_ms) {
                (Some((at, due_ms)), _) if dark_ms.is_none_or(|dark_ms| due_ms <= dark_ms) => {
                    self.advance(due_ms);
                    left_ms -= due_ms;
                    self.fire(at)?;
                }
                (_, Some(dark_ms)) => {
                    self.advance(dark_ms);
                    left_ms -= dark_ms;
                }
                (_, None) => {
                    self.advance(left_ms);
                    return Ok(());
                }
            }
        }
    }

    /// The place of the timer that is due next; an app that hangs has none.
    fn next_timer(&self) -> Option<(usize, u64)> {
        if self.hangs() {
            return None;
        }
        let timers = self.state.timers.iter().map(|timer| timer.due_ms).enumerate();
        timers.min_by_key(|&(_, due_ms)| due_ms)
    }

    /// Whether the app does nothing any more until somebody waits for it.
    pub fn hangs(&self) -> bool {
        self.state.system.is_some_and(|system| system.trouble == Trouble::Anr)
    }

    fn advance(&mut self, ms: u64) {
        if !self.hangs() {
            for timer in &mut self.state.timers {
                timer.due_ms = timer.due_ms.saturating_sub(ms);
            }
        }
        self.meter.now_ms = self.meter.now_ms.saturating_add(ms);
        self.quiet_ms = self.quiet_ms.saturating_add(ms);
    }

    /// Does what the timer at `at` is there for, and what follows from it.
    fn fire(&mut self, at: usize) -> Result<(), Fault> {
        let timer = self.state.timers.remove(at);
        match timer.task {
            Task::Every { instance, handler, ms } => {
                self.set_timer(ms, timer.task)?;
                let window = self.state.instance(instance).map(|instance| instance.window);
                let Some(window) = window.and_then(|window| self.window(window)) else { return Ok(()) };
                let Some(handler) = window.handlers.get(handler) else { return Ok(()) };
                let burnt = self.burn();
                burnt
                    .and_then(|()| self.handle_with(instance, handler, Value::None, false))
                    .map_err(|fault| fault.at(&window.span))?;
            }
            Task::After { mut frame, effects: Block(effects) } => {
                let done = self.burn().and_then(|()| self.effects(&effects, &mut frame));
                let first = effects.first().map(|effect| &effect.span);
                done.map_err(|fault| if let Some(span) = first { fault.at(span) } else { fault })?;
            }
        }
        self.settle()
    }

    /// Whether what is in front keeps the display lit.
    fn is_awake(&mut self) -> Result<bool, Fault> {
        let in_front = self.state.is_in_front && self.state.system.is_none();
        let Some(top) = self.state.top().filter(|_| in_front) else { return Ok(false) };
        let instance = &self.state.stack[top].instance;
        let number = instance.number;
        let Some(window) = self.window(instance.window) else { return Ok(false) };
        let WindowKind::Activity { awake: Some(awake), .. } = &window.kind else { return Ok(false) };
        let Some(mut frame) = self.frame(number) else { return Ok(false) };
        let is_awake = self.value(awake, &mut frame).map_err(|fault| fault.at(&window.span))?;
        Ok(is_true(&is_awake))
    }
}
