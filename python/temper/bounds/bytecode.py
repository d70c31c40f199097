"""Whether two source texts compile to the same code, places in the text aside."""

import warnings


def same(original, others):
    """For each text of `others`: whether it compiles to what `original` compiles to."""
    expected = _content(original)
    return [_content(other) == expected for other in others]


def _content(source):
    with warnings.catch_warnings():
        # `x is 0` and the like: the compiler's advice is of no use here.
        warnings.simplefilter("ignore")
        try:
            return _described(compile(source, "<mutant>", "exec", dont_inherit=True))
        except (SyntaxError, ValueError):
            return None


def _described(code):
    consts = tuple(_described(each) if hasattr(each, "co_code") else _constant(each) for each in code.co_consts)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
    return (code.co_code, consts, names, counts, getattr(code, "co_exceptiontable", b""))


def _constant(value):
    """1, 1.0 and True are equal and not the same; nor are 0.0 and -0.0."""
    if isinstance(value, tuple):
        return ("tuple", tuple(map(_constant, value)))
    if isinstance(value, frozenset):
        return ("frozenset", tuple(sorted(map(_constant, value))))
    return (type(value).__name__, repr(value))
