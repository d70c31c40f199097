#!/bin/sh
# Packages the two published crates as for the registry, and runs the examples of the README in a new project that has
# nothing but the packaged files.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
cargo package --quiet --offline --allow-dirty --no-verify --target-dir "$folder/target" -p temper-derive -p temper-prop
for crate in "$folder"/target/package/*.crate; do
    tar -xzf "$crate" -C "$folder"
done
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
mkdir -p "$folder/project/src" "$folder/project/tests"
cat > "$folder/project/Cargo.toml" <<END
[package]
name = "project"
version = "0.1.0"
edition = "2024"
[dependencies]
temper = { package = "temper-prop", path = "../temper-prop-$version" }
[patch.crates-io]
temper-derive = { path = "../temper-derive-$version" }
[workspace]
END
: > "$folder/project/src/lib.rs"
python3 - "$folder/temper-prop-$version/README.md" > "$folder/project/tests/readme.rs" <<'END'
import re, sys
blocks = re.findall(r"```rust\n(.*?)```", open(sys.argv[1]).read(), re.S)
for number, block in enumerate(blocks):
    lines = [re.sub(r"^# ?", "", line) for line in block.splitlines() if not re.match(r"\s*#\[test\]", line)]
    print(f"#[test]\nfn example_{number}() {{\n" + "\n".join(lines) + "\n}\n")
END
cp Cargo.lock "$folder/project/"
cd "$folder/project"
cargo test --offline --quiet --target-dir "$folder/target"
