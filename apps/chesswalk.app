# Chess Walk 1.5.2, a chess game, as it is on Android 4.4 with a display of 480x800 pixels.
#
# The model follows the app widget by widget: the tree, the bounds, the kept state and the lost state.
# It has two bugs because the app has them; each has a parameter that corrects it, and
# `--set fixed=true` corrects both.
#
# Simplified: the game is scripted (see `the_game`), and the screens that need the chess server are left
# out, except the attempt to log in.

app cz.hejl.chesswalk "Chess Walk" 1.5.2
display 480x800 240dpi                     # 72 of the 800 pixels are the navigation bar
launch Main

param fixed = false                        # corrects all of the following
param fixed_stale_line = false             # the next game does not show the last move of a game
param fixed_sleeps = false                 # the display stays on

# ---- Stored state ------------------------------------------------------------------------------

# The settings; the login screen has the same name and password.
stored auto_login = true, as_guest = false, username = "", password = ""

# The game, if there is one. Sides are "human" or "computer".
stored has_game = false, game_white = "", game_black = "", game_strength = none
stored game_played = 0, game_flipped = false, game_ended = false

# ---- The game ----------------------------------------------------------------------------------

# Its half-moves: from, to, and the text that the app shows. A square is its file, counted from 1, and
# its rank: e2 is 52. Both sides, human and computer, must follow the script.
session script = list(start, goal, line)

def the_game {
    if count(script) == 0 {
        add script(start: 52, goal: 54, line: "White moved e4. ");
        add script(start: 57, goal: 55, line: "Black moved e5. ");
        add script(start: 71, goal: 63, line: "White moved Nf3. ");
        add script(start: 47, goal: 46, line: "Black moved d6. ");
        add script(start: 61, goal: 34, line: "White moved Bc4. ");
        add script(start: 38, goal: 74, line: "Black moved Bg4. ");
        add script(start: 21, goal: 33, line: "White moved Nc3. ");
        add script(start: 28, goal: 36, line: "Black moved Nc6. ");
        add script(start: 51, goal: 71, line: "White moved 0-0. ");
        add script(start: 36, goal: 44, line: "Black moved Nd4. ");
        add script(start: 63, goal: 55, line: "White moved Nxe5. ");
        add script(start: 74, goal: 41, line: "Black moved Bxd1. ");
        add script(start: 34, goal: 67, line: "White moved Bxf7. Check!");
        add script(start: 58, goal: 57, line: "Black moved Ke7. ");
        add script(start: 33, goal: 45, line: "White moved Nd5. Checkmate!")
    }
}

# ---- Shared parts ------------------------------------------------------------------------------

# The app is full screen and has no title, so nothing else surrounds its own widgets.
part frame {
    FrameLayout at 0,0 480,728 {
        LinearLayout {
            FrameLayout #android:id/content {
                content
            }
        }
    }
}

# Links lead to it, out of the app.
activity Browser com.android.browser/.BrowserActivity (address) {
    FrameLayout at 0,38 480,728 {
        EditText #com.android.browser:id/url at 0,38 480,110 edits address
        android.webkit.WebView at 0,110 480,728
    }
}

# ---- Main menu ---------------------------------------------------------------------------------

activity Main .MainActivity in frame awake (fixed || fixed_sleeps) {
    # Every end of the screen for a new game opens a game: back does not lead to the menu.
    on result new_game: open Game

    LinearLayout {
        LinearLayout at 23,23 457,408
        Button #btPlayOnline "Play Online" at 97,408 382,480 -> open Login
        Button #btPlayOffline "Play Offline" at 97,483 382,555
            -> if has_game { open Game } else { open NewGame for new_game }
        Button #btSettings "Settings" at 97,558 382,630 -> open Settings
        Button #btAbout "About" at 97,633 382,705 -> open About
    }
}

# ---- About -------------------------------------------------------------------------------------

activity About .About in frame awake (fixed || fixed_sleeps) {
    RelativeLayout {
        TextView #tvAboutURL "http://gitorious.org/chesswalk" at 10,20 276,44 longclickable
            -> open Browser("http://gitorious.org/chesswalk")
        # It overlaps the link, and lets touches through.
        TextView "Chess Walk is Free Software released under the GNU GPLv3 license." at 10,35 470,80
    }
}

# ---- Settings ----------------------------------------------------------------------------------

activity Settings .Settings in frame awake (fixed || fixed_sleeps) {
    own auto = auto_login, guest = as_guest, name = username, secret = password
    on pause: auto_login = auto; as_guest = guest; username = name; password = secret

    RelativeLayout {
        CheckBox #cbAutoLoginSettings "  Auto login" at 10,10 190,58 checked auto -> auto = !auto
        when auto {
            RadioGroup #rgLoginType at 10,68 470,164 {
                RadioButton #rbGuest " Guest" at 10,68 120,116 checked guest -> guest = true
                RadioButton #rbRegistered " Registered user" at 10,116 240,164 checked (!guest) -> guest = false
            }
            EditText #edUsernameSettings hint "Username" at 40,164 470,234 edits name enabled (!guest)
            EditText #edPasswordSettings at 40,237 470,307 edits secret password enabled (!guest)
            TextView #tvSettingsCreateAccount "Create account" at 42,311 190,335 longclickable
                -> open Browser("http://www.freechess.org/Register/index.html")
        }
    }
}

# ---- New game ----------------------------------------------------------------------------------

activity NewGame .NewGame in frame awake (fixed || fixed_sleeps) {
    # The widgets do not tell which side is chosen: the buttons differ only in colour.
    own white = game_white or "human", black = game_black or "computer"
    # On a fresh installation the slider and the text above it have different defaults.
    own kept strength = game_strength or 3, shown = game_strength or 4

    LinearLayout {
        TextView at 15,15 258,68                                    # the logo
        LinearLayout at 15,83 465,646 {
            TextView "New game" at 30,98 450,141
            TextView at 30,164 450,166                              # a rule
            TextView "White" at 30,189 90,220
            LinearLayout at 30,220 450,292 {
                Button #btWhiteHuman "Human" at 30,220 240,292 -> white = "human"
                Button #btWhiteComputer "Computer" at 240,220 450,292 -> white = "computer"
            }
            TextView "Black" at 30,292 90,346
            LinearLayout at 30,346 450,418 {
                Button #btBlackHuman "Human" at 30,346 240,418 -> black = "human"
                Button #btBlackComputer "Computer" at 240,346 450,418 -> black = "computer"
            }
            TextView #tvDifficulty "Computer strength: {shown}s per move" at 30,418 370,480
            SeekBar #skDifficulty at 39,480 441,528 {
                on swipe left: if strength > 1 { strength -= 1; shown = strength }
                on swipe right: if strength < 10 { strength += 1; shown = strength }
            }
            Button #btNewGamePlay "Play" at 172,551 307,623 ->
                if white == "computer" && black == "computer" {
                    toast "At least one of the players has to be human"
                } else {
                    has_game = true; game_white = white; game_black = black; game_strength = strength;
                    game_played = 0; game_flipped = false; game_ended = false;
                    finish
                }
        }
    }
}

# ---- Game --------------------------------------------------------------------------------------

activity Game .OfflineGame in frame awake (fixed || fixed_sleeps) {
    # Without a stored game (back on the first New game screen) both sides are human.
    own white = game_white or "human", black = game_black or "human"
    own played = game_played, flipped = game_flipped, ended = game_ended
    # Then there is no status either before the first move.
    own silent = !has_game
    own selected = 0                       # the square whose piece was touched, or 0
    own thinking = 0                       # half seconds until the computer moves
    own line = ""                          # the text of the last half-move

    on create: the_game(); line = find(p in script where p.index == played - 1).line or ""

    # Every return reads the stored game, which may be another one by now. Here is the bug: the line
    # does not change.
    on resume when has_game: white = game_white; black = game_black;
        played = game_played; flipped = game_flipped; ended = game_ended
    on resume when fixed || fixed_stale_line: line = find(p in script where p.index == played - 1).line or ""
    # Simplified: a computer that was thinking starts again.
    on resume: selected = 0; thinking = 0;
        if !ended && (played % 2 == 0 ? white : black) == "computer" { thinking = 2 * (game_strength or 1) }
    on pause: has_game = true; game_white = white; game_black = black;
        game_played = played; game_flipped = flipped; game_ended = ended

    every 500ms when thinking > 0:
        thinking -= 1;
        let ply = find(p in script where p.index == played);
        if thinking == 0 && ply { played += 1; line = ply.line; silent = false }

    let mover = played % 2 == 0 ? "White" : "Black"
    let status = thinking > 0 ? "{mover} is thinking..."
        : ended ? "Game ended"
        : silent ? ""
        : white == black ? "{mover}'s move"
        : "Your move"
    LinearLayout {
        LinearLayout at 0,0 480,50 {
            ProgressBar #pbThinking at 11,11 41,41 when (thinking > 0)
            TextView #tvOfflineTopInfo (status) at (thinking > 0 ? 52 : 11),11 (thinking > 0 ? 260 : 130),39 when status
        }
        # The board is one drawing. A touch on the piece that moves next selects it, then one on its goal
        # moves it; any other touch takes the selection back. A square is 58.5 pixels wide, the border 6.
        View #offlineChessBoard at 0,50 480,530 {
            on tap(x, y):
                let column = ((x - 6) * 2 + 117) / 117;
                let row = ((y - 6) * 2 + 117) / 117;
                let square = flipped ? (9 - column) * 10 + row : column * 10 + 9 - row;
                let ply = find(p in script where p.index == played);
                if thinking == 0 && !ended && ply {
                    if square == ply.start {
                        selected = square
                    } else if square == ply.goal && selected == ply.start {
                        played += 1; line = ply.line; selected = 0; silent = false;
                        if played == count(script) {
                            ended = true
                        } else if (played % 2 == 0 ? white : black) == "computer" {
                            thinking = 2 * (game_strength or 1)
                        }
                    } else {
                        selected = 0
                    }
                }
        }
        TextView #tvOfflineGameInfo (line) at 5,545 (21 + 9 * len(line)),647
        LinearLayout at 0,647 480,728 {
            Button #btNewGame "New game" at 71,652 214,724 -> open NewGame
            # Against the computer its answer is taken back too. Simplified: not while it thinks.
            Button #btUndo "Undo" at 217,652 320,724 ->
                let steps = white == black || ended ? 1 : 2;
                if thinking == 0 && played >= steps {
                    played -= steps; ended = false; selected = 0;
                    line = find(p in script where p.index == played - 1).line or ""
                }
            Button #btFlip "Flip" at 323,652 409,724 -> flipped = !flipped; selected = 0
        }
    }
}

# ---- Login -------------------------------------------------------------------------------------

activity Login .LoginActivity in frame awake (fixed || fixed_sleeps) {
    own name = username, secret = password
    on pause: username = name; password = secret

    LinearLayout {
        TextView at 15,15 258,68                                    # the logo
        LinearLayout at 15,83 465,562 {
            TextView "Log in to freechess.org" at 30,98 450,141
            TextView at 30,164 450,166                              # a rule
            LinearLayout at 30,189 450,261 {
                Button #btGuestLogin "Log in as guest" at 30,189 230,261 -> show LoggingIn
                TextView #tvCreateAccount "Create account" at 230,189 450,217 longclickable
                    -> open Browser("http://www.freechess.org/Register/index.html")
            }
            TextView at 30,284 450,286                              # a rule
            EditText #edUsername hint "Username" at 30,315 450,385 edits name
            EditText #edPassword at 30,396 450,466 edits secret password
            Button #btLogin "Log in" at 330,475 450,547 -> show LoggingIn
        }
    }
}

# The chess server is never reached: the dialog is seen for one step and ends by itself, or by back.
dialog LoggingIn in frame {
    every 700ms: close; toast "Some error happened while connecting to freechess.org"

    RelativeLayout at 48,316 432,412 {
        ProgressBar #pbLoggingIn at 63,331 129,397
        TextView #tvLoggingIn "Logging in" at 144,331 417,360
        TextView #tvLoggingInState "Contacting freechess.org" at 144,360 417,397
    }
}
