//! APKs and Android's own tools: `aapt` reads what farlead packs, and farlead reads what others packed.

use std::fs::{self, File};
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::Command;

use farlead::device::android::archive::ArchiveError;
use farlead::device::sim::apk::{ApkError, Manifest, pack, unpack_model};

use crate::{ci, fixtures, shared};

/// Returns what `aapt dump badging` prints for the file; without `aapt` reports that on stderr and returns
/// `None`.
pub fn badging(apk: &Path) -> Option<String> {
    let ended = match Command::new("aapt").args(["dump", "badging"]).arg(apk).output() {
        Ok(ended) => ended,
        Err(error) => {
            ci::skip(&format!("aapt cannot be run: {error}; it is in the Debian package `aapt`"));
            return None;
        }
    };
    let said = String::from_utf8(ended.stdout).expect("text");
    assert!(ended.status.success(), "{said}\n{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{}", apk.display());
    Some(said)
}

fn written(name: &str, manifest: &Manifest) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("apk");
    fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join(name);
    fs::write(&path, pack(manifest, "app").expect("an APK")).expect("a file for a test");
    path
}

#[test]
fn aapt_reads_what_was_packed() {
    let apk = written(
        "notes.apk",
        &Manifest {
            package: "org.example.notes".to_string(),
            version: "1.0.1-beta".to_string(),
            version_code: 42,
            label: "Nötes & 'more' \u{1f4dd}".to_string(),
            launchable: vec!["org.example.notes.SplashActivity".to_string()],
            activities: vec!["org.example.notes.MainActivity".to_string()],
        },
    );
    let Some(said) = badging(&apk) else { return };
    let expected = "\
package: name='org.example.notes' versionCode='42' versionName='1.0.1-beta'
sdkVersion:'17'
targetSdkVersion:'34'
application-label:'Nötes & 'more' \u{1f4dd}'
application: label='Nötes & 'more' \u{1f4dd}' icon=''
launchable-activity: name='org.example.notes.SplashActivity'  label='Nötes & 'more' \u{1f4dd}' icon=''
feature-group: label=''
  uses-feature: name='android.hardware.faketouch'
  uses-implied-feature: name='android.hardware.faketouch' reason='default feature for all apps'
main
other-activities
";
    assert_eq!(said.split("supports-screens").next(), Some(expected), "{said}");
}

#[test]
fn aapt_reads_apps_of_many_activities_and_of_none_to_launch() {
    let names = |what: &str| (0..300).map(|at| format!("a.b.{what}{at}")).collect::<Vec<_>>();
    let manifest = Manifest {
        package: "a.b".to_string(),
        version: String::new(),
        version_code: 1,
        label: "long ".repeat(10_000),
        launchable: names("Launched"),
        activities: names("Other"),
    };
    let Some(said) = badging(&written("many.apk", &manifest)) else { return };
    assert_eq!(said.matches("launchable-activity: name='a.b.Launched").count(), 300);
    assert!(said.contains(&format!("application-label:'{}'", manifest.label)));
    let none = Manifest { launchable: Vec::new(), ..manifest };
    let said = badging(&written("none.apk", &none)).expect("said before");
    assert!(!said.contains("launchable-activity"), "{said}");
    assert!(said.starts_with("package: name='a.b' versionCode='1' versionName=''\n"), "{said}");
}

#[test]
fn an_apk_of_our_own_that_was_not_packed_carries_no_model() {
    let apk = fixtures::apk(&fixtures::BinaryManifest::default());
    assert!(matches!(unpack_model(Cursor::new(&apk)), Ok(None)));
    let answer = unpack_model(Cursor::new(b"no archive"));
    assert!(matches!(answer, Err(ApkError::Archive(_))), "{answer:?}");
}

#[test]
fn apks_of_others_carry_no_model() {
    let Some(folder) = shared::path("android/apk") else { return };
    let mut read = 0;
    for entry in fs::read_dir(folder).expect("a folder that can be listed") {
        let path = entry.expect("a folder that can be listed").path();
        if path.extension().is_none_or(|extension| extension != "apk") {
            continue;
        }
        let answer = unpack_model(BufReader::new(File::open(&path).expect("a readable file")));
        if path.ends_with("adam-sample-fake.apk") {
            assert!(
                matches!(answer, Err(ApkError::Archive(ArchiveError::NotApk { .. }))),
                "{}: {answer:?}",
                path.display()
            );
        } else {
            assert!(matches!(answer, Ok(None)), "{}: {answer:?}", path.display());
        }
        read += 1;
    }
    assert!(read > 10, "{read} APKs");
    eprintln!("{read} APKs read");
}
