#!/bin/sh
# Checks the packages in target/dist as their users meet them: PyPI would take them, the wheel installs into a fresh
# environment of every Python from 3.10 that is there and works, and the source archive builds in a clean folder. The
# argument is the folder with auditwheel and twine.
set -eu
tools=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wheel=$(ls target/dist/*.whl)
archive=$(ls target/dist/*.tar.gz)

case "$wheel" in
*-cp310-abi3-manylinux*) ;;
*) echo "$wheel: the name has no manylinux tag, or is for one Python only" && exit 1 ;;
esac
"$tools/twine" check --strict "$wheel" "$archive"
tag=$("$tools/auditwheel" show "$wheel" | tr -d '\n' | grep -o 'is consistent with *the following platform tag: *"[^"]*"' | cut -d '"' -f 2)
case "$tag" in
manylinux_*) echo "auditwheel: $tag" ;;
*) echo "auditwheel finds no manylinux tag: $tag" && exit 1 ;;
esac

# Installs a package into a new environment and uses what needs no other library.
try() {
    rm -rf "$folder/venv" && "$1" -m venv "$folder/venv"
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$2"
    (
        cd "$root/examples/mlkit"
        "$folder/venv/bin/temper" --version
        "$folder/venv/bin/temper" scan | grep -q 'approximate assertions'
        "$folder/venv/bin/python" -c 'import temper
@temper.forall(n=temper.ints(0, 9))
def small(n): assert n < 10
small()'
    )
}

tested=0
for minor in 10 11 12 13; do
    python=$(command -v "python3.$minor" || true)
    if [ -z "$python" ] || ! "$python" -c '' 2>/dev/null; then
        python=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python 2>/dev/null | tail -n 1)
    fi
    [ -n "$python" ] || { echo "python 3.$minor: not installed, skipped" && continue; }
    echo "python 3.$minor:" && try "$python" "$root/$wheel"
    tested=$((tested + 1)) last=$python
done
[ "$tested" -gt 0 ]
echo "the source archive, in a clean folder:"
CARGO_TARGET_DIR="$folder/target" try "$last" "$root/$archive"
