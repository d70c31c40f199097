#!/bin/sh
# Processor time of a forked sample against a fresh pytest process, and of a project layer.
# Usage: benches/worker/sample_cost.sh [PYTHON]; results are recorded in benches/worker/RESULTS.md.
set -eu
# As on a machine where pytest has run before: both sides read the bytecode that the first run wrote.
unset PYTHONDONTWRITEBYTECODE
repository=$(cd "$(dirname "$0")/../.." && pwd)
python=${1:-$repository/.venv/bin/python}
case $python in /*) ;; *) python=$PWD/$python ;; esac
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp "$repository"/fixtures/projects/five-ms-body/*.py "$project"
cd "$repository"
cargo run --quiet --release -p temper-worker --example sample_cost -- "$python" "$repository" "$project" "${SAMPLES:-200}" "${FRESH:-5}"
