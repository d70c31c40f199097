"""Runs a test many times with other seeds by plain pytest, without Temper: how often it fails as it is, and with a patch.

    PROJECT/bin/python benches/ecosystem/later_runs.py TEST_FILE NAME "seed(342)" [--runs 1000] [--first 10000] [--patch FILE]

NAME is the name of the test. The third argument is the text with the fixed seed; its last number becomes each seed in turn,
in a copy next to the file that is removed at the end. A patch is one that `temper bounds` wrote (`.temper/patches/ID.patch`).
"""

import argparse
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

VARIABLE = "LATER_RUNS_SEED"


def seeded(text, written):
    """The text with a seed that comes from the environment."""
    if written not in text:
        sys.exit(f"the file does not contain {written}")
    number = list(re.finditer(r"\d+", written))[-1]
    from_outside = f"int(__import__('os').environ['{VARIABLE}'])"
    return text.replace(written, written[: number.start()] + from_outside + written[number.end() :])


def patched(path, patch):
    """The file's text with a patch, which must be for this file alone."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        subprocess.run(["patch", "--quiet", str(copy), str(patch)], check=True)
        return copy.read_text()


def failures(path, name, text, seeds):
    """Seeds with which the test fails."""
    copy = path.with_name(f"test_later_runs_{os.getpid()}_{path.name}")
    failed = []
    copy.write_text(text)
    try:
        for seed in seeds:
            os.environ[VARIABLE] = str(seed)
            sys.modules.pop(copy.stem, None)
            with contextlib.redirect_stdout(io.StringIO()):
                code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-k", name, str(copy)])
            if code not in (0, 1):
                sys.exit(f"pytest ended with exit code {code}")
            failed += [seed] if code == 1 else []
    finally:
        copy.unlink()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("seed")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=10_000, help="the first seed")
    parser.add_argument("--patch", type=pathlib.Path)
    options = parser.parse_args()
    text = patched(options.file, options.patch) if options.patch else options.file.read_text()
    found = failures(
        options.file,
        options.name,
        seeded(text, options.seed),
        range(options.first, options.first + options.runs),
    )
    state = "with the patch" if options.patch else "as it is"
    print(f"{options.name} {state}: {len(found)} of {options.runs} runs failed, with seeds {found[:5]}")


if __name__ == "__main__":
    main()
