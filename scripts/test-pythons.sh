#!/bin/sh
# Runs the tests that involve Python on every interpreter from 3.10 that is installed: in PATH or under pyenv.
# The wheel is built once: it is for all of them.
set -eu
cd "$(dirname "$0")/.."
tested=0
for minor in 10 11 12 13; do
    python=$(command -v "python3.$minor" || true)
    # A pyenv shim for a version that is not active exists but does not run.
    if [ -z "$python" ] || ! "$python" -c '' 2>/dev/null; then
        python=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python 2>/dev/null | tail -n 1)
    fi
    if [ -z "$python" ]; then
        echo "python 3.$minor: not installed, skipped"
        continue
    fi
    echo "python 3.$minor: $python"
    make --no-print-directory PYTHON="$python" VENV=".venv-3.$minor" test-python
    TEMPER_TEST_PYTHON="$PWD/.venv-3.$minor/bin/python" cargo test --release --locked -p temper-worker
    tested=$((tested + 1))
done
echo "tested on $tested versions of Python"
[ "$tested" -gt 0 ]
