//! Small tools for files and facts: `ls`, `cat`, `rm`, `id`, `date` and their kin.

use std::sync::Arc;

use super::base64::{base64, from_base64};
use super::files::{FileError, Stat, fits, parent};
use super::io::Io;
use super::shell::{base_name, shown};
use super::{AndroidVersion, Phone, SHELL_UID};
use crate::device::sum::{md5, sha256};

/// How many files a command goes through at most.
const FILES_MAX: usize = 20_000;

/// Runs the tool `name`, which [`super::commands`] knows.
pub(super) fn run(phone: &mut Phone, name: &str, args: &[String], io: &mut Io) -> u8 {
    match name {
        "true" | "sync" => 0,
        "false" => 1,
        "test" => u8::from(!tested(phone, args, io)),
        "[" => match args.split_last() {
            Some((last, rest)) if last == "]" => u8::from(!tested(phone, rest, io)),
            _ => io.complain("/system/bin/sh: [: missing ]").max(2),
        },
        "echo" => echo(args, io),
        "printf" => printf(args, io),
        "pwd" => said(io, &io.folder.clone()),
        "cat" => cat(phone, args, io),
        "ls" => ls(phone, args, io),
        "rm" | "rmdir" => rm(phone, name, args, io),
        "mkdir" => mkdir(phone, args, io),
        "cp" | "mv" => copy(phone, name, args, io),
        "touch" => touch(phone, args, io),
        "chmod" => chmod(phone, args, io),
        "stat" => stat(phone, args, io),
        "find" => find(phone, args, io),
        "md5sum" => sum(phone, (name, md5), args, io),
        "sha256sum" => sum(phone, (name, sha256), args, io),
        "base64" => base64_tool(phone, args, io),
        "dirname" => said(io, parent(args.first().map_or("", String::as_str))),
        "basename" => {
            let name = base_name(args.first().map_or("", String::as_str));
            let name = args.get(1).and_then(|end| name.strip_suffix(end.as_str())).unwrap_or(name);
            said(io, name)
        }
        "id" => id(args, io),
        "whoami" => said(io, "shell"),
        "uname" => uname(phone, args, io),
        "uptime" => {
            let minutes = phone.uptime_ms / 60_000;
            said(io, &format!(" up {minutes} min,  0 users,  load average: 0.00, 0.00, 0.00"))
        }
        "date" => date(phone, args, io),
        "df" => df(phone, io),
        "env" | "printenv" => said(io, "PATH=/system/bin\nHOME=/\nUSER=shell\nSHELL=/bin/sh"),
        "seq" => seq(args, io),
        "dd" => {
            let input = io.input.rest().to_vec();
            io.write(&input);
            0
        }
        name => io.complain(&format!("toybox: Unknown command {}", shown(name))).max(127),
    }
}

fn said(io: &mut Io, line: &str) -> u8 {
    io.say(line);
    0
}

/// The single letters of the options before the first word that is none, and the words.
pub(super) fn options(args: &[String]) -> (String, &[String]) {
    let count =
        args.iter().take_while(|word| word.len() > 1 && word.starts_with('-') && *word != "--").count();
    let letters = args[..count].iter().flat_map(|word| word[1..].chars()).collect();
    let count = count + usize::from(args.get(count).is_some_and(|word| word == "--"));
    (letters, &args[count..])
}

fn tested(phone: &Phone, args: &[String], io: &Io) -> bool {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
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

fn echo(args: &[String], io: &mut Io) -> u8 {
    let options = args.iter().take_while(|word| matches!(word.as_str(), "-n" | "-e" | "-ne" | "-en")).count();
    let has_line_end = !args[..options].iter().any(|word| word.contains('n'));
    let text = args[options..].join(" ");
    // mksh reads escapes whether it is told to or not.
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

fn printf(args: &[String], io: &mut Io) -> u8 {
    let Some((format, words)) = args.split_first() else {
        return io.complain("/system/bin/sh: printf: not enough arguments");
    };
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
        if words.len() == 0 || words.len() == before {
            return 0;
        }
    }
}

fn cat(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
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

/// The bytes of a file that is named on a line, `-` for what is to be read.
pub(super) fn read(phone: &Phone, name: &str, io: &mut Io) -> Result<Arc<[u8]>, FileError> {
    if name == "-" {
        let bytes = io.input.rest();
        let bytes: Arc<[u8]> = bytes.into();
        io.moved = io.moved.saturating_add(bytes.len());
        return Ok(bytes);
    }
    match io.path(name).as_str() {
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
    let moment = super::log::Moment::of(stat.mtime);
    format!("{} 1 {user} {group} {:>8} {} {name}", rights(stat), stat.size, moment.date_and_minute())
}

fn ls(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
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
        if names.len() > 1 {
            io.say(&format!("{name}:"));
        }
        if is_long {
            io.say(&format!(
                "total {}",
                inside.iter().map(|(_, stat)| stat.size.div_ceil(4096) * 4).sum::<u64>()
            ));
        }
        for (name, stat) in inside {
            if name.starts_with('.') && !letters.contains(['a', 'A']) {
                continue;
            }
            let line = if is_long { long_line(&format!("{path}/{name}"), &name, stat) } else { name };
            io.say(&line);
        }
    }
    code
}

fn rm(phone: &mut Phone, tool: &str, args: &[String], io: &mut Io) -> u8 {
    let (letters, names) = options(args);
    let is_forced = letters.contains('f');
    let is_deep = letters.contains(['r', 'R']);
    let mut code = 0;
    if names.is_empty() && !is_forced {
        return io.complain(&format!("{tool}: Needs 1 argument"));
    }
    for name in names {
        let path = io.path(name);
        let is_folder = phone.files.stat(&path).is_some_and(Stat::is_folder);
        let removed = match (tool, is_folder) {
            ("rm", true) if !is_deep => Err(FileError::Folder),
            ("rmdir", false) if phone.files.stat(&path).is_some() => Err(FileError::NoFolder),
            _ => phone.files.remove(&path, is_deep),
        };
        match removed {
            Err(FileError::Missing) if is_forced => {}
            Err(error) => code = io.complain(&format!("{tool}: {}: {error}", shown(name))),
            Ok(()) => {}
        }
    }
    code
}

fn mkdir(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (letters, names) = options(args);
    let makes_all = letters.contains('p');
    let now_s = phone.now_s();
    let mut code = 0;
    for name in names {
        let path = io.path(name);
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

fn copy(phone: &mut Phone, tool: &str, args: &[String], io: &mut Io) -> u8 {
    let (_, names) = options(args);
    let Some((to, from)) = names.split_last().filter(|(_, from)| !from.is_empty()) else {
        return io.complain(&format!("{tool}: Needs 2 arguments"));
    };
    let target = io.path(to);
    let is_into = phone.files.stat(&target).is_some_and(Stat::is_folder);
    let mut code = 0;
    for name in from {
        let path = io.path(name);
        let target = if is_into { format!("{target}/{}", base_name(&path)) } else { target.clone() };
        let now_s = phone.now_s();
        let mode = phone.files.stat(&path).map_or(0o644, |stat| stat.mode);
        let done =
            phone
                .files
                .read(&path)
                .and_then(|bytes| {
                    if path == target { Ok(()) } else { phone.files.write(&target, mode, now_s, bytes) }
                })
                .and_then(|()| {
                    if tool == "mv" && path != target { phone.files.remove(&path, false) } else { Ok(()) }
                });
        if let Err(error) = done {
            code = io.complain(&format!("{tool}: {}: {error}", shown(name)));
        }
    }
    code
}

fn touch(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (_, names) = options(args);
    let now_s = phone.now_s();
    let mut code = 0;
    for name in names {
        if let Err(error) = phone.files.append(&io.path(name), now_s, &[]) {
            code = io.complain(&format!("touch: '{}': {error}", shown(name)));
        }
    }
    code
}

fn chmod(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (_, words) = options(args);
    let Some((mode, names)) = words.split_first() else { return io.complain("chmod: Needs 2 arguments") };
    let mut code = 0;
    for name in names {
        let path = io.path(name);
        let old = phone.files.stat(&path).map_or(0, |stat| stat.mode);
        let mode = match u32::from_str_radix(mode, 8) {
            Ok(mode) => mode,
            Err(_) if mode.contains('x') => old | 0o111,
            Err(_) => old,
        };
        if let Err(error) = phone.files.set_mode(&path, mode) {
            code = io.complain(&format!("chmod: '{}' to '{}': {error}", shown(name), shown(&words[0])));
        }
    }
    code
}

fn stat(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
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

fn find(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
    let root = args.first().filter(|word| !word.starts_with('-')).map_or(".", String::as_str);
    let value = |option: &str| {
        let at = args.iter().position(|word| word == option)?;
        args.get(at + 1).map(String::as_str)
    };
    let (name, kind) = (value("-name"), value("-type"));
    if phone.files.stat(&io.path(root)).is_none() {
        return io.complain(&format!("find: '{}': No such file or directory", shown(root)));
    }
    let mut left = vec![(root.to_string(), io.path(root))];
    let mut seen = 0;
    while let Some((shown_as, path)) = left.pop() {
        seen += 1;
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

type Sum = fn(&[u8]) -> String;

fn sum(phone: &Phone, (tool, sum): (&str, Sum), args: &[String], io: &mut Io) -> u8 {
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

fn base64_tool(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
    let is_back = args.iter().any(|word| word == "-d" || word == "-D");
    let at = args.iter().position(|word| word == "-w");
    let width = at.and_then(|at| args.get(at + 1)).and_then(|width| width.parse().ok()).unwrap_or(76);
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

fn id(args: &[String], io: &mut Io) -> u8 {
    match args.first().map(String::as_str) {
        Some("-u" | "-g") => said(io, &SHELL_UID.to_string()),
        Some("-un" | "-nu" | "-gn" | "-ng") => said(io, "shell"),
        _ => said(
            io,
            "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),\
             1028(sdcard_r),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc) \
             context=u:r:shell:s0",
        ),
    }
}

fn uname(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
    let (letters, _) = options(args);
    let release = if phone.version >= AndroidVersion::V13 { "5.15.0-sim" } else { "4.14.0-sim" };
    if letters.contains('a') {
        return said(
            io,
            &format!("Linux localhost {release} #1 SMP PREEMPT Mon Jan 1 00:00:00 UTC 2024 x86_64 Toybox"),
        );
    }
    let parts = [('s', "Linux"), ('n', "localhost"), ('r', release), ('m', "x86_64")];
    let asked: Vec<&str> =
        parts.iter().filter(|(letter, _)| letters.contains(*letter)).map(|(_, part)| *part).collect();
    said(io, &if asked.is_empty() { "Linux".to_string() } else { asked.join(" ") })
}

fn date(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
    let moment = super::log::Moment::of(phone.now_s());
    let format = args.iter().find_map(|word| word.strip_prefix('+'));
    let line = match format {
        Some(format) => moment.formatted(format, phone.uptime_ms % 1000),
        None => moment.formatted("%a %b %e %H:%M:%S UTC %Y", 0),
    };
    said(io, &line)
}

fn df(phone: &Phone, io: &mut Io) -> u8 {
    let (all, used) = phone.files.space();
    let [all, used] = [all, used].map(|bytes| bytes / 1024);
    let percent = used * 100 / all.max(1);
    io.say("Filesystem     1K-blocks    Used Available Use% Mounted on");
    io.say(&format!("/dev/block/dm-5 {all:>9} {used:>7} {:>9} {percent:>3}% /data", all - used));
    0
}

fn seq(args: &[String], io: &mut Io) -> u8 {
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
