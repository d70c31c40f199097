"""What the documentation site takes from elsewhere in the repository, and links that lead out of it."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
LEADS_OUT = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:benches|crates|examples|README|CONTRIBUTING|CHANGELOG)[^)]*\)")


def on_page_markdown(markdown, page, config, files):
    """Puts the defaults into the page of settings; a link to a file that is no page becomes its text."""
    del config, files
    if page.file.src_uri == "reference/settings.md":
        defaults = (REPOSITORY / "crates/temper-cli/defaults.toml").read_text()
        markdown = markdown.replace("<!-- defaults -->", f"```toml\n{defaults}```")
    return LEADS_OUT.sub(r"\1", markdown)
