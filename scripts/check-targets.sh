#!/bin/sh
# Compiles crates for other systems without linking. The arguments are the targets and the crates as cargo takes them. A
# target that rustup does not have and cannot get is skipped with a line.
set -eu
for target in $1; do
    if ! rustup target list --installed | grep -qx "$target" && ! rustup target add "$target" >/dev/null 2>&1; then
        echo "$target: not installed, skipped"
        continue
    fi
    # The crates are several words.
    # shellcheck disable=SC2086
    cargo check --quiet --locked --release --target "$target" $2
    echo "$target: compiles (nothing was run there)"
done
