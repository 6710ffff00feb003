# bash completion for gh-codex-loop and `gh codex-loop`.
#
# Load it after gh's own completion and those of other extensions, which it leaves in charge of everything else:
#   source <(gh codex-loop completion -s bash)
# shellcheck shell=bash

# The commands, for when the program cannot be asked.
__gh_codex_loop_commands() {
    cat <<'COMMANDS'
status	Show everything at a glance: headline, run, gate, findings, checks, and the one…
list	List the open pull requests, one row each: what needs you comes first
classify	Say where the review run stands: clean, findings, failed, in-progress, stale or…
findings	List the review's findings: key, thread, priority, title, place, page and wheth…
explain	Explain the decision: every piece of evidence in time order, used or rejected, …
gate	Say whether the pull request may be merged: approved, waiting, blocking or over…
watch	Poll until the verdict is terminal: clean, findings, failed, stale, or somethin…
snapshot	One stable observation of review and CI, bound to the head: the sensor document…
handled	Record what becomes of the bot's findings, and list it: dispositions, problem f…
converge	Name the one next tick of the review loop, within its convergence limits, and t…
preflight	Say whether a trigger may be posted now, and name everything that stands in the…
request	Post one `@codex review`, bound to the head by a hidden marker: exactly once or…
retry	Post the one retry of a failed run: exactly once or not at all, and never a sec…
resolve	Resolve exactly the named review threads of the connector, each with a proven f…
authorize	Record, list or revoke a standing authorization for one pull request, its head …
collect	Write everything that was read about a pull request as one evidence bundle
evaluate	Evaluate the bounded review loop: one exact JSON document in, one decision out
schema	Print the JSON Schema of a document that a command prints
completion	Print the completion script of a shell
man	Show a page of the manual
COMMANDS
}

# Asks the program ($1, or empty for the extension) about the words that follow; the last one is being completed.
__gh_codex_loop_ask() {
    local program=$1
    shift
    if [[ -z $program ]]; then
        # gh's own folder first: starting the program there takes a fraction of what starting gh takes.
        program=${XDG_DATA_HOME:-$HOME/.local/share}/gh/extensions/gh-codex-loop/gh-codex-loop
        [[ -x $program ]] || program=$(type -P gh-codex-loop)
    fi
    if [[ -n $program ]]; then
        "$program" __complete -- "$@" 2>/dev/null && return
    else
        gh codex-loop __complete -- "$@" 2>/dev/null && return
    fi
    (($# > 1)) || __gh_codex_loop_commands | while IFS= read -r line; do
        [[ $line == "$1"* ]] && printf '%s\n' "$line"
    done
}

# bash splits words at = and :, which belong to arguments here; the words of the line are put together again.
__gh_codex_loop_words() {
    local i word line=${COMP_LINE:0:COMP_POINT} gap last=-1
    words=()
    if [[ -z $COMP_LINE ]]; then
        words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
        return
    fi
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        gap=${line%%[![:space:]]*}
        line=${line#"$gap"}
        # What stands behind the cursor is not completed.
        ((i == COMP_CWORD)) && word=$line
        line=${line#"$word"}
        if ((last < 0)) || [[ -n $gap ]]; then
            words[++last]=$word
        else
            words[last]+=$word
        fi
    done
}

# $1: the program, or empty; $2: how many words name it.
__gh_codex_loop_reply() {
    local words cut line value about width=0 current prefix=
    local -a values=() abouts=()
    COMPREPLY=()
    __gh_codex_loop_words
    cut=$2
    ((${#words[@]} > cut)) || return
    current=${words[${#words[@]} - 1]}
    # bash replaces only what follows the last character that it splits at.
    if [[ $current == *[=:]* ]]; then
        value=${current##*[=:]}
        prefix=${current%"$value"}
        [[ $prefix == *=* && $COMP_WORDBREAKS != *=* ]] && prefix=
        [[ $prefix == *: && $COMP_WORDBREAKS != *:* ]] && prefix=
    fi
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        about=${line#"$value"}
        values+=("${value#"$prefix"}")
        abouts+=("${about#$'\t'}")
        ((${#value} > width)) && width=${#value}
    done < <(__gh_codex_loop_ask "$1" "${words[@]:cut}")
    if ((${#values[@]} == 1)); then
        printf -v value '%q' "${values[0]}"
        # Our values need no quotes but in file names, and commas least of all.
        [[ ${values[0]} == *[[:space:]\'\"\$\&\;\|\(\)\<\>]* ]] || value=${values[0]}
        COMPREPLY=("$value")
        [[ $value == */ ]] && compopt -o nospace 2>/dev/null
        return
    fi
    # Descriptions only where bash lists: a menu would put them on the command line.
    local i room=$((${COLUMNS:-80} - width - 6))
    for ((i = 0; i < ${#values[@]}; i++)); do
        about=${abouts[i]}
        if [[ -z $about || $COMP_TYPE == 37 || $COMP_TYPE == 42 ]] || ((room < 10)); then
            COMPREPLY+=("${values[i]}")
        else
            ((${#about} > room)) && about=${about:0:room-1}…
            printf -v line "%-${width}s  (%s)" "${values[i]}" "$about"
            COMPREPLY+=("$line")
        fi
    done
}

_gh_codex_loop() {
    __gh_codex_loop_reply "$1" 1
}

# `gh codex-loop …` is answered here, the rest by whatever completed gh before.
__gh_codex_loop_gh() {
    if ((COMP_CWORD >= 2)) && [[ ${COMP_WORDS[1]} == codex-loop ]]; then
        compopt +o default 2>/dev/null
        __gh_codex_loop_reply '' 2
        return
    fi
    if [[ -z ${__gh_codex_loop_next-} ]]; then
        # Nothing was loaded before: gh can print its own.
        declare -F __start_gh >/dev/null || eval "$(gh completion -s bash 2>/dev/null)"
        complete -o default -F __gh_codex_loop_gh gh
        __gh_codex_loop_next=__start_gh
    fi
    declare -F "$__gh_codex_loop_next" >/dev/null && "$__gh_codex_loop_next" "$@"
}

__gh_codex_loop_load() {
    local found
    found=$(complete -p gh 2>/dev/null)
    found=${found##* -F }
    found=${found%% *}
    # Loaded a second time, it must not follow itself, nor another extension that already follows it.
    if [[ $found == __gh_codex_loop_gh ]] || [[ -n ${__gh_codex_loop_next-} && $found != __start_gh ]]; then
        return
    fi
    [[ -n $found ]] && declare -F "$found" >/dev/null && __gh_codex_loop_next=$found
    complete -o default -F __gh_codex_loop_gh gh
}

__gh_codex_loop_load
complete -o nosort -F _gh_codex_loop gh-codex-loop 2>/dev/null || complete -F _gh_codex_loop gh-codex-loop
