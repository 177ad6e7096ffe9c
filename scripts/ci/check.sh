#!/usr/bin/env bash
# Judge a pull request and write the reports. On GitHub: annotations into the log, the report into the job's summary.
# Everything comes in by variables, and nothing of it is run:
#   CROSSGATE_BASE           the commit to compare with (default: the pull request's base)
#   CROSSGATE_POLICIES_FROM  the commit whose settings and policies judge, if not the base
#   CROSSGATE_PATHS          files and folders to judge, one a line (default: the project's dist/)
#   CROSSGATE_FAIL_ON        the least severity that fails
#   CROSSGATE_DIRECTORY      the folder of the clone (default: the working folder)
#   CROSSGATE_REPORTS        where reports go (default: a folder outside the clone)
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
temp=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
python=${CROSSGATE_PYTHON:-${CROSSGATE_VENV:-$temp/crossgate}/bin/python}
reports=${CROSSGATE_REPORTS:-$temp/crossgate-reports}
mkdir -p "$reports"
reports=$(cd "$reports" && pwd)

base=${CROSSGATE_BASE:-}
if [ -z "$base" ]; then
    branch=${GITHUB_BASE_REF:-${CI_MERGE_REQUEST_TARGET_BRANCH_NAME:-${CHANGE_TARGET:-}}}
    [ -n "$branch" ] || { echo "crossgate: there is no base to compare with: set CROSSGATE_BASE to a branch or commit" >&2; exit 2; }
    base=origin/$branch
fi
arguments=(--base "$base")
[ -z "${CROSSGATE_POLICIES_FROM:-}" ] || arguments+=(--policies-from "$CROSSGATE_POLICIES_FROM")
[ -z "${CROSSGATE_FAIL_ON:-}" ] || arguments+=(--fail-on "$CROSSGATE_FAIL_ON")
for format in markdown=report.md html=report.html json=report.json sarif=report.sarif junit=report.xml; do
    arguments+=(-o "${format%=*}=$reports/${format#*=}")
done
[ -z "${GITHUB_ACTIONS:-}" ] || arguments+=(-o github)
paths=()
while IFS= read -r path; do
    [ -z "$path" ] || paths+=("$path")
done <<<"${CROSSGATE_PATHS:-}"

cd "${CROSSGATE_DIRECTORY:-.}"
code=0
# -P: no module of the folder that is judged is imported
PYTHONPATH="$here/src" "$python" -P -m crossgate check "${arguments[@]}" -- ${paths[@]+"${paths[@]}"} || code=$?

if [ -n "${GITHUB_OUTPUT:-}" ]; then
    printf 'exit-code=%s\nreports=%s\n' "$code" "$reports" >>"$GITHUB_OUTPUT"
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$reports/report.md" ]; then
    cat "$reports/report.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
