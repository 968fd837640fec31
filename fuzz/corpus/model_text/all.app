# Every construct of the language, for the test of the reader.
app org.example.all "All {{of}} it" 2.0-beta
display 480x800 240dpi
param fixed = false, limit = -3, who = "me"
stored notes = list(name, done), next = 1, last = none
session visits = limit + 2, list = ""
launch Main, Viewer

def save(note, name) {
    if note { note.name = name } else if name == "" { leave } else { add notes(name: name or "Note {next}", done: false) as new; last = new; next += 1 }
    let twice = next * 2;
    twice = twice - 1;
    for n in notes where n.done by -n.name { n.done = !n.done; remove n }
    for i in 1..twice { toast "{i}" }
    save(note, "\u{e9}\n\"\\ {len(name + "x")}");
}
def nothing { }

part row(title, height) {
    LinearLayout tall height across { TextView (title) content }
    when title != "" { content } else when height > 3 { View } else { SurfaceView }
}
part frame(title) { FrameLayout { use row(title, 40 + 2) { ImageView content } } }
part bare { TextView "bare" }

activity Main .MainActivity in frame("Main") awake (visits > 0) {
    own menu = limit > 0, kept = menu || fixed
    own kept draft = ""
    own pick = find(n in notes where n.name == draft by n.index)
    on create when !recreated: visits += 1; visits -= 1
    on resume: keyboard
    on pause: { chance { 5% { crash "oops" } 20.5% { anr "busy" } else { leave } } }
    on destroy: clear notes
    on result chosen: draft = result
    on back when menu: { menu = false }
    on menu when portrait && !landscape || network: show Ask(pick, "a")
    on network: after 3s { wait 300ms; finish with 3 }
    every 2s when now % 2 == 0: list = "x"
    TextView "Text" desc "d" hint "h" at 0,-1 (limit * 2),20
        tall 70 wide 120 enabled (draft != "") selected kept clickable longclickable menu checkable checked menu
    EditText #field password edits draft { on text: keyboard }
    when menu { Button "Visible" disabled when fixed -> open Viewer(none) afresh for chosen; menu = false }
    ScrollView scrolls {
        let all = count(notes)
        let done = count(n in notes where n.done)
        on longclick: toast "{all} {done}"
        on tap(x, y): toast x + y
        on swipe left: { leave }
        on swipe right: leave
        for n in notes where n.name != "" by n.name { use row(n.name, 3) { CheckBox #android:id/check checked n.done when (n.done) } EditText edits n.name }
        for i in 0..all - 1 { HorizontalScrollView scrolls sideways solid -> if i > 2 { close } else { finish } { com.example.Chart } }
        use bare
    }
    WebView -> save(pick, min(1, 2) > max(random(1, 6), abs(-3)) ? left(lower(who), 3) : upper(trim("{number("3") or 4}"))); nothing()
    View selected (contains("a", who)) -> menu = starts(draft, "b") tall 3
}
activity Viewer com.other/.Viewer (note) portrait { TextView (note.name) }
dialog Ask (note, text) modal { own x = text on back: close every 500ms: x = note Button "OK" -> show Hint; close }
popup Hint { on menu: close TextView "Hint" }
