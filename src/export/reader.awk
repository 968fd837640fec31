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
