"""Functions that take texts apart, each with a planted bug behind its format, a `ZeroDivisionError`."""

import enum
import json
import re

from temper import arg, raises, texts

ACTIVATIONS = ("relu", "tanh")
UNITS = {"ms": 1, "s": 1000, "h": 3_600_000}
SCHEMES = frozenset(("s3", "gs", "file"))
DURATION = re.compile(r"(\d+)\s*(ms|s|h)")


class Mode(enum.Enum):
    TRAIN = "train"
    EVALUATE = "evaluate"


@arg("spec", texts(max_len=24))
@raises(ValueError)
def parse_spec(spec):
    """Layers such as `conv:3,relu|pool:2`."""
    kinds = []
    for layer in spec.split("|"):
        kind, _, rest = layer.partition(":")
        if kind == "conv":
            size, _, activation = rest.partition(",")
            if activation not in ACTIVATIONS:
                raise ValueError(activation)
            kinds.append((kind, int(size)))
        elif kind == "pool":
            kinds.append((kind, int(rest)))
        else:
            raise ValueError(kind)
    if len(kinds) == 2 and kinds[1][0] == "pool":
        return 12 // kinds[1][1]
    return len(kinds)


@arg("text", texts(max_len=12))
@raises(ValueError)
def duration(text):
    """A time such as `12 ms`."""
    match = DURATION.fullmatch(text)
    if match is None:
        raise ValueError(text)
    number, unit = int(match[1]), match[2]
    if unit == "h" and number > 24:
        return UNITS[unit] // (number - 36)
    return number * UNITS[unit]


@arg("text", texts(max_len=32))
@raises(ValueError, KeyError)
def settings(text):
    """Pairs such as `lr=0.1;mode=train`."""
    found = dict(pair.split("=", 1) for pair in text.split(";"))
    mode = Mode(found["mode"])
    if mode is Mode.EVALUATE and "batch" in found:
        return 1024 // int(found["batch"])
    return mode


@arg("version", texts(max_len=16))
@raises(ValueError)
def release(version):
    """A version such as `v1.2.3-rc4`."""
    if not version.startswith("v"):
        raise ValueError(version)
    number, _, label = version[1:].partition("-")
    parts = number.split(".")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        raise ValueError(version)
    if label.startswith("rc"):
        return 100 // int(label[2:])
    return parts


@arg("text", texts(max_len=48))
@raises(ValueError, KeyError, TypeError)
def kernel(text):
    """A document such as `{"kind": "poly", "degree": 3}`."""
    found = json.loads(text)
    if found["kind"] == "poly":
        return 6 // found["degree"]
    return found["kind"]


@arg("url", texts(max_len=24))
@raises(ValueError)
def bucket(url):
    """A place such as `s3://data/part-3`."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme not in SCHEMES:
        raise ValueError(url)
    name, _, key = rest.partition("/")
    if scheme == "gs" and name and key.endswith(".csv"):
        return len(key) // (len(name) - 4)
    return name, key


@arg("rule", texts(max_len=16))
@raises(ValueError)
def einsum(rule):
    """A rule such as `ij,jk->ik`."""
    if "->" not in rule:
        raise ValueError(rule)
    inputs, _, output = rule.partition("->")
    operands = inputs.split(",")
    if len(operands) != 2 or not all(each.isalpha() for each in operands):
        raise ValueError(rule)
    shared = set(operands[0]) & set(operands[1])
    return len(rule) // len(shared | set(output))


@arg("text", texts(max_len=20))
@raises(ValueError)
def dtype(text):
    """A type such as `float32[3,4]`."""
    name, bracket, sides = text.partition("[")
    if name not in ("float32", "int8", "bool"):
        raise ValueError(name)
    if not bracket:
        return name
    if not sides.endswith("]"):
        raise ValueError(sides)
    shape = [int(side) for side in sides[:-1].split(",")]
    if len(shape) == 3:
        return 4096 // (shape[0] * shape[2])
    return shape
