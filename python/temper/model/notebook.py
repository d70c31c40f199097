"""What `test_model` found, as notebooks show it: regions with bars, maps and a tree of the errors, and the whole text."""

from html import escape

_BAR = 120
_CELL = "style='text-align:left'"


def as_html(text, findings, tree=()):
    """A table with one row a finding that has a region, the map of each, the tree, then the text."""
    shown = [found["evidence"] for found in findings if "condition" in found["evidence"]]
    table = f"<table>{_HEAD}{''.join(map(_row, shown))}</table>" if shown else ""
    maps = "".join(_map(evidence["map"]) for evidence in shown if evidence.get("map"))
    return f"{table}{maps}{_tree(tree) if len(tree) > 1 else ''}<pre>{escape(text)}</pre>"


_HEAD = "<tr><th>worse</th><th>rows</th><th>error there</th><th>of the reference</th></tr>"


def _row(evidence):
    rows = max(evidence["rows"], 1)
    cells = [
        escape(evidence["condition"]),
        f"{100 * evidence['affected']:.1f} %",
        _bar(evidence["error"][1], "#c0392b"),
        _bar(evidence["reference_errors"] / rows, "#7f8c8d"),
    ]
    return "<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in cells) + "</tr>"


def _bar(share, colour):
    style = f"display:inline-block;height:0.8em;width:{round(_BAR * share)}px;background:{colour}"
    return f"<span style='{style}'></span> {100 * share:.1f} %"


def _map(found):
    """Errors by parts of two columns; the redder, the more often the model errs, or errs where its reference does not."""
    across, down = (escape(name) for name in found["columns"])
    reference = found.get("reference_errors")
    head = f"<tr><th>{down} \\ {across}</th>{''.join(f'<th>{escape(words)}</th>' for words in found['across'])}</tr>"
    lines = []
    for at, words in enumerate(found["down"]):
        others = reference[at] if reference else [0] * len(found["across"])
        cells = zip(found["rows"][at], found["errors"][at], others, strict=True)
        lines.append(f"<tr><th>{escape(words)}</th>{''.join(_heat(*cell) for cell in cells)}</tr>")
    return f"<table><caption>how often the model errs</caption>{head}{''.join(lines)}</table>"


def _heat(rows, errors, reference_errors):
    if not rows:
        return "<td></td>"
    strength = min(max((errors - reference_errors) / rows, 0), 1)
    return f"<td style='background:rgba(192,57,43,{0.7 * strength:.2f})'>{100 * errors / rows:.0f} % of {rows}</td>"


def _tree(nodes):
    """One line a node, further in the more conditions it has."""
    head = "<tr><th>rows with</th><th>error</th></tr>"
    lines = (
        f"<tr><td style='text-align:left;padding-left:{0.5 + 1.5 * node['depth']:.1f}em'>{escape(node['condition'])}</td>"
        f"{_heat(node['rows'], node['errors'], node.get('reference_errors') or 0)}</tr>"
        for node in nodes
    )
    return f"<table><caption>where errors lie</caption>{head}{''.join(lines)}</table>"
