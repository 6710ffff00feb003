#!/usr/bin/env bash
# The plain way: what the source documents tell a person or an agent to run, one command after another.
#
# The merge gate's snippets and the review-run protocol's hosted probes as they stand there, the placeholders filled in.
# Prints what these commands show; who runs them has to judge it. Usage: plain.sh OWNER REPO NUMBER
# What looks like a variable in the queries is GraphQL's own.
# shellcheck disable=SC2016
set -uo pipefail
owner=$1 repo=$2 number=$3

# Review-run protocol, "Hosted probes": the pull request first.
gh pr view "$number" --repo "$owner/$repo" --json headRefOid,state,isDraft,mergeable,updatedAt,url || exit 1

# Merge gate, loop workflow 1: the pull request and its head.
gh pr view "$number" --repo "$owner/$repo" \
  --json number,url,headRefOid,headRefName,mergeable,mergeStateStatus,statusCheckRollup || exit 1

# Merge gate, loop workflow 2: reactions on the body that are fresh for head and description.
head_state_json="$(
  gh pr view "$number" --repo "$owner/$repo" --json headRefOid,statusCheckRollup
)" || exit 1
head_sha="$(printf '%s' "$head_state_json" | jq -r '.headRefOid')"
head_started_at="$(
  printf '%s' "$head_state_json" \
    | jq -r '[.statusCheckRollup[] | .startedAt // empty] | min // empty'
)"

edit_state_json="$(
  gh api graphql \
    -F owner="$owner" \
    -F name="$repo" \
    -F number="$number" \
    -f query='query($owner:String!,$name:String!,$number:Int!){
      repository(owner:$owner,name:$name){
        pullRequest(number:$number){headRefOid lastEditedAt}
      }
    }'
)" || exit 1
edit_head_sha="$(
  printf '%s' "$edit_state_json" \
    | jq -r '.data.repository.pullRequest.headRefOid'
)"
body_edited_at="$(
  printf '%s' "$edit_state_json" \
    | jq -r '.data.repository.pullRequest.lastEditedAt // empty'
)"

if [ "$edit_head_sha" != "$head_sha" ]; then
  echo "Head changed while checking review state; reaction is not approval."
  exit 1
fi

body_reactions_available=true
if [ -z "$head_started_at" ]; then
  body_reactions_available=false
  approval_not_before="$body_edited_at"
  echo "No timestamped current-head checks; skipping PR-body reactions."
else
  approval_not_before="$(
    jq -nr \
      --arg head_started_at "$head_started_at" \
      --arg body_edited_at "$body_edited_at" \
      '[$head_started_at, $body_edited_at]
      | map(select(length > 0))
      | max // empty'
  )"
fi

if [ "$body_reactions_available" = true ]; then
  reactions_json="$(
    gh api "repos/$owner/$repo/issues/$number/reactions" --paginate --slurp \
      -H "Accept: application/vnd.github+json"
  )"

  echo "Fresh Codex reaction state:"
  printf '%s' "$reactions_json" \
    | jq --arg approval_not_before "$approval_not_before" '
      def latest_reaction($content):
        [.[][]
        | select(.user.login == "chatgpt-codex-connector[bot]"
          and .content == $content
          and .created_at >= $approval_not_before)
        | {content, created_at, user: .user.login}]
        | sort_by(.created_at)
        | last // null;

      {approval: latest_reaction("+1"), pending: latest_reaction("eyes")}
      | .state = (
          if .approval != null
            and (.pending == null
              or .approval.created_at > .pending.created_at)
          then "approved"
          elif .pending != null then "pending"
          else "none"
          end
        )'
fi

# Merge gate: the connector's comments.
gh api "repos/$owner/$repo/issues/$number/comments" --paginate \
  --slurp \
  | jq '[.[][] | select(.user.login | test("chatgpt-codex-connector"))
    | {id, created_at, html_url, body: .body[0:240]}]'

# Review-run protocol, "Hosted probes": exact comments, the reactions on the exact triggers, reviews, threads.
comments_json="$(gh api "repos/$owner/$repo/issues/$number/comments" --paginate --slurp)" || exit 1
printf '%s' "$comments_json" \
  | jq -r '[.[][]] | .[] | select(.body | test("^\\s*@codex review\\s*$")) | .id' \
  | while read -r trigger; do
      gh api "repos/$owner/$repo/issues/comments/$trigger/reactions" --paginate --slurp \
        | jq '[.[][] | {content, created_at, user: .user.login}]'
    done
gh api "repos/$owner/$repo/pulls/$number/reviews" --paginate --slurp \
  | jq '[.[][] | {id, state, submitted_at, commit_id, user: .user.login}]'
gh api graphql --paginate -F owner="$owner" -F name="$repo" -F number="$number" \
  -f query='query($owner:String!,$name:String!,$number:Int!,$endCursor:String){
    repository(owner:$owner,name:$name){
      pullRequest(number:$number){
        reviewThreads(first:100,after:$endCursor){
          nodes{id isResolved isOutdated path line comments(first:100){nodes{body author{login}}}}
          pageInfo{hasNextPage endCursor}
        }
      }
    }
  }' \
  | jq -s '[.[].data.repository.pullRequest.reviewThreads.nodes[] | select(.isResolved | not)]'
