"""Fails when a Rust dependency's licence does not allow use under MIT OR Apache-2.0. Run by `make lint`."""

import json
import re
import subprocess
import sys

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
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
