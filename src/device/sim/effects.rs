//! Effects: what a model does during an action.
//!
//! Changes to the stack of activities are only noted here, and [`super::life`] carries them out after the
//! effects, as Android does; dialogs open and close at once.

use std::sync::Arc;

use super::chance::{Chance, Odds};
use super::crash::traced;
use super::evaluate::{Fault, Meter, Scope, WORK_MAX, is_true, set, shown};
use super::layout::TouchMap;
use super::model::{
    Datum, Does, Each, Effect, Event, Expr, FieldId, GlobalId, Initial, Life, LocalId, Model, OwnId,
    ProcedureId, RequestId, Variable, Window, WindowId,
};
use super::state::{
    Activity, Block, Frame, Instance, List, Phase, Record, Slot, State, System, Task, Timer, Trouble,
    field_place,
};
use crate::device::Notice;
use crate::gui::Orientation;

/// Most effects in an action; other steps that happen by themselves count too.
const FUEL: u32 = 100_000;

/// Most open windows.
const WINDOWS_MAX: usize = 100;

/// Deepest nesting of calls.
const CALLS_MAX: u32 = 50;

/// Deepest nesting of braces, those of called effects included: a thread's stack is sure to hold it.
const BRACES_MAX: u32 = 200;

/// Most records in a list.
const RECORDS_MAX: usize = 10_000;

/// Most timers set at a time.
const TIMERS_MAX: usize = 1_000;

/// A state, and the touch map for it and for states that look like it, once known.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub state: Arc<State>,
    pub touch_map: Option<Arc<TouchMap>>,
}

/// A state during an action.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub model: &'a Model,
    pub state: State,
    pub meter: Meter<'a>,
    pub notices: Vec<Notice>,
    /// Extra time that the screen takes to settle, as asked for by effects.
    pub wait_ms: u64,
    /// Time since the phone was last touched.
    pub quiet_ms: u64,
    /// Trace and activity of a crash that comes after the effects.
    pub crash: Option<(Arc<str>, WindowId)>,
    /// The state at the start, whose touch map may be used and set.
    pub base: Option<Base>,
    fuel: u32,
    calls: u32,
    braces: u32,
}

impl<'a> Run<'a> {
    pub fn new(model: &'a Model, state: State, chance: Chance<'a>, now_ms: u64) -> Run<'a> {
        Run {
            model,
            state,
            meter: Meter::new(chance, now_ms),
            notices: Vec::new(),
            wait_ms: 0,
            quiet_ms: 0,
            crash: None,
            base: None,
            fuel: FUEL,
            calls: 0,
            braces: 0,
        }
    }

    /// Spends the fuel of one effect.
    pub fn burn(&mut self) -> Result<(), Fault> {
        let left = self.fuel.checked_sub(1);
        self.fuel =
            left.ok_or_else(|| Fault::new(format!("this does not come to an end: {FUEL} effects")))?;
        Ok(())
    }

    /// Runs `effects` one after another.
    pub fn effects(&mut self, effects: &[Effect], frame: &mut Frame) -> Result<(), Fault> {
        for effect in effects {
            self.effect(effect, frame).map_err(|fault| fault.at(&effect.span))?;
        }
        Ok(())
    }

    fn braces(&mut self, effects: &[Effect], frame: &mut Frame) -> Result<(), Fault> {
        if self.braces == BRACES_MAX {
            return Err(Fault::new(format!("more than {BRACES_MAX} braces stand in each other")));
        }
        self.braces += 1;
        let done = self.effects(effects, frame);
        self.braces -= 1;
        done
    }

    /// Runs one effect. Its frame on the thread's stack is kept small, as in [`Scope::value`].
    fn effect(&mut self, effect: &Effect, frame: &mut Frame) -> Result<(), Fault> {
        self.burn()?;
        match &effect.does {
            Does::Set { variable, value } => self.set(variable, value, frame),
            Does::Let { local, value } => self.set(&Variable::Local(*local), value, frame),
            Does::Add { list, values, local } => self.add(*list, values, *local, frame),
            Does::Remove { record } => self.remove(record, frame),
            Does::Clear { list } => {
                self.clear(*list);
                Ok(())
            }
            Does::Open { window, values, afresh, request } => {
                self.open_from(*window, values, *afresh, *request, frame)
            }
            Does::Finish { with } => self.finish_with(with.as_ref(), frame),
            Does::Show { window, values } => self.show_from(*window, values, frame),
            Does::Close => self.close_from(frame),
            Does::Leave => {
                self.state.is_in_front = false;
                Ok(())
            }
            Does::Toast { text } => self.toast(text, frame),
            Does::Wait { ms } => {
                self.wait_ms = self.wait_ms.saturating_add(*ms);
                Ok(())
            }
            Does::After { ms, effects } => self.after(*ms, effects, frame),
            Does::Chance { branches } => match self.drawn(branches) {
                Ok(effects) => self.braces(effects, frame),
                Err(fault) => Err(fault),
            },
            Does::If { condition, then, otherwise } => match self.holds(condition, frame) {
                Ok(true) => self.braces(then, frame),
                Ok(false) => self.braces(otherwise, frame),
                Err(fault) => Err(fault),
            },
            Does::For { local, each, effects } => self.each(*local, each, effects, frame),
            Does::Call { procedure, values } => self.call(*procedure, values, frame),
            Does::Keyboard => {
                self.state.has_keyboard = self.model.settings.has_soft_keyboard;
                Ok(())
            }
            Does::Crash { trace } => self.crash_with(trace, effect.span.start, frame),
            Does::Anr { reason } => self.hang(reason, frame),
        }
    }

    fn set(&mut self, variable: &Variable, value: &Expr, frame: &mut Frame) -> Result<(), Fault> {
        let value = self.value(value, frame)?;
        self.assign(variable, value, frame)
    }

    fn remove(&mut self, record: &Expr, frame: &mut Frame) -> Result<(), Fault> {
        if let Datum::Record(list, number) = self.value(record, frame)?
            && let Some(list) = self.state.list_mut(list)
            && let Some(at) = list.find(number)
        {
            list.records.remove(at);
        }
        Ok(())
    }

    fn clear(&mut self, list: GlobalId) {
        if let Some(list) = self.state.list_mut(list) {
            list.records.clear();
        }
    }

    fn open_from(
        &mut self,
        window: WindowId,
        values: &[Expr],
        is_afresh: bool,
        request: Option<RequestId>,
        frame: &mut Frame,
    ) -> Result<(), Fault> {
        let own = self.values(values, frame)?;
        self.open(window, own, is_afresh, request.map(|request| (frame.activity, request)))
    }

    fn finish_with(&mut self, with: Option<&Expr>, frame: &mut Frame) -> Result<(), Fault> {
        let with = with.map_or(Ok(Datum::None), |with| self.value(with, frame))?;
        self.finish(frame.activity, with);
        Ok(())
    }

    fn show_from(&mut self, window: WindowId, values: &[Expr], frame: &mut Frame) -> Result<(), Fault> {
        let own = self.values(values, frame)?;
        self.show(window, own, frame.activity)
    }

    /// Closes the dialog of the running effects, or else the topmost one over their activity.
    fn close_from(&mut self, frame: &Frame) -> Result<(), Fault> {
        let activity = frame.activity;
        let number = if frame.instance == activity {
            self.state.activity(activity).and_then(|activity| Some(activity.over.last()?.number))
        } else {
            Some(frame.instance)
        };
        number.map_or(Ok(()), |number| self.close(number))
    }

    fn toast(&mut self, text: &Expr, frame: &mut Frame) -> Result<(), Fault> {
        let text = shown(self.value(text, frame)?);
        self.notices.push(Notice::Toast(text));
        Ok(())
    }

    fn after(&mut self, ms: u64, effects: &Arc<[Effect]>, frame: &Frame) -> Result<(), Fault> {
        self.set_timer(ms, Task::After { frame: frame.clone(), effects: Block(effects.clone()) })
    }

    fn drawn<'b>(&mut self, branches: &'b [(u32, Arc<[Effect]>)]) -> Result<&'b [Effect], Fault> {
        let shares: Vec<u32> = branches.iter().map(|&(share, _)| share).collect();
        let taken = self.meter.draw(Odds::Shares(&shares))?;
        Ok(branches.get(taken).map_or(&[], |(_, effects)| effects))
    }

    fn crash_with(&mut self, trace: &Expr, at: usize, frame: &mut Frame) -> Result<(), Fault> {
        let trace = shown(self.value(trace, frame)?);
        self.crash(traced(&trace, &self.model.crash_sites[&at]), frame.activity);
        Ok(())
    }

    fn hang(&mut self, reason: &Expr, frame: &mut Frame) -> Result<(), Fault> {
        let reason = shown(self.value(reason, frame)?);
        // The dialog that came up first stays.
        if let Some(activity) = self.state.activity(frame.activity)
            && self.state.system.is_none()
        {
            self.state.system =
                Some(System { trouble: Trouble::Anr, window: activity.instance.window, crash: None });
            self.notices.push(Notice::Anr(reason));
        }
        Ok(())
    }

    fn each(&mut self, local: u32, each: &Each, effects: &[Effect], frame: &mut Frame) -> Result<(), Fault> {
        match each {
            Each::Records(query) => {
                let records =
                    self.scoped(frame, |scope, locals, meter| scope.records(query, locals, meter))?;
                for record in records {
                    self.burn()?;
                    // An earlier round may have removed it.
                    if self.state.known(&record) == record {
                        set(&mut frame.locals, local, record);
                        self.braces(effects, frame)?;
                    }
                }
            }
            Each::Numbers { from, to } => {
                let ends = self.scoped(frame, |scope, locals, meter| scope.ends(from, to, locals, meter))?;
                for number in ends {
                    self.burn()?;
                    set(&mut frame.locals, local, Datum::Int(number));
                    self.braces(effects, frame)?;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, procedure: ProcedureId, values: &[Expr], frame: &mut Frame) -> Result<(), Fault> {
        let Some(procedure) = self.model.procedures.get(procedure as usize) else { return Ok(()) };
        if self.calls == CALLS_MAX {
            return Err(Fault::new(format!("more than {CALLS_MAX} calls stand in each other")));
        }
        let locals = self.values(values, frame)?;
        // A procedure has its own locals and shares everything else with its caller.
        let mut inner = Frame { locals, result: frame.result.clone(), ..*frame };
        // Names that are given within it have their slots behind the parameters.
        inner.locals.resize(procedure.locals.max(procedure.parameters) as usize, Datum::None);
        self.calls += 1;
        let done = self.braces(&procedure.effects, &mut inner);
        self.calls -= 1;
        done
    }

    /// Evaluates `work` in the scope of `frame`.
    pub fn scoped<T>(
        &mut self,
        frame: &mut Frame,
        work: impl FnOnce(&Scope<'_>, &mut [Datum], &mut Meter<'a>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let scope = Scope {
            model: self.model,
            state: &self.state,
            own: self.state.own(frame.instance),
            result: &frame.result,
            is_recreated: frame.is_recreated,
            orientation: self.orientation_at(frame.activity),
            leaves_traces: true,
        };
        work(&scope, &mut frame.locals, &mut self.meter)
    }

    /// Returns the value of `expr` in the scope of `frame`.
    pub fn value(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Datum, Fault> {
        self.scoped(frame, |scope, locals, meter| scope.value(expr, locals, meter))
    }

    fn holds(&mut self, condition: &Expr, frame: &mut Frame) -> Result<bool, Fault> {
        self.value(condition, frame).map(|value| is_true(&value))
    }

    fn values(&mut self, exprs: &[Expr], frame: &mut Frame) -> Result<Vec<Datum>, Fault> {
        exprs.iter().map(|expr| self.value(expr, frame)).collect()
    }

    fn orientation_at(&self, activity: u32) -> Orientation {
        self.state.activity(activity).map_or(self.state.orientation, |activity| activity.orientation)
    }

    /// Returns a frame for handlers of the window with this number.
    pub fn frame(&self, number: u32) -> Option<Frame> {
        let activity = self.state.activity_of(number)?;
        let window = self.window(self.state.instance(number)?.window)?;
        Some(Frame {
            instance: number,
            activity: activity.instance.number,
            locals: vec![Datum::None; window.locals as usize],
            result: Datum::None,
            is_recreated: false,
        })
    }

    pub fn window(&self, window: WindowId) -> Option<&'a Window> {
        self.model.windows.get(window as usize)
    }

    /// Sets a variable.
    pub fn assign(&mut self, variable: &Variable, value: Datum, frame: &mut Frame) -> Result<(), Fault> {
        match variable {
            Variable::Global(global) => {
                if let Some(Slot::Value(place)) = self.state.globals.get_mut(*global as usize) {
                    *place = value;
                }
            }
            Variable::Own(own) => self.state.set_own(frame.instance, *own, value),
            Variable::Local(local) => set(&mut frame.locals, *local, value),
            Variable::Field(record, field) => {
                // A record that was removed has no fields to set.
                if let Datum::Record(global, number) = self.value(record, frame)?
                    && let Some(place) = field_place(self.model, global, *field)
                    && let Some(list) = self.state.list_mut(global)
                    && let Some(at) = list.find(number)
                    && let Some(place) = list.records[at].values.get_mut(place)
                {
                    *place = value;
                }
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        global: GlobalId,
        values: &[(FieldId, Expr)],
        local: Option<LocalId>,
        frame: &mut Frame,
    ) -> Result<(), Fault> {
        let fields = match self.model.globals.get(global as usize).map(|global| &global.initial) {
            Some(Initial::List(fields)) => fields.len(),
            Some(Initial::Value(_)) | None => 0,
        };
        // All values are computed before the list grows, because they may read it.
        let mut record = vec![Datum::None; fields];
        for (field, value) in values {
            let value = self.value(value, frame)?;
            if let Some(place) = field_place(self.model, global, *field) {
                record[place] = value;
            }
        }
        let Some(list) = self.state.list_mut(global) else { return Ok(()) };
        if list.records.len() == RECORDS_MAX {
            return Err(Fault::new(format!("a list has more than {RECORDS_MAX} records")));
        }
        let number = list.next;
        list.next += 1;
        list.records.push(Record { number, values: record });
        if let Some(local) = local {
            set(&mut frame.locals, local, Datum::Record(global, number));
        }
        Ok(())
    }

    /// Puts a new activity on the stack; it is created when it comes to the front.
    pub fn open(
        &mut self,
        window: WindowId,
        own: Vec<Datum>,
        is_afresh: bool,
        opened_by: Option<(u32, RequestId)>,
    ) -> Result<(), Fault> {
        if is_afresh {
            let stack = &self.state.stack;
            let last = stack.iter().rposition(|one| one.instance.window == window && !one.is_finishing);
            let ended: Vec<u32> = last
                .map_or(&[][..], |last| &stack[last..])
                .iter()
                .map(|activity| activity.instance.number)
                .collect();
            ended.into_iter().for_each(|number| self.finish(number, Datum::None));
        }
        let instance = self.instance(window, own)?;
        self.state.stack.push(Activity {
            instance,
            over: Vec::new(),
            phase: Phase::Opened,
            is_finishing: false,
            orientation: self.orientation_for(window),
            opened_by,
            results: Vec::new(),
        });
        self.state.is_in_front = true;
        Ok(())
    }

    fn instance(&mut self, window: WindowId, mut own: Vec<Datum>) -> Result<Instance, Fault> {
        if self.state.windows_len() >= WINDOWS_MAX {
            return Err(Fault::new(format!("more than {WINDOWS_MAX} windows are open")));
        }
        own.resize(self.window(window).map_or(0, |window| window.own.len()), Datum::None);
        Ok(Instance::new(self.state.take_number(), window, own))
    }

    /// Marks an activity as finishing, unless it is already.
    pub fn finish(&mut self, number: u32, with: Datum) {
        let Some(activity) = self.state.activity_mut(number).filter(|activity| !activity.is_finishing) else {
            return;
        };
        activity.is_finishing = true;
        if let Some((opener, request)) = activity.opened_by
            && let Some(opener) = self.state.activity_mut(opener)
        {
            // The opener handles it when it is in front again.
            opener.results.push((request, with));
        }
    }

    /// Opens a dialog or popup over an activity.
    fn show(&mut self, window: WindowId, own: Vec<Datum>, activity: u32) -> Result<(), Fault> {
        if self.state.activity(activity).is_none_or(|activity| activity.is_finishing) {
            return Ok(());
        }
        let instance = self.instance(window, own)?;
        let number = instance.number;
        if let Some(activity) = self.state.activity_mut(activity) {
            activity.over.push(instance);
        }
        // The new window takes the focus, and the keyboard closes without it.
        self.state.has_keyboard = false;
        self.nested(|run| {
            run.initialise(number, true)?;
            run.start_timers(number)?;
            run.handle(number, Event::Create, Datum::None, false).map(|_| ())
        })
    }

    /// Closes a dialog or popup, if it is open.
    pub fn close(&mut self, number: u32) -> Result<(), Fault> {
        if self.state.activity_of(number).is_none_or(|activity| activity.instance.number == number) {
            return Ok(());
        }
        // The handlers run while the window is still there, so that they can read its variables.
        self.nested(|run| run.handle(number, Event::Destroy, Datum::None, false).map(|_| ()))?;
        self.state.has_keyboard = false;
        for activity in &mut self.state.stack {
            if let Some(at) = activity.over.iter().position(|over| over.number == number) {
                let instance = activity.over.remove(at);
                // A timer may still refer to it; otherwise `State::tidy` drops it.
                self.state.closed.push(instance);
                break;
            }
        }
        // Its repeated timers end with it; delayed effects still run, as they do on Android.
        self.state
            .timers
            .retain(|timer| !matches!(timer.task, Task::Every { instance, .. } if instance == number));
        Ok(())
    }

    /// Runs handlers of another window within effects.
    fn nested(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        // The handlers run inside the effects of another window, so they count as a call and as braces.
        if self.calls == CALLS_MAX || self.braces == BRACES_MAX {
            return Err(Fault::new(format!("more than {CALLS_MAX} windows open each other")));
        }
        self.calls += 1;
        self.braces += 1;
        let done = work(self);
        self.calls -= 1;
        self.braces -= 1;
        done
    }

    /// Initialises a window's variables: all of them, or only those that a rotation loses.
    pub fn initialise(&mut self, number: u32, is_first: bool) -> Result<(), Fault> {
        let Some(mut frame) = self.frame(number) else { return Ok(()) };
        let Some(window) = self.state.instance(number).and_then(|instance| self.window(instance.window))
        else {
            return Ok(());
        };
        for (at, own) in window.own.iter().enumerate() {
            if let Some(initial) = &own.initial
                && (is_first || !own.is_kept)
            {
                self.burn()?;
                // Set one by one, because a variable may use those before it.
                let value = self.value(initial, &mut frame).map_err(|fault| fault.at(&window.span))?;
                self.state.set_own(number, at as OwnId, value);
            }
        }
        Ok(())
    }

    pub fn set_timer(&mut self, due_ms: u64, task: Task) -> Result<(), Fault> {
        if self.state.timers.len() == TIMERS_MAX {
            return Err(Fault::new(format!("more than {TIMERS_MAX} timers are set")));
        }
        self.state.timers.push(Timer { due_ms, task });
        Ok(())
    }

    /// Notes a crash; the app crashes after the effects.
    pub fn crash(&mut self, trace: Arc<str>, activity: u32) {
        let window = self.state.activity(activity).map(|activity| activity.instance.window);
        // The first crash counts, because the app is gone before a second one.
        if let (None, Some(window)) = (&self.crash, window) {
            self.crash = Some((trace, window));
        }
    }
}

/// Returns the variables of a newly installed app, or after the end of its process those that survive of
/// `before`.
pub(super) fn globals(model: &Model, before: Option<&[Slot]>) -> Result<Vec<Slot>, Fault> {
    let held = model.settings.display.by_nature();
    let mut state = State::new(Vec::with_capacity(model.globals.len()), 0, held);
    // No chance: a newly installed app is always the same.
    let mut meter = Meter::new(Chance::Absent, 0);
    for (at, global) in model.globals.iter().enumerate() {
        let kept = before.and_then(|before| before.get(at)).filter(|_| match global.life {
            Life::Param | Life::Stored => true,
            Life::Session => false,
        });
        let slot = match (kept, &global.initial) {
            (Some(slot), _) => slot.clone(),
            (None, Initial::List(_)) => Slot::List(List::default().into()),
            (None, Initial::Value(value)) => {
                let scope = Scope {
                    model,
                    state: &state,
                    own: &[],
                    result: &Datum::None,
                    is_recreated: false,
                    orientation: held,
                    leaves_traces: true,
                };
                // Each variable gets the whole amount, however many there are.
                meter.work = WORK_MAX;
                Slot::Value(scope.value(value, &mut [], &mut meter)?)
            }
        };
        // Added one by one, because a variable may use those before it.
        state.globals.push(slot);
    }
    Ok(state.globals)
}
