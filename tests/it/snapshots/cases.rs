//! The command lines that have a snapshot.

/// A case with a transcript.
#[derive(Clone, Copy)]
pub struct Case {
    /// The name of its file.
    pub name: &'static str,
    /// Files in its folder besides `specs` and `apps`.
    pub files: &'static [(&'static str, &'static str)],
    /// Commands, one per line.
    pub script: &'static str,
}

const fn case(name: &'static str, script: &'static str) -> Case {
    Case { name, files: &[], script }
}

const fn with(
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    script: &'static str,
) -> Case {
    Case { name, files, script }
}

/// Returns all cases, group by group.
pub fn all() -> impl Iterator<Item = &'static Case> {
    let groups = [
        HELP,
        CHECK_PLANNER,
        CHECK_AGENTS,
        CHECK_OUTCOMES,
        REPORTS,
        STORED,
        EXPLORE,
        COMPARE,
        SPECS,
        MODELS,
        PROJECT,
        MISTAKES,
    ];
    groups.into_iter().flatten()
}

pub const HELP: &[Case] = &[
    case("help", "farlead --help"),
    case("help-short", "farlead -h"),
    case("help-nothing-asked", "farlead"),
    case("version", "farlead --version"),
    case("help-check", "farlead check --help"),
    case("help-check-short", "farlead check -h"),
    case("help-replay", "farlead replay --help"),
    case("help-minimize", "farlead minimize --help"),
    case("help-explore", "farlead explore --help"),
    case("help-export", "farlead export --help"),
    case("help-report", "farlead report --help"),
    case("help-merge", "farlead merge --help"),
    case("help-compare", "farlead compare --help"),
    case("help-lint", "farlead lint --help"),
    case("help-look", "farlead look --help"),
    case("help-explain", "farlead explain --help"),
    case("help-monitor", "farlead monitor --help"),
    case("help-words", "farlead words --help"),
    case(
        "help-model",
        "farlead model --help
         farlead model check --help
         farlead model draw --help
         farlead model pack --help
         farlead model diff --help",
    ),
    case("help-sim", "farlead sim --help"),
    case("help-studio", "farlead studio --help"),
    case("help-devices", "farlead devices --help"),
    case("help-doctor", "farlead doctor --help"),
    case("help-init", "farlead init --help"),
    case("help-lsp", "farlead lsp --help"),
    case("help-completions", "farlead completions --help"),
];

const SESSION: &str = concat!(
    "Content-Length: 28\r\n\r\n",
    r#"{"id":1,"method":"shutdown"}"#,
    "Content-Length: 17\r\n\r\n",
    r#"{"method":"exit"}"#,
);

// With one job, the order of events is fixed.
pub const CHECK_PLANNER: &[Case] = &[
    case(
        "check-chesswalk",
        "farlead check specs/chesswalk --app apps/chesswalk.app --jobs 1
         ls farlead-tests
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-notes",
        "farlead check specs/notes --app apps/notes.app --jobs 1
         ls farlead-tests
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-feature",
        "farlead check specs/notes/notes.feature --app apps/notes.app --jobs 1 --junit report.xml --markdown report.md
         farlead check specs --app apps/notes.app --only @smoke --json --out other
         cat 'farlead-tests/specs/notes/notes.feature/back keeps a note.test.ltl'
         cat report.xml
         cat report.md
         farlead replay 'farlead-tests/specs/notes/notes.feature/back keeps a note.test.ltl'
         farlead replay 'farlead-tests/specs/notes/notes.feature/back keeps a note.test.ltl' --set fixed=true",
    ),
    case("check-chesswalk-json", "farlead check specs/chesswalk --app apps/chesswalk.app --json"),
    case("check-notes-json", "farlead check specs/notes --app apps/notes.app --json"),
    case("check-chesswalk-seed-7", "farlead check specs/chesswalk --app apps/chesswalk.app --seed 7 --quiet"),
    case("check-notes-seed-7", "farlead check specs/notes --app apps/notes.app --seed 7 --quiet"),
    case(
        "check-chesswalk-fixed",
        "farlead check specs/chesswalk --app apps/chesswalk.app --set fixed=true --quiet",
    ),
    case("check-notes-fixed", "farlead check specs/notes --app apps/notes.app --set fixed=true --quiet"),
    case(
        "check-move-verbose",
        "farlead check specs/chesswalk/move.ltl --app apps/chesswalk.app --only b --verbose",
    ),
    case(
        "check-palette-events",
        "farlead check specs/notes/palette.ltl --app apps/notes.app --only c
         cat farlead-tests/specs/notes/palette/c.test.ltl
         cat .farlead/runs/0001/events.jsonl
         ls .farlead",
    ),
    case(
        "check-colour",
        "farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app --only a --color always",
    ),
    case(
        "check-learned",
        "farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app --learned learned.jsonl --quiet
         cat learned.jsonl
         farlead check specs/chesswalk --app apps/chesswalk.app --learned learned.jsonl --quiet
         sum learned.jsonl",
    ),
    case(
        "check-shards",
        "farlead check specs/chesswalk --app apps/chesswalk.app --shard 1/3 --quiet
         farlead check specs/chesswalk --app apps/chesswalk.app --shard 2/3 --quiet
         farlead check specs/chesswalk --app apps/chesswalk.app --shard 3/3 --quiet",
    ),
];

pub const CHECK_AGENTS: &[Case] = &[
    case(
        "check-chesswalk-agent-farlead",
        "farlead check specs/chesswalk --app apps/chesswalk.app --agent farlead --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-notes-agent-farlead",
        "farlead check specs/notes --app apps/notes.app --agent farlead --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-chesswalk-agent-tree",
        "farlead check specs/chesswalk --app apps/chesswalk.app --agent tree --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-notes-agent-tree",
        "farlead check specs/notes --app apps/notes.app --agent tree --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-chesswalk-agent-random",
        "farlead check specs/chesswalk --app apps/chesswalk.app --agent random --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-notes-agent-random",
        "farlead check specs/notes --app apps/notes.app --agent random --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-chesswalk-agent-qlearning",
        "farlead check specs/chesswalk --app apps/chesswalk.app --agent qlearning",
    ),
    case(
        "check-chesswalk-agent-sac",
        "farlead check specs/chesswalk --app apps/chesswalk.app --agent sac --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-chesswalk-agent-dino2",
        "farlead check specs/chesswalk/settings.ltl --app apps/chesswalk.app --agent dino2 --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case(
        "check-chesswalk-exhaustive",
        "farlead check specs/chesswalk --app apps/chesswalk.app --exhaustive --jobs 1
         sum .farlead/runs/0001/events.jsonl",
    ),
    case("check-notes-exhaustive", "farlead check specs/notes --app apps/notes.app --exhaustive"),
    case(
        "check-second_game-fixed-exhaustive",
        "farlead check specs/chesswalk/second_game.ltl --app apps/chesswalk.app --set fixed=true --only b --exhaustive",
    ),
    case(
        "check-about-agent-farlead-verbose",
        "farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app --only b --agent farlead --episodes 3 --verbose",
    ),
    case(
        "check-palette-agent-farlead-switches",
        "farlead check specs/notes/palette.ltl --app apps/notes.app --only a --agent farlead --setting few-steps --quiet
         farlead check specs/notes/palette.ltl --app apps/notes.app --only a --agent farlead --without shaping,tails --quiet
         farlead check specs/notes/palette.ltl --app apps/notes.app --only a --agent farlead --with distances,residual --quiet
         farlead check specs/notes/palette.ltl --app apps/notes.app --only a --without habits,names --quiet
         farlead check specs/notes/palette.ltl --app apps/notes.app --only a --without survival,sharing,naming --quiet",
    ),
    case(
        "check-learned-agent-farlead",
        "farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app --agent farlead --learned learned.jsonl --quiet
         cat learned.jsonl",
    ),
];

/// An app with one screen for each possible result of a spec.
const CLINIC: &str = "\
app org.example.clinic \"Clinic\" 2.1
launch Main
activity Main .Main {
    own name = \"\"
    Button #rooms \"Rooms\" -> open Rooms
    Button #call \"Call\" -> crash \"java.lang.IllegalStateException: no line\"
    Button #draw \"Draw a number\" -> chance { 60% { open Prize } else { toast \"not this time\" } }
    EditText #name hint \"Name\" edits name
    TextView \"Hello {name}\" when name
}
activity Rooms .Rooms {
    TextView \"Room 1\"
}
activity Prize .Prize {
    TextView \"A pen\"
}
";

const CLINIC_SPECS: &str = "\
possible \"rooms\" within 3 steps: F [activity ~ Rooms]

possible \"typed\" within 3 steps: F [text = Hello farlead]

possible \"a prize\" within 4 steps: F [activity ~ Prize]

never \"strays\" within 3 steps, 50 episodes: F [activity ~ Rooms]

must \"stays\" within 3 steps, 50 episodes: G ![activity ~ Rooms]

never \"crashes\" within 3 steps, 50 episodes: F [crashed = true]

never \"dark\" within 3 steps, 50 episodes: F ([activity ~ Main] & [desc = Dark])

never \"unseen\" within 3 steps, 50 episodes: F ([activity ~ Nowhere] & [desc = Dark])

possible \"slip\" within 3 steps, 20 episodes: F [activity ~ Roms]
";

const CLINIC_FILES: &[(&str, &str)] = &[("clinic.app", CLINIC), ("clinic.ltl", CLINIC_SPECS)];

pub const CHECK_OUTCOMES: &[Case] = &[
    with("outcomes", CLINIC_FILES, "farlead check clinic.ltl --app clinic.app"),
    with(
        "outcomes-refused",
        &[
            ("clinic.app", CLINIC),
            (
                "refused.ltl",
                "\
label oops
action zap on [id = call]: tap 500% 50%
never \"a label\": F oops
never \"an action\": F [actionType = zap]
possible \"broken\": F [text = a
possible \"twice\": F [activity ~ Rooms]
possible \"twice\": F [activity ~ Prize]
",
            ),
        ],
        "farlead check refused.ltl --app clinic.app
         farlead check refused.ltl --app clinic.app --json",
    ),
    with("outcomes-json", CLINIC_FILES, "farlead check clinic.ltl --app clinic.app --json"),
    with(
        "outcomes-agent-random",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --agent random --quiet",
    ),
    with("outcomes-exhaustive", CLINIC_FILES, "farlead check clinic.ltl --app clinic.app --exhaustive"),
    with(
        "outcomes-flaky",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --only 'a prize' --confirm 10
         ls farlead-tests
         cat 'farlead-tests/clinic/a prize.test.ltl'",
    ),
    with(
        "outcomes-crash",
        &[("clinic.app", CLINIC), ("end.ltl", "possible \"end\" within 3 steps: X [actionDetail = Call]\n")],
        "farlead check end.ltl --app clinic.app
         farlead replay farlead-tests",
    ),
    with(
        "outcomes-kept-already",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --only rooms --quiet
         edit clinic.app '\"Rooms\" ->' '\"All rooms\" ->'
         farlead check clinic.ltl --app clinic.app --only rooms --quiet
         farlead check clinic.ltl --app clinic.app --only rooms --quiet --update
         farlead check farlead-tests/clinic/rooms.test.ltl",
    ),
    with(
        "outcomes-time-spent",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --only slip --timeout 3s",
    ),
    with(
        "outcomes-project",
        &[
            ("clinic.app", CLINIC),
            ("clinic.ltl", CLINIC_SPECS),
            (
                "farlead.toml",
                "\
app = 'clinic.app'
texts = ['farlead']
seed = 4
steps = 6
# setup = ['farlead-tests/clinic/rooms.test.ltl']

[[rule]]
never = '[actionDetail = Call]'
",
            ),
            ("back.ltl", "possible \"back\": [activity ~ Rooms] & F [activity ~ Main]\n"),
        ],
        "farlead check clinic.ltl --only rooms --quiet
         edit farlead.toml '# setup' setup
         farlead check back.ltl
         farlead check back.ltl --no-setup --quiet
         farlead check clinic.ltl --only crashes",
    ),
];

pub const REPORTS: &[Case] = &[
    case(
        "reports-about",
        "farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app --only c --quiet --junit a.xml --markdown a.md --html a.html
         cat a.xml
         cat a.md
         cat a.html",
    ),
    with(
        "reports-outcomes",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --quiet --junit a.xml --markdown a.md --html a.html --github
         cat a.xml
         cat a.md
         sum a.html",
    ),
    case(
        "reports-chesswalk",
        "farlead check specs/chesswalk --app apps/chesswalk.app --quiet --jobs 1 --junit a.xml --markdown a.md --html a.html
         sum a.xml
         sum a.md
         sum a.html",
    ),
    case(
        "reports-notes",
        "farlead check specs/notes --app apps/notes.app --quiet --jobs 1 --junit a.xml --markdown a.md --html a.html
         sum a.xml
         sum a.md
         sum a.html",
    ),
    with(
        "report",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --quiet > shown.txt
         farlead report .farlead/runs/0001
         farlead report .farlead/runs/0001 --verbose --quiet
         farlead report .farlead/runs/0001 --json
         farlead report .farlead/runs/0001 --quiet --github --markdown a.md
         sum a.md",
    ),
    with(
        "merge",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --quiet --shard 1/2 --out first > shown.txt
         farlead check clinic.ltl --app clinic.app --quiet --shard 2/2 --out second > shown.txt
         farlead merge first second --out both
         farlead merge second --out both --quiet
         farlead merge third",
    ),
];

pub const STORED: &[Case] = &[
    case(
        "replay-chesswalk",
        "farlead check specs/chesswalk --app apps/chesswalk.app --quiet > checked.txt
         farlead replay farlead-tests
         farlead replay farlead-tests --json
         farlead replay farlead-tests --set fixed=true --quiet
         farlead replay farlead-tests --shard 2/4 --quiet
         farlead replay farlead-tests --filter second --quiet",
    ),
    case(
        "replay-notes",
        "farlead check specs/notes --app apps/notes.app --quiet > checked.txt
         farlead replay farlead-tests
         farlead replay farlead-tests --set fixed=true --quiet",
    ),
    case(
        "replay-flaky",
        "farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app --quiet > checked.txt
         farlead replay farlead-tests/specs/chesswalk/about/b.test.ltl --set sim.lose=10 --times 20
         farlead replay farlead-tests --set sim.lose=10 --until-failure --quiet
         farlead replay farlead-tests --set sim.lose=60 --retries 5 --quiet
         farlead replay farlead-tests --set sim.lose=60 --fail-fast --quiet --junit a.xml --markdown a.md --github
         cat a.xml
         cat a.md",
    ),
    with(
        "replay-another-app",
        CLINIC_FILES,
        "farlead check clinic.ltl --app clinic.app --only rooms --quiet
         farlead replay farlead-tests --app clinic.app
         edit clinic.app 'open Rooms' 'toast \"no\"'
         farlead replay farlead-tests
         edit clinic.app '\"Rooms\" ->' '\"Spaces\" ->'
         edit clinic.app '#rooms' '#spaces'
         farlead replay farlead-tests
         farlead replay farlead-tests --app apps/notes.app --quiet",
    ),
    case(
        "minimize",
        "farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app --only a --agent random --steps 500 --no-minimize --record walk.test.ltl --quiet
         cat walk.test.ltl
         farlead minimize walk.test.ltl
         farlead minimize walk.test.ltl --schedule round-robin --quiet
         farlead minimize walk.test.ltl --schedule mdp --width 2 --runs 4 --passes 3 --prior 6,1,3 -o short.test.ltl --quiet
         cat short.test.ltl
         farlead minimize walk.test.ltl --set sim.lose=5 --schedule greedy
         farlead minimize walk.test.ltl --update --quiet
         farlead minimize walk.test.ltl",
    ),
    case(
        "minimize-does-not-do-it",
        "farlead check specs/notes/palette.ltl --app apps/notes.app --only c --quiet
         farlead minimize farlead-tests/specs/notes/palette/c.test.ltl --set fixed=true
         farlead minimize farlead-tests/specs/notes/palette/c.test.ltl --set sim.lose=40",
    ),
    case(
        "export-palette",
        "farlead check specs/notes/palette.ltl --app apps/notes.app --only c --quiet
         farlead export farlead-tests/specs/notes/palette/c.test.ltl --to maestro
         farlead export farlead-tests/specs/notes/palette/c.test.ltl --to uiautomator
         farlead export farlead-tests/specs/notes/palette/c.test.ltl --to adb",
    ),
    case(
        "export-move",
        "farlead check specs/chesswalk/move.ltl --app apps/chesswalk.app --only c --quiet
         farlead export farlead-tests/specs/chesswalk/move/c.test.ltl --to maestro
         farlead export farlead-tests/specs/chesswalk/move/c.test.ltl --to uiautomator
         farlead export farlead-tests/specs/chesswalk/move/c.test.ltl --to adb
         farlead export farlead-tests/specs/chesswalk/move/c.test.ltl --to adb -o move.sh
         farlead export farlead-tests/specs/chesswalk/move/c.test.ltl --to adb -o move.sh
         farlead export farlead-tests/specs/chesswalk/move/c.test.ltl --to adb -o move.sh --update",
    ),
    case(
        "export-device-actions",
        "farlead check specs/chesswalk/sleep.ltl specs/chesswalk/pause.ltl --app apps/chesswalk.app --only b --quiet
         farlead export farlead-tests/specs/chesswalk/sleep/b.test.ltl --to maestro
         farlead export farlead-tests/specs/chesswalk/pause/b.test.ltl --to uiautomator
         farlead export farlead-tests/specs/chesswalk/sleep/b.test.ltl --to adb",
    ),
];

pub const EXPLORE: &[Case] = &[
    case(
        "explore-shop",
        "farlead explore --app apps/shop.app --budget 600 --markdown a.md\n         cat a.md",
    ),
    case(
        "explore-notes",
        "farlead explore specs/notes/palette.ltl --app apps/notes.app --budget 300 --quiet",
    ),
    case("explore-dino", "farlead explore --app apps/shop.app --agent dino --reward dino --budget 120 --quiet"),
    case("explore-dino2", "farlead explore --app apps/shop.app --agent dino2 --reward dino --budget 300 --quiet"),
    case("explore-json", "farlead explore --app apps/tally.app --budget 200 --json"),
    case(
        "explore-from",
        "farlead explore --app apps/tally.app --budget 8 --quiet
         farlead explore --app apps/tally.app --budget 100 --from .farlead/runs/0001
         cat .farlead/runs/0001/model.json
         farlead explore --app apps/shop.app --from .farlead/runs/0001
         farlead explore --app apps/tally.app --from .farlead/runs/0001/events.jsonl",
    ),
    with(
        "model-diff",
        &[("old.app", OLD_LAMP), ("new.app", NEW_LAMP)],
        "farlead explore --app old.app --budget 300 --quiet
         farlead explore --app new.app --budget 300 --quiet
         farlead explore --app apps/tally.app --budget 50 --quiet
         farlead model diff .farlead/runs/0001 .farlead/runs/0002/model.json --html diff.html --fail-on gained,lost
         farlead model diff .farlead/runs/0001 .farlead/runs/0002 --json -
         farlead model diff .farlead/runs/0001 .farlead/runs/0001 --fail-on lost,changed,gained
         farlead model diff .farlead/runs/0001 .farlead/runs/0003
         farlead model diff old.app new.app
         farlead model diff .farlead/runs/0001 .farlead/runs/0002 --html .farlead/runs/0002/model.json",
    ),
];

/// Two versions of an app: a screen and a button are gone, a button is new, and one leads elsewhere.
const OLD_LAMP: &str = "app org.lamp \"Lamp\" 1.0
launch Main
activity Main .Main {
    TextView \"Lamp\"
    Button \"Colours\" -> open Colours
    Button \"Timer\" -> open Timer
    Button \"Help\" -> open Help
    Button \"Blink\" -> show Sure
}
dialog Sure { TextView \"Blink?\" Button \"Yes\" -> close }
activity Colours .Colours { TextView \"Colours\" Button \"Red\" -> close Button \"Blue\" -> close }
activity Timer .Timer { TextView \"Timer\" Button \"Start\" -> close }
activity Help .Help { TextView \"Help\" Button \"Close\" -> close }
";
const NEW_LAMP: &str = "app org.lamp \"Lamp\" 1.1
launch Main
activity Main .Main {
    TextView \"Lamp 2\"
    Button \"Colours\" -> open Colours
    Button \"Help\" -> open Colours
    Button \"Blink\" -> show Sure
    Button \"Party\" -> open Party
}
dialog Sure { TextView \"Blink?\" Button \"Yes\" -> close }
activity Colours .Colours { TextView \"Colours\" Button \"Red\" -> close Button \"Blue\" -> close }
activity Party .Party { TextView \"Party\" Button \"Dance\" -> close }
activity Help .Help { TextView \"Help\" Button \"Close\" -> close }
";

pub const COMPARE: &[Case] = &[
    case("compare-chesswalk", "farlead compare specs/chesswalk --app apps/chesswalk.app --runs 3"),
    case("compare-notes", "farlead compare specs/notes --app apps/notes.app --runs 2 --agents planner,farlead"),
    case(
        "compare-failures",
        "farlead compare specs/chesswalk/move.ltl --app apps/chesswalk.app --runs 12 --agents farlead,tree,random --episodes 30 --only b --csv a.csv
         cat a.csv
         farlead compare specs/chesswalk/move.ltl --app apps/chesswalk.app --runs 12 --agents farlead,random --baseline random --unpaired --episodes 30 --only b --quiet
         farlead compare specs/chesswalk/move.ltl --app apps/chesswalk.app --runs 1 --baseline tre",
    ),
    case(
        "compare-ablate",
        "farlead compare specs/chesswalk/about.ltl --app apps/chesswalk.app --runs 3 --agents planner,farlead,tree --ablate --csv a.csv --json
         cat a.csv",
    ),
];

const MISTAKEN: &str = "\
let main = [activity ~ Main]

possible \"undeclared\": mian U main
possible \"key\": F [activty = Main]
possible \"bracket\": F [activity = Main
possible \"mixed\": main U main R main
possible \"short\" within 2 steps: X X X main
possible \"never\": [screen = on] & ![screen = on]
never \"fine\" within 3 steps, 20 episodes: F [crashed = true]
possible \"suspicious\": F [text != OK]
";

const MISTAKEN_FEATURE: &str = "Feature: mistakes
  Scenario: a slip in a word
    When I clik \"OK\"
    Then I sea \"Saved\"

  Scenario: a slip in a keyword
    Whne I click \"OK\"
    Then I see \"Saved\" within 2 seconds

  Scenario: an atom
    Given [activty ~ Main]
    Then I see [text = \"Saved]

  Scenario: done at the end
    Then I click \"OK\"

  Scenario: both
    Then I see \"Saved\"
    And the app must never crash

  Scenario: fine
    Then I see \"Saved\"
";

pub const SPECS: &[Case] = &[
    case(
        "lint-specs",
        "farlead lint specs
         farlead lint specs --json",
    ),
    with(
        "lint-mistakes",
        &[("mistaken.ltl", MISTAKEN), ("warned.ltl", "possible \"p\": X [screen = on] U [screen = off]\n")],
        "farlead lint mistaken.ltl
         farlead lint mistaken.ltl --json
         farlead lint mistaken.ltl --color always
         farlead lint warned.ltl
         farlead lint warned.ltl --strict --quiet",
    ),
    case("explain-about", "farlead explain specs/chesswalk/about.ltl"),
    case("explain-move", "farlead explain specs/chesswalk/move.ltl"),
    case("explain-pause", "farlead explain specs/chesswalk/pause.ltl"),
    case("explain-remember", "farlead explain specs/chesswalk/remember.ltl"),
    case("explain-second_game", "farlead explain specs/chesswalk/second_game.ltl"),
    case("explain-settings", "farlead explain specs/chesswalk/settings.ltl"),
    case("explain-sleep", "farlead explain specs/chesswalk/sleep.ltl"),
    case("explain-minute", "farlead explain specs/chesswalk/minute.ltl"),
    case("explain-feature", "farlead explain specs/notes/notes.feature"),
    with(
        "lint-feature",
        &[("mistaken.feature", MISTAKEN_FEATURE)],
        "farlead lint mistaken.feature
         farlead lint mistaken.feature --json
         farlead check mistaken.feature --app apps/notes.app --json
         farlead explain mistaken.feature
         farlead monitor specs/notes/notes.feature --only @smoke --trace none.jsonl",
    ),
    case(
        "words",
        "farlead words
         farlead words --json",
    ),
    case("explain-dummy_note", "farlead explain specs/notes/dummy_note.ltl"),
    case("explain-palette", "farlead explain specs/notes/palette.ltl"),
    case(
        "explain-dot",
        "farlead explain specs/chesswalk/about.ltl --only a --dot
         farlead explain specs/chesswalk/remember.ltl --only a --dot
         farlead explain specs/notes/palette.ltl --only b --dot",
    ),
    with(
        "ape-log",
        &[
            ("jars.app", include_str!("../fixtures/ape/jars.app")),
            ("action-history.log", include_str!("../fixtures/ape/action-history.log")),
            ("torn.log", "1 {\"actionType\":\"MODEL_BACK\"}\n2 {\"actionType\":\"MODEL_FLY\"}\n"),
        ],
        "farlead minimize action-history.log --app jars.app -o crash.test.ltl
         farlead replay crash.test.ltl
         farlead replay action-history.log --app jars.app --quiet
         farlead minimize action-history.log --app jars.app --for 'F [text = Plum, id = row]' --quiet
         farlead monitor -e 'F ([actionDetail = Keep] & X [crashed = true])' --trace action-history.log
         farlead monitor -e 'F [text = Plum]' --trace action-history.log
         farlead replay torn.log --app jars.app",
    ),
    with(
        "monitor",
        &[
            ("run.jsonl", "[\"main\"]\n{\"labels\":[\"about\"]}\n\n[\"main\"]\n"),
            (
                "atoms.jsonl",
                "[]\n[\"[activity ~ Main]\"]\n[\"[activity ~ About]\"]\n[\"[activity ~ Main]\"]\n",
            ),
            ("guards.ltl", "never \"n\": F [activity ~ About]\nmust \"m\": G ![activity ~ About]\n"),
        ],
        "farlead monitor -e 'X (main U (about & X (about U main)))' --trace run.jsonl
         farlead monitor -e 'X (main U (about & X (about U main)))' --trace - --json < run.jsonl
         farlead monitor -e 'G !about' --trace run.jsonl
         farlead monitor -e 'F[<=1] (about & O main)' --trace run.jsonl
         farlead monitor specs/chesswalk/about.ltl --only a --trace atoms.jsonl
         farlead monitor guards.ltl --only n --trace atoms.jsonl
         farlead monitor guards.ltl --only m --trace atoms.jsonl --quiet",
    ),
];

/// A screen of an unknown app: a row that scrolls, a field, a box, a widget out of sight.
const DUMP: &str = r#"UI hierchary dumped to: /dev/tty
<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy rotation="0">
  <node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="org.example.shelf" content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][480,800]">
    <node index="0" text="Shelf &amp; more" resource-id="org.example.shelf:id/title" class="android.widget.TextView" package="org.example.shelf" content-desc="" enabled="true" bounds="[0,0][480,60]" />
    <node index="1" text="" resource-id="org.example.shelf:id/search" class="android.widget.EditText" package="org.example.shelf" content-desc="Search" clickable="true" long-clickable="true" focusable="true" enabled="true" bounds="[0,60][480,120]" />
    <node index="2" text="" resource-id="org.example.shelf:id/rows" class="android.widget.ListView" package="org.example.shelf" content-desc="" scrollable="true" enabled="true" bounds="[0,120][480,700]">
      <node index="0" text="Read" resource-id="org.example.shelf:id/read" class="android.widget.CheckBox" package="org.example.shelf" content-desc="" checkable="true" checked="true" clickable="true" enabled="true" bounds="[0,120][480,200]" />
      <node index="1" text="Lent &#10;out" resource-id="" class="android.widget.TextView" package="org.example.shelf" content-desc="" long-clickable="true" enabled="true" bounds="[0,200][480,280]" />
    </node>
    <node index="3" text="Gone" resource-id="org.example.shelf:id/gone" class="android.widget.Button" package="org.example.shelf" content-desc="" clickable="true" enabled="true" bounds="[0,0][0,0]" />
  </node>
</hierarchy>
"#;

const SHELF_SPECS: &str = "\
possible \"read\": X ([checked = true] & [text ~ Shelf])
possible \"lent\": F [text ~ Lend]
possible \"gone\": F ([text = Gone] & [activity ~ Main])
possible \"search\": F ([actionType = text] & [actionDetail ~ search])
";

const MODEL_MISTAKES: &str = "\
app org.example.broken \"Broken\" 1.0
launch Main
activity Main .Main {
    Button \"Go\" -> opne Other
    Button \"Count\" -> count += 1
    TextView \"{missing}\"
}
activity Other .Other {
    TextView \"Never\" when false
}
";

pub const MODELS: &[Case] = &[
    case(
        "look-notes",
        "farlead look --app apps/notes.app
         farlead look --app apps/notes.app --json
         farlead look --app apps/notes.app --against specs/notes/palette.ltl",
    ),
    case(
        "look-chesswalk",
        "farlead look --app apps/chesswalk.app
         farlead look --app apps/chesswalk.app --against specs/chesswalk/remember.ltl --json",
    ),
    with(
        "look-dump",
        &[("screen.xml", DUMP), ("shelf.ltl", SHELF_SPECS)],
        "farlead look --dump screen.xml
         farlead look --dump - --json < screen.xml
         farlead look --dump screen.xml --against shelf.ltl",
    ),
    case(
        "model-check",
        "farlead model check apps/chesswalk.app apps/notes.app
         farlead model check apps/chesswalk.app apps/notes.app --json",
    ),
    with(
        "model-check-mistakes",
        &[("broken.app", MODEL_MISTAKES)],
        "farlead model check broken.app
         farlead model check broken.app --json",
    ),
    case("model-draw-chesswalk", "farlead model draw apps/chesswalk.app"),
    case("model-draw-chesswalk-svg", "farlead model draw apps/chesswalk.app --svg -"),
    case(
        "model-draw-notes",
        "farlead model draw apps/notes.app --dot notes.dot --svg notes.svg
         cat notes.dot
         sum notes.svg",
    ),
    case(
        "model-pack",
        "farlead model pack apps/chesswalk.app
         sum chesswalk.apk
         farlead model pack apps/chesswalk.app
         farlead check specs/chesswalk/about.ltl --apk chesswalk.apk --only c
         farlead model pack apps/notes.app -o notes.ltl
         farlead model pack apps/notes.app -o specs/notes/palette.ltl",
    ),
];

pub const PROJECT: &[Case] = &[
    case(
        "init-app",
        "farlead init chess --app apps/chesswalk.app
         ls chess
         cat chess/farlead.toml
         cat chess/specs/first.ltl
         cat chess/specs/reach.ltl
         cat chess/.github/workflows/farlead.yml
         farlead init chess --app apps/chesswalk.app",
    ),
    case(
        "init-package",
        "farlead init --package org.example.clinic
         cat farlead.toml",
    ),
    case(
        "init-bare",
        "farlead init
         cat farlead.toml
         cat specs/first.ltl",
    ),
    case(
        "completions",
        "farlead completions bash > a.bash
         head a.bash
         sum a.bash
         farlead completions zsh > a.zsh
         head a.zsh
         sum a.zsh
         farlead completions fish > a.fish
         head a.fish
         sum a.fish
         farlead completions elvish > a.elv
         head a.elv
         sum a.elv
         farlead completions powershell > a.ps1
         head a.ps1
         sum a.ps1",
    ),
    // A request too early and the end: the other answers are in tests/it/lsp.rs.
    with("lsp", &[("session", SESSION)], "farlead lsp < session"),
    case(
        "devices",
        "farlead devices
         farlead devices --json",
    ),
    case(
        "doctor",
        "farlead doctor
         farlead doctor --json
         farlead doctor --device emulator-5554",
    ),
];

pub const MISTAKES: &[Case] = &[
    case("mistake-no-such-command", "farlead chek specs --app apps/notes.app"),
    case("mistake-no-spec-named", "farlead check --app apps/notes.app"),
    case("mistake-no-app-named", "farlead check specs/notes/palette.ltl"),
    case(
        "mistake-misspelt-flag",
        "farlead check specs/notes --app apps/notes.app --agnet tree
         farlead lint specs --stirct",
    ),
    case(
        "mistake-misspelt-value",
        "farlead check specs/notes --app apps/notes.app --agent planer
         farlead check specs/notes --app apps/notes.app --without shapng
         farlead export a.test.ltl --to meastro
         farlead completions tcsh
         farlead minimize a.test.ltl --schedule mpd",
    ),
    case(
        "mistake-out-of-range",
        "farlead check specs/notes --app apps/notes.app --episodes 0
         farlead check specs/notes --app apps/notes.app --steps 100001
         farlead check specs/notes --app apps/notes.app --seed -1
         farlead check specs/notes --app apps/notes.app --confirm 2000
         farlead check specs/notes --app apps/notes.app --jobs 0
         farlead check specs/notes --app apps/notes.app --timeout soon
         farlead check specs/notes --app apps/notes.app --shard 5/4
         farlead check specs/notes --app apps/notes.app --keep 0
         farlead compare specs/notes --app apps/notes.app --runs 0",
    ),
    case(
        "mistake-flags-that-exclude-each-other",
        "farlead check specs/notes --app apps/notes.app --package org.example.notes
         farlead check specs/notes --app apps/notes.app --exhaustive --learned a.jsonl
         farlead check specs/notes --app apps/notes.app --with tails --without tails
         farlead check specs/notes --app apps/notes.app --record one.test.ltl
         farlead monitor specs/notes/palette.ltl -e 'F a' --trace a.jsonl
         farlead look --dump a.xml --app apps/notes.app",
    ),
    case(
        "mistake-no-such-file",
        "farlead check specs/pallete.ltl --app apps/notes.app
         farlead check specs/notes --app apps/note.app
         farlead check specs/notes --app apps/notes.app --texts none.txt
         farlead lint none.ltl
         farlead lint none.ltl --json
         farlead explain none.ltl
         farlead monitor -e 'F a' --trace none.jsonl
         farlead look --dump none.xml
         farlead model check none.app
         farlead model draw none.app
         farlead model pack none.app
         farlead replay none.test.ltl
         farlead minimize none.test.ltl
         farlead export none.test.ltl --to adb
         farlead report .farlead/runs/0099
         farlead sim none.app
         farlead init new --app none.app",
    ),
    case(
        "mistake-folder-without-specs",
        "farlead check apps --app apps/notes.app
         farlead lint apps
         farlead replay specs",
    ),
    case(
        "mistake-no-such-spec-in-file",
        "farlead check specs/notes/palette.ltl --app apps/notes.app --only z
         farlead explain specs/notes/palette.ltl --only z
         farlead monitor specs/notes/palette.ltl --only z --trace a.jsonl
         farlead compare specs/notes/palette.ltl --app apps/notes.app --only z",
    ),
    case(
        "mistake-files-of-another-kind",
        "farlead check apps/notes.app --app apps/notes.app
         farlead check specs/notes/palette.ltl --app specs/notes/palette.ltl
         farlead check specs/notes/palette.ltl --apk apps/notes.app
         farlead replay specs/notes/palette.ltl
         farlead look --dump specs/notes/palette.ltl
         farlead report specs/notes/palette.ltl
         farlead model check specs/notes/palette.ltl",
    ),
    with(
        "mistake-broken-spec",
        &[("mistaken.ltl", MISTAKEN), ("misspelt.ltl", "possible \"key\": F [activty = Main]\n")],
        "farlead check mistaken.ltl --app apps/notes.app
         farlead check misspelt.ltl --app apps/notes.app
         farlead explain misspelt.ltl
         farlead explain misspelt.ltl --dot
         farlead monitor misspelt.ltl --trace none.jsonl
         farlead compare misspelt.ltl --app apps/notes.app --runs 1
         farlead look --app apps/notes.app --against misspelt.ltl",
    ),
    with(
        "mistake-broken-model",
        &[("broken.app", MODEL_MISTAKES)],
        "farlead check specs/notes/palette.ltl --app broken.app --only c
         farlead look --app broken.app
         farlead model draw broken.app
         farlead model pack broken.app
         farlead sim broken.app",
    ),
    case(
        "mistake-parameter-of-model",
        "farlead check specs/notes --app apps/notes.app --set fixd=true
         farlead check specs/notes --app apps/notes.app --set fixed=maybe
         farlead check specs/notes --app apps/notes.app --set fixed
         farlead look --app apps/notes.app --set sim.lose=200",
    ),
    with(
        "mistake-key-of-project-file",
        &[("farlead.toml", "app = 'apps/notes.app'\nsede = 3\n")],
        "farlead check specs/notes/palette.ltl --only c",
    ),
    with(
        "mistake-value-of-project-file",
        &[("farlead.toml", "app = 'apps/notes.app'\nagent = 'planer'\n")],
        "farlead check specs/notes/palette.ltl --only c",
    ),
    with(
        "mistake-rule-of-project-file",
        &[("farlead.toml", "app = 'apps/notes.app'\n\n[[rule]]\nnever = '[actionTipe = click]'\n")],
        "farlead check specs/notes/palette.ltl --only c",
    ),
    with(
        "mistake-setup-of-project-file",
        &[("farlead.toml", "app = 'apps/notes.app'\nsetup = ['login.test.ltl']\n")],
        "farlead check specs/notes/palette.ltl --only c",
    ),
    with("mistake-not-toml", &[("farlead.toml", "app = apps/notes.app\n")], "farlead lint specs"),
    case(
        "mistake-no-device",
        "farlead check specs/notes --package org.example.notes
         farlead check specs/notes --package org.example.notes --device sim
         farlead check specs/notes --app apps/notes.app --device emulator-5554
         farlead look
         farlead look --watch",
    ),
    case(
        "mistake-writing-over-inputs",
        "farlead check specs/notes/palette.ltl --app apps/notes.app --junit specs/notes/palette.ltl
         farlead check specs/notes/palette.ltl --app apps/notes.app --junit a.xml --markdown a.xml
         farlead compare specs/notes/palette.ltl --app apps/notes.app --csv specs/notes/palette.ltl
         farlead model draw apps/notes.app --svg apps/notes.app",
    ),
    case(
        "mistake-cannot-be-written",
        "farlead check specs/notes/palette.ltl --app apps/notes.app --only c --quiet --junit specs
         farlead check specs/notes/palette.ltl --app apps/notes.app --only c --quiet --out apps/notes.app
         farlead compare specs/chesswalk/pause.ltl --app apps/chesswalk.app --runs 1 --agents tree --csv specs
         farlead model draw apps/notes.app --svg specs
         farlead model pack apps/notes.app -o specs --force
         farlead init apps/notes.app",
    ),
    with(
        "mistake-trace",
        &[
            ("empty.jsonl", ""),
            ("torn.jsonl", "[\"a\"]\n[\"b\"\n[\"c\"]\n"),
            ("atom.jsonl", "[\"[text = OK\"]\n"),
        ],
        "farlead monitor -e 'F b' --trace empty.jsonl
         farlead monitor -e 'F b' --trace torn.jsonl
         farlead monitor -e 'F [text = OK]' --trace atom.jsonl
         farlead monitor -e 'a U' --trace torn.jsonl
         farlead monitor specs/chesswalk/about.ltl --trace torn.jsonl",
    ),
    with(
        "mistake-dump",
        &[
            (
                "torn.xml",
                "<?xml version='1.0'?><hierarchy rotation=\"0\"><node text=\"a\" bounds=\"[0,0][1,1]\">",
            ),
            ("idle.txt", "ERROR: could not get idle state.\n"),
            ("root.txt", "ERROR: null root node returned by UiTestAutomationBridge.\n"),
            ("killed.txt", "Killed\n"),
            ("wrong.xml", "<hierarchy rotation=\"0\"><node text=\"a\"></hierarchy>"),
            ("empty.xml", ""),
        ],
        "farlead look --dump torn.xml
         farlead look --dump idle.txt
         farlead look --dump root.txt
         farlead look --dump killed.txt
         farlead look --dump wrong.xml
         farlead look --dump empty.xml",
    ),
    with(
        "mistake-stored-test",
        &[
            ("later.test.ltl", "farlead test 3\n"),
            (
                "broken.test.ltl",
                "farlead test 1\nfrom\n    sede 3\nsteps\n    0 reinitialise \"a.Main\"\n    2 clck\n        text \"OK\"\nspecs\npossible \"p\": F [txt = OK]\n",
            ),
        ],
        "farlead replay later.test.ltl --app apps/notes.app
         farlead replay broken.test.ltl --app apps/notes.app
         farlead lint broken.test.ltl
         farlead export broken.test.ltl --to adb",
    ),
    with(
        "mistake-learned",
        &[
            (
                "app.jsonl",
                "{\"farlead\":\"learned\",\"version\":1}\n{\"app\":\"org.example.other\",\"version\":\"1\"}\n",
            ),
            ("later.jsonl", "{\"farlead\":\"learned\",\"version\":9}\n"),
            ("torn.jsonl", "{\"farlead\":\"learned\",\"version\":1}\n{\"app\":\n"),
        ],
        "farlead check specs/notes/palette.ltl --app apps/notes.app --only c --learned app.jsonl
         farlead check specs/notes/palette.ltl --app apps/notes.app --only c --learned later.jsonl
         farlead check specs/notes/palette.ltl --app apps/notes.app --only c --learned torn.jsonl",
    ),
    case(
        "mistake-sim",
        "farlead sim apps/notes.app --listen nowhere
         farlead sim apps/notes.app --android 12
         farlead sim apps/notes.app --faults drip
         farlead sim apps/notes.app --faults drop=200%
         farlead sim apps/notes.app --set fixd=true",
    ),
    case(
        "mistakes-studio",
        "farlead studio --port 0
         farlead studio --app none.app --port 0
         farlead studio --app apps/notes.app --port none
         farlead studio --app apps/notes.app --device 127.0.0.1:1 --port 0",
    ),
];
