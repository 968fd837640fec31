//! Makes the program smaller: the studio's page, scripts, and the parts of exported tests are packed. Where the tools of this
//! machine can, relative relocations are packed, 2.5 % of the file, and functions of the same code are one, 2 %.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Texts that are packed; `farlead::deflated` unpacks them.
const TEXTS: [&str; 11] = [
    "src/bin/farlead/studio/page/studio.js",
    "src/bin/farlead/studio/page/studio.css",
    "src/bin/farlead/studio/page/studio.html",
    "src/device/webdriver/hook.js",
    "src/device/webdriver/look.js",
    "src/export/library.kt",
    "src/export/library.py",
    "src/export/library.sh",
    "src/export/library.ts",
    "src/export/reader.awk",
    "src/report/html/map.js",
];

/// First version of glibc that unpacks relocations.
const GLIBC_MIN: (u32, u32) = (2, 36);
/// First version of Rust whose own linker, which finds functions of the same code, is the usual one on this kind of machine.
const RUST_MIN: (u32, u32) = (1, 90);
/// That kind of machine.
const OF_LINKER: &str = "x86_64-unknown-linux-gnu";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for text in TEXTS {
        println!("cargo:rerun-if-changed={text}");
        pack(Path::new(text));
    }
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let is_glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // A program for another machine may meet an older C library there.
    let is_for_here = std::env::var("HOST").ok() == std::env::var("TARGET").ok();
    if is_glibc && is_for_here && glibc().is_some_and(|version| version >= GLIBC_MIN) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    if is_for_here && is("TARGET", OF_LINKER) && is("PROFILE", "release") && has_own_linker() {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// Packs a text into a file of its name.
fn pack(text: &Path) {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(text).expect("the text is there")).expect("a buffer takes all bytes");
    let packed = packed.finish().expect("a buffer takes all bytes");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where"));
    let name = text.file_name().and_then(OsStr::to_str).expect("a text has a name");
    fs::write(out.join(format!("{name}.deflated")), packed).expect("the folder takes files");
}

/// Returns the version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let text = output(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    version(text.trim().strip_prefix("glibc ")?)
}

/// Returns true if Rust's own linker is there, and nobody has chosen another one.
fn has_own_linker() -> bool {
    let Ok(rustc) = std::env::var("RUSTC") else { return false };
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let is_chosen =
        std::env::var("RUSTC_LINKER").is_ok() || flags.contains("linker") || flags.contains("fuse-ld");
    let release = output(Command::new(&rustc).arg("-vV"));
    let release =
        release.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("release: ")));
    let is_new = release.and_then(version).is_some_and(|version| version >= RUST_MIN);
    let has_linker = |sysroot: &str| {
        let tools = Path::new(sysroot.trim()).join("lib/rustlib").join(OF_LINKER).join("bin");
        tools.join("gcc-ld/ld.lld").exists()
    };
    !is_chosen
        && is_new
        && output(Command::new(&rustc).args(["--print", "sysroot"])).is_some_and(|of| has_linker(&of))
}

fn output(command: &mut Command) -> Option<String> {
    String::from_utf8(command.output().ok()?.stdout).ok()
}

/// Returns the first two numbers of a version.
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, rest) = text.split_once('.')?;
    let minor = rest.split(|char: char| !char.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
