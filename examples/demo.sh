#!/bin/sh
# Runs Temper on the examples. The command to run is the first argument: `make demo` passes the one in .venv.
set -eu
temper=${1:-temper}
cd "$(dirname "$0")"

show() {
    printf '\n$ temper %s\n' "$*"
    "$temper" "$@"
}

cd mlkit
printf 'examples/mlkit: a small project with random tests\n'
show scan
show scan -v tests
