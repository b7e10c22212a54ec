"""Writes new plugin packages from templates; the packages run without changes."""

from __future__ import annotations

import keyword
import re
from importlib.util import find_spec
from pathlib import Path

from gpu_ls_plugin.backends import composition
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.files import beside
from gpu_ls_plugin.core.registry import near_matches, registry
from gpu_ls_plugin.core.text import quoted
from gpu_ls_plugin.plugins.info import distribution_version
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import domains

TEMPLATES = Path(__file__).with_name("templates")
KINDS = (
    "domain",
    "neighbourhood",
    "objective",
    "resource",
    "tour_objective",
)  # folders of templates
LEVELS = ("python", "prefix", "suffix", "segments")  # of objectives of sequences
LEVEL = "prefix"  # by default
# Lines of templates that only some levels have: ``%% LEVEL ...``, the lines, ``%% end``.
LEVEL_LINES = re.compile(r"^%% (?!end$)(.*)\n((?:(?!%% ).*\n)*)%% end\n", re.MULTILINE)
MOST_LETTERS = 30  # maximum length of a name; longer ones would make lines of templates too long
PLACEHOLDER = re.compile("gpu-ls-example|example|Example")
# Keywords of C++ that are not in `composition.KEYWORDS`.
FURTHER_KEYWORDS = """
and and_eq bitand bitor bool char char8_t char16_t char32_t compl const const_cast consteval
constexpr constinit double dynamic_cast false float int long not not_eq nullptr or or_eq short
signed true unsigned void volatile wchar_t xor xor_eq
"""
RESERVED = {*keyword.kwlist, *composition.KEYWORDS, *FURTHER_KEYWORDS.split()}


def write_package(name: str, kind: str, into: Path, level: str | None = None) -> Path:
    """Write a package with a part of this name; return its folder.

    Parameters
    ----------
    name : str
        In lower case, such as "vertex_cover" for the package ``gpu_ls_vertex_cover``.
    kind : str
        One of `KINDS`.
    into : Path
        The folder in which the package's folder is created; it is made if it does not exist.
    level : str, optional
        One of `LEVELS`, for an objective of sequences; by default "prefix".

    Raises
    ------
    InvalidParameterError
        The name is invalid or taken, the kind or the level is unknown, or the folder cannot be
        created.
    OSError
        The files cannot be written; none is left behind.
    """
    if kind not in KINDS:
        near = near_matches(kind, KINDS)
        raise InvalidParameterError(
            f"kind: {quoted(str(kind))} has no template; {near}known: {', '.join(KINDS)}"
        )
    if level is not None and kind != "objective":
        raise InvalidParameterError(f"level: a {kind} has no levels; leave it out")
    level = checks.choice("level", LEVEL if level is None else level, known=LEVELS)
    _check_name(name)
    folder = into / _distribution(name)
    if folder.exists() or folder.is_symlink():
        raise InvalidParameterError(
            f"into: {folder} exists already and is not overwritten; choose another name or "
            "another folder"
        )
    if into.exists() and not into.is_dir():
        raise InvalidParameterError(f"into: {into} is not a folder; choose another place")
    classes = "".join(word.capitalize() for word in name.split("_"))  # prefix of class names
    words = {"gpu-ls-example": _distribution(name), "example": name, "Example": classes}

    def filled(text: str) -> str:
        own = LEVEL_LINES.sub(lambda match: match[2] if level in match[1].split() else "", text)
        return PLACEHOLDER.sub(lambda match: words[match[0]], own)

    into.mkdir(parents=True, exist_ok=True)
    with beside(folder) as made:
        for template in sorted((TEMPLATES / kind).rglob("*.in")):
            path = made / filled(template.relative_to(TEMPLATES / kind).as_posix())
            file, text = path.with_suffix(""), filled(template.read_text(encoding="utf-8"))
            if not text:
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        made.rename(folder)
    return folder


def _check_name(name: str) -> None:
    """Raise unless a name is valid for a package, a part and C++, and not taken."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > MOST_LETTERS:
        raise InvalidParameterError(
            f"name: {quoted(name)} cannot name a package; use letters from a to z, digits after "
            f"them, and single underscores between words, at most {MOST_LETTERS} in all"
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
    """Return the name of the distribution, which is also the name of the folder."""
    return f"gpu-ls-{name.replace('_', '-')}"
