//! Reads any bytes as the list of a phone's touch screens, up to the first empty line, and as the stream of events behind it: the
//! same gestures in whatever pieces it comes, each within its panel, and no more memory than a line takes.

#![no_main]

use farlead::device::android::touches::{Follower, Told, Turned, panels};
use farlead::device::android::window;
use libfuzzer_sys::fuzz_target;

/// Display that the touches are on.
const SIZE: (u32, u32) = (1_080, 2_400);

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(0);
    let list = String::from_utf8_lossy(&bytes[..end]);
    let panels = panels(&list);
    assert!(panels.len() <= 32);
    let _ = (window::keyboard(&list, SIZE), window::bar(&list, SIZE));
    let told = Follower::new(&panels).read(&bytes[end..]);
    let mut slow = Follower::new(&panels);
    let pieces: Vec<Told> = bytes[end..].chunks(7).flat_map(|piece| slow.read(piece)).collect();
    assert_eq!(told, pieces);
    // A finger comes down before it is lifted.
    let count = |is_it: fn(&Told) -> bool| told.iter().filter(|one| is_it(one)).count();
    assert!(count(|one| matches!(one, Told::Up(_))) <= count(|one| matches!(one, Told::Down)));
    for one in &told {
        let Told::Up(touched) = one else { continue };
        for quarters in 0..4 {
            let size = if quarters % 2 == 1 { (SIZE.1, SIZE.0) } else { SIZE };
            for point in [touched.from, touched.to] {
                let (x, y) = panels[touched.panel].place(point, Turned { quarters, size });
                assert!((0..size.0 as i32).contains(&x) && (0..size.1 as i32).contains(&y));
            }
        }
    }
});
