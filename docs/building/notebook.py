"""A notebook as a page: its texts, its code and what the code had printed and drawn."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def cells(path: Path, kind: str) -> list[str]:
    """Return the sources of the cells of a kind, "code" or "markdown", in order."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind]


def program(path: Path) -> str:
    """Return the code of a notebook as one program, without commands of its display."""
    lines = "\n".join(cells(path, "code")).splitlines()
    return "\n".join(line for line in lines if not line.startswith("%"))


def as_page(path: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as Markdown, and the images that it shows by their names."""
    parts: list[str] = []
    images: dict[str, bytes] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            parts.append(_output(output, images, f"{path.stem}-{len(images) + 1}.png"))
    return "\n\n".join(filter(None, parts)) + "\n", images


def _output(output: dict[str, Any], images: dict[str, bytes], name: str) -> str:
    """Return one output as Markdown; an image is added to `images`."""
    if output["output_type"] == "stream":
        text = "".join(output["text"]).rstrip()
        return f"```text\n{text}\n```" if output["name"] == "stdout" else ""
    data = output.get("data", {})
    if "image/png" in data:
        images[name] = base64.b64decode("".join(data["image/png"]))
        return f"![What the code above draws](images/{name})"
    return f"```text\n{''.join(data.get('text/plain', ''))}\n```"
