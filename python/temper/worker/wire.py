"""The exact form of values on the wire; the twin of `wire.rs` in the crate `temper-worker`.

One tag byte, then little-endian content. Every float arrives with the bits it had (NaN as the one quiet NaN), every integer
whatever its size, every string whatever it holds: JSON loses all three.
"""

import struct
import sys

_LEN = struct.Struct("<I")
_INT = struct.Struct("<q")
_FLOAT = struct.Struct("<d")
_NAN = struct.pack("<Q", 0x7FF8000000000000)


class Array:
    """The content of an array: numpy's dtype text, the shape, the bytes in C order."""

    __slots__ = ("data", "dtype", "shape")

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, shape, data


class Opaque:
    """A value that has no exact form here: its type and a short text."""

    __slots__ = ("text", "type")

    def __init__(self, type_name, text):
        self.type, self.text = type_name, text


def encode(value):
    """The bytes of a plain value; `TypeError` for anything `plain` would not return."""
    out = bytearray()
    _write(out, value)
    return bytes(out)


def _block(out, tag, data):
    out += tag
    out += _LEN.pack(len(data))
    out += data


def _write_int(out, value):
    if -(1 << 63) <= value < 1 << 63:
        out += b"i" + _INT.pack(value)
    else:
        # Hexadecimal, since Python refuses decimal text of very long integers.
        _block(out, b"I", format(value, "x").encode())


def _write_float(out, value):
    out += b"d"
    out += _NAN if value != value else _FLOAT.pack(value)


def _write_complex(out, value):
    out += b"c"
    for part in (value.real, value.imag):
        out += _NAN if part != part else _FLOAT.pack(part)


def _write_str(out, value):
    try:
        _block(out, b"s", value.encode())
    except UnicodeEncodeError:
        _block(out, b"u", value.encode("utf-8", "surrogatepass"))


def _write_list(out, value):
    out += b"l" + _LEN.pack(len(value))
    for item in value:
        _write(out, item)


def _write_dict(out, value):
    out += b"m" + _LEN.pack(len(value))
    for key, item in value.items():
        _write(out, key)
        _write(out, item)


def _write_array(out, value):
    out += b"a"
    _write(out, value.dtype)
    _write(out, list(value.shape))
    _write(out, value.data)


def _write_opaque(out, value):
    out += b"o"
    _write(out, value.type)
    _write(out, value.text)


_WRITERS = {
    type(None): lambda out, value: out.extend(b"n"),
    bool: lambda out, value: out.extend(b"t" if value else b"f"),
    int: _write_int,
    float: _write_float,
    complex: _write_complex,
    str: _write_str,
    bytes: lambda out, value: _block(out, b"b", value),
    list: _write_list,
    tuple: _write_list,
    dict: _write_dict,
    Array: _write_array,
    Opaque: _write_opaque,
}


def _write(out, value):
    writer = _WRITERS.get(type(value))
    if writer is None:
        raise TypeError(f"no wire form for {type(value).__name__}")
    writer(out, value)


def decode(data):
    """The value whose `encode` gave `data`; an array comes back as a numpy array."""
    value, _ = _read(data, 0)
    return value


def _read_block(data, at):
    (length,) = _LEN.unpack_from(data, at)
    at += 4
    return bytes(data[at : at + length]), at + length


def _read(data, at):
    tag = data[at : at + 1]
    at += 1
    if tag == b"n":
        return None, at
    if tag in (b"t", b"f"):
        return tag == b"t", at
    if tag == b"i":
        return _INT.unpack_from(data, at)[0], at + 8
    if tag == b"d":
        return _FLOAT.unpack_from(data, at)[0], at + 8
    if tag == b"c":
        return complex(*struct.unpack_from("<dd", data, at)), at + 16
    if tag in (b"I", b"s", b"u", b"b"):
        block, at = _read_block(data, at)
        return _from_block(tag, block), at
    if tag == b"l":
        return _read_list(data, at)
    if tag == b"m":
        return _read_dict(data, at)
    if tag == b"a":
        return _read_array(data, at)
    raise ValueError(f"unknown wire tag {tag!r}")


def _from_block(tag, block):
    if tag == b"I":
        return int(block, 16)
    if tag == b"b":
        return block
    return block.decode("utf-8", "surrogatepass")


def _read_list(data, at):
    (count,) = _LEN.unpack_from(data, at)
    at += 4
    items = []
    for _ in range(count):
        item, at = _read(data, at)
        items.append(item)
    return items, at


def _read_dict(data, at):
    (count,) = _LEN.unpack_from(data, at)
    at += 4
    items = {}
    for _ in range(count):
        key, at = _read(data, at)
        items[key], at = _read(data, at)
    return items, at


def _read_array(data, at):
    dtype, at = _read(data, at)
    shape, at = _read(data, at)
    content, at = _read(data, at)
    import numpy

    return numpy.frombuffer(content, dtype=dtype).reshape(shape).copy(), at


_PLAIN = (type(None), bool, int, float, complex, str, bytes, Array, Opaque)


def plain(value, depth=8):
    """`value` in terms that `encode` knows, exactly where that is possible and `Opaque` where it is not; never raises."""
    if type(value) in _PLAIN:
        return value
    try:
        return _convert(value, depth)
    except Exception as error:
        return Opaque(type(value).__name__, f"unreadable: {type(error).__name__}")


def _convert(value, depth):
    for kind in (bool, int, float, complex, str, bytes):
        if isinstance(value, kind):
            # Unbound, so that a subclass cannot answer with something else.
            return _BASE_VALUE[kind](value)
    if isinstance(value, (list, tuple, dict)) and depth == 0:
        return _opaque(value)
    if isinstance(value, (list, tuple)):
        return [plain(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {_key(key, depth): plain(item, depth - 1) for key, item in value.items()}
    return _convert_library(value)


def _key(key, depth):
    known = plain(key, depth - 1)
    return known if type(known) in (type(None), bool, int, float, str, bytes) else repr(key)[:200]


_BASE_VALUE = {
    bool: bool,
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex(complex.__add__(value, 0)),
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}


def _convert_library(value):
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return value.item() if value.dim() == 0 else _array(value.numpy())
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return _opaque(value)
    if isinstance(value, numpy.generic):
        item = value.item()
        return item if type(item) in _PLAIN else _opaque(value)
    if isinstance(value, numpy.ndarray) or hasattr(value, "__array__"):
        return _array(numpy.asarray(value))
    return _opaque(value)


def _array(value):
    if value.ndim == 0:
        return plain(value[()])
    if value.dtype.hasobject:
        return _opaque(value)
    return Array(value.dtype.str, list(value.shape), value.tobytes())


def _opaque(value):
    return Opaque(type(value).__name__, repr(value)[:200])
