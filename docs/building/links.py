"""Where files of the repository stand in the site, and links between them."""

from __future__ import annotations

import posixpath
import re

# Pages that lie elsewhere in the repository; of other files, `docs/` is the root.
MOVED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "examples/README.md": "examples/index.md",
    "examples/data/README.md": "examples/data.md",
    "benchmarks/README.md": "benchmark-scripts.md",
    "CITATION.cff": "CITATION.cff",
    "docs/tutorial.ipynb": "tutorial.md",
}
LINK = re.compile(r"(\]\(|src=\")([^)#\s\"]+)")


def place_in_site(path: str) -> str:
    """Return the path in the site of a file of the repository."""
    if path in MOVED:
        return MOVED[path]
    if path.startswith("examples/") and path.endswith(".py"):
        return f"{path.removesuffix('.py')}.md"
    return path.removeprefix("docs/")


def rewritten(text: str, source: str) -> str:
    """Return the text of a page with links that hold in the site.

    Parameters
    ----------
    text : str
    source : str
        The page's path in the repository.
    """

    def lead(match: re.Match[str]) -> str:
        start, target = match.groups()
        if "://" in target:
            return match[0]
        there = place_in_site(posixpath.normpath(posixpath.join(posixpath.dirname(source), target)))
        here = posixpath.dirname(place_in_site(source))
        return start + posixpath.relpath(there, here or ".")

    return LINK.sub(lead, text)
