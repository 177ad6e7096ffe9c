#!/usr/bin/env bash
# Install what crossgate needs to judge, pinned by digest, into a virtual environment outside the repository that is judged.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
venv=${CROSSGATE_VENV:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}/crossgate}
test -x "$venv/bin/python" || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r "$here/constraints/run.txt"
