"""The table of the projects as Markdown, and what has changed compared with the recorded one."""

# Processor time differs from run to run by some percent; a change of this share is worth a line.
CPU_CHANGE = 0.3
MODES = ("keep", "vary")


def markdown(rows: dict) -> str:
    """One row for each project and way of treating seeds, and a summary."""
    lines = [
        "| Project | File | Seeds | Useful | Why | Sites decided | Runs | CPU s | Wall s | Findings |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        if "cannot" in row:
            lines.append(f"| {name} {row['version']} | `{row['file']}` | | not tried | {row['cannot']} | | | | | |")
            continue
        lines += [mode_line(name, row, mode) for mode in MODES]
    return "\n".join([*lines, "", *summary(rows)])


def mode_line(name: str, row: dict, mode: str) -> str:
    """The line of one `bounds` command."""
    result = row[mode]
    cells = [
        f"{name} {row['version']}",
        f"`{row['file']}`",
        mode,
        "yes" if result["is_useful"] else "**no**",
        result["why"].replace("|", "\\|"),
        f"{result.get('decided', 0)} of {result.get('sites', '?')}",
        str(result.get("runs", 0)),
        str(result["cpu_secs"]),
        str(result["wall_secs"]),
        ", ".join(result["findings"][:4]) + (", ..." if len(result["findings"]) > 4 else ""),
    ]
    return "| " + " | ".join(cells) + " |"


def summary(rows: dict) -> list[str]:
    """How many projects give a useful answer to the first command, and how soon constants are known."""
    tried = [row for row in rows.values() if "cannot" not in row]
    lines = []
    for mode in MODES:
        useful = sum(row[mode]["is_useful"] for row in tried)
        constant = sum(row[mode].get("constant", 0) for row in tried)
        in_two = sum(row[mode].get("constant_in_two", 0) for row in tried)
        lines.append(
            f"Seeds {mode}: useful for {useful} of {len(tried)} projects; "
            f"{in_two} of {constant} sites whose value never changed were decided in two runs."
        )
    return lines


def changes(recorded: dict, rows: dict) -> list[str]:
    """What differs from the recorded table, one line each."""
    lines = []
    for name, row in rows.items():
        before = recorded.get(name)
        if before is None:
            lines.append(f"{name}: not recorded yet")
        elif "cannot" in row or "cannot" in before:
            if ("cannot" in row) != ("cannot" in before):
                lines.append(f"{name}: {'could be tried before' if 'cannot' in row else 'can be tried now'}")
        else:
            for mode in MODES:
                lines += [f"{name}, {mode}: {change}" for change in mode_changes(before[mode], row[mode])]
    return lines or ["nothing has changed compared with the recorded table"]


def mode_changes(before: dict, now: dict) -> list[str]:
    """What differs between two runs of one command."""
    found = []
    if before["is_useful"] != now["is_useful"]:
        found.append(f"{'useful' if now['is_useful'] else 'no longer useful'} ({before['why']} -> {now['why']})")
    if before.get("decided") != now.get("decided"):
        found.append(f"sites decided {before.get('decided', 0)} -> {now.get('decided', 0)}")
    if set(before["findings"]) != set(now["findings"]):
        found.append(f"findings {len(before['findings'])} -> {len(now['findings'])}")
    if abs(now["cpu_secs"] - before["cpu_secs"]) > CPU_CHANGE * max(before["cpu_secs"], 1):
        found.append(f"CPU {before['cpu_secs']} s -> {now['cpu_secs']} s")
    return found
