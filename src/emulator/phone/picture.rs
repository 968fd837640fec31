//! `screencap`: the display as a picture, drawn from the widgets.
//!
//! It is no picture of the real app: a box stands for each widget that can be touched, with its text in it.

use std::io::Write as _;
use std::sync::Arc;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::font::{SIZE, columns};
use super::io::{Io, shown};
use super::system::Phone;
use super::version::AndroidVersion;
use crate::gui::{Bounds, Flags, Screen, Widget};

/// Number of pixels of a picture at most; of a larger display it shows the top left corner.
const PIXELS_MAX: u64 = 25_000_000;

/// Number of times that the display's area is filled at most, however many widgets lie on each other.
const FILLS_MAX: u64 = 20;

/// Number of letters of a widget at most.
const LETTERS_MAX: usize = 1_000;

type Colour = [u8; 4];

const PAPER: Colour = [250, 250, 250, 255];
const BOX: Colour = [225, 232, 240, 255];
const FIELD: Colour = [255, 255, 255, 255];
const CHECKED: Colour = [190, 225, 200, 255];
const LINE: Colour = [150, 160, 170, 255];
const INK: Colour = [20, 25, 30, 255];
const FAINT: Colour = [140, 140, 140, 255];
const DARK: Colour = [0, 0, 0, 255];

/// A picture of the display: four bytes a pixel, red, green, blue and opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framebuffer {
    /// Pixels of a row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// The rows, from the top.
    pub rgba: Vec<u8>,
}

impl Phone {
    /// Returns the picture of the display.
    pub fn framebuffer(&mut self) -> Framebuffer {
        let windows = self.windows();
        let display = self.shown_size();
        let screen = self.screen().ok();
        draw(screen.as_deref().filter(|_| windows.is_lit), display)
    }
}

impl Framebuffer {
    /// Returns the part of the picture inside `bounds`, if any of it is there.
    pub(super) fn part(&self, bounds: Bounds) -> Option<Framebuffer> {
        let within = |place: i32, end: u32| u32::try_from(place).unwrap_or(0).min(end);
        let (left, right) = (within(bounds.left, self.width), within(bounds.right, self.width));
        let (top, bottom) = (within(bounds.top, self.height), within(bounds.bottom, self.height));
        if left >= right || top >= bottom {
            return None;
        }
        let rows = self.rgba.chunks(self.width as usize * 4).take(bottom as usize).skip(top as usize);
        // The display may be larger than its picture.
        let rgba: Vec<u8> =
            rows.flat_map(|row| &row[left as usize * 4..right as usize * 4]).copied().collect();
        Some(Framebuffer { width: right - left, height: bottom - top, rgba })
    }
}

struct Canvas {
    width: i32,
    height: i32,
    rgba: Vec<u8>,
    /// Number of pixels that may still be filled.
    left: u64,
}

/// Draws a screen on a display of this size; without a screen the display is dark.
fn draw(screen: Option<&Screen>, (width, height): (u32, u32)) -> Framebuffer {
    let width = width.clamp(1, 10_000);
    // Within the limit for any size that `wm` sets.
    let height = height.clamp(1, (PIXELS_MAX / u64::from(width)) as u32);
    let ground = if screen.is_some() { PAPER } else { DARK };
    let pixels = width as usize * height as usize;
    let mut canvas = Canvas {
        width: width as i32,
        height: height as i32,
        rgba: ground.repeat(pixels),
        left: FILLS_MAX * pixels as u64,
    };
    if let Some(screen) = screen {
        screen.widgets().iter().for_each(|widget| canvas.widget(widget));
    }
    Framebuffer { width, height, rgba: canvas.rgba }
}

impl Canvas {
    fn widget(&mut self, widget: &Widget) {
        let has = |flag: Flags| widget.flags.has(flag);
        let fill = if has(Flags::CHECKED) || has(Flags::SELECTED) {
            Some(CHECKED)
        } else if has(Flags::EDITABLE) {
            Some(FIELD)
        } else if has(Flags::CLICKABLE) {
            Some(BOX)
        } else {
            None
        };
        if let Some(fill) = fill {
            self.fill(widget.bounds, fill);
            self.frame(widget.bounds, LINE);
        }
        let said = if widget.text.is_empty() { &widget.desc } else { &widget.text };
        if !said.is_empty() {
            self.write(widget.bounds, said, if has(Flags::ENABLED) { INK } else { FAINT });
        }
    }

    fn fill(&mut self, bounds: Bounds, colour: Colour) {
        let seen = bounds.intersection(Bounds::new(0, 0, self.width, self.height));
        // A fill beyond the budget is left out as a whole: its cost is known before, and half a box would mislead.
        let area = u64::from(seen.width()) * u64::from(seen.height());
        if seen.is_empty() || area > self.left {
            return;
        }
        self.left -= area;
        for y in seen.top..seen.bottom {
            let start = (y as usize * self.width as usize + seen.left as usize) * 4;
            let end = start + seen.width() as usize * 4;
            self.rgba[start..end].chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&colour));
        }
    }

    fn frame(&mut self, bounds: Bounds, colour: Colour) {
        let Bounds { left, top, right, bottom } = bounds;
        self.fill(Bounds::new(left, top, right, top.saturating_add(2).min(bottom)), colour);
        self.fill(Bounds::new(left, bottom.saturating_sub(2).max(top), right, bottom), colour);
        self.fill(Bounds::new(left, top, left.saturating_add(2).min(right), bottom), colour);
        self.fill(Bounds::new(right.saturating_sub(2).max(left), top, right, bottom), colour);
    }

    /// Writes a text from the top left of `bounds`, in as many lines as fit.
    fn write(&mut self, bounds: Bounds, text: &str, colour: Colour) {
        let seen = bounds.intersection(Bounds::new(0, 0, self.width, self.height));
        // A dot of a letter is a 240th of the display's shorter edge: readable on every display, if the widget is as high.
        let dot = (self.width.min(self.height) / 240).clamp(1, seen.height().max(8) as i32 / 8);
        let (advance, line) = ((SIZE.0 + 1) * dot, (SIZE.1 + 2) * dot);
        let (mut x, mut y) = (seen.left + 2 * dot, seen.top + dot);
        for letter in text.chars().take(LETTERS_MAX) {
            if letter == '\n' || x + advance > seen.right {
                (x, y) = (seen.left + 2 * dot, y + line);
            }
            if y + line > seen.bottom + dot {
                return;
            }
            if letter == '\n' {
                continue;
            }
            for (column, dots) in columns(letter).into_iter().enumerate() {
                for row in 0..SIZE.1 {
                    if dots >> row & 1 == 1 {
                        let (left, top) = (x + column as i32 * dot, y + row * dot);
                        self.fill(Bounds::new(left, top, left + dot, top + dot).intersection(seen), colour);
                    }
                }
            }
            x += advance;
        }
    }
}

/// Returns a picture as a PNG.
pub(super) fn png(picture: &Framebuffer) -> Vec<u8> {
    let row = picture.width as usize * 4;
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    for line in picture.rgba.chunks(row) {
        // 0: this row is not filtered. Writing to memory does not fail.
        let _ = packer.write_all(&[0]);
        let _ = packer.write_all(line);
    }
    let packed = packer.finish().unwrap_or_default();
    let mut header = Vec::with_capacity(13);
    header.extend_from_slice(&picture.width.to_be_bytes());
    header.extend_from_slice(&picture.height.to_be_bytes());
    // Eight bits each of red, green, blue and alpha.
    header.extend_from_slice(&[8, 6, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, b"IHDR", &header);
    chunk(&mut png, b"IDAT", &packed);
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, name: &[u8; 4], bytes: &[u8]) {
    png.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    let mut sum = Crc::new();
    for part in [&name[..], bytes] {
        sum.update(part);
        png.extend_from_slice(part);
    }
    png.extend_from_slice(&sum.sum().to_be_bytes());
}

/// `screencap`: the display as PNG, or as raw pixels.
pub(super) fn screencap(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    // The display behind `-d` is no file name.
    let at = args.iter().position(|word| word == "-d");
    let name = args
        .iter()
        .enumerate()
        .find(|(place, word)| !word.starts_with('-') && at.is_none_or(|at| *place != at + 1))
        .map(|(_, word)| word.clone());
    let is_png =
        args.iter().any(|word| word == "-p") || name.as_ref().is_some_and(|name| name.ends_with(".png"));
    let picture = phone.framebuffer();
    // Charged even if the picture goes to a file: drawing it is what costs.
    io.moved = io.moved.saturating_add(picture.rgba.len());
    let bytes = if is_png { png(&picture) } else { raw(&picture, phone.version) };
    let Some(name) = name else {
        io.write(&bytes);
        return 0;
    };
    let (path, now_s) = (io.path(&name), phone.now_s());
    match phone.files.write(&path, 0o660, now_s, Arc::from(bytes)) {
        Ok(()) => 0,
        Err(error) => io.complain(&format!("Error opening file: {} ({error})", shown(&name))),
    }
}

/// Returns the pixels behind width, height and format, and from Android 9 on the colour space.
fn raw(picture: &Framebuffer, version: AndroidVersion) -> Vec<u8> {
    let mut header = vec![picture.width, picture.height, 1];
    if version >= AndroidVersion::V9 {
        header.push(1);
    }
    let header = header.into_iter().flat_map(u32::to_le_bytes);
    header.chain(picture.rgba.iter().copied()).collect()
}
