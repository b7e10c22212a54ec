"""Writes a package of somebody's own, a plugin that runs at once, from a template."""

from __future__ import annotations

import keyword
import re
from importlib.util import find_spec
from pathlib import Path

from gpu_ls_plugin.backends import composition
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.files import beside
from gpu_ls_plugin.core.registry import near_matches, registry
from gpu_ls_plugin.core.text import quoted
from gpu_ls_plugin.plugins.info import distribution_version
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import domains

TEMPLATES = Path(__file__).with_name("templates")
KINDS = ("domain", "neighbourhood", "objective")  # a folder of templates for each
MOST_LETTERS = 30
PLACEHOLDER = re.compile("gpu-ls-example|example|Example")
# Of C++, beside those that no type has.
FURTHER_KEYWORDS = """
and and_eq bitand bitor bool char char8_t char16_t char32_t compl const const_cast consteval
constexpr constinit double dynamic_cast false float int long not not_eq nullptr or or_eq short
signed true unsigned void volatile wchar_t xor xor_eq
"""
RESERVED = {*keyword.kwlist, *composition.KEYWORDS, *FURTHER_KEYWORDS.split()}


def write_package(name: str, kind: str, into: Path) -> Path:
    """Write a package with a part of this name, and return its folder.

    Parameters
    ----------
    name : str
        In lower case, such as "vertex_cover"; the package is ``gpu_ls_vertex_cover``.
    kind : str
        One of `KINDS`.
    into : Path
        A folder, in which the package gets one of its own.

    Raises
    ------
    InvalidParameterError
        The name cannot be one or is taken, there is no such kind, or the folder cannot be made.
    OSError
        The files cannot be written: then none is.
    """
    if kind not in KINDS:
        near = near_matches(kind, KINDS)
        raise InvalidParameterError(
            f"kind: {quoted(str(kind))} has no template; {near}known: {', '.join(KINDS)}"
        )
    _check_name(name)
    folder = into / _distribution(name)
    if folder.exists() or folder.is_symlink():
        raise InvalidParameterError(
            f"into: {folder} is there already, and nothing is written over; choose another name, "
            "or another folder"
        )
    if not into.is_dir():
        raise InvalidParameterError(f"into: {into} is not a folder; make it first")
    words = {"gpu-ls-example": _distribution(name), "example": name, "Example": _class_name(name)}

    def filled(text: str) -> str:
        return PLACEHOLDER.sub(lambda match: words[match[0]], text)

    with beside(folder) as made:
        for template in sorted((TEMPLATES / kind).rglob("*.in")):
            path = made / filled(template.relative_to(TEMPLATES / kind).as_posix())
            file = path.with_suffix("")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(filled(template.read_text(encoding="utf-8")), encoding="utf-8")
        made.rename(folder)
    return folder


def _check_name(name: str) -> None:
    """Raise unless a name can be that of a package, of a part, and within C++, and is free."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > MOST_LETTERS:
        raise InvalidParameterError(
            f"name: {quoted(name)} is not one for a package; take letters from a to z, digits "
            f"behind them, and single underscores between words, {MOST_LETTERS} in all at most"
        )
    if name in RESERVED:
        raise InvalidParameterError(f"name: {name!r} is a keyword of Python or C++; choose another")
    taken = {part.name: f"a {part.kind} of plugin {part.owner!r}" for part in registry.parts()}
    taken |= {kind.name: "a kind of file" for domain in domains() for kind in domain.files()}
    taken |= {info.name: "a plugin that is installed" for info in plugins.infos()}
    package = f"gpu_ls_{name}"
    if find_spec(package) is not None or distribution_version(_distribution(name)):
        taken[name] = f"that of the installed package {package}"
    if name in taken:
        raise InvalidParameterError(f"name: {name!r} is {taken[name]} already; choose another")


def _distribution(name: str) -> str:
    """Return what pip calls a package, which is also the name of its folder."""
    return f"gpu-ls-{name.replace('_', '-')}"


def _class_name(name: str) -> str:
    """Return how the names of its classes begin."""
    return "".join(word.capitalize() for word in name.split("_"))
