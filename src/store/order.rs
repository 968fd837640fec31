//! The rules that a sequence of events follows, for writers and readers alike: sizes, order, and numbers that
//! are defined before they are used.

use crate::event::{AppMap, Automaton, Event, FORMAT, RunBegan, SpecEnded, Way};

/// Most bytes of a line: 16 MB, a run of thousands of steps.
pub const LINE_MAX: usize = 16 << 20;

/// Most bytes of all events of a run: 512 MB.
pub const BYTES_MAX: u64 = 512 << 20;

/// Most widgets on all screens of a run.
pub const WIDGETS_MAX: usize = 2_000_000;

/// The reason a line is no event, or not one that can come next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The line is too long.
    #[error("the event takes more than {} MB, the most that is read", LINE_MAX >> 20)]
    Long,
    /// All events together are too long.
    #[error("the events take more than {} MB, the most that is read of a run", BYTES_MAX >> 20)]
    Much,
    /// The screens have too many widgets in all.
    #[error("the screens have more than {WIDGETS_MAX} widgets, the most that is read of a run")]
    Widgets,
    /// The line is not an event.
    #[error("{message}; was this file written by farlead, as the events of a run?")]
    Unknown {
        /// The error of the parser.
        message: String,
    },
    /// A later farlead wrote it.
    #[error(
        "this is version {found} of the form in which events are written, and this farlead reads version {FORMAT}: use a \
         newer farlead"
    )]
    Later {
        /// Version of its format.
        found: u32,
    },
    /// The event cannot come here.
    #[error("{message}")]
    Order {
        /// The rule it breaks.
        message: String,
    },
}

fn order(message: impl Into<String>) -> OrderError {
    OrderError::Order { message: message.into() }
}

/// The state of a run after the events so far.
#[derive(Debug, Default)]
pub(super) struct Order {
    bytes: u64,
    has_begun: bool,
    has_ended: bool,
    screens: usize,
    widgets: usize,
    /// By spec: true if it is decided.
    specs: Vec<bool>,
}

impl Order {
    /// Accepts `event`, a line of `bytes` bytes. After a fault the state is unchanged.
    pub fn admit(&mut self, event: &Event, bytes: usize) -> Result<(), OrderError> {
        self.fits(bytes)?;
        match (event, self.has_begun) {
            (Event::RunBegan(_), false) => {}
            (Event::RunBegan(_), true) => return Err(order("the run begins a second time")),
            (_, false) => return Err(order("the first event is not `run_began`")),
            (_, true) => {}
        }
        if self.has_ended {
            return Err(order("the run is over before this event"));
        }
        self.take(event)?;
        // Counted last, as a refused event is not written.
        self.bytes += bytes as u64;
        Ok(())
    }

    /// Fails if a line of `bytes` bytes is too long, alone or with those before it.
    pub fn fits(&self, bytes: usize) -> Result<(), OrderError> {
        if bytes > LINE_MAX {
            return Err(OrderError::Long);
        }
        if self.bytes + bytes as u64 > BYTES_MAX {
            return Err(OrderError::Much);
        }
        Ok(())
    }

    fn take(&mut self, event: &Event) -> Result<(), OrderError> {
        match event {
            Event::RunBegan(RunBegan { format, .. }) => {
                if *format > FORMAT {
                    return Err(OrderError::Later { found: *format });
                }
                self.has_begun = true;
            }
            Event::ScreenMet { screen, seen } => {
                in_turn("screen", *screen, self.screens)?;
                let widgets = self.widgets.saturating_add(seen.widgets().len());
                if widgets > WIDGETS_MAX {
                    return Err(OrderError::Widgets);
                }
                self.widgets = widgets;
                self.screens += 1;
            }
            Event::ScreenPictured { screen, .. } if *screen >= self.screens => {
                return Err(order(format!("there is no screen {screen} before this event")));
            }
            Event::ScreenPictured { .. } | Event::Explored(_) => {}
            Event::Mapped(map) => self.map_holds(map)?,
            Event::SpecBegan(began) => {
                in_turn("spec", began.spec, self.specs.len())?;
                began.automaton.as_ref().map_or(Ok(()), automaton_holds)?;
                self.specs.push(false);
            }
            Event::EpisodeEnded { spec, .. } => {
                self.known_spec(*spec)?;
            }
            Event::SpecEnded(ended) => {
                if self.known_spec(ended.spec)? {
                    return Err(order(format!("spec {} is decided a second time", ended.spec)));
                }
                self.known_screens(ended)?;
                self.specs[ended.spec] = true;
            }
            Event::SpecChanged { spec, was: _ } => {
                self.known_spec(*spec)?;
            }
            Event::RunEnded { exit: _ } => self.has_ended = true,
        }
        Ok(())
    }

    fn map_holds(&self, map: &AppMap) -> Result<(), OrderError> {
        let states = map.abstracted.iter().flat_map(|abstracted| &abstracted.states);
        let of_states = states.clone().filter_map(|state| state.screen);
        let mut screens = map.kinds.iter().filter_map(|kind| kind.screen).chain(of_states);
        if let Some(screen) = screens.find(|&screen| screen >= self.screens) {
            return Err(order(format!("there is no screen {screen} before this event")));
        }
        let of_paths = map.kinds.iter().flat_map(|kind| &kind.path).filter_map(|step| step.to);
        let of_ways = map.ways.iter().flat_map(|way| [way.from, way.to]);
        if let Some(kind) = of_paths.chain(of_ways).find(|&kind| kind >= map.kinds.len()) {
            return Err(order(format!("there is no kind {kind} of screens on the map")));
        }
        let Some(abstracted) = &map.abstracted else { return Ok(()) };
        let of_paths = states.flat_map(|state| &state.path).filter_map(|step| step.to);
        let of_edges = abstracted.edges.iter().flat_map(|edge| [edge.from, edge.to]);
        match of_paths.chain(of_edges).find(|&state| state >= abstracted.states.len()) {
            Some(state) => Err(order(format!("there is no state {state} on the map"))),
            None => Ok(()),
        }
    }

    /// Returns true if the spec with this number is decided; fails if it has not begun.
    fn known_spec(&self, spec: usize) -> Result<bool, OrderError> {
        self.specs
            .get(spec)
            .copied()
            .ok_or_else(|| order(format!("spec {spec} has not begun before this event")))
    }

    fn known_screens(&self, ended: &SpecEnded) -> Result<(), OrderError> {
        let of_run = ended.run.iter().map(|step| step.screen);
        let of_map = ended.map.iter().flat_map(|way| [way.from, way.to]);
        match of_run.chain(of_map).find(|&screen| screen >= self.screens) {
            Some(screen) => Err(order(format!("there is no screen {screen} before this event"))),
            None => Ok(()),
        }
    }
}

fn in_turn(what: &str, number: usize, expected: usize) -> Result<(), OrderError> {
    if number == expected {
        Ok(())
    } else {
        Err(order(format!("this is {what} {number}, and {what} {expected} is next")))
    }
}

fn automaton_holds(automaton: &Automaton) -> Result<(), OrderError> {
    let Automaton { residuals, ways } = automaton;
    let is_known = |way: &Way| way.from < residuals.len() && way.to < residuals.len();
    match ways.iter().find(|way| !is_known(way)) {
        Some(way) => Err(order(format!(
            "a way leads from residual {} to {}, and there are {} residuals",
            way.from,
            way.to,
            residuals.len()
        ))),
        None => Ok(()),
    }
}
