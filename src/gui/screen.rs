//! Screens: a tree of widgets and the context around it, as plain values.
//!
//! A device makes screens. [`offers`](super::offers) works out the actions on a screen,
//! [`Labeller`](super::Labeller) the atoms that hold on it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::sorted;

/// A rectangle in pixels of the display, without its right and bottom edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Bounds {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Bounds {
    /// Returns the rectangle between two corners.
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Bounds {
        Bounds { left, top, right, bottom }
    }

    /// Returns its width, 0 if right and left are swapped.
    pub fn width(self) -> u32 {
        // A dump may have any 32-bit numbers, so the difference takes 64 bits.
        u32::try_from(i64::from(self.right) - i64::from(self.left)).unwrap_or(0)
    }

    /// Returns its height, 0 if top and bottom are swapped.
    pub fn height(self) -> u32 {
        u32::try_from(i64::from(self.bottom) - i64::from(self.top)).unwrap_or(0)
    }

    /// Returns true if it has no pixels.
    pub fn is_empty(self) -> bool {
        self.width() == 0 || self.height() == 0
    }

    /// Returns the point in the middle, rounded towards the top left: a click goes there.
    pub fn centre(self) -> (i32, i32) {
        // Euclidean division rounds down on both sides of 0: a widget may start left of the display.
        let middle = |low: i32, high: i32| ((i64::from(low) + i64::from(high)).div_euclid(2)) as i32;
        (middle(self.left, self.right), middle(self.top, self.bottom))
    }

    /// Returns true if it has the pixel at `(x, y)`.
    pub fn contains(self, x: i32, y: i32) -> bool {
        self.left <= x && x < self.right && self.top <= y && y < self.bottom
    }

    /// Returns the pixels that both have; may be empty.
    pub fn intersection(self, other: Bounds) -> Bounds {
        Bounds {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{},{}][{},{}]", self.left, self.top, self.right, self.bottom)
    }
}

/// Orientation of the display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Orientation {
    #[default]
    Portrait,
    Landscape,
}

impl Orientation {
    /// Returns the orientation as an atom names it.
    pub fn name(self) -> &'static str {
        match self {
            Orientation::Portrait => "portrait",
            Orientation::Landscape => "landscape",
        }
    }

    /// Returns the other one.
    pub fn turned(self) -> Orientation {
        match self {
            Orientation::Portrait => Orientation::Landscape,
            Orientation::Landscape => Orientation::Portrait,
        }
    }
}

/// State of the device and the app around the widgets of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Context {
    /// True if the display is lit.
    pub screen_on: bool,
    /// Orientation of the display.
    pub orientation: Orientation,
    /// True if the device is connected to a network.
    pub network: bool,
    /// True if the app has just crashed.
    pub crashed: bool,
    /// True if the system says that the app does not respond.
    pub anr: bool,
    /// True if the soft keyboard is shown.
    pub keyboard: bool,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            screen_on: true,
            orientation: Orientation::default(),
            network: true,
            crashed: false,
            anr: false,
            keyboard: false,
        }
    }
}

impl Context {
    /// Returns the usual context: an upright device that is lit and connected. If the app has crashed, or does not respond, it stays
    /// so.
    #[must_use]
    pub fn usual(self) -> Context {
        Context { crashed: self.crashed, anr: self.anr, ..Context::default() }
    }
}

/// Properties of a widget that are true or false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flags(u16);

impl Flags {
    /// A touch has an effect, as far as Android knows.
    pub const CLICKABLE: Flags = Flags(1);
    /// A touch that is held has an effect, as far as Android knows.
    pub const LONG_CLICKABLE: Flags = Flags(1 << 1);
    /// The widget can be checked.
    pub const CHECKABLE: Flags = Flags(1 << 2);
    /// The widget is checked.
    pub const CHECKED: Flags = Flags(1 << 3);
    /// The widget takes input.
    pub const ENABLED: Flags = Flags(1 << 4);
    /// Letters typed go to the widget.
    pub const FOCUSED: Flags = Flags(1 << 5);
    /// The widget is among those chosen.
    pub const SELECTED: Flags = Flags(1 << 6);
    /// Letters typed here are not shown.
    pub const PASSWORD: Flags = Flags(1 << 7);
    /// The widget has more content than is seen.
    pub const SCROLLABLE: Flags = Flags(1 << 8);
    /// The widget is a field to type in.
    pub const EDITABLE: Flags = Flags(1 << 9);
    /// The widget is a field that shows text which the run has typed.
    pub const TYPED: Flags = Flags(1 << 10);
    /// Two clicks in a row have an effect, as far as a page tells.
    pub const DOUBLE_CLICKABLE: Flags = Flags(1 << 11);
    /// The mouse over the widget has an effect, as far as a page tells.
    pub const HOVERABLE: Flags = Flags(1 << 12);
    /// The widget is a knob to pull.
    pub const SLIDES: Flags = Flags(1 << 13);
    /// The widget scrolls to its sides alone.
    pub const SIDEWAYS: Flags = Flags(1 << 14);

    /// Returns true if all of `others` are set.
    pub fn has(self, others: Flags) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns the flags with `other` set or cleared.
    #[must_use]
    pub fn set(self, other: Flags, is_there: bool) -> Flags {
        if is_there { Flags(self.0 | other.0) } else { Flags(self.0 & !other.0) }
    }

    /// Returns the bits of those that are set.
    pub(super) fn bits(self) -> u16 {
        self.0
    }

    /// Returns the flags of these bits.
    pub(super) fn from_bits(bits: u16) -> Flags {
        Flags(bits)
    }
}

/// A node of the tree: a view, as Android's dump describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Widget {
    /// Number of nodes that it lies in; 0 for a top node.
    #[serde(skip_serializing_if = "is_default")]
    pub depth: u16,
    /// Class in full, like `android.widget.Button`.
    #[serde(skip_serializing_if = "is_default")]
    pub class: Arc<str>,
    /// Resource id in full, like `org.notes:id/save`; may be empty.
    #[serde(skip_serializing_if = "is_default")]
    pub id: Arc<str>,
    /// Text; may be empty.
    #[serde(skip_serializing_if = "is_default")]
    pub text: Arc<str>,
    /// Content description; may be empty.
    #[serde(skip_serializing_if = "is_default")]
    pub desc: Arc<str>,
    /// Pixels of the display that it covers.
    #[serde(skip_serializing_if = "is_default")]
    pub bounds: Bounds,
    /// Properties that are true of it.
    #[serde(skip_serializing_if = "is_default")]
    pub flags: Flags,
}

impl Widget {
    /// Returns true if any of it is seen; the tree may have hidden nodes.
    pub fn is_visible(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// Returns true if touches, texts or scrolls can be done on the widget itself, so that its words are its own.
    pub fn takes_actions(&self) -> bool {
        [Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::EDITABLE, Flags::SCROLLABLE]
            .into_iter()
            .any(|flag| self.flags.has(flag))
    }

    /// Returns its name for those who do not see it: its description, else its text.
    pub fn name(&self) -> &str {
        if self.desc.is_empty() { &self.text } else { &self.desc }
    }

    /// Returns the entry name of its id: `save` of `org.notes:id/save`.
    pub fn id_entry(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }
}

/// Report of a page on the time since the look before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageReport {
    /// Lines that it wrote to the console, each after its kind, like `error: no list`; none if it wrote nothing.
    pub console: Option<Arc<str>>,
    /// Largest status of the answers that came from servers; none if there was no answer.
    pub status: Option<u16>,
}

impl PageReport {
    /// Returns the report of these lines and this status; none if there is neither.
    pub fn of(console: Option<Arc<str>>, status: Option<u16>) -> Option<Arc<PageReport>> {
        (console.is_some() || status.is_some()).then(|| Arc::new(PageReport { console, status }))
    }

    /// Returns a number that tells this report from others and from none, which is 0.
    fn mark(&self) -> u32 {
        let mut hash = Hash128::new();
        hash.text(self.console.as_deref().unwrap_or_default());
        hash.number(self.status.map_or(0, u64::from));
        hash.finish() as u32 | 1
    }
}

/// A screen: package, activity, context and widgets.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    package: Arc<str>,
    activity: Arc<str>,
    context: Context,
    crash: Option<Arc<str>>,
    report: Option<Arc<PageReport>>,
    report_mark: u32,
    widgets: Vec<Widget>,
    /// Texts that fit the fields of a page, each with the place of its field; in the order of places.
    samples: Arc<[(u32, Arc<str>)]>,
    /// True if a widget has [`Flags::TYPED`]; kept, as every step of a run asks for it.
    has_typed: bool,
    identity: Identity,
}

/// Identity of a screen: two screens that share it look the same, wherever their widgets lie.
///
/// The number depends on the content alone, the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(pub u128);

impl Identity {
    /// Returns the identity of the same screen with this link to the step before; 0 is none.
    pub fn linked(self, link: u32) -> Identity {
        // An odd factor keeps different links apart.
        Identity(self.0 ^ u128::from(link).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
    }
}

/// Most widgets of a screen, more than any app shows at a time; further ones are left out.
pub const WIDGETS_MAX: usize = 100_000;

/// Most texts that fit fields of a screen.
const SAMPLES_MAX: usize = 1_000;

impl Screen {
    /// Returns the screen of these widgets, each before those in it, siblings in their order.
    ///
    /// A depth that skips a level is corrected, and widgets beyond [`WIDGETS_MAX`] are left out.
    pub fn new(
        package: impl Into<Arc<str>>,
        activity: impl Into<Arc<str>>,
        context: Context,
        mut widgets: Vec<Widget>,
    ) -> Screen {
        widgets.truncate(WIDGETS_MAX);
        let mut depth_max = 0;
        for widget in &mut widgets {
            widget.depth = widget.depth.min(depth_max);
            depth_max = widget.depth.saturating_add(1);
        }
        let mut screen = Screen {
            package: package.into(),
            activity: activity.into(),
            context,
            crash: None,
            report: None,
            report_mark: 0,
            samples: Arc::default(),
            has_typed: widgets.iter().any(|widget| widget.flags.has(Flags::TYPED)),
            widgets,
            identity: Identity(0),
        };
        // Computed once, because screens are compared and looked up often.
        screen.identity = screen.worked_out_identity();
        screen
    }

    /// Returns the same widgets in another context.
    #[must_use]
    pub fn in_context(&self, context: Context) -> Screen {
        self.of_widgets(context, self.widgets.clone())
    }

    /// Returns this package, activity, crash and report, and the samples of the same places, with other widgets.
    #[must_use]
    pub fn with_widgets(&self, widgets: Vec<Widget>) -> Screen {
        self.of_widgets(self.context, widgets)
    }

    fn of_widgets(&self, context: Context, widgets: Vec<Widget>) -> Screen {
        Screen::new(self.package.clone(), self.activity.clone(), context, widgets)
            .with_crash(self.crash.clone())
            .with_report(self.report.clone())
            .with_samples(self.samples.to_vec())
    }

    /// Returns the same screen with the identity of the crash that it shows.
    #[must_use]
    pub fn with_crash(mut self, crash: Option<Arc<str>>) -> Screen {
        if self.crash != crash {
            self.crash = crash;
            self.identity = self.worked_out_identity();
        }
        self
    }

    /// Returns the same screen with what the page reports.
    #[must_use]
    pub fn with_report(mut self, report: Option<Arc<PageReport>>) -> Screen {
        self.report_mark = report.as_deref().map_or(0, PageReport::mark);
        self.report = report;
        self
    }

    /// Returns the same screen with texts that fit its fields, each with the place of its field; those of no field are left out.
    #[must_use]
    #[inline(never)]
    pub fn with_samples(mut self, mut samples: Vec<(u32, Arc<str>)>) -> Screen {
        samples.retain(|(at, _)| {
            self.widgets.get(*at as usize).is_some_and(|widget| widget.flags.has(Flags::EDITABLE))
        });
        samples.truncate(SAMPLES_MAX);
        sorted::by_key(&mut samples, |(at, _)| *at);
        if *self.samples != *samples {
            self.samples = samples.into();
            self.identity = self.worked_out_identity();
        }
        self
    }

    /// Returns the texts that fit the fields, each with the place of its field; in the order of places.
    pub fn all_samples(&self) -> &[(u32, Arc<str>)] {
        &self.samples
    }

    /// Returns the texts that fit the field at `at`, the likeliest first.
    pub fn samples(&self, at: usize) -> impl Iterator<Item = &Arc<str>> {
        let first = self.samples.partition_point(|(place, _)| (*place as usize) < at);
        let of_it = self.samples[first..].iter().take_while(move |(place, _)| *place as usize == at);
        of_it.map(|(_, sample)| sample)
    }

    /// Returns the package of the app in front.
    pub fn package(&self) -> &Arc<str> {
        &self.package
    }

    /// Returns true if the screen is a page in a browser, whose package is an origin.
    pub fn is_page(&self) -> bool {
        is_origin(&self.package)
    }

    /// Returns the class of the activity in front, in full.
    pub fn activity(&self) -> &Arc<str> {
        &self.activity
    }

    /// Returns the state around the widgets.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Returns the identity of the crash that is shown, if there is one and its trace is known.
    pub fn crash(&self) -> Option<&Arc<str>> {
        self.crash.as_ref()
    }

    /// Returns the report of the page, if it has one.
    pub fn report(&self) -> Option<&Arc<PageReport>> {
        self.report.as_ref()
    }

    /// Returns the lines that the page wrote to its console, if it wrote any.
    pub fn console(&self) -> Option<&Arc<str>> {
        self.report.as_ref()?.console.as_ref()
    }

    /// Returns the largest status of the answers that the page got, if it got any.
    pub fn status(&self) -> Option<u16> {
        self.report.as_ref()?.status
    }

    /// Returns the widgets, each before those in it.
    pub fn widgets(&self) -> &[Widget] {
        &self.widgets
    }

    /// Returns the field that takes the letters typed, if one is seen.
    pub fn focused_field(&self) -> Option<&Widget> {
        let takes_letters = Flags::FOCUSED.set(Flags::EDITABLE, true);
        self.widgets.iter().find(|widget| widget.is_visible() && widget.flags.has(takes_letters))
    }

    /// Returns the room that it takes in a table, in widgets: a long text counts as several.
    pub fn weight(&self) -> usize {
        // A widget takes about as much room as a text of this length.
        const LETTERS_A_WIDGET: usize = 160;
        self.widgets.iter().map(|widget| 1 + (widget.text.len() + widget.desc.len()) / LETTERS_A_WIDGET).sum()
    }

    /// Returns true if a field shows text that the run has typed, see [`mark`](super::mark).
    #[inline]
    pub fn has_typed(&self) -> bool {
        self.has_typed
    }

    /// Returns the places of the fields that show typed text.
    pub fn typed_at(&self) -> impl Iterator<Item = usize> {
        let is_typed = |widget: &Widget| widget.flags.has(Flags::TYPED);
        let all = self.widgets.iter().enumerate().filter(|_| self.has_typed);
        all.filter(move |(_, widget)| is_typed(widget)).map(|(at, _)| at)
    }

    /// Returns the same screen, on which the widgets at these places and no others show typed text.
    #[must_use]
    pub fn with_typed(&self, places: &[usize]) -> Screen {
        let mut widgets = self.widgets.clone();
        for (at, widget) in widgets.iter_mut().enumerate() {
            widget.flags = widget.flags.set(Flags::TYPED, places.contains(&at));
        }
        self.with_widgets(widgets)
    }

    /// Returns the identity, which screens that look different, or report something else, do not share.
    pub fn identity(&self) -> Identity {
        self.identity.linked(self.report_mark)
    }

    /// Returns the identity of what is seen: a page that reports another time of day shows no other screen.
    pub fn sight(&self) -> Identity {
        self.identity
    }

    /// Calls `see` with the position of each widget, the widget, and its object id: the places among siblings from the
    /// top node down, joined by `:`.
    pub fn for_each_object(&self, mut see: impl FnMut(usize, &Widget, &str)) {
        use std::fmt::Write as _;
        // Place of the last node met at each depth, and the length of the object id up to there.
        let mut places: Vec<u32> = Vec::new();
        let mut lengths: Vec<usize> = Vec::new();
        // One buffer serves all ids: a screen may have 100,000.
        let mut object_id = String::new();
        for (at, widget) in self.widgets.iter().enumerate() {
            let depth = usize::from(widget.depth);
            if places.len() > depth {
                // Below the next node, the places of deeper nodes are counted anew.
                places.truncate(depth + 1);
                lengths.truncate(depth);
                places[depth] += 1;
            } else {
                places.push(0);
            }
            object_id.truncate(lengths.last().copied().unwrap_or(0));
            let colon = if object_id.is_empty() { "" } else { ":" };
            let _ = write!(object_id, "{colon}{}", places[depth]);
            lengths.push(object_id.len());
            see(at, widget, &object_id);
        }
    }

    /// Returns the object id of the widget at `at`.
    pub fn object_id(&self, at: usize) -> String {
        let mut found = String::new();
        self.for_each_object(|place, _, object_id| {
            if place == at {
                found.push_str(object_id);
            }
        });
        found
    }

    #[inline(never)]
    fn worked_out_identity(&self) -> Identity {
        let mut hash = Hash128::new();
        hash.text(&self.package);
        hash.text(&self.activity);
        let Context { screen_on, orientation, network, crashed, anr, keyboard } = self.context;
        let bits = [keyboard, screen_on, orientation == Orientation::Landscape, network, crashed, anr];
        hash.number(bits.iter().fold(0, |number, &bit| number << 1 | u64::from(bit)));
        if let Some(crash) = &self.crash {
            hash.text(crash);
        }
        for widget in &self.widgets {
            // Bounds count as seen or hidden alone, so that neither scrolling nor another display makes a new screen.
            hash.number(
                u64::from(widget.depth) << 32
                    | u64::from(widget.flags.0) << 1
                    | u64::from(widget.is_visible()),
            );
            hash.text(&widget.class);
            hash.text(&widget.id);
            hash.text(&widget.text);
            hash.text(&widget.desc);
        }
        // What fits a field is a part of what the page offers.
        for (at, sample) in &*self.samples {
            hash.number(u64::from(*at));
            hash.text(sample);
        }
        Identity(hash.finish())
    }
}

/// A hash of 128 bits, the same on every machine; two contents share one by chance alone.
struct Hash128 {
    low: u64,
    high: u64,
}

impl Hash128 {
    fn new() -> Hash128 {
        // Digits of pi, which nobody chose.
        Hash128 { low: 0x243f_6a88_85a3_08d3, high: 0x1319_8a2e_0370_7344 }
    }

    fn number(&mut self, number: u64) {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        self.low = fold(self.low ^ number, 0x9e37_79b9_7f4a_7c15) ^ self.high.rotate_left(23);
        self.high = fold(self.high ^ number.rotate_left(32), 0xd6e8_feb8_6659_fd93).wrapping_add(self.low);
    }

    fn text(&mut self, text: &str) {
        // The length keeps apart texts in a row: `ab`, `c` and `a`, `bc`.
        self.number(text.len() as u64);
        for chunk in text.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(bytes));
        }
    }

    fn finish(mut self) -> u128 {
        // Two more rounds carry the last number into all bits.
        self.number(0);
        self.number(1);
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

/// Returns true if `package` is the origin of a page: no package of Android has a scheme.
pub fn is_origin(package: &str) -> bool {
    package.contains("://")
}

/// Returns true if `value` is the usual one, which is left out.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(depths: &[u16]) -> Screen {
        let widgets = depths.iter().map(|&depth| Widget { depth, ..Widget::default() }).collect();
        Screen::new("p", "p.A", Context::default(), widgets)
    }

    #[track_caller]
    fn check(depths: &[u16], expected: &[&str]) {
        let mut found = Vec::new();
        tree(depths).for_each_object(|_, _, object_id| found.push(object_id.to_string()));
        assert_eq!(found, expected);
    }

    #[test]
    fn object_ids_count_the_siblings_from_the_top_down() {
        check(&[0, 1, 2, 2, 1], &["0", "0:0", "0:0:0", "0:0:1", "0:1"]);
        check(&[0, 0, 1], &["0", "1", "1:0"]);
    }

    #[test]
    fn a_skipped_level_is_made_right() {
        check(&[3, 9, 1], &["0", "0:0", "0:1"]);
    }

    #[test]
    fn where_widgets_lie_is_no_part_of_the_identity() {
        let widget = Widget { bounds: Bounds::new(0, 0, 9, 9), text: "a".into(), ..Widget::default() };
        let screen = |widget: &Widget| Screen::new("p", "p.A", Context::default(), vec![widget.clone()]);
        let moved = Widget { bounds: Bounds::new(5, 0, 9, 9), ..widget.clone() };
        let other = Widget { text: "b".into(), ..widget.clone() };
        assert_eq!(screen(&widget).identity(), screen(&moved).identity());
        assert_ne!(screen(&widget).identity(), screen(&other).identity());
        let dark = Context { screen_on: false, ..Context::default() };
        assert_ne!(screen(&widget).identity(), Screen::new("p", "p.A", dark, vec![widget]).identity());
    }

    #[test]
    fn ordinary_texts_weigh_nothing_and_long_ones_count_as_widgets() {
        let screen = |letters: usize| {
            let wordy = Widget { text: "x".repeat(letters).into(), ..Widget::default() };
            Screen::new("p", "p.A", Context::default(), vec![wordy, Widget::default()])
        };
        assert_eq!([0, 20, 100].map(|letters| screen(letters).weight()), [2, 2, 2]);
        assert!((50..100).contains(&screen(10_000).weight()), "{}", screen(10_000).weight());
    }

    #[test]
    fn a_click_goes_to_the_middle() {
        assert_eq!(Bounds::new(97, 633, 382, 705).centre(), (239, 669));
        assert_eq!(Bounds::new(10, 20, 276, 44).centre(), (143, 32));
        assert!(Bounds::new(5, 5, 5, 9).is_empty());
        assert_eq!(Bounds::new(i32::MAX, 0, i32::MIN, 0).width(), 0);
    }

    #[test]
    fn a_report_makes_another_screen_of_the_same_sight() {
        let screen = || Screen::new("http://a", "/", Context::default(), Vec::new());
        let told = screen().with_report(PageReport::of(Some("log: 12:00".into()), None));
        let other = screen().with_report(PageReport::of(None, Some(404)));
        assert_eq!(screen().with_report(PageReport::of(None, None)), screen());
        assert_eq!((told.sight(), other.sight()), (screen().sight(), screen().sight()));
        let all = [screen().identity(), told.identity(), other.identity()];
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
        assert_eq!(other.with_report(None), screen());
    }
}
