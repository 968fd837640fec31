//! Small tools for files and facts: `ls`, `cat`, `rm`, `id`, `date` and their kin.

use std::sync::Arc;

use super::base64::{base64, from_base64};
use super::clock::Moment;
use super::files::{FileError, Removal, Stat, base_name, fits, parent};
use super::io::{Io, shown};
use super::system::Phone;
use super::version::AndroidVersion;

/// User id of the shell.
const SHELL_UID: u32 = 2000;

/// Number of files, or of lines of `seq`, at most.
const FILES_MAX: usize = 20_000;

/// Splits arguments into the letters of the leading options and the other words.
pub(super) fn options(args: &[String]) -> (String, &[String]) {
    let count =
        args.iter().take_while(|word| word.len() > 1 && word.starts_with('-') && *word != "--").count();
    let letters = args[..count].iter().flat_map(|word| word[1..].chars()).collect();
    let count = count + usize::from(args.get(count).is_some_and(|word| word == "--"));
    (letters, &args[count..])
}

/// `test`: the exit code of a condition.
pub(super) fn test(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    u8::from(!tested(phone, args, io))
}

/// `[`: as `test`, with a bracket behind the condition.
pub(super) fn bracket(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    match args.split_last() {
        Some((last, rest)) if last == "]" => u8::from(!tested(phone, rest, io)),
        _ => io.complain("/system/bin/sh: [: missing ]").max(2),
    }
}

pub(super) fn succeed(_phone: &mut Phone, _args: &[String], _io: &mut Io) -> u8 {
    0
}

pub(super) fn fail(_phone: &mut Phone, _args: &[String], _io: &mut Io) -> u8 {
    1
}

pub(super) fn pwd(_phone: &mut Phone, _args: &[String], io: &mut Io) -> u8 {
    let folder = io.folder.clone();
    io.answer(&folder)
}

pub(super) fn dirname(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    io.answer(parent(args.first().map_or("", String::as_str)))
}

pub(super) fn basename(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let name = base_name(args.first().map_or("", String::as_str));
    let name = args.get(1).and_then(|end| name.strip_suffix(end.as_str())).unwrap_or(name);
    io.answer(name)
}

pub(super) fn whoami(_phone: &mut Phone, _args: &[String], io: &mut Io) -> u8 {
    io.answer("shell")
}

pub(super) fn uptime(phone: &mut Phone, _args: &[String], io: &mut Io) -> u8 {
    let minutes = phone.uptime_ms / 60_000;
    io.answer(&format!(" up {minutes} min,  0 users,  load average: 0.00, 0.00, 0.00"))
}

pub(super) fn env(_phone: &mut Phone, _args: &[String], io: &mut Io) -> u8 {
    io.answer("PATH=/system/bin\nHOME=/\nUSER=shell\nSHELL=/bin/sh")
}

/// `dd`: copies its input to its output, whatever its options.
pub(super) fn dd(_phone: &mut Phone, _args: &[String], io: &mut Io) -> u8 {
    let input = io.input.rest().to_vec();
    io.write(&input);
    0
}

/// `bugreport` and `bugreportz`: refused, as a simulated phone has nothing to report.
pub(super) fn bugreport(tool: &str, args: &[String], io: &mut Io) -> u8 {
    if tool == "bugreportz" && args.first().is_some_and(|word| word == "-v") {
        io.complain("1.1");
        return 0;
    }
    io.say("FAIL: a simulated phone writes no reports of bugs");
    1
}

fn tested(phone: &Phone, args: &[String], io: &Io) -> bool {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    // `-o` binds less than `-a`, so it splits the words first.
    if let Some(at) = words.iter().position(|word| *word == "-o").filter(|&at| at > 0) {
        return tested(phone, &args[..at], io) || tested(phone, &args[at + 1..], io);
    }
    if let Some(at) = words.iter().position(|word| *word == "-a").filter(|&at| at > 0) {
        return tested(phone, &args[..at], io) && tested(phone, &args[at + 1..], io);
    }
    let number = |word: &str| word.trim().parse::<i64>().unwrap_or(0);
    let file = |word: &str| phone.files.stat(&io.path(word));
    match words[..] {
        [] => false,
        ["!", ..] => !tested(phone, &args[1..], io),
        [word] => !word.is_empty(),
        ["-n", word] => !word.is_empty(),
        ["-z", word] => word.is_empty(),
        ["-e" | "-r" | "-w", word] => file(word).is_some(),
        ["-f", word] => file(word).is_some_and(|stat| !stat.is_folder()),
        ["-d", word] => file(word).is_some_and(Stat::is_folder),
        ["-s", word] => file(word).is_some_and(|stat| stat.size > 0),
        ["-x", word] => file(word).is_some_and(|stat| stat.mode & 0o111 != 0),
        [left, "=" | "==", right] => left == right,
        [left, "!=", right] => left != right,
        [left, "-eq", right] => number(left) == number(right),
        [left, "-ne", right] => number(left) != number(right),
        [left, "-lt", right] => number(left) < number(right),
        [left, "-le", right] => number(left) <= number(right),
        [left, "-gt", right] => number(left) > number(right),
        [left, "-ge", right] => number(left) >= number(right),
        _ => false,
    }
}

pub(super) fn echo(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let options = args.iter().take_while(|word| matches!(word.as_str(), "-n" | "-e" | "-ne" | "-en")).count();
    // `-ne` has both letters in one option.
    let has_line_end = !args[..options].iter().any(|word| word.contains('n'));
    let text = args[options..].join(" ");
    // mksh reads escapes with and without `-e`.
    let bytes = unescaped(&text);
    io.write(&bytes);
    if has_line_end {
        io.write(b"\n");
    }
    0
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match letters.next() {
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('0') => {
                // Octal, and only the lowest byte counts.
                let mut number = 0_u32;
                while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(8)) {
                    number = (number * 8 + digit) & 0xff;
                    letters.next();
                }
                bytes.push(number as u8);
            }
            Some('\\') => bytes.push(b'\\'),
            Some(other) => {
                bytes.push(b'\\');
                bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            }
            None => bytes.push(b'\\'),
        }
    }
    bytes
}

pub(super) fn printf(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let Some((format, words)) = args.split_first() else {
        return io.complain("/system/bin/sh: printf: not enough arguments");
    };
    // As long as words are left, the format starts again.
    let mut words = words.iter();
    loop {
        let before = words.len();
        let mut line = String::new();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                line.push(letter);
                continue;
            }
            match letters.next() {
                Some('s' | 'b') => line.push_str(words.next().map_or("", String::as_str)),
                Some('d' | 'i' | 'u') => {
                    let number = words.next().and_then(|word| word.trim().parse::<i64>().ok()).unwrap_or(0);
                    line.push_str(&number.to_string());
                }
                Some('%') => line.push('%'),
                Some(other) => line.extend(['%', other]),
                None => line.push('%'),
            }
        }
        let bytes = unescaped(&line);
        io.write(&bytes);
        // A format that takes no word would never end.
        if words.len() == 0 || words.len() == before {
            return 0;
        }
    }
}

pub(super) fn cat(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (_, names) = options(args);
    let mut code = 0;
    let stdin = ["-".to_string()];
    for name in if names.is_empty() { &stdin } else { names } {
        match read(phone, name, io) {
            Ok(bytes) => io.write(&bytes),
            Err(error) => code = io.complain(&format!("cat: {}: {error}", shown(name))),
        }
    }
    code
}

/// Returns the bytes of a file named on a command line, or of the input for `-`.
pub(super) fn read(phone: &Phone, name: &str, io: &mut Io) -> Result<Arc<[u8]>, FileError> {
    if name == "-" {
        let bytes = io.input.rest();
        let bytes: Arc<[u8]> = bytes.into();
        io.moved = io.moved.saturating_add(bytes.len());
        return Ok(bytes);
    }
    match io.path(name).as_str() {
        // These have no bytes of their own: the clock and the processes change without a write.
        "/proc/version" => Ok(b"Linux version 5.15.0 (sim)\n"[..].into()),
        "/proc/uptime" => {
            let (seconds, hundredths) = (phone.uptime_ms / 1000, phone.uptime_ms % 1000 / 10);
            Ok(format!("{seconds}.{hundredths:02} 0.00\n").into_bytes().into())
        }
        path => {
            if let Some(line) = phone.command_line(path) {
                return Ok(line.into());
            }
            let bytes = phone.files.read(path)?;
            io.moved = io.moved.saturating_add(bytes.len());
            Ok(bytes)
        }
    }
}

fn rights(stat: Stat) -> String {
    let kind = match stat.mode & 0o170_000 {
        0o040_000 => 'd',
        0o020_000 => 'c',
        _ => '-',
    };
    let letters = (0..9).map(|place| {
        let is_set = stat.mode >> (8 - place) & 1 == 1;
        if is_set { ['r', 'w', 'x'][place % 3] } else { '-' }
    });
    std::iter::once(kind).chain(letters).collect()
}

fn owner(path: &str) -> (&'static str, &'static str) {
    if path.starts_with("/data/local") {
        ("shell", "shell")
    } else if path.starts_with("/storage") {
        ("root", "sdcard_rw")
    } else {
        ("root", "root")
    }
}

fn long_line(path: &str, name: &str, stat: Stat) -> String {
    let (user, group) = owner(path);
    let moment = Moment::of(stat.mtime);
    format!("{} 1 {user} {group} {:>8} {} {name}", rights(stat), stat.size, moment.date_and_minute())
}

pub(super) fn ls(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (letters, names) = options(args);
    let here = [".".to_string()];
    let names = if names.is_empty() { &here } else { names };
    let (is_long, is_itself) = (letters.contains('l'), letters.contains('d'));
    let mut code = 0;
    for name in names {
        let path = io.path(name);
        let Some(stat) = phone.files.stat(&path) else {
            code = io.complain(&format!("ls: {}: No such file or directory", shown(name)));
            continue;
        };
        if !stat.is_folder() || is_itself {
            let line = if is_long { long_line(&path, name, stat) } else { name.clone() };
            io.say(&line);
            continue;
        }
        let inside = match phone.files.list(&path) {
            Ok(inside) => inside,
            Err(error) => {
                code = io.complain(&format!("ls: {}: {error}", shown(name)));
                continue;
            }
        };
        // Several folders are told apart by their names.
        if names.len() > 1 {
            io.say(&format!("{name}:"));
        }
        if is_long {
            io.say(&format!(
                // In blocks of 4 kB, counted in kB.
                "total {}",
                inside.iter().map(|(_, stat)| stat.size.div_ceil(4096) * 4).sum::<u64>()
            ));
        }
        for (name, stat) in inside {
            // Names with a dot are hidden.
            if name.starts_with('.') && !letters.contains(['a', 'A']) {
                continue;
            }
            let line = if is_long { long_line(&format!("{path}/{name}"), &name, stat) } else { name };
            io.say(&line);
        }
    }
    code
}

pub(super) fn rm(phone: &mut Phone, tool: &str, args: &[String], io: &mut Io) -> u8 {
    let (letters, names) = options(args);
    let is_forced = letters.contains('f');
    let removal = if letters.contains(['r', 'R']) { Removal::WithContents } else { Removal::Single };
    let mut code = 0;
    if names.is_empty() && !is_forced {
        return io.complain(&format!("{tool}: Needs 1 argument"));
    }
    for name in names {
        let path = io.path(name);
        let is_folder = phone.files.stat(&path).is_some_and(Stat::is_folder);
        // `rm` refuses folders and `rmdir` files; the tree of files finds all other errors.
        let removed = match (tool, is_folder) {
            ("rm", true) if removal == Removal::Single => Err(FileError::Folder),
            ("rmdir", false) if phone.files.stat(&path).is_some() => Err(FileError::NoFolder),
            _ => phone.files.remove(&path, removal),
        };
        match removed {
            // `-f` is silent about missing files and reports everything else.
            Err(FileError::Missing) if is_forced => {}
            Err(error) => code = io.complain(&format!("{tool}: {}: {error}", shown(name))),
            Ok(()) => {}
        }
    }
    code
}

pub(super) fn mkdir(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (letters, names) = options(args);
    let makes_all = letters.contains('p');
    let now_s = phone.now_s();
    let mut code = 0;
    for name in names {
        let path = io.path(name);
        // `-p` also accepts that the folder exists.
        if makes_all {
            phone.files.make_folders_for(&path, now_s);
        }
        match phone.files.make_folder(&path, now_s) {
            Ok(()) => {}
            Err(FileError::Exists) if makes_all => {}
            Err(error) => code = io.complain(&format!("mkdir: '{}': {error}", shown(name))),
        }
    }
    code
}

pub(super) fn copy(phone: &mut Phone, tool: &str, args: &[String], io: &mut Io) -> u8 {
    let (_, names) = options(args);
    let Some((to, from)) = names.split_last().filter(|(_, from)| !from.is_empty()) else {
        return io.complain(&format!("{tool}: Needs 2 arguments"));
    };
    let target = io.path(to);
    // Into a folder a copy keeps its name.
    let is_into = phone.files.stat(&target).is_some_and(Stat::is_folder);
    let mut code = 0;
    for name in from {
        let path = io.path(name);
        let target = if is_into { format!("{target}/{}", base_name(&path)) } else { target.clone() };
        let now_s = phone.now_s();
        // A copy keeps the rights of its source.
        let mode = phone.files.stat(&path).map_or(0o644, |stat| stat.mode);
        // A file onto itself must neither be written nor, by `mv`, removed.
        let done =
            phone
                .files
                .read(&path)
                .and_then(|bytes| {
                    if path == target { Ok(()) } else { phone.files.write(&target, mode, now_s, bytes) }
                })
                .and_then(|()| {
                    if tool == "mv" && path != target {
                        phone.files.remove(&path, Removal::Single)
                    } else {
                        Ok(())
                    }
                });
        if let Err(error) = done {
            code = io.complain(&format!("{tool}: {}: {error}", shown(name)));
        }
    }
    code
}

pub(super) fn touch(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (_, names) = options(args);
    let now_s = phone.now_s();
    let mut code = 0;
    for name in names {
        // Appending nothing sets the time of a file that exists.
        if let Err(error) = phone.files.append(&io.path(name), now_s, &[]) {
            code = io.complain(&format!("touch: '{}': {error}", shown(name)));
        }
    }
    code
}

pub(super) fn chmod(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (_, words) = options(args);
    let Some((mode, names)) = words.split_first() else { return io.complain("chmod: Needs 2 arguments") };
    let mut code = 0;
    for name in names {
        let path = io.path(name);
        let old = phone.files.stat(&path).map_or(0, |stat| stat.mode);
        let mode = match u32::from_str_radix(mode, 8) {
            Ok(mode) => mode,
            // Of the symbolic modes clients send `+x`.
            Err(_) if mode.contains('x') => old | 0o111,
            Err(_) => old,
        };
        if let Err(error) = phone.files.set_mode(&path, mode) {
            code = io.complain(&format!("chmod: '{}' to '{}': {error}", shown(name), shown(&words[0])));
        }
    }
    code
}

pub(super) fn stat(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (format, names) = match args {
        [option, format, names @ ..] if option == "-c" => (Some(format.as_str()), names),
        names => (None, names),
    };
    let mut code = 0;
    for name in names {
        let path = io.path(name);
        let Some(stat) = phone.files.stat(&path) else {
            code = io.complain(&format!("stat: '{}': No such file or directory", shown(name)));
            continue;
        };
        let line = match format {
            Some(format) => format
                .replace("%s", &stat.size.to_string())
                .replace("%a", &format!("{:o}", stat.mode & 0o777))
                .replace("%Y", &stat.mtime.to_string())
                .replace("%n", name),
            None => format!(
                "  File: {name}\n  Size: {}\t Blocks: {}\t IO Blocks: 512\t{}\nAccess: ({:04o}/{})\tUid: ( 2000/   shell)\tGid: ( 2000/   shell)",
                stat.size,
                stat.size.div_ceil(512),
                if stat.is_folder() { "directory" } else { "regular file" },
                stat.mode & 0o777,
                rights(stat)
            ),
        };
        io.say(&line);
    }
    code
}

pub(super) fn find(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let root = args.first().filter(|word| !word.starts_with('-')).map_or(".", String::as_str);
    let value = |option: &str| {
        let at = args.iter().position(|word| word == option)?;
        args.get(at + 1).map(String::as_str)
    };
    let (name, kind) = (value("-name"), value("-type"));
    if phone.files.stat(&io.path(root)).is_none() {
        return io.complain(&format!("find: '{}': No such file or directory", shown(root)));
    }
    // A stack in place of recursion; children go on it in reverse, so that they come off in the order of names.
    let mut left = vec![(root.to_string(), io.path(root))];
    let mut seen = 0;
    while let Some((shown_as, path)) = left.pop() {
        seen += 1;
        // The tree is bounded too, so this only guards the time of one command.
        if seen > FILES_MAX {
            break;
        }
        let is_folder = phone.files.stat(&path).is_some_and(Stat::is_folder);
        let is_kind = kind.is_none_or(|kind| (kind == "d") == is_folder);
        if is_kind && name.is_none_or(|pattern| fits(pattern, base_name(&path))) {
            io.say(&shown_as);
        }
        let inside = phone.files.list(&path).unwrap_or_default();
        left.extend(
            inside
                .into_iter()
                .rev()
                .map(|(name, _)| (format!("{shown_as}/{name}"), format!("{path}/{name}"))),
        );
    }
    0
}

pub(super) type Sum = fn(&[u8]) -> String;

pub(super) fn sum(phone: &Phone, (tool, sum): (&str, Sum), args: &[String], io: &mut Io) -> u8 {
    let (letters, names) = options(args);
    let stdin = ["-".to_string()];
    let mut code = 0;
    for name in if names.is_empty() { &stdin } else { names } {
        match read(phone, name, io) {
            Ok(bytes) if letters.contains('b') => io.say(&sum(&bytes)),
            Ok(bytes) => io.say(&format!("{}  {name}", sum(&bytes))),
            Err(error) => code = io.complain(&format!("{tool}: {}: {error}", shown(name))),
        }
    }
    code
}

pub(super) fn base64_tool(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let is_back = args.iter().any(|word| word == "-d" || word == "-D");
    let at = args.iter().position(|word| word == "-w");
    let width = at.and_then(|at| args.get(at + 1)).and_then(|width| width.parse().ok()).unwrap_or(76);
    // The value of `-w` is no file name.
    let name = args.last().filter(|word| !word.starts_with('-') && at.is_none_or(|at| at + 2 < args.len()));
    match read(phone, name.map_or("-", String::as_str), io) {
        Ok(bytes) => {
            let made = if is_back { from_base64(&bytes) } else { base64(&bytes, width) };
            io.write(&made);
            0
        }
        Err(error) => io.complain(&format!("base64: {error}")),
    }
}

pub(super) fn id(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    match args.first().map(String::as_str) {
        Some("-u" | "-g") => io.answer(&SHELL_UID.to_string()),
        Some("-un" | "-nu" | "-gn" | "-ng") => io.answer("shell"),
        _ => io.answer(
            "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),\
             1028(sdcard_r),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc) \
             context=u:r:shell:s0",
        ),
    }
}

pub(super) fn uname(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (letters, _) = options(args);
    // Kernels of the two generations; nothing depends on more.
    let release = if phone.version >= AndroidVersion::V13 { "5.15.0-sim" } else { "4.14.0-sim" };
    if letters.contains('a') {
        return io.answer(&format!(
            "Linux localhost {release} #1 SMP PREEMPT Mon Jan 1 00:00:00 UTC 2024 x86_64 Toybox"
        ));
    }
    let parts = [('s', "Linux"), ('n', "localhost"), ('r', release), ('m', "x86_64")];
    let asked: Vec<&str> =
        parts.iter().filter(|(letter, _)| letters.contains(*letter)).map(|(_, part)| *part).collect();
    io.answer(&if asked.is_empty() { "Linux".to_string() } else { asked.join(" ") })
}

pub(super) fn date(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let moment = Moment::of(phone.now_s());
    let format = args.iter().find_map(|word| word.strip_prefix('+'));
    let line = match format {
        Some(format) => moment.formatted(format, phone.uptime_ms % 1000),
        None => moment.formatted("%a %b %e %H:%M:%S UTC %Y", 0),
    };
    io.answer(&line)
}

pub(super) fn df(phone: &mut Phone, _args: &[String], io: &mut Io) -> u8 {
    let (all, used) = phone.files.space();
    // `df` counts in kB.
    let [all, used] = [all, used].map(|bytes| bytes / 1024);
    let percent = used * 100 / all.max(1);
    io.say("Filesystem     1K-blocks    Used Available Use% Mounted on");
    io.say(&format!("/dev/block/dm-5 {all:>9} {used:>7} {:>9} {percent:>3}% /data", all - used));
    0
}

pub(super) fn seq(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let number = |at: usize| args.get(at).and_then(|word| word.parse::<i64>().ok());
    let (first, last) = match args.len() {
        1 => (Some(1), number(0)),
        2 => (number(0), number(1)),
        _ => (None, None),
    };
    let (Some(first), Some(last)) = (first, last) else { return io.complain("seq: Needs 1 or 2 numbers") };
    for number in (first..=last).take(FILES_MAX) {
        io.say(&number.to_string());
    }
    0
}
