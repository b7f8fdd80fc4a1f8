# SPDX-License-Identifier: MIT
# Sourced by tests that run in a bare Debian: a root folder with nothing in it but what Debian calls
# required, so that nothing that happens to be installed here can hide what is missing.
#
# root_why_not               says why there can be no such root here, or nothing
# root_make ROOT             makes one
# root_copy SOURCE ROOT      puts the files of the project into ROOT/src
# root_run ROOT COMMAND      runs a line of shell in ROOT/src

root_why_not() {
    if ! command -v debootstrap >/dev/null; then
        echo 'debootstrap is missing'
    elif [ "$(id -u)" -ne 0 ]; then
        echo 'a bare root needs the user root'
    elif ! unshare --mount true 2>/dev/null; then
        echo 'no file systems can be mounted here'
    fi
}

# The mirror, its keys and its proxy are those of this machine.
root_make() {
    local root=$1 mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -n 1)
    rm -rf "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} || return 1
    rm -rf "$root/etc/apt"
    cp -rL /etc/apt "$root/etc/apt"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
    cp -rn /usr/share/keyrings "$root/usr/share/" 2>/dev/null
    return 0
}

# The files that git knows, as they are now; of a tarball, all.
root_copy() {
    local source=$1 root=$2
    mkdir -p "$root/src"
    if [ -e "$source/.git" ]; then
        git -C "$source" ls-files -z | tar -C "$source" --null -T - -cf - | tar -C "$root/src" -xf -
    else
        tar -C "$source" --exclude=./build -cf - . | tar -C "$root/src" -xf -
    fi
}

# The mounts are seen by nobody else and end with the command. POCL aborts where there is no /sys.
root_run() {
    root=$1 line=$2 unshare --mount bash -c '
        set -e
        mount -t proc proc "$root/proc"
        mount -t sysfs sysfs "$root/sys"
        mount --rbind /dev "$root/dev"
        exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            bash -c "cd /src && $line"' </dev/null
}
