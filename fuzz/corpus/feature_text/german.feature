# language: de
Funktion: f
  Szenario: s
    Angenommen I should not be on "a"
    Wenn I long-click "b"
    Dann immediately the field "c" has the focus
    Aber I do not see exactly "d".
