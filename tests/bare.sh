#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The README's commands, as they are written there, in a bare Debian: bare.sh SOURCE WORK, as TAP.
# All but scripts/test, which runs wherever this runs. It is asked for by name, so that a machine on
# which no bare Debian can be made has failed it: what was not tried is not known to work.
set -u
source=$1 work=$2
here=$(dirname "$0")
. "$here/tap.sh"
. "$here/root.sh"
mkdir -p "$work"
log=$work/log root=$work/root
why=$(root_why_not)
[ -z "$why" ] || { echo "not ok 1 - a bare Debian: $why"; echo 1..1; exit 1; }

# The commands of a section: indented by four, without the remarks behind them.
commands() {
    awk -v name="## $1" '$0 == name { on = 1; next } /^## / { on = 0 } /^```/ { code = !code }
        on && !code && sub(/^    /, "") { sub(/ +# .*/, ""); print }' "$source/README.md"
}

# The commands of the table in the first screen.
table() {
    sed -n '/^## /q; s/^|[^|]*| `\(clump [^`]*\)`.*/\1/p' "$source/README.md"
}

try() { # folder, command
    check "$2" root_run "$root" "mkdir -p /src/$1 && cd /src/$1 && $2"
}

check 'a bare Debian' root_make "$root"
check 'the project in it' root_copy "$source" "$root"
[ "$failures" -eq 0 ] || finish
check 'it has no compiler, no meson, no OpenCL' root_run "$root" \
    '! command -v cc && ! command -v meson && ! ls /usr/lib/*/libOpenCL*'
while read -r line; do
    [ "$line" = scripts/test ] || try . "$line"
done < <(commands 'Two commands')
check 'scripts/demo left a catalogue' root_run "$root" 'test $(wc -l <demo/field.csv) -gt 10'
check 'and pictures' root_run "$root" 'test -s demo/field.png -a -s demo/cells.png'

while read -r line; do
    try . "$line"
done < <(commands 'Build and install')
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >"$root/src/first.c"
check 'what the Python module needs' root_run "$root" 'DEBIAN_FRONTEND=noninteractive apt-get install \
    -y -q --no-install-recommends python3-cffi python3-dev python3-numpy python3-pytest'
try . 'meson configure build -Dpython=enabled && ninja -C build'
try . 'PYTHONPATH=build/python/package python3 -m clump'
check 'the module passes its tests' root_run "$root" 'python3 python/tests/run.py \
    build/python/package python/tests/test_import.py python/tests/test_array.py -k "not cpu"'
while read -r line; do
    try . "$line"
done < <(commands 'A first program')
for folder in try table; do
    mkdir -p "$root/src/$folder"
    cp "$source/data/field.fits" "$root/src/$folder/field.fits"
    cp "$source/data/cells.png" "$root/src/$folder/plate.png"
done
while read -r line; do
    try table "$line"
done < <(table)
check 'the table has its commands, and they left pages' root_run "$root" \
    'test -s table/stars.html -a -s table/marked.png -a -s table/page.html'
while read -r line; do
    try try "${line/COMMAND/find}"
done < <(commands 'The command')
[ "$number" -ge 18 ] || check 'the README has its commands' false
rm -rf "$root"
finish
