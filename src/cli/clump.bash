# SPDX-License-Identifier: MIT
# bash completion for clump. Commands, options and the words an option takes are read from
# clump's own help, so that there is nothing here to keep in step with it.

_clump_words() # the lines of a help that begin with an option: "--name value"
{
    clump "$1" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z0-9-]*\) *\([^ ]*\).*/\2 \3/p'
}

_clump()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local value words
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words=$(clump --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$cur")
        return
    fi
    if [[ $cur == -* ]]; then
        words=$(_clump_words "$command" | cut -d' ' -f1)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    if [[ $prev == --device || $prev == -d ]]; then
        mapfile -t COMPREPLY < <(compgen -W "gpu cpu reference" -- "$cur")
        return
    fi
    if [[ $prev == --* ]]; then
        value=$(_clump_words "$command" | sed -n "s/^$prev //p")
        if [[ $value == *"|"* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$cur")
            return
        fi
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

complete -o filenames -F _clump clump
