//! What the connector writes.

/// The body of a connector's review that announces findings.
pub fn announcement(commit: &str) -> String {
    let short: String = commit.chars().take(10).collect();
    format!(
        "\n### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n\n\
         **Reviewed commit:** `{short}`\n\n<details> <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\nYour team \
         has set up Codex to review pull requests in this repo.\n\n</details>"
    )
}

/// An inline finding of the connector, for example `finding("P1", "Keep the lock")`.
pub fn finding(priority: &str, title: &str) -> String {
    let colour = match priority {
        "P0" => "red",
        "P1" => "orange",
        "P2" => "yellow",
        _ => "grey",
    };
    format!(
        "**<sub><sub>![{priority} Badge](https://img.shields.io/badge/{priority}-{colour}?style=flat)</sub></sub>  \
         {title}**\n\nThe value may change in between.\n\nUseful? React with 👍 / 👎."
    )
}

/// The connector's clean issue comment for a commit.
pub fn clean_text(commit: &str) -> String {
    let short: String = commit.chars().take(10).collect();
    format!(
        "Codex Review: Didn't find any major issues. Swish!\n\n**Reviewed commit:** `{short}`\n\n<details> \
         <summary>ℹ️ About Codex in GitHub</summary>\n<br/>\n\nIf Codex has suggestions, it will comment; otherwise it \
         will react with 👍.\n\n</details>"
    )
}
