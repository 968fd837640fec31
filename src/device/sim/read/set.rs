//! Parameters set from outside: those of a model, and those that every model has.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::super::model::{Datum, Display, Expr, Initial, Life, Model, Settings};
use crate::gui::nearest;

/// Bounds of the size of a display.
pub(super) const PIXELS: RangeInclusive<u32> = 100..=10_000;
/// Bounds of the density of a display.
pub(super) const DPI: RangeInclusive<u32> = 50..=1_000;
const PERCENT: RangeInclusive<u32> = 0..=100;
/// Bounds of the additional time of an action: no budget has room for more than an hour.
const LAG_MS: RangeInclusive<u64> = 0..=3_600_000;

/// Parameters that every model has.
const SETTINGS: [&str; 9] = [
    "sim.lose",
    "sim.crash",
    "sim.lag",
    "sim.keyboard",
    "sim.reset",
    "sim.actions",
    "sim.width",
    "sim.height",
    "sim.dpi",
];

/// Reason why a parameter cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// No parameter has this name.
    #[error("there is no parameter `{name}`{}; known are {}", did_you_mean(.nearest), .known.join(", "))]
    Unknown {
        /// Name as given.
        name: String,
        /// Known name that is most likely meant.
        nearest: Option<String>,
        /// Names of all parameters.
        known: Vec<String>,
    },
    /// The name is that of a variable, and no parameter.
    #[error("`{name}` is a variable of the model, and no parameter; declare it as `param {name} = ...`")]
    Variable {
        /// Name as given.
        name: String,
    },
    /// The value is of the wrong kind, or out of bounds.
    #[error("`{name}` takes {takes}, and `{value}` is none of these")]
    Value {
        /// Name as given.
        name: String,
        /// Value as given.
        value: String,
        /// Values that the parameter takes.
        takes: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |nearest| format!(", did you mean `{nearest}`?"))
}

/// Returns the initial settings of a model.
pub(super) fn settings(display: Display) -> Settings {
    Settings {
        lose_percent: 0,
        crash_percent: 0,
        lag_ms: 0,
        has_soft_keyboard: true,
        keeps_stored: false,
        has_device_actions: true,
        display,
    }
}

/// Returns true if an expression can be the value of a parameter.
pub(super) fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(Datum::Bool(_) | Datum::Int(_) | Datum::Text(_)))
}

impl Model {
    /// Sets a parameter: one of the model, to a value of its kind, or one that every model has.
    ///
    /// ```
    /// use farlead::device::sim::read;
    /// use farlead::spec::Source;
    ///
    /// let text = "app org.example \"Example\" 1.0\nparam fixed = false\nlaunch Main
    ///     activity Main .Main { TextView \"{fixed}\" }";
    /// let mut model = read(&Source::new("example.app", text)).model.expect("no mistakes");
    /// model.set("fixed", "true").expect("it is a parameter");
    /// assert!(model.set("fixed", "3").is_err());
    /// model.set("sim.lose", "5").expect("every model has it");
    /// assert_eq!(model.settings.lose_percent, 5);
    /// ```
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        let refused = |takes: &str| SetError::Value {
            name: name.to_string(),
            value: value.to_string(),
            takes: takes.to_string(),
        };
        let number = |range: RangeInclusive<u32>| {
            let takes = format!("numbers from {} to {}", range.start(), range.end());
            value.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| refused(&takes))
        };
        match name {
            "sim.lose" => self.settings.lose_percent = number(PERCENT)?,
            "sim.crash" => self.settings.crash_percent = number(PERCENT)?,
            "sim.width" => self.settings.display.width = number(PIXELS)?,
            "sim.height" => self.settings.display.height = number(PIXELS)?,
            "sim.dpi" => self.settings.display.dpi = number(DPI)?,
            "sim.lag" => {
                let takes = format!("milliseconds from {} to {}", LAG_MS.start(), LAG_MS.end());
                let ms = value.parse().ok().filter(|ms| LAG_MS.contains(ms));
                self.settings.lag_ms = ms.ok_or_else(|| refused(&takes))?;
            }
            "sim.keyboard" => {
                self.settings.has_soft_keyboard = match value {
                    "soft" => true,
                    "hard" => false,
                    _ => return Err(refused("`hard` and `soft`")),
                }
            }
            "sim.reset" => {
                self.settings.keeps_stored = match value {
                    "clear" => false,
                    "restart" => true,
                    _ => return Err(refused("`clear` and `restart`")),
                }
            }
            "sim.actions" => {
                self.settings.has_device_actions = match value {
                    "all" => true,
                    "screen" => false,
                    _ => return Err(refused("`all` and `screen`")),
                }
            }
            _ => return self.set_parameter(name, value, refused),
        }
        Ok(())
    }

    fn set_parameter(
        &mut self,
        name: &str,
        value: &str,
        refused: impl Fn(&str) -> SetError,
    ) -> Result<(), SetError> {
        let Some(global) = self.globals.iter_mut().find(|global| &*global.name == name) else {
            let parameters = self.globals.iter().filter(|global| global.life == Life::Param);
            let known: Vec<String> = parameters
                .map(|global| global.name.to_string())
                .chain(SETTINGS.map(str::to_string))
                .collect();
            let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_string);
            return Err(SetError::Unknown { name: name.to_string(), nearest, known });
        };
        // Values of parameters are constants, see `is_constant`.
        let Initial::Value(Expr::Value(initial)) = &mut global.initial else {
            return Err(SetError::Variable { name: name.to_string() });
        };
        if global.life != Life::Param {
            return Err(SetError::Variable { name: name.to_string() });
        }
        // The model was checked with the kind of this value, so the new one must have it too.
        *initial = match initial {
            Datum::Bool(_) => match value {
                "true" => Datum::Bool(true),
                "false" => Datum::Bool(false),
                _ => return Err(refused("`true` and `false`")),
            },
            Datum::Int(_) => Datum::Int(value.parse().map_err(|_| refused("whole numbers"))?),
            Datum::Text(_) => Datum::Text(Arc::from(value)),
            // The reader gives no parameter a value like this.
            Datum::None | Datum::Record(..) => return Err(SetError::Variable { name: name.to_string() }),
        };
        Ok(())
    }
}
