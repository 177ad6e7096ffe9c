#!/usr/bin/env bash
# Print the manifests of the working folder for Argo CD, if the gate passes them. The settings are the image's: `--policy` and `--schemas`
# name its folders, and with standard input instead of files no setting of the synced commit is read.
set -euo pipefail
gate=${GATE:-/gate}
manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
find . -path ./.git -prune -o -type f \( -iname '*.yaml' -o -iname '*.yml' -o -iname '*.json' \) -print0 | sort -z |
    while IFS= read -r -d '' file; do
        printf -- '---\n'
        cat "$file"
        printf '\n'
    done >"$manifests"
cd "$gate"
PYTHONPATH="$gate/src" "${PYTHON:-python3}" -P -m crossgate check - <"$manifests" >&2
cat "$manifests"
