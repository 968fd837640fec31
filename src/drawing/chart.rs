//! Charts: curves with bands, box plots, bars and heat maps, as SVG.
//!
//! Colours and fonts are classes, which the page's style gives: `s0` to `s7` for the series, `grid`, `axis`, `band`. Curves
//! differ by their dashes too, so that they are told apart without colours. No number of a chart depends on the machine.

use std::fmt::Write as _;

use super::svg::{cut, escaped, grouped, short, text_width};

/// Series that have a look of their own; a further one has that of an earlier one.
pub const LOOKS: usize = 8;

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;
/// Height of a row of boxes or bars, and the room for its name.
const ROW: f64 = 24.0;
const NAME: f64 = 130.0;
/// Sides of a cell of a heat map.
const CELL: (f64, f64) = (76.0, 22.0);
const SIZE: f64 = 11.0;
/// Half of the height of a box or bar.
const HALF: f64 = 7.0;

/// Point of a curve, with its band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Place on the lower axis.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Lower end of the band.
    pub low: f64,
    /// Upper end of the band.
    pub high: f64,
}

/// Five numbers of a sample, and how many of it have no number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Five {
    /// Least, first quartile, median, third quartile, and greatest of those that have a number.
    pub numbers: [f64; 5],
    /// Share of the sample that has none: failed runs.
    pub missing: f64,
}

/// Scale of an axis from 0, or from 1 if it is logarithmic.
#[derive(Clone, Copy, Debug)]
struct Scale {
    most: f64,
    is_log: bool,
}

impl Scale {
    fn linear(most: f64) -> Scale {
        Scale { most: nice(most), is_log: false }
    }

    /// Returns a scale that ends with a power of ten.
    fn log(most: f64) -> Scale {
        let mut end = 10.0;
        while end < most && end < 1e18 {
            end *= 10.0;
        }
        Scale { most: end, is_log: true }
    }

    /// Returns the place of `value` between 0 and 1.
    fn place(self, value: f64) -> f64 {
        let share = if self.is_log { digits(value.max(1.0)) / digits(self.most) } else { value / self.most };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Returns the values that have a line.
    fn ticks(self) -> Vec<f64> {
        if !self.is_log {
            return [0.0, 0.5, 1.0].map(|share| self.most * share).to_vec();
        }
        let mut ticks = vec![1.0];
        while ticks[ticks.len() - 1] < self.most {
            ticks.push(ticks[ticks.len() - 1] * 10.0);
        }
        ticks
    }
}

/// Returns the logarithm of `value` to the base of ten; `libm` gives the same last bit on every machine.
fn digits(value: f64) -> f64 {
    libm::log10(value)
}

/// Returns the next even number, or the next one of few digits, so that its half is easily read too.
fn nice(most: f64) -> f64 {
    // More than any count comes to; numbers beyond are drawn at the end.
    let most = most.min(1e18);
    let mut step = 1.0;
    while step * 20.0 < most {
        step *= 10.0;
    }
    (2.0 * step) * (most / (2.0 * step)).ceil().max(1.0)
}

/// Returns a number as an axis shows it.
pub fn shown(value: f64) -> String {
    let text = if value >= 1e15 {
        format!("{value:.0e}")
    } else if value.fract() == 0.0 {
        grouped(value as u64)
    } else if value < 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    };
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_string)
}

fn open(width: f64, height: f64, about: &str) -> String {
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
        short(width),
        short(height),
        escaped(about)
    )
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, said: &str) {
    let (x, y, said) = (short(x), short(y), escaped(said));
    let _ = write!(svg, "<text class=\"axis\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{said}</text>");
}

/// Returns curves over a common axis, each with its band; the upper end is `top`, if it is told. `about` is what a screen
/// reader says.
pub fn curves(
    about: &str,
    (x_name, y_name): (&str, &str),
    top: Option<f64>,
    series: &[(String, Vec<Mark>)],
) -> String {
    let marks = || series.iter().flat_map(|(_, marks)| marks);
    let highest = || Scale::linear(marks().map(|mark| mark.high).fold(0.0, f64::max));
    let across = Scale::linear(marks().map(|mark| mark.x).fold(0.0, f64::max));
    let up = top.map_or_else(highest, |most| Scale { most, is_log: false });
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * across.place(value);
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - up.place(value));
    let mut svg = open(WIDTH, HEIGHT, about);
    for tick in up.ticks() {
        let (left, right, level) = (short(LEFT), short(WIDTH - RIGHT), short(y(tick)));
        let _ = write!(svg, "<path class=\"grid\" d=\"M{left} {level}H{right}\"/>");
        text(&mut svg, (LEFT - 6.0, y(tick) + 4.0), "end", &shown(tick));
    }
    for (tick, anchor) in across.ticks().into_iter().zip(["start", "middle", "end"]) {
        text(&mut svg, (x(tick), HEIGHT - BOTTOM + 15.0), anchor, &shown(tick));
    }
    text(&mut svg, (WIDTH - RIGHT, HEIGHT - 4.0), "end", x_name);
    text(&mut svg, (LEFT, HEIGHT - 4.0), "start", y_name);
    for (at, (name, marks)) in series.iter().enumerate() {
        let Some((first, last)) = marks.first().zip(marks.last()) else { continue };
        let look = at % LOOKS;
        let mut band = String::new();
        for (at, mark) in marks.iter().enumerate() {
            let _ = write!(
                band,
                "{}{} {}",
                if at == 0 { 'M' } else { 'L' },
                short(x(mark.x)),
                short(y(mark.high))
            );
        }
        for mark in marks.iter().rev() {
            let _ = write!(band, "L{} {}", short(x(mark.x)), short(y(mark.low)));
        }
        let mut line = format!("M{} {}", short(x(first.x)), short(y(first.y)));
        for mark in &marks[1..] {
            let _ = write!(line, "L{} {}", short(x(mark.x)), short(y(mark.y)));
        }
        let _ = write!(
            svg,
            "<g class=\"s{look}\"><title>{}: {} at the end</title><path class=\"band\" d=\"{band}Z\"/><path class=\"line\" d=\"{line}\"/></g>",
            escaped(name),
            shown(last.y)
        );
    }
    svg + "</svg>"
}

/// Returns a box for each sample, from the least to the greatest number, and the share without one at the right end.
pub fn boxes(about: &str, unit: &str, rows: &[(String, Five)]) -> String {
    let scale = Scale::log(rows.iter().map(|(_, five)| five.numbers[4]).fold(1.0, f64::max));
    let end = WIDTH - 52.0;
    let x = |value: f64| NAME + (end - NAME) * scale.place(value);
    let height = ROW * rows.len() as f64 + 30.0;
    let mut svg = open(WIDTH, height, about);
    ticks(&mut svg, scale, &x, height, unit);
    for (at, (name, five)) in rows.iter().enumerate() {
        let middle = ROW * at as f64 + ROW / 2.0;
        row_name(&mut svg, name, middle);
        let [least, low, median, high, most] = five.numbers.map(|number| short(x(number)));
        let (top, bottom) = (short(middle - HALF), short(middle + HALF));
        if five.missing < 1.0 {
            let _ = write!(
                svg,
                "<g class=\"s{0}\"><path class=\"line\" d=\"M{least} {1}H{low}M{high} {1}H{most}M{median} {top}V{bottom}\"/>\
                 <path class=\"box\" d=\"M{low} {top}H{high}V{bottom}H{low}Z\"/></g>",
                at % LOOKS,
                short(middle)
            );
        }
        if five.missing > 0.0 {
            let said = format!("{:.0}% failed", 100.0 * five.missing);
            let (x, y) = (short(WIDTH), short(middle + 4.0));
            let _ =
                write!(svg, "<text class=\"axis bad\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{said}</text>");
        }
    }
    svg + "</svg>"
}

/// Returns a bar for each value on a logarithmic axis, and a tick where the greatest of its sample lies, if it is told.
pub fn bars(about: &str, unit: &str, rows: &[(String, f64, Option<f64>)]) -> String {
    let most = rows.iter().map(|(_, value, greatest)| greatest.unwrap_or(*value)).fold(1.0, f64::max);
    let scale = Scale::log(most);
    let end = WIDTH - 52.0;
    let x = |value: f64| NAME + (end - NAME) * scale.place(value);
    let height = ROW * rows.len() as f64 + 30.0;
    let mut svg = open(WIDTH, height, about);
    ticks(&mut svg, scale, &x, height, unit);
    for (at, (name, value, greatest)) in rows.iter().enumerate() {
        let middle = ROW * at as f64 + ROW / 2.0;
        row_name(&mut svg, name, middle);
        let (top, bottom) = (short(middle - HALF), short(middle + HALF));
        let _ = write!(svg, "<g class=\"s{}\">", at % LOOKS);
        if *value > 0.0 {
            // A bar of 1 has no length on this axis, and must still be seen.
            let end = x(*value).max(NAME + 2.0);
            let _ = write!(
                svg,
                "<path class=\"bar\" d=\"M{0} {top}H{1}V{bottom}H{0}Z\"/>",
                short(NAME),
                short(end)
            );
        }
        if let Some(greatest) = greatest {
            let _ = write!(svg, "<path class=\"line\" d=\"M{0} {top}V{bottom}\"/>", short(x(*greatest)));
        }
        svg += "</g>";
        text(&mut svg, (WIDTH, middle + 4.0), "end", &shown(*value));
    }
    svg + "</svg>"
}

fn ticks(svg: &mut String, scale: Scale, x: &dyn Fn(f64) -> f64, height: f64, unit: &str) {
    let ticks = scale.ticks();
    // Of many powers of ten some have no number, so that the numbers do not touch.
    let stride = ticks.len().div_ceil(5);
    for (at, &tick) in ticks.iter().enumerate() {
        let (across, bottom) = (short(x(tick)), short(height - 26.0));
        let _ = write!(svg, "<path class=\"grid\" d=\"M{across} 0V{bottom}\"/>");
        if at % stride == 0 {
            text(svg, (x(tick), height - 14.0), "middle", &shown(tick));
        }
    }
    text(svg, (NAME, height - 2.0), "start", unit);
}

fn row_name(svg: &mut String, name: &str, middle: f64) {
    let room = NAME - 8.0;
    let anchor = if text_width(name, SIZE) <= room { "end" } else { "start" };
    let x = if anchor == "end" { room } else { 0.0 };
    let _ = write!(
        svg,
        "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}<title>{}</title></text>",
        short(x),
        short(middle + 4.0),
        escaped(&cut(name, room, SIZE)),
        escaped(name)
    );
}

/// Returns one curve of points from number 1 of a `unit` to number `end`. A value that only falls, or only grows, is drawn in
/// steps.
pub fn curve(about: &str, points: &[(f64, f64)], unit: &str, end: f64, is_stepped: bool) -> String {
    const WIDTH: f64 = 360.0;
    const HEIGHT: f64 = 150.0;
    const LEFT: f64 = 40.0;
    const RIGHT: f64 = 12.0;
    const TOP: f64 = 12.0;
    const BOTTOM: f64 = 26.0;
    let top = nice(points.iter().map(|&(_, value)| value).fold(0.0, f64::max));
    let x =
        |number: f64| LEFT + (WIDTH - LEFT - RIGHT) * ((number - 1.0) / (end - 1.0).max(1.0)).clamp(0.0, 1.0);
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (value / top).clamp(0.0, 1.0));
    let mut svg = open(WIDTH, HEIGHT, about);
    for share in [0.0, 0.5, 1.0] {
        let (left, right, level) = (short(LEFT), short(WIDTH - RIGHT), short(y(top * share)));
        let _ = write!(svg, "<path class=\"grid\" d=\"M{left} {level}H{right}\"/>");
        text(&mut svg, (LEFT - 5.0, y(top * share) + 4.0), "end", &shown(top * share));
    }
    let mut path = String::new();
    for (at, &(number, value)) in points.iter().enumerate() {
        let (across, down) = (short(x(number)), short(y(value)));
        let _ = match (at, is_stepped) {
            (0, _) => write!(path, "M{across} {down}"),
            (_, true) => write!(path, "H{across}V{down}"),
            (_, false) => write!(path, "L{across} {down}"),
        };
    }
    let _ = write!(svg, "<path class=\"curve\" d=\"{path}\"/>");
    if let Some(&(number, value)) = points.last() {
        let (across, down) = (short(x(number)), short(y(value)));
        let _ = write!(svg, "<circle class=\"curve-end\" cx=\"{across}\" cy=\"{down}\" r=\"3.5\"/>");
    }
    text(&mut svg, (LEFT, HEIGHT - 8.0), "start", &format!("{unit} 1"));
    text(&mut svg, (WIDTH - RIGHT, HEIGHT - 8.0), "end", &shown(end));
    svg + "</svg>"
}

/// Cell of a heat map.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Value from 0 to 1; 0.5 has no colour.
    pub value: f64,
    /// Text in the cell.
    pub text: String,
}

/// Returns a table of cells whose colours follow their values: above 0.5 good, below bad.
pub fn heat(about: &str, columns: &[String], rows: &[(String, Vec<Option<Cell>>)]) -> String {
    let name = 210.0;
    let (wide, high) = CELL;
    // A narrow map keeps the size of its letters.
    let width = (name + wide * columns.len() as f64).max(640.0);
    let height = high * rows.len() as f64 + 20.0;
    let mut svg = open(width, height, about);
    for (at, column) in columns.iter().enumerate() {
        let x = name + wide * (at as f64 + 0.5);
        let _ = write!(
            svg,
            "<text class=\"axis\" x=\"{}\" y=\"12\" text-anchor=\"middle\">{}<title>{}</title></text>",
            short(x),
            escaped(&cut(column, wide - 4.0, SIZE)),
            escaped(column)
        );
    }
    for (at, (row, cells)) in rows.iter().enumerate() {
        let y = 20.0 + high * at as f64;
        let _ = write!(
            svg,
            "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}<title>{}</title></text>",
            short(name - 8.0),
            short(y + high / 2.0 + 4.0),
            escaped(&cut(row, name - 10.0, SIZE)),
            escaped(row)
        );
        for (column, cell) in cells.iter().enumerate() {
            let Some(Cell { value, text: said }) = cell else { continue };
            let x = name + wide * column as f64;
            // Few shades suffice, and all of them leave the text readable.
            let shade = (10.0 * (value - 0.5).abs()).round() / 10.0;
            let class = if *value >= 0.5 { "plus" } else { "minus" };
            let _ = write!(
                svg,
                "<rect class=\"heat {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{}\"/>",
                short(x + 1.0),
                short(y + 1.0),
                short(wide - 2.0),
                short(high - 2.0),
                short(shade.min(0.5))
            );
            let (across, down) = (short(x + wide / 2.0), short(y + high / 2.0 + 4.0));
            let _ = write!(
                svg,
                "<text class=\"cell\" x=\"{across}\" y=\"{down}\" text-anchor=\"middle\">{}</text>",
                escaped(said)
            );
        }
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_of_an_axis_is_easily_halved() {
        assert_eq!(
            [0.0, 1.0, 3.0, 5.0, 17.0, 23.0, 100.0, 1234.0].map(nice),
            [2.0, 2.0, 4.0, 6.0, 18.0, 40.0, 100.0, 1400.0]
        );
    }

    #[test]
    fn numbers_are_read_at_a_glance() {
        assert_eq!(
            [0.0, 0.25, 1.5, 12.0, 1_234.0, 1_234_567.0].map(shown),
            ["0", "0.25", "1.5", "12", "1,234", "1,234,567"]
        );
    }

    #[test]
    fn charts_of_any_numbers_are_whole() {
        let odd = [0.0, 0.3, 1.0, 7.0, 1e9, 1e17, f64::MAX];
        let marks: Vec<Mark> = odd.iter().map(|&n| Mark { x: n, y: n, low: 0.0, high: n }).collect();
        let hostile = "<script>&\"".to_string();
        let all = [
            curves("a", ("x", "y"), None, &[(hostile.clone(), marks), ("none".into(), Vec::new())]),
            boxes(
                "a",
                "steps",
                &odd.map(|n| (hostile.clone(), Five { numbers: [1.0, 1.0, n, n, n], missing: 0.5 })),
            ),
            bars("a", "runs", &odd.map(|n| (hostile.clone(), n, Some(n)))),
            heat(
                "a",
                std::slice::from_ref(&hostile),
                &[(hostile.clone(), vec![Some(Cell { value: 0.7, text: "<".into() }), None])],
            ),
        ];
        for svg in all {
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<script"), "{svg}");
            assert!(roxmltree::Document::parse(&svg).is_ok(), "{svg}");
        }
    }

    #[test]
    fn values_lie_between_the_ends_of_their_scale() {
        let scale = Scale::log(250.0);
        assert_eq!((scale.most, scale.place(1.0), scale.place(1_000.0)), (1_000.0, 0.0, 1.0));
        assert!((scale.place(10.0) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(scale.ticks(), [1.0, 10.0, 100.0, 1_000.0]);
        let scale = Scale::linear(23.0);
        assert_eq!((scale.place(0.0), scale.place(20.0), scale.place(1e300)), (0.0, 0.5, 1.0));
    }
}
