//! Rows of screens in little room: each as its difference to the one before, the row deflated.
//!
//! Screens of one app repeat most of their widgets, so a row takes a few per cent of the room of its screens.

use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::screen::{Bounds, Context, Flags, Orientation, PageReport, Screen, Widget};

/// Row of screens, packed.
#[derive(Clone, Debug)]
pub struct PackedScreens {
    deflated: Box<[u8]>,
    count: usize,
}

impl PackedScreens {
    /// Packs `screens`. A screen that is the same value as the one before takes a byte.
    pub fn new<'a>(screens: impl IntoIterator<Item = &'a Arc<Screen>>) -> PackedScreens {
        let encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        let mut out = Writer { encoder: BufWriter::new(encoder) };
        let mut before: Option<&Arc<Screen>> = None;
        let mut count = 0;
        for screen in screens {
            let is_same = before.is_some_and(|before| Arc::ptr_eq(before, screen));
            out.number(u64::from(is_same));
            if !is_same {
                out.screen(screen, before.map(|before| &**before));
            }
            before = Some(screen);
            count += 1;
        }
        let encoder = out.encoder.into_inner().expect("a buffer takes all bytes");
        let deflated = encoder.finish().expect("a buffer takes all bytes");
        PackedScreens { deflated: deflated.into(), count }
    }

    /// Returns the screens again. Parts that two neighbours share are shared here too.
    pub fn unpack(&self) -> Vec<Arc<Screen>> {
        let mut input = Reader { decoder: BufReader::new(DeflateDecoder::new(&self.deflated)) };
        let mut screens: Vec<Arc<Screen>> = Vec::with_capacity(self.count);
        for _ in 0..self.count {
            let is_same = input.number() == 1;
            let screen = match screens.last() {
                Some(before) if is_same => before.clone(),
                before => Arc::new(input.screen(before.map(|before| &**before))),
            };
            screens.push(screen);
        }
        screens
    }

    /// Returns the number of bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.deflated.len()
    }
}

/// Bits that tell which parts of a widget are those of the widget at its place on the screen before.
const CLASS: u8 = 1;
const ID: u8 = 1 << 1;
const TEXT: u8 = 1 << 2;
const DESC: u8 = 1 << 3;
const BOUNDS: u8 = 1 << 4;
const REST: u8 = 1 << 5;

struct Writer {
    encoder: BufWriter<DeflateEncoder<Vec<u8>>>,
}

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.encoder.write_all(bytes).expect("a buffer takes all bytes");
    }

    /// Writes a number, seven bits a byte.
    fn number(&mut self, mut number: u64) {
        let mut bytes = [0; 10];
        let mut length = 0;
        while number >= 0x80 {
            bytes[length] = number as u8 | 0x80;
            number >>= 7;
            length += 1;
        }
        bytes[length] = number as u8;
        self.bytes(&bytes[..=length]);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    fn screen(&mut self, screen: &Screen, before: Option<&Screen>) {
        self.text(screen.package());
        self.text(screen.activity());
        let Context { screen_on, orientation, network, crashed, anr, keyboard } = screen.context();
        let is_landscape = orientation == Orientation::Landscape;
        let (has_crash, report) = (screen.crash().is_some(), screen.report());
        let bits = [screen_on, is_landscape, network, crashed, anr, keyboard, has_crash, report.is_some()];
        self.bytes(&[bits.iter().fold(0, |number, &bit| number << 1 | u8::from(bit))]);
        if let Some(crash) = screen.crash() {
            self.text(crash);
        }
        if let Some(report) = report {
            let PageReport { console, status } = &**report;
            self.number(u64::from(console.is_some()) | status.map_or(0, |status| 2 | u64::from(status) << 2));
            self.text(console.as_deref().unwrap_or_default());
        }
        self.number(screen.widgets().len() as u64);
        let nothing = Widget::default();
        let before = before.map_or(&[][..], Screen::widgets);
        for (at, widget) in screen.widgets().iter().enumerate() {
            self.widget(widget, before.get(at).unwrap_or(&nothing));
        }
        self.number(screen.all_samples().len() as u64);
        for (at, sample) in screen.all_samples() {
            self.number(u64::from(*at));
            self.text(sample);
        }
    }

    fn widget(&mut self, widget: &Widget, before: &Widget) {
        let bit = |is_same: bool, bit: u8| if is_same { bit } else { 0 };
        let same = bit(widget.class == before.class, CLASS)
            | bit(widget.id == before.id, ID)
            | bit(widget.text == before.text, TEXT)
            | bit(widget.desc == before.desc, DESC)
            | bit(widget.bounds == before.bounds, BOUNDS)
            | bit((widget.depth, widget.flags) == (before.depth, before.flags), REST);
        self.bytes(&[same]);
        let texts = [(CLASS, &widget.class), (ID, &widget.id), (TEXT, &widget.text), (DESC, &widget.desc)];
        for (part, text) in texts {
            if same & part == 0 {
                self.text(text);
            }
        }
        if same & BOUNDS == 0 {
            let Bounds { left, top, right, bottom } = widget.bounds;
            [left, top, right, bottom].iter().for_each(|side| self.bytes(&side.to_le_bytes()));
        }
        if same & REST == 0 {
            self.number(u64::from(widget.depth));
            self.number(u64::from(widget.flags.bits()));
        }
    }
}

/// Reads what a [`Writer`] has written, and nothing else.
struct Reader<'a> {
    decoder: BufReader<DeflateDecoder<&'a [u8]>>,
}

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.decoder.read_exact(&mut bytes).expect("as many bytes as were written");
        bytes
    }

    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let [byte] = self.bytes();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    fn text(&mut self) -> Arc<str> {
        let mut bytes = vec![0; self.number() as usize];
        self.decoder.read_exact(&mut bytes).expect("as many bytes as were written");
        String::from_utf8(bytes).expect("a text").into()
    }

    /// Returns the text that comes next, or `before` if they are the same.
    fn text_like(&mut self, before: Option<&Arc<str>>) -> Arc<str> {
        let text = self.text();
        before.filter(|before| **before == text).cloned().unwrap_or(text)
    }

    fn screen(&mut self, before: Option<&Screen>) -> Screen {
        let package = self.text_like(before.map(Screen::package));
        let activity = self.text_like(before.map(Screen::activity));
        let [bits] = self.bytes();
        let bit = |place: u8| bits >> (7 - place) & 1 == 1;
        let context = Context {
            screen_on: bit(0),
            orientation: if bit(1) { Orientation::Landscape } else { Orientation::Portrait },
            network: bit(2),
            crashed: bit(3),
            anr: bit(4),
            keyboard: bit(5),
        };
        let crash = bit(6).then(|| self.text());
        let report = bit(7).then(|| {
            let (number, text) = (self.number(), self.text());
            let status = (number & 2 != 0).then_some((number >> 2) as u16);
            PageReport::of((number & 1 != 0).then_some(text), status)
        });
        let report = report.flatten();
        let count = self.number() as usize;
        let nothing = Widget::default();
        let before = before.map_or(&[][..], Screen::widgets);
        let widgets = (0..count).map(|at| self.widget(before.get(at).unwrap_or(&nothing)));
        let widgets = widgets.collect();
        let samples: Vec<(u32, Arc<str>)> =
            (0..self.number()).map(|_| (self.number() as u32, self.text())).collect();
        Screen::new(package, activity, context, widgets)
            .with_crash(crash)
            .with_report(report)
            .with_samples(samples)
    }

    fn widget(&mut self, before: &Widget) -> Widget {
        let [same] = self.bytes();
        let mut widget = before.clone();
        let texts = [
            (CLASS, &mut widget.class),
            (ID, &mut widget.id),
            (TEXT, &mut widget.text),
            (DESC, &mut widget.desc),
        ];
        for (part, text) in texts {
            if same & part == 0 {
                *text = self.text();
            }
        }
        if same & BOUNDS == 0 {
            let [left, top, right, bottom] = [(); 4].map(|()| i32::from_le_bytes(self.bytes()));
            widget.bounds = Bounds { left, top, right, bottom };
        }
        if same & REST == 0 {
            widget.depth = self.number() as u16;
            widget.flags = Flags::from_bits(self.number() as u16);
        }
        widget
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn a_widget()(
            depth in 0_u16..4,
            [class, id, text, desc] in [0, 1, 2, 3].map(|_| prop::sample::select(vec!["", "a", "Grüße ☺", "b"])),
            sides in prop::array::uniform4(prop::sample::select(vec![0, 7, -3, i32::MAX, i32::MIN])),
            flags in 0_u16..1 << 11,
        ) -> Widget {
            let [left, top, right, bottom] = sides;
            Widget {
                depth,
                class: class.into(),
                id: id.into(),
                text: text.into(),
                desc: desc.into(),
                bounds: Bounds { left, top, right, bottom },
                flags: Flags::from_bits(flags),
            }
        }
    }

    prop_compose! {
        fn a_screen()(
            package in "[ab]",
            activity in "[ab]",
            bits in prop::array::uniform6(any::<bool>()),
            crash in prop::option::of("[ab]"),
            report in prop::option::of((prop::option::of("[ab]"), prop::option::of(0..600_u16))),
            widgets in prop::collection::vec(a_widget(), 0..6),
            samples in prop::collection::vec((0..6_u32, "[ab]"), 0..4),
        ) -> Arc<Screen> {
            let [screen_on, is_landscape, network, crashed, anr, keyboard] = bits;
            let orientation = if is_landscape { Orientation::Landscape } else { Orientation::Portrait };
            let context = Context { screen_on, orientation, network, crashed, anr, keyboard };
            let report = report.and_then(|(console, status)| PageReport::of(console.map(Into::into), status));
            let screen = Screen::new(package, activity, context, widgets);
            let samples = samples.into_iter().map(|(at, sample)| (at, sample.into())).collect();
            Arc::new(screen.with_crash(crash.map(Into::into)).with_report(report).with_samples(samples))
        }
    }

    proptest! {
        #[test]
        fn a_row_comes_back_as_it_was(
            screens in prop::collection::vec(a_screen(), 0..8),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            // Some screens come again as the same value.
            let row: Vec<&Arc<Screen>> = match screens.len() {
                0 => Vec::new(),
                _ => places.iter().map(|place| place.get(&screens)).collect(),
            };
            let unpacked = PackedScreens::new(row.iter().copied()).unpack();
            prop_assert_eq!(row.len(), unpacked.len());
            for (one, other) in row.iter().zip(&unpacked) {
                prop_assert_eq!(*one, other);
                prop_assert_eq!(one.has_typed(), other.has_typed());
            }
            for (pair, again) in row.windows(2).zip(unpacked.windows(2)) {
                if Arc::ptr_eq(pair[0], pair[1]) {
                    prop_assert!(Arc::ptr_eq(&again[0], &again[1]));
                }
            }
        }
    }

    #[test]
    fn a_row_of_new_texts_takes_less_than_a_quarter_of_its_letters() {
        let widget = |text: String| Widget { text: text.into(), class: "Button".into(), ..Widget::default() };
        let screen = |seen: usize| {
            let widgets = (0..50).map(|number| widget(format!("Post {number} of {}", seen * 7_919)));
            Arc::new(Screen::new("org.feed", "org.feed.Main", Context::default(), widgets.collect()))
        };
        let row: Vec<Arc<Screen>> = (0..200).map(screen).collect();
        let packed = PackedScreens::new(&row);
        let letters: usize = row.iter().flat_map(|screen| screen.widgets()).map(|at| at.text.len()).sum();
        assert!(packed.bytes() < letters / 4, "{} of {letters}", packed.bytes());
        assert_eq!(packed.unpack(), row);
    }
}
