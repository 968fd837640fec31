//! Versions of Android, as far as the answers of commands depend on them.

/// A version of Android.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AndroidVersion {
    V7,
    V8,
    V9,
    V10,
    V11,
    #[default]
    V13,
    V16,
}

impl AndroidVersion {
    /// All known versions, the oldest first.
    pub const ALL: [AndroidVersion; 7] = [
        AndroidVersion::V7,
        AndroidVersion::V8,
        AndroidVersion::V9,
        AndroidVersion::V10,
        AndroidVersion::V11,
        AndroidVersion::V13,
        AndroidVersion::V16,
    ];

    /// Returns the version with the name `name`, like `13`.
    pub fn parse(name: &str) -> Option<AndroidVersion> {
        AndroidVersion::ALL.into_iter().find(|version| version.release() == name)
    }

    /// Returns its name.
    pub fn release(self) -> &'static str {
        match self {
            AndroidVersion::V7 => "7",
            AndroidVersion::V8 => "8",
            AndroidVersion::V9 => "9",
            AndroidVersion::V10 => "10",
            AndroidVersion::V11 => "11",
            AndroidVersion::V13 => "13",
            AndroidVersion::V16 => "16",
        }
    }

    /// Returns `ro.build.version.release`, which has a dot in the oldest versions.
    pub fn release_property(self) -> &'static str {
        match self {
            AndroidVersion::V7 => "7.0",
            AndroidVersion::V8 => "8.0.0",
            AndroidVersion::V9
            | AndroidVersion::V10
            | AndroidVersion::V11
            | AndroidVersion::V13
            | AndroidVersion::V16 => self.release(),
        }
    }

    /// Returns its API level.
    pub fn sdk(self) -> u32 {
        match self {
            AndroidVersion::V7 => 24,
            AndroidVersion::V8 => 26,
            AndroidVersion::V9 => 28,
            AndroidVersion::V10 => 29,
            AndroidVersion::V11 => 30,
            AndroidVersion::V13 => 33,
            AndroidVersion::V16 => 36,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_known_by_its_name() {
        for version in AndroidVersion::ALL {
            assert_eq!(AndroidVersion::parse(version.release()), Some(version));
        }
        assert_eq!(AndroidVersion::parse("6"), None);
    }
}
