#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the scripts say where nothing can be installed, on machines that are made up of a few
# commands: scripts.sh SOURCE WORK, as TAP.
set -u
source=$1 work=$2
. "$(dirname "$0")/tap.sh"
rm -rf "$work"
mkdir -p "$work/top" "$work/bin"
log=$work/log
cp -r "$source/scripts" "$work/top/"
for tool in awk bash cat dirname env grep id ls mkdir sed tail; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
pretend() { # NAME TEXT STATUS: a command that says something
    rm -f "$work/bin/$1"
    printf '#!%s\necho "%s"\nexit %d\n' "$(command -v bash)" "$2" "$3" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# ends SCRIPT TEXT LAST: it fails, says the text, and its last line begins with LAST.
ends() {
    local said
    said=$(PATH=$work/bin bash "$work/top/scripts/$1" 2>&1 </dev/null) &&
        { echo "$said"; echo 'it did not fail'; return 1; }
    echo "$said"
    grep -qF -- "$2" <<<"$said" && tail -n 1 <<<"$said" | grep -qF -- "scripts/$1: FAILED" &&
        tail -n 1 <<<"$said" | grep -qF -- "$3"
}

check 'another Linux' ends demo 'this is no Debian: install what scripts/packages lists' \
    'building needs what is not here: cc meson ninja pkg-config python3'
check 'another Linux, the tests' ends test 'this is no Debian' 'building needs what is not here'
check 'another Linux, a GPU' ends gpu 'this is no Debian' 'building needs what is not here'
pretend dpkg-query 'nothing' 1
pretend apt-get 'the network is unreachable' 100
check 'no network' ends demo 'the network is unreachable' 'building needs what is not here'
check 'it says what to do then' ends demo 'with a network and as root: apt-get install gcc' ''
check 'and where the log is' ends demo "$work/top/build/logs/apt-install.log" ''
pretend id 1000 0
check 'no root and no sudo' ends demo 'installing needs root, and there is no sudo; as root: apt-get install gcc' \
    'building needs what is not here'
for tool in cc meson ninja pkg-config python3; do
    pretend $tool "$tool: broken" 3
done
check 'a build that fails' ends demo 'meson: broken' 'configuring in build/'
check 'its log' ends demo "$work/top/build/logs/configure.log" ''
# A bare Debian that cannot be made is a failure, not a test to skip.
cannot_be_made() {
    local said
    said=$(PATH=$work/bin bash "$source/tests/bare.sh" "$source" "$work/bare") &&
        { echo "$said"; echo 'it did not fail'; return 1; }
    echo "$said"
    grep -q '^not ok 1 .*debootstrap is missing' <<<"$said" && ! grep -q SKIP <<<"$said"
}
check 'no bare Debian' cannot_be_made
[ "$failures" -gt 0 ] || rm -rf "$work"
finish
