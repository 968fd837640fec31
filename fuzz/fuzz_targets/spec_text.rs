//! Any bytes as a spec file: read, judged and said; what is sound is printed and read back.

#![no_main]

use farlead::spec;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (source, parsed) = spec::parse_bytes("fuzz.ltl", bytes);
    for diagnostic in &parsed.diagnostics {
        assert!(!diagnostic.render(&source, false).is_empty());
    }
    if parsed.file.specs.is_empty() || parsed.file.specs.iter().any(|spec| spec.atom_count() > 50) {
        return;
    }
    for found in &parsed.file.specs {
        spec::judge(found);
    }
    let printed = parsed.file.to_string();
    let (_, again) = spec::parse_bytes("fuzz.ltl", printed.as_bytes());
    assert_eq!(parsed.file.specs, again.file.specs, "{printed}");
});
