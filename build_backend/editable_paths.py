"""The build backend: setuptools, with editable installs that type checkers can read.

The packages lie in two folders. For those, setuptools makes an import hook, which only a running
Python understands. Here an editable install is a file of two paths, which mypy and pyright read.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  # the other hooks of PEP 517

ROOT = Path(__file__).resolve().parents[1]
PATHS = (ROOT, ROOT / "adapters")
PTH = "__editable__.gpu_ls_plugin.pth"


def build_editable(
    wheel_directory: str,
    config_settings: dict[str, str] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel that puts the folders of the packages on the path; return its name."""
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    wheel = Path(wheel_directory, name)
    with zipfile.ZipFile(wheel) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    wheel.unlink()
    files = {file: data for file, data in files.items() if not file.startswith("__editable__")}
    files[PTH] = "".join(f"{path}\n" for path in PATHS).encode()
    record = next(file for file in files if file.endswith(".dist-info/RECORD"))
    lines = [
        f"{file},{_digest(data)},{len(data)}" for file, data in files.items() if file != record
    ]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, data in files.items():
            archive.writestr(file, data)
    return name


def _digest(data: bytes) -> str:
    """Return a hash as RECORD has it."""
    text = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
    return f"sha256={text.rstrip('=')}"
