//! One page for people: the results, and for each spec the screens of its run, its formula at work, and what was never seen.
//!
//! The page needs no other file: it sends no request, and everything but the filter works without its script. Each screen
//! is defined once and used wherever it occurs.

mod app_map;
mod automaton;
mod curve;
mod explored;
mod graph;
mod map;
mod model_diff;
mod phone;
mod spec;
mod state_map;
mod timeline;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::run::Run;
use super::words::{self, escape, grouped, len, line};
pub use app_map::{map_html, map_of_screens_svg, map_svg};
pub use automaton::automaton_svg;
pub use model_diff::model_diff_html;
pub use phone::{Canvas, Displays, picture_svg, screen_svg};
use spec::Section;

/// Size of a page that a browser still loads well; the page names what is left out.
const BYTES_MAX: usize = 10_000_000;

/// Part of [`BYTES_MAX`] for the head and the table of specs.
const BYTES_HEAD: usize = 2_000_000;

/// Colours, light and dark, of all pages.
pub const COLOURS: &str = include_str!("colours.css");

pub(super) const STYLE: &str =
    concat!(include_str!("colours.css"), include_str!("style.css"), include_str!("drawn.css"));
const SCRIPT: &str = include_str!("script.js");

/// Policy that allows the style and script of the page alone, and no request.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
    base-uri 'none'; form-action 'none'";

/// Returns the opening of a page up to its body. The `title` is escaped; `class` is that of the root, if it has one.
pub(super) fn opening(title: &str, policy: &str, class: &str, styles: &[&str]) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!(
        "<!doctype html>\n<html lang=\"en\"{class}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        styles.concat()
    )
}

/// Returns `run` as a page of HTML.
pub fn html(run: &Run) -> String {
    let map = app_map::section(run);
    let body = Body::new(run, map.as_ref());
    let (map_style, map_script) = if map.is_some() { app_map::parts() } else { ("", String::new()) };
    let title = escape(&format!("farlead: {}", words::headline(run)));
    let mut page = opening(&title, POLICY, "", &[STYLE, map_style]);
    page += &body.symbols();
    page += "<main>\n";
    page += &head(run);
    if let Some(coverage) = run.coverage() {
        page += &explored::section(coverage);
    }
    if let Some(map) = &map {
        page += &map.html;
    }
    page += &overview(run, &body);
    body.sections.iter().for_each(|section| page += section);
    if body.left_out > 0 {
        let specs = words::counted(body.left_out, "spec");
        let _ = writeln!(page, "<p class=\"quiet\">{specs} more: the page would be too large.</p>");
    }
    page += "</main>\n<script>\n";
    page += SCRIPT;
    page += &map_script;
    page += "</script>\n</body>\n</html>\n";
    page
}

/// The sections of the specs that fit the page.
struct Body {
    sections: Vec<String>,
    /// Numbers of the specs that have a section.
    shown: BTreeSet<usize>,
    /// The drawn screens that sections use.
    symbols: BTreeMap<usize, String>,
    left_out: u64,
}

impl Body {
    fn new(run: &Run, map: Option<&app_map::Section>) -> Body {
        let displays = Displays::of(
            run.screens().iter().map(|screen| &**screen),
            run.pictures().values().map(|picture| &**picture),
        );
        let mut body =
            Body { sections: Vec::new(), shown: BTreeSet::new(), symbols: BTreeMap::new(), left_out: 0 };
        // The head needs to know the sections, so its room is set aside before it is written.
        let mut bytes = BYTES_HEAD + STYLE.len() + SCRIPT.len();
        if let Some(map) = map {
            let (style, script) = app_map::parts();
            bytes += style.len() + script.len() + map.html.len();
            bytes += map.symbols.values().map(String::len).sum::<usize>();
            body.symbols.clone_from(&map.symbols);
        }
        let numbers = words::by_need(run);
        for (at, &number) in numbers.iter().enumerate() {
            let spec = &run.specs()[number];
            // Near the limit a section may still fit with drawings in place of pictures, or without any.
            let is_added =
                [(true, true), (true, false), (false, false)].into_iter().any(|(is_drawn, has_pictures)| {
                    let section = Section { number, spec, screens: run.screens(), displays, is_drawn };
                    body.add(run, &section, has_pictures, &mut bytes)
                });
            if !is_added {
                // Sections leave no gap: all later ones are left out, even those that would fit.
                body.left_out = len(&numbers[at..]);
                break;
            }
            body.shown.insert(number);
        }
        body
    }

    /// Adds a section if there is room for it and for its screens.
    fn add(&mut self, run: &Run, section: &Section<'_>, has_pictures: bool, bytes: &mut usize) -> bool {
        let mut drawn = BTreeSet::new();
        let html = section.html(&mut drawn);
        let symbols: Vec<(usize, String)> = drawn
            .into_iter()
            // A screen of an earlier section is on the page already and takes no more room.
            .filter(|number| !self.symbols.contains_key(number))
            .map(|number| {
                let screen = &run.screens()[number];
                let picture = run.pictures().get(&number).filter(|_| has_pictures).map(|picture| &**picture);
                (number, phone::symbol(number, screen, picture, section.displays.canvas(screen)))
            })
            .collect();
        let more = html.len() + symbols.iter().map(|(_, symbol)| symbol.len()).sum::<usize>();
        if *bytes + more > BYTES_MAX {
            return false;
        }
        *bytes += more;
        self.sections.push(html);
        self.symbols.extend(symbols);
        true
    }

    /// Returns the definitions of screens and arrowheads.
    fn symbols(&self) -> String {
        // Of no size, but without `display: none`, in which some browsers find no symbols.
        let mut svg =
            String::from("<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>");
        svg += &markers();
        svg += "</defs>\n";
        self.symbols.values().for_each(|symbol| svg += symbol);
        svg + "</svg>\n"
    }
}

/// Returns the heads of arrows.
fn markers() -> String {
    let mut svg = String::new();
    for (id, class) in [("head", "head"), ("taken-head", "taken-head"), ("finger", "finger-head")] {
        let _ = write!(
            svg,
            "<marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path class=\"{class}\" d=\"M0 0L10 5L0 10Z\"/></marker>"
        );
    }
    svg
}

/// Returns the head of the page: the results, and the facts of the run.
fn head(run: &Run) -> String {
    let passed = run.specs().iter().filter(|spec| spec::class(spec) == "passed").count();
    let is_well = passed == run.specs().len() && words::trouble(run).is_none();
    let mut html = format!(
        "<header class=\"top\" id=\"top\"><p class=\"brand\">farlead {}</p>",
        run.began().map_or(String::new(), |began| escape(&line(&began.command, 40)))
    );
    let has_title = !run.specs().is_empty() || run.coverage().is_none();
    html += &match has_title {
        true => format!(
            "<h1><span class=\"{}\">{} of {}</span> {} passed</h1>",
            if is_well { "plus" } else { "minus" },
            grouped(passed as u64),
            grouped(len(run.specs())),
            if run.specs().len() == 1 { "spec" } else { "specs" },
        ),
        false => "<h1>no crash was found</h1>".to_string(),
    };
    if let Some(trouble) = words::trouble(run) {
        let _ = write!(html, "<p class=\"trouble\">{}</p>", escape(&trouble));
    }
    if let Some(began) = run.began() {
        html += "<dl class=\"facts\">";
        let facts = [
            ("app", format!("{} {}", began.package, began.version)),
            ("device", began.device.clone()),
            ("seed", began.seed.to_string()),
            ("farlead", began.farlead.clone()),
        ];
        for (name, value) in facts {
            let _ =
                write!(html, "<div><dt>{name}</dt><dd><bdi>{}</bdi></dd></div>", escape(&line(&value, 300)));
        }
        html += "</dl>";
    }
    html += "<ul class=\"counts\">";
    for (outcome, count) in words::counts(run) {
        let spec = run.specs().iter().find(|spec| words::outcome(spec) == outcome).expect("one was counted");
        let _ = write!(
            html,
            "<li><span class=\"badge {}\">{} {outcome}</span></li>",
            spec::class(spec),
            grouped(count)
        );
    }
    html += "</ul>";
    if let Some(changes) = words::changes(run) {
        let _ = write!(html, "<p class=\"changes\">{}</p>", escape(&changes));
    }
    html + "</header>\n"
}

/// Returns the table of specs with its filter.
fn overview(run: &Run, body: &Body) -> String {
    if run.specs().is_empty() && run.coverage().is_some() {
        return String::new();
    }
    if run.specs().is_empty() {
        return "<p class=\"quiet\">There are no specs.</p>\n".to_string();
    }
    let mut html = String::from(
        "<section id=\"specs\" class=\"overview\"><h2 class=\"hidden\">Specs</h2><div id=\"filter\" class=\"filter\" hidden>\
         <input id=\"filter-text\" type=\"search\" placeholder=\"Find a spec\" aria-label=\"find a spec by its text\"><div id=\"filter-outcomes\" \
         role=\"group\" aria-label=\"outcomes shown\">",
    );
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for (outcome, _) in words::counts(run) {
        let spec = run.specs().iter().find(|spec| words::outcome(spec) == outcome).expect("one was counted");
        // Several outcomes are of one kind, and have one box.
        if !kinds.iter().any(|(kind, _)| *kind == words::kind(spec)) {
            kinds.push((words::kind(spec), outcome));
        }
    }
    for (kind, outcome) in kinds {
        let _ = write!(html, "<label><input type=\"checkbox\" value=\"{kind}\" checked> {outcome}</label>");
    }
    html += "</div><output id=\"filter-count\"></output></div><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"specs\">\
             <table><thead><tr><th>Spec</th><th>Outcome</th><th class=\"number\">Length</th>\
             <th class=\"number\">Episodes</th><th class=\"number\">Steps</th><th class=\"wide\">Time</th></tr></thead><tbody>";
    for (at, number) in words::by_need(run).into_iter().enumerate() {
        // The other half is for the head and the filter.
        if html.len() > BYTES_HEAD / 2 {
            let rest = run.specs().len() - at;
            let _ = write!(html, "<tr><td colspan=\"6\">and {rest} more</td></tr>");
            break;
        }
        html += &row(run, number, body.shown.contains(&number));
    }
    html + "</tbody></table></div></section>\n"
}

fn row(run: &Run, number: usize, has_section: bool) -> String {
    let spec = &run.specs()[number];
    let expectation = escape(&line(words::form(&spec.began), 20));
    let name = escape(&line(&spec.began.name, 120));
    // A link to a section that was left out would lead nowhere.
    let name = if has_section {
        format!("<a href=\"#spec-{number}\">{expectation} <bdi>{name}</bdi></a>")
    } else {
        format!("{expectation} <bdi>{name}</bdi>")
    };
    let ended = spec.ended.as_ref();
    let said = |count: Option<u64>| count.map_or("–".to_string(), grouped);
    format!(
        "<tr data-spec=\"{number}\" data-outcome=\"{}\"><td>{name}<small><bdi>{}</bdi>:{}</small></td><td>{}</td>\
         <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"wide\">{}</td></tr>",
        words::kind(spec),
        escape(&line(&spec.began.file, 200)),
        spec.began.line,
        spec::badge(spec),
        said(ended.map(|ended| len(&ended.run)).filter(|&length| length > 0)),
        said(ended.map(|ended| ended.episodes.into()).filter(|&episodes| episodes > 0)),
        said(ended.map(|ended| ended.steps).filter(|&steps| steps > 0)),
        ended.map_or(String::new(), |ended| words::duration(ended.device_ms))
    )
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::{began, end, run, spec};
    use super::*;
    use crate::event::{Event, Outcome};

    #[test]
    fn a_page_stays_small_enough_to_be_loaded_and_says_what_it_leaves_out() {
        let mut events = vec![began()];
        for number in 0..3_000 {
            let mut spec = spec(number, "a.ltl", "long");
            if let Event::SpecBegan(began) = &mut spec {
                began.formula = "<".repeat(8_000);
            }
            events.extend([spec, end(number, Outcome::NotFound, "why")]);
        }
        let page = html(&run(events));
        assert!(page.len() <= BYTES_MAX, "{}", page.len());
        assert!(page.contains(" more: the page would be too large."), "nothing is left out");
    }

    #[test]
    fn thirty_steps_with_the_largest_pictures_fit_the_page_and_a_drawing_takes_the_place_of_none() {
        use crate::event::{ActionDone, SpecEnded, StepTaken};
        use crate::gui::{Bounds, Context, Picture, Screen, Widget};
        let screen = |number: usize| {
            let bounds = Bounds::new(0, 0, 1080, 2400);
            let widget = Widget { text: format!("text {number}").into(), bounds, ..Widget::default() };
            std::sync::Arc::new(Screen::new("p", "p.A", Context::default(), vec![widget]))
        };
        let picture = std::sync::Arc::new(Picture::noise(1080, 2400));
        let step = |screen: usize| StepTaken {
            action: ActionDone {
                action_type: "click".into(),
                detail: "".into(),
                object_id: None,
                bounds: None,
                shown: "click".into(),
            },
            screen,
            at_ms: 0,
            notices: Vec::new(),
            labels: Vec::new(),
            residual: "true".into(),
            reward: 0.0,
            why: None,
            learned: None,
        };
        let mut events = vec![began(), spec(0, "a.ltl", "seen")];
        for number in 0..31 {
            events.push(Event::ScreenMet { screen: number, seen: screen(number) });
            // The last screen has none.
            if number < 30 {
                events.push(Event::ScreenPictured { screen: number, picture: picture.clone() });
            }
        }
        let ended = SpecEnded { run: (0..31).map(step).collect(), ..SpecEnded::new(Outcome::Failed, "", 1) };
        events.push(Event::SpecEnded(Box::new(ended)));
        let page = html(&run(events));
        assert!(page.len() <= BYTES_MAX, "{}", page.len());
        assert_eq!(page.matches("data:image/png;base64,").count(), 30);
        assert!(page.contains("text 30") && !page.contains("text 29"), "pictures and drawings are mixed up");
    }

    #[test]
    fn a_run_of_which_nothing_is_known_is_a_page_too() {
        assert!(html(&Run::new()).contains("There are no specs."));
        let cut_short = html(&run([began(), spec(0, "a.ltl", "open")]));
        assert!(cut_short.contains("the run was cut short"), "{cut_short}");
    }
}
