//! The shape of the source: the modules that each module may use, and rules for every file.
//!
//! A few of Rust's lexical rules are enough for this: comments and strings are skipped, paths are followed
//! through groups and `super`, and no macro is expanded.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the top, and the modules of each from left to right. A new module goes where its words are.
const LAYERS: [Layer; 8] = [
    Layer { name: "basics", modules: &["sorted", "deflated"], uses_left: false },
    Layer { name: "words", modules: &["ltl", "gui", "rng", "net", "recent", "drawing"], uses_left: false },
    Layer { name: "language", modules: &["text", "spec"], uses_left: true },
    Layer {
        name: "record",
        modules: &[
            "rate",
            "statistics",
            "trace",
            "event",
            "test_case",
            "experience",
            "learned_model",
            "situation",
        ],
        uses_left: true,
    },
    Layer { name: "parties", modules: &["device", "agent", "objective", "abstraction"], uses_left: false },
    Layer { name: "meeting", modules: &["episode", "search", "replay", "setup"], uses_left: true },
    Layer {
        name: "after",
        modules: &["minimise", "keep", "store", "export", "learned", "policy", "report", "studio"],
        uses_left: true,
    },
    Layer { name: "outside", modules: &["emulator"], uses_left: false },
];

/// More is two files.
const LINES_MAX: usize = 1_500;

struct Layer {
    name: &'static str,
    modules: &'static [&'static str],
    /// True if a module uses those to its left.
    uses_left: bool,
}

#[test]
fn no_arrow_between_modules_points_back() {
    let faults: Vec<String> = library_files().iter().flat_map(arrow_faults).collect();
    assert!(faults.is_empty(), "a module uses the layers above its own:\n{}", faults.join("\n"));
}

#[test]
fn every_module_has_a_layer() {
    let homeless: BTreeSet<String> = library_files()
        .iter()
        .map(|file| file.module[0].clone())
        .filter(|module| place(module).is_none())
        .collect();
    assert!(
        homeless.is_empty(),
        "give each of these modules a layer, in `LAYERS` of tests/it/tidy.rs: {homeless:?}"
    );
}

#[test]
fn every_file_says_first_what_it_is_for() {
    let silent: Vec<String> = source_files()
        .into_iter()
        .filter(|path| !read(path).starts_with("//! "))
        .map(|path| shown(&path))
        .collect();
    assert!(silent.is_empty(), "open with a line `//! ...`: {silent:?}");
}

#[test]
fn no_file_is_too_long_to_read() {
    let long: Vec<String> = source_files()
        .into_iter()
        .map(|path| (read(&path).lines().count(), path))
        .filter(|&(lines, _)| lines > LINES_MAX)
        .map(|(lines, path)| format!("{} has {lines} lines", shown(&path)))
        .collect();
    assert!(long.is_empty(), "more than {LINES_MAX} lines are two files: {long:?}");
}

#[test]
fn formulas_need_nothing_but_the_standard_library() {
    let dependencies = dependencies(&read(&root().join("Cargo.toml")));
    let mut faults = Vec::new();
    for file in library_files().iter().filter(|file| file.module[0] == "ltl") {
        for (line, name) in crates_named(&read(&file.path), &dependencies) {
            faults.push(format!("{}:{line}: uses the crate `{name}`", shown(&file.path)));
        }
    }
    assert!(faults.is_empty(), "`ltl` uses the standard library alone:\n{}", faults.join("\n"));
}

#[test]
fn paths_are_found_however_they_are_written() {
    let source = r##"
        //! Not in [`crate::report`].
        use crate::{ltl::{Formula, crate_like}, gui::Atom};
        use super::super::spec;
        use super::progress::step;
        fn f() -> crate::rng::Seed { "crate::store"; r#"crate::search "crate::search"#; 'c'; '\'' }
        fn g<'a>(x: &'a str) { super::super::trace::Trace::new(x) } /* crate::event /* crate::event */ */
        pub(in crate::ltl) mod tests { use super::super::super::device; use super::*; mod deeper {} }
        use super::super::agent;
    "##;
    let path = ["spec".to_string(), "parse".to_string()];
    let found: Vec<(usize, String)> = used_modules(&path, source);
    let names: Vec<(usize, &str)> = found.iter().map(|(line, name)| (*line, name.as_str())).collect();
    let expected = [
        (3, "ltl"),
        (3, "gui"),
        (4, "spec"),
        (6, "rng"),
        (7, "trace"),
        (8, "ltl"),
        (8, "device"),
        (9, "agent"),
    ];
    assert_eq!(names, expected);
}

#[test]
fn an_arrow_that_points_back_is_named() {
    for (user, used, expected) in [
        ("spec", "ltl", true),
        ("ltl", "spec", false),
        ("gui", "ltl", false),
        ("test_case", "trace", true),
        ("trace", "test_case", false),
        ("device", "agent", false),
        ("agent", "event", true),
        ("replay", "episode", true),
        ("report", "store", true),
        ("store", "report", false),
        ("emulator", "device", true),
        ("device", "emulator", false),
        ("report", "emulator", false),
    ] {
        assert_eq!(may_use(user, used), Some(expected), "{user} uses {used}");
    }
    assert_eq!(may_use("spec", "Formula"), None);
}

/// A source file of the library, and its module's path from the root.
struct LibraryFile {
    path: PathBuf,
    module: Vec<String>,
}

fn arrow_faults(file: &LibraryFile) -> Vec<String> {
    let user = file.module[0].as_str();
    let mut faults = Vec::new();
    for (line, used) in used_modules(&file.module, &read(&file.path)) {
        let at = format!("{}:{line}", shown(&file.path));
        match may_use(user, &used) {
            Some(true) => {}
            Some(false) => {
                let layer = |module| place(module).map_or("no layer", |(layer, _)| LAYERS[layer].name);
                let (from, to) = (layer(user), layer(&used));
                faults.push(format!("{at}: `{user}` ({from}) uses `{used}` ({to}): this arrow points back"));
            }
            None if place(user).is_none() => {}
            None => faults.push(format!("{at}: `{used}` is no module with a layer; name the module")),
        }
    }
    faults
}

/// Returns true if the module `user` may use `used`, and `None` if either has no layer.
fn may_use(user: &str, used: &str) -> Option<bool> {
    if user == used || used == "self" {
        return Some(true);
    }
    let ((from, at), (to, left)) = (place(user)?, place(used)?);
    Some(to < from || (to == from && left < at && LAYERS[from].uses_left))
}

/// Returns the number of a module's layer, and the module's place in it.
fn place(module: &str) -> Option<(usize, usize)> {
    LAYERS.iter().enumerate().find_map(|(at, layer)| {
        layer.modules.iter().position(|&other| other == module).map(|position| (at, position))
    })
}

/// Returns the names after `crate::`, or after the `super::`s that lead to the root, each with its line.
fn used_modules(module: &[String], source: &str) -> Vec<(usize, String)> {
    let tokens = tokens(source);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut used = Vec::new();
    let mut depth = 0;
    // Nesting depths at which inline modules were opened.
    let mut inline = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => {
                if at >= 2 && is(at - 2, "mod") {
                    inline.push(depth);
                }
                depth += 1;
            }
            "}" => {
                depth -= 1;
                if inline.last() == Some(&depth) {
                    inline.pop();
                }
            }
            "crate" if is(at + 1, "::") => names_after(&tokens[at + 2..], &mut used),
            "super" if at == 0 || !is(at - 1, "::") || (at >= 2 && is(at - 2, "self")) => {
                let supers =
                    (0..).take_while(|n| is(at + 2 * n, "super") && is(at + 2 * n + 1, "::")).count();
                if supers == module.len() + inline.len() {
                    names_after(&tokens[at + 2 * supers..], &mut used);
                }
            }
            _ => {}
        }
    }
    used
}

/// Adds the first name of the path that starts here, or of each path in a group.
fn names_after(tokens: &[Token<'_>], names: &mut Vec<(usize, String)>) {
    let mut depth = 0;
    let mut is_first = true;
    for token in tokens {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 1 => is_first = true,
            name if is_first => {
                names.push((token.line, name.to_string()));
                is_first = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
}

/// Returns the places where one of `crates` starts a path or is imported by its name.
fn crates_named(source: &str, crates: &BTreeSet<String>) -> Vec<(usize, String)> {
    let tokens = tokens(source);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut named = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let starts_path = at == 0 || !is(at - 1, "::");
        let is_use = at > 0 && (is(at - 1, "use") || is(at - 1, "crate"));
        if crates.contains(token.text) && starts_path && (is(at + 1, "::") || is_use) {
            named.push((token.line, token.text.to_string()));
        }
    }
    named
}

/// Returns the crates that a manifest lets the library use, as paths spell them.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut is_list = false;
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            let is_dev = table.contains("dev-dependencies");
            is_list = table.ends_with("dependencies") && !is_dev;
            if let (false, Some((_, name))) = (is_dev, table.split_once("dependencies.")) {
                names.insert(name.replace('-', "_"));
            }
        } else if let (true, Some((name, _))) = (is_list, line.split_once('=')) {
            names.insert(name.trim().replace('-', "_"));
        }
    }
    names
}

/// A word or a sign, and its line from 1.
struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// Returns the words and signs of `source` without comments, strings and characters.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while let Some(next) = source[at..].chars().next() {
        let rest = &source[at..];
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment_len(rest)
        } else if let Some(len) = text_len(rest) {
            len
        } else {
            let len = token_len(rest, next);
            if !next.is_whitespace() {
                tokens.push(Token { text: &rest[..len], line });
            }
            len
        };
        line += rest[..len].matches('\n').count();
        at += len;
    }
    tokens
}

fn token_len(rest: &str, next: char) -> usize {
    if next.is_alphanumeric() || next == '_' {
        rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len())
    } else if rest.starts_with("::") {
        2
    } else {
        next.len_utf8()
    }
}

fn block_comment_len(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Returns the length of the string or character that starts here, if one does.
fn text_len(rest: &str) -> Option<usize> {
    if let Some(raw) =
        rest.strip_prefix("br").or_else(|| rest.strip_prefix("cr")).or_else(|| rest.strip_prefix('r'))
    {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = rest.len() - raw.len() + hashes + 1;
            return Some(rest[start..].find(&end).map_or(rest.len(), |found| start + found + end.len()));
        }
    }
    if rest.starts_with('"') {
        return Some(closed_by(rest, '"'));
    }
    // A lifetime has no closing quote after its first letter.
    let mut letters = rest.strip_prefix('\'')?.chars();
    let is_char = letters.next()? == '\\' || letters.next()? == '\'';
    is_char.then(|| closed_by(rest, '\''))
}

/// Returns the length up to and including the next `quote` without a backslash before it, after the first one.
fn closed_by(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, char) in rest.char_indices().skip(1) {
        if char == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = char == '\\' && !is_escaped;
    }
    rest.len()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string().replace('\\', "/")
}

/// Returns the files below `src` that belong to a module of the library.
fn library_files() -> Vec<LibraryFile> {
    let src = root().join("src");
    let mut files = Vec::new();
    for path in rust_files(&src) {
        let inner = path.strip_prefix(&src).expect("a file below src").with_extension("");
        let mut module: Vec<String> = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|name| name == "mod") {
            module.pop();
        }
        // The root only lists modules, and the shell may use all of them.
        if module[0] != "lib" && module[0] != "bin" {
            files.push(LibraryFile { path, module });
        }
    }
    assert!(!files.is_empty(), "no file found below src");
    files
}

fn source_files() -> Vec<PathBuf> {
    ["src", "tests", "benches"].iter().flat_map(|folder| rust_files(&root().join(folder))).collect()
}

/// Returns the Rust files below `folder`, sorted by name.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("a folder that can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
