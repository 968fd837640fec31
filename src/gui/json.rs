//! Screens as JSON: short and readable, with the usual values left out.
//!
//! `docs/formats.md` shows the form. Reading gives a screen or a message: lists are bounded, an unknown key is a
//! mistake, and nothing is mended silently.

use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::screen::{
    Bounds, Context, Flags, Orientation, PageReport, Screen, WIDGETS_MAX, Widget, is_default,
};

/// Flags and their names, in the order in which they are written.
const FLAGS: [(Flags, &str); 15] = [
    (Flags::CLICKABLE, "clickable"),
    (Flags::LONG_CLICKABLE, "longclickable"),
    (Flags::CHECKABLE, "checkable"),
    (Flags::CHECKED, "checked"),
    (Flags::ENABLED, "enabled"),
    (Flags::FOCUSED, "focused"),
    (Flags::SELECTED, "selected"),
    (Flags::PASSWORD, "password"),
    (Flags::SCROLLABLE, "scrollable"),
    (Flags::EDITABLE, "editable"),
    (Flags::TYPED, "typed"),
    (Flags::DOUBLE_CLICKABLE, "doubleclickable"),
    (Flags::HOVERABLE, "hoverable"),
    (Flags::SLIDES, "slides"),
    (Flags::SIDEWAYS, "sideways"),
];

/// `on` or `off`, as in atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Switch {
    #[default]
    On,
    Off,
}

impl Switch {
    fn new(is_on: bool) -> Switch {
        if is_on { Switch::On } else { Switch::Off }
    }
}

/// A screen as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form<W> {
    package: Arc<str>,
    activity: Arc<str>,
    #[serde(default, skip_serializing_if = "is_default")]
    screen: Switch,
    #[serde(default, skip_serializing_if = "is_default")]
    orientation: Orientation,
    #[serde(default, skip_serializing_if = "is_default")]
    network: Switch,
    #[serde(default, skip_serializing_if = "is_default")]
    crashed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crash: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "is_default")]
    anr: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    keyboard: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    console: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    widgets: W,
    /// Lines, each with the number of a field and a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    samples: Option<Arc<str>>,
}

impl Serialize for Screen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Context { screen_on, orientation, network, crashed, anr, keyboard } = self.context();
        Form {
            package: self.package().clone(),
            activity: self.activity().clone(),
            screen: Switch::new(screen_on),
            orientation,
            network: Switch::new(network),
            crashed,
            crash: self.crash().cloned(),
            anr,
            keyboard,
            console: self.console().cloned(),
            status: self.status(),
            widgets: self.widgets(),
            samples: written(self.all_samples()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Screen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Screen, D::Error> {
        let form: Form<Widgets> = Form::deserialize(deserializer)?;
        let context = Context {
            screen_on: form.screen == Switch::On,
            orientation: form.orientation,
            network: form.network == Switch::On,
            crashed: form.crashed,
            anr: form.anr,
            keyboard: form.keyboard,
        };
        let report = PageReport::of(form.console, form.status);
        let screen = Screen::new(form.package, form.activity, context, form.widgets.0);
        Ok(screen.with_crash(form.crash).with_report(report).with_samples(read(form.samples.as_deref())))
    }
}

/// Returns samples as they are written; none if there are none.
#[inline(never)]
fn written(samples: &[(u32, Arc<str>)]) -> Option<Arc<str>> {
    let lines: Vec<String> = samples.iter().map(|(at, sample)| format!("{at} {sample}")).collect();
    (!lines.is_empty()).then(|| lines.join("\n").into())
}

/// Returns the samples that are written so; a line of another form is none.
#[inline(never)]
fn read(samples: Option<&str>) -> Vec<(u32, Arc<str>)> {
    let sample = |line: &str| {
        let (at, sample) = line.split_once(' ')?;
        Some((at.parse().ok()?, sample.into()))
    };
    samples.unwrap_or_default().lines().filter_map(sample).collect()
}

/// Widgets of a screen, at depths and in a number that [`Screen::new`] would leave as they are.
struct Widgets(Vec<Widget>);

impl<'de> Deserialize<'de> for Widgets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Widgets, D::Error> {
        deserializer.deserialize_seq(WidgetsVisitor)
    }
}

struct WidgetsVisitor;

impl<'de> Visitor<'de> for WidgetsVisitor {
    type Value = Widgets;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of widgets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Widgets, A::Error> {
        let mut widgets: Vec<Widget> = Vec::new();
        while let Some(widget) = list.next_element::<Widget>()? {
            let depth_max = widgets.last().map_or(0, |last| last.depth.saturating_add(1));
            // `Screen::new` would correct the depth, and the screen would not be the one that was written.
            if widget.depth > depth_max {
                return Err(de::Error::custom(format_args!(
                    "widget {} has the depth {}, and behind the one before it {depth_max} is the most",
                    widgets.len(),
                    widget.depth
                )));
            }
            // Refused before it is kept, so that a hostile list takes no memory.
            if widgets.len() == WIDGETS_MAX {
                return Err(de::Error::custom(format_args!("a screen has at most {WIDGETS_MAX} widgets")));
            }
            widgets.push(widget);
        }
        Ok(Widgets(widgets))
    }
}

impl Serialize for Bounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.left, self.top, self.right, self.bottom].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bounds, D::Error> {
        let [left, top, right, bottom] = Deserialize::deserialize(deserializer)?;
        Ok(Bounds { left, top, right, bottom })
    }
}

impl Serialize for Flags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(FLAGS.iter().filter(|(flag, _)| self.has(*flag)).map(|(_, name)| name))
    }
}

impl<'de> Deserialize<'de> for Flags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flags, D::Error> {
        deserializer.deserialize_seq(FlagsVisitor)
    }
}

struct FlagsVisitor;

impl<'de> Visitor<'de> for FlagsVisitor {
    type Value = Flags;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of flags")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Flags, A::Error> {
        let mut flags = Flags::default();
        while let Some(name) = list.next_element::<Arc<str>>()? {
            let Some((flag, _)) = FLAGS.iter().find(|(_, known)| **known == *name) else {
                let known = FLAGS.map(|(_, known)| known).join("`, `");
                return Err(de::Error::custom(format_args!("there is no flag `{name}`; there is `{known}`")));
            };
            flags = flags.set(*flag, true);
        }
        Ok(flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(screen: &Screen, expected: &str) {
        let text = serde_json::to_string(screen).expect("a screen is JSON");
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Screen>(&text).expect("what was written is read"), *screen);
    }

    #[track_caller]
    fn refused(text: &str, part: &str) {
        let error = serde_json::from_str::<Screen>(text).expect_err("this is no screen").to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn a_screen_is_written_without_what_is_as_usual() {
        check(
            &Screen::new("p", "p.A", Context::default(), vec![]),
            r#"{"package":"p","activity":"p.A","widgets":[]}"#,
        );
        let button = Widget {
            depth: 1,
            class: "Button".into(),
            text: "\"ok\"\n".into(),
            bounds: Bounds::new(-1, 0, 9, 8),
            flags: Flags::CLICKABLE.set(Flags::ENABLED, true),
            ..Widget::default()
        };
        let context = Context {
            screen_on: false,
            orientation: Orientation::Landscape,
            network: false,
            crashed: true,
            anr: true,
            keyboard: true,
        };
        check(
            &Screen::new("p", "p.A", context, vec![Widget::default(), button]),
            concat!(
                r#"{"package":"p","activity":"p.A","screen":"off","orientation":"landscape","network":"off","#,
                r#""crashed":true,"anr":true,"keyboard":true,"widgets":[{},{"depth":1,"class":"Button","text":"\"ok\"\n","#,
                r#""bounds":[-1,0,9,8],"flags":["clickable","enabled"]}]}"#
            ),
        );
    }

    #[test]
    fn samples_are_those_of_fields() {
        let field = Widget { flags: Flags::EDITABLE, ..Widget::default() };
        let plain = Screen::new("p", "p.A", Context::default(), vec![Widget::default(), field]);
        let screen = plain.clone().with_samples(vec![(1, "AB-1".into()), (0, "a".into()), (7, "b".into())]);
        check(
            &screen,
            r#"{"package":"p","activity":"p.A","widgets":[{},{"flags":["editable"]}],"samples":"1 AB-1"}"#,
        );
        assert_ne!(screen.identity(), plain.identity(), "it offers something else");
        assert!(screen.samples(0).next().is_none() && screen.samples(1).eq([&Arc::from("AB-1")]));
    }

    #[test]
    fn every_flag_is_read_by_its_name() {
        for (flag, name) in FLAGS {
            assert_eq!(serde_json::to_string(&flag).expect("JSON"), format!("[{name:?}]"));
            let all: Flags = serde_json::from_str(&format!("[{name:?},{name:?}]")).expect("flags");
            assert_eq!(all, flag);
        }
    }

    #[test]
    fn what_is_no_screen_is_said() {
        let of = |widgets: &str| format!(r#"{{"package":"p","activity":"a","widgets":{widgets}}}"#);
        refused("{}", "missing field `package`");
        refused(r#"{"package":"p","activity":"a"}"#, "missing field `widgets`");
        refused(&of("[]").replace("package\"", "pakage\""), "unknown field `pakage`");
        refused(&of(r#"[{"txt":""}]"#), "unknown field `txt`");
        refused(
            &of(r#"[{"depth":1}]"#),
            "widget 0 has the depth 1, and behind the one before it 0 is the most",
        );
        refused(&of(r#"[{"depth":-1}]"#), "invalid value");
        refused(&of(r#"[{"bounds":[0,0,1]}]"#), "invalid length 3");
        refused(&of(r#"[{"bounds":[0,0,1,99999999999]}]"#), "invalid value");
        refused(&of(r#"[{"flags":["chekced"]}]"#), "there is no flag `chekced`");
        refused(&of(r#"{}"#), "a list of widgets");
        refused(&of(&"[".repeat(100_000)), "expected u16");
        refused(&of(&format!("[{}{{}}]", "{},".repeat(WIDGETS_MAX))), "at most 100000 widgets");
    }
}
