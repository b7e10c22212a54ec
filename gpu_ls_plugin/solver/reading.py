"""Reads problems from files; the content of a file determines its kind."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.runs.domain import NO, Content, FileKind, of_each

if TYPE_CHECKING:
    import os

    from gpu_ls_plugin.core.problem import Problem


def file_kinds() -> dict[str, FileKind]:
    """Return the kinds of files of all domains by name."""
    return {kind.name: kind for kinds in of_each(lambda own: own.files()) for kind in kinds}


def read_problem(
    path: str | os.PathLike[str],
    *,
    kind: str | None = None,
    optimum: float | None = None,
    **options: Any,
) -> Problem:
    """Read a problem from a file of TSPLIB, CVRPLIB, DIMACS, OR-Library, QAPLIB, LOLIB and others.

    Parameters
    ----------
    kind : str, optional
        Name of a kind of file, such as "tsp", "cvrp", "col", "gap", "qap", "fsp" or "lop"; by
        default, `kind_of` determines it.
    optimum : float, optional
        The best cost, or the highest profit if profits are maximised.
    **options
        Options of a kind of file; None is ignored. Vehicle routing has `vehicles` and `rounding`,
        graph colouring `colours` (by default, a single one), generalised assignment `which` and
        `sense`, flow shops `objective`.

    Raises
    ------
    InvalidParameterError
        The kind is unknown, or an option belongs to another kind.
    GpuLsError, OSError
        Raised by the reader.
    """
    file, kinds = Path(path), file_kinds()
    name = kind_of(file) if kind is None else kind
    if name not in kinds:
        raise InvalidParameterError(f"kind: {kind!r:.80} is not one of {', '.join(kinds)}")
    chosen = kinds[name]
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in chosen.options:
            owners = [kind.title for kind in kinds.values() if name in kind.options]
            use = f"for {owners[0]}s" if owners else "unknown"
            raise InvalidParameterError(
                f"{name}: {file} is a {chosen.title}; the option is {use}, leave it out"
            )
    return chosen.read(file, optimum=optimum, **given)


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return the name of a file's kind: its content decides, and its extension breaks ties."""
    file, kinds = Path(path), list(file_kinds().values())
    content = Content(file, file.read_bytes().removeprefix(BOM_UTF8))
    scores = [NO if b"\0" in content.data else kind.fits(content) for kind in kinds]
    best = [kind for kind, score in zip(kinds, scores, strict=True) if score == max(scores)]
    by_suffix = (kind for kind in best if file.suffix.lower() in kind.suffixes)
    return next(by_suffix, best[0]).name
