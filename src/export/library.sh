#: fail

fail() {
    printf 'failed at %s: %s\n' "$here" "$1" >&2
    exit 1
}
#: step

step() {
    here=$1
    printf '%s\n' "$here"
}
#: device

# Runs a command on the device, whose shell reads the words once more.
device() {
    words=
    for word; do
        words="$words '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
    done
    adb shell "${words# }" </dev/null
}
#: start

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
#: pause_and_resume

pause_and_resume() {
    device input keyevent 3
    expect no "$package is in front" state_is package = "$package"
    come_back
}
#: come_back

come_back() {
    case $(device am start -W -n "$package/$activity" 2>&1) in
    *Error* | *Exception*) fail "cannot start $package/$activity" ;;
    esac
    expect yes "$package is in front" state_is package = "$package"
}
#: find_widget

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
#: tap

# Touches the widget so many thousandths of a percent from its left and its top.
tap() {
    device input tap "$(across "$1")" "$(down "$2")"
}
#: long_tap

# A swipe that goes nowhere for a second.
long_tap() {
    device input swipe "$(across "$1")" "$(down "$2")" "$(across "$1")" "$(down "$2")" 1000
}
#: stroke

# A finger that gets slower and rests before it is lifted, so that a list stops where the finger does. Before Android 11 an
# event takes too long to begin with, and a swipe is slow instead.
stroke() {
    from_x=$(across "$1") from_y=$(down "$2")
    to_x=$(across "$3") to_y=$(down "$4")
    case $(device getprop ro.build.version.sdk) in
    [12][0-9]*) device input swipe "$from_x" "$from_y" "$to_x" "$to_y" 1500 ;;
    *)
        device input motionevent DOWN "$from_x" "$from_y"
        for part in 200 450 700 880 960 990 1000; do
            device input motionevent MOVE "$((from_x + (to_x - from_x) * part / 1000))" \
                "$((from_y + (to_y - from_y) * part / 1000))"
        done
        sleep 1
        device input motionevent UP "$to_x" "$to_y"
        ;;
    esac
}
#: swipe

swipe() {
    device input swipe "$(across "$1")" "$(down "$2")" "$(across "$3")" "$(down "$4")" 300
}
#: across

across() {
    at=$((left + (right - left) * $1 / 100000))
    [ "$at" -lt "$right" ] || at=$((right - 1))
    printf '%s' "$at"
}
#: down

down() {
    at=$((top + (bottom - top) * $1 / 100000))
    [ "$at" -lt "$bottom" ] || at=$((bottom - 1))
    printf '%s' "$at"
}
#: erase_text

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
#: type_text

# For `input`, `%s` is a space.
type_text() {
    device input text "$(printf '%s' "$1" | sed 's/ /%s/g')"
}
#: go_back

# Leaves the screen: a keyboard would take the first press.
go_back() {
    case $(device dumpsys input_method) in
    *mInputShown=true*) device input keyevent 4 ;;
    esac
    device input keyevent 4
}
#: turn

turn() {
    device settings put system user_rotation "$1"
}
#: network

network() {
    device cmd connectivity airplane-mode "$1"
}
#: go_dark

go_dark() {
    device input keyevent 223
    sleep "${FARLEAD_IDLE_S:-70}"
}
#: forget_crashes

forget_crashes() {
    device logcat -b crash -c || fail "cannot clear the log of crashes"
}
#: expect

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
#: widgets_are

# Whether the number of visible widgets that meet some comparisons compares so.
widgets_are() {
    relation=$1
    number=$2
    shift 2
    count=$(read_screen count "$@") || return 2
    test "$count" "$relation" "$number"
}
#: checked_is

checked_is() {
    checked=$(read_screen checked) || return 2
    [ "$checked" = "$1" ]
}
#: read_screen

# What is seen now, as the program `reader` says it; a screen that moves has no tree.
read_screen() {
    adb exec-out uiautomator dump /dev/tty </dev/null 2>/dev/null | LC_ALL=C awk "$reader" "$@"
}
#: state_is

# Whether all of some comparisons hold of the device.
state_is() {
    while [ $# -gt 0 ]; do
        names=$(state "$1") || return 2
        printf '%s\n' "$names" | LC_ALL=C awk "$reader" names "$1" "$2" "$3" || return 1
        shift 3
    done
}
#: state

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
#: front

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
