//! Crashes: the trace of one, as Android prints it.

use std::sync::Arc;

/// Returns a trace in Android's form: the message first, and then the calls, each behind a tab. A model that names no calls
/// gets one, of the place `site` in it.
pub(super) fn traced(trace: &str, site: &str) -> Arc<str> {
    let form = |line: &str| {
        let bare = line.trim_start();
        if bare.starts_with("at ") { format!("\t{bare}") } else { line.to_string() }
    };
    let mut lines: Vec<String> = trace.lines().map(form).collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        lines = vec!["java.lang.RuntimeException".to_string()];
    }
    if !lines.iter().any(|line| line.starts_with("\tat ")) {
        lines.push(format!("\tat {site}"));
    }
    lines.join("\n").into()
}
