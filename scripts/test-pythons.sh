#!/bin/sh
# Runs the tests that involve Python on every interpreter from 3.10 that is installed, in PATH or under pyenv: with the
# newest pytest everything, with the oldest supported one what drives pytest. The wheel is built once: it is for all of
# them. With arguments only on these: `sh scripts/test-pythons.sh 12 13` takes 3.12 and 3.13.
set -eu
cd "$(dirname "$0")/.."
OLDEST_PYTEST=7.0.0

# Makes a virtual environment with the oldest pytest, and the plugins that still go with it.
make_oldest() {
    [ -e "$2/.made" ] && return
    "$1" -m venv "$2"
    sed 's/^ruff.*//' requirements-dev.txt | "$2/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r /dev/stdin "pytest==$OLDEST_PYTEST"
    touch "$2/.made"
}

drives_pytest() {
    export TEMPER_TEST_PYTHON="$PWD/$1/bin/python"
    cargo test --release --locked -p temper-worker
    # Verdicts do not depend on the interpreter: what is left are probes, plugins and tests that end in other ways.
    cargo test --release --locked -p temper-bounds --test it -- forms plugins judged
    cargo test --release --locked -p temper-cli --test bounds --test tighten
}

tested=0
for minor in ${*:-10 11 12 13}; do
    python=$(command -v "python3.$minor" || true)
    # A pyenv shim for a version that is not active exists but does not run.
    if [ -z "$python" ] || ! "$python" -c '' 2>/dev/null; then
        python=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python 2>/dev/null | tail -n 1)
    fi
    if [ -z "$python" ]; then
        echo "python 3.$minor: not installed, skipped"
        continue
    fi
    echo "python 3.$minor, newest pytest: $python"
    make --no-print-directory PYTHON="$python" VENV=".venv-3.$minor" test-python
    drives_pytest ".venv-3.$minor"
    echo "python 3.$minor, pytest $OLDEST_PYTEST"
    make_oldest "$python" ".venv-3.$minor-oldest"
    drives_pytest ".venv-3.$minor-oldest"
    tested=$((tested + 1))
done
echo "tested on $tested versions of Python, each with two of pytest"
[ "$tested" -gt 0 ]
