"""Draws docs/guide/labyrinth-climb.svg: how near the labyrinth's exit the best walk came, searched and drawn."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "examples" / "labyrinth"))

import labyrinth  # noqa: E402
import temper  # noqa: E402
import test_labyrinth  # noqa: E402

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 260, 60, 40


def climb(strategy, tests):
    """The best distance after each test at which it fell; for a search, until the exit is found."""

    def property_(steps):
        end = labyrinth.walk(steps)
        temper.minimize(labyrinth.distance(end))
        return strategy == "random" or end != labyrinth.EXIT

    report = temper.forall(steps=test_labyrinth.STEPS, budget=tests, strategy=strategy).run(property_)
    return report.climb, report.tests


def path(points, last, tests, far):
    """A line of steps through the points."""
    x = lambda test: LEFT + (WIDTH - LEFT - 20) * test / tests  # noqa: E731
    y = lambda value: 20 + (HEIGHT - BOTTOM - 20) * (1 - value / far)  # noqa: E731
    parts = [f"M{x(points[0][0]):.1f} {y(points[0][1]):.1f}"]
    for test, value in points[1:]:
        parts.append(f"H{x(test):.1f}V{y(value):.1f}")
    return "".join(parts) + f"H{x(last):.1f}"


def main():
    searched, tests = climb("annealing", 7500)
    drawn, _ = climb("random", tests)
    far = 70
    lines = [
        ("#b3261e", path(searched, tests, tests, far), f"searched: the exit after {tests} tests"),
        ("#5f6b7a", path(drawn, tests, tests, far), f"drawn: {drawn[-1][1]:.0f} away after {tests} tests"),
    ]
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<path d="M{LEFT} 20V{HEIGHT - BOTTOM}H{WIDTH - 20}" fill="none" stroke="#333333"/>',
        f'<text x="{WIDTH - 20}" y="{HEIGHT - 12}" text-anchor="end">{tests} tests</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 12}">0</text>',
        f'<text x="{LEFT - 8}" y="24" text-anchor="end">{far}</text>',
        f'<text x="{LEFT - 8}" y="{HEIGHT - BOTTOM}" text-anchor="end">0</text>',
        f'<text x="14" y="{HEIGHT // 2}" transform="rotate(-90 14 {HEIGHT // 2})" text-anchor="middle">distance</text>',
    ]
    for number, (colour, line, name) in enumerate(lines):
        svg.append(f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        svg.append(f'<text x="{WIDTH - 30}" y="{36 + 18 * number}" text-anchor="end" fill="{colour}">{name}</text>')
    target = REPOSITORY / "docs" / "guide" / "labyrinth-climb.svg"
    target.write_text("\n".join([*svg, "</svg>"]) + "\n")
    print(f"{target.relative_to(REPOSITORY)}: {tests} tests")


if __name__ == "__main__":
    main()
