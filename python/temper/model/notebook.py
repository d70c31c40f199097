"""What `test_model` found, as notebooks show it: a table of the regions with bars, and the whole text under it."""

from html import escape

_BAR = 120


def as_html(text, findings):
    """A table with one row a finding that has a region, then the text."""
    shown = [found["evidence"] for found in findings if "condition" in found["evidence"]]
    table = f"<table>{_HEAD}{''.join(map(_row, shown))}</table>" if shown else ""
    return f"{table}<pre>{escape(text)}</pre>"


_HEAD = "<tr><th>worse</th><th>rows</th><th>error there</th><th>of the reference</th></tr>"


def _row(evidence):
    rows = max(evidence["rows"], 1)
    cells = [
        escape(evidence["condition"]),
        f"{100 * evidence['affected']:.1f} %",
        _bar(evidence["error"][1], "#c0392b"),
        _bar(evidence["reference_errors"] / rows, "#7f8c8d"),
    ]
    return "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>"


def _bar(share, colour):
    style = f"display:inline-block;height:0.8em;width:{round(_BAR * share)}px;background:{colour}"
    return f"<span style='{style}'></span> {100 * share:.1f} %"
