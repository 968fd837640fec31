//! What events in a row keep to, whoever writes or reads them: their sizes, and that a number speaks of what was named.

use crate::event::{Automaton, Event, FORMAT, RunBegan, SpecEnded, Way};

/// A line longer than this is not an event: 16 MB, a run of thousands of steps.
pub const LINE_MAX: usize = 16 << 20;

/// All events of a run take no more than this: 512 MB.
pub const BYTES_MAX: u64 = 512 << 20;

/// All screens of a run have no more widgets than this.
pub const WIDGETS_MAX: usize = 2_000_000;

/// Why something is no event, or not one that can come next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is too long.
    #[error("the event takes more than {} MB, the most that is read", LINE_MAX >> 20)]
    Long,
    /// All events together are too long.
    #[error("the events take more than {} MB, the most that is read of a run", BYTES_MAX >> 20)]
    Much,
    /// The screens have too many widgets.
    #[error("the screens have more than {WIDGETS_MAX} widgets, the most that is read of a run")]
    Widgets,
    /// It is not an event.
    #[error("{message}; was this file written by farlead, as the events of a run?")]
    Unknown {
        /// What was found in its place.
        message: String,
    },
    /// It is of a later farlead.
    #[error(
        "this is version {found} of the form in which events are written, and this farlead reads version {FORMAT}: use a \
         newer farlead"
    )]
    Later {
        /// Its version.
        found: u32,
    },
    /// It cannot come here.
    #[error("{message}")]
    Order {
        /// What is wrong about it.
        message: String,
    },
}

fn order(message: impl Into<String>) -> Fault {
    Fault::Order { message: message.into() }
}

/// What the events so far have come to.
#[derive(Debug, Default)]
pub(super) struct Order {
    bytes: u64,
    has_begun: bool,
    has_ended: bool,
    screens: usize,
    widgets: usize,
    /// Of each spec, whether it is decided.
    specs: Vec<bool>,
}

impl Order {
    /// Takes in `event`, which is a line of so many bytes; with a fault it is as if it had not come.
    pub fn admit(&mut self, event: &Event, bytes: usize) -> Result<(), Fault> {
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
        self.bytes += bytes as u64;
        Ok(())
    }

    /// Whether there is room for a line of so many bytes.
    pub fn fits(&self, bytes: usize) -> Result<(), Fault> {
        if bytes > LINE_MAX {
            return Err(Fault::Long);
        }
        if self.bytes + bytes as u64 > BYTES_MAX {
            return Err(Fault::Much);
        }
        Ok(())
    }

    fn take(&mut self, event: &Event) -> Result<(), Fault> {
        match event {
            Event::RunBegan(RunBegan { format, .. }) => {
                if *format > FORMAT {
                    return Err(Fault::Later { found: *format });
                }
                self.has_begun = true;
            }
            Event::ScreenMet { screen, seen } => {
                in_turn("screen", *screen, self.screens)?;
                let widgets = self.widgets.saturating_add(seen.widgets().len());
                if widgets > WIDGETS_MAX {
                    return Err(Fault::Widgets);
                }
                self.widgets = widgets;
                self.screens += 1;
            }
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
            Event::RunEnded { exit: _ } => self.has_ended = true,
        }
        Ok(())
    }

    /// Whether the spec of this number, which has to have begun, is decided.
    fn known_spec(&self, spec: usize) -> Result<bool, Fault> {
        self.specs
            .get(spec)
            .copied()
            .ok_or_else(|| order(format!("spec {spec} has not begun before this event")))
    }

    fn known_screens(&self, ended: &SpecEnded) -> Result<(), Fault> {
        let of_run = ended.run.iter().map(|step| step.screen);
        let of_map = ended.map.iter().flat_map(|way| [way.from, way.to]);
        match of_run.chain(of_map).find(|&screen| screen >= self.screens) {
            Some(screen) => Err(order(format!("there is no screen {screen} before this event"))),
            None => Ok(()),
        }
    }
}

fn in_turn(what: &str, number: usize, expected: usize) -> Result<(), Fault> {
    if number == expected {
        Ok(())
    } else {
        Err(order(format!("this is {what} {number}, and {what} {expected} is next")))
    }
}

fn automaton_holds(automaton: &Automaton) -> Result<(), Fault> {
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
