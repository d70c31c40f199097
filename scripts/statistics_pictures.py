"""Draws the plots of docs/statistics.md from benches/stats/calibration.tsv: how far out bounds lie, and how often they hold."""

import csv
import statistics
import sys
from math import log
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TABLE = REPOSITORY / "benches" / "stats" / "calibration.tsv"
FOLDER = REPOSITORY / "docs" / "images"
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 280, 60, 44, 20
COLOURS = {"light": "#1f6f43", "exponential": "#5f6b7a", "heavy": "#b3261e"}
RUNS = [100, 200, 300, 500, 1000, 2000, 3000, 4742]


def rows():
    lines = (line for line in TABLE.read_text().splitlines() if not line.startswith("#"))
    for row in csv.DictReader(lines, delimiter="\t"):
        if row["target"] == "0.999":
            yield int(row["samples"]), row["kind"], row["set"], float(row["coverage"]), float(row["ratio"])


def x_of(runs):
    return LEFT + (WIDTH - LEFT - 30) * log(runs / RUNS[0]) / log(RUNS[-1] / RUNS[0])


def frame(low, high, ticks, title):
    y_of = lambda value: TOP + (HEIGHT - BOTTOM - TOP) * (high - value) / (high - low)  # noqa: E731
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" '
        f'role="img"><title>{title}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - 20}" fill="none" stroke="#333333"/>',
        f'<text x="{WIDTH - 20}" y="{HEIGHT - 6}" text-anchor="end">runs</text>',
    ]
    parts += [
        f'<text x="{x_of(runs):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{runs:,}</text>' for runs in RUNS
    ]
    parts += [f'<text x="{LEFT - 8}" y="{y_of(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>' for tick in ticks]
    return parts, y_of


def distances():
    """The distance of the bound from the median, median over the distributions of a kind."""
    parts, y_of = frame(
        0, 3.2, (1, 2, 3), "Distance of the bound from the median, in units of that of the true quantile"
    )
    parts.append(f'<path d="M{LEFT} {y_of(1):.1f}H{WIDTH - 20}" stroke="#999999" stroke-dasharray="4 4"/>')
    for number, (kind, colour) in enumerate(COLOURS.items()):
        points = []
        for runs in RUNS:
            ratios = [row[4] for row in rows() if row[0] == runs and row[1] == kind and row[2] == "known"]
            points.append(f"{x_of(runs):.1f} {y_of(statistics.median(ratios)):.1f}")
        parts.append(f'<path d="M{"L".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{WIDTH - 40}" y="{40 + 18 * number}" text-anchor="end" fill="{colour}">{kind} tails</text>'
        )
    return [*parts, "</svg>"]


def coverages():
    """How often the bound held, one point a distribution."""
    parts, y_of = frame(
        0.9, 1.0, (0.9, 0.95, 1), "Share of simulations in which the bound held, one point a distribution"
    )
    parts.append(f'<path d="M{LEFT} {y_of(0.95):.1f}H{WIDTH - 20}" stroke="#999999" stroke-dasharray="4 4"/>')
    parts.append(f'<text x="{WIDTH - 24}" y="{y_of(0.95) - 6:.1f}" text-anchor="end">asked: 0.95</text>')
    for runs, kind, _, coverage, _ in rows():
        colour = COLOURS.get(kind, "#5f6b7a")
        parts.append(
            f'<circle cx="{x_of(runs):.1f}" cy="{y_of(coverage):.1f}" r="3" fill="{colour}" fill-opacity="0.5"/>'
        )
    return [*parts, "</svg>"]


PICTURES = {"bound-distance.svg": distances, "bound-coverage.svg": coverages}


def main():
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text("\n".join(draw()) + "\n")
        print(f"docs/images/{name}", file=sys.stderr)


if __name__ == "__main__":
    main()
