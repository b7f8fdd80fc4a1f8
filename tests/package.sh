#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the Debian packages, asks lintian, installs them in a bare Debian and uses them there:
# package.sh SOURCE WORK CLUMP, CLUMP being a command whose results are known to be right, as TAP.
set -u
source=$1 work=$2 clump=$3
here=$(dirname "$0")
. "$here/tap.sh"
. "$here/root.sh"
rm -rf "$work"
mkdir -p "$work/tree"
log=$work/log
for tool in dpkg-buildpackage dh lintian; do
    command -v $tool >/dev/null || { echo "1..0 # SKIP $tool is missing"; exit 0; }
done

root_copy "$source" "$work/tree"
check 'dpkg-buildpackage' sh -c "cd '$work/tree/src' && DEB_BUILD_OPTIONS=parallel=2 dpkg-buildpackage -b -us -uc"
[ "$failures" -eq 0 ] || finish
for name in clump libclump0 libclump-dev python3-clump; do
    check "$name is made" test -n "$(find "$work/tree" -maxdepth 1 -name "${name}_*.deb")"
done
lint() {
    lintian --allow-root --fail-on error,warning "$work"/tree/clump_*.changes || return 1
    ! grep -E '^[EW]:' "$log"
}
check 'lintian finds nothing' lint

why=$(root_why_not)
if [ -n "$why" ]; then
    leave_out 'they install in a bare Debian' "$why"
    finish
fi
root=$work/root
check 'a bare Debian' root_make "$root"
mkdir -p "$root/src"
cp "$work"/tree/*.deb "$source/README.md" "$root/src/"
check 'they install' root_run "$root" \
    'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ./*.deb'
check 'clump is there' root_run "$root" 'clump --version'
check 'it finds the sources of the sample image' root_run "$root" \
    'clump find /usr/share/doc/clump/examples/field.fits --device reference -o found.csv'
"$clump" find "$source/data/field.fits" --device reference --force -o "$work/found.csv" >/dev/null 2>&1
rows() { grep -v '^#' "$1"; }
same() { diff <(rows "$work/found.csv") <(rows "$root/src/found.csv"); }
check 'the same as here' same
check 'and the cells' root_run "$root" \
    'clump cells /usr/share/doc/clump/examples/cells.png --channel 1 --device reference -o cells.csv'
check 'extracts objects' root_run "$root" \
    'clump extract /usr/share/doc/clump/examples/field.fits --device reference -o objects.csv'
check 'counts from Python' root_run "$root" \
    'CLUMP_DEVICE=reference python3 -c "import clump as cp; print(cp.arange(10).sum())" | grep -x 45'
check 'a compiler installs' root_run "$root" \
    'DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config'
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >"$root/src/first.c"
check 'the README program compiles with libclump-dev' root_run "$root" \
    'cc first.c $(pkg-config --cflags --libs clump) -o first'
check 'and runs' root_run "$root" \
    'CLUMP_DEVICE=reference ./first /usr/share/doc/clump/examples/field.fits'
check 'they go' root_run "$root" 'apt-get purge -y -q clump libclump0 libclump-dev python3-clump'
check 'and leave nothing' root_run "$root" 'test -z "$(find / -xdev -name "*clump*" -not -path "/src/*" -not -path "/root/.cache/*")"'
rm -rf "$work"
finish
