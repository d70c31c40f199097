"""Executes the table of like functions that mutants are made from (crates/temper-source/src/mutants/swaps.txt).

Every function and every replacement is called with the same arguments, in each library that is installed. A swap is good if
both calls work and give different results. Writes docs/reference/swaps.md; `--check` only compares, and ends with 1 if a swap
that could be executed is not good. Where a library is not installed its rows are listed as not executed.

    python scripts/swaps.py [--check]
"""

import importlib
import pathlib
import sys
import warnings

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
TABLE = REPOSITORY / "crates/temper-source/src/mutants/swaps.txt"
REPORT = REPOSITORY / "docs/reference/swaps.md"
LIBRARIES = ("numpy", "torch", "tensorflow", "scipy", "sklearn")


def rows():
    for line in TABLE.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, others = line.split("->")
            yield name.strip(), others.split()


def candidates(library):
    """Argument lists to try in turn, from the most to the least usual."""
    import numpy as np

    matrix = np.array([[0.5, 0.25, 2.0], [1.5, 4.0, 0.75]])
    square = np.array([[2.0, 0.5], [0.5, 1.0]])
    labels, guesses = np.array([0, 1, 1, 0, 1, 1]), np.array([0, 1, 0, 0, 1, 0])
    make = np.asarray
    if library == "torch":
        make = importlib.import_module("torch").tensor
    elif library == "tensorflow":
        make = importlib.import_module("tensorflow").constant
    first, second = make(matrix), make(matrix[::-1].copy() + 0.3)
    image = make(np.arange(16.0).reshape(1, 1, 4, 4))
    flags = make(np.array([True, False, True]))
    vector = make(np.array([0.25, 0.5, 2.5]))
    own = torch_candidates() if library == "torch" else []
    return [
        *own,
        ((first,), {}),
        ((vector,), {}),
        ((first, second), {}),
        ((make(square), make(square + 1.0)), {}),
        ((vector, make(np.array([2.0, 0.5, 1.0]))), {}),
        ((flags,), {}),
        ((flags, make(np.array([True, True, False]))), {}),
        (([first, second],), {}),
        (([first, second], 0), {}),
        ((first, 0), {}),
        ((image, 2), {}),
        ((labels, guesses), {}),
        ((vector, 0.5), {}),
        ((1.0, 10.0, 5), {}),
        ((3, 3), {}),
        ((3,), {}),
        (((2, 3),), {}),
        ((1.5, 2.5, 4), {}),
        ((1.5,), {}),
        ((make(np.array([-0.5, 0.25, 2.5])),), {}),
        ((), {}),
    ]


def torch_candidates():
    """Arguments of losses that compare with classes, of optimisers and of layers that must know a number of features."""
    torch = importlib.import_module("torch")
    weights = torch.nn.Parameter(torch.tensor([[0.5, 0.25], [1.5, 4.0]]))
    return [
        ((torch.tensor([[0.2, 0.8], [0.9, 0.3]]), torch.tensor([1, 0])), {}),
        ((torch.tensor([0.2, 0.8]), torch.tensor([1.0, 0.0])), {}),
        (([weights],), {"lr": 0.1}),
        ((weights.detach().clone(),), {}),
        ((2,), {}),
        ((2, 2), {}),
    ]


def resolve(name):
    module, _, attribute = name.rpartition(".")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        parent, _, last = module.rpartition(".")
        found = getattr(importlib.import_module(parent), last)
    return getattr(found, attribute)


def seed_all():
    import numpy as np

    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
    if "tensorflow" in sys.modules:
        sys.modules["tensorflow"].random.set_seed(0)


def plain(value):
    """A result in a form that can be compared; estimators and modules by their class."""
    import numpy as np

    if isinstance(value, (tuple, list)):
        return tuple(plain(each) for each in value)
    if hasattr(value, "statistic"):
        return plain(value.statistic)
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "numpy"):
        value = value.numpy()
    try:
        array = np.asarray(value)
        if array.dtype != object:
            return (array.shape, str(array.tolist()))
    except (TypeError, ValueError):
        pass
    return type(value).__name__


def call(function, arguments, keywords):
    seed_all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return plain(function(*arguments, **keywords))


def judge(name, other, arguments):
    """In one word: what came of a swap, over the argument lists that the original accepts."""
    module = name.rpartition(".")[0]
    try:
        original, replacement = resolve(name), resolve(f"{module}.{other}")
    except AttributeError:
        return "missing"
    worst = "refused"
    for given, keywords in arguments:
        try:
            expected = call(original, given, keywords)
        except Exception:  # the next arguments may suit this function better
            continue
        try:
            if call(replacement, given, keywords) != expected:
                return "good"
            worst = "same"
        except Exception:  # another argument list may suit both
            continue
    return worst


def methods():
    """Methods of arrays and generators stand for those of all libraries."""
    import numpy as np

    array, generator = np.array([[0.5, 0.0, 2.0], [1.5, 4.0, 0.75]]), np.random.default_rng
    for name, others in rows():
        if name.startswith("method."):
            own = name.partition(".")[2]
            for other in others:
                make = (lambda: array) if hasattr(array, own) else (lambda: generator(0))
                before, after = getattr(make(), own)(), getattr(make(), other)()
                yield name, other, "good" if plain(before) != plain(after) else "same"


def execute():
    """Name, replacement and outcome of every swap; `not executed` where the library is not installed."""
    found = []
    for library in LIBRARIES:
        mine = [(name, others) for name, others in rows() if name.split(".")[0] == library]
        try:
            importlib.import_module(library)
            arguments = candidates(library)
        except ImportError:
            found += [(name, other, "not executed") for name, others in mine for other in others]
            continue
        found += [(name, other, judge(name, other, arguments)) for name, others in mine for other in others]
    return found + list(methods())


def report(found):
    lines = [
        "# Functions that stand for each other in mutants",
        "",
        "Made by `python scripts/swaps.py` from `crates/temper-source/src/mutants/swaps.txt`. Each function and each replacement",
        "was called with the same arguments and the same seed; a swap is *good* if both calls work and differ. Rows of libraries",
        "that were not installed where this was made are *not executed*.",
        "",
        "| Library | Version | Functions | Replacements | A function | Good | Not executed |",
        "|---|---|---|---|---|---|---|",
    ]
    for library in (*LIBRARIES, "method"):
        mine = [(name, outcome) for name, _, outcome in found if name.split(".")[0] == library]
        functions = len({name for name, _ in mine})
        good = sum(outcome == "good" for _, outcome in mine)
        absent = sum(outcome == "not executed" for _, outcome in mine)
        version = "-" if library == "method" or absent else importlib.import_module(library).__version__
        each = f"{len(mine) / functions:.2f}"
        lines.append(f"| {library} | {version} | {functions} | {len(mine)} | {each} | {good} | {absent} |")
    lines += ["", "| Function | Replacements |", "|---|---|"]
    for name, _ in rows():
        mine = [
            other + ("" if outcome == "good" else f" ({outcome})") for each, other, outcome in found if each == name
        ]
        lines.append(f"| `{name}` | {', '.join(mine)} |")
    return "\n".join(lines) + "\n"


def main():
    found = execute()
    bad = [each for each in found if each[2] not in ("good", "not executed")]
    for name, other, outcome in bad:
        print(f"{name} -> {other}: {outcome}", file=sys.stderr)
    if "--check" not in sys.argv[1:]:
        REPORT.write_text(report(found))
    counts = {outcome: sum(each[2] == outcome for each in found) for outcome in sorted({each[2] for each in found})}
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
