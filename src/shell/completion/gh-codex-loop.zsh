#compdef gh-codex-loop
# zsh completion for gh-codex-loop and `gh codex-loop`.
#
# Load it after compinit, gh's own completion and those of other extensions, which it leaves in charge of everything
# else:
#   source <(gh codex-loop completion -s zsh)

# The commands, for when the program cannot be asked.
__gh_codex_loop_commands() {
    cat <<'COMMANDS'
@COMMANDS@
COMMANDS
}

# Asks the program ($1, or empty for the extension) about the words that follow; the last one is being completed.
__gh_codex_loop_ask() {
    local program=$1
    shift
    if [[ -z $program ]]; then
        # gh's own folder first: starting the program there takes a fraction of what starting gh takes.
        program=${XDG_DATA_HOME:-$HOME/.local/share}/gh/extensions/gh-codex-loop/gh-codex-loop
        [[ -x $program ]] || program=${commands[gh-codex-loop]-}
    fi
    if [[ -n $program ]]; then
        "$program" __complete -- "$@" 2>/dev/null && return
    else
        gh codex-loop __complete -- "$@" 2>/dev/null && return
    fi
    (($# > 1)) || __gh_codex_loop_commands | while IFS= read -r line; do
        [[ $line == "$1"* ]] && print -r -- "$line"
    done
}

# $1: the program, or empty; $2: how many words name it.
__gh_codex_loop_reply() {
    local line value about
    local -a items open asked
    asked=("${(@Q)words[$2 + 1,CURRENT - 1]}" "${(Q)PREFIX}")
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        about=${${line#$value}#$'\t'}
        # In a list for _describe the first plain colon ends the value.
        line=${${value//\\/\\\\}//:/\\:}${about:+:$about}
        if [[ $value == *[/=] ]]; then
            open+=("$line")
        else
            items+=("$line")
        fi
    done < <(__gh_codex_loop_ask "$1" "${asked[@]}")
    (($#open)) && _describe -V 'gh codex-loop' open -S ''
    (($#items)) && _describe -V 'gh codex-loop' items
    (($#open + $#items))
}

_gh-codex-loop() {
    __gh_codex_loop_reply "${(Q)words[1]}" 1
}

# `gh codex-loop …` is answered here, the rest by whatever completed gh before.
__gh_codex_loop_gh() {
    if ((CURRENT >= 3)) && [[ $words[2] == codex-loop ]]; then
        __gh_codex_loop_reply '' 2
        return
    fi
    if [[ -z ${__gh_codex_loop_next-} ]]; then
        # Nothing was loaded before: gh can print its own.
        (($+functions[_gh])) || eval "$(gh completion -s zsh 2>/dev/null)"
        compdef __gh_codex_loop_gh gh
        typeset -g __gh_codex_loop_next=_gh
    fi
    # gh's own looks at the name under which it is called.
    (($+functions[$__gh_codex_loop_next])) && $__gh_codex_loop_next "$@"
}

__gh_codex_loop_load() {
    local found=${_comps[gh]-}
    # Loaded a second time, it must not follow itself, nor another extension that already follows it.
    if [[ $found == __gh_codex_loop_gh || ( -n ${__gh_codex_loop_next-} && $found != _gh ) ]]; then
        return
    fi
    [[ -n $found ]] && typeset -g __gh_codex_loop_next=$found
    compdef __gh_codex_loop_gh gh
}

if [[ ${funcstack[1]-} == _gh-codex-loop ]]; then
    # Started by zsh itself from a folder in fpath.
    _gh-codex-loop "$@"
elif (($+functions[compdef])); then
    __gh_codex_loop_load
    compdef _gh-codex-loop gh-codex-loop
fi
