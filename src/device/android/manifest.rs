//! Manifests: reads the description of an app in its APK, which is Android's binary XML.
//!
//! It reads only what is needed to start an app and to name it, and skips the rest.

mod chunk;
mod facts;
mod resources;

use std::io::{Read, Seek};

use chunk::{Chunk, Strings, Value, chunks};
use resources::Resources;

use super::archive::{Archive, ArchiveError, MANIFEST_PATH, RESOURCES_PATH};
pub(crate) use facts::Facts;

/// The parts of an app's manifest that are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The app's package.
    pub package: String,
    /// The version shown to people; may be empty.
    pub version: String,
    /// The version as an increasing number; may be empty.
    pub version_code: String,
    /// The name in the launcher; may be empty.
    pub label: String,
    /// Full class names of the activities that a launcher of a phone or a television starts.
    pub launchable: Vec<String>,
    /// Full class names of all enabled activities, aliases included.
    pub activities: Vec<String>,
    /// Those of them that are aliases: another activity shows in their place.
    pub aliases: Vec<String>,
    /// True if it can only be installed with `-t`.
    pub is_test_only: bool,
}

/// The reason a manifest cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file is not an APK, or a broken one.
    #[error(transparent)]
    Apk(#[from] ArchiveError),
    /// The manifest is too long.
    #[error("its {MANIFEST_PATH} has more than {MANIFEST_BYTES_MAX} bytes")]
    TooLong,
    /// The manifest is XML in text form.
    #[error("its {MANIFEST_PATH} is text, and in an APK it is binary; build the app")]
    Text,
    /// The manifest is something else.
    #[error("its {MANIFEST_PATH} is no binary XML")]
    NotManifest,
    /// The manifest is cut off or inconsistent.
    #[error("its {MANIFEST_PATH} is broken at byte {at}: {reason}")]
    Broken {
        /// Byte of the mistake.
        at: usize,
        /// The mistake.
        reason: &'static str,
    },
    /// The file is a part of an app that cannot be started by itself.
    #[error("it is the part `{split}` of {package} and cannot be started; give the base APK")]
    Split {
        /// The app.
        package: String,
        /// The part.
        split: String,
    },
}

/// Most bytes of a manifest, unpacked; large apps have 1 MB.
pub const MANIFEST_BYTES_MAX: usize = 16 << 20;

/// Most bytes of a table of resources, unpacked; a longer one gives no label.
const RESOURCES_BYTES_MAX: usize = 64 << 20;

/// Most activities of an app, more than any app has.
const ACTIVITIES_MAX: usize = 10_000;

impl Manifest {
    /// Reads the manifest in `apk`. The bytes may be anything.
    pub fn read(apk: impl Read + Seek) -> Result<Manifest, ManifestError> {
        let mut archive = Archive::open(apk)?;
        let xml = archive.entry(MANIFEST_PATH, MANIFEST_BYTES_MAX)?.unwrap_or_default();
        if xml.len() > MANIFEST_BYTES_MAX {
            return Err(ManifestError::TooLong);
        }
        // Without the table only the label is missing.
        let table = archive.entry(RESOURCES_PATH, RESOURCES_BYTES_MAX).ok().flatten();
        Manifest::of_binary(
            &xml,
            &table.filter(|table| table.len() <= RESOURCES_BYTES_MAX).unwrap_or_default(),
        )
    }

    /// Reads a manifest in binary XML, with the table of resources that belongs to it, which may be empty.
    pub fn of_binary(xml: &[u8], resources: &[u8]) -> Result<Manifest, ManifestError> {
        let tree = Tree::read(xml)?;
        let mut reading = Reading::new(&tree, Resources::read(resources));
        reading.read()?;
        reading.done()
    }
}

/// The binary XML of a manifest: a pool of strings, the ids of attributes, and the tags.
struct Tree<'b> {
    xml: &'b [u8],
    /// Offset of the first chunk.
    start: usize,
    strings: Strings<'b>,
    /// Android's ids of attributes, by the number of the attribute's name.
    attribute_ids: Option<Chunk<'b>>,
}

const XML: u16 = 0x0003;
const START_TAG: u16 = 0x0102;
const END_TAG: u16 = 0x0103;
const ATTRIBUTE_IDS: u16 = 0x0180;

impl<'b> Tree<'b> {
    fn read(xml: &'b [u8]) -> Result<Tree<'b>, ManifestError> {
        if xml.trim_ascii_start().starts_with(b"<") {
            return Err(ManifestError::Text);
        }
        // Some manifests state a wrong total length, and Android accepts them.
        let head = Chunk::read(xml, 0).filter(|head| head.kind == XML).ok_or(ManifestError::NotManifest)?;
        let start = head.head_len;
        let strings = chunks(xml, start).find_map(Strings::read);
        let strings = strings.ok_or(ManifestError::Broken { at: start, reason: "there are no strings" })?;
        let attribute_ids = chunks(xml, start).find(|chunk| chunk.kind == ATTRIBUTE_IDS);
        Ok(Tree { xml, start, strings, attribute_ids })
    }

    /// Returns the attribute with this name; its id takes precedence over the name if it has one.
    fn attribute(&self, name: u32) -> Option<Attribute> {
        let ids = self.attribute_ids.as_ref();
        let at = |ids: &Chunk<'_>| ids.head_len.checked_add(4 * name as usize);
        let id = ids.and_then(|ids| ids.u32(at(ids)?)).unwrap_or(0);
        let text = if id == 0 { self.strings.get(name)? } else { String::new() };
        ATTRIBUTES
            .iter()
            .find(|(_, name, known)| (id != 0 && *known == id) || *name == text)
            .map(|(what, ..)| *what)
    }
}

/// The attributes that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Attribute {
    Label,
    Name,
    Enabled,
    TestOnly,
    VersionCode,
    VersionName,
    Package,
    Split,
}

/// The name of each attribute, and its id in Android; 0 for attributes without an id.
const ATTRIBUTES: [(Attribute, &str, u32); 8] = [
    (Attribute::Label, "label", 0x0101_0001),
    (Attribute::Name, "name", 0x0101_0003),
    (Attribute::Enabled, "enabled", 0x0101_000e),
    (Attribute::TestOnly, "testOnly", 0x0101_0272),
    (Attribute::VersionCode, "versionCode", 0x0101_021b),
    (Attribute::VersionName, "versionName", 0x0101_021c),
    (Attribute::Package, "package", 0),
    (Attribute::Split, "split", 0),
];

/// A tag that is read, identified by its name and the tag around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Manifest,
    Application,
    Activity,
    Filter,
    Action,
    Category,
}

impl Tag {
    fn of(name: &str, around: Option<Tag>) -> Option<Tag> {
        match (around, name) {
            (None, "manifest") => Some(Tag::Manifest),
            (Some(Tag::Manifest), "application") => Some(Tag::Application),
            (Some(Tag::Application), "activity" | "activity-alias") => Some(Tag::Activity),
            (Some(Tag::Activity), "intent-filter") => Some(Tag::Filter),
            (Some(Tag::Filter), "action") => Some(Tag::Action),
            (Some(Tag::Filter), "category") => Some(Tag::Category),
            _ => None,
        }
    }
}

/// An activity being read.
#[derive(Debug, Default)]
struct Activity {
    name: String,
    label: String,
    is_alias: bool,
    is_enabled: bool,
    is_launchable: bool,
    /// Results of the open intent filter: `MAIN` makes a first activity, `LAUNCHER` lists it among the apps.
    is_main: bool,
    is_listed: bool,
}

struct Reading<'b> {
    tree: &'b Tree<'b>,
    resources: Resources<'b>,
    manifest: Manifest,
    split: String,
    activities: Vec<Activity>,
    /// The open tags, as long as all of them are read.
    around: Vec<Tag>,
    /// Number of open tags inside a skipped one, itself included.
    passed_over: usize,
}

impl<'b> Reading<'b> {
    fn new(tree: &'b Tree<'b>, resources: Resources<'b>) -> Reading<'b> {
        Reading {
            tree,
            resources,
            manifest: Manifest::default(),
            split: String::new(),
            activities: Vec::new(),
            around: Vec::new(),
            passed_over: 0,
        }
    }

    fn read(&mut self) -> Result<(), ManifestError> {
        let tree = self.tree;
        let mut end = tree.start;
        for chunk in chunks(tree.xml, tree.start) {
            end = chunk.at + chunk.bytes.len();
            match chunk.kind {
                START_TAG => {
                    let reason = "a tag ends too early";
                    self.open(&chunk).ok_or(ManifestError::Broken { at: chunk.at, reason })?;
                }
                END_TAG => self.close(),
                _ => {}
            }
        }
        if self.manifest.package.is_empty() {
            return Err(ManifestError::Broken { at: end, reason: "no tag names the package" });
        }
        if !self.around.is_empty() {
            return Err(ManifestError::Broken { at: end, reason: "a tag is not closed" });
        }
        Ok(())
    }

    fn open(&mut self, chunk: &Chunk<'_>) -> Option<()> {
        let base = chunk.head_len;
        let name = self.tree.strings.get(chunk.u32(base + 4)?).unwrap_or_default();
        let tag = Tag::of(&name, self.around.last().copied()).filter(|_| self.passed_over == 0);
        let Some(tag) = tag else {
            // Everything inside a skipped tag is skipped too, whatever its name.
            self.passed_over += 1;
            return Some(());
        };
        self.around.push(tag);
        match tag {
            Tag::Activity if self.activities.len() < ACTIVITIES_MAX => {
                let is_alias = name == "activity-alias";
                self.activities.push(Activity { is_alias, is_enabled: true, ..Activity::default() });
            }
            Tag::Filter => {
                self.with_activity(|activity| (activity.is_main, activity.is_listed) = (false, false))
            }
            Tag::Activity | Tag::Manifest | Tag::Application | Tag::Action | Tag::Category => {}
        }
        let (start, len, count) = (chunk.u16(base + 8)?, chunk.u16(base + 10)?, chunk.u16(base + 12)?);
        // Shorter attributes would overlap, and with length 0 all would be the same one.
        const ATTRIBUTE_LEN_MIN: u16 = 20;
        if count > 0 && len < ATTRIBUTE_LEN_MIN {
            return None;
        }
        for nth in 0..usize::from(count) {
            let at = base + usize::from(start) + usize::from(len) * nth;
            let (name, raw, value) = (chunk.u32(at + 4)?, chunk.u32(at + 8)?, Value::read(chunk, at + 12)?);
            if let Some(attribute) = self.tree.attribute(name) {
                self.note(tag, attribute, raw, value);
            }
        }
        Some(())
    }

    fn close(&mut self) {
        if self.passed_over > 0 {
            self.passed_over -= 1;
            return;
        }
        if self.around.pop() == Some(Tag::Filter) {
            // Both must stand in the same filter, because Android matches filters one by one.
            self.with_activity(|activity| activity.is_launchable |= activity.is_main && activity.is_listed);
        }
    }

    fn with_activity(&mut self, change: impl FnOnce(&mut Activity)) {
        if let Some(activity) = self.activities.last_mut() {
            change(activity);
        }
    }

    fn note(&mut self, tag: Tag, attribute: Attribute, raw: u32, value: Value) {
        match (tag, attribute) {
            (Tag::Manifest, Attribute::Package) => self.manifest.package = self.text(raw, value),
            (Tag::Manifest, Attribute::Split) => self.split = self.text(raw, value),
            (Tag::Manifest, Attribute::VersionCode) => self.manifest.version_code = self.text(raw, value),
            (Tag::Manifest, Attribute::VersionName) => self.manifest.version = self.text(raw, value),
            (Tag::Application, Attribute::Label) => self.manifest.label = self.text(raw, value),
            (Tag::Application, Attribute::TestOnly) => self.manifest.is_test_only = self.is_true(raw, value),
            (Tag::Activity, Attribute::Name) => {
                let name = self.text(raw, value);
                self.with_activity(|activity| activity.name = name);
            }
            (Tag::Activity, Attribute::Label) => {
                let label = self.text(raw, value);
                self.with_activity(|activity| activity.label = label);
            }
            (Tag::Activity, Attribute::Enabled) => {
                let is_enabled = self.is_true(raw, value);
                self.with_activity(|activity| activity.is_enabled = is_enabled);
            }
            (Tag::Action, Attribute::Name) => {
                let is_main = self.text(raw, value) == "android.intent.action.MAIN";
                self.with_activity(|activity| activity.is_main |= is_main);
            }
            (Tag::Category, Attribute::Name) => {
                let category = self.text(raw, value);
                let lists = ["android.intent.category.LAUNCHER", "android.intent.category.LEANBACK_LAUNCHER"];
                self.with_activity(|activity| activity.is_listed |= lists.contains(&&*category));
            }
            _ => {}
        }
    }

    /// Returns the text of an attribute, looked up in the table of resources if it is a reference.
    fn text(&mut self, raw: u32, value: Value) -> String {
        let text = match value.kind {
            Value::STRING => self.tree.strings.get(value.data),
            Value::REFERENCE => self.resources.resolved(value).and_then(|value| self.resources.text(value)),
            // A value of another kind may come with its text as it was written.
            _ => value.number().or_else(|| self.tree.strings.get(raw)),
        };
        text.unwrap_or_default()
    }

    /// Returns true if a boolean attribute is on; one that cannot be read counts as on.
    fn is_true(&mut self, raw: u32, value: Value) -> bool {
        match self.resources.resolved(value) {
            Some(Value { kind: Value::BOOLEAN, data }) => data != 0,
            Some(_) => self.text(raw, value) != "false",
            None => true,
        }
    }

    fn done(self) -> Result<Manifest, ManifestError> {
        let mut manifest = self.manifest;
        if !self.split.is_empty() {
            return Err(ManifestError::Split { package: manifest.package, split: self.split });
        }
        for activity in self.activities.iter().filter(|one| one.is_enabled && !one.name.is_empty()) {
            let name = in_full(&manifest.package, &activity.name);
            if activity.is_launchable && !manifest.launchable.contains(&name) {
                manifest.launchable.push(name.clone());
                if manifest.label.is_empty() {
                    manifest.label = activity.label.clone();
                }
            }
            if activity.is_alias {
                manifest.aliases.push(name.clone());
            }
            manifest.activities.push(name);
        }
        Ok(manifest)
    }
}

/// Returns the full class name for `.Main`, `Main` or a full name in a package.
fn in_full(package: &str, name: &str) -> String {
    match name.find('.') {
        Some(0) => format!("{package}{name}"),
        Some(_) => name.to_string(),
        None => format!("{package}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::device::sim::apk;

    fn packed() -> Vec<u8> {
        let manifest = apk::Manifest {
            package: "org.notes".into(),
            version: "1.5".into(),
            version_code: 7,
            label: "Nötes \u{1f4dd}".into(),
            launchable: vec!["org.notes.Main".into(), "org.notes.Other".into()],
            activities: vec!["org.notes.deep.About".into()],
        };
        apk::pack(&manifest, "app").expect("an APK")
    }

    fn parts() -> (Vec<u8>, Vec<u8>) {
        let mut archive = Archive::open(Cursor::new(packed())).expect("an APK");
        let mut part = |path| archive.entry(path, MANIFEST_BYTES_MAX).expect("readable").expect("there");
        (part(MANIFEST_PATH), part(RESOURCES_PATH))
    }

    #[test]
    fn what_was_packed_is_read() {
        let expected = Manifest {
            package: "org.notes".into(),
            version: "1.5".into(),
            version_code: "7".into(),
            label: "Nötes \u{1f4dd}".into(),
            launchable: vec!["org.notes.Main".into(), "org.notes.Other".into()],
            activities: vec![
                "org.notes.Main".into(),
                "org.notes.Other".into(),
                "org.notes.deep.About".into(),
            ],
            aliases: vec![],
            is_test_only: false,
        };
        assert_eq!(Manifest::read(Cursor::new(packed())).expect("a manifest"), expected);
        let (xml, _) = parts();
        let without_table = Manifest::of_binary(&xml, b"").expect("a manifest");
        assert_eq!(without_table, Manifest { label: String::new(), ..expected });
    }

    #[test]
    fn a_manifest_that_is_cut_off_or_changed_is_read_or_refused() {
        let (xml, resources) = parts();
        // The last bytes are half of a closing tag, with the name it closes, and the end of the namespace: both
        // not needed.
        for end in 0..xml.len() - 32 {
            assert!(Manifest::of_binary(&xml[..end], &resources).is_err(), "{end}");
        }
        for at in 0..xml.len() {
            let mut changed = xml.clone();
            changed[at] ^= 0xff;
            // It is enough that this returns.
            let _ = Manifest::of_binary(&changed, &resources);
        }
        for at in 0..resources.len() {
            let mut changed = resources.clone();
            changed[at] ^= 0xff;
            assert_eq!(Manifest::of_binary(&xml, &changed).expect("a manifest").launchable.len(), 2);
        }
    }

    #[test]
    fn what_is_no_manifest_is_told_apart() {
        assert!(matches!(Manifest::read(Cursor::new(b"hello")), Err(ManifestError::Apk(_))));
        let text = Manifest::of_binary(b"  <manifest package='a.b'/>", b"");
        assert!(matches!(text, Err(ManifestError::Text)));
        assert!(matches!(Manifest::of_binary(b"", b""), Err(ManifestError::NotManifest)));
    }

    #[test]
    fn names_are_made_full() {
        assert_eq!(in_full("a.b", ".C"), "a.b.C");
        assert_eq!(in_full("a.b", "C"), "a.b.C");
        assert_eq!(in_full("a.b", "c.D"), "c.D");
    }
}
