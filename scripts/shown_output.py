"""Checks that the outputs which README and the documentation show are what the program prints.

A fenced block without a language shows output, and the comment above it says where that comes from:

    <!-- output: mlkit -->        some lines of the transcript that the scenario below makes; `...` stands for others
    <!-- recorded: why -->        recorded once, and not made again here

`python scripts/shown_output.py PATH/TO/temper` makes the transcripts and compares; `make test-docs` runs it (a minute).
"""

import contextlib
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCE = re.compile(r"<!-- (output|recorded): (.+) -->")
# Times differ from run to run, and with them what a machine would need.
TIME = re.compile(r"\b[\d.,]+ (ms|s|min|h)\b")


class ShownBlock:
    """A block of a page that shows output."""

    def __init__(self, page, line, source, lines):
        self.page, self.line, self.lines = page, line, lines
        found = SOURCE.fullmatch(source.strip())
        self.kind, self.source = found.groups() if found else (None, None)

    def __str__(self):
        return f"{self.page.relative_to(REPOSITORY)}:{self.line}"

    def missing_line(self, transcript):
        """The first line of the block that the transcript does not have in this order; none if all are there."""
        printed = [plain(line) for line in transcript.splitlines()]
        at = 0
        for line in self.lines:
            wanted = plain(line)
            # What is typed after a prompt is no output.
            if not wanted or wanted == "..." or wanted.startswith("$ "):
                continue
            start = wanted.removesuffix("...")
            fits = (lambda text, start=start: text.startswith(start)) if start != wanted else wanted.__eq__
            places = [place for place in range(at, len(printed)) if fits(printed[place])]
            if not places:
                return line
            at = places[0] + 1
        return None


def plain(line):
    return TIME.sub("N s", line.strip())


def pages():
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def shown_blocks(page):
    """The blocks of a page that show output."""
    blocks, lines = [], page.read_text().splitlines()
    at = 0
    while at < len(lines):
        fence = re.fullmatch(r"\s*(`{3,})(\w*).*", lines[at])
        if fence is None:
            at += 1
            continue
        end = next(place for place in range(at + 1, len(lines)) if lines[place].strip() == fence[1])
        if not fence[2]:
            blocks.append(ShownBlock(page, at + 1, lines[at - 1], lines[at + 1 : end]))
        at = end + 1
    return blocks


def code_of(page, start):
    """The Python block of a page that begins with this line."""
    found = re.search(rf"```python\n({re.escape(start)}.*?)```", (REPOSITORY / page).read_text(), re.S)
    return found[1]


class Shell:
    """Runs commands in a folder and keeps what they print, as a reader would see it."""

    def __init__(self, temper, folder):
        self.temper, self.folder, self.printed = temper, folder, []

    def copy(self, example):
        self.folder = self.folder / example
        shutil.copytree(REPOSITORY / "examples" / example, self.folder, ignore=shutil.ignore_patterns(".temper"))

    def run(self, program, *arguments):
        name = self.temper if program == "temper" else self.temper.parent / "python"
        command = [name, *arguments] if program == "temper" else [name, "-m", program, *arguments]
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80"}
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        self.printed.append(f"$ {program} {' '.join(arguments)}\n{done.stdout}{done.stderr}")

    def answer(self, answers, *arguments):
        """Runs a command that asks questions, which it does at a terminal only."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 120, 0, 0))
        modes = termios.tcgetattr(its)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(its, termios.TCSANOW, modes)
        environment = {**os.environ, "NO_COLOR": "1"}
        process = subprocess.Popen([self.temper, *arguments], cwd=self.folder, env=environment, stdin=its, stdout=its)
        os.close(its)
        os.write(ours, answers.encode())
        printed = b""
        with contextlib.suppress(OSError):  # A terminal that nobody holds any more ends in an error.
            while part := os.read(ours, 4096):
                printed += part
        process.wait(timeout=60)
        self.printed.append(printed.decode())

    def pytest(self, *arguments):
        self.run("pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:randomly", *arguments)


def mlkit(shell):
    shell.copy("mlkit")
    shell.run("temper", "bounds", "--runs", "300")
    shell.answer("q\n", "review")
    shell.run("temper", "replay", "B9b976")
    shell.run("temper", "report", "--pr", "B9b976")
    shell.run("temper", "apply", "B9b976", "--at", "0.99")


def densenet(shell):
    shell.copy("densenet")
    shell.run("temper", "check")


def iris(shell):
    shell.copy("iris")
    shell.run("temper", "model", "iris.csv", "--target", "species", "--train", "knn:Neighbours(90)")


def labyrinth(shell):
    shell.copy("labyrinth")
    shell.pytest()


def shop(shell):
    (shell.folder / "test_shop.py").write_text(
        code_of("docs/guide/properties.md", "import temper\nfrom temper import ints\n")
    )
    shell.pytest("test_shop.py")


STORE = """
import temper
from temper import texts

class Store(list):
    def insert(self, name):
        if name not in self:
            self.append(name)

    def delete(self, name):
        pass

"""


def keys(shell):
    machine = code_of("docs/guide/properties.md", "class Keys(temper.StateMachine):")
    (shell.folder / "test_keys.py").write_text(STORE + machine)
    shell.pytest("test_keys.py")


LOANS = """
import random

def rows(seed, count):
    chance = random.Random(seed)
    for _ in range(count):
        income, region = round(chance.lognormvariate(8, 0.5)), chance.choice(["north", "south", "east", "west"])
        yield income, region, round(chance.uniform(18, 80)), chance.random() < 0.04

def paid(income, region, age):
    return "yes" if income > 2800 or (region == "north" and age < 60) else "no"

def old(rows):
    return [paid(*row) for row in rows]

def new(rows):
    return ["no" if income > 3000 and region == "north" else paid(income, region, age) for income, region, age in rows]

def write():
    other = {"yes": "no", "no": "yes"}
    with open("loans.csv", "w") as file:
        print("income,region,age,paid", file=file)
        for income, region, age, is_flipped in rows(1, 1000):
            label = paid(income, region, age)
            print(income, region, age, other[label] if is_flipped else label, sep=",", file=file)
    with open("houses.csv", "w") as file:
        print("a,b,price", file=file)
        chance = random.Random(2)
        for _ in range(1000):
            a, b = chance.random(), chance.random()
            print(f"{a:.3f},{b:.3f},{10 * a + 5 * b + chance.gauss(0, 0.6):.3f}", file=file)

def price(rows):
    return [10 * a + 5 * b for a, b in rows]

def low_price(rows):
    return [10 * a + 5 * b - 4 * (a > 0.8) for a, b in rows]
"""


def loans(shell):
    (shell.folder / "lender.py").write_text(LOANS)
    subprocess.run([sys.executable, "-c", "import lender; lender.write()"], cwd=shell.folder, check=True)
    model = ["--unseen", "--model"]
    shell.run("temper", "model", "loans.csv", "--target", "paid", *model, "lender:new", "--against", "lender:old")
    shell.run(
        "temper", "model", "houses.csv", "--target", "price", *model, "lender:low_price", "--against", "lender:price"
    )


SCENARIOS = {each.__name__: each for each in (mlkit, densenet, iris, labyrinth, shop, keys, loans)}


def transcript(temper, name):
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(temper, Path(folder))
        SCENARIOS[name](shell)
        return "".join(shell.printed)


def main():
    temper = Path(os.path.abspath(sys.argv[1]))
    blocks = [block for page in pages() for block in shown_blocks(page) if block.kind == "output"]
    wanted = sys.argv[2:] or sorted({block.source for block in blocks})
    wrong = 0
    for name in wanted:
        printed = transcript(temper, name)
        for block in (block for block in blocks if block.source == name):
            missing = block.missing_line(printed)
            wrong += missing is not None
            print(f"{block}: {name}: " + ("as printed" if missing is None else f"not printed: {missing.strip()}"))
        if wrong:
            print(printed)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
