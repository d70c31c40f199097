"""Looks at the licences, sources and versions of all Rust dependencies. Run by `make lint`; works without a network.

Fails when a licence does not allow use under MIT OR Apache-2.0, when a crate comes from elsewhere than crates.io, or when one
is there in two versions that are not known here.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}


CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"

# Crates that are there in several versions, because those who use them have not agreed on one. No line may be added without
# a look at whether an update would do. Of `embedded-io` none is compiled: postcard could use either.
SEVERAL_VERSIONS = {"cpufeatures", "embedded-io", "getrandom", "hashbrown", "rand", "rand_core", "syn"}


def is_allowed(expression: str) -> bool:
    """True when one alternative of the licence expression has only allowed parts."""
    alternatives = re.split(r"\s+OR\s+|/", expression.replace("(", "").replace(")", ""))
    return any(all(part.strip() in ALLOWED for part in option.split(" AND ")) for option in alternatives)


def main() -> int:
    """Check every package of the lock file and print those that do not fit."""
    output = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True
    ).stdout
    packages = json.loads(output)["packages"]
    refused = [p for p in packages if not is_allowed(p["license"] or "")]
    for package in refused:
        print(f"{package['name']} {package['version']}: {package['license']}")
    print(f"licences: {len(packages)} packages, {len(refused)} refused")
    foreign = [p for p in packages if p["source"] not in (None, CRATES_IO)]
    for package in foreign:
        print(f"{package['name']} {package['version']} comes from {package['source']}")
    versions = defaultdict(set)
    for package in packages:
        versions[package["name"]].add(package["version"])
    several = {name for name, found in versions.items() if len(found) > 1}
    for name in sorted(several - SEVERAL_VERSIONS):
        print(f"{name} is there in several versions: {', '.join(sorted(versions[name]))}")
    for name in sorted(SEVERAL_VERSIONS - several):
        print(f"{name} is there in one version now: take it out of the list")
    print(f"sources: {len(foreign)} refused; versions: {len(several)} crates have several")
    return 1 if refused or foreign or several != SEVERAL_VERSIONS else 0


if __name__ == "__main__":
    sys.exit(main())
