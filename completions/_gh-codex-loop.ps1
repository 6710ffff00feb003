# PowerShell completion for gh-codex-loop and `gh codex-loop`.
#
# Load it after gh's own completion, which it leaves in charge of everything else:
#   gh codex-loop completion -s powershell | Out-String | Invoke-Expression

# The commands, for when the program cannot be asked.
$global:__ghCodexLoopCommands = @'
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
'@

function global:__ghCodexLoopReply {
    param([string[]] $Words, [string] $WordToComplete)

    $program = Get-Command -Name gh-codex-loop -CommandType Application -ErrorAction SilentlyContinue |
        Select-Object -First 1
    # Where PowerShell builds the command line itself, as it did before 7.3, an empty word has to be written out.
    if ($PSNativeCommandArgumentPassing -notin 'Standard', 'Windows') {
        $Words = @($Words | ForEach-Object { if ($_ -eq '') { '""' } else { $_ } })
    }
    try {
        if ($program) {
            $lines = & $program __complete '--' @Words 2>$null
        } else {
            $lines = & gh codex-loop __complete '--' @Words 2>$null
        }
        if ($LASTEXITCODE -ne 0) { $lines = $null }
    } catch {
        $lines = $null
    }
    if ($null -eq $lines -and $Words.Count -le 1) {
        $lines = $global:__ghCodexLoopCommands -split "`r?`n" | Where-Object { $_.StartsWith($WordToComplete) }
    }
    foreach ($line in $lines) {
        $value, $about = $line -split "`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}

# The words up to the cursor; an empty one when a new word begins there.
function global:__ghCodexLoopWords {
    param([string] $WordToComplete, $CommandAst, [int] $CursorPosition)

    $words = @($CommandAst.CommandElements |
            Where-Object { $_.Extent.StartOffset -lt $CursorPosition } |
            ForEach-Object { $_.Extent.Text.Trim('''"') })
    if ($WordToComplete -eq '') { $words += '' }
    , $words
}

Register-ArgumentCompleter -Native -CommandName 'gh-codex-loop' -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)
    $words = __ghCodexLoopWords $WordToComplete $CommandAst $CursorPosition
    __ghCodexLoopReply -Words $words[1..($words.Count - 1)] -WordToComplete $WordToComplete
}

# gh's own script leaves its completer in this variable.
if (Get-Variable -Name __ghCompleterBlock -ErrorAction SilentlyContinue) {
    $global:__ghCodexLoopNext = ${__ghCompleterBlock}
}

Register-ArgumentCompleter -Native -CommandName 'gh' -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)
    $words = __ghCodexLoopWords $WordToComplete $CommandAst $CursorPosition
    if ($words.Count -ge 3 -and $words[1] -eq 'codex-loop') {
        __ghCodexLoopReply -Words $words[2..($words.Count - 1)] -WordToComplete $WordToComplete
    } elseif ($global:__ghCodexLoopNext) {
        & $global:__ghCodexLoopNext $WordToComplete $CommandAst $CursorPosition
    }
}
