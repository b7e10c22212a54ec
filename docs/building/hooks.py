"""Hooks of MkDocs: pages of other folders, of the notebook and of the reference; their links."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "adapters"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from docs.building import links, notebook, reference  # noqa: E402

FENCE = "`" * 4


def on_files(files: Files, config: Any) -> Files:
    """Add what is not in the folder of pages."""
    made: dict[str, str | bytes] = dict(reference.pages())
    for source in links.MOVED:
        if source.endswith(".md"):
            text = (ROOT / source).read_text(encoding="utf-8")
            made[links.place_in_site(source)] = links.rewritten(text, source)
    made["CITATION.cff"] = (ROOT / "CITATION.cff").read_bytes()
    tutorial, images = notebook.as_page(ROOT / "docs" / "tutorial.ipynb")
    made["tutorial.md"] = links.rewritten(tutorial, "docs/tutorial.ipynb")
    made |= {f"images/{name}": content for name, content in images.items()}
    for script in sorted((ROOT / "examples").glob("*.py")):
        code = script.read_text(encoding="utf-8")
        path = links.place_in_site(f"examples/{script.name}")
        made[path] = f"# {script.name}\n\n{FENCE}python\n{code}{FENCE}\n"
    for figure in sorted((ROOT / "benchmarks" / "results").glob("*.png")):
        made[f"benchmarks/results/{figure.name}"] = figure.read_bytes()
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **more: Any) -> str:
    """Let links of pages lead to where things are in the site."""
    if page.file.generated_by:
        return markdown
    return links.rewritten(markdown, f"docs/{page.file.src_uri}")
