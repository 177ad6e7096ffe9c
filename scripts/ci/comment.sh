#!/usr/bin/env bash
# Keep one comment of the gate under a pull request: written the first time, updated after. Needs gh and jq, which GitHub's runners have.
#   GH_TOKEN             a token that may write comments
#   GITHUB_REPOSITORY    owner/name
#   CROSSGATE_NUMBER     the number of the pull request
#   CROSSGATE_COMMENT    the file with the Markdown report
set -euo pipefail
: "${GITHUB_REPOSITORY:?}" "${CROSSGATE_COMMENT:?}"
case ${CROSSGATE_NUMBER:-} in
    '' | *[!0-9]*) echo "crossgate: CROSSGATE_NUMBER is no number of a pull request" >&2; exit 2 ;;
esac
marker='<!-- crossgate -->'
body=$(mktemp)
trap 'rm -f "$body"' EXIT
jq --null-input --rawfile report "$CROSSGATE_COMMENT" --arg marker "$marker" '{body: ($marker + "\n" + $report)}' >"$body"
comments="repos/$GITHUB_REPOSITORY/issues/$CROSSGATE_NUMBER/comments"
# only the bot's own comment is updated: anybody may write the marker
mine=$(gh api --paginate "$comments" --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | head -n 1)
if [ -n "$mine" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$mine" --input "$body" --silent
else
    gh api --method POST "$comments" --input "$body" --silent
fi
