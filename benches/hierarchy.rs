//! Time to read and label a dump of 5,000 nodes, beside a bare loop over its attributes.
//!
//! `bare` is the yardstick: the same crate and the same bytes; it looks at every attribute and keeps nothing.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use farlead::gui::{Atom, Context, Hierarchy, Labeller, Screen, TypedText};
use farlead::spec::read_atom;
use quick_xml::Reader;
use quick_xml::events::Event;

fn main() {
    divan::main();
}

const NODES: usize = 5_000;

/// Returns a dump of a long list: rows of a frame, a picture, two texts and a switch.
fn dump() -> String {
    use std::fmt::Write as _;
    let mut xml =
        String::from("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">");
    let mut node = |nth: usize, id: &str, text: &str, class: &str, flags: [bool; 2], end: &str| {
        let (top, [clickable, checkable]) = (nth * 7, flags);
        let _ = write!(
            xml,
            "<node index=\"{}\" text=\"{text}\" resource-id=\"org.notes:id/{id}\" class=\"android.widget.{class}\" package=\"org.notes\" \
             content-desc=\"\" checkable=\"{checkable}\" checked=\"false\" clickable=\"{clickable}\" enabled=\"true\" \
             focusable=\"{clickable}\" focused=\"false\" scrollable=\"false\" long-clickable=\"false\" password=\"false\" \
             selected=\"false\" bounds=\"[0,{top}][1080,{}]\"{end}",
            nth % 9,
            top + 60
        );
    };
    for row in 0..NODES / 5 {
        node(row, "row", "", "FrameLayout", [true, false], ">");
        node(row, "picture", "", "ImageView", [false, false], " />");
        node(row, "title", &format!("Note number {row}"), "TextView", [false, false], " />");
        node(
            row,
            "body",
            &format!("what is in it &amp; more &#10;line {row}"),
            "TextView",
            [false, false],
            " />",
        );
        node(row, "done", "", "CheckBox", [true, true], " /></node>");
    }
    xml.push_str("</hierarchy>");
    xml
}

fn atoms() -> Vec<Atom> {
    let written = [
        "[activity ~ Main]",
        "[text = Note number 4999]",
        "[text ~ line 17]",
        "[id = done, checked = true]",
        "[count(class = CheckBox) >= 500]",
        "[checked = false]",
    ];
    written.iter().map(|atom| read_atom(atom).expect("an atom")).collect()
}

fn screen(dump: &str) -> Screen {
    let hierarchy = Hierarchy::read(dump.as_bytes()).expect("a hierarchy");
    hierarchy.into_screen("org.notes", "org.notes.Main", Context::default())
}

#[divan::bench]
fn bare(bencher: Bencher) {
    let dump = dump();
    bencher.counter(BytesCount::new(dump.len())).counter(ItemsCount::new(NODES)).bench_local(|| {
        let mut reader = Reader::from_str(&dump);
        let mut letters = 0;
        loop {
            match reader.read_event().expect("XML") {
                Event::Start(tag) | Event::Empty(tag) => {
                    letters +=
                        tag.attributes().map(|one| one.expect("an attribute").value.len()).sum::<usize>();
                }
                Event::Eof => return letters,
                _ => {}
            }
        }
    });
}

#[divan::bench]
fn read(bencher: Bencher) {
    let dump = dump();
    bencher
        .counter(BytesCount::new(dump.len()))
        .counter(ItemsCount::new(NODES))
        .bench_local(|| Hierarchy::read(dump.as_bytes()).expect("a hierarchy"));
}

/// Measures the work of a device for each look: widgets, the screen and its identity, and the atoms that hold.
#[divan::bench]
fn read_and_labelled(bencher: Bencher) {
    let (dump, atoms) = (dump(), atoms());
    let labeller = Labeller::new((0..).zip(&atoms), TypedText::Counts);
    bencher
        .counter(BytesCount::new(dump.len()))
        .counter(ItemsCount::new(NODES))
        .bench_local(|| labeller.on_screen(&screen(&dump)));
}
