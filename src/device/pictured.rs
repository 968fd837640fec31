//! A device whose observations carry pictures.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Ask, Decorator, Device, DeviceError, Observation};
use crate::gui::{Bounds, Identity, Picture, Pixels, Screen};

/// Most bytes of the pictures of an album; no further ones are taken.
const BYTES_MAX: usize = 64 << 20;

/// Pictures of screens, one for each appearance. All clones fill the same album.
#[derive(Clone, Debug, Default)]
pub struct Album(Arc<Mutex<Pages>>);

/// An appearance of a screen: its identity, and where its widgets are.
type Appearance = (Identity, Box<[Bounds]>);

#[derive(Debug, Default)]
struct Pages {
    /// `None` where no picture could be taken.
    pictures: BTreeMap<Appearance, Option<Arc<Picture>>>,
    bytes: usize,
}

impl Album {
    /// Returns the picture of `screen`, for which `take` is asked if the album knows nothing of this screen.
    fn picture(&self, screen: &Screen, take: impl FnOnce() -> Option<Pixels>) -> Option<Arc<Picture>> {
        let bounds = screen.widgets().iter().map(|widget| widget.bounds).collect();
        let key = (screen.identity(), bounds);
        {
            let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = pages.pictures.get(&key) {
                return known.clone();
            }
            if pages.bytes > BYTES_MAX {
                return None;
            }
        }
        // The lock is free meanwhile: other devices may take theirs at the same time.
        let picture = take().map(|pixels| Arc::new(pixels.picture()));
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.bytes += picture.as_ref().map_or(0, |picture| picture.png().len());
        pages.pictures.insert(key, picture.clone());
        picture
    }
}

/// A device that fills an album with pictures of what it shows.
pub struct Pictured {
    inner: Box<dyn Device>,
    album: Album,
}

impl Pictured {
    /// Wraps `inner`, which fills `album`; returns it as it is if there is none.
    pub fn filling(inner: Box<dyn Device>, album: Option<&Album>) -> Box<dyn Device> {
        match album {
            Some(album) => Box::new(Pictured { inner, album: album.clone() }),
            None => inner,
        }
    }
}

impl Decorator for Pictured {
    fn inner(&self) -> &dyn Device {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut *self.inner
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        let seen = ask.of(&mut *self.inner)?;
        let picture = self.album.picture(&seen.screen, || self.inner.picture());
        Ok(Observation { picture, ..seen })
    }
}
