# fish completion for gh-codex-loop and `gh codex-loop`.
#
# gh's own completion and those of other extensions stay in charge of everything else:
#   gh codex-loop completion -s fish | source

# The commands, for when the program cannot be asked.
function __gh_codex_loop_commands
    string replace --regex '\\t' \t -- \
        'status	Show everything at a glance: headline, run, gate, findings, checks, and the one…' \
        'list	List the open pull requests, one row each: what needs you comes first' \
        'classify	Say where the review run stands: clean, findings, failed, in-progress, stale or…' \
        'findings	List the review\'s findings: key, thread, priority, title, place, page and wheth…' \
        'explain	Explain the decision: every piece of evidence in time order, used or rejected, …' \
        'gate	Say whether the pull request may be merged: approved, waiting, blocking or over…' \
        'watch	Poll until the verdict is terminal: clean, findings, failed, stale, or somethin…' \
        'snapshot	One stable observation of review and CI, bound to the head: the sensor document…' \
        'handled	Record what becomes of the bot\'s findings, and list it: dispositions, problem f…' \
        'converge	Name the one next tick of the review loop, within its convergence limits, and t…' \
        'preflight	Say whether a trigger may be posted now, and name everything that stands in the…' \
        'request	Post one `@codex review`, bound to the head by a hidden marker: exactly once or…' \
        'retry	Post the one retry of a failed run: exactly once or not at all, and never a sec…' \
        'resolve	Resolve exactly the named review threads of the connector, each with a proven f…' \
        'authorize	Record, list or revoke a standing authorization for one pull request, its head …' \
        'collect	Write everything that was read about a pull request as one evidence bundle' \
        'evaluate	Evaluate the bounded review loop: one exact JSON document in, one decision out' \
        'schema	Print the JSON Schema of a document that a command prints' \
        'completion	Print the completion script of a shell' \
        'man	Show a page of the manual'
end

# Asks the program ($argv[1], or empty for the extension) about the words that follow; the last one is being completed.
function __gh_codex_loop_ask
    set -l program $argv[1]
    set -l words $argv[2..-1]
    if test -z "$program"
        # gh's own folder first: starting the program there takes a fraction of what starting gh takes.
        set -l data $XDG_DATA_HOME
        test -n "$data"; or set data $HOME/.local/share
        set program $data/gh/extensions/gh-codex-loop/gh-codex-loop
        test -x $program; or set program (command --search gh-codex-loop)
    end
    if test -n "$program"
        $program __complete -- $words 2>/dev/null
        and return
    else
        command gh codex-loop __complete -- $words 2>/dev/null
        and return
    end
    if test (count $words) -le 1
        __gh_codex_loop_commands
    end
end

function __gh_codex_loop_reply
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    if test "$argv[1]" = gh
        __gh_codex_loop_ask '' $words[3..-1] "$current"
    else
        __gh_codex_loop_ask $words[1] $words[2..-1] "$current"
    end
end

function __gh_codex_loop_is_next
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    test (count $words) -ge 2; and test "$words[2]" = codex-loop
end

# gh's own file takes away every other completion of gh when fish loads it, which is at the first TAB: load it now.
if status is-interactive; and type --query gh
    complete --do-complete 'gh ' >/dev/null 2>&1
end
complete --command gh --condition __gh_codex_loop_is_next --no-files --keep-order --arguments '(__gh_codex_loop_reply gh)'
complete --command gh-codex-loop --no-files --keep-order --arguments '(__gh_codex_loop_reply)'
