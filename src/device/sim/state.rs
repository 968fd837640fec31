//! The state of a phone with an app on it, as a plain value: equal states behave alike.
//!
//! Times in it are relative to the present, so that states recur; the time since the start is not part of it.
//! [`State::tidy`] gives states that behave alike one form.

use std::sync::Arc;

use super::caret::Caret;
use super::model::{
    Datum, Effect, FieldId, GlobalId, Initial, Model, OwnId, RequestId, WindowId, WindowKind,
};
use crate::gui::Orientation;

/// The state of a phone and the app on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// Indexed as [`Model::globals`].
    pub globals: Vec<Slot>,
    /// The open activities, the topmost last.
    pub stack: Vec<Activity>,
    /// Closed dialogs that a timer still refers to.
    pub closed: Vec<Instance>,
    /// In the order in which they were set.
    pub timers: Vec<Timer>,
    /// True if the app is in front, false if the launcher is.
    pub is_in_front: bool,
    /// The system dialog over everything else, if there is one.
    pub system: Option<System>,
    /// The activity that the launcher starts.
    pub launched: WindowId,
    /// The orientation in which the phone is held.
    pub orientation: Orientation,
    /// True if there is a network.
    pub has_network: bool,
    /// True if the display is lit.
    pub is_lit: bool,
    /// True if the soft keyboard is shown.
    pub has_keyboard: bool,
    /// Number of the next instance.
    pub next_number: u32,
}

/// A variable of the whole app.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Value(Datum),
    List(Arc<List>),
}

/// A list of records, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct List {
    pub records: Vec<Record>,
    /// Number of the next record.
    pub next: u32,
}

/// A record of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Record {
    /// Its number, which grows along the list.
    pub number: u32,
    /// The values of its fields, in the order of [`Initial::List`].
    pub values: Vec<Datum>,
}

/// An open activity and the windows over it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Activity {
    pub instance: Instance,
    /// Dialogs and popups, the topmost last.
    pub over: Vec<Instance>,
    pub phase: Phase,
    /// True if it is about to end.
    pub is_finishing: bool,
    /// The orientation of its last layout.
    pub orientation: Orientation,
    /// The activity that waits for its result, and the request.
    pub opened_by: Option<(u32, RequestId)>,
    /// Results of activities that it waited for.
    pub results: Vec<(RequestId, Datum)>,
}

/// The phase in the life of an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Opened,
    Created,
    Resumed,
}

/// A window that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    /// Its number, unique among instances.
    pub number: u32,
    pub window: WindowId,
    /// Indexed as [`Window::own`](super::model::Window::own).
    pub own: Vec<Datum>,
    /// Scroll offsets other than 0, by [`Scroll::position`](super::model::Scroll::position).
    pub scrolls: Vec<(u32, i64)>,
    pub focus: Option<Focus>,
}

/// The field that was touched last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Focus {
    /// Address of the widget in the model.
    pub widget: usize,
    /// The loop values that identify the field, if there are several for one widget.
    pub items: Vec<Datum>,
    pub caret: Caret,
}

/// A task that is due later.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Timer {
    /// Milliseconds until it is due.
    pub due_ms: u64,
    pub task: Task,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// A handler of a window, run again and again.
    Every { instance: u32, handler: usize, ms: u64 },
    /// Effects, run once.
    After { frame: Frame, effects: Block },
}

/// The context of effects: their window and the names known to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub instance: u32,
    /// The instance itself, or the activity below it.
    pub activity: u32,
    pub locals: Vec<Datum>,
    pub result: Datum,
    pub is_recreated: bool,
}

/// Effects of the model. Two blocks are equal if they are the same place in the model.
#[derive(Clone, Debug)]
pub(super) struct Block(pub Arc<[Effect]>);

impl PartialEq for Block {
    fn eq(&self, other: &Block) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Block {}

impl std::hash::Hash for Block {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.0.as_ptr().hash(hasher);
    }
}

/// A dialog of the system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct System {
    pub trouble: Trouble,
    /// The activity in front when it came up.
    pub window: WindowId,
    /// Identity of the crash.
    pub crash: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Trouble {
    Crash,
    Anr,
}

impl Instance {
    pub fn new(number: u32, window: WindowId, own: Vec<Datum>) -> Instance {
        Instance { number, window, own, scrolls: Vec::new(), focus: None }
    }

    pub fn scrolled(&self, position: u32) -> i64 {
        self.scrolls.iter().find(|(other, _)| *other == position).map_or(0, |&(_, offset)| offset)
    }

    pub fn scroll_to(&mut self, position: u32, offset: i64) {
        // Kept sorted and without zeros, so that equal positions are equal lists.
        self.scrolls.retain(|&(other, _)| other != position);
        if offset != 0 {
            let at = self.scrolls.partition_point(|&(other, _)| other < position);
            self.scrolls.insert(at, (position, offset));
        }
    }
}

impl List {
    pub fn find(&self, number: u32) -> Option<usize> {
        self.records.binary_search_by_key(&number, |record| record.number).ok()
    }
}

impl State {
    /// Returns the state with the app installed and the launcher in front.
    pub fn new(globals: Vec<Slot>, launched: WindowId, orientation: Orientation) -> State {
        State {
            globals,
            stack: Vec::new(),
            closed: Vec::new(),
            timers: Vec::new(),
            is_in_front: false,
            system: None,
            launched,
            orientation,
            has_network: true,
            is_lit: true,
            has_keyboard: false,
            next_number: 0,
        }
    }

    /// Returns the value of a global variable; none for lists.
    pub fn global(&self, global: GlobalId) -> Datum {
        match self.globals.get(global as usize) {
            Some(Slot::Value(value)) => self.known(value),
            Some(Slot::List(_)) | None => Datum::None,
        }
    }

    pub fn list(&self, global: GlobalId) -> Option<&List> {
        match self.globals.get(global as usize) {
            Some(Slot::List(list)) => Some(list),
            Some(Slot::Value(_)) | None => None,
        }
    }

    pub fn list_mut(&mut self, global: GlobalId) -> Option<&mut List> {
        match self.globals.get_mut(global as usize) {
            // States share unchanged lists, so the list is copied before it changes.
            Some(Slot::List(list)) => Some(Arc::make_mut(list)),
            Some(Slot::Value(_)) | None => None,
        }
    }

    /// Returns `value`, or none if it is a record that was removed.
    pub fn known(&self, value: &Datum) -> Datum {
        match value {
            Datum::Record(list, number)
                if self.list(*list).is_none_or(|list| list.find(*number).is_none()) =>
            {
                Datum::None
            }
            value => value.clone(),
        }
    }

    /// Returns the value of a record's field.
    pub fn field(&self, model: &Model, record: &Datum, field: FieldId) -> Datum {
        let Datum::Record(global, number) = record else { return Datum::None };
        let found = self.list(*global).and_then(|list| {
            let record = &list.records[list.find(*number)?];
            record.values.get(field_place(model, *global, field)?)
        });
        found.map_or(Datum::None, |value| self.known(value))
    }

    /// Returns the topmost activity that is not about to end, if the app has one.
    pub fn top(&self) -> Option<usize> {
        self.stack.iter().rposition(|activity| !activity.is_finishing)
    }

    /// Returns the activity with this number.
    pub fn activity(&self, number: u32) -> Option<&Activity> {
        // Mostly the topmost windows are asked for, so the search begins there.
        self.stack.iter().rfind(|activity| activity.instance.number == number)
    }

    pub fn activity_mut(&mut self, number: u32) -> Option<&mut Activity> {
        self.stack.iter_mut().rfind(|activity| activity.instance.number == number)
    }

    /// Returns the activity that has this number, or has the window with this number over it.
    pub fn activity_of(&self, number: u32) -> Option<&Activity> {
        self.stack.iter().rfind(|activity| {
            activity.instance.number == number || activity.over.iter().any(|over| over.number == number)
        })
    }

    /// Returns the window with this number, even if it is closed.
    pub fn instance(&self, number: u32) -> Option<&Instance> {
        self.stack
            .iter()
            .rev()
            .flat_map(|activity| std::iter::once(&activity.instance).chain(&activity.over))
            .chain(&self.closed)
            .find(|instance| instance.number == number)
    }

    pub fn instance_mut(&mut self, number: u32) -> Option<&mut Instance> {
        self.stack
            .iter_mut()
            .rev()
            .flat_map(|activity| std::iter::once(&mut activity.instance).chain(&mut activity.over))
            .chain(&mut self.closed)
            .find(|instance| instance.number == number)
    }

    /// Returns the variables of the window with this number.
    pub fn own(&self, number: u32) -> &[Datum] {
        self.instance(number).map_or(&[], |instance| &instance.own)
    }

    pub fn set_own(&mut self, number: u32, own: OwnId, value: Datum) {
        if let Some(place) = self.instance_mut(number).and_then(|window| window.own.get_mut(own as usize)) {
            *place = value;
        }
    }

    /// Returns the number of open windows.
    pub fn windows_len(&self) -> usize {
        self.stack.iter().map(|activity| 1 + activity.over.len()).sum()
    }

    /// Returns a new number for an instance.
    pub fn take_number(&mut self) -> u32 {
        self.next_number += 1;
        self.next_number - 1
    }

    /// Returns the orientation of the display for the activity in front.
    pub fn shown_orientation(&self) -> Orientation {
        let top = self.top().filter(|_| self.is_in_front);
        top.map_or(self.orientation, |top| self.stack[top].orientation)
    }

    /// Renumbers instances and records by their order, and drops what nothing refers to: then states that
    /// behave alike are mostly equal.
    pub fn tidy(&mut self) {
        let timers = &self.timers;
        self.closed.retain(|instance| {
            timers.iter().any(|timer| match &timer.task {
                Task::Every { .. } => false,
                Task::After { frame, .. } => frame.instance == instance.number,
            })
        });
        self.tidy_instances();
        self.tidy_records();
    }

    fn tidy_instances(&mut self) {
        let mut old = Vec::with_capacity(self.windows_len() + self.closed.len());
        for activity in &mut self.stack {
            for instance in std::iter::once(&mut activity.instance).chain(&mut activity.over) {
                old.push(std::mem::replace(&mut instance.number, old.len() as u32));
            }
        }
        for instance in &mut self.closed {
            old.push(std::mem::replace(&mut instance.number, old.len() as u32));
        }
        self.next_number = old.len() as u32;
        // Mostly every number is already the right one.
        if old.iter().enumerate().all(|(new, &old)| new as u32 == old) {
            return;
        }
        let new = |number: u32| old.iter().position(|&old| old == number).map(|new| new as u32);
        for activity in &mut self.stack {
            activity.opened_by =
                activity.opened_by.and_then(|(number, request)| Some((new(number)?, request)));
        }
        // A timer of a window that is gone can never run again, and is dropped.
        self.timers.retain_mut(|timer| {
            let numbers = match &mut timer.task {
                Task::Every { instance, .. } => [Some(instance), None],
                Task::After { frame, .. } => [Some(&mut frame.instance), Some(&mut frame.activity)],
            };
            numbers.into_iter().flatten().all(|number| new(*number).map(|new| *number = new).is_some())
        });
    }

    fn tidy_records(&mut self) {
        let is_tidy = |slot: &Slot| match slot {
            // Numbers grow along the list, so the next one shows whether any is missing.
            Slot::List(list) => list.next as usize == list.records.len(),
            Slot::Value(_) => true,
        };
        if self.globals.iter().all(is_tidy) {
            return;
        }
        let mut old: Vec<Vec<u32>> = Vec::with_capacity(self.globals.len());
        for slot in &mut self.globals {
            old.push(match slot {
                Slot::Value(_) => Vec::new(),
                Slot::List(list) => {
                    let list = Arc::make_mut(list);
                    list.next = list.records.len() as u32;
                    let numbers = list.records.iter_mut().enumerate();
                    numbers.map(|(new, record)| std::mem::replace(&mut record.number, new as u32)).collect()
                }
            });
        }
        let renumber = |value: &mut Datum| {
            if let Datum::Record(list, number) = value {
                let new = old.get(*list as usize).and_then(|old| old.binary_search(number).ok());
                *value = new.map_or(Datum::None, |new| Datum::Record(*list, new as u32));
            }
        };
        for slot in &mut self.globals {
            match slot {
                Slot::Value(value) => renumber(value),
                Slot::List(list) => {
                    let records = Arc::make_mut(list).records.iter_mut();
                    records.flat_map(|record| &mut record.values).for_each(renumber);
                }
            }
        }
        for activity in &mut self.stack {
            activity.results.iter_mut().for_each(|(_, value)| renumber(value));
        }
        self.stack
            .iter_mut()
            .flat_map(|activity| std::iter::once(&mut activity.instance).chain(&mut activity.over))
            .chain(&mut self.closed)
            .for_each(|instance| {
                let items = instance.focus.iter_mut().flat_map(|focus| &mut focus.items);
                instance.own.iter_mut().chain(items).for_each(renumber);
            });
        for timer in &mut self.timers {
            match &mut timer.task {
                Task::Every { .. } => {}
                Task::After { frame, .. } => {
                    frame.locals.iter_mut().chain([&mut frame.result]).for_each(renumber);
                }
            }
        }
    }

    /// Returns its approximate size in bytes.
    pub fn size(&self) -> usize {
        let of_list = |list: &List| {
            list.records.iter().map(|record| 48 + size_of_values(&record.values)).sum::<usize>()
        };
        let globals = self.globals.iter().map(|slot| match slot {
            Slot::Value(value) => size_of_values(std::slice::from_ref(value)),
            Slot::List(list) => 64 + of_list(list),
        });
        let windows = self
            .stack
            .iter()
            .flat_map(|activity| std::iter::once(&activity.instance).chain(&activity.over))
            .chain(&self.closed)
            .map(|instance| 200 + size_of_values(&instance.own) + 16 * instance.scrolls.len());
        let timers = self.timers.iter().map(|timer| match &timer.task {
            Task::Every { .. } => 120,
            Task::After { frame, .. } => 120 + size_of_values(&frame.locals),
        });
        200 + globals.sum::<usize>() + windows.sum::<usize>() + timers.sum::<usize>()
    }
}

pub(super) fn size_of_values(values: &[Datum]) -> usize {
    let size = |value: &Datum| match value {
        Datum::Text(text) => 24 + text.len(),
        Datum::None | Datum::Bool(_) | Datum::Int(_) | Datum::Record(..) => 24,
    };
    values.iter().map(size).sum()
}

/// Returns the index of `field` in the records of `list`.
pub(super) fn field_place(model: &Model, list: GlobalId, field: FieldId) -> Option<usize> {
    match &model.globals.get(list as usize)?.initial {
        Initial::List(fields) => fields.iter().position(|&other| other == field),
        Initial::Value(_) => None,
    }
}

/// Returns package and full class name of an activity.
pub(super) fn activity_names(model: &Model, window: WindowId) -> (Arc<str>, Arc<str>) {
    match model.windows.get(window as usize).map(|window| &window.kind) {
        Some(WindowKind::Activity { package, class, .. }) => (package.clone(), class.clone()),
        Some(WindowKind::Dialog { .. } | WindowKind::Popup { .. }) | None => {
            (model.package.clone(), "".into())
        }
    }
}
