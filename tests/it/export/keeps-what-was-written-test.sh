#!/bin/sh
# Made by farlead 0.1.0 from a test it keeps.
# Run it with `sh FILE`, the app being installed; adb takes the device from ANDROID_SERIAL if there are several.
# It ends with 0 if all is as expected, and else says where it is not. FARLEAD_TRIES is how often it looks for a
# widget, or whether something holds, before it gives up (20), FARLEAD_IDLE_S how many seconds an idle takes (70).
#
# What the run was found for:
#     possible "keeps what was written" within 7 steps:
#         F (![crashed = true] & [text ~ off])
# What captures it, step by step:
#     possible "captured":
#         X [text ~ off] & X X [actionType = back]
# app: org.notes 1.0.1
# in farlead: --app apps/notes.app
# device: simulator, 480x800
# spec: specs/notes/keep.ltl
# found by: planner
# seed: 7
# search: 3 episodes, 21 steps
# steps: 7 of the 9 it was found with
# did it again: 3 of 3 times

# shellcheck disable=SC1003,SC2016,SC2088 # backslashes, dollars and tildes of texts mean nothing
set -eu

package=org.notes
activity=org.notes.ui.Main
tries_max=${FARLEAD_TRIES:-20}
here='the start'

fail() {
    printf 'failed at %s: %s\n' "$here" "$1" >&2
    exit 1
}

step() {
    here=$1
    printf '%s\n' "$here"
}

# Runs a command on the device, whose shell reads the words once more.
device() {
    words=
    for word; do
        words="$words '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
    done
    adb shell "${words# }" </dev/null
}

start() {
    # A run before may have left the display dark.
    device input keyevent 224
    device am force-stop "$package" >/dev/null
    case $(device pm clear "$package") in
    *Success*) ;;
    *) fail "cannot clear the data of $package; is it installed?" ;;
    esac
    come_back
}

come_back() {
    case $(device am start -W -n "$package/$activity" 2>&1) in
    *Error* | *Exception*) fail "cannot start $package/$activity" ;;
    esac
    expect yes "$package is in front" state_is package = "$package"
}

# Waits for a widget, and leaves in left, top, right and bottom where it is, and behind a space in spot how long its
# text is.
find_widget() {
    tries=1
    until spot=$(read_screen find "$@"); do
        [ "$tries" -lt "$tries_max" ] || fail "no such widget: $*"
        tries=$((tries + 1))
        sleep 1
    done
    left=${spot%% *} spot=${spot#* }
    top=${spot%% *} spot=${spot#* }
    right=${spot%% *} spot=${spot#* }
    bottom=${spot%% *}
}

# Touches the widget so many thousandths of a percent from its left and its top.
tap() {
    device input tap "$(across "$1")" "$(down "$2")"
}

# A swipe that goes nowhere for a second.
long_tap() {
    device input swipe "$(across "$1")" "$(down "$2")" "$(across "$1")" "$(down "$2")" 1000
}

swipe() {
    device input swipe "$(across "$1")" "$(down "$2")" "$(across "$3")" "$(down "$4")" 300
}

across() {
    at=$((left + (right - left) * $1 / 100000))
    [ "$at" -lt "$right" ] || at=$((right - 1))
    printf '%s' "$at"
}

down() {
    at=$((top + (bottom - top) * $1 / 100000))
    [ "$at" -lt "$bottom" ] || at=$((bottom - 1))
    printf '%s' "$at"
}

# Erases what was in the field that was found, on both sides of the cursor.
erase_text() {
    letters=${spot#* }
    device input keyevent 123
    while [ "$letters" -gt 0 ]; do
        device input keyevent 67 67 67 67 67 67 67 67 67 67
        device input keyevent 112 112 112 112 112 112 112 112 112 112
        letters=$((letters - 10))
    done
}

# For `input`, `%s` is a space.
type_text() {
    device input text "$(printf '%s' "$1" | sed 's/ /%s/g')"
}

# Leaves the screen: a keyboard would take the first press.
go_back() {
    case $(device dumpsys input_method) in
    *mInputShown=true*) device input keyevent 4 ;;
    esac
    device input keyevent 4
}

turn() {
    device settings put system user_rotation "$1"
}

network() {
    device cmd connectivity airplane-mode "$1"
}

forget_crashes() {
    device logcat -b crash -c || fail "cannot clear the log of crashes"
}

# Waits until a check says yes, or no; one that cannot tell says neither.
expect() {
    answer=$1
    what=$2
    shift 2
    tries=1
    while :; do
        status=0
        "$@" || status=$?
        case $answer$status in
        yes0 | no1) return 0 ;;
        esac
        [ "$tries" -lt "$tries_max" ] || fail "expected $answer, for: $what"
        tries=$((tries + 1))
        sleep 1
    done
}

# Whether the number of visible widgets that meet some comparisons compares so.
widgets_are() {
    relation=$1
    number=$2
    shift 2
    count=$(read_screen count "$@") || return 2
    test "$count" "$relation" "$number"
}

checked_is() {
    checked=$(read_screen checked) || return 2
    [ "$checked" = "$1" ]
}

# What is seen now, as the program `reader` says it; a screen that moves has no tree.
read_screen() {
    adb exec-out uiautomator dump /dev/tty </dev/null 2>/dev/null | LC_ALL=C awk "$reader" "$@"
}

# Whether all of some comparisons hold of the device.
state_is() {
    while [ $# -gt 0 ]; do
        names=$(state "$1") || return 2
        printf '%s\n' "$names" | LC_ALL=C awk "$reader" names "$1" "$2" "$3" || return 1
        shift 3
    done
}

# The value of a key, or its names, a line each.
state() {
    case $1 in
    package)
        seen=$(front) || return 2
        printf '%s\n' "${seen%%/*}"
        ;;
    activity)
        seen=$(front) || return 2
        printf '%s\n' "$seen"
        ;;
    screen)
        case $(device dumpsys power) in
        *mWakefulness=Awake*) echo on ;;
        *mWakefulness=*) echo off ;;
        *) return 2 ;;
        esac
        ;;
    orientation)
        seen=$(device dumpsys window | sed -n 's/.*[^a-z]cur=\([0-9]*\)x\([0-9]*\).*/\1 \2/p' | sed -n 1p)
        [ -n "$seen" ] || return 2
        if [ "${seen% *}" -gt "${seen#* }" ]; then echo landscape; else echo portrait; fi
        ;;
    network)
        case $(device settings get global airplane_mode_on) in
        1*) echo off ;;
        0* | null*) echo on ;;
        *) return 2 ;;
        esac
        ;;
    crashed)
        seen=$(device logcat -b crash -d) || return 2
        case $seen in
        *"Process: $package,"* | *">>> $package <<<"*) echo true ;;
        *) echo false ;;
        esac
        ;;
    anr)
        seen=$(device dumpsys window) || return 2
        case $seen in
        *"Application Not Responding: $package"*) echo true ;;
        *) echo false ;;
        esac
        ;;
    esac
}

# The activity in front by all of its names, a line each, `package/activity` first.
front() {
    device dumpsys window | LC_ALL=C awk '
        /mFocusedApp=/ && !name && match($0, /[A-Za-z0-9_.]+\/[A-Za-z0-9_.$]+/) {
            name = substr($0, RSTART, RLENGTH)
        }
        END {
            if (!name) exit 2
            at = index(name, "/")
            owner = substr(name, 1, at - 1)
            full = substr(name, at + 1)
            if (full ~ /^[.]/) full = owner full
            short = index(full, owner ".") == 1 ? substr(full, at) : full
            last = full
            sub(/^.*[.]/, "", last)
            print owner "/" short
            print full
            print short
            print last
        }'
}

reader='
# Reads the tree of `uiautomator dump` and says what of it meets some comparisons, each a key, an operator and a
# value in which & and what is not seen are XML entities, as they are in the tree.
#   count KEY OP VALUE ...  how many visible widgets meet all of them
#   find KEY = VALUE ...    where the widget with these names is: left, top, right, bottom, and how long its text is
#   checked                 whether something is checked: true, false, or none if nothing could be
#   names KEY OP VALUE      by its exit status, whether one of the names, a line each, does
BEGIN {
    mode = ARGV[1]
    for (i = 2; i + 2 < ARGC; i += 3) {
        wanted++
        key[wanted] = ARGV[i]
        op[wanted] = ARGV[i + 1]
        value[wanted] = decoded(ARGV[i + 2])
    }
    ARGC = 1
    RS = mode == "names" ? "\n" : "<"
    depth = 0
    place[0] = -1
}
mode == "names" { names[++named] = $0; next }
/^node[ \t\r\n\/>]/ { see($0); next }
/^\/node/ { depth--; next }
/^\/hierarchy/ || /^hierarchy[^>]*\/>/ { is_whole = 1 }
END {
    if (mode == "names") exit !any_holds(1, names, named)
    if (!is_whole) exit 3
    if (mode == "count") print met + 0
    if (mode == "checked") print checked ? "true" : checkable ? "false" : "none"
    if (mode == "find") {
        found = best()
        if (!found) exit 1
        print where[found], length(text_at[found])
    }
}
function see(rest,    attribute, name, at, edge, i) {
    split("", attribute)
    while (match(rest, /[-A-Za-z:]+="[^"]*"/)) {
        name = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        at = index(name, "=")
        attribute[substr(name, 1, at - 1)] = decoded(substr(name, at + 2, length(name) - at - 2))
    }
    place[depth]++
    way[depth] = (depth ? way[depth - 1] ":" : "") place[depth]
    place[depth + 1] = -1
    split(attribute["bounds"], edge, /[^-0-9]+/)
    if (edge[4] + 0 > edge[2] + 0 && edge[5] + 0 > edge[3] + 0) {
        if (attribute["checkable"] == "true") checkable = 1
        if (attribute["checked"] == "true") checked = 1
        attribute["objectID"] = way[depth]
        for (i = 1; i <= wanted; i++) fits[i] = meets(i, attribute)
        if (mode == "find") keep(attribute, edge)
        for (i = 1; i <= wanted && fits[i]; i++);
        if (i > wanted) met++
    }
    if (rest !~ /^[ \t\r\n]*\//) depth++
}
function keep(attribute, edge,    i) {
    kept++
    where[kept] = edge[2] " " edge[3] " " edge[4] " " edge[5]
    text_at[kept] = attribute["text"]
    for (i = 1; i <= wanted; i++) fit[kept, i] = fits[i]
}
# The first name must fit. Where several widgets have it, a text or description must too, and class and place may help.
function best(    i, k, first, fewer, could, is_left) {
    for (k = 1; k <= kept; k++) {
        is_left[k] = fit[k, 1]
        could += fit[k, 1]
    }
    for (i = 2; i <= wanted && could > 1; i++) {
        fewer = 0
        for (k = 1; k <= kept; k++) fewer += is_left[k] && fit[k, i]
        if (!fewer && key[i] != "text" && key[i] != "content-desc" && key[1] != "class") continue
        for (k = 1; k <= kept; k++) is_left[k] = is_left[k] && fit[k, i]
        could = fewer
    }
    for (k = kept; k >= 1; k--) if (is_left[k]) first = k
    return first
}
function meets(i, attribute,    own, both) {
    own = attribute[key[i]] ""
    both[1] = own
    both[2] = own
    # Ids and classes have a full name and a short one.
    if (key[i] == "resource-id") sub(/^.*\//, "", both[2])
    if (key[i] == "class") sub(/^.*[.]/, "", both[2])
    return any_holds(i, both, 2)
}
# One of several names is enough, and to differ is to differ from all of them.
function any_holds(i, names, count,    k, held) {
    for (k = 1; k <= count; k++) held += holds(op[i], names[k], value[i])
    return op[i] == "!=" ? held == count : held > 0
}
function holds(op, own, value,    number) {
    if (op == "=") return (own "") == (value "")
    if (op == "!=") return (own "") != (value "")
    if (op == "~") return value == "" || index(own, value) > 0
    if (op == "matches") return own ~ value
    number = own
    gsub(/^[ \t\r\n]+|[ \t\r\n]+$/, "", number)
    if (number !~ /^-?[0-9]+([.][0-9]+)?$/) return 0
    if (op == "<") return number + 0 < value + 0
    if (op == "<=") return number + 0 <= value + 0
    if (op == ">") return number + 0 > value + 0
    return number + 0 >= value + 0
}
function decoded(text,    out, at, name, code, high) {
    out = ""
    while ((at = index(text, "&")) > 0) {
        out = out substr(text, 1, at - 1)
        text = substr(text, at + 1)
        at = index(text, ";")
        name = substr(text, 1, at - 1)
        text = substr(text, at + 1)
        if (name == "amp") out = out "&"
        else if (name == "lt") out = out "<"
        else if (name == "gt") out = out ">"
        else if (name == "quot") out = out "\""
        else if (name == "apos") out = out "\047"
        else if (name ~ /^#/) {
            code = number_of(substr(name, 2))
            # Older versions of Android write what lies beyond 16 bits as two halves.
            if (code >= 55296 && code < 56320) { high = code; continue }
            if (code >= 56320 && code < 57344) code = 65536 + (high - 55296) * 1024 + code - 56320
            out = out letter(code)
        }
    }
    return out text
}
function number_of(digits,    i, code) {
    if (digits !~ /^[xX]/) return digits + 0
    digits = tolower(digits)
    for (i = 2; i <= length(digits); i++) code = code * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
    return code
}
function letter(code) {
    if (code < 128) return sprintf("%c", code)
    if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}
'

sensor_was=$(device settings get system accelerometer_rotation)
put_back() {
    turn 0 || true
    device settings put system accelerometer_rotation "$sensor_was" || true
}
trap put_back EXIT
device settings put system accelerometer_rotation 0
turn 0

step 'step 0, reinitialise org.notes.ui.Main'
start
expect yes '[activity ~ Main]' state_is activity '~' Main

step 'step 1, click ImageButton 0:3'
# Not as in the test: no name tells the widget apart, so it is found by its class and its place in the tree.
find_widget class = android.widget.ImageButton objectID = 0:3
tap 50000 50000
expect yes '[activity ~ Edit]' state_is activity '~' Edit

step 'step 2, text "50% off, it'\''s $5" into "Name"'
find_widget resource-id = org.notes:id/name text = Name class = android.widget.EditText objectID = 0:0:1
tap 50000 50000
erase_text
type_text '50% off, it'\''s $5'

step 'step 3, back'
go_back
expect no '[text ~ /^Note [0-9]+$/]' widgets_are -ge 1 text matches '^Note [0-9]+$'
expect yes '[count(id = row) >= 2]' widgets_are -ge 2 resource-id = row

step 'step 4, longclick "one"'
find_widget resource-id = org.notes:id/row text = one class = android.widget.TextView objectID = 0:1:0
long_tap 50000 50000

step 'step 5, click "two"'
forget_crashes
find_widget resource-id = org.notes:id/row text = two class = android.widget.TextView objectID = 0:1:1
tap 50000 50000
expect yes '[checked = true]' checked_is true
expect no '[crashed = true]' state_is crashed = true

step 'step 6, rotate'
turn 1
expect yes '[text = "50% off, it'\''s $5"]' widgets_are -ge 1 text = '50% off, it&apos;s $5'

printf 'all is as expected\n'
