//! Reads any bytes as a dump of a screen: gives widgets that can be labelled and acted on, or the mistake and
//! its place.

#![no_main]

use farlead::gui::{
    Atom, Context, DumpError, Hierarchy, Labeller, Repertoire, TypedText, atoms_of_screen, offers, shortfall,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let read = Hierarchy::read(bytes);
    assert_eq!(Hierarchy::read(bytes), read);
    let hierarchy = match read {
        Ok(hierarchy) => hierarchy,
        Err(error) => {
            if let DumpError::Malformed { line, column, .. } | DumpError::Truncated { line, column, .. } =
                error
            {
                assert!(line >= 1 && column >= 1 && line <= bytes.len() + 1 && column <= bytes.len() + 1);
            }
            assert!(error.to_string().len() < 2_000);
            return;
        }
    };
    assert!(hierarchy.rotation < 4);
    let is_control = |char: char| char.is_control() && !matches!(char, '\t' | '\n' | '\r' | '\u{85}');
    for widget in &hierarchy.widgets {
        let texts = [&widget.text, &widget.desc, &widget.id, &widget.class];
        assert!(!texts.iter().any(|text| text.contains(is_control)));
    }
    let count = hierarchy.widgets.len();
    let screen = hierarchy.into_screen("a.b", "a.b.C", Context::default());
    assert_eq!(screen.widgets().len(), count);
    offers(&screen, &Repertoire::default());
    let atoms: Vec<Atom> = atoms_of_screen(&screen).into_iter().map(|pasted| pasted.atom).collect();
    assert_eq!(Labeller::new((0..).zip(&atoms), TypedText::Counts).on_screen(&screen).len(), atoms.len());
    assert!(atoms.iter().take(20).all(|atom| shortfall(atom, &screen).is_none()));
});
