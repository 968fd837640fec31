//! Pictures of the screens of a run: each once, with its number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::gui::{Picture, Screen};
use crate::report::{Displays, screen_svg};

/// Most pictures that are kept besides those of the run.
pub(super) const PICTURES_SPARE: usize = 200;

/// Screen and its photograph, if the device has one.
type Shown = (Arc<Screen>, Option<Arc<Picture>>);

/// Pictures by their numbers. Clones share them, so others can show them while the run waits for its device.
#[derive(Clone, Default)]
pub struct Pictures(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    shown: BTreeMap<usize, Shown>,
    /// Number of the next picture.
    next: usize,
}

impl Pictures {
    /// Returns the picture of this number, as SVG that stands alone.
    pub fn svg(&self, number: usize) -> Option<String> {
        let kept = self.kept();
        Some(kept.svg(kept.shown.get(&number)?))
    }

    /// Returns the picture of this number if it is a drawing, as SVG of shapes and texts alone: neither a photograph nor
    /// anything else that has to be loaded is in it.
    pub fn drawing(&self, number: usize) -> Option<String> {
        let kept = self.kept();
        let shown = kept.shown.get(&number).filter(|(_, photograph)| photograph.is_none())?;
        Some(kept.svg(shown))
    }

    pub(super) fn displays(&self) -> Displays {
        self.kept().displays()
    }

    /// Returns the number of a picture, which is kept from now on; of the others, those in `used` are.
    pub(super) fn number_of(
        &self,
        screen: &Arc<Screen>,
        photograph: Option<Arc<Picture>>,
        used: impl Iterator<Item = usize>,
    ) -> usize {
        let mut kept = self.kept();
        let is_it = |(known, seen): &Shown| match (&photograph, seen) {
            (Some(photograph), Some(seen)) => photograph == seen,
            (None, None) => Arc::ptr_eq(known, screen) || known == screen,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if let Some((&number, _)) = kept.shown.iter().find(|(_, shown)| is_it(shown)) {
            return number;
        }
        let used: BTreeSet<usize> = used.collect();
        if kept.shown.len() >= used.len() + PICTURES_SPARE {
            // A page may still ask for one that only an earlier run has shown, and draws nothing then.
            kept.shown.retain(|number, _| used.contains(number));
        }
        let number = kept.next;
        kept.shown.insert(number, (screen.clone(), photograph));
        kept.next += 1;
        number
    }

    /// Returns their number.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.kept().shown.len()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn svg(&self, (screen, photograph): &Shown) -> String {
        screen_svg(screen, photograph.as_deref(), self.displays().canvas(screen))
    }

    fn displays(&self) -> Displays {
        let photographs = self.shown.values().filter_map(|(_, photograph)| photograph.as_deref());
        Displays::of(self.shown.values().map(|(screen, _)| &**screen), photographs)
    }
}
