"""What the documentation site takes from elsewhere in the repository, and links that lead out of it."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
LEADS_OUT = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:benches|crates|examples|README|CONTRIBUTING|CHANGELOG)[^)]*\)")


def defaults():
    return f"```toml\n{(REPOSITORY / 'crates/temper-cli/defaults.toml').read_text()}```"


def words():
    """The words without the heading and the paragraph that the page has itself."""
    return (REPOSITORY / "crates/temper-report/words.md").read_text().split("\n\n", 2)[2]


# Pages that show a text which the program has too, each with the mark that stands for it.
INSERTED = {
    "reference/settings.md": ("<!-- defaults -->", defaults),
    "reference/words.md": ("<!-- words -->", words),
}


def on_page_markdown(markdown, page, config, files):
    """Puts in what the program has too; a link to a file that is no page becomes its text."""
    del config, files
    if page.file.src_uri in INSERTED:
        mark, text = INSERTED[page.file.src_uri]
        if mark not in markdown:
            raise ValueError(f"{page.file.src_uri} has no mark {mark}")
        markdown = markdown.replace(mark, text())
    return LEADS_OUT.sub(r"\1", markdown)
