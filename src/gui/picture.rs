//! Pictures of screens: what a display really showed, as small as a report needs it.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use png::{BitDepth, ColorType, Decoder, Encoder, Filter, Limits, Transformations};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};

use super::screen::{Bounds, Flags, Screen};

/// First bytes of a PNG.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Longest side of a display, in pixels.
const SIDE_MAX: u32 = 20_000;

/// Most pixels of a display: a television of 8K has fewer.
const DISPLAY_MAX: u64 = 40_000_000;

/// Longer side of a picture, in pixels: twice that of a drawn screen.
const LONG_SIDE: u32 = 800;

/// Most bytes of a written picture. With 30 of these, a page stays below 10 MB.
const BYTES_MAX: usize = 180_000;

/// Most bytes of a picture that is read.
const READ_MAX: usize = 1_000_000;

/// The pixels of a display, on their way to a [`Picture`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width and height of the display, in the pixels of widgets' bounds.
    display: (u32, u32),
    size: (u32, u32),
    /// Red, green and blue of each pixel, row by row from the top.
    rgb: Vec<u8>,
}

impl Pixels {
    /// Reads a display's picture from a phone's answer, and makes it smaller. `display` is its size in either orientation,
    /// in the pixels of widgets' bounds. Returns `None` for an answer without a picture, one of another shape than the
    /// display, and one of a single colour, as a window leaves that forbids pictures.
    pub fn read(answer: &[u8], display: (u32, u32)) -> Option<Pixels> {
        // Some phones print a warning before the picture.
        let start = answer.windows(SIGNATURE.len()).position(|bytes| bytes == SIGNATURE)?;
        let mut decoder = Decoder::new_with_limits(Cursor::new(&answer[start..]), Limits { bytes: 64 << 20 });
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().ok()?;
        let (width, height) = reader.info().size();
        if width.max(height) > SIDE_MAX || u64::from(width) * u64::from(height) > DISPLAY_MAX {
            return None;
        }
        let mut bytes = vec![0; reader.output_buffer_size()?];
        reader.next_frame(&mut bytes).ok()?;
        let samples = match reader.output_color_type() {
            (ColorType::Rgba, BitDepth::Eight) => 4,
            (ColorType::Rgb, BitDepth::Eight) => 3,
            _ => return None,
        };
        let (across, down) = display;
        let display = if (width > height) == (across > down) { display } else { (down, across) };
        // Else nobody knows where a password is in it: one part in fifty is for rounding.
        let (one, other) =
            (u64::from(width) * u64::from(display.1), u64::from(height) * u64::from(display.0));
        if one.abs_diff(other) * 50 > one {
            return None;
        }
        let full = Full { width: width as usize, height: height as usize, samples, bytes: &bytes };
        let size = fitted((width, height), LONG_SIDE);
        let rgb = full.scaled(size);
        let is_plain = rgb.chunks_exact(3).all(|pixel| pixel == &rgb[..3]);
        (!is_plain).then_some(Pixels { display, size, rgb })
    }

    /// Returns the pixels with those of password fields black.
    #[must_use]
    pub fn without_passwords(mut self, screen: &Screen) -> Pixels {
        for widget in screen.widgets().iter().filter(|widget| widget.flags.has(Flags::PASSWORD)) {
            self.black_out(widget.bounds);
        }
        self
    }

    /// Makes the pixels of a widget black.
    pub fn black_out(&mut self, bounds: Bounds) {
        let (width, height) = self.size;
        // Rounded outwards, as a pixel on the edge is mixed from both sides.
        let part = |from: i32, to: i32, side: u32, display: u32| {
            let (side, display) = (u64::from(side), u64::from(display.max(1)));
            let from = u64::from(from.max(0).unsigned_abs()) * side / display;
            let to = (u64::from(to.max(0).unsigned_abs()) * side).div_ceil(display);
            from.min(side) as usize..to.min(side) as usize
        };
        let columns = part(bounds.left, bounds.right, width, self.display.0);
        for row in part(bounds.top, bounds.bottom, height, self.display.1) {
            let start = row * width as usize;
            if columns.start < columns.end {
                self.rgb[(start + columns.start) * 3..(start + columns.end) * 3].fill(0);
            }
        }
    }

    /// Returns the picture of these pixels, smaller where it would take too many bytes.
    pub fn picture(&self) -> Picture {
        let mut side = LONG_SIDE;
        loop {
            let full = Full {
                width: self.size.0 as usize,
                height: self.size.1 as usize,
                samples: 3,
                bytes: &self.rgb,
            };
            let size = fitted(self.size, side);
            let png = written(size, &full.scaled(size));
            if png.len() <= BYTES_MAX || side < 100 {
                return Picture { width: self.display.0, height: self.display.1, png };
            }
            side = side * 3 / 4;
        }
    }
}

/// Returns the size of a picture whose longer side is `side` at most.
fn fitted((width, height): (u32, u32), side: u32) -> (u32, u32) {
    let longer = width.max(height);
    if longer <= side {
        return (width, height);
    }
    let part = |length: u32| ((u64::from(length) * u64::from(side) / u64::from(longer)) as u32).max(1);
    (part(width), part(height))
}

/// A picture that is made smaller.
struct Full<'b> {
    width: usize,
    height: usize,
    /// Bytes of a pixel; the first three are red, green and blue.
    samples: usize,
    bytes: &'b [u8],
}

impl Full<'_> {
    /// Returns red, green and blue of a smaller picture, each pixel the mean of those that it stands for.
    fn scaled(&self, (width, height): (u32, u32)) -> Vec<u8> {
        let (width, height) = (width as usize, height as usize);
        if (width, height, 3) == (self.width, self.height, self.samples) {
            return self.bytes.to_vec();
        }
        let mut rgb = Vec::with_capacity(width * height * 3);
        for row in 0..height {
            let rows = row * self.height / height..((row + 1) * self.height).div_ceil(height);
            for column in 0..width {
                let columns = column * self.width / width..((column + 1) * self.width).div_ceil(width);
                let (mut sums, count) = ([0_u64; 3], (rows.len() * columns.len()) as u64);
                for at in rows.clone() {
                    let start = (at * self.width + columns.start) * self.samples;
                    let end = (at * self.width + columns.end) * self.samples;
                    for pixel in self.bytes[start..end].chunks_exact(self.samples) {
                        // An iterator over the three takes many times as long in a build for tests.
                        sums[0] += u64::from(pixel[0]);
                        sums[1] += u64::from(pixel[1]);
                        sums[2] += u64::from(pixel[2]);
                    }
                }
                for sum in sums {
                    rgb.push(((sum + count / 2) / count) as u8);
                }
            }
        }
        rgb
    }
}

/// Returns a picture as PNG.
fn written((width, height): (u32, u32), rgb: &[u8]) -> Vec<u8> {
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_filter(Filter::Adaptive);
    let mut writer = encoder.write_header().expect("a size above 0, and memory to write to");
    writer.write_image_data(rgb).expect("three bytes a pixel");
    writer.finish().expect("memory to write to");
    png
}

/// A picture of a screen, as PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    png: Vec<u8>,
}

impl Picture {
    /// Returns noise, whose PNG is as large as a picture's gets, of a display of this size.
    #[cfg(test)]
    pub(crate) fn noise(width: u32, height: u32) -> Picture {
        let mixed = |at: u32| at.wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(2_246_822_519);
        let rgb: Vec<u8> = (0..width * height * 3).map(|at| (mixed(at) >> 24) as u8).collect();
        let png = written((width, height), &rgb);
        Pixels::read(&png, (width, height)).expect("a picture of many colours").picture()
    }

    /// Returns width and height of the display, in the pixels of widgets' bounds.
    pub fn display(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Returns the bytes of the PNG.
    pub fn png(&self) -> &[u8] {
        &self.png
    }

    /// Returns the PNG as text, as JSON and the addresses of pages have it.
    pub fn base64(&self) -> String {
        BASE64.encode(&self.png)
    }
}

/// A picture as it is written.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    width: u32,
    height: u32,
    png: String,
}

impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Form { width: self.width, height: self.height, png: self.base64() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Picture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Picture, D::Error> {
        let Form { width, height, png } = Form::deserialize(deserializer)?;
        if !(1..=SIDE_MAX).contains(&width) || !(1..=SIDE_MAX).contains(&height) {
            return Err(D::Error::custom(format!("no display is {width} x {height} pixels large")));
        }
        // Before it is decoded: bytes take four thirds as many letters.
        if png.len() > READ_MAX / 3 * 4 {
            return Err(D::Error::custom(format!("a picture has more than {READ_MAX} bytes")));
        }
        let png = BASE64
            .decode(png)
            .map_err(|error| D::Error::custom(format!("a picture is no base64: {error}")))?;
        if !png.starts_with(SIGNATURE) {
            return Err(D::Error::custom("a picture is no PNG"));
        }
        Ok(Picture { width, height, png })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A PNG of a display, in the colours of `colour`.
    fn display(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let rgb: Vec<u8> = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| colour(x, y))
            .collect();
        written((width, height), &rgb)
    }

    /// The colours of a picture.
    fn decoded(picture: &Picture) -> Pixels {
        Pixels::read(picture.png(), picture.display()).expect("a picture")
    }

    #[test]
    fn a_picture_is_small_and_of_the_same_colours_in_the_same_places() {
        let png = display(1080, 2400, |_, y| if y < 1200 { [200, 10, 20] } else { [0, 0, 255] });
        let pixels = Pixels::read(&png, (1080, 2400)).expect("a picture");
        let picture = pixels.picture();
        assert_eq!((picture.display(), pixels.size), ((1080, 2400), (360, 800)));
        let again = decoded(&picture);
        assert_eq!(&again.rgb[..3], [200, 10, 20]);
        assert_eq!(again.rgb[again.rgb.len() - 3..], [0, 0, 255]);
    }

    #[test]
    fn noise_is_made_smaller_until_it_fits() {
        let picture = Picture::noise(1000, 1000);
        assert!(picture.png().len() <= BYTES_MAX, "{}", picture.png().len());
    }

    #[test]
    fn a_display_may_be_turned_and_its_widgets_may_be_counted_in_other_pixels() {
        let png = display(200, 100, |x, _| [x as u8, 0, 0]);
        let turned = Pixels::read(&png, (100, 200)).expect("a picture");
        assert_eq!(turned.display, (200, 100));
        let mut fine = Pixels::read(&png, (200, 400)).expect("a picture");
        assert_eq!(fine.display, (400, 200));
        fine.black_out(Bounds::new(201, 0, 399, 200));
        let is_black = |x: usize| fine.rgb[x * 3..x * 3 + 3] == [0; 3];
        assert_eq!([99, 100, 199].map(is_black), [false, true, true]);
    }

    #[test]
    fn an_answer_without_a_picture_of_the_display_gives_none() {
        let png = display(20, 40, |x, _| [x as u8, 0, 0]);
        let warned = [b"[Warning] Multiple displays were found\n".as_slice(), &png].concat();
        assert!(Pixels::read(&warned, (20, 40)).is_some());
        assert_eq!(Pixels::read(&png, (30, 40)), None);
        assert_eq!(Pixels::read(&png[..png.len() / 2], (20, 40)), None);
        assert_eq!(Pixels::read(b"", (20, 40)), None);
        assert_eq!(Pixels::read(&display(20, 40, |_, _| [0; 3]), (20, 40)), None);
    }

    #[test]
    fn a_written_picture_is_read_again_and_another_text_is_not() {
        let png = display(20, 40, |x, y| [x as u8, y as u8, 0]);
        let picture = Pixels::read(&png, (20, 40)).expect("a picture").picture();
        let text = serde_json::to_string(&picture).expect("JSON");
        assert_eq!(serde_json::from_str::<Picture>(&text).expect("a picture"), picture);
        for (from, to, part) in [
            ("\"width\":20", "\"width\":0", "no display"),
            ("iVBOR", "!VBOR", "no base64"),
            ("iVBOR", "AAAAA", "no PNG"),
        ] {
            let error =
                serde_json::from_str::<Picture>(&text.replace(from, to)).expect_err("a mistake").to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn nothing_of_a_widget_is_left_once_it_is_blacked_out(
            (width, height) in prop_oneof![(1_u32..300, 1_u32..300), (1_u32..10, 1_u32..2000), (801_u32..1200, 1_u32..80)],
            (left, top) in (0_i32..400, 0_i32..400),
            (across, down) in (1_i32..400, 1_i32..400),
        ) {
            let bounds = Bounds::new(left, top, left + across, top + down);
            let inside = |x: u32, y: u32| {
                (left..left + across).contains(&(x as i32)) && (top..top + down).contains(&(y as i32))
            };
            // The widget is white, and all around it is red.
            let png = display(width, height, |x, y| if inside(x, y) { [255; 3] } else { [255, 0, 0] });
            if let Some(mut pixels) = Pixels::read(&png, (width, height)) {
                pixels.black_out(bounds);
                prop_assert!(pixels.rgb.chunks_exact(3).all(|pixel| pixel[1] == 0 && pixel[2] == 0));
            }
        }

        #[test]
        fn no_answer_of_a_phone_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), cut in 0_usize..200) {
            let mut png = display(30, 50, |x, y| [x as u8, y as u8, 7]);
            png.truncate(cut.max(8));
            png.extend(bytes);
            let _ = Pixels::read(&png, (30, 50));
        }
    }
}
