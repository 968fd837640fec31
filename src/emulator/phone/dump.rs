//! `uiautomator dump`: the window in front as XML, byte for byte as Android writes it.

use std::fmt::Write as _;
use std::sync::Arc;

use super::faults::Fault;
use super::io::{Io, cut, shown};
use super::system::Phone;
use super::version::AndroidVersion;
use crate::gui::{Flags, Screen, Widget};

/// Lists, which Android never marks as not accessible: their rows take the clicks.
const LISTS: [&str; 4] = [
    "android.widget.GridView",
    "android.widget.GridLayout",
    "android.widget.ListView",
    "android.widget.TableLayout",
];

/// `uiautomator`: dumps the window in front.
pub(super) fn uiautomator(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let Some((command, rest)) = args.split_first() else { return usage(io) };
    if command != "dump" {
        return match command.as_str() {
            "help" => usage(io),
            _ => {
                io.complain(&format!("ERROR: Unknown command {}", shown(command)));
                usage(io)
            }
        };
    }
    if phone.automator.is_some() {
        let said = format!("*** FATAL EXCEPTION IN SYSTEM PROCESS: main\n{}", registered());
        phone.note('E', "AndroidRuntime", &said);
        io.complain("Killed");
        return 137;
    }
    let is_compressed = rest.iter().any(|word| word == "--compressed");
    let tree = if is_compressed { Tree::Compressed } else { Tree::Whole };
    let path = rest.iter().find(|word| !word.starts_with("--"));
    // The answer prints this link; the usage names its target.
    let path = path.map_or("/sdcard/window_dump.xml", String::as_str);
    let rotation = phone.rotation();
    let version = phone.version;
    let screen = match phone.screen() {
        Ok(screen) => screen,
        Err(_) => {
            io.complain("ERROR: null root node returned by UiTestAutomationBridge.");
            return 0;
        }
    };
    // In this order, and each drawn only if the one before did not strike: a recorded seed depends on it.
    phone.faults.slow_down();
    if phone.faults.strikes(Fault::NoIdle) {
        io.complain("ERROR: could not get idle state.");
        return 0;
    }
    if phone.faults.strikes(Fault::NullRoot) {
        io.complain("ERROR: null root node returned by UiTestAutomationBridge.");
        return 0;
    }
    let mut xml = hierarchy(&screen, rotation, tree, version, Dumper::Command);
    if phone.faults.strikes(Fault::Truncated) {
        xml.truncate(cut(&xml, xml.len() / 2).len());
    }
    if path == "/dev/tty" {
        io.write(xml.as_bytes());
    } else {
        let (place, now_s) = (io.path(path), phone.now_s());
        let written = phone.files.write(&place, 0o660, now_s, Arc::from(xml.into_bytes()));
        // The command reports success all the same.
        if let Err(error) = written {
            let said =
                format!("failed to dump window to file\njava.io.FileNotFoundException: {path}: {error}");
            phone.note('E', "AccessibilityNodeInfoDumper", &said);
        }
    }
    io.say(&format!("UI hierchary dumped to: {path}"));
    0
}

/// Returns the exception thrown at a second program that wants to look at the screen.
pub(super) fn registered() -> String {
    "java.lang.IllegalStateException: UiAutomationService \
     android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5deffd5already registered!"
        .to_string()
}

fn usage(io: &mut Io) -> u8 {
    io.complain(
        "Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\nhelp: displays help message\n\n\
         dump: creates an XML dump of current UI hierarchy\n    dump [--verbose][file]\n      \
         [--compressed]: dumps compressed layout information.\n      \
         [file]: the location where the dumped XML should be stored, default is\n      /storage/emulated/0/window_dump.xml",
    );
    1
}

/// Widgets of a dump: all of them, or without those that only hold others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Whole,
    Compressed,
}

/// Program that writes the hierarchy: each writes other attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dumper {
    /// `uiautomator dump`.
    Command,
    /// The server of uiautomator2, down to a depth.
    Server { depth_max: usize },
}

/// Returns the widgets of a screen as XML.
pub(super) fn hierarchy(
    screen: &Screen,
    rotation: u32,
    tree: Tree,
    version: AndroidVersion,
    dumper: Dumper,
) -> String {
    let mut nodes = nodes(screen, tree);
    if let Dumper::Server { depth_max } = dumper {
        nodes.retain(|node| node.depth <= depth_max);
    }
    let mut xml = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"{rotation}\">"
    );
    // Without recursion, as all that grows with the input.
    let mut open = 0;
    for (at, node) in nodes.iter().enumerate() {
        while open > node.depth {
            xml.push_str("</node>");
            open -= 1;
        }
        write_node(&mut xml, screen.package(), node, has_named_child(&nodes, at), version, dumper);
        if nodes.get(at + 1).is_some_and(|next| next.depth > node.depth) {
            xml.push('>');
            open += 1;
        } else {
            xml.push_str(" />");
        }
    }
    (0..open).for_each(|_| xml.push_str("</node>"));
    xml.push_str("</hierarchy>");
    xml
}

/// A node of the XML.
pub(super) struct Node<'s> {
    pub widget: &'s Widget,
    pub depth: usize,
    /// Position among its siblings.
    pub index: usize,
}

/// Returns the nodes of a dump, with the depths that are left once frames are dropped.
pub(super) fn nodes(screen: &Screen, tree: Tree) -> Vec<Node<'_>> {
    // For each node around the present widget: its depth on the screen, and the number of its children so far.
    let mut around: Vec<(u16, usize)> = Vec::new();
    let mut top = 0;
    let mut nodes = Vec::new();
    for widget in screen.widgets() {
        // Widgets come in order with their depths, so the open ones are a stack.
        while around.last().is_some_and(|(depth, _)| *depth >= widget.depth) {
            around.pop();
        }
        if tree == Tree::Compressed && is_frame(widget) {
            continue;
        }
        let count = around.last_mut().map_or(&mut top, |(_, count)| count);
        nodes.push(Node { widget, depth: 0, index: *count });
        *count += 1;
        let at = nodes.len() - 1;
        nodes[at].depth = around.len();
        around.push((widget.depth, 0));
    }
    nodes
}

/// Returns true if a widget only holds others.
fn is_frame(widget: &Widget) -> bool {
    let tells =
        [Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::CHECKABLE, Flags::SCROLLABLE, Flags::EDITABLE];
    let is_layout = widget.class.ends_with("Layout") || &*widget.class == "android.view.ViewGroup";
    is_layout
        && widget.text.is_empty()
        && widget.desc.is_empty()
        && !tells.iter().any(|&flag| widget.flags.has(flag))
}

/// Returns true if the node needs no name, or something in it has one. Only a node without a name is searched.
fn has_named_child(nodes: &[Node<'_>], at: usize) -> bool {
    !is_nameless(nodes[at].widget)
        || nodes[at + 1..]
            .iter()
            .take_while(|node| node.depth > nodes[at].depth)
            .any(|node| !node.widget.text.is_empty() || !node.widget.desc.is_empty())
}

fn is_nameless(widget: &Widget) -> bool {
    widget.flags.has(Flags::CLICKABLE)
        && widget.flags.has(Flags::ENABLED)
        && widget.text.is_empty()
        && widget.desc.is_empty()
}

/// Returns true if a widget can take the focus.
pub(super) fn can_focus(widget: &Widget) -> bool {
    [Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::EDITABLE, Flags::SCROLLABLE, Flags::FOCUSED]
        .into_iter()
        .any(|flag| widget.flags.has(flag))
}

fn write_node(
    xml: &mut String,
    package: &str,
    node: &Node<'_>,
    is_named: bool,
    version: AndroidVersion,
    dumper: Dumper,
) {
    let Node { widget, index, .. } = node;
    xml.push_str("<node");
    let is_list = LISTS.iter().any(|list| widget.class.ends_with(list));
    // `NAF`: not accessible friendly, a mark for elements that a screen reader cannot name.
    if !is_named && !is_list {
        xml.push_str(" NAF=\"true\"");
    }
    let _ = write!(xml, " index=\"{index}\"");
    let texts = [
        ("text", &*widget.text),
        ("resource-id", &widget.id),
        ("class", &widget.class),
        ("package", package),
        ("content-desc", &widget.desc),
    ];
    for (name, text) in texts {
        let _ = write!(xml, " {name}=\"");
        escape(xml, text, '.');
        xml.push('"');
    }
    let has = |flag: Flags| widget.flags.has(flag);
    let flags = [
        ("checkable", has(Flags::CHECKABLE)),
        ("checked", has(Flags::CHECKED)),
        ("clickable", has(Flags::CLICKABLE)),
        ("enabled", has(Flags::ENABLED)),
        ("focusable", can_focus(widget)),
        ("focused", has(Flags::FOCUSED)),
        ("scrollable", has(Flags::SCROLLABLE)),
        ("long-clickable", has(Flags::LONG_CLICKABLE)),
        ("password", has(Flags::PASSWORD)),
        ("selected", has(Flags::SELECTED)),
    ];
    for (name, value) in flags {
        let _ = write!(xml, " {name}=\"{value}\"");
    }
    // The order of attributes is that of each dumper's source.
    if dumper != Dumper::Command {
        let _ = write!(xml, " visible-to-user=\"{}\"", widget.is_visible());
    }
    let _ = write!(xml, " bounds=\"{}\"", widget.bounds);
    if dumper != Dumper::Command {
        write_rest_of_server(xml, *index, version);
    } else if version >= AndroidVersion::V16 {
        let _ = write!(xml, " drawing-order=\"{index}\" hint=\"\"");
    }
}

/// Writes the server's attributes behind the bounds; each came with a version of Android.
fn write_rest_of_server(xml: &mut String, index: usize, version: AndroidVersion) {
    let _ = write!(xml, " drawing-order=\"{index}\"");
    if version >= AndroidVersion::V8 {
        xml.push_str(" hint=\"\"");
    }
    if version >= AndroidVersion::V11 {
        xml.push_str(" display-id=\"0\"");
    }
}

/// Writes a text as Android's serializer does; `stand_in` takes the place of a character that XML does not allow.
pub(super) fn escape(xml: &mut String, text: &str, stand_in: char) {
    for letter in text.chars() {
        match letter {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(xml, "&#{};", u32::from(letter));
            }
            '\0'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => xml.push(stand_in),
            '\u{fdd0}'..='\u{fddf}' | '\u{fffe}' | '\u{ffff}' => xml.push(stand_in),
            '\u{10000}'.. => {
                let _ = write!(xml, "&#{};", u32::from(letter));
            }
            letter => xml.push(letter),
        }
    }
}
