//! Hierarchies in JSON, as `maestro hierarchy` prints them.
//!
//! A node is an object: `attributes`, with texts for values, then `children` and some of the flags once more. The tree
//! has nodes for the document and for the blanks between two tags, which are no widgets; their children are. Nothing
//! here calls itself: a tree may be as deep as its text is long.

use std::borrow::Cow;

use super::element::is_text_field;
use super::hierarchy::{DumpError, Growing, Hierarchy, bounds, flag, legal, malformed, truncated};
use super::screen::{Flags, Widget};

/// First key of a node.
const ATTRIBUTES: &str = "\"attributes\"";

/// End of a dump in JSON.
const END: &str = "the last `}`";

/// Parts of the names of classes whose widgets can be checked; Maestro does not say which can.
const CHECKABLE: [&str; 4] = ["CheckBox", "Switch", "RadioButton", "ToggleButton"];

/// Returns the start of the first tree in the text; a log may stand before it.
pub(super) fn start(text: &str) -> Option<usize> {
    let is_node = |at: &usize| text[at + 1..].trim_start_matches(BLANKS).starts_with(ATTRIBUTES);
    text.match_indices('{').map(|(at, _)| at).find(is_node)
}

/// Returns the hierarchy of the tree that starts at `start`.
pub(super) fn read(text: &str, start: usize) -> Result<Hierarchy, DumpError> {
    let reading = Reading { tokens: Tokens { text, at: start }, growing: Growing::default() };
    reading.read().map_err(|fault| match fault {
        Fault::End => truncated(text, END),
        Fault::Malformed { at, reason } => malformed(text, at, reason),
        Fault::Bounds(error) => error,
    })
}

/// Reason why a tree cannot be read.
enum Fault {
    /// The text ends before the tree does.
    End,
    Malformed {
        at: usize,
        reason: String,
    },
    /// The tree is too large.
    Bounds(DumpError),
}

/// A node whose end has not come yet.
struct OpenNode {
    is_widget: bool,
    /// True if the next token is a child or the end of the children.
    is_in_children: bool,
    /// True if nothing stands before the next member or child.
    is_first: bool,
}

impl OpenNode {
    fn new() -> OpenNode {
        OpenNode { is_widget: false, is_in_children: false, is_first: true }
    }
}

struct Reading<'t> {
    tokens: Tokens<'t>,
    growing: Growing,
}

impl Reading<'_> {
    fn read(mut self) -> Result<Hierarchy, Fault> {
        self.tokens.expect("{")?;
        let mut open = vec![OpenNode::new()];
        // Number of open nodes that are widgets.
        let mut depth = 0;
        while let Some(node) = open.last_mut() {
            let is_first = std::mem::replace(&mut node.is_first, false);
            if node.is_in_children {
                if self.tokens.has_another(is_first, "]")? {
                    self.tokens.expect("{")?;
                    open.push(OpenNode::new());
                } else {
                    node.is_in_children = false;
                }
            } else if self.tokens.has_another(is_first, "}")? {
                let at = self.tokens.at;
                match &*self.tokens.key()? {
                    "attributes" if is_first => {
                        node.is_widget = self.attributes(depth)?;
                        depth += usize::from(node.is_widget);
                    }
                    // A widget comes before its children, so its attributes have to.
                    "attributes" => return Err(mistake(at, "`attributes` must be the first key of a node")),
                    "children" => {
                        self.tokens.expect("[")?;
                        (node.is_in_children, node.is_first) = (true, true);
                    }
                    _ => self.tokens.skip()?,
                }
            } else {
                depth -= usize::from(node.is_widget);
                open.pop();
            }
        }
        Ok(turned(self.growing.finish()))
    }

    /// Reads the attributes of a node that lies in `depth` widgets, and returns true if it is a widget itself.
    fn attributes(&mut self, depth: usize) -> Result<bool, Fault> {
        self.tokens.expect("{")?;
        let mut widget = Widget::default();
        let (mut is_widget, mut is_first) = (false, true);
        while self.tokens.has_another(is_first, "}")? {
            is_first = false;
            let key = self.tokens.key()?;
            let Some(value) = self.tokens.text_or_skip()? else { continue };
            match &*key {
                "text" => widget.text = self.growing.share(&value),
                "accessibilityText" => widget.desc = self.growing.share(&value),
                "resource-id" => widget.id = self.growing.share(&value),
                "class" => widget.class = self.growing.share(&value),
                // A widget with unreadable bounds counts as hidden, because nothing could touch it.
                "bounds" => widget.bounds = bounds(&value).unwrap_or_default(),
                name => {
                    if let Some(flag) = flag(name) {
                        widget.flags = widget.flags.set(flag, value == "true");
                    }
                }
            }
            is_widget |= matches!(&*key, "class" | "bounds");
        }
        if is_widget {
            widget.depth = self.growing.depth(depth).map_err(Fault::Bounds)?;
            let is_checkable =
                widget.flags.has(Flags::CHECKED) || CHECKABLE.iter().any(|name| widget.class.contains(name));
            widget.flags = widget.flags.set(Flags::CHECKABLE, is_checkable);
            widget.flags = widget.flags.set(Flags::EDITABLE, is_text_field(&widget.class));
            self.growing.push(widget);
        }
        Ok(is_widget)
    }
}

/// Returns the hierarchy of a display that lies sideways if the widgets do: the tree does not name the rotation.
fn turned(mut hierarchy: Hierarchy) -> Hierarchy {
    let right = hierarchy.widgets.iter().map(|widget| widget.bounds.right).max().unwrap_or(0);
    let bottom = hierarchy.widgets.iter().map(|widget| widget.bounds.bottom).max().unwrap_or(0);
    hierarchy.rotation = u8::from(right > bottom);
    hierarchy
}

fn mistake(at: usize, reason: &str) -> Fault {
    Fault::Malformed { at, reason: reason.to_string() }
}

/// Blanks of JSON.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// The tokens of JSON from a place on.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    /// Goes past blanks, and returns the text from there on, or [`Fault::End`].
    fn rest(&mut self) -> Result<&'t str, Fault> {
        let rest = self.text[self.at..].trim_start_matches(BLANKS);
        self.at = self.text.len() - rest.len();
        if rest.is_empty() { Err(Fault::End) } else { Ok(rest) }
    }

    /// Goes past `sign`, if it comes next.
    fn take(&mut self, sign: &str) -> Result<bool, Fault> {
        let is_there = self.rest()?.starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        Ok(is_there)
    }

    fn expect(&mut self, sign: &str) -> Result<(), Fault> {
        let is_there = self.take(sign)?;
        if is_there { Ok(()) } else { Err(mistake(self.at, &format!("`{sign}` was to come"))) }
    }

    /// Returns true if another member comes, whose comma is past, and false past the bracket `end`.
    fn has_another(&mut self, is_first: bool, end: &str) -> Result<bool, Fault> {
        if self.take(end)? {
            return Ok(false);
        }
        if !is_first && !self.take(",")? {
            return Err(mistake(self.at, &format!("`,` or `{end}` was to come")));
        }
        Ok(true)
    }

    /// Returns the next key, and goes past its colon.
    fn key(&mut self) -> Result<Cow<'t, str>, Fault> {
        let key = self.text()?;
        self.expect(":")?;
        Ok(key)
    }

    /// Returns the next text.
    fn text(&mut self) -> Result<Cow<'t, str>, Fault> {
        self.expect("\"")?;
        let start = self.at;
        let inside = self.inside()?;
        unescaped(inside).map_err(|(within, reason)| mistake(start + within, reason))
    }

    /// Goes past the rest of a text, and returns it without its last quote.
    fn inside(&mut self) -> Result<&'t str, Fault> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut end = 0;
        while let Some(found) = bytes[end..].iter().position(|byte| matches!(byte, b'"' | b'\\')) {
            end += found;
            if bytes[end] == b'"' {
                self.at += end + 1;
                return Ok(&rest[..end]);
            }
            // The letter after a backslash ends nothing.
            end = (end + 2).min(bytes.len());
        }
        Err(Fault::End)
    }

    /// Returns the next value if it is a text, `true`, `false` or a number; goes past any other.
    fn text_or_skip(&mut self) -> Result<Option<Cow<'t, str>>, Fault> {
        match self.rest()?.as_bytes().first() {
            Some(b'"') => self.text().map(Some),
            Some(b'{' | b'[') => self.skip().map(|()| None),
            _ => {
                let word = self.word()?;
                Ok((word != "null").then_some(Cow::Borrowed(word)))
            }
        }
    }

    /// Goes past a value, however deep.
    fn skip(&mut self) -> Result<(), Fault> {
        // The ends of the open brackets.
        let mut ends: Vec<&str> = Vec::new();
        loop {
            match self.rest()?.as_bytes().first() {
                Some(b'"') => {
                    self.at += 1;
                    self.inside()?;
                }
                Some(b'{') => {
                    self.at += 1;
                    ends.push("}");
                }
                Some(b'[') => {
                    self.at += 1;
                    ends.push("]");
                }
                Some(b'}' | b']') => {
                    // Nothing is open only where the value is missing.
                    let end = ends.pop().ok_or_else(|| mistake(self.at, "a value was to come"))?;
                    self.expect(end)?;
                }
                Some(b',' | b':') if !ends.is_empty() => self.at += 1,
                _ => {
                    self.word()?;
                }
            }
            if ends.is_empty() {
                return Ok(());
            }
        }
    }

    /// Returns the next word: `true`, `false`, `null` or a number.
    fn word(&mut self) -> Result<&'t str, Fault> {
        let rest = self.rest()?;
        let is_of_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.');
        let word = &rest[..rest.find(|char| !is_of_word(char)).unwrap_or(rest.len())];
        if word.is_empty() {
            return Err(mistake(self.at, "a value was to come"));
        }
        self.at += word.len();
        Ok(word)
    }
}

/// Returns the text between two quotes, or the offset of a mistake there.
fn unescaped(raw: &str) -> Result<Cow<'_, str>, (usize, &'static str)> {
    // Most texts are like this, and need no copy.
    if raw.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\') {
        return Ok(Cow::Borrowed(raw));
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(char) = rest.chars().next() {
        let at = raw.len() - rest.len();
        rest = &rest[char.len_utf8()..];
        if char != '\\' {
            text.push(legal(char));
            continue;
        }
        let escape = rest.chars().next().ok_or((at, "a backslash that escapes nothing"))?;
        rest = &rest[escape.len_utf8()..];
        text.push(match escape {
            '"' | '\\' | '/' => escape,
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' | 'f' => '.',
            'u' => {
                let high = unit(rest).ok_or((at, "a `\\u` without four digits"))?;
                rest = &rest[4..];
                let low = rest.strip_prefix("\\u").and_then(unit);
                match (char::from_u32(u32::from(high)), low.and_then(|low| pair(high, low))) {
                    (Some(char), _) => legal(char),
                    // A character beyond the first 65,536 is two escapes, one for each surrogate.
                    (None, Some(char)) => {
                        rest = &rest[6..];
                        legal(char)
                    }
                    (None, None) => '.',
                }
            }
            _ => return Err((at, "a backslash before a letter that JSON does not escape")),
        });
    }
    Ok(Cow::Owned(text))
}

/// Returns the number of the four digits that `text` starts with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

/// Returns the character of two surrogates.
fn pair(high: u16, low: u16) -> Option<char> {
    char::decode_utf16([high, low]).next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Orientation, WIDGETS_MAX};

    #[track_caller]
    fn read(json: &str) -> Hierarchy {
        Hierarchy::read(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
    }

    #[track_caller]
    fn check_text(raw: &str, expected: &str) {
        let json = format!(r#"{{"attributes":{{"class":"a","text":"{raw}"}}}}"#);
        assert_eq!(&*read(&json).widgets[0].text, expected);
    }

    #[track_caller]
    fn check_error(json: &str, expected: &str) {
        assert_eq!(Hierarchy::read(json.as_bytes()).expect_err(json).to_string(), expected);
    }

    /// Returns a chain of nodes in each other.
    fn chain(levels: usize) -> String {
        let open = r#"{"attributes":{"bounds":"[0,0][9,9]"},"children":["#;
        open.repeat(levels) + &"]}".repeat(levels)
    }

    #[test]
    fn a_node_is_read_by_the_names_that_maestro_gives() {
        let hierarchy = read(
            r#"{ "attributes" : { "text" : "Save", "accessibilityText" : "keep", "hintText" : "x",
                "ignoreBoundsFiltering" : "false", "resource-id" : "a:id/save", "clickable" : "true",
                "bounds" : "[1,-2][30,40]", "enabled" : "true", "focused" : "true", "checked" : "true",
                "scrollable" : "true", "selected" : "true", "class" : "android.widget.EditText" },
                "children" : [ ], "clickable" : true, "enabled" : true }"#,
        );
        let flags = [
            Flags::CLICKABLE,
            Flags::ENABLED,
            Flags::FOCUSED,
            Flags::CHECKABLE,
            Flags::CHECKED,
            Flags::SCROLLABLE,
            Flags::SELECTED,
            Flags::EDITABLE,
        ];
        let expected = Widget {
            depth: 0,
            class: "android.widget.EditText".into(),
            id: "a:id/save".into(),
            text: "Save".into(),
            desc: "keep".into(),
            bounds: Bounds::new(1, -2, 30, 40),
            flags: flags.into_iter().fold(Flags::default(), |flags, flag| flags.set(flag, true)),
        };
        assert_eq!(hierarchy, Hierarchy { widgets: vec![expected], ..Hierarchy::default() });
    }

    #[test]
    fn nodes_of_the_document_are_no_widgets_and_their_children_are() {
        let hierarchy = read(
            r#"12:30:01 [INFO] started {maestro}
            {"attributes":{},"children":[{"attributes":{"ignoreBoundsFiltering":"false"},"extra":[{"a":[1]},"}"],"children":[
              {"attributes":{"class":"a","bounds":"[0,0][90,40]"},"children":[
                {"attributes":{}}, {"attributes":{"class":"b"},"children":[],"clickable":false}]},
              {"attributes":{"class":"c","text":null,"enabled":true,"extra":{"text":"no"}}}]}]}
            done"#,
        );
        let found: Vec<_> =
            hierarchy.widgets.iter().map(|widget| (widget.depth, &*widget.class, &*widget.text)).collect();
        assert_eq!(found, [(0, "a", ""), (1, "b", ""), (0, "c", "")]);
        assert!(hierarchy.widgets[2].flags.has(Flags::ENABLED));
        assert_eq!(hierarchy.orientation(), Orientation::Landscape);
    }

    #[test]
    fn texts_are_read_as_json_has_them() {
        check_text(r#"\\ \" \/ a\nb\tä\u00e4"#, "\\ \" / a\nb\tää");
        check_text(r"\ud83d\ude00|\ud83d|\ude00\u0041", "\u{1f600}|.|.A");
        check_text("\u{1}\\u0000\\b\u{7f}\u{ffff}<hierarchy", ".....<hierarchy");
    }

    #[test]
    fn the_form_that_starts_first_counts() {
        let xml = r#"<hierarchy><node text='{"attributes":{"class":"b"}}'/></hierarchy>"#;
        assert_eq!(&*read(xml).widgets[0].text, r#"{"attributes":{"class":"b"}}"#);
    }

    #[test]
    fn nodes_may_lie_deep_in_each_other_and_not_without_end() {
        let hierarchy = read(&chain(5_000));
        assert_eq!(hierarchy.widgets.last().map(|widget| widget.depth), Some(4_999));
        assert_eq!(Hierarchy::read(chain(70_000).as_bytes()), Err(DumpError::TooDeep { depth: 6_325 }));
        let node = r#"{"attributes":{"class":"a"}},"#;
        let many = format!(r#"{{"attributes":{{}},"children":[{}"#, node.repeat(WIDGETS_MAX + 1));
        assert_eq!(Hierarchy::read(many.as_bytes()), Err(DumpError::TooMany));
        // What is not read costs nothing but its bytes.
        let empty = r#"{"attributes":{},"children":["#.repeat(200_000) + &"]}".repeat(200_000);
        assert_eq!(Hierarchy::read_saved(empty.as_bytes()), Err(DumpError::NoNodes));
        let ignored =
            format!(r#"{{"attributes":{{"class":"a"}},"x":{}{}}}"#, "[".repeat(500_000), "]".repeat(500_000));
        assert_eq!(read(&ignored).widgets.len(), 1);
    }

    #[test]
    fn a_tree_that_is_cut_off_is_never_read_as_a_smaller_screen() {
        let whole = r#"{"attributes":{"class":"ä\"\u00e4","x":[{}],"y":1.5},"children":[{"attributes":{"class":"b"}}],"focused":true}"#;
        assert_eq!(read(whole).widgets.len(), 2);
        for end in (ATTRIBUTES.len() + 1..whole.len()).filter(|&end| whole.is_char_boundary(end)) {
            let error = Hierarchy::read(&whole.as_bytes()[..end]).expect_err(&whole[..end]);
            assert!(matches!(error, DumpError::Truncated { .. }), "{error}: {}", &whole[..end]);
        }
        check_error(
            "{ \"attributes\":\n{\"te",
            "the dump is cut off at line 2, column 5, before the last `}`; take it again",
        );
    }

    #[test]
    fn what_is_malformed_is_said_with_its_place() {
        for (json, expected) in [
            (r#"{"attributes":[]}"#, "column 15 of the dump: `{` was to come"),
            (r#"{"attributes":{"a" 1}}"#, "column 20 of the dump: `:` was to come"),
            (r#"{"attributes":{"a":}}"#, "column 20 of the dump: a value was to come"),
            (r#"{"attributes":{"a":1 "b":2}}"#, "column 22 of the dump: `,` or `}` was to come"),
            (r#"{"attributes":{},}"#, "column 18 of the dump: `\"` was to come"),
            (r#"{"attributes":{},"children":[{"a":[}]}]}"#, "column 36 of the dump: `]` was to come"),
            (
                r#"{"attributes":{"a":"\x"}}"#,
                "column 21 of the dump: a backslash before a letter that JSON does not escape",
            ),
            (r#"{"attributes":{"a":"\u12g4"}}"#, "column 21 of the dump: a `\\u` without four digits"),
            (
                r#"{"attributes":{},"children":[{"x":1,"attributes":{}}]}"#,
                "column 37 of the dump: `attributes` must be the first key of a node",
            ),
        ] {
            check_error(json, &format!("line 1, {expected}"));
        }
    }
}
