//! App models in APKs: a file that Android's tools read, with the model as one of its assets.
//!
//! [`pack`] writes a zip with a manifest in Android's binary XML: package, version, label and activities, and no code.
//! [`unpack_model`] returns the model that an APK carries, and takes any bytes. Reading archives and manifests is for
//! [`crate::device::android`], the meaning of a model for [`super::read()`].

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Seek, Write as _};

use zip::result::ZipError;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use super::BYTES_MAX;
use super::model::{Model, Window, WindowKind};
use crate::device::android::archive::{Archive, ArchiveError, MANIFEST_PATH, RESOURCES_PATH, archive_error};

/// Path of the model in an APK.
pub const MODEL_PATH: &str = "assets/farlead/model.app";

/// Android versions for the apps of the paper and ours: 4.2 up to 14.
const SDK_MIN: u32 = 17;
const SDK_TARGET: u32 = 34;

/// Manifest of an APK to be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The app's package.
    pub package: String,
    /// Its version for people.
    pub version: String,
    /// Its version as a number that grows.
    pub version_code: u32,
    /// Its name in the launcher.
    pub label: String,
    /// Full classes of the activities that the launcher starts.
    pub launchable: Vec<String>,
    /// Full classes of its other activities.
    pub activities: Vec<String>,
}

impl Manifest {
    /// Returns the manifest of the app of `model`, without the screens of other apps.
    pub fn of(model: &Model) -> Manifest {
        let mut seen = BTreeSet::new();
        let mut classes_of = |windows: &mut dyn Iterator<Item = &Window>| {
            let mut classes = Vec::new();
            for window in windows {
                let WindowKind::Activity { package, class, .. } = &window.kind else { continue };
                if *package == model.package && seen.insert(class.clone()) {
                    classes.push(class.to_string());
                }
            }
            classes
        };
        // Read first, so that the list of all activities leaves these out.
        let launchable = classes_of(&mut model.launchable.iter().map(|&id| &model.windows[id as usize]));
        let activities = classes_of(&mut model.windows.iter());
        Manifest {
            package: model.package.to_string(),
            version: model.version.to_string(),
            version_code: 1,
            label: model.label.to_string(),
            launchable,
            activities,
        }
    }

    fn bytes(&self) -> usize {
        let names = self.launchable.iter().chain(&self.activities);
        names.chain([&self.package, &self.version, &self.label]).map(String::len).sum()
    }
}

/// Reason why a model could not be put into an APK, or not be taken from one.
#[derive(Debug, thiserror::Error)]
pub enum ApkError {
    /// The file is no APK that can be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The model is too long.
    #[error("the model has more than {BYTES_MAX} bytes")]
    ModelTooLong,
    /// The names for the manifest are too long.
    #[error("the names of package and activities have more than {BYTES_MAX} bytes")]
    ManifestTooLong,
    /// The model is no text.
    #[error("{MODEL_PATH} is not UTF-8: the byte after {valid_up_to} others is wrong")]
    NotText {
        /// Number of bytes before the wrong one.
        valid_up_to: usize,
    },
}

/// Returns an APK with this manifest that carries `model_text`. The same input gives the same bytes.
///
/// ```
/// use farlead::device::sim::apk::{Manifest, pack, unpack_model};
///
/// let manifest = Manifest {
///     package: "org.example.notes".into(),
///     version: "1.0".into(),
///     version_code: 1,
///     label: "Notes".into(),
///     launchable: vec!["org.example.notes.MainActivity".into()],
///     activities: vec![],
/// };
/// let apk = pack(&manifest, "app org.example.notes \"Notes\" 1.0")?;
/// let model = unpack_model(std::io::Cursor::new(apk))?;
/// assert_eq!(model.as_deref(), Some("app org.example.notes \"Notes\" 1.0"));
/// # Ok::<(), farlead::device::sim::apk::ApkError>(())
/// ```
pub fn pack(manifest: &Manifest, model_text: &str) -> Result<Vec<u8>, ApkError> {
    // A longer one could be packed, and never be unpacked.
    if model_text.len() > BYTES_MAX {
        return Err(ApkError::ModelTooLong);
    }
    if manifest.bytes() > BYTES_MAX {
        return Err(ApkError::ManifestTooLong);
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // The default date is the first one there is, so that the bytes do not depend on the day.
    let options =
        SimpleFileOptions::default().last_modified_time(DateTime::default()).unix_permissions(0o644);
    for (path, method, bytes) in [
        (MANIFEST_PATH, CompressionMethod::Deflated, &*binary_xml(manifest)),
        // Android maps it into memory as it lies there.
        (RESOURCES_PATH, CompressionMethod::Stored, &resources(manifest)),
        (MODEL_PATH, CompressionMethod::Deflated, model_text.as_bytes()),
    ] {
        zip.start_file(path, options.compression_method(method)).map_err(archive_error)?;
        zip.write_all(bytes).map_err(|error| archive_error(ZipError::Io(error)))?;
    }
    Ok(zip.finish().map_err(archive_error)?.into_inner())
}

/// Returns the model that an APK carries, or nothing if it carries none.
///
/// The bytes may be anything: reading and unpacking are bounded, whatever the file claims.
pub fn unpack_model(apk: impl Read + Seek) -> Result<Option<String>, ApkError> {
    let Some(bytes) = Archive::open(apk)?.entry(MODEL_PATH, BYTES_MAX)? else { return Ok(None) };
    if bytes.len() > BYTES_MAX {
        return Err(ApkError::ModelTooLong);
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| ApkError::NotText { valid_up_to: error.utf8_error().valid_up_to() })?;
    Ok(Some(text))
}

/// Attributes of Android's namespace with their resource ids. Android looks attributes up by id, and wants them in this
/// order.
const ATTRIBUTES: [(&str, u32); 8] = [
    ("label", 0x0101_0001),
    ("name", 0x0101_0003),
    ("hasCode", 0x0101_000c),
    ("exported", 0x0101_0010),
    ("minSdkVersion", 0x0101_020c),
    ("versionCode", 0x0101_021b),
    ("versionName", 0x0101_021c),
    ("targetSdkVersion", 0x0101_0270),
];

/// The only attribute without Android's namespace.
const PACKAGE: &str = "package";

const ANDROID: &str = "http://schemas.android.com/apk/res/android";

/// No string, no comment.
const NOTHING: u32 = u32::MAX;

/// The number of the one resource there is: the first string of the app's own package.
const LABEL_RESOURCE: u32 = 0x7f01_0000;

/// Value of an attribute.
#[derive(Clone, Copy)]
enum Value<'a> {
    Text(&'a str),
    Resource(u32),
    Number(u32),
    Flag(bool),
}

fn binary_xml(manifest: &Manifest) -> Vec<u8> {
    use Value::{Flag, Number, Resource, Text};
    let label = ("label", Resource(LABEL_RESOURCE));
    let mut xml = Xml::new();
    xml.namespace(0x0100);
    let versions = [("versionCode", Number(manifest.version_code)), ("versionName", Text(&manifest.version))];
    xml.open("manifest", &[&versions[..], &[(PACKAGE, Text(&manifest.package))]].concat());
    xml.leaf("uses-sdk", &[("minSdkVersion", Number(SDK_MIN)), ("targetSdkVersion", Number(SDK_TARGET))]);
    xml.open("application", &[label, ("hasCode", Flag(false))]);
    for class in &manifest.launchable {
        xml.open("activity", &[label, ("name", Text(class)), ("exported", Flag(true))]);
        xml.open("intent-filter", &[]);
        xml.leaf("action", &[("name", Text("android.intent.action.MAIN"))]);
        xml.leaf("category", &[("name", Text("android.intent.category.LAUNCHER"))]);
        xml.close("intent-filter");
        xml.close("activity");
    }
    for class in &manifest.activities {
        xml.leaf("activity", &[("name", Text(class)), ("exported", Flag(false))]);
    }
    xml.close("application");
    xml.close("manifest");
    xml.namespace(0x0101);
    xml.finish()
}

/// Writer of binary XML by Android's `ResourceTypes.h`: each string once, and elements that name strings by number.
struct Xml {
    strings: Vec<String>,
    numbers: BTreeMap<String, u32>,
    elements: Vec<u8>,
}

impl Xml {
    fn new() -> Xml {
        let mut xml = Xml { strings: Vec::new(), numbers: BTreeMap::new(), elements: Vec::new() };
        // The list of ids belongs to the first strings, so the attributes come before all others.
        for (name, _) in ATTRIBUTES {
            xml.string(name);
        }
        xml
    }

    fn string(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = length(self.strings.len());
        self.strings.push(text.to_string());
        self.numbers.insert(text.to_string(), number);
        number
    }

    /// Opens (0x0100) or closes (0x0101) the namespace of Android's attributes.
    fn namespace(&mut self, kind: u16) {
        let words = [self.string("android"), self.string(ANDROID)];
        self.element(kind, &words.map(u32::to_le_bytes).concat());
    }

    fn open(&mut self, name: &str, attributes: &[(&str, Value<'_>)]) {
        let mut bytes = [NOTHING, self.string(name)].map(u32::to_le_bytes).concat();
        // Start of the attributes, length of each, their number; none is an id, class or style.
        let count = u16::try_from(attributes.len()).expect("a handful of attributes");
        bytes.extend([20, 20, count, 0, 0, 0].map(u16::to_le_bytes).concat());
        for &(name, value) in attributes {
            let namespace = if name == PACKAGE { NOTHING } else { self.string(ANDROID) };
            let name = self.string(name);
            let (kind, raw, data) = match value {
                Value::Text(text) => {
                    let number = self.string(text);
                    (0x03, number, number)
                }
                Value::Resource(number) => (0x01, NOTHING, number),
                Value::Number(number) => (0x10, NOTHING, number),
                Value::Flag(is_set) => (0x12, NOTHING, if is_set { u32::MAX } else { 0 }),
            };
            bytes.extend([namespace, name, raw].map(u32::to_le_bytes).concat());
            bytes.extend([8, 0, 0, kind]);
            bytes.extend(data.to_le_bytes());
        }
        self.element(0x0102, &bytes);
    }

    fn close(&mut self, name: &str) {
        let words = [NOTHING, self.string(name)];
        self.element(0x0103, &words.map(u32::to_le_bytes).concat());
    }

    fn leaf(&mut self, name: &str, attributes: &[(&str, Value<'_>)]) {
        self.open(name, attributes);
        self.close(name);
    }

    fn element(&mut self, kind: u16, content: &[u8]) {
        // Line 1, without a comment.
        let place = [1, NOTHING].map(u32::to_le_bytes).concat();
        self.elements.extend(chunk(kind, &place, content));
    }

    fn finish(self) -> Vec<u8> {
        let ids = ATTRIBUTES.map(|(_, id)| id.to_le_bytes()).concat();
        let content = [string_pool(&self.strings), chunk(0x0180, &[], &ids), self.elements].concat();
        chunk(0x0003, &[], &content)
    }
}

/// Returns the table of resources: `aapt` prints a label only for the languages of a table.
fn resources(manifest: &Manifest) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let types = string_pool(&["string".to_string()]);
    let keys = string_pool(&["app_name".to_string()]);
    // Of type 1: one entry, which is the same in whatever configuration.
    let spec = chunk(0x0202, &words(&[1, 1]), &words(&[0]));
    // For any language and display: a configuration of 64 bytes, all but its length 0.
    let configuration = [&words(&[64])[..], &[0; 60]].concat();
    let header = [&words(&[1, 1, 8 + 12 + 64 + 4])[..], &configuration].concat();
    // The first entry lies at 0. It has 8 bytes, no flags, the first key; its value 8, and is the first text.
    let strings = chunk(0x0201, &header, &words(&[0, 8, 0, 8 | 0x03 << 24, 0]));
    // The name has its place for 127 letters and a zero.
    let mut name: Vec<u8> =
        manifest.package.encode_utf16().take(127).flat_map(|unit| unit.to_le_bytes()).collect();
    name.resize(256, 0);
    const PACKAGE_HEADER: u32 = 8 + 4 + 256 + 5 * 4;
    let pools = words(&[PACKAGE_HEADER, 1, PACKAGE_HEADER + length(types.len()), 1, 0]);
    let header = [words(&[0x7f]), name, pools].concat();
    let package = chunk(0x0200, &header, &[types, keys, spec, strings].concat());
    let texts = string_pool(std::slice::from_ref(&manifest.label));
    chunk(0x0002, &words(&[1]), &[texts, package].concat())
}

fn string_pool(strings: &[String]) -> Vec<u8> {
    let mut offsets = Vec::new();
    let mut texts = Vec::new();
    for string in strings {
        offsets.extend(length(texts.len()).to_le_bytes());
        let units: Vec<u16> = string.encode_utf16().collect();
        let count = length(units.len());
        if let Ok(count) = u16::try_from(count)
            && count < 0x8000
        {
            texts.extend(count.to_le_bytes());
        } else {
            // Two words, the first with its highest bit set.
            let (high, low) = (0x8000 | (count >> 16) as u16, (count & 0xffff) as u16);
            texts.extend([high, low].map(u16::to_le_bytes).concat());
        }
        texts.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        texts.extend([0, 0]);
    }
    texts.resize(texts.len().next_multiple_of(4), 0);
    // 28 bytes of header lie before the offsets; there are no styles, and no flags say UTF-16.
    let start = 28 + length(offsets.len());
    let header = [length(strings.len()), 0, 0, start, 0].map(u32::to_le_bytes).concat();
    chunk(0x0001, &header, &[offsets, texts].concat())
}

/// Returns a chunk: kind, sizes, the rest of its header, and its content.
fn chunk(kind: u16, header: &[u8], content: &[u8]) -> Vec<u8> {
    let header_size = 8 + header.len();
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend(u16::try_from(header_size).expect("a short header").to_le_bytes());
    bytes.extend(length(header_size + content.len()).to_le_bytes());
    bytes.extend_from_slice(header);
    bytes.extend_from_slice(content);
    bytes
}

/// A manifest of at most 1 MB of names has less than 4 GB.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("a manifest of bounded length")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            package: "org.example.notes".to_string(),
            version: "1.2".to_string(),
            version_code: 7,
            label: "Nötes \u{1f4dd}".to_string(),
            launchable: vec!["org.example.notes.MainActivity".to_string()],
            activities: vec!["org.example.notes.AboutActivity".to_string()],
        }
    }

    fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in entries {
            zip.start_file(*path, SimpleFileOptions::default()).expect("an entry");
            zip.write_all(bytes).expect("its bytes");
        }
        zip.finish().expect("a zip file").into_inner()
    }

    fn unpack(bytes: &[u8]) -> Result<Option<String>, ApkError> {
        unpack_model(Cursor::new(bytes))
    }

    #[track_caller]
    fn check_refused(bytes: &[u8], message: &str) {
        assert_eq!(unpack(bytes).expect_err("refused").to_string(), message);
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        for text in ["", "app a.b \"Ä\" 1\n", &"x".repeat(BYTES_MAX)] {
            let apk = pack(&manifest(), text).expect("an APK");
            assert_eq!(unpack(&apk).expect("read").as_deref(), Some(text));
        }
    }

    #[test]
    fn the_same_model_gives_the_same_bytes() {
        let apk = pack(&manifest(), "app").expect("an APK");
        assert_eq!(apk, pack(&manifest(), "app").expect("an APK"));
    }

    #[test]
    fn labels_of_any_length_are_written() {
        for length in [0, 0x7fff, 0x8000, 200_000] {
            let manifest = Manifest { label: "ü".repeat(length), ..manifest() };
            let apk = pack(&manifest, "").expect("an APK");
            assert_eq!(unpack(&apk).expect("read").as_deref(), Some(""), "{length}");
        }
    }

    #[test]
    fn what_is_too_long_is_not_packed() {
        let text = "x".repeat(BYTES_MAX + 1);
        assert!(matches!(pack(&manifest(), &text), Err(ApkError::ModelTooLong)));
        let manifest = Manifest { label: text, ..manifest() };
        assert!(matches!(pack(&manifest, ""), Err(ApkError::ManifestTooLong)));
    }

    #[test]
    fn an_apk_without_a_model_has_none() {
        assert_eq!(unpack(&zip_of(&[(MANIFEST_PATH, b"")])).expect("an APK"), None);
    }

    #[test]
    fn what_is_no_apk_is_refused() {
        check_refused(b"", "this is no APK: it is no zip file");
        check_refused(b"P", "this is no APK: it is no zip file");
        check_refused(b"app a.b \"A\" 1", "this is no APK: it is no zip file");
        check_refused(
            &zip_of(&[(MODEL_PATH, b"app")]),
            "this is no APK: it is a zip file without AndroidManifest.xml",
        );
    }

    #[test]
    fn a_model_that_grows_without_end_is_not_unpacked_to_it() {
        let bomb = zip_of(&[(MANIFEST_PATH, b""), (MODEL_PATH, &vec![b' '; 50_000_000])]);
        assert!(bomb.len() < 100_000);
        check_refused(&bomb, "the model has more than 1000000 bytes");
        // The sizes that its headers claim are not believed.
        let mut modest = bomb.clone();
        let claimed = 50_000_000_u32.to_le_bytes();
        for at in 0..modest.len() - 4 {
            if modest[at..at + 4] == claimed {
                modest[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
            }
        }
        assert_ne!(modest, bomb);
        assert!(unpack(&modest).is_err());
    }

    #[test]
    fn a_model_that_is_no_text_is_refused() {
        let apk = zip_of(&[(MANIFEST_PATH, b""), (MODEL_PATH, b"app \xff")]);
        check_refused(&apk, "assets/farlead/model.app is not UTF-8: the byte after 4 others is wrong");
    }

    #[test]
    fn an_apk_that_was_cut_off_is_refused() {
        let apk = pack(&manifest(), "app a.b \"A\" 1").expect("an APK");
        for length in 0..apk.len() {
            assert!(unpack(&apk[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_changed_byte_is_noticed_or_does_no_harm() {
        let text = "app a.b \"A\" 1";
        let apk = pack(&manifest(), text).expect("an APK");
        for at in 0..apk.len() {
            for bit in 0..8 {
                let mut changed = apk.clone();
                changed[at] ^= 1 << bit;
                if let Ok(Some(unpacked)) = unpack(&changed) {
                    assert_eq!(unpacked, text, "bit {bit} of byte {at}");
                }
            }
        }
    }

    #[test]
    fn ends_that_all_lead_to_a_long_directory_are_given_up() {
        let file = zip_of(&[("a", b"")]);
        let directory_at = file.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("a directory");
        let (entry, end) = file[directory_at..].split_at(file.len() - directory_at - 22);
        // As many entries as can be said, from the start of the file.
        let mut end = end.to_vec();
        end[8..12].fill(0xff);
        end[16..20].fill(0);
        let bytes = [entry.repeat(60_000), end.repeat(100_000)].concat();
        check_refused(&bytes, "this APK is broken: its directory leads in circles");
    }
}
