# Files, a made-up app whose list shows the file opened last first: its rows swap, and lead to three viewers.
#
# The picture of a row is no part of the tree, so all rows look alike but for their names. The camera adds files, whose names
# begin alike.

app org.example.files "Files" 1.0
display 480x800 240dpi
launch Files

stored files = list(name, kind, opened), clock = 3

activity Files .FilesActivity {
    on create when (count(files) == 0): {
        add files(name: "Holidays.jpg", kind: "picture", opened: 2);
        add files(name: "Shopping.txt", kind: "text", opened: 1);
        add files(name: "Birdsong.ogg", kind: "sound", opened: 0);
    }

    ListView #files {
        for file in files by -file.opened {
            TextView #name (file.name) tall 72 -> {
                file.opened = clock;
                clock += 1;
                if file.kind == "picture" { open Picture }
                else if file.kind == "text" { open Text }
                else { open Sound }
            }
        }
    }
    Button #camera "Take a picture" -> if count(files) < 5 {
        add files(name: "Holidays-{clock}.jpg", kind: "picture", opened: clock);
        clock += 1
    }
}

activity Picture .PictureActivity { ImageView #picture desc "Picture" tall 600 }

activity Text .TextActivity { TextView #text "Bread, milk, tea" tall 600 }

activity Sound .SoundActivity {
    own playing = false
    TextView #state (playing ? "Playing" : "Paused")
    Button #play "Play or pause" -> playing = !playing
}
