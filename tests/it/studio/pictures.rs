//! Pictures of the page beside those that were looked at: `studio/pictures/` has one of each state.
//!
//! `FARLEAD_TEST_REFERENCES=1 cargo test --test it studio` takes them anew. Fonts differ from machine to machine, so parts
//! of a picture are compared, and not its points.

use std::fs;
use std::path::PathBuf;

use png::{ColorType, Decoder, Encoder};

/// Points of a screenshot in one point of a reference, along a side.
const SHRUNK: usize = 2;
/// Points of a reference in one part, along a side.
const PART: usize = 8;
/// Difference of two parts that counts, of 255.
const DIFFERENT: f64 = 32.0;
/// Most parts of a hundred that may differ.
const DIFFERENT_MAX: f64 = 4.0;

/// Picture in three channels.
struct Image {
    width: usize,
    height: usize,
    points: Vec<[u8; 3]>,
}

impl Image {
    fn read(png: &[u8]) -> Image {
        let mut reader = Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("a picture");
        let channels = match info.color_type {
            ColorType::Rgb => 3,
            ColorType::Rgba => 4,
            other => panic!("a picture of {other:?}"),
        };
        let points = bytes[..info.buffer_size()].chunks_exact(channels).map(|one| [one[0], one[1], one[2]]);
        Image { width: info.width as usize, height: info.height as usize, points: points.collect() }
    }

    /// Returns the mean of each square of so many points along a side.
    fn squares(&self, side: usize) -> Image {
        let (width, height) = (self.width / side, self.height / side);
        let mean = |x: usize, y: usize| {
            let rows = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
            let sum = rows.fold([0_usize; 3], |sum, (row, column)| {
                let point = self.points[(y * side + row) * self.width + x * side + column];
                [0, 1, 2].map(|channel| sum[channel] + usize::from(point[channel]))
            });
            sum.map(|sum| (sum / (side * side)) as u8)
        };
        let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| mean(x, y));
        Image { width, height, points: points.collect() }
    }

    fn png(&self) -> Vec<u8> {
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, self.width as u32, self.height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(self.points.as_flattened()).expect("points");
        writer.finish().expect("an end");
        png
    }

    /// Returns how many parts of a hundred differ, over what both pictures have.
    fn difference(&self, other: &Image) -> f64 {
        let (one, other) = (self.squares(PART), other.squares(PART));
        let (width, height) = (one.width.min(other.width), one.height.min(other.height));
        let at = |image: &Image, x: usize, y: usize| image.points[y * image.width + x];
        let differs = |x: usize, y: usize| {
            let pairs = at(&one, x, y).into_iter().zip(at(&other, x, y));
            pairs.into_iter().any(|(one, other)| f64::from(one.abs_diff(other)) > DIFFERENT)
        };
        let parts = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        100.0 * parts.filter(|&(x, y)| differs(x, y)).count() as f64 / (width * height) as f64
    }
}

/// Checks that a screenshot looks like the reference of this name.
#[track_caller]
pub fn looks_like(name: &str, screenshot: &[u8]) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/studio/pictures");
    let path = folder.join(format!("{name}.png"));
    let taken = Image::read(screenshot).squares(SHRUNK);
    if std::env::var_os("FARLEAD_TEST_REFERENCES").is_some() {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(&path, taken.png()).expect("a file");
        return;
    }
    let reference = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let difference = Image::read(&reference).difference(&taken);
    if difference > DIFFERENT_MAX {
        let kept = std::env::temp_dir().join(format!("farlead-studio-{name}.png"));
        fs::write(&kept, screenshot).expect("a file");
        panic!("{difference:.1} % of {name} differ from the reference; the picture is in {}", kept.display());
    }
}

#[test]
fn another_picture_differs_and_a_moved_letter_does_not() {
    let image = |dark: std::ops::Range<usize>| {
        let points = (0..64 * 64).map(|at| if dark.contains(&(at % 64)) { [0; 3] } else { [255; 3] });
        Image { width: 64, height: 64, points: points.collect() }
    };
    let (one, moved, other) = (image(20..21), image(22..23), image(20..40));
    assert_eq!(one.difference(&moved), 0.0);
    assert!(one.difference(&other) > DIFFERENT_MAX);
    assert_eq!(Image::read(&one.png()).points, one.points);
}
