//! Answers of Appium's UiAutomator2 driver: the facts about a phone, and its log.
//!
//! The driver streams the log of the phone, and hands out the lines that have arrived; the line about a crash may still be on
//! its way when the screen after it has been read. But the driver's server on the phone writes each of its requests into the
//! same log, in the order of time. So a request is a mark: what was written before it has arrived once the mark has.

use serde_json::Value;

use crate::device::android::display;
use crate::device::android::log::entries;
use crate::device::said;

/// Tags of the lines that are kept: those of crashes, hangs and toasts.
const KEPT: [&str; 5] = ["AndroidRuntime", "DEBUG", "libc", "ActivityManager", "Toast"];

/// Tag of the driver's server on the phone.
const SERVER: &str = "appium";

/// Path of the request that is the mark.
pub(super) const MARK: &str = "/rotation";

/// Facts that a session reports about its phone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneFacts {
    /// The makers' name for it, like `Pixel 7`.
    pub model: String,
    /// Version of Android, like `13`.
    pub release: String,
    /// Its API level, like 33; 0 if it is not said.
    pub sdk: u32,
    /// Its serial number or address, as the server's adb has it.
    pub serial: String,
    /// Width and height of the display, as it was held when the session began.
    pub size: (u32, u32),
    /// Activity that starts the app, as the driver names it; may be empty.
    pub activity: String,
    /// True if waiting takes no time there, as on a simulated phone.
    pub has_virtual_time: bool,
}

impl PhoneFacts {
    /// Reads the capabilities of a session; what they do not say stays empty.
    pub fn read(has: &Value) -> PhoneFacts {
        let word = |name: &str| {
            let value = [name.to_string(), format!("appium:{name}")].iter().find_map(|name| has.get(name));
            let text = value.and_then(Value::as_str).unwrap_or_default();
            said(text)
        };
        let number = |name: &str| has[name].as_u64().and_then(|number| u32::try_from(number).ok());
        PhoneFacts {
            model: word("deviceModel"),
            release: word("platformVersion"),
            sdk: number("deviceApiLevel").unwrap_or(0),
            serial: word("deviceUDID"),
            size: display::pair(&word("deviceScreenSize")).unwrap_or_default(),
            activity: word("appActivity"),
            has_virtual_time: word("deviceManufacturer") == SIMULATED,
        }
    }
}

/// Maker of simulated phones.
const SIMULATED: &str = "farlead";

/// Lines of the phone's log that have arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneLog {
    /// The lines that are kept.
    pub lines: String,
    /// Number of marks that have arrived.
    pub marks: u64,
    /// Time of the last mark on the phone's clock.
    pub marked_ms: Option<u64>,
}

impl PhoneLog {
    /// Adds the lines of an answer.
    pub fn read(&mut self, answer: &Value) {
        for line in answer.as_array().into_iter().flatten() {
            let message = line["message"].as_str().unwrap_or_default();
            for entry in entries(message) {
                if entry.tag == Some(SERVER) {
                    if entry.message.starts_with("channel read: GET ") && entry.message.ends_with(MARK) {
                        self.marks += 1;
                        self.marked_ms = clock_ms(entry.time).or(self.marked_ms);
                    }
                } else if entry.tag.is_some_and(|tag| KEPT.contains(&tag)) {
                    // The entry is the whole line: the format has the head before each line of a message.
                    self.lines.push_str(message);
                    self.lines.push('\n');
                    break;
                }
            }
        }
    }
}

/// Returns the milliseconds of a time in the log, `01-31 12:34:56.789`, counted from the start of its year.
fn clock_ms(time: &str) -> Option<u64> {
    // Days before each month; a leap day shortens a run over it by as much.
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let (date, clock) = time.split_once(' ')?;
    let mut date = date.rsplit('-').map(str::parse::<u64>);
    let (day, month) = (date.next()?.ok()?, date.next()?.ok()?);
    let days = BEFORE.get(usize::try_from(month).ok()?.checked_sub(1)?)? + day.checked_sub(1)?.min(30);
    let (clock, part) = clock.split_once('.')?;
    let mut seconds = 0;
    for word in clock.split(':') {
        seconds = seconds * 60 + word.parse::<u64>().ok()?.min(59);
    }
    let millis: u64 = part.get(..3)?.parse().ok()?;
    Some((days * 86_400 + seconds.min(86_400)) * 1_000 + millis)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_session_says_of_its_phone_is_read() {
        let has = json!({
            "deviceModel": "Pixel 7", "platformVersion": "13", "deviceApiLevel": 33, "deviceUDID": "192.168.1.5:5555",
            "deviceScreenSize": "1080x2400", "appium:appActivity": "org.notes/.Main", "deviceManufacturer": "Google",
        });
        let expected = PhoneFacts {
            model: "Pixel 7".to_string(),
            release: "13".to_string(),
            sdk: 33,
            serial: "192.168.1.5:5555".to_string(),
            size: (1080, 2400),
            activity: "org.notes/.Main".to_string(),
            has_virtual_time: false,
        };
        assert_eq!(PhoneFacts::read(&has), expected);
        for odd in [json!(null), json!([]), json!({ "deviceApiLevel": -1, "deviceScreenSize": "x" })] {
            assert_eq!(PhoneFacts::read(&odd), PhoneFacts::default());
        }
    }

    #[test]
    fn a_request_of_the_server_on_the_phone_marks_the_log() {
        let line = |message: &str| json!({ "timestamp": 1, "level": "ALL", "message": message });
        let crash = "01-31 23:59:59.999  4000  4000 E AndroidRuntime: FATAL EXCEPTION: main";
        let mut log = PhoneLog::default();
        log.read(&json!([
            line("--------- beginning of crash"),
            line("01-31 23:59:59.998  4000  4000 I Notes   : channel read: GET /session/1/rotation"),
            line(crash),
            line("01-31 23:59:59.999  4037  4040 I appium  : channel read: GET /session/1/source"),
        ]));
        assert_eq!((log.lines.as_str(), log.marks), (&*format!("{crash}\n"), 0));
        log.read(&json!([line(
            "02-01 00:00:00.001  4037  4040 I appium  : channel read: GET /session/1/rotation"
        )]));
        assert_eq!((log.marks, log.marked_ms), (1, Some(31 * 86_400_000 + 1)));
        for odd in [json!(null), json!([[]]), json!([{ "message": 1 }, { "message": "" }])] {
            let before = log.clone();
            log.read(&odd);
            assert_eq!(log, before);
        }
    }
}
