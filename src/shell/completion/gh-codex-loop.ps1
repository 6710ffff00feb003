# PowerShell completion for gh-codex-loop and `gh codex-loop`.
#
# Load it after gh's own completion, which it leaves in charge of everything else:
#   gh codex-loop completion -s powershell | Out-String | Invoke-Expression

# The commands, for when the program cannot be asked.
$global:__ghCodexLoopCommands = @'
@COMMANDS@
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
