# SPDX-License-Identifier: MIT
# Sourced by tests in shell: TAP, with the output of what failed, and how long each check took.
# Set `log` to a file before.
number=0 failures=0
check() { # what, command...
    local what=$1 start=$SECONDS
    shift
    number=$((number + 1))
    if "$@" >"$log" 2>&1; then
        echo "ok $number - $what"
    else
        echo "not ok $number - $what"
        tail -n 40 "$log" | sed 's/^/# /'
        failures=$((failures + 1))
    fi
    [ $((SECONDS - start)) -lt 5 ] || echo "# $((SECONDS - start)) s"
}
leave_out() { # what, why
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}
finish() {
    echo "1..$number"
    exit $((failures > 0))
}
