//! The phone's calendar, in UTC.

/// The second at which the phone was switched on: the first of 2024, so that the same run gives the same answers.
pub(super) const EPOCH_S: u64 = 1_704_067_200;

/// A second of the calendar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    seconds: u64,
    year: u64,
    month: u64,
    day: u64,
}

impl Moment {
    /// Returns the moment `seconds` after the start of 1970.
    pub fn of(seconds: u64) -> Moment {
        // Days count from the first of March of the year 0, so that the leap day is the last of its year. From there
        // to 1970 there are 719,468 days, and 400 years have 146,097.
        let days = seconds / 86_400 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        Moment { seconds, year, month, day: of_year - (153 * shifted + 2) / 5 + 1 }
    }

    fn clock(self) -> (u64, u64, u64) {
        let second = self.seconds % 86_400;
        (second / 3_600, second / 60 % 60, second % 60)
    }

    /// Returns date and minute, as `ls -l` prints them.
    pub fn date_and_minute(self) -> String {
        let (hour, minute, _) = self.clock();
        format!("{:04}-{:02}-{:02} {hour:02}:{minute:02}", self.year, self.month, self.day)
    }

    /// Returns the moment by a format of `date`; `ms` is the fraction of its second.
    pub fn formatted(self, format: &str, ms: u64) -> String {
        // The first day of 1970 was a Thursday.
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (hour, minute, second) = self.clock();
        let mut made = String::new();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                made.push(letter);
                continue;
            }
            made.push_str(&match letters.next() {
                Some('s') => self.seconds.to_string(),
                Some('N') => format!("{:09}", ms * 1_000_000),
                Some('Y') => format!("{:04}", self.year),
                Some('m') => format!("{:02}", self.month),
                Some('d') => format!("{:02}", self.day),
                Some('e') => format!("{:2}", self.day),
                Some('H') => format!("{hour:02}"),
                Some('M') => format!("{minute:02}"),
                Some('S') => format!("{second:02}"),
                Some('F') => format!("{:04}-{:02}-{:02}", self.year, self.month, self.day),
                Some('T') => format!("{hour:02}:{minute:02}:{second:02}"),
                Some('Z') => "UTC".to_string(),
                Some('z') => "+0000".to_string(),
                Some('a') => DAYS[(self.seconds / 86_400 % 7) as usize].to_string(),
                Some('b') => MONTHS[(self.month - 1) as usize].to_string(),
                Some(other) => format!("%{other}"),
                None => "%".to_string(),
            });
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_its_date() {
        let shown = |seconds: u64| Moment::of(seconds).formatted("%a %F %T", 0);
        assert_eq!(shown(0), "Thu 1970-01-01 00:00:00");
        assert_eq!(shown(951_782_399), "Mon 2000-02-28 23:59:59");
        assert_eq!(shown(951_782_400), "Tue 2000-02-29 00:00:00");
        assert_eq!(shown(EPOCH_S), "Mon 2024-01-01 00:00:00");
    }
}
