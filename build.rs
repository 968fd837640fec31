//! Packs the relative relocations of the program, 2.5 % of the file, where the C library of this machine can unpack them.

use std::process::Command;

/// First version of glibc that unpacks them.
const GLIBC_MIN: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let is_glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // A program for another machine may meet an older C library there.
    let is_for_here = std::env::var("HOST").ok() == std::env::var("TARGET").ok();
    if is_glibc && is_for_here && glibc().is_some_and(|version| version >= GLIBC_MIN) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns the version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
