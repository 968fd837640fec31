//! Hierarchies: the widgets in a dump of `uiautomator`, or in a page source of Appium or Maestro.
//!
//! Other output surrounds a dump, a dump may be cut off, and at times a message explains why there is none;
//! [`Hierarchy::read`] tells these apart. It reads the page source of Appium's UiAutomator2 driver, too, whose tags are
//! the classes of the nodes; [`super::maestro`] reads Maestro's JSON. A device says which app is in front, and in which
//! context.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::errors::{Error as XmlError, IllFormedError};
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use rustc_hash::FxHasher;

use super::element::is_text_field;
use super::maestro;
use super::screen::{Bounds, Context, Flags, Orientation, Screen, WIDGETS_MAX, Widget};

/// Longest dump that is read, in bytes; a node takes about 400.
pub const DUMP_BYTES_MAX: usize = 64 << 20;

/// Largest sum of the depths of all nodes: a chain of 6,000, or 100,000 nodes 200 deep. An object id has a number for
/// each node that a widget lies in, so this bounds the length of all object ids.
const DEPTHS_MAX: usize = 20_000_000;

/// Most packages of a dump that are kept; several windows of today's phones have four.
const PACKAGES_MAX: usize = 32;

/// Most characters of a device's output, or of a name in it, that are repeated.
const SAID_CHARS_MAX: usize = 200;

/// The widgets of a window, as they were dumped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hierarchy {
    /// Quarter turns of the display, 0 to 3.
    pub rotation: u8,
    /// Package of the first node; the app in front may be another. Empty if there is no node.
    pub package: Arc<str>,
    /// Packages of the nodes, each once, in the order in which they appear; 32 at most. A dump may be of several windows,
    /// and a window may hold parts of other apps.
    pub packages: Vec<Arc<str>>,
    /// All nodes, also those that are not seen, each before those in it.
    pub widgets: Vec<Widget>,
}

/// Reason why a dump gives no hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// The device explains that there is none.
    #[error("{refusal}: the device says `{said}`")]
    Refused {
        /// Reason.
        refusal: Refusal,
        /// First line of its message that names the reason.
        said: String,
    },
    /// The output is empty.
    #[error("the dump is empty; take it again")]
    Empty,
    /// The output is something else.
    #[error("there is no `<hierarchy>` in the dump, which starts with `{start}`")]
    NotDump {
        /// First line of it.
        start: String,
    },
    /// The dump is cut off.
    #[error("the dump is cut off at line {line}, column {column}, before {end}; take it again")]
    Truncated {
        /// Line where it ends, from 1.
        line: usize,
        /// Column after the last character, from 1.
        column: usize,
        /// End of a whole dump.
        end: &'static str,
    },
    /// The dump is neither XML nor JSON.
    #[error("line {line}, column {column} of the dump: {reason}")]
    Malformed {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Mistake there.
        reason: String,
    },
    /// The dump is longer than [`DUMP_BYTES_MAX`].
    #[error("the dump has {bytes} bytes, and at most {DUMP_BYTES_MAX} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The dump has more nodes than any app shows.
    #[error("the dump has more than {WIDGETS_MAX} nodes")]
    TooMany,
    /// The nodes are nested too deeply.
    #[error("the nodes of the dump lie {depth} deep in each other, and there are too many of them for that")]
    TooDeep {
        /// Depth of the node that was too much.
        depth: usize,
    },
    /// The dump is whole and has no node.
    #[error(
        "there is no node in the hierarchy; save the screen again, with `uiautomator dump`, Appium's UiAutomator2 driver \
         or `maestro hierarchy`"
    )]
    NoNodes,
}

/// Reason why a device gives no dump; each has a remedy of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// Something on the screen moves all the time: switch animations off, or look in another way.
    NotIdle,
    /// No window is in front at this moment: wait, and look again.
    NoWindow,
    /// The system ended the dump early: look again.
    Killed,
    /// Another program looks at the screen the same way, and only one may: end that program.
    Taken,
    /// The dump failed for another reason: look again.
    Exception,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Refusal::NotIdle => "the screen does not come to rest",
            Refusal::NoWindow => "no window is in front",
            Refusal::Killed => "the dump was killed",
            Refusal::Taken => "another program looks at the screen already",
            Refusal::Exception => "the dump failed",
        })
    }
}

impl Hierarchy {
    /// Returns the hierarchy in `dump`, with any other output before and after it.
    ///
    /// ```
    /// use farlead::gui::{DumpError, Hierarchy, Refusal};
    ///
    /// let dump = r#"<?xml version='1.0'?><hierarchy rotation="0"><node text="Save" class="android.widget.Button"
    ///     clickable="true" enabled="true" bounds="[0,0][90,40]" /></hierarchy>UI hierchary dumped to: /dev/tty"#;
    /// let hierarchy = Hierarchy::read(dump.as_bytes())?;
    /// assert_eq!(&*hierarchy.widgets[0].text, "Save");
    ///
    /// let refused = Hierarchy::read(b"ERROR: could not get idle state.\n");
    /// assert!(matches!(refused, Err(DumpError::Refused { refusal: Refusal::NotIdle, .. })));
    /// # Ok::<(), DumpError>(())
    /// ```
    pub fn read(dump: &[u8]) -> Result<Hierarchy, DumpError> {
        if dump.len() > DUMP_BYTES_MAX {
            return Err(DumpError::TooLong { bytes: dump.len() });
        }
        let text = decoded(dump);
        // A text within either form may look like the start of the other, so the form that starts first counts.
        if let Some(start) = maestro::start(&text)
            && text.find(TAG).is_none_or(|tag| start < tag)
        {
            return maestro::read(&text, start);
        }
        match start(&text) {
            Some(start) => Reading::new(&text, start).read(),
            None => Err(without_hierarchy(&text)),
        }
    }

    /// Returns the hierarchy in a saved dump; a dump without a node is a mistake there.
    ///
    /// A device may show no window for a moment. A file stays as it is.
    pub fn read_saved(dump: &[u8]) -> Result<Hierarchy, DumpError> {
        let hierarchy = Hierarchy::read(dump)?;
        if hierarchy.widgets.is_empty() { Err(DumpError::NoNodes) } else { Ok(hierarchy) }
    }

    /// Returns the orientation of the display, for a device that is upright when it is not turned.
    pub fn orientation(&self) -> Orientation {
        if self.rotation.is_multiple_of(2) { Orientation::Portrait } else { Orientation::Landscape }
    }

    /// Returns the screen of these widgets, with the activity in front and the context as the device says them.
    pub fn into_screen(
        self,
        package: impl Into<Arc<str>>,
        activity: impl Into<Arc<str>>,
        context: Context,
    ) -> Screen {
        Screen::new(package, activity, context, self.widgets)
    }
}

impl Hierarchy {
    fn note_package(&mut self, package: Arc<str>) {
        if package.is_empty() || self.packages.len() == PACKAGES_MAX || self.packages.contains(&package) {
            return;
        }
        if self.packages.is_empty() {
            self.package = package.clone();
        }
        self.packages.push(package);
    }
}

/// Returns the text of a dump, in the encoding that its first bytes tell; bytes that are no text become `�`.
fn decoded(dump: &[u8]) -> Cow<'_, str> {
    let utf16 = |bytes: &[u8], letter: fn([u8; 2]) -> u16| {
        let letters = bytes.chunks_exact(2).map(|pair| letter([pair[0], pair[1]]));
        let text = char::decode_utf16(letters).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
        Cow::Owned(text.collect())
    };
    // PowerShell turns the output of a program into UTF-16.
    match dump {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(dump),
    }
}

/// Start of the tag around all nodes of a dump.
const TAG: &str = "<hierarchy";

/// End of a dump in XML.
const END: &str = "`</hierarchy>`";

/// Returns the start of the last hierarchy: any before it are of dumps that failed.
fn start(text: &str) -> Option<usize> {
    text.rmatch_indices(TAG).map(|(at, _)| at).find(|at| {
        // A longer word may begin with the same letters.
        let next = text[at + TAG.len()..].chars().next();
        next.is_none_or(|next| next.is_whitespace() || next == '>' || next == '/')
    })
}

/// Returns the reason why a dump has no hierarchy.
fn without_hierarchy(text: &str) -> DumpError {
    if let Some((_, rest)) = text.rsplit_once("<?xml") {
        let after = rest.split_once("?>").map_or("", |(_, after)| after).trim();
        // The declaration is there, so the dump was cut off before or in the tag that follows.
        if TAG.starts_with(after) {
            return truncated(text, END);
        }
    }
    let said = |line: &str| line.trim().chars().take(SAID_CHARS_MAX).collect::<String>();
    // A message may have several of these words; the most telling come first.
    for (words, refusal) in [
        ("could not get idle state", Refusal::NotIdle),
        ("null root node", Refusal::NoWindow),
        ("already registered", Refusal::Taken),
        ("Killed", Refusal::Killed),
        ("Exception", Refusal::Exception),
        ("Error", Refusal::Exception),
        ("ERROR", Refusal::Exception),
    ] {
        if let Some(line) = text.lines().find(|line| line.contains(words)) {
            return DumpError::Refused { refusal, said: said(line) };
        }
    }
    match text.lines().find(|line| !line.trim().is_empty()) {
        None => DumpError::Empty,
        Some(line) => DumpError::NotDump { start: said(line) },
    }
}

/// Returns the error of a dump that is cut off before `end`.
pub(super) fn truncated(text: &str, end: &'static str) -> DumpError {
    let (line, column) = position(text, text.len());
    DumpError::Truncated { line, column, end }
}

/// Returns the error of a mistake at the byte `at`.
pub(super) fn malformed(text: &str, at: usize, reason: String) -> DumpError {
    let (line, column) = position(text, at);
    DumpError::Malformed { line, column, reason }
}

/// Returns the line and column of the byte at `at`, from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    // By bytes, because a mistake may lie within a character.
    let before = &text.as_bytes()[..at.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    (line, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
}

/// A hierarchy that grows node by node, within its bounds.
#[derive(Default)]
pub(super) struct Growing {
    known: Known,
    depths: usize,
    hierarchy: Hierarchy,
}

impl Growing {
    /// Returns the depth of the next node, which lies in `depth` others.
    pub(super) fn depth(&mut self, depth: usize) -> Result<u16, DumpError> {
        if self.hierarchy.widgets.len() == WIDGETS_MAX {
            return Err(DumpError::TooMany);
        }
        self.depths += depth;
        match u16::try_from(depth) {
            Ok(short) if self.depths <= DEPTHS_MAX => Ok(short),
            _ => Err(DumpError::TooDeep { depth }),
        }
    }

    /// Returns the text, kept once however many nodes have it.
    pub(super) fn share(&mut self, text: &str) -> Arc<str> {
        self.known.share(text)
    }

    /// Adds a node.
    pub(super) fn push(&mut self, widget: Widget) {
        self.hierarchy.widgets.push(widget);
    }

    /// Returns the hierarchy of all nodes added.
    pub(super) fn finish(self) -> Hierarchy {
        self.hierarchy
    }
}

/// Returns the flag that a dump calls `name`.
pub(super) fn flag(name: &str) -> Option<Flags> {
    Some(match name {
        "checkable" => Flags::CHECKABLE,
        "checked" => Flags::CHECKED,
        "clickable" => Flags::CLICKABLE,
        "enabled" => Flags::ENABLED,
        "focused" => Flags::FOCUSED,
        "scrollable" => Flags::SCROLLABLE,
        "long-clickable" => Flags::LONG_CLICKABLE,
        "password" => Flags::PASSWORD,
        "selected" => Flags::SELECTED,
        _ => return None,
    })
}

/// State while a hierarchy in XML is read.
struct Reading<'t> {
    text: &'t str,
    /// Start of the hierarchy in the text.
    start: usize,
    growing: Growing,
    /// The open tags; true for those of nodes.
    open: Vec<bool>,
    /// Number of open nodes.
    depth: usize,
}

/// A mistake in a tag, and its offset there.
struct Fault {
    at: usize,
    reason: String,
}

impl<'t> Reading<'t> {
    fn new(text: &'t str, start: usize) -> Reading<'t> {
        Reading { text, start, growing: Growing::default(), open: Vec::new(), depth: 0 }
    }

    fn read(mut self) -> Result<Hierarchy, DumpError> {
        let mut reader = Reader::from_str(&self.text[self.start..]);
        // Other programs print between two nodes; their text is skipped.
        reader.config_mut().allow_dangling_amp = true;
        loop {
            let at = self.start + reader.buffer_position() as usize;
            match reader.read_event() {
                Ok(Event::Start(tag)) => {
                    let is_node = self.see(&tag, at)?;
                    self.open.push(is_node);
                    self.depth += usize::from(is_node);
                }
                Ok(Event::Empty(tag)) => {
                    self.see(&tag, at)?;
                    if tag.name().0 == HIERARCHY {
                        return Ok(self.growing.finish());
                    }
                }
                Ok(Event::End(tag)) => {
                    if tag.name().0 == HIERARCHY {
                        return Ok(self.growing.finish());
                    }
                    // The parser refuses an end without a start, so there is a tag to leave.
                    self.depth -= usize::from(self.open.pop().unwrap_or(false));
                }
                // The parser takes the end of the text for the end of the tree, and a cut tag for a mistake
                // of syntax.
                Ok(Event::Eof) | Err(XmlError::Syntax(_)) => return Err(truncated(self.text, END)),
                Ok(_) => {}
                Err(error) => {
                    let at = self.start + reader.error_position() as usize;
                    return Err(malformed(self.text, at, said(&error)));
                }
            }
        }
    }

    /// Takes a tag, which is at `at` in the text, and returns true if it is a node.
    fn see(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<bool, DumpError> {
        if tag.name().0 == HIERARCHY {
            self.turn(tag);
            return Ok(false);
        }
        let is_node = is_node(tag);
        if is_node {
            let depth = self.growing.depth(self.depth)?;
            match self.widget(tag, depth) {
                Ok(widget) => self.growing.push(widget),
                // The offset in the tag does not count the `<`.
                Err(Fault { at: within, reason }) => {
                    return Err(malformed(self.text, at + 1 + within, reason));
                }
            }
        }
        Ok(is_node)
    }

    fn turn(&mut self, tag: &BytesStart<'_>) {
        let rotation = tag.try_get_attribute("rotation").ok().flatten();
        let turns = rotation.and_then(|rotation| rotation.value.parse::<u8>().ok());
        self.growing.hierarchy.rotation = turns.filter(|turns| *turns < 4).unwrap_or(0);
    }

    fn widget(&mut self, tag: &BytesStart<'_>, depth: u16) -> Result<Widget, Fault> {
        let mut widget = Widget { depth, ..Widget::default() };
        let (mut takes_focus, mut is_shown) = (true, true);
        let Growing { known, hierarchy, .. } = &mut self.growing;
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| attribute_fault(&error))?;
            let raw = &*attribute.value;
            let mut shared = || match value(raw) {
                Ok(text) => Ok(known.share(&text)),
                Err(Fault { at, reason }) => Err(Fault { at: offset(tag, raw) + at, reason }),
            };
            let is_set = raw == "true";
            match attribute.key.0 {
                "text" => widget.text = shared()?,
                "resource-id" => widget.id = shared()?,
                "class" => widget.class = shared()?,
                "content-desc" => widget.desc = shared()?,
                // Most nodes share the package of the node before, which costs one comparison.
                "package" if hierarchy.packages.last().is_none_or(|last| **last != *raw) => {
                    let package = shared()?;
                    hierarchy.note_package(package);
                }
                // A widget with unreadable bounds counts as hidden, because nothing could touch it.
                "bounds" => widget.bounds = bounds(raw).unwrap_or_default(),
                "focusable" => takes_focus = is_set,
                // Android's own dump leaves out hidden nodes; other programs mark them so.
                "visible-to-user" | "displayed" => is_shown = is_set,
                name => {
                    if let Some(flag) = flag(name) {
                        widget.flags = widget.flags.set(flag, is_set);
                    }
                }
            }
        }
        if !is_shown {
            // Everything else knows a hidden widget by its empty bounds.
            widget.bounds = Bounds::default();
        }
        // A field that takes no focus gets no letters either.
        let is_editable = takes_focus && is_text_field(&widget.class);
        widget.flags = widget.flags.set(Flags::EDITABLE, is_editable);
        Ok(widget)
    }
}

/// Name of the tag around all nodes.
const HIERARCHY: &str = "hierarchy";

/// Returns true if the tag is a node: Android calls it `node`, and Appium calls it as its class, which it repeats as an
/// attribute.
fn is_node(tag: &BytesStart<'_>) -> bool {
    let has = |name: &str| matches!(tag.try_get_attribute(name), Ok(Some(_)));
    tag.name().0 == "node" || has("class") || has("bounds")
}

/// Returns the offset of `part` in the tag.
fn offset(tag: &BytesStart<'_>, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(tag.as_ptr() as usize)
}

/// Returns the corners written `[left,top][right,bottom]`; numbers out of range become the nearest in range.
pub(super) fn bounds(text: &str) -> Option<Bounds> {
    let (left_top, right_bottom) = text.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
    let number = |text: &str| -> Option<i32> {
        let number: i64 = text.trim().parse().ok()?;
        Some(number.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
    };
    let corner = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((number(x)?, number(y)?))
    };
    let ((left, top), (right, bottom)) = (corner(left_top)?, corner(right_bottom)?);
    Some(Bounds::new(left, top, right, bottom))
}

/// Returns the value of an attribute, or the mistake in it.
fn value(raw: &str) -> Result<Cow<'_, str>, Fault> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'&' && byte != b'<';
    // Most values are like this, and need no copy.
    if raw.bytes().all(is_plain) {
        return Ok(Cow::Borrowed(raw));
    }
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(char) = raw[at..].chars().next() {
        let fault = |reason: &str| Err(Fault { at, reason: reason.to_string() });
        match char {
            '<' => return fault("a `<` in a value; in XML it is `&lt;`"),
            '&' => match reference(&raw[at..]) {
                Some((char, len)) => {
                    text.push(legal(char));
                    at += len;
                    continue;
                }
                None => return fault("a `&` that starts no reference; in XML it is `&amp;`"),
            },
            // XML reads line breaks in attributes as blanks.
            '\r' if raw[at..].starts_with("\r\n") => {}
            '\r' | '\n' | '\t' => text.push(' '),
            char => text.push(legal(char)),
        }
        at += char.len_utf8();
    }
    Ok(Cow::Owned(text))
}

/// Returns the character of the reference that `text` starts with, and the length of the reference.
fn reference(text: &str) -> Option<(char, usize)> {
    const LEN_MAX: usize = 12;
    // Bounded, because a `&` may be followed by megabytes without a `;`.
    let end = text.bytes().take(LEN_MAX).position(|byte| byte == b';')?;
    let char = match &text[1..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        name => {
            let code = code(name)?;
            return Some(match (char::from_u32(code), low_surrogate(code, &text[end + 1..])) {
                (Some(char), _) => (char, end + 1),
                (None, Some((char, len))) => (char, end + 1 + len),
                (None, None) => ('.', end + 1),
            });
        }
    };
    Some((char, end + 1))
}

/// Returns the number written `#10` or `#x0a`.
fn code(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('#')?;
    let (digits, radix) = digits.strip_prefix('x').map_or((digits, 10), |digits| (digits, 16));
    // `from_str_radix` would take a sign, too.
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok()
}

/// Old versions of Android write a character beyond the first 65,536 as two references, one for each surrogate.
fn low_surrogate(high: u32, rest: &str) -> Option<(char, usize)> {
    let end = rest.strip_prefix('&')?.bytes().take(12).position(|byte| byte == b';')? + 1;
    let low = code(&rest[1..end])?;
    let halves = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let mut chars = char::decode_utf16(halves);
    Some((chars.next()?.ok()?, end + 1))
}

/// Replaces a character that XML does not allow with a dot, as Android's own dump does; those of some makers let it
/// through.
pub(super) fn legal(char: char) -> char {
    match char {
        '\t' | '\n' | '\r' => char,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => '.',
        '\u{fdd0}'..='\u{fddf}' | '\u{fffe}' | '\u{ffff}' => '.',
        char => char,
    }
}

fn attribute_fault(error: &AttrError) -> Fault {
    let (at, reason) = match *error {
        AttrError::ExpectedEq(at) => (at, "an attribute without `=`"),
        AttrError::ExpectedValue(at) => (at, "an attribute without a value"),
        AttrError::UnquotedValue(at) => (at, "a value without quotes"),
        AttrError::ExpectedQuote(at, _) => (at, "a value whose quote is not closed"),
        AttrError::Duplicated(at, _) => (at, "an attribute that is there already"),
    };
    Fault { at, reason: reason.to_string() }
}

fn said(error: &XmlError) -> String {
    let clip = |text: &str| text.chars().take(SAID_CHARS_MAX).collect::<String>();
    match error {
        XmlError::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!("`</{}>` where `</{}>` was to come", clip(found), clip(expected))
        }
        XmlError::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
            format!("`</{}>` closes what is not open", clip(found))
        }
        other => clip(&other.to_string()),
    }
}

/// Recent texts, so that a text of many nodes is kept once.
///
/// Each text has one place, which the next text there takes over: the work for a text stays the same whatever is
/// dumped.
struct Known {
    texts: Vec<Arc<str>>,
    empty: Arc<str>,
}

impl Default for Known {
    fn default() -> Known {
        const PLACES: usize = 512;
        let empty: Arc<str> = Arc::default();
        Known { texts: vec![empty.clone(); PLACES], empty }
    }
}

impl Known {
    fn share(&mut self, text: &str) -> Arc<str> {
        // Most texts of a dump are empty, so they take no place from others.
        if text.is_empty() {
            return self.empty.clone();
        }
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        let places = self.texts.len();
        let known = &mut self.texts[hasher.finish() as usize % places];
        if **known != *text {
            *known = text.into();
        }
        known.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_hierarchy(nodes: &str) -> String {
        format!(
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{nodes}</hierarchy>"
        )
    }

    #[track_caller]
    fn read(nodes: &str) -> Hierarchy {
        Hierarchy::read(in_hierarchy(nodes).as_bytes()).unwrap_or_else(|error| panic!("{error}: {nodes}"))
    }

    #[track_caller]
    fn check_text(raw: &str, expected: &str) {
        assert_eq!(&*read(&format!("<node text=\"{raw}\"/>")).widgets[0].text, expected);
    }

    #[track_caller]
    fn check_error(dump: &str, expected: &str) {
        let error = Hierarchy::read(dump.as_bytes()).expect_err(dump);
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_node_is_read_by_the_names_of_its_attributes() {
        let hierarchy = read(
            r#"<node bounds="[1,-2][30,40]" enabled="true" NAF="true" text="Save" index="7" unknown="&#1;"
                resource-id='a:id/save' class="android.widget.CheckBox" package="a.b" content-desc="keep"
                checkable="true" checked="true" clickable="true" focusable="true" focused="true" scrollable="true"
                long-clickable="true" password="true" selected="true" drawing-order="3" hint="x"/>"#,
        );
        let all = [
            Flags::CLICKABLE,
            Flags::LONG_CLICKABLE,
            Flags::CHECKABLE,
            Flags::CHECKED,
            Flags::ENABLED,
            Flags::FOCUSED,
            Flags::SELECTED,
            Flags::PASSWORD,
            Flags::SCROLLABLE,
        ];
        let expected = Widget {
            depth: 0,
            class: "android.widget.CheckBox".into(),
            id: "a:id/save".into(),
            text: "Save".into(),
            desc: "keep".into(),
            bounds: Bounds::new(1, -2, 30, 40),
            flags: all.into_iter().fold(Flags::default(), |flags, flag| flags.set(flag, true)),
        };
        let (package, packages): (Arc<str>, _) = ("a.b".into(), vec!["a.b".into()]);
        assert_eq!(hierarchy, Hierarchy { rotation: 0, package, packages, widgets: vec![expected] });
    }

    #[test]
    fn depths_are_those_of_the_nodes_alone() {
        let hierarchy = read("<node><other><node/></other><!-- a --><node><node/></node></node><node/>");
        let depths: Vec<u16> = hierarchy.widgets.iter().map(|widget| widget.depth).collect();
        assert_eq!(depths, [0, 1, 1, 2, 0]);
    }

    #[test]
    fn each_package_is_known_once() {
        let packages = |nodes: &str| {
            let packages = read(nodes).packages;
            packages.iter().map(|package| package.to_string()).collect::<Vec<_>>()
        };
        let nodes = "<node package=''/><node package='b'><node package='a'/><node package='b'/></node><node package='a'/>";
        assert_eq!(packages(nodes), ["b", "a"]);
        assert_eq!(&*read(nodes).package, "b");
        let many: String = (0..100).map(|number| format!("<node package='p{number}'/>")).collect();
        assert_eq!(packages(&many).len(), PACKAGES_MAX);
    }

    #[test]
    fn the_tags_of_appium_are_nodes_and_other_tags_are_not() {
        let hierarchy = read(
            r#"<android.widget.FrameLayout index="0" package="a.b" class="android.widget.FrameLayout" bounds="[0,0][9,9]"
                displayed="true"><style/><android.view.View class="a.b.Row$One" clickable="true" bounds="[0,0][9,4]"
                displayed="false"><rows><Row bounds="[0,0][9,4]"/></rows></android.view.View></android.widget.FrameLayout>"#,
        );
        let found: Vec<_> = hierarchy
            .widgets
            .iter()
            .map(|widget| (widget.depth, &*widget.class, widget.is_visible()))
            .collect();
        assert_eq!(
            found,
            [(0, "android.widget.FrameLayout", true), (1, "a.b.Row$One", false), (2, "", true)]
        );
        assert_eq!(&*hierarchy.package, "a.b");
    }

    #[test]
    fn a_field_is_what_is_called_so_and_takes_the_focus() {
        let is_editable =
            |attributes: &str| read(&format!("<node {attributes}/>")).widgets[0].flags.has(Flags::EDITABLE);
        assert!(is_editable("class='android.widget.EditText' focusable='true'"));
        assert!(is_editable("class='android.widget.AutoCompleteTextView'"));
        assert!(!is_editable("class='android.widget.EditText' focusable='false'"));
        assert!(!is_editable("class='android.widget.TextView' focusable='true'"));
    }

    #[test]
    fn what_is_not_visible_to_the_user_lies_nowhere() {
        let hierarchy = read(
            "<node visible-to-user='false' bounds='[0,0][9,9]'/><node visible-to-user='true' bounds='[0,0][9,9]'/>",
        );
        let visible: Vec<bool> = hierarchy.widgets.iter().map(Widget::is_visible).collect();
        assert_eq!(visible, [false, true]);
    }

    #[test]
    fn odd_bounds_are_no_mistake() {
        for (raw, expected) in [
            ("[0,0][0,0]", Bounds::default()),
            ("[-5,10][2000,99999999999]", Bounds::new(-5, 10, 2000, i32::MAX)),
            ("[9,9][1,1]", Bounds::new(9, 9, 1, 1)),
            ("", Bounds::default()),
            ("[1,2,3,4]", Bounds::default()),
            ("[1,2][3,x]", Bounds::default()),
        ] {
            assert_eq!(read(&format!("<node bounds='{raw}'/>")).widgets[0].bounds, expected, "{raw}");
        }
    }

    #[test]
    fn texts_are_read_as_xml_has_them() {
        check_text("&lt;a&gt; &amp; &quot;b&quot; &apos;", "<a> & \"b\" '");
        check_text("a&#10;b&#x41;\r\nc\td", "a\nbA c d");
        check_text("&#128512;|&#55357;&#56832;|\u{1f600}", "\u{1f600}|\u{1f600}|\u{1f600}");
    }

    #[test]
    fn what_xml_knows_no_letter_for_is_a_dot() {
        check_text("a\u{1}b&#0;c\u{7f}\u{85}\u{9f}\u{ffff}&#55357;&#x110000;", "a.b.c.\u{85}....");
    }

    #[test]
    fn an_empty_hierarchy_has_no_widgets() {
        for xml in ["<hierarchy rotation=\"3\"></hierarchy>", "<hierarchy rotation='3' />"] {
            let hierarchy = Hierarchy::read(xml.as_bytes()).expect(xml);
            assert_eq!(hierarchy, Hierarchy { rotation: 3, ..Hierarchy::default() });
            assert_eq!(hierarchy.orientation(), Orientation::Landscape);
            assert_eq!(Hierarchy::read_saved(xml.as_bytes()), Err(DumpError::NoNodes));
        }
    }

    #[test]
    fn the_last_hierarchy_is_taken_out_of_what_is_around_it() {
        let around = format!(
            "at a.<clinit>(A.java)\n{}<hierarchies>{}UI hierchary dumped to: /dev/tty\n",
            in_hierarchy("<node text='old'/>"),
            in_hierarchy("<node text='new'/>")
        );
        assert_eq!(&*Hierarchy::read(around.as_bytes()).expect("a hierarchy").widgets[0].text, "new");
    }

    #[test]
    fn utf_16_is_read_after_its_mark() {
        let text = in_hierarchy("<node text='ä\u{1f600}'/>");
        let bytes = |letter: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(letter).collect()
        };
        for bytes in [bytes(u16::to_le_bytes), bytes(u16::to_be_bytes)] {
            assert_eq!(&*Hierarchy::read(&bytes).expect("a hierarchy").widgets[0].text, "ä\u{1f600}");
        }
    }

    #[test]
    fn nodes_may_lie_deep_in_each_other_and_not_without_end() {
        let deep = |levels: usize| in_hierarchy(&("<node>".repeat(levels) + &"</node>".repeat(levels)));
        let hierarchy = Hierarchy::read(deep(5_000).as_bytes()).expect("a hierarchy");
        assert_eq!(hierarchy.widgets.last().map(|widget| widget.depth), Some(4_999));
        let error = Hierarchy::read(deep(70_000).as_bytes());
        assert_eq!(error, Err(DumpError::TooDeep { depth: 6_325 }));
        let many = in_hierarchy(&"<node/>".repeat(WIDGETS_MAX + 1));
        assert_eq!(Hierarchy::read(many.as_bytes()), Err(DumpError::TooMany));
    }

    #[test]
    fn a_dump_that_is_cut_off_is_never_read_as_a_smaller_screen() {
        let whole = in_hierarchy("<node text='a' class='ä'>\n<node text='b'/></node>");
        for end in (1..whole.len()).filter(|&end| whole.is_char_boundary(end)) {
            let error = Hierarchy::read(&whole.as_bytes()[..end]).expect_err(&whole[..end]);
            let is_start = end < "<?xml".len();
            assert!(is_start || matches!(error, DumpError::Truncated { .. }), "{error}: {}", &whole[..end]);
        }
        check_error(
            "<hierarchy>\n<node><node te",
            "the dump is cut off at line 2, column 15, before `</hierarchy>`; take it again",
        );
    }

    #[test]
    fn what_is_malformed_is_said_with_its_place() {
        check_error(
            "noise\n<hierarchy>\nä<node text='a < b'/></hierarchy>",
            "line 3, column 16 of the dump: a `<` in a value; in XML it is `&lt;`",
        );
        check_error(
            "<hierarchy><node text='a & b'/></hierarchy>",
            "line 1, column 26 of the dump: a `&` that starts no reference; in XML it is `&amp;`",
        );
        check_error(
            "<hierarchy><node></hierarchy>",
            "line 1, column 18 of the dump: `</hierarchy>` where `</node>` was to come",
        );
        check_error(
            "<hierarchy><node text='a' text='b'/></hierarchy>",
            "line 1, column 27 of the dump: an attribute that is there already",
        );
        check_error(
            "<hierarchy><node text=a/></hierarchy>",
            "line 1, column 23 of the dump: a value without quotes",
        );
    }

    #[test]
    fn a_refusal_is_told_from_another() {
        for (dump, refusal) in [
            ("ERROR: could not get idle state.\n", Refusal::NotIdle),
            ("ERROR: null root node returned by UiTestAutomationBridge.\n", Refusal::NoWindow),
            ("Killed \n", Refusal::Killed),
            ("a\njava.lang.IllegalStateException: UiAutomationService x already registered!", Refusal::Taken),
            ("java.lang.NullPointerException\n\tat a.<clinit>(A.java:1)\n", Refusal::Exception),
        ] {
            match Hierarchy::read(dump.as_bytes()) {
                Err(DumpError::Refused { refusal: found, said }) => {
                    assert_eq!(found, refusal, "{dump}");
                    assert!(dump.contains(&said) && !said.contains('\n'), "{said}");
                }
                other => panic!("{dump}: {other:?}"),
            }
        }
        assert_eq!(Hierarchy::read(b" \n"), Err(DumpError::Empty));
        check_error("<html>\n</html>", "there is no `<hierarchy>` in the dump, which starts with `<html>`");
    }
}
