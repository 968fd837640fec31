//! `apps/chesswalk.app` against what is known of ChessWalk.

use super::*;

/// Returns the app with an action for a move between two squares, White below.
fn phone_with(set: &[(&str, &str)]) -> Phone {
    let text = "action chessmove on [id ~ ChessBoard]: tap 56% 80%, tap 56% 56%\n";
    start("chesswalk.app", set, &user_actions(text))
}

fn phone() -> Phone {
    phone_with(&[])
}

/// Touches these squares of the board, one after another; `turned` means that Black is below.
#[track_caller]
fn touch(phone: &mut Phone, squares: &str, turned: bool) {
    let percent = |file_or_row: u32| {
        let thousandths = (6_000 + 58_500 * file_or_row + 29_250) * 100 / 480;
        format!("{}.{:03}%", thousandths / 1000, thousandths % 1000)
    };
    let tap = |square: &str| {
        let [file, rank] = *square.as_bytes() else { panic!("`{square}` is no square") };
        let (file, rank) = (u32::from(file - b'a'), u32::from(rank - b'1'));
        let (x, y) = if turned { (7 - file, rank) } else { (file, 7 - rank) };
        format!("tap {} {}", percent(x), percent(y))
    };
    let taps: Vec<String> = squares.split(' ').map(tap).collect();
    let text = format!("action touch on [id ~ ChessBoard]: {}\n", taps.join(", "));
    let [action] = &user_actions(&text)[..] else { panic!("no action: {text}") };
    let board = phone.offered(|action| matches!(action, Action::User { .. }), "the board");
    let on = board.target().expect("the board").clone();
    phone.act(&Action::User { action: Arc::new(action.clone()), on });
}

/// Starts a game for two on the board.
fn game_for_two() -> Phone {
    let mut phone = phone();
    phone.steps(&["Play Offline", "btBlackHuman", "Play"]);
    phone
}

#[track_caller]
fn check_line(phone: &Phone, top: &str, line: &str) {
    let top_info = phone.has("tvOfflineTopInfo").then(|| &*phone.widget("tvOfflineTopInfo").text);
    let found = (top_info.unwrap_or_default(), &*phone.widget("tvOfflineGameInfo").text);
    assert_eq!(found, (top, line), "on\n{}", phone.shown());
}

#[test]
fn the_main_menu_is_as_in_the_app() {
    let phone = phone();
    phone.check_activity("MainActivity").check_counts(9, 4, 0, 0, 9);
    phone.check_texts(&["Play Online", "Play Offline", "Settings", "About"]);
    check_bounds(
        &phone,
        &[
            ("btPlayOnline", [97, 408, 382, 480]),
            ("btPlayOffline", [97, 483, 382, 555]),
            ("btSettings", [97, 558, 382, 630]),
            ("btAbout", [97, 633, 382, 705]),
        ],
    );
    assert_eq!(phone.widget("About").bounds.centre(), (239, 669));
    assert_eq!(phone.object_id("About"), "0:0:0:0:4");
    assert_eq!(phone.screen().package().as_ref(), "cz.hejl.chesswalk");
}

#[test]
fn about_has_a_link_that_leaves_the_app() {
    let mut phone = phone();
    phone.step("About").check_activity("About").check_counts(6, 1, 1, 0, 7);
    assert_eq!(phone.widget("tvAboutURL").bounds.centre(), (143, 32));
    phone.step("tvAboutURL").check_activity("BrowserActivity");
    assert_eq!(phone.screen().package().as_ref(), "com.android.browser");
    phone.step("back").check_activity("About");
    phone.step("back").check_activity("MainActivity");
}

#[test]
fn settings_hide_what_has_no_meaning() {
    let mut phone = phone();
    phone.step("Settings").check_activity("Settings").check_counts(11, 6, 3, 2, 24);
    phone.check_texts(&["  Auto login", " Guest", " Registered user", "Username", "Create account"]);
    let places =
        ["cbAutoLoginSettings", "rbGuest", "rbRegistered", "edUsernameSettings", "edPasswordSettings"];
    assert_eq!(
        places.map(|name| phone.object_id(name)),
        ["0:0:0:0:0", "0:0:0:0:1:0", "0:0:0:0:1:1", "0:0:0:0:2", "0:0:0:0:3"]
    );
    assert_eq!(phone.object_id("Create account"), "0:0:0:0:4");
    phone.step(" Guest").check_counts(11, 4, 1, 0, 10);
    phone.step("  Auto login").check_counts(5, 1, 0, 0, 6);
    phone.step("  Auto login").check_counts(11, 4, 1, 0, 10);
}

#[test]
fn settings_are_remembered_however_they_are_left() {
    for leaving in
        [&["back", "Settings"][..], &["rotate"], &["pauseresume"], &["idle", "menu", "back", "Settings"]]
    {
        let mut phone = phone();
        phone.step("Settings").type_into("Username", "me").step(" Guest").steps(leaving);
        phone.check_activity("Settings").check_counts(11, 4, 1, 0, 10);
        assert_eq!(&*phone.widget("edUsernameSettings").text, "me", "after {leaving:?}");
    }
    // The login screen has the same activity.
    let mut phone = phone();
    phone.steps(&["Play Online"]).type_into("edUsername", "me").steps(&["back", "Settings"]);
    assert!(phone.has_text("me"), "on\n{}", phone.shown());
    phone.type_into("me", "").check_texts(&[
        "  Auto login",
        " Guest",
        " Registered user",
        "Username",
        "Create account",
    ]);
}

#[test]
fn settings_survive_a_restart_and_no_installation() {
    let mut phone = phone();
    phone
        .steps(&["Settings", "  Auto login", "back", "back", "Chess Walk", "Settings"])
        .check_counts(5, 1, 0, 0, 6);
    let activity = phone.sim.app().launchable[0].clone();
    phone.act(&Action::Reinitialise(activity)).step("Settings").check_counts(11, 6, 3, 2, 24);
}

#[test]
fn a_password_is_not_shown() {
    let mut phone = phone();
    phone.step("Settings").type_into("edPasswordSettings", "secret");
    assert!(!phone.has_text("secret"));
    assert!(phone.widget("edPasswordSettings").flags.has(Flags::PASSWORD));
}

#[test]
fn a_new_game_is_as_in_the_app() {
    let mut phone = phone();
    phone.step("Play Offline").check_activity("NewGame").check_counts(19, 5, 0, 0, 12);
    phone.check_texts(&[
        "New game",
        "White",
        "Human",
        "Computer",
        "Black",
        "Human",
        "Computer",
        "Computer strength: 4s per move",
        "Play",
    ]);
    // The text and the slider have different defaults.
    phone.swipe("skDifficulty", Direction::Right);
    assert!(phone.has_text("Computer strength: 4s per move"));
    phone.swipe("skDifficulty", Direction::Left).swipe("skDifficulty", Direction::Left);
    assert!(phone.has_text("Computer strength: 2s per move"));
    for _ in 0..12 {
        phone.swipe("skDifficulty", Direction::Right);
    }
    assert!(phone.has_text("Computer strength: 10s per move"));
}

#[test]
fn somebody_has_to_play() {
    let mut phone = phone();
    phone.steps(&["Play Offline", "btWhiteComputer", "Play"]).check_activity("NewGame");
    assert_eq!(phone.toasts(), ["At least one of the players has to be human"]);
    // A rotation forgets the choice of sides.
    phone.steps(&["rotate", "Play"]).check_activity("OfflineGame");
    check_line(&phone, "Your move", "");
}

#[test]
fn a_game_is_as_in_the_app() {
    let mut phone = phone();
    phone.steps(&["Play Offline", "Play"]).check_activity("OfflineGame").check_counts(12, 3, 0, 0, 9);
    check_line(&phone, "Your move", "");
    assert_eq!(phone.object_id("offlineChessBoard"), "0:0:0:0:1");
    check_bounds(
        &phone,
        &[
            ("offlineChessBoard", [0, 50, 480, 530]),
            ("New game", [71, 652, 214, 724]),
            ("Undo", [217, 652, 320, 724]),
            ("Flip", [323, 652, 409, 724]),
        ],
    );
    phone.user("chessmove").check_counts(13, 3, 0, 0, 9);
    check_line(&phone, "Black is thinking...", "White moved e4. ");
    // The computer thinks for three seconds; an action takes half a second.
    phone.steps(&["menu"; 4]);
    check_line(&phone, "Black is thinking...", "White moved e4. ");
    phone.steps(&["menu"; 2]).check_counts(12, 3, 0, 0, 9);
    check_line(&phone, "Your move", "Black moved e5. ");
}

#[test]
fn back_on_the_first_new_game_opens_a_game_for_two() {
    let mut phone = phone();
    phone.steps(&["Play Offline", "back"]).check_activity("OfflineGame");
    check_line(&phone, "", "");
    phone.user("chessmove");
    check_line(&phone, "Black's move", "White moved e4. ");
    // Then there is a game, and the menu leads straight to it.
    phone.steps(&["back", "Play Offline"]).check_activity("OfflineGame");
    check_line(&phone, "Black's move", "White moved e4. ");
    phone.steps(&["New game", "back"]).check_activity("OfflineGame");
    check_line(&phone, "Black's move", "White moved e4. ");
}

#[test]
fn the_last_move_of_a_game_is_shown_in_the_next() {
    let mut phone = phone();
    phone.steps(&["Play Offline", "Play", "chessmove", "New game", "Play"]).check_activity("OfflineGame");
    check_line(&phone, "Your move", "White moved e4. ");
    phone.steps(&["Undo", "pauseresume"]);
    check_line(&phone, "Your move", "White moved e4. ");
    let mut again = phone.clone();
    again.steps(&["back", "Play Offline"]);
    check_line(&again, "Your move", "");
    phone.step("rotate");
    check_line(&phone, "Your move", "");
}

#[test]
fn the_last_move_of_a_game_is_gone_once_that_is_corrected() {
    for parameter in ["fixed", "fixed_stale_line"] {
        let mut phone = phone_with(&[(parameter, "true")]);
        phone.steps(&["Play Offline", "Play", "chessmove", "New game", "Play"]);
        check_line(&phone, "Your move", "");
        // The state of the game stays.
        phone.steps(&["chessmove", "New game", "back"]);
        assert_eq!(&*phone.widget("tvOfflineGameInfo").text, "White moved e4. ");
    }
}

#[test]
fn the_display_stays_on_only_once_that_is_corrected() {
    let screens: [&[&str]; 6] =
        [&[], &["About"], &["Settings"], &["Play Offline"], &["Play Offline", "Play"], &["Play Online"]];
    for (set, stays_on) in
        [(&[][..], false), (&[("fixed", "true")], true), (&[("fixed_sleeps", "true")], true)]
    {
        for screen in screens {
            let mut phone = phone_with(set);
            phone.steps(screen).step("idle");
            assert_eq!(phone.screen().context().screen_on, stays_on, "with {set:?} after {screen:?}");
            phone.step("menu");
            assert!(phone.screen().context().screen_on);
        }
    }
}

#[test]
fn a_whole_game_for_two_ends_in_mate() {
    let mut phone = game_for_two();
    let moves = [
        ("e2 e4", "White moved e4. "),
        ("e7 e5", "Black moved e5. "),
        ("g1 f3", "White moved Nf3. "),
        ("d7 d6", "Black moved d6. "),
        ("f1 c4", "White moved Bc4. "),
        ("c8 g4", "Black moved Bg4. "),
        ("b1 c3", "White moved Nc3. "),
        ("b8 c6", "Black moved Nc6. "),
        ("e1 g1", "White moved 0-0. "),
        ("c6 d4", "Black moved Nd4. "),
        ("f3 e5", "White moved Nxe5. "),
        ("g4 d1", "Black moved Bxd1. "),
        ("c4 f7", "White moved Bxf7. Check!"),
        ("e8 e7", "Black moved Ke7. "),
    ];
    for (number, (squares, line)) in moves.into_iter().enumerate() {
        check_line(
            &phone,
            if number % 2 == 0 { "White's move" } else { "Black's move" },
            if number == 0 { "" } else { moves[number - 1].1 },
        );
        touch(&mut phone, squares, false);
        assert_eq!(&*phone.widget("tvOfflineGameInfo").text, line);
    }
    touch(&mut phone, "c3 d5", false);
    check_line(&phone, "Game ended", "White moved Nd5. Checkmate!");
    touch(&mut phone, "e7 e6", false);
    phone.step("pauseresume");
    check_line(&phone, "Game ended", "White moved Nd5. Checkmate!");
    phone.step("Undo");
    check_line(&phone, "White's move", "Black moved Ke7. ");
}

#[test]
fn a_touch_elsewhere_takes_the_selection_back() {
    let mut phone = game_for_two();
    for squares in ["e2", "e2 e5 e4", "e4 e2", "d2 e4"] {
        touch(&mut phone, squares, false);
        assert_eq!(&*phone.widget("tvOfflineGameInfo").text, "", "after {squares}");
        touch(&mut phone, "a5", false);
    }
    touch(&mut phone, "a5 e2", false);
    touch(&mut phone, "e4", false);
    check_line(&phone, "Black's move", "White moved e4. ");
}

#[test]
fn a_flipped_board_takes_touches_flipped() {
    let mut phone = game_for_two();
    phone.step("Flip");
    touch(&mut phone, "e2 e4", false);
    check_line(&phone, "White's move", "");
    touch(&mut phone, "e2 e4", true);
    check_line(&phone, "Black's move", "White moved e4. ");
    phone.steps(&["pauseresume", "back", "Play Offline"]);
    touch(&mut phone, "e7 e5", true);
    check_line(&phone, "White's move", "Black moved e5. ");
}

#[test]
fn a_turned_phone_takes_touches_on_the_board() {
    let mut phone = game_for_two();
    phone.step("rotate");
    touch(&mut phone, "e2 e4", false);
    check_line(&phone, "Black's move", "White moved e4. ");
}

#[test]
fn undo_takes_back_what_one_side_can() {
    let mut phone = game_for_two();
    touch(&mut phone, "e2 e4", false);
    touch(&mut phone, "e7 e5", false);
    phone.step("Undo");
    check_line(&phone, "Black's move", "White moved e4. ");
    phone.step("Undo");
    check_line(&phone, "White's move", "");
    let mut phone = self::phone();
    phone.steps(&["Play Offline", "Play", "chessmove", "idle", "menu"]);
    check_line(&phone, "Your move", "Black moved e5. ");
    phone.step("Undo");
    check_line(&phone, "Your move", "");
}

#[test]
fn the_computer_can_have_white() {
    let mut phone = phone();
    phone.steps(&["Play Offline", "btWhiteComputer", "btBlackHuman"]).swipe("skDifficulty", Direction::Left);
    phone.swipe("skDifficulty", Direction::Left).step("Play");
    check_line(&phone, "White is thinking...", "");
    phone.steps(&["menu"; 3]);
    check_line(&phone, "Your move", "White moved e4. ");
    touch(&mut phone, "e7 e5", false);
    check_line(&phone, "White is thinking...", "Black moved e5. ");
}

#[test]
fn a_game_is_stored_until_the_app_is_installed_anew() {
    let mut phone = phone();
    phone.steps(&[
        "Play Offline",
        "Play",
        "chessmove",
        "idle",
        "menu",
        "back",
        "back",
        "Chess Walk",
        "Play Offline",
    ]);
    check_line(&phone, "Your move", "Black moved e5. ");
    let activity = phone.sim.app().launchable[0].clone();
    phone.act(&Action::Reinitialise(activity)).step("Play Offline").check_activity("NewGame");
}

#[test]
fn logging_in_comes_to_nothing() {
    let mut phone = phone();
    phone.step("Play Online").check_activity("LoginActivity").check_counts(15, 5, 3, 2, 23);
    phone.step("Log in").check_activity("LoginActivity").check_counts(7, 0, 0, 0, 5);
    phone.check_texts(&["Logging in", "Contacting freechess.org"]);
    phone.step("pauseresume").check_activity("LoginActivity").check_counts(15, 5, 3, 2, 23);
    assert_eq!(phone.toasts(), ["Some error happened while connecting to freechess.org"]);
    phone.steps(&["Log in as guest", "back"]).check_counts(15, 5, 3, 2, 23);
    phone.steps(&["menu", "menu"]);
    assert!(phone.toasts().is_empty());
    phone.step("Create account").check_activity("BrowserActivity");
}

#[test]
fn pausing_and_turning_change_no_screen() {
    let screens: [&[&str]; 6] =
        [&[], &["About"], &["Settings"], &["Play Offline"], &["Play Offline", "Play"], &["Play Online"]];
    for screen in screens {
        let mut phone = phone();
        phone.steps(screen);
        let before = phone.screen().identity();
        phone.step("pauseresume");
        assert_eq!(phone.screen().identity(), before, "after {screen:?}");
        phone.step("rotate");
        assert_ne!(phone.screen().identity(), before, "after {screen:?}");
        phone.step("rotate");
        assert_eq!(phone.screen().identity(), before, "after {screen:?}");
    }
}
