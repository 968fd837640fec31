//! The path of a stored test, made of the spec's file and name, and valid on every system.
//!
//! No two specs of a file share a path, even on systems that do not tell `A` from `a`. Characters other than
//! letters, digits and harmless signs are written as `%` and their bytes, so that people can still read the
//! rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{self, Component, Path, PathBuf};

/// The folder of stored tests, relative to the project folder.
pub const TESTS_FOLDER: &str = "farlead-tests";

/// End of a stored test's file name.
const TEST_END: &str = ".test.ltl";

/// Usual end of a spec's file name.
const SPEC_END: &[u8] = b".ltl";

/// End of the file name of a feature. It stays, as `a.ltl` and `a.feature` may lie in one folder.
const FEATURE_END: &[u8] = b".feature";

/// Most bytes of an escaped name. A path component then has at most 200: 170 of the name, up to 21 of a mark,
/// and the end.
const NAME_MAX: usize = 170;

/// Signs that no system and no shell pattern treats specially, besides letters and digits.
const HARMLESS: &str = "-_. ,()+";

/// Ranges of non-ASCII letters with one spelling each; accents that are characters of their own are excluded.
const LETTERS: [(char, char); 9] = [
    ('\u{c0}', '\u{17f}'),    // Latin with accents
    ('\u{386}', '\u{3ce}'),   // Greek
    ('\u{400}', '\u{4ff}'),   // Cyrillic
    ('\u{5d0}', '\u{5ea}'),   // Hebrew
    ('\u{621}', '\u{64a}'),   // Arabic
    ('\u{3041}', '\u{3096}'), // Hiragana
    ('\u{30a1}', '\u{30fa}'), // Katakana
    ('\u{4e00}', '\u{9fff}'), // Chinese
    ('\u{ac00}', '\u{d7a3}'), // Korean
];

/// Names that Windows reserves for devices, with any extension.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Returns the path of the test for the spec `spec_name`, relative to the project folder. It has the path of
/// `spec_file` below `project` without `.ltl`, or just its file name if it lies elsewhere, and then the spec's
/// name.
///
/// `names` are the names of all specs in the file. Where several would make the same path, all but the first in
/// their order get a mark.
///
/// ```
/// use std::path::Path;
///
/// let place = |name| farlead::store::place(Path::new("/p"), Path::new("/p/specs/notes.ltl"), name, ["Save", "save", "a/b"]);
/// assert_eq!(place("Save"), Path::new("farlead-tests/specs/notes/Save.test.ltl"));
/// assert_eq!(place("save"), Path::new("farlead-tests/specs/notes/save~2.test.ltl"));
/// assert_eq!(place("a/b"), Path::new("farlead-tests/specs/notes/a%2Fb.test.ltl"));
/// ```
pub fn place<'a>(
    project: &Path,
    spec_file: &Path,
    spec_name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> PathBuf {
    Places::new(project, spec_file, names).of(spec_name)
}

/// The places of the tests for the specs of a file, see [`place`]. Folders and names are looked at once for all of them.
#[derive(Clone, Debug)]
pub struct Places {
    folder: PathBuf,
    /// Names that would make the same path, by that path.
    alike: BTreeMap<String, BTreeSet<String>>,
}

impl Places {
    /// Returns the places for `spec_file`, whose specs have `names`.
    pub fn new<'a>(project: &Path, spec_file: &Path, names: impl IntoIterator<Item = &'a str>) -> Places {
        let mut folder = PathBuf::from(TESTS_FOLDER);
        let below = below(project, spec_file);
        let mut parts: Vec<&OsStr> = below.iter().collect();
        let file = parts.pop().unwrap_or_default();
        folder.extend(parts.into_iter().map(|part| folder_part(part.as_encoded_bytes())));
        folder.push(file_part(file.as_encoded_bytes()));
        let mut alike: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in names {
            // A set, as a name may be given twice.
            alike.entry(folded(&escaped(name.as_bytes()))).or_default().insert(name.to_string());
        }
        Places { folder, alike }
    }

    /// Returns the path of the test for the spec `name`, relative to the project folder.
    pub fn of(&self, name: &str) -> PathBuf {
        self.folder.join(self.name_part(name) + TEST_END)
    }

    /// Returns the path component for a spec's name, distinct among the names.
    fn name_part(&self, name: &str) -> String {
        let part = escaped(name.as_bytes());
        let alike = self.alike.get(&folded(&part));
        match alike.map_or(0, |alike| alike.iter().take_while(|other| ***other < *name).count()) {
            0 => part,
            // The mark is unique: escaped names have no `~`, and cut ones have 16 digits after it.
            before => format!("{part}~{}", before + 1),
        }
    }
}

/// Returns the path of `file` relative to the folder `project`, or its name if it lies elsewhere.
fn below(project: &Path, file: &Path) -> PathBuf {
    let as_named = || Some(plain(file)?.strip_prefix(plain(project)?).ok()?.to_path_buf());
    // The folders may be reached through links.
    let as_found = || {
        let name = file.file_name()?;
        let folder = super::file::folder(file).canonicalize().ok()?;
        let project = if project.as_os_str().is_empty() { Path::new(".") } else { project };
        Some(folder.strip_prefix(project.canonicalize().ok()?).ok()?.join(name))
    };
    as_named().or_else(as_found).unwrap_or_else(|| PathBuf::from(file.file_name().unwrap_or_default()))
}

/// Returns the absolute path without `.` and `..`.
fn plain(path: &Path) -> Option<PathBuf> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let mut plain = PathBuf::new();
    for component in path::absolute(path).ok()?.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(component),
        }
    }
    Some(plain)
}

/// Returns the path component for the spec's file.
fn file_part(file: &[u8]) -> String {
    match file.strip_suffix(SPEC_END) {
        // A file `a.feature` has this folder.
        Some(name) if name.ends_with(FEATURE_END) => {
            let stem = folder_part(&name[..name.len() - FEATURE_END.len()]);
            format!("{stem}%2E{}", String::from_utf8_lossy(&FEATURE_END[1..]))
        }
        Some(name) => folder_part(name),
        None if file.len() > FEATURE_END.len() && file.ends_with(FEATURE_END) => folder_part(file),
        // A file `a` must differ from `a.ltl`; escapes have two digits, so a lone `%` marks it.
        None => folder_part(file) + "%",
    }
}

/// Returns the path component for a folder, which is never the name of a test.
fn folder_part(name: &[u8]) -> String {
    let part = escaped(name);
    match part.len().checked_sub(TEST_END.len()) {
        Some(at) if part.is_char_boundary(at) && part[at..].eq_ignore_ascii_case(TEST_END) => {
            format!("{}%2E{}", &part[..at], &part[at + 1..])
        }
        Some(_) | None => part,
    }
}

/// Returns a text that is equal for names that a file system may not tell apart.
fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Returns `name` as a path component that is valid on every system, with at most [`NAME_MAX`] bytes.
fn escaped(name: &[u8]) -> String {
    let mut part = String::new();
    let last = name.len().saturating_sub(1);
    let mut at = 0;
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            // Some systems hide names that start with a dot, and drop a dot or a space at the end.
            let is_at_edge = at == 0 || at == last;
            let is_device = at == 0 && is_reserved(name);
            if is_kept(char) && !is_device && !(is_at_edge && matches!(char, '.' | ' ')) {
                part.push(char);
            } else {
                push_bytes(&mut part, char.encode_utf8(&mut [0; 4]).as_bytes());
            }
            at += char.len_utf8();
        }
        push_bytes(&mut part, chunk.invalid());
        at += chunk.invalid().len();
    }
    if part.is_empty() {
        part.push('%');
    }
    if part.len() > NAME_MAX { cut(&part, name) } else { part }
}

fn push_bytes(part: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(part, "%{byte:02X}");
    }
}

fn is_kept(char: char) -> bool {
    char.is_ascii_alphanumeric()
        || HARMLESS.contains(char)
        || (char.is_alphabetic() && LETTERS.iter().any(|&(first, last)| (first..=last).contains(&char)))
}

fn is_reserved(name: &[u8]) -> bool {
    let stem = name.split(|&byte| byte == b'.').next().unwrap_or_default().trim_ascii_end();
    let is_port = |port: &[u8]| {
        stem.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(port))
            && stem.len() > 3
            && std::str::from_utf8(&stem[3..])
                .is_ok_and(|rest| rest.chars().count() == 1 && rest.chars().all(char::is_numeric))
    };
    RESERVED.iter().any(|name| stem.eq_ignore_ascii_case(name.as_bytes()))
        || is_port(b"com")
        || is_port(b"lpt")
}

/// Returns the start of `part`, followed by a hash of all of `name`.
fn cut(part: &str, name: &[u8]) -> String {
    // FNV-1a. If two names share both start and hash, `name_part` sees it and marks one of them.
    let hash = name.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let bytes = part.as_bytes();
    let is_end = |end: &usize| part.is_char_boundary(*end) && !bytes[end - 2..*end].contains(&b'%');
    // So that no character and no escape is split.
    let end = (2..=NAME_MAX - 17).rev().find(is_end).expect("no two escapes overlap");
    format!("{}~{hash:016x}", &part[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(project: &str, file: &str, name: &str, expected: &str) {
        let place = place(Path::new(project), Path::new(file), name, [name]);
        assert_eq!(place, Path::new("farlead-tests").join(expected));
    }

    #[test]
    fn a_test_lies_where_its_spec_does() {
        check("/p", "/p/specs/notes.ltl", "Save a note", "specs/notes/Save a note.test.ltl");
        check("/p", "/p/a/../notes.v2.ltl", "a", "notes.v2/a.test.ltl");
        check("/p/", "/p/./notes.ltl", "a", "notes/a.test.ltl");
        check("", "specs/notes.ltl", "a", "specs/notes/a.test.ltl");
        check("sub", "specs/notes.ltl", "a", "notes/a.test.ltl");
        check("/p", "/q/specs/notes.ltl", "a", "notes/a.test.ltl");
        check("/p", "/p2/notes.ltl", "a", "notes/a.test.ltl");
    }

    #[test]
    fn what_is_odd_is_escaped() {
        for (name, expected) in [
            ("", "%"),
            ("a/b\\c", "a%2Fb%5Cc"),
            ("..", "%2E%2E"),
            (".a.b.", "%2Ea.b%2E"),
            (" a b ", "%20a b%20"),
            ("100 %", "100 %25"),
            ("a\u{0}\n\u{202e}b", "a%00%0A%E2%80%AEb"),
            ("<\">|?*:'&", "%3C%22%3E%7C%3F%2A%3A%27%26"),
            ("Gr\u{fc}\u{df}e, \u{8bbe}\u{7f6e}", "Gr\u{fc}\u{df}e, \u{8bbe}\u{7f6e}"),
            ("e\u{301}\u{212b}\u{b2}", "e%CC%81%E2%84%AB%C2%B2"),
            ("NUL", "%4EUL"),
            ("con .x", "%63on .x"),
            ("com1", "%63om1"),
            ("LPT\u{b9}", "%4CPT%C2%B9"),
            ("console", "console"),
            ("com", "com"),
        ] {
            check("/p", "/p/a.ltl", name, &format!("a/{expected}.test.ltl"));
        }
    }

    #[test]
    fn the_place_of_a_test_is_no_folder_and_a_file_by_another_ending_is_another() {
        check("/p", "/p/a/b.TEST.ltl.ltl", "x", "a/b%2ETEST.ltl/x.test.ltl");
        check("/p", "/p/a", "x", "a%/x.test.ltl");
        check("/p", "/p/a.feature", "x", "a.feature/x.test.ltl");
        check("/p", "/p/a.feature.ltl", "x", "a%2Efeature/x.test.ltl");
        check("/p", "/p/.feature", "x", "%2Efeature%/x.test.ltl");
        check("/p", "/p/.ltl", "x", "%/x.test.ltl");
        check("/p", "/p/.hidden/con/a.ltl", "x", "%2Ehidden/%63on/a/x.test.ltl");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_text_is_escaped_byte_by_byte() {
        use std::os::unix::ffi::OsStrExt;
        let file = Path::new("/p").join(OsStr::from_bytes(b"a\xff\xc3.ltl"));
        assert_eq!(place(Path::new("/p"), &file, "x", []), Path::new("farlead-tests/a%FF%C3/x.test.ltl"));
    }

    #[test]
    fn a_long_name_is_cut_and_told_from_others_by_a_number() {
        for letter in ["a", "/", "\u{8bbe}", "\u{1f600}"] {
            let names = [letter.repeat(500), letter.repeat(501)];
            let parts = names.each_ref().map(|name| escaped(name.as_bytes()));
            assert_ne!(parts[0], parts[1]);
            for part in parts {
                assert!((NAME_MAX - 12..=NAME_MAX).contains(&part.len()), "{part}");
                let (start, number) = part.split_once('~').expect("a mark");
                assert!(
                    number.len() == 16 && decoded(start).iter().all(|byte| letter.as_bytes().contains(byte))
                );
            }
        }
    }

    #[test]
    fn names_that_differ_by_case_alone_get_marks_in_their_order() {
        let names = ["about", "About", "ABOUT", "b", "stra\u{df}e", "strasse", "About"];
        let places = Places::new(Path::new("/p"), Path::new("/p/a.ltl"), names);
        let parts = names.map(|name| places.name_part(name));
        assert_eq!(parts[..4], ["about~3", "About~2", "ABOUT", "b"]);
        assert_eq!(parts[4..], ["stra\u{df}e~2", "strasse", "About~2"]);
    }

    /// Returns the bytes that a component stands for, if nothing was cut.
    fn decoded(part: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut rest = part.as_bytes();
        while let Some((&first, after)) = rest.split_first() {
            let digits = (first == b'%').then(|| std::str::from_utf8(&after[..2]).expect("two digits"));
            bytes.push(digits.map_or(first, |digits| u8::from_str_radix(digits, 16).expect("a byte")));
            rest = &after[if digits.is_some() { 2 } else { 0 }..];
        }
        bytes
    }

    /// Generates names that are likely to collide, and any others.
    fn names() -> impl Strategy<Value = BTreeSet<String>> {
        let name = prop_oneof![
            "[aAsS\u{df}kK\u{212a}iI\u{130}\u{131}e\u{e9}\u{c9}%~2. ]{0,4}",
            "(con|NUL|Com1|a{168}|A{168}|b{200})[.~ a]{0,3}",
            any::<String>(),
        ];
        proptest::collection::btree_set(name, 1..12)
    }

    proptest! {
        #[test]
        fn no_two_names_of_a_file_share_a_place_and_every_system_takes_it(names in names()) {
            let mut taken = BTreeMap::new();
            for name in &names {
                let place = place(Path::new("/p"), Path::new("/p/a.ltl"), name, names.iter().map(String::as_str));
                let part = place.file_name().and_then(OsStr::to_str).expect("a name").to_string();
                prop_assert!(place.components().count() == 3 && part.len() <= 200 && part.ends_with(TEST_END));
                let stem = part.strip_suffix(TEST_END).expect("the end");
                prop_assert!(!stem.is_empty() && !stem.starts_with(['.', ' ']) && !stem.ends_with(['.', ' ']));
                prop_assert!(!is_reserved(stem.as_bytes()));
                prop_assert!(stem.chars().all(|char| is_kept(char) || matches!(char, '%' | '~')));
                if let Some(other) = taken.insert(folded(&part), name) {
                    prop_assert!(false, "{:?} and {:?} both lie at {}", name, other, part);
                }
            }
        }

        #[test]
        fn what_is_not_cut_can_be_read_back(name in any::<Vec<u8>>()) {
            let part = escaped(&name);
            if !part.contains('~') && !name.is_empty() {
                prop_assert_eq!(decoded(&part), name);
            }
        }
    }
}
