//! The store: files written whole or not at all, on a disk that fails at every call, and by processes that are
//! killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use farlead::agent::{AgentInfo, PLANNER, RANDOM};
use farlead::device::sim;
use farlead::event::{Event, FORMAT, Outcome, RunBegan, SpecBegan, SpecEnded, StepTaken};
use farlead::gui::{Bounds, Context, Screen, Widget};
use farlead::rng::Seed;
use farlead::search::{News, Plan, search};
use farlead::spec::{Source, parse};
use farlead::store::disk::Faulty;
use farlead::store::{
    EVENTS_FILE, ReadError, RunError, RunWriter, Runs, ScreenNumbers, read, read_from, write, write_on,
};
use farlead::trace::Trace;

/// Returns an empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Returns all files below `folder`, by their paths relative to it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("a path below").display().to_string();
                files.insert(name.replace('\\', "/"), fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

fn is_left_over(name: &str) -> bool {
    name.ends_with(".tmp")
}

fn screen(text: &str, left: i32) -> Arc<Screen> {
    let bounds = Bounds::new(left, 0, 100, 50);
    let widget = Widget { text: text.into(), bounds, ..Widget::default() };
    Arc::new(Screen::new("org.notes", "org.notes.Main", Context::default(), vec![widget]))
}

fn began(seed: u64) -> Event {
    Event::RunBegan(RunBegan { format: FORMAT, command: "check".to_string(), seed, ..RunBegan::default() })
}

/// Returns the events of a whole run, different for each number.
fn events(number: u64) -> Vec<Event> {
    let mut events = vec![began(number)];
    for spec in 0..3 {
        events.push(Event::SpecBegan(SpecBegan { spec, name: format!("{number}"), ..SpecBegan::default() }));
        for episode in 1..=8 {
            let text = "x".repeat((number as usize * 37 + spec * 400 + episode as usize) % 3_000);
            let screen = events.iter().filter(|event| matches!(event, Event::ScreenMet { .. })).count();
            events.push(Event::ScreenMet { screen, seen: self::screen(&text, 0) });
            events.push(Event::EpisodeEnded { spec, episode, steps: number, closest: None });
        }
        events.push(Event::SpecEnded(Box::new(SpecEnded {
            spec,
            ..SpecEnded::new(Outcome::Passed, "done", 0)
        })));
    }
    events.push(Event::RunEnded { exit: 0 });
    events
}

fn write_run(runs: &Runs, keep: usize) -> Result<RunWriter, RunError> {
    let mut writer = runs.begin(keep)?;
    events(u64::from(writer.number())).iter().try_for_each(|event| writer.add(event))?;
    Ok(writer)
}

/// Returns the events in the folder of a run, without a torn one.
#[track_caller]
fn read_run(folder: &Path) -> Vec<Event> {
    match read(folder) {
        Ok(events) => events.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}")),
        Err(ReadError::Empty { .. }) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

fn names(runs: &Runs) -> Vec<String> {
    let folders = runs.list().expect("a folder of runs");
    folders.iter().map(|folder| folder.file_name().expect("a name").to_string_lossy().into_owned()).collect()
}

#[test]
fn a_write_that_fails_at_any_call_leaves_the_file_as_it_was_or_as_it_is_to_be() {
    let folder = folder("fails");
    let (old, new) = (b"old\n".repeat(1_000), b"new and longer\n".repeat(1_000));
    let path = folder.join("tests/notes/save.test.ltl");
    for make in [Faulty::once, Faulty::for_good] {
        for (fails_at, is_new) in (0..).map(|at| (at / 2, at % 2 == 0)) {
            fs::remove_dir_all(folder.join("tests")).unwrap_or_default();
            if !is_new {
                write(&path, &old).expect("a file");
                write(&path.with_file_name("other"), b"other").expect("a file");
            }
            let disk = make(fails_at);
            let written = write_on(&disk, &path, &new);
            match fs::read(&path) {
                Ok(found) if found == new => {}
                Ok(found) => assert!(written.is_err() && !is_new && found == old, "call {fails_at}"),
                Err(_) => assert!(written.is_err() && is_new, "call {fails_at}"),
            }
            if let Err(error) = &written {
                let message = error.to_string();
                assert!(message.contains("save.test.ltl: this disk fails on purpose at call"), "{message}");
            }
            // The next writer removes what this one could not.
            write(&path, &new).expect("a disk that works");
            let left = files(&folder);
            assert!(left["tests/notes/save.test.ltl"] == new && left.len() == if is_new { 1 } else { 2 });
            if !disk.has_failed() && !is_new {
                assert!(written.is_ok() && fails_at >= 5, "{fails_at} calls");
                break;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("links");
    let (path, link) = (folder.join("real"), folder.join("link"));
    fs::write(&path, "old").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("real", &link).expect("a link");
    write(&link, b"new").expect("a file");
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::read(&path).expect("the file"), b"new");
    assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o640);
    let dangling = folder.join("dangling");
    symlink("deeper/target", &dangling).expect("a link");
    write(&dangling, b"new").expect("a file");
    assert_eq!(fs::read(folder.join("deeper/target")).expect("the file"), b"new");
    symlink("circle", folder.join("circle")).expect("a link");
    let error = write(&folder.join("circle"), b"new").expect_err("no file").to_string();
    assert!(error.contains("links in a row"), "{error}");
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = folder("no_file");
    for (path, part) in [(folder.clone(), "is no file"), (folder.join(".."), "names no file")] {
        let error = write(&path, b"x").expect_err("no file").to_string();
        assert!(error.starts_with("cannot write ") && error.contains(part), "{error}");
    }
    fs::write(folder.join("file"), "").expect("a file");
    write(&folder.join("file/below"), b"x").expect_err("a file is no folder");
    assert_eq!(files(&folder).len(), 1);
}

#[test]
fn what_another_is_at_writing_is_left_alone() {
    let folder = folder("at_it");
    let (left, held) = (folder.join(".farlead-1-0.tmp"), folder.join(".farlead-1-1.tmp"));
    fs::write(&left, "half").expect("a file");
    let file = fs::File::create_new(&held).expect("a file");
    file.lock().expect("a lock");
    fs::write(folder.join(".mine.tmp"), "").expect("a file");
    write(&folder.join("a"), b"x").expect("a file");
    assert_eq!(files(&folder).into_keys().collect::<Vec<_>>(), [".farlead-1-1.tmp", ".mine.tmp", "a"]);
}

#[test]
fn runs_have_numbers_and_the_oldest_are_dropped() {
    let project = folder("runs");
    let runs = Runs::new(&project);
    assert!(runs.list().expect("none").is_empty() && !project.join(".farlead").exists());
    for number in 1..=5 {
        let writer = write_run(&runs, 3).expect("a run");
        assert_eq!(writer.number(), number);
        assert_eq!(writer.folder(), project.join(format!(".farlead/runs/000{number}")));
    }
    assert_eq!(names(&runs), ["0003", "0004", "0005"]);
    assert_eq!(fs::read(project.join(".farlead/.gitignore")).expect("a file"), b"*\n");
    // A user who removed it does not get it again.
    fs::remove_file(project.join(".farlead/.gitignore")).expect("a file");
    write_run(&runs, 0).expect("a run");
    assert_eq!(names(&runs), ["0006"]);
    assert!(!project.join(".farlead/.gitignore").exists());
    assert_eq!(read_run(&runs.folder().join("0006")), events(6));
    assert_eq!(read_run(&runs.folder().join("0006").join(EVENTS_FILE)), events(6));
}

#[test]
fn what_was_not_made_here_is_never_touched() {
    let project = folder("foreign");
    let runs = Runs::new(&project);
    for name in ["mine/a", "0001/a", "7/a", "00002/a", "0003/lock", "0004/events.jsonl"] {
        let path = runs.folder().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "mine").expect("a file");
    }
    fs::write(runs.folder().join("0009"), "mine").expect("a file");
    let before = files(&project);
    for number in 10..=12 {
        assert_eq!(write_run(&runs, 1).expect("a run").number(), number);
    }
    assert_eq!(names(&runs), ["0012"]);
    let after = files(&project);
    assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)), "{:?}", after.keys());
    assert_eq!(after.len(), before.len() + 2);
}

#[test]
fn a_run_that_is_being_written_is_not_dropped() {
    let project = folder("living");
    let runs = Runs::new(&project);
    let mut first = runs.begin(1).expect("a run");
    first.add(&began(1)).expect("an event");
    // A run that has not begun yet belongs to another process as well.
    let second = runs.begin(1).expect("a run");
    write_run(&runs, 1).expect("a run");
    assert_eq!(names(&runs), ["0001", "0003"]);
    first.add(&Event::RunEnded { exit: 0 }).expect("an event");
    assert_eq!(read_run(first.folder()).len(), 2);
    drop((first, second));
    write_run(&runs, 1).expect("a run");
    assert_eq!(fs::read_dir(runs.folder()).expect("a folder").count(), 1);
}

#[test]
fn runs_that_begin_at_once_get_a_number_each() {
    let project = folder("at_once");
    let runs = Runs::new(&project);
    let mut numbers: Vec<u32> = thread::scope(|scope| {
        let begin = || (0..25).map(|_| write_run(&runs, 2).expect("a run").number()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(begin)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 100);
    write_run(&runs, 2).expect("a run");
    assert_eq!(names(&runs).len(), 2);
    assert_eq!(fs::read_dir(runs.folder()).expect("a folder").count(), 2);
}

#[test]
fn a_disk_that_fails_at_any_call_costs_no_run_and_no_test_of_before() {
    // A run syncs many times, so the initial files are written once and then copied.
    let original = folder("failing_runs_before");
    for _ in 0..3 {
        write_run(&Runs::new(&original), 3).expect("a run");
    }
    write(&original.join("farlead-tests/a/b.test.ltl"), b"a test").expect("a file");
    let before = files(&original);
    for make in [Faulty::once, Faulty::for_good] {
        for fails_at in 0.. {
            let project = folder("failing_runs");
            for (name, bytes) in &before {
                let path = project.join(name);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(path, bytes).expect("a file");
            }
            let runs = Runs::new(&project);
            let disk = Arc::new(make(fails_at));
            let failing = Runs::on(disk.clone(), &project);
            let written = write_run(&failing, 3).map(|writer| writer.number());
            let after = files(&project);
            for (name, bytes) in &before {
                // The oldest of four runs goes once the new one has begun; a reader sees it whole or not at
                // all.
                let may_go =
                    name.starts_with(".farlead/runs/0001/") && project.join(".farlead/runs/0004").exists();
                assert!(after.get(name) == Some(bytes) || (may_go && !after.contains_key(name)), "{name}");
            }
            for folder in runs.list().expect("a folder") {
                let number: u64 =
                    folder.file_name().and_then(|name| name.to_str()?.parse().ok()).expect("a number");
                let read = read_run(&folder);
                assert!(
                    events(number).starts_with(&read) && (number == 4 || read.len() == events(number).len())
                );
            }
            if let Err(error) = &written {
                assert!(error.to_string().contains("on purpose at call"), "{error}");
            }
            let next = write_run(&runs, 2).expect("a disk that works").folder().to_path_buf();
            assert_eq!(read_run(&next).len(), events(1).len());
            assert!(names(&runs).len() == 2 && !files(&project).keys().any(|name| is_left_over(name)));
            assert_eq!(fs::read_dir(runs.folder()).expect("a folder").count(), 2, "call {fails_at}");
            if !disk.has_failed() {
                assert!(written.is_ok() && fails_at > 60, "{fails_at} calls");
                break;
            }
        }
    }
}

#[test]
fn after_a_failure_a_run_takes_nothing_more_and_an_event_out_of_place_is_passed_over() {
    let runs = Runs::on(Arc::new(Faulty::once(25)), &folder("stopped"));
    let mut writer = runs.begin(1).expect("a run");
    let error = writer.add(&Event::RunEnded { exit: 0 }).expect_err("out of place");
    assert!(error.to_string().ends_with("the first event is not `run_began`"), "{error}");
    let mut added = 0;
    let mut events = events(1).into_iter();
    let error = loop {
        match writer.add(&events.next().expect("an event")) {
            Ok(()) => added += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, RunError::Write(_)), "{error}");
    assert!(matches!(writer.add(&events.next().expect("an event")), Err(RunError::Stopped { .. })));
    assert!(added > 0 && read_run(writer.folder()).len() == added);
}

#[cfg(unix)]
#[test]
fn where_nothing_can_be_written_that_is_said_with_the_place() {
    let project = folder("refused");
    fs::write(project.join(".farlead"), "no folder").expect("a file");
    let error = Runs::new(&project).begin(1).expect_err("no folder").to_string();
    assert!(error.starts_with("cannot write ") && error.contains(".farlead/runs: "), "{error}");
}

#[test]
fn screens_have_numbers_by_what_they_look_like_and_where_their_widgets_lie() {
    let mut numbers = ScreenNumbers::new();
    let mut number = |text: &str, left| {
        let (number, met) = numbers.number(&screen(text, left));
        (number, met.is_some())
    };
    assert_eq!(number("a", 0), (0, true));
    assert_eq!(number("b", 0), (1, true));
    assert_eq!(number("a", 5), (2, true));
    assert_eq!(number("a", 0), (0, false));
    assert_eq!(number("a", 5), (2, false));
    assert_eq!(numbers.count(), 3);
}

#[test]
fn the_run_on_the_page_on_formats_is_read_and_written_as_it_stands() {
    let page = fs::read_to_string("docs/formats.md").expect("the page");
    let example = page.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a run");
    let project = folder("page");
    let mut writer = Runs::new(&project).begin(1).expect("a run");
    for event in read_from(example.as_bytes(), Path::new("docs/formats.md")).expect("a first event") {
        writer.add(&event.unwrap_or_else(|error| panic!("{error}"))).expect("an event");
    }
    assert_eq!(fs::read_to_string(writer.folder().join(EVENTS_FILE)).expect("a file"), example);
}

/// Returns the traces of the episodes of a search that finds nothing.
fn searched(agent: &'static AgentInfo, steps_max: u32, episodes_max: u32) -> Vec<Trace> {
    let app = fs::read_to_string("apps/chesswalk.app").expect("the app");
    let model = sim::read(&Source::new("chesswalk.app", app)).model.expect("a model");
    let spec =
        "possible \"none\": F ([activity ~ Settings] & F ([text ~ Move] & X [desc = \"it is not there\"]))";
    let file = parse(&Source::new("none.ltl", spec)).file;
    let plan = Plan { steps_max, episodes_max, ..Plan::new(agent) };
    let mut traces = Vec::new();
    search(&mut sim::Sim::new(Arc::new(model), plan.seed), &file.specs[0], &plan, &mut |news| {
        if let News::EpisodeEnded { trace, .. } = news {
            traces.push(trace());
        }
        true
    })
    .expect("a search");
    traces
}

#[test]
fn a_step_takes_less_than_five_kilobytes_besides_new_screens() {
    for (agent, steps_max, episodes_max) in [(&RANDOM, 1_000, 10), (&PLANNER, 25, 60)] {
        let runs = Runs::new(&folder("sizes"));
        let mut writer = runs.begin(1).expect("a run");
        writer.add(&began(1)).expect("an event");
        let mut numbers = ScreenNumbers::new();
        let (mut steps, mut met_bytes) = (0, 0);
        for (spec, trace) in searched(agent, steps_max, episodes_max).iter().enumerate() {
            writer.add(&Event::SpecBegan(SpecBegan { spec, ..SpecBegan::default() })).expect("an event");
            let mut run = Vec::new();
            for step in &trace.steps {
                let (number, met) = numbers.number(&step.observation.screen);
                if let Some(met) = met {
                    met_bytes += serde_json::to_vec(&met).expect("JSON").len() + 1;
                    writer.add(&met).expect("an event");
                }
                run.push(StepTaken::new(step, number));
            }
            steps += run.len();
            writer.add(&Event::EpisodeEnded { spec, episode: 1, steps: 1, closest: None }).expect("an event");
            let ended = SpecEnded { spec, run, ..SpecEnded::new(Outcome::NotFound, "", 1) };
            writer.add(&Event::SpecEnded(Box::new(ended))).expect("an event");
        }
        writer.add(&Event::RunEnded { exit: 1 }).expect("an event");
        let bytes = fs::metadata(writer.folder().join(EVENTS_FILE)).expect("a file").len() as usize;
        let each = (bytes - met_bytes) / steps;
        eprintln!(
            "{}: {steps} steps, {each} bytes each; {} screens, {met_bytes} bytes",
            agent.name,
            numbers.count()
        );
        assert!(steps >= 1_000 && each < 5_000, "{steps} steps, {each} bytes each");
        assert_eq!(read_run(writer.folder()).last(), Some(&Event::RunEnded { exit: 1 }));
    }
}

/// The variable that tells a process of these tests where to write until it is killed.
const KILLED: &str = "FARLEAD_TEST_WRITES_BELOW";

/// Number of runs kept while processes are killed.
const KEPT: usize = 6;

const TESTS: [&str; 3] = ["a", "b", "c"];

/// Returns the content of the test `name` written by the run `number`.
fn test_text(name: &str, number: u32) -> String {
    format!("{number} {name}\n").repeat(500 + number as usize % 7 * 3_000) + "end\n"
}

#[test]
fn a_process_of_these_tests_writes_until_it_is_killed() {
    let Some(project) = std::env::var_os(KILLED).map(PathBuf::from) else { return };
    let runs = Runs::new(&project);
    loop {
        let number = write_run(&runs, KEPT).expect("a run").number();
        for name in TESTS {
            let path = project.join(format!("farlead-tests/{name}.test.ltl"));
            write(&path, test_text(name, number).as_bytes()).expect("a file");
        }
    }
}

/// The files found whole after each kill.
#[derive(Default)]
struct Whole {
    runs: BTreeMap<u64, Vec<u8>>,
    tests: BTreeMap<&'static str, u32>,
    unfinished: usize,
    torn: usize,
    left_overs: usize,
}

impl Whole {
    fn look(&mut self, project: &Path) {
        let mut numbers = Vec::new();
        for folder in Runs::new(project).list().expect("a folder of runs") {
            let number: u64 =
                folder.file_name().and_then(|name| name.to_str()?.parse().ok()).expect("a number");
            self.look_at_run(number, &folder);
            numbers.push(number);
        }
        assert!(numbers.len() <= KEPT + 1, "{numbers:?}");
        // The newest run may have begun without its first event.
        let kept_from = numbers.iter().rev().nth(KEPT - 2).copied().unwrap_or(0);
        self.runs.retain(|number, _| {
            numbers.contains(number) || {
                assert!(*number < kept_from, "run {number} is lost: {numbers:?}");
                false
            }
        });
        for name in TESTS {
            self.look_at_test(project, name);
        }
        self.left_overs += files(project).keys().filter(|name| is_left_over(name)).count();
    }

    fn look_at_run(&mut self, number: u64, folder: &Path) {
        let bytes = fs::read(folder.join(EVENTS_FILE)).expect("events");
        let (read, expected) = (read_run(folder), events(number));
        assert!(expected.starts_with(&read), "run {number}");
        if let Some(before) = self.runs.get(&number) {
            assert_eq!(*before, bytes, "run {number}");
        } else {
            self.unfinished += usize::from(read.len() < expected.len());
            self.torn += usize::from(!bytes.ends_with(b"\n"));
        }
        self.runs.insert(number, bytes);
    }

    fn look_at_test(&mut self, project: &Path, name: &'static str) {
        let before = self.tests.get(name).copied().unwrap_or(0);
        let Ok(text) = fs::read_to_string(project.join(format!("farlead-tests/{name}.test.ltl"))) else {
            assert_eq!(before, 0, "the test {name} is lost");
            return;
        };
        let number: u32 = text.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
        assert!(number >= before && text == test_text(name, number), "the test {name} is torn");
        self.tests.insert(name, number);
    }
}

#[test]
fn what_was_whole_stays_so_whenever_a_process_is_killed() {
    let project = folder("killed");
    let mut rng = Seed(1).fork("kills");
    let mut whole = Whole::default();
    for _ in 0..100 {
        let mut child = Command::new(std::env::current_exe().expect("these tests"))
            .args([
                "store::a_process_of_these_tests_writes_until_it_is_killed",
                "--exact",
                "--test-threads=1",
            ])
            .env(KILLED, &project)
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        thread::sleep(Duration::from_micros(10_000 + rng.below(120_000) as u64));
        child.kill().expect("a process that lives until now");
        let status = child.wait().expect("a process");
        assert!(!status.success(), "{status}");
        whole.look(&project);
    }
    let Whole { runs, unfinished, torn, left_overs, .. } = &whole;
    let last = runs.keys().next_back().copied().unwrap_or(0);
    eprintln!(
        "100 kills: {last} runs, {unfinished} cut short, {torn} torn, {left_overs} files left beside others"
    );
    assert!(last > 20, "{last} runs");
    // After a writer that is not killed, all leftovers are gone.
    write_run(&Runs::new(&project), KEPT).expect("a run");
    for name in TESTS {
        write(&project.join(format!("farlead-tests/{name}.test.ltl")), b"x").expect("a file");
    }
    assert!(!files(&project).keys().any(|name| is_left_over(name)));
    assert!(fs::read_dir(project.join(".farlead/runs")).expect("a folder").count() <= KEPT);
}
