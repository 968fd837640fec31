//! The phone's files: a small tree in memory with the folders that clients use.
//!
//! The shell can write only where a phone's shell can. Links are resolved in paths and are no nodes of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of all files together at most.
const SPACE_BYTES: usize = 256 << 20;

/// Number of files and folders at most.
const NODES_MAX: usize = 10_000;

/// Longest path in bytes, as on Linux.
const PATH_MAX: usize = 4_096;

const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const DEVICE: u32 = 0o020_000;

/// Folders in which the shell may write.
const WRITABLE: [&str; 3] = ["/storage/emulated/0", "/data/local/tmp", "/data/local/traces"];

/// Links and their targets.
const LINKS: [(&str, &str); 5] = [
    ("/sdcard", "/storage/emulated/0"),
    ("/storage/self/primary", "/storage/emulated/0"),
    ("/mnt/sdcard", "/storage/emulated/0"),
    ("/storage/emulated/legacy", "/storage/emulated/0"),
    ("/bin", "/system/bin"),
];

/// Facts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Type and rights, as `stat` of POSIX has them.
    pub mode: u32,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last write, in seconds since 1970.
    pub mtime: u64,
}

impl Stat {
    /// Returns true if it is a folder.
    pub fn is_folder(self) -> bool {
        self.mode & 0o170_000 == FOLDER
    }
}

/// Reason why an operation on a file fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages, which are those of Linux, say it")]
pub enum FileError {
    #[error("No such file or directory")]
    Missing,
    #[error("Is a directory")]
    Folder,
    #[error("Not a directory")]
    NoFolder,
    #[error("File exists")]
    Exists,
    #[error("Permission denied")]
    Denied,
    #[error("Read-only file system")]
    ReadOnly,
    #[error("Directory not empty")]
    NotEmpty,
    #[error("No space left on device")]
    Full,
    #[error("File name too long")]
    TooLong,
}

/// Extent of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    /// One file, or one empty folder.
    Single,
    /// A folder with all files in it, too.
    WithContents,
}

#[derive(Clone, Debug)]
struct Node {
    mode: u32,
    mtime: u64,
    bytes: Arc<[u8]>,
}

/// All files of the phone.
#[derive(Clone, Debug)]
pub(super) struct Files {
    nodes: BTreeMap<String, Node>,
    bytes: usize,
}

impl Files {
    pub fn new(now_s: u64) -> Files {
        let mut files = Files { nodes: BTreeMap::new(), bytes: 0 };
        let folders = [
            ("/", 0o755),
            ("/data", 0o771),
            ("/data/app", 0o771),
            ("/data/local", 0o751),
            ("/data/local/tmp", 0o771),
            ("/data/local/traces", 0o777),
            ("/dev", 0o755),
            ("/mnt", 0o755),
            ("/proc", 0o555),
            ("/storage", 0o755),
            ("/storage/emulated", 0o771),
            ("/storage/emulated/0", 0o770),
            ("/storage/emulated/0/Android", 0o770),
            ("/storage/emulated/0/DCIM", 0o770),
            ("/storage/emulated/0/Download", 0o770),
            ("/storage/emulated/0/Pictures", 0o770),
            ("/storage/self", 0o755),
            ("/system", 0o755),
            ("/system/app", 0o755),
            ("/system/bin", 0o755),
            ("/vendor", 0o755),
        ];
        for (path, mode) in folders {
            files.put(path, FOLDER | mode, now_s, Arc::default());
        }
        for path in ["/dev/null", "/dev/zero", "/dev/tty"] {
            files.put(path, DEVICE | 0o666, now_s, Arc::default());
        }
        files
    }

    fn put(&mut self, path: &str, mode: u32, mtime: u64, bytes: Arc<[u8]>) {
        self.bytes += bytes.len();
        if let Some(old) = self.nodes.insert(path.to_string(), Node { mode, mtime, bytes }) {
            self.bytes -= old.bytes.len();
        }
    }

    /// Writes a file of the system, whose folders the shell may not write.
    pub fn install(&mut self, path: &str, mtime: u64, bytes: Arc<[u8]>) {
        let folder = parent(path).to_string();
        if self.bytes.saturating_add(bytes.len()) > SPACE_BYTES || self.nodes.len() + 2 > NODES_MAX {
            return;
        }
        self.put(&folder, FOLDER | 0o755, mtime, Arc::default());
        self.put(path, FILE | 0o644, mtime, bytes);
    }

    /// Removes a file of the system with its folder.
    pub fn uninstall(&mut self, path: &str) {
        for gone in [path, parent(path)] {
            if let Some(node) = self.nodes.remove(gone) {
                self.bytes -= node.bytes.len();
            }
        }
    }

    pub fn stat(&self, path: &str) -> Option<Stat> {
        self.nodes.get(path).map(Node::stat)
    }

    /// Returns the names in a folder, in their order.
    pub fn list(&self, path: &str) -> Result<Vec<(String, Stat)>, FileError> {
        let folder = self.nodes.get(path).ok_or(FileError::Missing)?;
        if !folder.stat().is_folder() {
            return Err(FileError::NoFolder);
        }
        // The shell may enter these folders and not list them.
        if path == "/data" || path == "/data/app" {
            return Err(FileError::Denied);
        }
        let prefix = if path == "/" { "/".to_string() } else { format!("{path}/") };
        let inside = self.nodes.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        Ok(inside
            .filter_map(|(name, node)| {
                let name = &name[prefix.len()..];
                (!name.is_empty() && !name.contains('/')).then(|| (name.to_string(), node.stat()))
            })
            .collect())
    }

    pub fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        let node = self.nodes.get(path).ok_or(FileError::Missing)?;
        if node.stat().is_folder() { Err(FileError::Folder) } else { Ok(node.bytes.clone()) }
    }

    pub fn write(&mut self, path: &str, mode: u32, mtime: u64, bytes: Arc<[u8]>) -> Result<(), FileError> {
        if path.len() > PATH_MAX {
            return Err(FileError::TooLong);
        }
        if let Some(old) = self.stat(path) {
            // `/dev/null` takes all and keeps nothing.
            if old.mode & 0o170_000 == DEVICE {
                return Ok(());
            }
            if old.is_folder() {
                return Err(FileError::Folder);
            }
        }
        self.may_write(path)?;
        // The write frees the old bytes, so they do not count.
        let old = self.nodes.get(path).map_or(0, |node| node.bytes.len());
        if self.bytes - old + bytes.len() > SPACE_BYTES || self.nodes.len() >= NODES_MAX {
            return Err(FileError::Full);
        }
        match self.stat(parent(path)) {
            Some(folder) if folder.is_folder() => {}
            Some(_) => return Err(FileError::NoFolder),
            None => return Err(FileError::Missing),
        }
        self.put(path, FILE | (mode & 0o777), mtime, bytes);
        Ok(())
    }

    /// Appends to a file, and makes it if there is none.
    pub fn append(&mut self, path: &str, mtime: u64, more: &[u8]) -> Result<(), FileError> {
        let mut bytes = match self.read(path) {
            Ok(bytes) => bytes.to_vec(),
            Err(FileError::Missing) => Vec::new(),
            Err(error) => return Err(error),
        };
        // Readers may hold the old bytes, so they are copied: the shell charges this to the line.
        bytes.extend_from_slice(more);
        let mode = self.stat(path).map_or(0o644, |stat| stat.mode);
        self.write(path, mode, mtime, bytes.into())
    }

    pub fn make_folder(&mut self, path: &str, mtime: u64) -> Result<(), FileError> {
        if path.len() > PATH_MAX {
            return Err(FileError::TooLong);
        }
        if self.nodes.contains_key(path) {
            return Err(FileError::Exists);
        }
        self.may_write(path)?;
        if self.nodes.len() >= NODES_MAX {
            return Err(FileError::Full);
        }
        match self.stat(parent(path)) {
            Some(folder) if folder.is_folder() => {}
            Some(_) => return Err(FileError::NoFolder),
            None => return Err(FileError::Missing),
        }
        self.put(path, FOLDER | 0o770, mtime, Arc::default());
        Ok(())
    }

    /// Makes the folders above `path` that are missing.
    pub fn make_folders_for(&mut self, path: &str, mtime: u64) {
        let mut missing = Vec::new();
        let mut folder = parent(path);
        // No client nests deeper; a path of 4,096 slashes would.
        while self.stat(folder).is_none() && missing.len() < 100 {
            missing.push(folder.to_string());
            folder = parent(folder);
        }
        for folder in missing.iter().rev() {
            if self.make_folder(folder, mtime).is_err() {
                return;
            }
        }
    }

    /// Removes a file or a folder.
    pub fn remove(&mut self, path: &str, removal: Removal) -> Result<(), FileError> {
        let stat = self.stat(path).ok_or(FileError::Missing)?;
        self.may_write(path)?;
        // The shell may write into these folders, but they belong to the system.
        if WRITABLE.contains(&path) || stat.mode & 0o170_000 == DEVICE {
            return Err(FileError::Denied);
        }
        if stat.is_folder() {
            let prefix = format!("{path}/");
            let inside: Vec<String> = self
                .nodes
                .range(prefix.clone()..)
                .take_while(|(name, _)| name.starts_with(&prefix))
                .map(|(name, _)| name.clone())
                .collect();
            if !inside.is_empty() && removal == Removal::Single {
                return Err(FileError::NotEmpty);
            }
            // The range of the prefix is the folder's subtree, so no walk is needed.
            for name in inside {
                self.forget(&name);
            }
        }
        self.forget(path);
        Ok(())
    }

    pub fn set_mode(&mut self, path: &str, mode: u32) -> Result<(), FileError> {
        self.may_write(path)?;
        let node = self.nodes.get_mut(path).ok_or(FileError::Missing)?;
        // The type of a file never changes.
        node.mode = node.mode & 0o170_000 | mode & 0o777;
        Ok(())
    }

    /// Returns the paths that `pattern` fits, part by part, in their order.
    pub fn matching(&self, pattern: &[String]) -> Vec<String> {
        // No `*` fits a slash, so both have the same number of parts.
        let is_deep = |path: &str| path.matches('/').count() == pattern.len();
        let fits = |path: &&String| {
            path.len() > 1
                && is_deep(path)
                && path[1..].split('/').zip(pattern).all(|(part, pattern)| fits(pattern, part))
        };
        self.nodes.keys().filter(fits).cloned().collect()
    }

    /// Returns the bytes of the disk, and the bytes in use.
    pub fn space(&self) -> (usize, usize) {
        (SPACE_BYTES, self.bytes)
    }

    fn forget(&mut self, path: &str) {
        if let Some(node) = self.nodes.remove(path) {
            self.bytes -= node.bytes.len();
        }
    }

    fn may_write(&self, path: &str) -> Result<(), FileError> {
        let is_in = |folder: &str| path == folder || path.starts_with(&format!("{folder}/"));
        if WRITABLE.iter().any(|folder| is_in(folder)) {
            Ok(())
        } else if ["/data", "/proc", "/dev", "/storage"].iter().any(|folder| is_in(folder)) {
            Err(FileError::Denied)
        } else {
            Err(FileError::ReadOnly)
        }
    }
}

impl Node {
    fn stat(&self) -> Stat {
        Stat { mode: self.mode, size: self.bytes.len() as u64, mtime: self.mtime }
    }
}

/// Returns the absolute path that `path` means in `folder`, with links followed.
pub(super) fn resolved(folder: &str, path: &str) -> String {
    let whole = if path.starts_with('/') { path.to_string() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let clean = format!("/{}", parts.join("/"));
    // Links lead to real folders, never to links, so one step is enough.
    for (link, to) in LINKS {
        if let Some(rest) = clean.strip_prefix(link)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return format!("{to}{rest}");
        }
    }
    clean
}

/// Returns the folder of a path.
pub(super) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

/// Returns the last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

/// Returns true if a name fits a pattern with `*`, `?` and no brackets; a backslash quotes the next character.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Hidden files are named by a pattern with a dot alone.
    if name.first() == Some(&'.') && pattern.first() != Some(&'.') {
        return false;
    }
    let (mut at, mut of) = (0, 0);
    // The place of the last `*`, and the end of its part of the name. Only the last one needs to give way, so this takes
    // at most the product of both lengths, where recursion would take exponential time.
    let mut star: Option<(usize, usize)> = None;
    while of < name.len() {
        let (letter, is_plain, next) = match pattern.get(at) {
            Some('\\') if at + 1 < pattern.len() => (Some(pattern[at + 1]), true, at + 2),
            other => (other.copied(), false, at + 1),
        };
        if !is_plain && letter == Some('*') {
            star = Some((at, of));
            at += 1;
        } else if letter.is_some_and(|letter| (!is_plain && letter == '?') || letter == name[of]) {
            at = next;
            of += 1;
        } else if let Some((from, taken)) = star {
            at = from + 1;
            of = taken + 1;
            star = Some((from, of));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_resolved_with_its_links() {
        assert_eq!(
            resolved("/", "/sdcard/../sdcard//a"),
            "/sdcard/a".replace("/sdcard", "/storage/emulated/0")
        );
        assert_eq!(resolved("/data/local", "tmp/./x"), "/data/local/tmp/x");
        assert_eq!(resolved("/", "../../.."), "/");
        assert_eq!(resolved("/", "/sdcardx"), "/sdcardx");
    }

    #[test]
    fn files_are_written_where_the_shell_may() {
        let mut files = Files::new(0);
        assert_eq!(files.write("/data/local/tmp/a", 0o644, 1, (*b"abc").into()), Ok(()));
        assert_eq!(files.read("/data/local/tmp/a").as_deref(), Ok(&b"abc"[..]));
        assert_eq!(files.write("/system/a", 0o644, 1, Arc::default()), Err(FileError::ReadOnly));
        assert_eq!(files.write("/data/a", 0o644, 1, Arc::default()), Err(FileError::Denied));
        assert_eq!(files.write("/data/local/tmp/b/c", 0o644, 1, Arc::default()), Err(FileError::Missing));
        assert_eq!(files.remove("/data/local/tmp", Removal::WithContents), Err(FileError::Denied));
        assert_eq!(
            files.write("/data/local/tmp/big", 0, 1, vec![0; SPACE_BYTES].into()),
            Err(FileError::Full)
        );
        assert_eq!(files.remove("/data/local/tmp/a", Removal::Single), Ok(()));
        assert_eq!(files.bytes, 0);
    }

    #[test]
    fn names_fit_patterns() {
        assert!(fits("*.xml", "a.xml") && fits("a*c?", "abbcd") && fits("\\*", "*") && fits("*", ""));
        assert!(!fits("*.xml", ".xml.a") && !fits("a", "ab") && !fits("\\*", "a") && !fits("?", ""));
    }
}
