//! Models of FATE as apps: against a slow interpreter of their rules, against each other, and as a user runs them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use farlead::device::sim::fate::{self, Options};
use farlead::device::sim::model::{Does, Effect, Model, Node};
use farlead::device::{Capabilities, Device, Sim, sim};
use farlead::gui::{Action, BUILTIN_TEXTS, Repertoire, Screen, offers};
use farlead::rng::{Rng, Seed};
use farlead::search::{Dictionary, repertoire_with};
use farlead::spec::{Source, Style, parse};
use serde_json::Value;

use crate::cli::{farlead, file};
use crate::{fixtures, shared};

/// Models of the paper: activities, transitions, variables, guards, sets, fields.
const STRUCTURE: [(&str, [usize; 6]); 10] = [
    ("settings", [23, 46, 1, 3, 2, 0]),
    ("social_graph", [10, 25, 7, 5, 7, 2]),
    ("social_graph_mod_5", [10, 30, 7, 5, 7, 2]),
    ("social_graph_mod_10", [10, 35, 7, 5, 7, 2]),
    ("bank", [16, 37, 6, 5, 14, 7]),
    ("bank_mod_5", [16, 42, 6, 5, 14, 7]),
    ("bank_mod_10", [16, 47, 6, 5, 14, 7]),
    ("market_place", [12, 28, 7, 6, 6, 2]),
    ("market_place_mod_5", [12, 33, 7, 6, 6, 2]),
    ("market_place_mod_10", [12, 38, 7, 6, 6, 2]),
];

fn read(path: &Path, options: Options) -> Arc<Model> {
    let source = source(path);
    let read = fate::read(&source, options);
    Arc::new(read.model.unwrap_or_else(|| panic!("{}", read.diagnostics.render(&source, Style::Plain))))
}

fn source(path: &Path) -> Source {
    Source::new(path.display().to_string(), fs::read_to_string(path).expect("a model"))
}

/// Models beside the repository; none, with a word on stderr, where they are missing.
fn shared_models() -> Vec<PathBuf> {
    let paths = STRUCTURE.iter().map(|(name, _)| shared::path(&format!("fate/{name}.json")));
    paths.collect::<Option<_>>().unwrap_or_default()
}

/// Models and the texts that are typed into them.
pub fn models() -> Vec<(PathBuf, Vec<String>)> {
    let own = ["fate/kiosk.json", "fate/odd.json"].map(fixtures::path);
    let texts = |path: &Path| {
        let dictionary = fs::read_to_string(path.with_file_name(fate::DICTIONARY)).expect("a dictionary");
        Options::default().texts(&dictionary)
    };
    own.into_iter().chain(shared_models()).map(|path| (path.clone(), texts(&path))).collect()
}

// ---- A slow interpreter, written from the rules alone ---------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
enum Datum {
    Bool(bool),
    Int(i64),
    Text(String),
}

/// A model that runs by the rules: guard, then assignments, then the move. It reads each guard anew.
pub struct Slow {
    model: Value,
    variables: BTreeMap<String, Datum>,
    node: usize,
    keeps_variables: bool,
}

impl Slow {
    pub fn new(model: Value, keeps_variables: bool) -> Slow {
        let mut slow = Slow { model, variables: BTreeMap::new(), node: 0, keeps_variables };
        slow.initialise();
        slow
    }

    fn initialise(&mut self) {
        self.variables.clear();
        for variable in self.model["global_vars"].as_array().expect("variables") {
            let value = match &variable["value"] {
                Value::Bool(bool) => Datum::Bool(*bool),
                Value::Number(number) => Datum::Int(number.as_i64().expect("a whole number")),
                Value::String(text) => Datum::Text(text.clone()),
                other => panic!("{other}"),
            };
            self.variables.insert(variable["name"].as_str().expect("a name").to_string(), value);
        }
    }

    pub fn reset(&mut self) {
        self.node = 0;
        if !self.keeps_variables {
            self.initialise();
        }
    }

    pub fn id(&self) -> &str {
        self.model["nodes"][self.node]["node_id"].as_str().expect("a name")
    }

    pub fn transitions(&self) -> &Vec<Value> {
        self.model["nodes"][self.node]["transitions"].as_array().expect("transitions")
    }

    pub fn step(&mut self, transition: usize, input: &str) {
        let transition = self.transitions()[transition].clone();
        if let Some(guard) = transition["guard"].as_str()
            && self.value(guard, input) != Datum::Bool(true)
        {
            return;
        }
        for line in transition["set"].as_str().unwrap_or("").lines() {
            let (name, value) = line.split_once('=').expect("an assignment");
            let value = self.value(value, input);
            self.variables.insert(name.trim().to_string(), value);
        }
        let nodes = self.model["nodes"].as_array().expect("nodes");
        let destination = nodes.iter().position(|node| node["node_id"] == transition["destination"]);
        self.node = destination.expect("a node");
    }

    fn value(&self, text: &str, input: &str) -> Datum {
        let mut reading = Reading { rest: text.trim(), slow: self, input };
        let value = reading.either();
        assert_eq!(reading.rest, "", "{text}");
        value
    }
}

struct Reading<'a> {
    rest: &'a str,
    slow: &'a Slow,
    input: &'a str,
}

impl Reading<'_> {
    fn take(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        let is_word = sign.starts_with(char::is_alphabetic);
        if is_word && rest.starts_with(|next: char| next.is_alphanumeric() || next == '_') {
            return false;
        }
        self.rest = rest.trim_start();
        true
    }

    fn either(&mut self) -> Datum {
        let mut value = self.both();
        while self.take("or") {
            let right = self.both();
            value = Datum::Bool(value == Datum::Bool(true) || right == Datum::Bool(true));
        }
        value
    }

    fn both(&mut self) -> Datum {
        let mut value = self.not();
        while self.take("and") {
            let right = self.not();
            value = Datum::Bool(value == Datum::Bool(true) && right == Datum::Bool(true));
        }
        value
    }

    fn not(&mut self) -> Datum {
        if self.take("not") { Datum::Bool(self.not() == Datum::Bool(false)) } else { self.compared() }
    }

    fn compared(&mut self) -> Datum {
        let left = self.bitwise();
        for sign in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.take(sign) {
                let right = self.bitwise();
                let by_size = match (&left, &right) {
                    (Datum::Int(left), Datum::Int(right)) => Some(left.cmp(right)),
                    _ => None,
                };
                return Datum::Bool(match sign {
                    "==" => left == right,
                    "!=" => left != right,
                    "<=" => by_size.is_some_and(|order| order.is_le()),
                    ">=" => by_size.is_some_and(|order| order.is_ge()),
                    "<" => by_size.is_some_and(|order| order.is_lt()),
                    _ => by_size.is_some_and(|order| order.is_gt()),
                });
            }
        }
        left
    }

    fn bitwise(&mut self) -> Datum {
        let mut value = self.sum();
        while self.take("&") {
            let right = self.sum();
            value = Datum::Bool(value == Datum::Bool(true) && right == Datum::Bool(true));
        }
        value
    }

    fn sum(&mut self) -> Datum {
        let mut value = self.one();
        loop {
            let sign = if self.take("+") {
                1
            } else if self.take("-") {
                -1
            } else {
                return value;
            };
            let (Datum::Int(left), Datum::Int(right)) = (value, self.one()) else { panic!("no numbers") };
            value = Datum::Int(left + sign * right);
        }
    }

    fn one(&mut self) -> Datum {
        if self.take("(") {
            let value = self.either();
            assert!(self.take(")"), "{}", self.rest);
            return value;
        }
        if self.take("-") {
            let Datum::Int(number) = self.one() else { panic!("no number") };
            return Datum::Int(-number);
        }
        if let Some(rest) = self.rest.strip_prefix('"') {
            let (text, rest) = rest.split_once('"').expect("a closing quote");
            self.rest = rest.trim_start();
            return Datum::Text(text.to_string());
        }
        let end =
            self.rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        match word {
            "True" => Datum::Bool(true),
            "False" => Datum::Bool(false),
            "input_text" => Datum::Text(self.input.to_string()),
            _ if word.starts_with(|first: char| first.is_ascii_digit()) => {
                Datum::Int(word.parse().expect("a number"))
            }
            // A name that nothing has set yet: the fixture has one, which is a number.
            _ => self.slow.variables.get(word).cloned().unwrap_or(Datum::Int(0)),
        }
    }
}

// ---- Walks ----------------------------------------------------------------------------------------------------------

/// Returns the action on the widget with this id on the screen: a text, or a click.
fn action(screen: &Screen, id: &str, text: Option<&str>) -> Action {
    let repertoire = Repertoire::new(text, &[], false);
    let all = offers(screen, &repertoire);
    let is_it = |action: &Action| {
        let is_kind = match action {
            Action::Text { .. } => text.is_some(),
            other => text.is_none() && *other == Action::click(other.target().cloned().unwrap_or_default()),
        };
        is_kind && action.target().is_some_and(|target| *target.id == *id)
    };
    all.into_iter().find(is_it).unwrap_or_else(|| panic!("no {id} on {screen:?}"))
}

/// Walks at random and compares each screen with the slow interpreter.
fn check_walk(path: &Path, texts: &[String], quirks: bool, seed: u64, steps: usize) -> usize {
    let model = read(path, Options { quirks, ..Options::default() });
    let package = model.package.to_string();
    let mut sim = Sim::new(model, Seed(seed));
    let start = sim.app().launchable[0].clone();
    let text = fs::read_to_string(path).expect("a model");
    let mut slow = Slow::new(serde_json::from_str(&text).expect("JSON"), quirks);
    let mut rng = Seed(seed).fork("walk");
    let mut screen = sim.reset(&start).expect("a model that runs").screen;
    let mut met = std::collections::BTreeSet::new();
    for step in 0..steps {
        met.insert(slow.node);
        check_screen(&screen, &slow, &package, quirks);
        if step % 60 == 59 {
            slow.reset();
            screen = sim.reset(&start).expect("a model that runs").screen;
            continue;
        }
        let chosen = rng.below(slow.transitions().len());
        let transition = &slow.transitions()[chosen];
        let id = format!("{package}:id/t{}", transition["transition_id"]);
        let input = &texts[rng.below(texts.len())];
        let is_field = transition["type"] == "editText";
        let action = action(&screen, &id, is_field.then_some(input.as_str()));
        slow.step(chosen, input);
        screen = sim.act(&action).expect("a model that runs").screen;
    }
    met.len()
}

fn check_screen(screen: &Screen, slow: &Slow, package: &str, quirks: bool) {
    assert_eq!(&**screen.activity(), format!("{package}.{}", slow.id()));
    assert_eq!(screen.widgets().len(), slow.transitions().len(), "{}", slow.id());
    for (widget, transition) in screen.widgets().iter().zip(slow.transitions()) {
        assert_eq!(&*widget.id, format!("{package}:id/t{}", transition["transition_id"]));
        let is_field = transition["type"] == "editText";
        assert_eq!(
            &*widget.class,
            if is_field { "android.widget.EditText" } else { "android.widget.Button" }
        );
        // The text of a field is the variable that it sets.
        let mut shown = "";
        for line in transition["set"].as_str().unwrap_or("").lines().filter(|_| is_field && !quirks) {
            let (name, value) = line.split_once('=').expect("an assignment");
            if value.trim() == "input_text" {
                if let Some(Datum::Text(text)) = slow.variables.get(name.trim()) {
                    shown = text;
                }
                break;
            }
        }
        assert_eq!(&*widget.text, shown, "{} of {}", widget.id, slow.id());
    }
}

#[test]
fn models_do_what_their_rules_say() {
    for (path, texts) in models() {
        for quirks in [false, true] {
            let met: usize =
                (0..4).map(|seed| check_walk(&path, &texts, quirks, seed, 1_500)).max().unwrap_or(0);
            assert!(met > 1, "{} never left its first node", path.display());
        }
    }
}

#[test]
fn all_nodes_of_our_own_models_are_met_by_walks() {
    for (name, nodes) in [("fate/kiosk.json", 5), ("fate/odd.json", 2)] {
        let path = fixtures::path(name);
        let texts: Vec<String> = ["a", "b", "blue whale", "7 \"tees\"", "then"].map(str::to_string).to_vec();
        assert_eq!(check_walk(&path, &texts, false, 1, 20_000), nodes, "{name}");
    }
}

/// Walks through two apps with the same actions and compares what they show and offer.
fn check_alike(one: Arc<Model>, other: Arc<Model>, texts: &[String], seed: u64) {
    let (mut one, mut other) = (Sim::new(one, Seed(seed)), Sim::new(other, Seed(seed)));
    let start = one.app().launchable[0].clone();
    assert_eq!(one.app(), other.app());
    // FATE has no actions of the system.
    assert_eq!([one.capabilities(), other.capabilities()], [Capabilities::NONE; 2]);
    let capabilities = one.capabilities();
    let repertoire =
        Repertoire { capabilities, ..Repertoire::new(texts.iter().map(String::as_str), &[], true) };
    let mut rng: Rng = Seed(seed).fork("walk");
    let mut seen = one.reset(&start).expect("a model that runs");
    let mut same = other.reset(&start).expect("a model that runs");
    for step in 0..400 {
        assert_eq!((&seen.screen, seen.at_ms), (&same.screen, same.at_ms));
        let mut offered = offers(&seen.screen, &repertoire);
        assert_eq!(offered, offers(&same.screen, &repertoire));
        let action = match step % 50 {
            49 => Action::Reinitialise(start.clone()),
            _ => offered.swap_remove(rng.below(offered.len())),
        };
        seen = one.act(&action).expect("a model that runs");
        same = other.act(&action).expect("a model that runs");
    }
}

#[test]
fn a_converted_model_behaves_as_the_original() {
    let ptolemy = shared::path("fate/ptolemy-bank.xml");
    let own = [fixtures::path("fate/kiosk.xml")];
    let texts: Vec<String> = ["user", "pass", "a", "blue whale", "7 \"tees\""].map(str::to_string).to_vec();
    let moml = own.into_iter().chain(ptolemy).map(|path| (path, texts.clone()));
    for (path, texts) in models().into_iter().chain(moml) {
        for quirks in [false, true] {
            let options = Options { quirks, ..Options::default() };
            let original = read(&path, options);
            let (text, _) = fate::convert(&source(&path), options);
            let converted = Source::new("converted.app", text.expect("no mistakes"));
            let read = sim::read(&converted);
            assert_eq!(read.diagnostics.errors(), 0, "{}", read.diagnostics.render(&converted, Style::Plain));
            let mut converted = read.model.expect("no mistakes");
            converted.set("sim.actions", "screen").expect("every model has it");
            if quirks {
                converted.set("sim.reset", "restart").expect("every model has it");
            }
            let converted = Arc::new(converted);
            (0..3).for_each(|seed| check_alike(original.clone(), converted.clone(), &texts, seed));
        }
    }
}

#[test]
fn python_json_and_ptolemy_say_the_same() {
    let converted = |name: &str| {
        let (text, diagnostics) = fate::convert(&source(&fixtures::path(name)), Options::default());
        assert_eq!(diagnostics.iter().count(), 0);
        text.expect("no mistakes")
    };
    let json = converted("fate/kiosk.json");
    assert_eq!(converted("fate/kiosk.py"), json);
    // A marked state comes first, and the others keep their order.
    assert_eq!(converted("fate/kiosk.xml"), json);
}

// ---- Structure ------------------------------------------------------------------------------------------------------

/// Returns the numbers of activities, transitions, variables, guards, sets and fields.
fn structure(model: &Model) -> [usize; 6] {
    let [mut transitions, mut guards, mut sets, mut fields] = [0; 4];
    for node in model.windows.iter().flat_map(|window| &window.nodes) {
        let Node::Widget(widget) = node else { panic!("a node is flat") };
        transitions += 1;
        fields += usize::from(widget.edits.is_some());
        let effects: &[Effect] = widget.on_click.as_deref().unwrap_or_default();
        let within = match effects {
            [Effect { does: Does::If { then, .. }, .. }] => {
                guards += 1;
                then
            }
            effects => effects,
        };
        let is_set = within.iter().any(|effect| matches!(effect.does, Does::Set { .. }));
        sets += usize::from(is_set || widget.edits.is_some());
    }
    [model.windows.len(), transitions, model.globals.len(), guards, sets, fields]
}

#[test]
fn models_have_the_parts_that_are_known_of_them() {
    for (path, (_, expected)) in shared_models().iter().zip(STRUCTURE) {
        assert_eq!(structure(&read(path, Options::default())), expected, "{}", path.display());
    }
    let kiosk = read(&fixtures::path("fate/kiosk.json"), Options::default());
    assert_eq!(structure(&kiosk), [5, 14, 6, 4, 9, 3]);
}

#[test]
fn every_word_of_our_language_can_be_a_name() {
    let grammar = ["app.pest", "words.pest"].map(|name| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar").join(name))
            .expect("a grammar")
    });
    let quoted = grammar.iter().flat_map(|text| text.split('"'));
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(|char| char.is_ascii_lowercase());
    let words: std::collections::BTreeSet<&str> =
        quoted.filter(is_word).filter(|word| !["true", "false", "or"].contains(word)).collect();
    assert!(words.len() > 60, "{words:?}");
    for word in words {
        let text = format!(
            "{{'global_vars': [{{'name': '{word}', 'value': ''}}], 'nodes': [{{'node_id': '{word}', 'transitions': [
            {{'transition_id': 0, 'type': 'editText', 'active': True, 'guard': None, 'set': '{word} = input_text', 'destination': '{word}'}},
            {{'transition_id': 1, 'type': 'button', 'active': True, 'guard': '{word} == \"a\"', 'set': '{word} = {word}', 'destination': '{word}'}},
            {{'transition_id': 2, 'type': 'editText', 'active': True, 'guard': '{word} == \"a\"', 'set': '{word} = input_text', 'destination': '{word}'}}]}}]}}"
        );
        let source = Source::new("word.py", text);
        let read = fate::read(&source, Options::default());
        let model = read
            .model
            .unwrap_or_else(|| panic!("{word}: {}", read.diagnostics.render(&source, Style::Plain)));
        let mut sim = Sim::new(Arc::new(model), Seed(1));
        let seen = sim.reset(&format!("fate.word.{word}")).expect("a model that runs");
        let typed = action(&seen.screen, "fate.word:id/t0", Some("a"));
        let seen = sim.act(&typed).expect("a model that runs");
        let texts: Vec<&str> = seen.screen.widgets().iter().map(|widget| &*widget.text).collect();
        assert_eq!(texts, ["a", "", "a"], "{word}");
    }
}

#[test]
fn the_model_of_the_documents_is_read_as_they_say() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/models.md")).expect("a page");
    let block = page.split("```").find(|block| block.starts_with("text\n{")).expect("a model of FATE");
    let source = Source::new("my.json", block.strip_prefix("text").expect("a block of text"));
    let read = fate::read(&source, Options::default());
    assert_eq!(read.diagnostics.iter().count(), 0, "{}", read.diagnostics.render(&source, Style::Plain));
    let mut sim = Sim::new(Arc::new(read.model.expect("no mistakes")), Seed(1));
    let seen = sim.reset("fate.my.door").expect("a model that runs");
    let locked = sim.act(&action(&seen.screen, "fate.my:id/t1", None)).expect("a model that runs");
    assert_eq!(&**locked.screen.activity(), "fate.my.door");
    let typed = sim.act(&action(&locked.screen, "fate.my:id/t0", Some("1234"))).expect("a model that runs");
    let open = sim.act(&action(&typed.screen, "fate.my:id/t1", None)).expect("a model that runs");
    assert_eq!(&**open.screen.activity(), "fate.my.room");
}

// ---- The command line -----------------------------------------------------------------------------------------------

fn fixture(name: &str) -> String {
    fixtures::path(&format!("fate/{name}")).to_str().expect("a path in letters").to_string()
}

#[test]
fn a_spec_is_checked_on_each_form_of_a_model() {
    let spec = file("fate.ltl", "possible \"prints\": F [activity ~ printed]\n");
    let spec = spec.to_str().expect("a path in letters");
    for name in ["kiosk.json", "kiosk.py", "kiosk.xml"] {
        let ended = farlead(&["check", spec, "--app", &fixture(name), "--steps", "14", "--seed", "2"], "");
        assert_eq!(ended.code, 0, "{name}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("possible \"prints\": passed: a run of "), "{}", ended.stdout);
    }
}

#[test]
fn the_dictionary_beside_a_model_is_typed_and_nothing_else() {
    let model = fixture("kiosk.json");
    // A regular expression names no text, so the dictionary alone decides.
    let is_typed = |text: &str, more: &[&str]| {
        let spec = format!("possible \"typed\": F [actionType = text, actionDetail ~ /{text}/]\n");
        let spec = file(&format!("fate-{}.ltl", text.len()), spec);
        let args = [
            "check",
            spec.to_str().expect("a path in letters"),
            "--app",
            &model,
            "--exhaustive",
            "--steps",
            "3",
        ];
        let args: Vec<&str> = args.iter().copied().chain(more.iter().copied()).collect();
        let ended = farlead(&args, "");
        assert!(ended.code <= 1, "{}{}", ended.stdout, ended.stderr);
        ended.code == 0
    };
    assert!(is_typed("blue whale", &[]));
    assert!(!is_typed("example.com", &[]));
    let few = ["--set", "fate.strings=1"];
    assert!(is_typed("^b$", &few) && !is_typed("blue whale", &few));
    let words = file("fate-words.txt", "mine\n");
    let own = ["--texts", words.to_str().expect("a path in letters")];
    assert!(is_typed("mine", &own) && is_typed("example.com", &own) && !is_typed("long text", &own));
}

#[test]
fn lines_that_come_twice_count_once_unless_someone_asks() {
    let lines = "a\nb\na\nc\n";
    let options = Options { strings: 2, ..Options::default() };
    assert_eq!(options.texts(lines), ["a", "b"]);
    assert_eq!(Options { distinct: false, ..options }.texts(lines), ["a", "b", "a"]);
    assert_eq!(Options::default().texts(lines), ["a", "b", "c"]);
    assert_eq!(Options { strings: u32::MAX, ..options }.texts(lines), ["a", "b", "c"]);
}

#[test]
fn a_dictionary_of_its_own_is_offered_as_it_is() {
    let spec = parse(&Source::new("a.ltl", "possible \"a\": F [text = c]")).file.specs.remove(0);
    let texts = ["a", "c", "a"].map(str::to_string).to_vec();
    let offered =
        |is_all: bool| repertoire_with(&spec, &[], &Dictionary { texts: texts.clone(), is_all }).texts;
    let as_texts = |texts: Vec<Arc<str>>| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    assert_eq!(as_texts(offered(true)), ["c", "a", "a"]);
    assert_eq!(as_texts(offered(false))[..2], ["c", "a"]);
    assert_eq!(offered(false).len(), 2 + BUILTIN_TEXTS.len());
}

#[test]
fn parameters_that_are_none_are_refused() {
    let spec = file("fate-set.ltl", "possible \"any\": F [id = t9]\n");
    let (spec, model) = (spec.to_str().expect("a path in letters"), fixture("kiosk.json"));
    for (set, said) in [
        (
            "fate.sting=3",
            "there is no parameter `fate.sting`, did you mean `fate.strings`?; known are fate.strings, fate.distinct, fate.quirks",
        ),
        ("fate.quirks=yes", "`fate.quirks` takes `true` and `false`, and `yes` is none of these"),
        ("fate.strings=-1", "`fate.strings` takes whole numbers from 0 on, and `-1` is none of these"),
        (
            "tickets=3",
            "`tickets` is a variable of the model, and no parameter; declare it as `param tickets = ...`",
        ),
    ] {
        let ended = farlead(&["check", spec, "--app", &model, "--set", set], "");
        assert_eq!((ended.code, ended.stderr), (2, format!("farlead: {said}\n")));
    }
}

#[test]
fn mistakes_are_shown_in_their_lines() {
    let text = "{'global_vars': [],\n 'nodes': [{'node_id': 'a', 'transitions': [\n  {'transition_id': 0, 'type': 'button', 'active': True, 'guard': 'x > 0', 'set': None, 'destination': 'b'}]}]}\n";
    let path = file("mistaken.py", text);
    let path = path.to_str().expect("a path in letters");
    for args in [&["look", "--app", path][..], &["model", "convert", path]] {
        let ended = farlead(args, "");
        assert_eq!((ended.code, &*ended.stdout), (3, ""));
        assert!(
            ended.stderr.contains("mistaken.py:3:68: error: there is no variable `x`\n"),
            "{}",
            ended.stderr
        );
        assert!(
            ended.stderr.contains("mistaken.py:3:104: error: there is no node `b`\n"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn convert_writes_what_check_reads_and_overwrites_nothing_unasked() {
    let model = fixture("kiosk.py");
    let ended = farlead(&["model", "convert", &model], "");
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    assert!(ended.stdout.starts_with(
        "# Written by `farlead model convert` from kiosk.\n\
                 # FATE has no actions on the device itself: `--set sim.actions=screen`.\n\
                 app fate.kiosk \"kiosk\" 1.0\n"
    ));
    let path = file("kiosk.app", "somebody's work");
    let path = path.to_str().expect("a path in letters");
    let refused = farlead(&["model", "convert", &model, "-o", path], "");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("is there already; --force overwrites it"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(path).expect("a file"), "somebody's work");
    assert_eq!(farlead(&["model", "convert", &model, "-o", path, "--force"], "").code, 0);
    assert_eq!(fs::read_to_string(path).expect("a file"), ended.stdout);
    let checked = farlead(&["model", "check", path], "");
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    let again = farlead(&["model", "convert", path], "");
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("is no model of FATE"), "{}", again.stderr);
}

#[test]
fn a_model_that_is_packed_or_drawn_is_the_one_that_runs() {
    let folder = file("fate-packed", "").with_file_name("fate-packed-kiosk.apk");
    let path = folder.to_str().expect("a path in letters");
    let model = fixture("kiosk.xml");
    assert_eq!(farlead(&["model", "pack", &model, "-o", path, "--force"], "").code, 0);
    let looked = farlead(&["look", "--apk", path], "");
    assert_eq!((looked.code, &*looked.stderr), (0, ""));
    assert!(looked.stdout.starts_with("fate.kiosk.gate: 5 widgets"), "{}", looked.stdout);
    let drawn = farlead(&["model", "draw", &model], "");
    assert!(drawn.code == 0 && drawn.stdout.contains("[label=\"printed\\n.printed\""), "{}", drawn.stdout);
    fs::remove_file(path).expect("a file");
}

#[test]
fn a_model_is_no_spec() {
    let ended = farlead(&["check", &fixture("kiosk.json")], "");
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("is a model of an app, and no specs"), "{}", ended.stderr);
}
