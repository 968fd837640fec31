//! The life of activities, and time: what Android does between the effects of a model.

use super::effects::{Run, globals};
use super::evaluate::{Fault, is_true};
use super::model::{Datum, Event, Handler, Turning, WindowId, WindowKind};
use super::state::{Block, Phase, System, Task, Trouble};
use crate::device::Notice;
use crate::device::android::log::of_trace;
use crate::gui::Orientation;

/// Time without a touch after which the display goes dark: Android's default, one minute.
const LIT_MS: u64 = 60_000;

impl Run<'_> {
    /// Lets activities start, pause, resume and end until nothing is left to do.
    pub fn settle(&mut self) -> Result<(), Fault> {
        loop {
            self.burn().map_err(|fault| self.at_top(fault))?;
            if let Some((trace, window)) = self.crash.take() {
                let crash = Some(of_trace(&trace, &self.model.package).into());
                self.notices.push(Notice::Crash(trace));
                self.state.system = Some(System { trouble: Trouble::Crash, window, crash });
                self.end_process()?;
            }
            // While the app hangs, no activity starts or ends.
            if self.hangs() || !self.settle_once()? {
                return Ok(());
            }
        }
    }

    /// Assigns a fault of the activities as a whole to the topmost one.
    fn at_top(&self, fault: Fault) -> Fault {
        let top = self.state.stack.last().and_then(|activity| self.window(activity.instance.window));
        match top {
            Some(window) => fault.at(&window.span),
            None => fault,
        }
    }

    /// Takes the next step that is due; returns false if there is none.
    fn settle_once(&mut self) -> Result<bool, Fault> {
        let top = self.state.top();
        if top.is_none() {
            self.state.is_in_front = false;
        }
        // As on Android, a dark display pauses the activity in front.
        let wanted = top.filter(|_| self.state.is_in_front && self.state.is_lit);
        let resumed = self.state.stack.iter().position(|activity| activity.phase == Phase::Resumed);
        if let Some(resumed) = resumed
            && (Some(resumed) != wanted || self.is_to_be_made_anew(resumed))
        {
            // As on Android, the old activity pauses before the new one resumes.
            self.pause(resumed)?;
            return Ok(true);
        }
        if let Some(top) = wanted
            && self.bring_to_front(top)?
        {
            return Ok(true);
        }
        // As on Android, an activity that ends is destroyed after the next one has resumed.
        let Some(ended) = self.state.stack.iter().rposition(|activity| activity.is_finishing) else {
            return Ok(false);
        };
        self.destroy(ended)?;
        Ok(true)
    }

    /// Takes the next step towards resuming the activity at `top`; returns false if it is resumed.
    fn bring_to_front(&mut self, top: usize) -> Result<bool, Fault> {
        let activity = &self.state.stack[top];
        let number = activity.instance.number;
        let orientation = self.orientation_for(activity.instance.window);
        if activity.phase == Phase::Opened {
            self.state.stack[top].phase = Phase::Created;
            self.state.stack[top].orientation = orientation;
            self.initialise(number, true)?;
            self.start_timers(number)?;
            self.handle(number, Event::Create, Datum::None, false)?;
        } else if self.is_to_be_made_anew(top) {
            self.make_anew(top)?;
        } else if activity.orientation != orientation {
            self.state.stack[top].orientation = orientation;
            self.close_popups(top)?;
        } else if !activity.results.is_empty() {
            // One at a time, because its handler may open or end activities.
            let (request, result) = self.state.stack[top].results.remove(0);
            self.handle(number, Event::Result(request), result, false)?;
        } else if activity.phase != Phase::Resumed {
            self.state.stack[top].phase = Phase::Resumed;
            self.handle(number, Event::Resume, Datum::None, false)?;
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
        self.handle(number, Event::Pause, Datum::None, false)?;
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

    /// Returns true if the orientation of the activity at `at` differs from the phone's, and it must be
    /// recreated.
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
        self.handle(number, Event::Destroy, Datum::None, false)?;
        // The timers belong to the old activity; those of the new one are set below.
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
        self.handle(number, Event::Create, Datum::None, true)?;
        Ok(())
    }

    /// Ends the activity at `at` and the windows over it.
    fn destroy(&mut self, at: usize) -> Result<(), Fault> {
        // Windows over it end first, as long as their activity is still there.
        while let Some(over) = self.state.stack[at].over.last() {
            self.close(over.number)?;
        }
        let activity = &self.state.stack[at];
        let number = activity.instance.number;
        // An activity that never came to the front was never created.
        if activity.phase != Phase::Opened {
            self.handle(number, Event::Destroy, Datum::None, false)?;
        }
        // A handler may have opened another dialog over it, which ends with it.
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

    /// Ends the app's process at once, without running any handler.
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

    /// Returns the orientation of an activity as the phone is held.
    pub fn orientation_for(&self, window: WindowId) -> Orientation {
        match self.turning(window) {
            Some(Turning::Fixed(orientation)) => orientation,
            Some(Turning::Recreated | Turning::Relaid) | None => self.state.orientation,
        }
    }

    /// Runs the handlers of a window for an event; returns true if one of them ran.
    pub fn handle(
        &mut self,
        number: u32,
        event: Event,
        result: Datum,
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
            // The first handler that takes a key consumes it, and a crash ends all handlers.
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
        result: Datum,
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

    /// Sets the timers that a window has from its creation on.
    pub fn start_timers(&mut self, number: u32) -> Result<(), Fault> {
        let Some(window) = self.state.instance(number).and_then(|instance| self.window(instance.window))
        else {
            return Ok(());
        };
        for (handler, Handler { event, .. }) in window.handlers.iter().enumerate() {
            if let Event::Every { ms } = *event {
                // A timer without a delay would fire for ever.
                let ms = ms.max(1);
                self.set_timer(ms, Task::Every { instance: number, handler, ms })?;
            }
        }
        Ok(())
    }

    /// Turns the display on, as every touch and key does.
    pub fn wake(&mut self) -> Result<(), Fault> {
        self.quiet_ms = 0;
        if !self.state.is_lit {
            self.state.is_lit = true;
            self.settle()?;
        }
        Ok(())
    }

    /// Lets `ms` pass, and the time that effects ask for: timers fire, and in the end the display goes dark.
    pub fn pass(&mut self, ms: u64) -> Result<(), Fault> {
        let mut left_ms = ms;
        loop {
            // Effects that run meanwhile may ask for more time.
            left_ms = left_ms.saturating_add(std::mem::take(&mut self.wait_ms));
            if self.state.is_lit && self.quiet_ms >= LIT_MS && !self.is_awake()? {
                self.state.is_lit = false;
                self.settle()?;
                continue;
            }
            let due = self.next_timer().filter(|&(_, due_ms)| due_ms <= left_ms);
            let dark_ms = LIT_MS.checked_sub(self.quiet_ms).filter(|&ms| ms > 0 && ms <= left_ms);
            match (due, dark_ms) {
                // A timer that is due when the display goes dark still fires before that.
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

    /// Returns the index of the next timer and when it is due. While the app hangs there is none.
    fn next_timer(&self) -> Option<(usize, u64)> {
        if self.hangs() {
            return None;
        }
        let timers = self.state.timers.iter().map(|timer| timer.due_ms).enumerate();
        // Of timers due at the same time, this takes the one set first.
        timers.min_by_key(|&(_, due_ms)| due_ms)
    }

    /// Returns true if the app does not react until the user chooses to wait.
    pub fn hangs(&self) -> bool {
        self.state.system.as_ref().is_some_and(|system| system.trouble == Trouble::Anr)
    }

    fn advance(&mut self, ms: u64) {
        // The app's timers stand still while it hangs; the clock does not.
        if !self.hangs() {
            for timer in &mut self.state.timers {
                timer.due_ms = timer.due_ms.saturating_sub(ms);
            }
        }
        self.meter.now_ms = self.meter.now_ms.saturating_add(ms);
        self.quiet_ms = self.quiet_ms.saturating_add(ms);
    }

    /// Runs the task of the timer at `at`, and its consequences.
    fn fire(&mut self, at: usize) -> Result<(), Fault> {
        let timer = self.state.timers.remove(at);
        match timer.task {
            Task::Every { instance, handler, ms } => {
                // Set again first: if the handler closes the window, this timer goes with it.
                self.set_timer(ms, timer.task)?;
                let window = self.state.instance(instance).map(|instance| instance.window);
                let Some(window) = window.and_then(|window| self.window(window)) else { return Ok(()) };
                let Some(handler) = window.handlers.get(handler) else { return Ok(()) };
                let burnt = self.burn();
                burnt
                    .and_then(|()| self.handle_with(instance, handler, Datum::None, false))
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

    /// Returns true if the activity in front keeps the display lit.
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
