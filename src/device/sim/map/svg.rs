//! The picture of a map: windows in columns by how far they are from the start, what leads on in rows
//! within them, and arrows from the rows.
//!
//! Texts stand in boxes that are made for them, and so never meet. An arrow that passes a column has a
//! lane in it; arrows to the same window share lanes, and its colour.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use super::{Arrow, Map};

/// Rounds of moving windows towards those they lead to; the best of them is drawn.
const ROUNDS: usize = 40;

/// Of more causes than these, the rest is counted.
const CAUSES_SHOWN_MAX: usize = 6;

const MARGIN: f64 = 24.0;
const TITLE: f64 = 34.0;
const HEADER: f64 = 42.0;
const LINE: f64 = 15.0;
const ROW_PAD: f64 = 5.0;
const TEXT_PAD: f64 = 12.0;
const WIDTH_MIN: f64 = 120.0;
const WIDTH_MAX: f64 = 330.0;
/// For the sign of what leads back, at the end of a row.
const SIGN: f64 = 18.0;
const ARROWHEAD: f64 = 8.0;

/// How wide the legend is.
const LEGEND: f64 = 760.0;

/// Dark enough to be seen as lines, and light enough at a tenth to be written on.
const COLOURS: [&str; 12] = [
    "#1f6fb4", "#c2571a", "#2e8b3d", "#b3282d", "#7a4fb0", "#8a5a44", "#c0428f", "#4d6b00", "#52616b",
    "#0a8494", "#a57c00", "#5a5fd6",
];

pub fn draw(map: &Map) -> String {
    let boxes: Vec<Drawn> = (0..map.windows.len()).map(|window| Drawn::new(map, window)).collect();
    let layers = layers(map);
    let mut layout = Layout::new(map, &boxes, &layers);
    layout.settle();
    let colours = layout.colours(boxes.len());
    Picture { map, boxes: &boxes, layout: &layout, colours }.write()
}

/// A window as it is drawn, measured from its upper left corner.
struct Drawn {
    width: f64,
    height: f64,
    rows: Vec<Row>,
}

/// What one arrow starts from.
struct Row {
    arrow: usize,
    lines: Vec<String>,
    top: f64,
    height: f64,
}

impl Row {
    fn middle(&self) -> f64 {
        self.top + self.height / 2.0
    }
}

impl Drawn {
    fn new(map: &Map, window: usize) -> Drawn {
        let mut top = HEADER;
        let mut rows = Vec::new();
        for (number, arrow) in map.arrows.iter().enumerate().filter(|(_, arrow)| arrow.from == window) {
            let lines = lines(arrow);
            let height = LINE * lines.len() as f64 + 2.0 * ROW_PAD;
            rows.push(Row { arrow: number, lines, top, height });
            top += height;
        }
        let of = &map.windows[window];
        let widest_row = rows.iter().flat_map(|row| {
            let sign = if map.arrows[row.arrow].is_end { SIGN } else { 0.0 };
            row.lines.iter().map(move |line| width(line, 12.0) + sign)
        });
        let widest =
            widest_row.chain([1.1 * width(&of.name, 14.0), width(&of.about, 11.0)]).fold(0.0, f64::max);
        // One more, as what is measured again may come out a little wider.
        let width = (widest + 2.0 * TEXT_PAD + 1.0).clamp(WIDTH_MIN, WIDTH_MAX);
        Drawn { width, height: top, rows }
    }
}

fn lines(arrow: &Arrow) -> Vec<String> {
    let more = arrow.by.len().saturating_sub(CAUSES_SHOWN_MAX);
    let shown = if more > 1 { CAUSES_SHOWN_MAX } else { arrow.by.len() };
    let mut lines = arrow.by[..shown].to_vec();
    if shown < arrow.by.len() {
        lines.push(format!("and {} more", arrow.by.len() - shown));
    }
    lines
}

/// The column of each window: how many arrows it is away from those that can be launched. What nothing
/// leads to starts at the left too.
fn layers(map: &Map) -> Vec<usize> {
    let mut layers = vec![None; map.windows.len()];
    let mut starts: Vec<usize> = (0..map.windows.len()).filter(|&at| map.windows[at].is_launchable).collect();
    let mut rest = 0..map.windows.len();
    while !starts.is_empty() {
        let mut layer = 0;
        while !starts.is_empty() {
            for &at in &starts {
                layers[at] = Some(layer);
            }
            let mut next = Vec::new();
            for arrow in map.arrows.iter().filter(|arrow| starts.contains(&arrow.from)) {
                if let Some(to) = arrow.to.filter(|&to| layers[to].is_none() && !next.contains(&to)) {
                    next.push(to);
                }
            }
            starts = next;
            layer += 1;
        }
        starts.extend(rest.find(|&at| layers[at].is_none()));
    }
    layers.into_iter().map(|layer| layer.expect("all have been reached")).collect()
}

/// What has a place in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Window(usize),
    /// A lane for the arrows to a window that come from the left, or from the right.
    Lane {
        to: usize,
        leftwards: bool,
        is_end: bool,
    },
}

/// Part of an arrow, between two columns that lie side by side, or within one.
#[derive(Clone, Copy, Debug)]
struct Segment {
    from: (usize, usize),
    /// Where it starts, below the top of what it starts from.
    from_y: f64,
    to: (usize, usize),
    to_y: f64,
}

struct Layout {
    /// The columns from the left, and what is in them from the top.
    columns: Vec<Vec<Placed>>,
    segments: Vec<Segment>,
    /// Of each arrow the segments it is made of, from its start.
    ways: BTreeMap<usize, Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    item: Item,
    y: f64,
    height: f64,
    /// How much room is left above and below.
    pad: f64,
    /// Its place when columns were made, by which segments know it.
    key: usize,
}

impl Layout {
    fn new(map: &Map, boxes: &[Drawn], layers: &[usize]) -> Layout {
        let count = layers.iter().max().map_or(0, |last| last + 1);
        let mut columns: Vec<Vec<Placed>> = vec![Vec::new(); count];
        let mut keys = BTreeMap::new();
        let mut place = |column: usize, item: Item, height: f64, pad: f64| {
            *keys.entry((column, item)).or_insert_with(|| {
                let key = columns[column].len();
                columns[column].push(Placed { item, y: 0.0, height, pad, key });
                (column, key)
            })
        };
        for (window, &layer) in layers.iter().enumerate() {
            place(layer, Item::Window(window), boxes[window].height, 14.0);
        }
        let mut segments: Vec<Segment> = Vec::new();
        let mut known = BTreeMap::new();
        let mut ways = BTreeMap::new();
        for row in boxes.iter().flat_map(|drawn| &drawn.rows) {
            let arrow = &map.arrows[row.arrow];
            let Some(to) = arrow.to else { continue };
            let (start, end) = (layers[arrow.from], layers[to]);
            let lane = Item::Lane { to, leftwards: end < start, is_end: arrow.is_end };
            let between: Vec<usize> =
                if end < start { (end + 1..start).rev().collect() } else { (start + 1..end).collect() };
            let mut at = (place(start, Item::Window(arrow.from), 0.0, 0.0), row.middle());
            let mut way = Vec::new();
            let stops = between.iter().map(|&column| (column, lane)).chain([(end, Item::Window(to))]);
            for (column, item) in stops {
                let y = if item == Item::Window(to) { HEADER / 2.0 } else { 0.0 };
                let next = (place(column, item, 0.0, 6.0), y);
                // Of a lane that is shared, all but the way there is drawn once.
                let key = (at.0, at.1.to_bits(), next.0, arrow.is_end);
                way.push(*known.entry(key).or_insert_with(|| {
                    segments.push(Segment { from: at.0, from_y: at.1, to: next.0, to_y: next.1 });
                    segments.len() - 1
                }));
                at = next;
            }
            ways.insert(row.arrow, way);
        }
        Layout { columns, segments, ways }
    }

    /// Finds an order in each column with few crossings, and places in it near to what they lead to.
    fn settle(&mut self) {
        for column in &mut self.columns {
            stack(column);
        }
        let mut best: Option<(usize, f64, Vec<Vec<Placed>>)> = None;
        for round in 0..ROUNDS {
            let count = self.columns.len();
            for step in 0..count {
                let column = if round % 2 == 0 { step } else { count - 1 - step };
                let wishes = self.wishes(column, if round < 4 { Some(round % 2 == 0) } else { None });
                let mut placed: Vec<(f64, f64, Placed)> = self.columns[column]
                    .iter()
                    .map(|placed| {
                        let (wish, weight) = wishes[placed.key];
                        (if weight > 0.0 { wish } else { placed.y }, weight.max(0.01), *placed)
                    })
                    .collect();
                // By the middle, as a high box and a lane that want the same top do not lie side by side.
                placed.sort_by(|one, other| {
                    (one.0 + one.2.height / 2.0).total_cmp(&(other.0 + other.2.height / 2.0))
                });
                self.columns[column] = spread(&placed);
            }
            let measured = (self.crossings(), self.length());
            if best.as_ref().is_none_or(|(crossings, length, _)| {
                measured.0 < *crossings || (measured.0 == *crossings && measured.1 < *length)
            }) {
                best = Some((measured.0, measured.1, self.columns.clone()));
            }
        }
        if let Some((_, _, columns)) = best {
            self.columns = columns;
        }
        // The order stays; places still come nearer to each other.
        for round in 0..ROUNDS {
            let count = self.columns.len();
            for step in 0..count {
                let column = if round % 2 == 0 { step } else { count - 1 - step };
                let wishes = self.wishes(column, None);
                let placed: Vec<(f64, f64, Placed)> = self.columns[column]
                    .iter()
                    .map(|placed| {
                        let (wish, weight) = wishes[placed.key];
                        (if weight > 0.0 { wish } else { placed.y }, weight.max(0.01), *placed)
                    })
                    .collect();
                self.columns[column] = spread(&placed);
            }
        }
        let top = self.placed().map(|placed| placed.y).fold(f64::INFINITY, f64::min);
        for placed in self.columns.iter_mut().flatten() {
            placed.y -= top;
        }
    }

    /// The colours of windows: near ones differ.
    fn colours(&self, windows: usize) -> Vec<&'static str> {
        let mut colours = vec![COLOURS[0]; windows];
        let in_order = self.placed().filter_map(|placed| match placed.item {
            Item::Window(window) => Some(window),
            Item::Lane { .. } => None,
        });
        for (window, colour) in in_order.zip(COLOURS.iter().cycle()) {
            colours[window] = colour;
        }
        colours
    }

    fn placed(&self) -> impl Iterator<Item = &Placed> {
        self.columns.iter().flatten()
    }

    /// Where each item of a column would have its top, were it alone, by the columns on one side or on
    /// both, and how many segments say so.
    fn wishes(&self, column: usize, left_only: Option<bool>) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0); self.columns[column].len()];
        let tops = self.tops();
        for segment in &self.segments {
            for ((at, at_y), (other, other_y)) in [
                ((segment.from, segment.from_y), (segment.to, segment.to_y)),
                ((segment.to, segment.to_y), (segment.from, segment.from_y)),
            ] {
                let counts = at.0 == column
                    && other.0 != column
                    && left_only.is_none_or(|left| left == (other.0 < column));
                if counts {
                    let sum = &mut sums[at.1];
                    sum.0 += tops[other.0][other.1] + other_y - at_y;
                    sum.1 += 1.0;
                }
            }
        }
        sums.into_iter().map(|(sum, count)| (if count > 0.0 { sum / count } else { 0.0 }, count)).collect()
    }

    /// The tops of items by their keys.
    fn tops(&self) -> Vec<Vec<f64>> {
        let of = |column: &Vec<Placed>| {
            let mut tops = vec![0.0; column.len()];
            for placed in column {
                tops[placed.key] = placed.y;
            }
            tops
        };
        self.columns.iter().map(of).collect()
    }

    fn crossings(&self) -> usize {
        let tops = self.tops();
        // Of each gap the segments in it, as heights on its left and right.
        let mut gaps: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        for segment in &self.segments {
            let from = tops[segment.from.0][segment.from.1] + segment.from_y;
            let to = tops[segment.to.0][segment.to.1] + segment.to_y;
            if segment.from.0 < segment.to.0 {
                gaps.entry(segment.from.0).or_default().push((from, to));
            } else if segment.to.0 < segment.from.0 {
                gaps.entry(segment.to.0).or_default().push((to, from));
            }
        }
        let crosses = |one: &(f64, f64), other: &(f64, f64)| (one.0 - other.0) * (one.1 - other.1) < 0.0;
        gaps.values()
            .map(|gap| {
                let pairs = gap.iter().enumerate();
                pairs
                    .map(|(at, one)| gap[..at].iter().filter(|other| crosses(one, other)).count())
                    .sum::<usize>()
            })
            .sum()
    }

    fn length(&self) -> f64 {
        let tops = self.tops();
        let height = |(column, key): (usize, usize), y: f64| tops[column][key] + y;
        let ends = self
            .segments
            .iter()
            .map(|segment| (height(segment.from, segment.from_y) - height(segment.to, segment.to_y)).abs());
        ends.sum()
    }
}

fn stack(column: &mut [Placed]) {
    let mut y = 0.0;
    for placed in column {
        placed.y = y + placed.pad;
        y = placed.y + placed.height + placed.pad;
    }
}

/// Places items in their order, none above the end of the one before, as near as can be to where they
/// wish to be: the sum of the squares of the distances is the least (by pooling neighbours that meet).
fn spread(wishes: &[(f64, f64, Placed)]) -> Vec<Placed> {
    // Were they all stacked from 0, each would lie here; what is wished beyond that must not fall.
    let mut stacked = 0.0;
    let mut offsets = Vec::new();
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (wish, weight, placed) in wishes {
        let offset = stacked + placed.pad;
        offsets.push(offset);
        stacked = offset + placed.height + placed.pad;
        let mut pool = (wish - offset, *weight, 1);
        while let Some(&(before, before_weight, count)) = pools.last() {
            if before <= pool.0 {
                break;
            }
            pools.pop();
            let weight = before_weight + pool.1;
            pool = ((before * before_weight + pool.0 * pool.1) / weight, weight, count + pool.2);
        }
        pools.push(pool);
    }
    let shifts = pools.iter().flat_map(|&(shift, _, count)| std::iter::repeat_n(shift, count));
    let places = wishes.iter().zip(offsets).zip(shifts);
    places.map(|((wish, offset), shift)| Placed { y: offset + shift, ..wish.2 }).collect()
}

struct Picture<'a> {
    map: &'a Map,
    boxes: &'a [Drawn],
    layout: &'a Layout,
    colours: Vec<&'static str>,
}

impl Picture<'_> {
    fn write(&self) -> String {
        let (lefts, widths) = self.columns();
        let bottom = self.layout.placed().map(|placed| placed.y + placed.height).fold(0.0, f64::max);
        let top = MARGIN + TITLE;
        let columns_end = lefts.last().zip(widths.last()).map_or(0.0, |(left, width)| left + width);
        let heading = format!("{}   {}", self.map.title, self.map.package);
        let text_end = MARGIN + width(&heading, 18.0).max(LEGEND);
        // Arrows within the last column stand out from it.
        let (whole_width, whole_height) = (columns_end.max(text_end) + 60.0, top + bottom + MARGIN + 30.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" \
             viewBox=\"0 0 {0:.0} {1:.0}\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n",
            whole_width, whole_height
        );
        let _ = writeln!(svg, "<title>{}</title>", escaped(&heading));
        let _ = writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{:.1}\" font-size=\"18\" font-weight=\"bold\" fill=\"#222\">{}\
             <tspan dx=\"12\" font-size=\"12\" font-weight=\"normal\" fill=\"#666\">{}</tspan></text>",
            MARGIN + 14.0,
            escaped(&self.map.title),
            escaped(&self.map.package)
        );
        self.write_arrows(&mut svg, &lefts, &widths, top);
        for (column, items) in self.layout.columns.iter().enumerate() {
            for placed in items {
                if let Item::Window(window) = placed.item {
                    self.write_window(&mut svg, window, lefts[column], top + placed.y, widths[column]);
                }
            }
        }
        self.write_legend(&mut svg, whole_height - 16.0);
        svg.push_str("</svg>\n");
        svg
    }

    /// The left edges of the columns, and how wide they are.
    fn columns(&self) -> (Vec<f64>, Vec<f64>) {
        let mut x = MARGIN + 30.0;
        let mut lefts = Vec::new();
        let mut widths = Vec::new();
        for (at, column) in self.layout.columns.iter().enumerate() {
            let width = column.iter().map(|placed| match placed.item {
                Item::Window(window) => self.boxes[window].width,
                Item::Lane { .. } => 0.0,
            });
            let width = width.fold(WIDTH_MIN, f64::max);
            let in_gap =
                self.layout.segments.iter().filter(|segment| segment.from.0.min(segment.to.0) == at).count();
            lefts.push(x);
            widths.push(width);
            x += width + (80.0 + 5.0 * in_gap as f64).min(200.0);
        }
        (lefts, widths)
    }

    fn write_arrows(&self, svg: &mut String, lefts: &[f64], widths: &[f64], top: f64) {
        let tops = self.layout.tops();
        let mut drawn = vec![false; self.layout.segments.len()];
        // Those that end go below the others.
        let mut order: Vec<usize> = self.layout.ways.keys().copied().collect();
        order.sort_by_key(|&arrow| !self.map.arrows[arrow].is_end);
        let mut heads = BTreeMap::new();
        for number in order {
            let arrow = &self.map.arrows[number];
            let to = arrow.to.expect("an arrow that is drawn leads somewhere");
            let colour = self.colours[to];
            let mut path = String::new();
            for &at in &self.layout.ways[&number] {
                if std::mem::replace(&mut drawn[at], true) {
                    continue;
                }
                let segment = self.layout.segments[at];
                let from_y = top + tops[segment.from.0][segment.from.1] + segment.from_y;
                let to_y = top + tops[segment.to.0][segment.to.1] + segment.to_y;
                let right = |column: usize| lefts[column] + widths[column];
                let is_lane = |(column, key): (usize, usize)| {
                    let items = &self.layout.columns[column];
                    items.iter().any(|placed| placed.key == key && matches!(placed.item, Item::Lane { .. }))
                };
                let (start, end) = (segment.from.0, segment.to.0);
                let head = if is_lane(segment.to) { 0.0 } else { ARROWHEAD };
                if start < end {
                    let (x1, x2) = (right(start), lefts[end] - head);
                    // Through a lane straight on.
                    let from = if is_lane(segment.from) { lefts[start] } else { x1 };
                    let bend = (lefts[end] - x1) / 2.0;
                    let _ = write!(
                        path,
                        "M{from:.1} {from_y:.1}H{x1:.1}C{:.1} {from_y:.1} {:.1} {to_y:.1} {x2:.1} {to_y:.1}",
                        x1 + bend,
                        x2 - bend
                    );
                } else if end < start {
                    let (x1, x2) = (lefts[start], right(end) + head);
                    let from = if is_lane(segment.from) { right(start) } else { x1 };
                    let bend = (x1 - right(end)) / 2.0;
                    let _ = write!(
                        path,
                        "M{from:.1} {from_y:.1}H{x1:.1}C{:.1} {from_y:.1} {:.1} {to_y:.1} {x2:.1} {to_y:.1}",
                        x1 - bend,
                        x2 + bend
                    );
                } else {
                    let (x1, x2) = (right(start), right(start) + head);
                    let out = 24.0 + (from_y - to_y).abs().min(450.0) / 9.0;
                    let _ = write!(
                        path,
                        "M{x1:.1} {from_y:.1}C{:.1} {from_y:.1} {:.1} {to_y:.1} {x2:.1} {to_y:.1}",
                        x1 + out,
                        x2 + out
                    );
                }
                if !is_lane(segment.to) {
                    let leftwards = end <= start;
                    let x = if leftwards { right(end) } else { lefts[end] };
                    heads.insert((to, leftwards), (x, to_y));
                }
            }
            let name = |window: usize| escaped(&self.map.windows[window].name);
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"{}><title>{} → {}: {}</title></path>",
                if arrow.is_end { "1" } else { "1.5" },
                if arrow.is_end { " stroke-dasharray=\"4 3\" stroke-opacity=\"0.75\"" } else { "" },
                name(arrow.from),
                name(to),
                escaped(&arrow.by.join(", "))
            );
        }
        for ((to, leftwards), (x, y)) in heads {
            let back = if leftwards { x + ARROWHEAD + 1.0 } else { x - ARROWHEAD - 1.0 };
            let colour = self.colours[to];
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {y:.1}L{back:.1} {:.1}V{:.1}Z\" fill=\"{colour}\"/>",
                y - 4.5,
                y + 4.5
            );
        }
    }

    fn write_window(&self, svg: &mut String, window: usize, x: f64, y: f64, wide: f64) {
        let of = &self.map.windows[window];
        let drawn = &self.boxes[window];
        let colour = self.colours[window];
        let round = if of.is_activity { 2 } else { 14 };
        let height = drawn.height;
        let dashes = if of.is_reachable { "" } else { " stroke-dasharray=\"6 4\"" };
        let border = if of.is_launchable { "2.5" } else { "1.3" };
        let _ = writeln!(svg, "<g>");
        for (fill, opacity) in [("white", ""), (colour, " fill-opacity=\"0.08\"")] {
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{height:.1}\" rx=\"{round}\" \
                 fill=\"{fill}\"{opacity} stroke=\"{colour}\" stroke-width=\"{border}\"{dashes}/>"
            );
        }
        if of.is_launchable {
            let middle = y + HEADER / 2.0;
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"5\" fill=\"#222\"/>\
                 <path d=\"M{:.1} {middle:.1}H{:.1}M{x:.1} {middle:.1}l-9 -4.5v9z\" stroke=\"#222\" fill=\"#222\"/>",
                x - 28.0,
                x - 28.0,
                x - 8.0
            );
        }
        let texts_wide = wide - 2.0 * TEXT_PAD;
        let _ = writeln!(
            svg,
            "<text x=\"{0:.1}\" y=\"{1:.1}\" font-size=\"14\" font-weight=\"bold\" fill=\"#222\">{2}</text>\
             <text x=\"{0:.1}\" y=\"{3:.1}\" font-size=\"11\" fill=\"#666\">{4}</text>",
            x + TEXT_PAD,
            y + 18.0,
            escaped(&cut(&of.name, texts_wide / 1.1, 14.0)),
            y + 33.0,
            escaped(&cut(&of.about, texts_wide, 11.0))
        );
        for row in &drawn.rows {
            let arrow = &self.map.arrows[row.arrow];
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {:.1}h{wide:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.35\"/>",
                y + row.top
            );
            let fill = if arrow.is_end { "#666" } else { "#222" };
            let room = if arrow.is_end { texts_wide - SIGN } else { texts_wide };
            for (at, line) in row.lines.iter().enumerate() {
                let _ = writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" fill=\"{fill}\">{}</text>",
                    x + TEXT_PAD,
                    y + row.top + ROW_PAD + LINE * (at as f64 + 0.78),
                    escaped(&cut(line, room, 12.0))
                );
            }
            if arrow.is_end {
                // An arrow that turns back.
                let _ = writeln!(
                    svg,
                    "<path d=\"M{:.1} {:.1}h4a3.5 3.5 0 0 1 0 7h-9m3 -3l-3 3l3 3\" fill=\"none\" stroke=\"#666\"/>",
                    x + wide - TEXT_PAD - 6.0,
                    y + row.middle() - 4.0
                );
            }
        }
        let _ = writeln!(svg, "</g>");
    }

    fn write_legend(&self, svg: &mut String, y: f64) {
        let mut x = MARGIN;
        let middle = y - 4.0;
        let mut entry = |sign: &str, sign_wide: f64, text: &str| {
            let _ = writeln!(
                svg,
                "<g transform=\"translate({x:.1} {middle:.1})\" fill=\"none\" stroke=\"#666\">{sign}</g>\
                 <text x=\"{:.1}\" y=\"{y:.1}\" font-size=\"11\" fill=\"#666\">{text}</text>",
                x + sign_wide + 6.0
            );
            x += sign_wide + 6.0 + width(text, 11.0) + 22.0;
        };
        entry("<circle cx=\"5\" cy=\"0\" r=\"4\" fill=\"#666\"/>", 10.0, "launched");
        entry("<rect x=\"0\" y=\"-6\" width=\"18\" height=\"12\"/>", 18.0, "activity");
        entry("<rect x=\"0\" y=\"-6\" width=\"18\" height=\"12\" rx=\"5\"/>", 18.0, "dialog, popup");
        entry("<path d=\"M0 0h24\" stroke-width=\"1.5\"/>", 24.0, "opens");
        entry("<path d=\"M0 0h24\" stroke-dasharray=\"4 3\"/>", 24.0, "ends");
        entry("<path d=\"M6 -4h4a3.5 3.5 0 0 1 0 7h-9m3 -3l-3 3l3 3\"/>", 14.0, "ends, and leads back");
        if self.map.windows.iter().any(|window| !window.is_reachable) {
            entry(
                "<rect x=\"0\" y=\"-6\" width=\"18\" height=\"12\" stroke-dasharray=\"4 3\"/>",
                18.0,
                "never opened",
            );
        }
    }
}

/// How wide a text is, at most, in the widest of the fonts it may be drawn in.
fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|char| size * f64::from(em_hundredths(char)) / 100.0).sum()
}

fn em_hundredths(char: char) -> u32 {
    match char {
        'i' | 'j' | 'l' | '\'' => 28,
        'I' | 'J' | ' ' | '.' | ',' | ':' | ';' | '/' | '\\' | '|' => 34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '!' => 41,
        '“' | '”' | '"' | '_' | '*' | 's' | 'c' | 'z' | '?' => 55,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' | '—' => 100,
        '#' | '+' | '=' | '<' | '>' | '~' | '^' => 84,
        'a'..='z' | '0'..='9' | '{' | '}' => 64,
        'A'..='Z' | '&' => 79,
        _ => match char.width() {
            Some(0) | None => 0,
            Some(1) => 80,
            Some(_) => 110,
        },
    }
}

fn cut(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let mut cut = String::new();
    let mut left = room - width("…", size);
    for char in text.chars() {
        left -= size * f64::from(em_hundredths(char)) / 100.0;
        if left < 0.0 {
            break;
        }
        cut.push(char);
    }
    cut + "…"
}

/// `text` as XML can hold it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ if char.is_control() => out.push('\u{fffd}'),
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Map, MapWindow};
    use super::*;

    /// Reads `Main -> About by A, B`; a star marks what is launched, a dash before it an end.
    fn map(text: &str) -> Map {
        let mut map = Map { title: "Test 1".into(), package: "a.b".into(), windows: vec![], arrows: vec![] };
        let window = |name: &str, windows: &mut Vec<MapWindow>| {
            let (name, is_launchable) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
            windows.iter().position(|window| window.name == name).unwrap_or_else(|| {
                let is_activity = name.starts_with(char::is_uppercase);
                let about = if is_activity { format!(".{name}Activity") } else { "dialog".to_string() };
                windows.push(MapWindow {
                    name: name.into(),
                    about,
                    is_activity,
                    is_launchable,
                    is_reachable: true,
                });
                windows.len() - 1
            })
        };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (ends, by) = line.split_once(": ").expect("what it is by");
            let (from, to, is_end) = match ends.split_once(" -> ") {
                Some((from, to)) => (from, to, false),
                None => {
                    let (from, to) = ends.split_once(" -< ").expect("an arrow");
                    (from, to, true)
                }
            };
            let from = window(from, &mut map.windows);
            let to = if to == "?" { None } else { Some(window(to, &mut map.windows)) };
            map.arrows.push(Arrow { from, to, is_end, by: by.split(", ").map(str::to_string).collect() });
        }
        map
    }

    /// A window of each kind, arrows of each kind, and one that nothing leads to.
    const MAP: &str = "
        Splash* -> Main: on create
        Main -> About: “About”, on menu
        Main -> welcome: on create
        welcome -< Main: “OK”
        welcome -> Help: “View Help”
        Help -> About: “Who & why <us>”
        Help -> Main: “Up”
        About -> Main: “Up”
        About -< ?: “Close”
        Help -> Help: “Again”
        About -> Page: “https://a.example/a/very/long/address/of/a/page/that/does/not/fit/into/a/box”
        Lost -> Main: “Up”
    ";

    fn laid_out(map: &Map) -> (Vec<Drawn>, Layout) {
        let boxes: Vec<Drawn> = (0..map.windows.len()).map(|window| Drawn::new(map, window)).collect();
        let mut layout = Layout::new(map, &boxes, &layers(map));
        layout.settle();
        (boxes, layout)
    }

    #[track_caller]
    fn check_apart(map: &Map) {
        let (boxes, layout) = laid_out(map);
        let mut seen = vec![0; boxes.len()];
        for column in &layout.columns {
            for pair in column.windows(2) {
                let end = pair[0].y + pair[0].height;
                assert!(end + pair[0].pad.min(pair[1].pad) <= pair[1].y + 0.001, "{pair:?}");
            }
            for placed in column {
                assert!(placed.y >= 0.0 && placed.y.is_finite());
                if let Item::Window(window) = placed.item {
                    assert_eq!(placed.height, boxes[window].height);
                    seen[window] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&times| times == 1), "each window once: {seen:?}");
        check_well_formed(&draw(map));
    }

    /// Looks at tags, attributes and entities; this is no parser of all XML.
    #[track_caller]
    fn check_well_formed(xml: &str) {
        let mut open = Vec::new();
        let mut rest = xml;
        while let Some(start) = rest.find('<') {
            check_text(&rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag that ends");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
                continue;
            }
            let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let name = tag.split(' ').next().expect("a name");
            let mut attributes = tag[name.len()..].trim_start();
            while !attributes.is_empty() {
                let (attribute, more) = attributes.split_once("=\"").expect("a value in quotes");
                assert!(
                    attribute.chars().all(|char| char.is_ascii_alphanumeric() || char == '-'),
                    "{attribute}"
                );
                let (value, more) = more.split_once('"').expect("a value that ends");
                check_text(value);
                attributes = more.trim_start();
            }
            if !is_empty {
                open.push(name);
            }
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    }

    #[track_caller]
    fn check_text(text: &str) {
        assert!(!text.contains(['<', '>']), "{text}");
        assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text:?}");
        for (_, after) in text.match_indices('&').map(|(at, _)| text.split_at(at)) {
            let is_known = ["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|entity| after.starts_with(entity));
            assert!(is_known, "{after}");
        }
    }

    #[test]
    fn what_is_drawn_does_not_overlap() {
        check_apart(&map(MAP));
        check_apart(&map("A* -> A: “again”"));
        check_apart(&Map { windows: Vec::new(), arrows: Vec::new(), ..map(MAP) });
    }

    #[test]
    fn windows_stand_in_columns_by_their_distance_from_the_start() {
        let map = map(MAP);
        let layers = layers(&map);
        let layer =
            |name: &str| layers[map.windows.iter().position(|window| window.name == name).expect("a window")];
        let found = ["Splash", "Main", "About", "welcome", "Help", "Page", "Lost"].map(layer);
        assert_eq!(found, [0, 1, 2, 2, 3, 3, 0]);
    }

    #[test]
    fn arrows_cross_no_more_than_they_must() {
        let (_, layout) = laid_out(&map("
            A* -> B: 1
            A -> C: 2
            A -> D: 3
            D -> E: 1
            C -> F: 1
            B -> G: 1
        "));
        assert_eq!(layout.crossings(), 0);
    }

    #[test]
    fn texts_are_escaped_and_cut() {
        let mut map = map(MAP);
        map.title = "<b>&\"\u{0}\u{1b}\u{ffff}'".to_string();
        map.windows[1].name = "日本語".repeat(40);
        let svg = draw(&map);
        check_well_formed(&svg);
        assert!(svg.contains("&lt;b&gt;&amp;&quot;\u{fffd}\u{fffd}\u{fffd}'"));
        assert!(svg.contains("“Who &amp; why &lt;us&gt;”"));
        assert!(svg.contains("“https://a.example/a/very/long/address/of/a/pa…</text>"));
    }

    #[test]
    fn the_same_map_gives_the_same_picture() {
        assert_eq!(draw(&map(MAP)), draw(&map(MAP)));
    }

    proptest! {
        #[test]
        fn maps_of_any_shape_are_drawn(
            count in 1_usize..12,
            arrows in proptest::collection::vec((0_usize..12, 0_usize..13, any::<bool>(), ".{0,50}"), 0..40),
        ) {
            let mut map = map(MAP);
            map.windows = (0..count)
                .map(|at| MapWindow {
                    name: format!("W{at}"),
                    about: "dialog".to_string(),
                    is_activity: at % 2 == 0,
                    is_launchable: at % 5 == 0,
                    is_reachable: true,
                })
                .collect();
            map.arrows = arrows
                .into_iter()
                .map(|(from, to, is_end, by)| Arrow {
                    from: from % count,
                    to: (to != 12).then_some(to % count),
                    is_end,
                    by: vec![by],
                })
                .collect();
            check_apart(&map);
        }
    }
}
