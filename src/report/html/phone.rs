//! Screens as pictures: each drawn from its tree of widgets, to scale, in the frame of a phone.
//!
//! A picture is a symbol that the page defines once and uses wherever the screen occurs. The widget of an action is marked
//! on top.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::words::{escape, line};
use crate::drawing::svg::short;
use crate::event::ActionDone;
use crate::gui::{Bounds, Flags, Orientation, Picture, Screen, Widget};

/// Longer side of a display, in units of the picture.
const LONG_SIDE: f64 = 400.0;

/// Width of the frame around the display.
pub const FRAME: f64 = 11.0;

/// Longest side of a display, in pixels; a longer one is a mistake in the data.
const PIXELS_MAX: i32 = 20_000;

/// Widgets of a picture: nobody tells more apart.
const WIDGETS_DRAWN_MAX: usize = 400;

/// Characters of a text; more do not fit a widget.
const LETTERS_MAX: usize = 240;

/// The display of a run, as large as its screens in both orientations.
#[derive(Clone, Copy, Debug)]
pub struct Displays {
    /// Width and height in portrait, in pixels.
    upright: (i32, i32),
}

impl Displays {
    /// Returns the display that holds all of `screens` and `pictures`.
    pub fn of<'s>(
        screens: impl Iterator<Item = &'s Screen>,
        pictures: impl Iterator<Item = &'s Picture>,
    ) -> Displays {
        let (mut width, mut height) = (0, 0);
        for picture in pictures {
            // Pictures of a turned display tell its upright size as well.
            let (one, other) = size(picture);
            width = width.max(one.min(other));
            height = height.max(one.max(other));
        }
        for screen in screens {
            for widget in screen.widgets().iter().filter(|widget| widget.depth == 0 && widget.is_visible()) {
                let Bounds { right, bottom, .. } = widget.bounds;
                // Some dumps have bounds beyond any display.
                let fits = |side: i32| if (1..=PIXELS_MAX).contains(&side) { side } else { 0 };
                let (right, bottom) = (fits(right), fits(bottom));
                // All screens of a run share one display, which is turned at times.
                let is_upright = screen.context().orientation == Orientation::Portrait;
                let (across, down) = if is_upright { (right, bottom) } else { (bottom, right) };
                width = width.max(across);
                height = height.max(down);
            }
        }
        // Screens may show a strip of the display alone: no side is longer than four times the other. Without any
        // screen, assume a common display.
        let upright = (width.max(height / 4), height.max(width / 4));
        Displays { upright: if width == 0 || height == 0 { (480, 800) } else { upright } }
    }

    /// Returns the canvas for a screen, in its orientation.
    pub fn canvas(self, screen: &Screen) -> Canvas {
        let (width, height) = match screen.context().orientation {
            Orientation::Portrait => self.upright,
            Orientation::Landscape => (self.upright.1, self.upright.0),
        };
        let scale = LONG_SIDE / f64::from(width.max(height));
        Canvas { pixels: Bounds::new(0, 0, width, height), scale }
    }
}

/// Returns width and height of the display of a picture.
fn size(picture: &Picture) -> (i32, i32) {
    let (width, height) = picture.display();
    let fits = |side: u32| side.min(PIXELS_MAX.unsigned_abs()) as i32;
    (fits(width), fits(height))
}

/// A display to draw on.
#[derive(Clone, Copy, Debug)]
pub struct Canvas {
    pixels: Bounds,
    scale: f64,
}

impl Canvas {
    /// Returns the width of the picture, with its frame.
    pub fn width(self) -> f64 {
        f64::from(self.pixels.width()) * self.scale + 2.0 * FRAME
    }

    /// Returns the height of the picture, with its frame.
    pub fn height(self) -> f64 {
        f64::from(self.pixels.height()) * self.scale + 2.0 * FRAME
    }

    /// Returns width and height of the display, in pixels.
    pub fn display(self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    /// Returns the visible part of `bounds` in the picture.
    fn place(self, bounds: Bounds) -> Option<Rectangle> {
        let seen = bounds.intersection(self.pixels);
        let at = |pixels: i32| FRAME + f64::from(pixels) * self.scale;
        (!seen.is_empty()).then(|| Rectangle {
            x: at(seen.left),
            y: at(seen.top),
            width: f64::from(seen.width()) * self.scale,
            height: f64::from(seen.height()) * self.scale,
        })
    }

    fn whole(self) -> Rectangle {
        self.place(self.pixels).expect("a display has a size")
    }
}

#[derive(Clone, Copy, Debug)]
struct Rectangle {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Rectangle {
    fn shrunk(self, by: f64) -> Rectangle {
        // A small widget must not shrink to nothing.
        let by = by.min(self.width / 4.0).min(self.height / 4.0);
        Rectangle {
            x: self.x + by,
            y: self.y + by,
            width: self.width - 2.0 * by,
            height: self.height - 2.0 * by,
        }
    }

    fn svg(self, class: &str, radius: f64) -> String {
        let Rectangle { x, y, width, height } = self;
        let radius = radius.min(height / 2.0).min(width / 2.0);
        format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            short(x),
            short(y),
            short(width),
            short(height),
            short(radius)
        )
    }

    fn middle(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// Returns the symbol of the screen with this number: its picture if there is one, else a drawing of its widgets.
pub fn symbol(number: usize, screen: &Screen, picture: Option<&Picture>, canvas: Canvas) -> String {
    format!(
        "<symbol id=\"screen-{number}\" viewBox=\"0 0 {} {}\">{}</symbol>\n",
        short(canvas.width()),
        short(canvas.height()),
        drawn(screen, picture, canvas)
    )
}

/// Returns a picture that stands alone of the display of a screen, without the frame around it.
pub fn screen_svg(screen: &Screen, picture: Option<&Picture>, canvas: Canvas) -> String {
    let Rectangle { x, y, width, height } = canvas.whole();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{} {} {} {}\"><style>{}{}</style>{}</svg>",
        short(x),
        short(y),
        short(width),
        short(height),
        super::COLOURS,
        include_str!("drawn.css"),
        drawn(screen, picture, canvas)
    )
}

/// Returns the picture of a display as SVG.
pub fn picture_svg(picture: &Picture) -> String {
    let (width, height) = picture.display();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\"><image width=\"{width}\" \
         height=\"{height}\" href=\"data:image/png;base64,{}\"/></svg>",
        picture.base64()
    )
}

fn drawn(screen: &Screen, picture: Option<&Picture>, canvas: Canvas) -> String {
    let whole = canvas.whole();
    let mut svg = String::new();
    let body = Rectangle { x: 1.0, y: 1.0, width: canvas.width() - 2.0, height: canvas.height() - 2.0 };
    svg += &body.svg("body", 16.0);
    // A dark display shows nothing, though its tree may still have widgets.
    if !screen.context().screen_on {
        svg += &whole.svg("off", 6.0);
        svg += &label("t dim", whole.middle(), 13.0, "display off");
    } else {
        svg += &whole.svg("lit", 6.0);
        match picture {
            Some(picture) => write_picture(&mut svg, picture, canvas),
            None => {
                write_widgets(&mut svg, screen, canvas);
                write_banner(&mut svg, screen, whole);
            }
        }
    }
    svg
}

fn write_picture(svg: &mut String, picture: &Picture, canvas: Canvas) {
    let (width, height) = size(picture);
    let Some(place) = canvas.place(Bounds::new(0, 0, width, height)) else { return };
    let _ = write!(
        svg,
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>",
        short(place.x),
        short(place.y),
        short(place.width),
        short(place.height),
        picture.base64()
    );
}

/// Writes a banner for an unusual state: a crash, no answer, no network.
fn write_banner(svg: &mut String, screen: &Screen, whole: Rectangle) {
    let context = screen.context();
    let mut said = Vec::new();
    if context.crashed {
        said.push(("bad", "the app has crashed"));
    }
    if context.anr {
        said.push(("bad", "the app does not respond"));
    }
    if context.keyboard {
        said.push(("note", "the keyboard is shown"));
    }
    if !context.network {
        said.push(("note", "no network"));
    }
    let mut y = whole.y;
    for (class, text) in said {
        let band = Rectangle { y, height: 20.0, ..whole };
        *svg += &band.svg(class, 0.0);
        *svg += &label("t on", band.middle(), 11.0, text);
        y += 20.0;
    }
}

/// Returns a text centred at a point.
fn label(class: &str, (x, y): (f64, f64), size: f64, text: &str) -> String {
    format!(
        "<text class=\"{class}\" x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\">{}</text>",
        short(x),
        short(y + size * 0.36),
        short(size),
        escape(text)
    )
}

/// Look of a widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Window smaller than the display.
    Window,
    /// Group that can be touched as a whole.
    Row,
    /// Group that scrolls.
    List,
    Button,
    Field,
    Check,
    Radio,
    Switch,
    Image,
    Progress,
    Text,
    /// Widget that draws itself, like a board, with no text.
    Canvas,
    Line,
}

fn write_widgets(svg: &mut String, screen: &Screen, canvas: Canvas) {
    let widgets = screen.widgets();
    let mut drawn = 0;
    for (at, widget) in widgets.iter().enumerate() {
        // Widgets stand in the order of the tree: a deeper one that follows is a child.
        let holds_others = widgets.get(at + 1).is_some_and(|next| next.depth > widget.depth);
        let (Some(look), Some(place)) = (look(widget, holds_others, canvas), canvas.place(widget.bounds))
        else {
            continue;
        };
        // People have to see that a picture is not whole.
        if drawn == WIDGETS_DRAWN_MAX {
            let band = Rectangle {
                y: canvas.whole().y + canvas.whole().height - 16.0,
                height: 16.0,
                ..canvas.whole()
            };
            *svg += &band.svg("note", 0.0);
            *svg += &label("t on", band.middle(), 9.0, "there are more widgets than are drawn");
            return;
        }
        drawn += 1;
        *svg += &DrawnWidget { widget, look, place, holds_others }.svg();
    }
    // A screen without widgets still shows its activity.
    if drawn == 0 {
        let activity = crate::gui::short_activity(screen.activity());
        *svg += &label("t dim", canvas.whole().middle(), 12.0, &line(activity, 30));
    }
}

fn look(widget: &Widget, holds_others: bool, canvas: Canvas) -> Option<Look> {
    let class = widget.class.rsplit(['.', '$']).next().unwrap_or_default();
    let is = |parts: &[&str]| parts.iter().any(|part| class.contains(part));
    let says = !widget.text.trim().is_empty() || !widget.desc.trim().is_empty();
    let Bounds { left, top, .. } = widget.bounds;
    let display = canvas.pixels;
    let is_smaller = i64::from(widget.bounds.width()) * 100 < i64::from(display.width()) * 97
        && i64::from(widget.bounds.height()) * 100 < i64::from(display.height()) * 85;
    Some(if !widget.is_visible() {
        return None;
    } else if widget.depth == 0 && holds_others && is_smaller && (left > 0 || top > 0) {
        Look::Window
    } else if is(&["EditText", "AutoComplete"]) || widget.flags.has(Flags::EDITABLE) {
        Look::Field
        // Before buttons, as `RadioButton` and `ToggleButton` have that word too.
    } else if is(&["RadioButton"]) {
        Look::Radio
    } else if is(&["Switch", "ToggleButton"]) {
        Look::Switch
    } else if is(&["CheckBox", "CheckedTextView"]) || widget.flags.has(Flags::CHECKABLE) {
        Look::Check
    } else if is(&["Button"]) {
        Look::Button
    } else if is(&["ImageView"]) {
        Look::Image
    } else if is(&["ProgressBar", "SeekBar", "RatingBar"]) {
        Look::Progress
    } else if is(&["ListView", "Recycler", "Grid", "ScrollView", "Pager"])
        || (holds_others && widget.flags.has(Flags::SCROLLABLE))
    {
        Look::List
    } else if holds_others {
        // A group shows by its members.
        return widget.flags.has(Flags::CLICKABLE).then_some(Look::Row);
    } else if says {
        Look::Text
    } else if u64::from(widget.bounds.height().min(widget.bounds.width())) * 100 <= u64::from(display.width())
    {
        Look::Line
    } else if widget.flags.has(Flags::CLICKABLE) || (!widget.id.is_empty() && !is(&["Layout", "ViewStub"])) {
        Look::Canvas
    } else {
        return None;
    })
}

/// A widget to draw.
struct DrawnWidget<'w> {
    widget: &'w Widget,
    look: Look,
    place: Rectangle,
    holds_others: bool,
}

impl DrawnWidget<'_> {
    fn svg(&self) -> String {
        let shape = self.shape();
        let is_control = matches!(
            self.look,
            Look::Button | Look::Field | Look::Check | Look::Radio | Look::Switch | Look::Progress
        );
        if is_control && !self.widget.flags.has(Flags::ENABLED) {
            format!("<g class=\"disabled\">{shape}</g>")
        } else {
            shape
        }
    }

    fn shape(&self) -> String {
        let DrawnWidget { widget, place, .. } = *self;
        let flags = widget.flags;
        let with = |class: &str| {
            let focused = if flags.has(Flags::FOCUSED) { " focused" } else { "" };
            let selected = if flags.has(Flags::SELECTED) { " selected" } else { "" };
            format!("{class}{focused}{selected}")
        };
        match self.look {
            Look::Window => place.svg("window", 6.0),
            Look::Row => place.shrunk(1.0).svg(&with("row"), 3.0),
            Look::List => place.svg(&with("list"), 0.0) + &self.scroll_bar(),
            Look::Button => place.shrunk(2.0).svg(&with("button"), 6.0) + &self.button_text(),
            Look::Field => place.shrunk(2.0).svg(&with("field"), 3.0) + &self.field_text(),
            Look::Check | Look::Radio | Look::Switch => self.checked(&with("box")),
            Look::Image => place.shrunk(2.0).svg(&with("image"), 4.0) + &self.picture(),
            Look::Progress => self.progress(),
            Look::Text => {
                let ground = if flags.has(Flags::CLICKABLE) || flags.has(Flags::SELECTED) {
                    place.shrunk(1.0).svg(&with("row"), 3.0)
                } else {
                    String::new()
                };
                ground + &self.text("t", place.shrunk(3.0), false)
            }
            Look::Canvas => place.shrunk(1.0).svg(&with("canvas"), 3.0) + &self.name(place),
            Look::Line => place.svg("line", 0.0),
        }
    }

    /// Returns the text of the widget, else its description.
    fn said(&self) -> &str {
        if self.widget.text.trim().is_empty() { self.widget.desc.trim() } else { self.widget.text.trim() }
    }

    fn text(&self, class: &str, place: Rectangle, is_centred: bool) -> String {
        // The members of a group are drawn over it and have texts of their own.
        if self.holds_others { String::new() } else { fitted(class, self.said(), place, is_centred) }
    }

    fn button_text(&self) -> String {
        let is_picture = self.widget.text.trim().is_empty() && self.widget.class.contains("Image");
        // A description does not fit a small image.
        if self.said().is_empty() || (is_picture && self.place.width < 60.0) {
            self.picture()
        } else {
            self.text("t strong", self.place.shrunk(3.0), true)
        }
    }

    fn field_text(&self) -> String {
        let inset = 6.0_f64.min(self.place.width / 4.0);
        let place =
            Rectangle { x: self.place.x + inset, width: self.place.width - 2.0 * inset, ..self.place };
        // Dots, as on the phone: others may read the report.
        let letters = self.widget.text.chars().count().min(LETTERS_MAX);
        if self.widget.flags.has(Flags::PASSWORD) && letters > 0 {
            return fitted("t", &"•".repeat(letters), place, false);
        }
        // The description of an empty field is dimmed, as nobody has typed it.
        let class = if self.widget.text.trim().is_empty() { "t dim" } else { "t" };
        self.text(class, place, false)
    }

    /// Returns the name of its id, for a widget that draws itself.
    fn name(&self, place: Rectangle) -> String {
        fitted("t dim", self.widget.id_entry(), place.shrunk(3.0), true)
    }

    /// Returns hills and a sun for an image, with its description below if there is room.
    fn picture(&self) -> String {
        let said =
            if self.widget.desc.trim().is_empty() { self.widget.id_entry() } else { self.widget.desc.trim() };
        let has_room = self.place.height >= 60.0 && self.place.width >= 40.0 && !said.is_empty();
        let side =
            (self.place.height * if has_room { 0.4 } else { 0.55 }).min(self.place.width * 0.55).min(40.0);
        let (x, middle) = self.place.middle();
        let y = if has_room { middle - side * 0.35 } else { middle };
        let (left, right, low, high) = (x - side / 2.0, x + side / 2.0, y + side * 0.35, y - side * 0.35);
        let hills = format!(
            "<path class=\"glyph\" d=\"M{} {}L{} {}L{} {}L{} {}L{} {}Z\"/>",
            short(left),
            short(low),
            short(left + side * 0.35),
            short(y - side * 0.1),
            short(left + side * 0.55),
            short(y + side * 0.12),
            short(left + side * 0.72),
            short(y - side * 0.02),
            short(right),
            short(low)
        );
        let sun = format!(
            "<circle class=\"glyph\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
            short(right - side * 0.2),
            short(high + side * 0.1),
            short(side * 0.09)
        );
        let name = if has_room {
            let below = Rectangle {
                y: low + 4.0,
                height: self.place.y + self.place.height - low - 6.0,
                ..self.place
            };
            fitted("t dim", said, below.shrunk(2.0), true)
        } else {
            String::new()
        };
        hills + &sun + &name
    }

    fn scroll_bar(&self) -> String {
        let place = self.place;
        let bar = Rectangle {
            x: place.x + place.width - 4.0,
            y: place.y + 4.0,
            width: 2.5,
            height: place.height * 0.4,
        };
        if self.widget.flags.has(Flags::SCROLLABLE) && place.height > 40.0 {
            bar.svg("bar", 1.2)
        } else {
            String::new()
        }
    }

    fn progress(&self) -> String {
        let (_, y) = self.place.middle();
        let track = Rectangle { y: y - 2.0, height: 4.0, ..self.place.shrunk(4.0) };
        // A tree does not say how far the work has come, so half stands for any share.
        track.svg("track", 2.0) + &Rectangle { width: track.width * 0.5, ..track }.svg("fill", 2.0)
    }

    /// Returns a box, a circle or a switch, on or off, with its text beside it.
    fn checked(&self, class: &str) -> String {
        let place = self.place;
        let side = place.height.min(place.width).min(16.0) * 0.8;
        let is_on = self.widget.flags.has(Flags::CHECKED);
        let has_text = !self.holds_others && !self.said().is_empty();
        let x = if has_text || self.holds_others { place.x + 4.0 } else { place.middle().0 - side / 2.0 };
        let sign = Rectangle { x, y: place.middle().1 - side / 2.0, width: side, height: side };
        let class = if is_on { format!("{class} on") } else { class.to_string() };
        let mut svg = String::new();
        let width = match self.look {
            Look::Radio => {
                svg += &sign.svg(&class, side / 2.0);
                if is_on {
                    svg += &sign.shrunk(side * 0.25).svg("tick-ground", side / 2.0);
                }
                side
            }
            Look::Switch => {
                let track = Rectangle { width: side * 1.8, ..sign };
                svg += &track.svg(&class, side / 2.0);
                let knob = Rectangle { x: if is_on { sign.x + side * 0.8 } else { sign.x }, ..sign };
                svg += &knob.shrunk(1.5).svg("knob", side / 2.0);
                side * 1.8
            }
            _ => {
                svg += &sign.svg(&class, 2.5);
                if is_on {
                    let _ = write!(
                        svg,
                        "<path class=\"tick\" d=\"M{} {}l{} {}l{} {}\"/>",
                        short(sign.x + side * 0.22),
                        short(sign.y + side * 0.52),
                        short(side * 0.2),
                        short(side * 0.22),
                        short(side * 0.38),
                        short(side * -0.46)
                    );
                }
                side
            }
        };
        let beside = Rectangle {
            x: x + width + 3.0,
            width: (place.x + place.width - x - width - 4.0).max(0.0),
            ..place
        };
        svg + &self.text("t", beside, false)
    }
}

/// Returns `text` in lines that fit `place`, cut at its end.
fn fitted(class: &str, text: &str, place: Rectangle, is_centred: bool) -> String {
    let size = (place.height * 0.72).min(11.0);
    let text = line(text, LETTERS_MAX);
    // Smaller letters cannot be read.
    if size < 3.5 || place.width < 4.0 || text.trim().is_empty() {
        return String::new();
    }
    let rows_max = ((place.height / (size * 1.2)) as usize).clamp(1, 12);
    let rows = wrapped(&text, (place.width / (size * 0.54)) as usize, rows_max);
    let Rectangle { x, y, width, height } = place;
    let mut svg = format!(
        "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><text class=\"{class}\" font-size=\"{}\"{}>",
        short(x),
        short(y),
        short(width),
        short(height),
        short(size),
        if is_centred { " text-anchor=\"middle\"" } else { "" }
    );
    let block = size * 1.2 * rows.len() as f64;
    // Long texts start at the top, as in an app; a line or two stand in the middle.
    let top = if rows.len() > 2 && !is_centred { 0.0 } else { (height - block).max(0.0) / 2.0 };
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(
            svg,
            "<tspan x=\"{}\" y=\"{}\">{}</tspan>",
            short(if is_centred { width / 2.0 } else { 0.0 }),
            short(top + size * (1.2 * at as f64 + 0.93)),
            escape(row)
        );
    }
    svg += "</text></svg>";
    svg
}

/// Returns `text` in at most `rows_max` rows of `columns` columns, broken between words if possible.
pub fn wrapped(text: &str, columns: usize, rows_max: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut rows: Vec<String> = Vec::new();
    let mut row = String::new();
    for word in text.split_inclusive(' ') {
        if !row.is_empty() && row.width() + word.trim_end().width() > columns {
            rows.push(std::mem::take(&mut row));
        }
        for char in word.chars() {
            if row.width() + char.width().unwrap_or(0) > columns && char != ' ' {
                rows.push(std::mem::take(&mut row));
            }
            row.push(char);
        }
        // Further rows would be cut below, and the text may be long.
        if rows.len() > rows_max {
            break;
        }
    }
    rows.push(row);
    let has_more = rows.len() > rows_max;
    rows.truncate(rows_max);
    let mut rows: Vec<String> = rows.iter().map(|row| row.trim().to_string()).collect();
    if let (true, Some(last)) = (has_more, rows.last_mut()) {
        // The ellipsis takes a column too.
        while last.width() + 1 > columns && last.pop().is_some() {}
        last.push('…');
    }
    rows
}

/// Returns the mark of `action` on a screen that is drawn on `canvas`.
pub fn mark(action: &ActionDone, canvas: Canvas) -> String {
    // A key or a turn touches no widget; the head of the next step names it.
    let Some(place) = action.bounds.and_then(|bounds| canvas.place(bounds)) else { return String::new() };
    let (x, y) = place.middle();
    let mut svg = place.svg("target", 4.0);
    if let Some((across, down)) = finger(action) {
        let half = 26.0;
        let _ = write!(
            svg,
            "<path class=\"finger\" d=\"M{} {}L{} {}\" marker-end=\"url(#finger)\"/>",
            short(x - across * half),
            short(y - down * half),
            short(x + across * half),
            short(y + down * half)
        );
    }
    let _ = write!(
        svg,
        "<circle class=\"touch\" cx=\"{0}\" cy=\"{1}\" r=\"11\"/><circle class=\"touch-dot\" cx=\"{0}\" cy=\"{1}\" r=\"3.5\"/>",
        short(x),
        short(y)
    );
    // A second ring tells a long touch from a click.
    if &*action.action_type == "longclick" {
        let _ = write!(svg, "<circle class=\"touch\" cx=\"{}\" cy=\"{}\" r=\"16\"/>", short(x), short(y));
    }
    svg
}

/// Returns the outline of the widget nearest to the one that a step could not find.
pub fn nearest(bounds: Bounds, canvas: Canvas) -> String {
    canvas.place(bounds).map_or(String::new(), |place| place.svg("nearest", 4.0))
}

/// Returns the direction of the finger, across and down. To scroll down, it moves up.
fn finger(action: &ActionDone) -> Option<(f64, f64)> {
    let (across, down) = match &*action.detail {
        "up" => (0.0, -1.0),
        "down" => (0.0, 1.0),
        "left" => (-1.0, 0.0),
        "right" => (1.0, 0.0),
        _ => return None,
    };
    match &*action.action_type {
        "swipe" => Some((across, down)),
        "scroll" => Some((-across, -down)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gui::Context;

    #[test]
    fn texts_are_broken_between_words_and_cut_where_the_room_ends() {
        assert_eq!(wrapped("one two three", 7, 9), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 7, 1), ["one tw…"]);
        assert_eq!(wrapped("abcdefgh", 3, 9), ["abc", "def", "gh"]);
        assert_eq!(wrapped("", 3, 9), [""]);
        assert_eq!(wrapped("日本語", 4, 9), ["日本", "語"]);
    }

    fn of(screens: &[&Screen]) -> Displays {
        Displays::of(screens.iter().copied(), std::iter::empty())
    }

    #[test]
    fn a_display_is_what_its_windows_fill() {
        let window = |bounds| Widget { bounds, ..Widget::default() };
        let screen = |bounds| Screen::new("p", "p.A", Context::default(), vec![window(bounds)]);
        let small = screen(Bounds::new(40, 100, 400, 500));
        let large = screen(Bounds::new(0, 0, 480, 728));
        let wrong = screen(Bounds::new(0, 0, i32::MAX, i32::MAX));
        let displays = of(&[&small, &large, &wrong]);
        assert_eq!(displays.upright, (480, 728));
        assert_eq!(displays.canvas(&small).pixels, Bounds::new(0, 0, 480, 728));
        let turned = Context { orientation: Orientation::Landscape, ..Context::default() };
        assert_eq!(displays.canvas(&small.in_context(turned)).pixels, Bounds::new(0, 0, 728, 480));
        assert_eq!(of(&[]).upright, (480, 800));
    }

    #[test]
    fn what_is_hidden_is_not_drawn() {
        let context = Context { screen_on: false, ..Context::default() };
        let text = Widget { text: "secret".into(), bounds: Bounds::new(0, 0, 480, 800), ..Widget::default() };
        let password = Widget { flags: Flags::PASSWORD.set(Flags::EDITABLE, true), ..text.clone() };
        let canvas = |screen: &Screen| of(&[screen]).canvas(screen);
        let drawn = |context, widget: &Widget| {
            let screen = Screen::new("p", "p.A", context, vec![widget.clone()]);
            symbol(0, &screen, None, canvas(&screen))
        };
        assert!(drawn(Context::default(), &text).contains("secret"));
        assert!(!drawn(context, &text).contains("secret"));
        assert!(!drawn(Context::default(), &password).contains("secret"));
    }

    /// Any side, those of displays and those of mistakes.
    fn side() -> impl Strategy<Value = i32> {
        prop_oneof![-10..500_i32, -100_000..100_000_i32, Just(i32::MIN), Just(i32::MAX)]
    }

    prop_compose! {
        fn widget()(
            sides in (side(), side(), side(), side()),
            depth in 0..4_u16,
            class in prop::sample::select(vec![
                "Button", "ImageButton", "EditText", "CheckBox", "RadioButton", "Switch", "ImageView", "ProgressBar",
                "ListView", "LinearLayout", "View", "TextView", "",
            ]),
            text in ".{0,40}",
            is_set in prop::collection::vec(any::<bool>(), 6),
        ) -> Widget {
            let flags = [
                Flags::CLICKABLE, Flags::CHECKABLE, Flags::CHECKED, Flags::FOCUSED, Flags::PASSWORD, Flags::SCROLLABLE,
            ];
            let flags = flags.into_iter().zip(is_set).fold(Flags::ENABLED, |all, (flag, is)| all.set(flag, is));
            let bounds = Bounds::new(sides.0, sides.1, sides.2, sides.3);
            Widget { depth, class: class.into(), text: text.as_str().into(), bounds, flags, ..Widget::default() }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn screens_of_any_widgets_are_drawn_within_their_display(
            widgets in prop::collection::vec(widget(), 0..12),
            on in widget(),
            type_at in 0..4_usize,
        ) {
            let screen = Screen::new("p", "p.A", Context::default(), widgets);
            let canvas = of(&[&screen]).canvas(&screen);
            let action = ActionDone {
                action_type: ["click", "longclick", "scroll", "swipe"][type_at].into(),
                detail: "left".into(),
                object_id: None,
                bounds: Some(on.bounds),
                shown: on.text.to_string(),
            };
            for svg in [symbol(0, &screen, None, canvas), mark(&action, canvas)] {
                prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
                prop_assert!(!svg.contains("width=\"-") && !svg.contains("height=\"-"), "{}", svg);
                prop_assert!(!svg.contains("r=\"-") && !svg.contains("rx=\"-"), "{}", svg);
            }
        }
    }
}
