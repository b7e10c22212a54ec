"""Strings that describe searches, for the command line and for adapters.

::

    two_opt+or_opt(2)/quadrant(10)/first    neighbourhoods / candidates / pivoting
    two_opt/best                            default candidates
    or_opt/quadrant(8)|nearest(5)           the union of two candidate sets
    local_search                            a registered search
    LocalSearch([TwoOpt()], candidates=All(), pivoting=Best(), moves_per_pass=8)
    iterated_local_search(lin_kernighan(3)/alpha(5), double_bridge(50), better)
    filtered_neighbourhood(three_opt, gain_bound & ~dont_look | radius(100))/best
    insertion(3)+swap                       moves of sequences
    sequence_search([insertion], destroy_repair(4), better)

``gpu-ls operators`` lists the names of parts; class names may replace them. Arguments are literals
or parts. A search within a search may have any of these forms. ``&``, ``|`` and ``~`` combine
filters, with the precedence of Python. The string is parsed as Python, but not evaluated: it can
only create parts.
"""

from __future__ import annotations

import ast
import inspect
import operator
from dataclasses import fields
from functools import reduce
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.engines.successor_search import SuccessorSearch
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError, UnknownPartError
from gpu_ls_plugin.core.registry import KINDS, registry
from gpu_ls_plugin.core.text import quoted, snake_case
from gpu_ls_plugin.sequences.searches.sequence_search import SequenceSearch
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.candidates.union import Union
from gpu_ls_plugin.tours.engines.pivoting import Best, RandomK
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.tours.candidates.base import Candidates

FORM = "neighbourhoods/candidates/pivoting, such as two_opt+or_opt(2)/quadrant(10)/first"
OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.BitOr: "|", ast.Div: "/"}
LONGEST = 1000  # maximum number of characters of a search
# Kinds of parts by argument, for the arguments that are not named after a kind.
KIND_OF_ARGUMENT = {
    "neighbourhoods": "neighbourhood",
    "accept": "acceptance",
    "moves": "sequence_move",
    "kick": "sequence_kick",
}
MOVES = ("neighbourhood", "sequence_move")  # kinds of parts that + joins
# Operators that combine parts of a kind.
JOINS: dict[str, dict[type[ast.operator | ast.unaryop], Callable[..., Any]]] = {
    "candidates": {ast.BitOr: operator.or_},
    "filter": {ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.Invert: operator.invert},
}
HINTS = {"candidates": " (join candidate sets with |)", "filter": " (join filters with &, | and ~)"}


def parse_search(text: str) -> Callable[..., Any]:
    """Return the search that a string describes.

    Missing parts have the defaults of `LocalSearch`, with three exceptions: candidates are
    ``Alpha(5)`` for `LinKernighan`, whose chains need good candidates; they are ``All()`` for
    `RandomK`; and the pivoting rule of a `FilteredNeighbourhood` is ``Best()``.

    Parameters
    ----------
    text : str
        In the format that this module describes.

    Returns
    -------
    callable
        A search that improves given tours, such as a `LocalSearch`.

    Raises
    ------
    InvalidTypeError
        `text` is not a string, or an argument of a part has the wrong type.
    InvalidParameterError
        The string cannot be read, an argument is out of range, or parts cannot be combined.
    UnknownPartError
        No part of that name is registered; the message lists similar names.
    """
    try:
        return _search(_syntax(text))
    except RecursionError:
        raise InvalidParameterError(f"search: nested too deeply; write {FORM}") from None


def search_of(given: object) -> Callable[..., Any]:
    """Return a search, given itself or as a string; raise InvalidTypeError for anything else."""
    search = parse_search(given) if isinstance(given, str) else given
    if isinstance(search, type) or not callable(search):
        raise InvalidTypeError(f"search: {search!r} is not a search; write {FORM}")
    return search


def improving(search: object, written: object) -> Callable[..., Any]:
    """Return a search; raise unless it is called like `LocalSearch`. Messages show `written`."""
    if not callable(search) or isinstance(search, type):
        raise InvalidTypeError(
            f"search: {written!r} is neither a search nor a text for one; pass for example "
            f"gpu_ls_plugin.LocalSearch(), or {FORM}"
        )
    try:
        inspect.signature(search).bind("problem", "tours", seed=0, budget=None, backend="auto")
    except ValueError:  # a callable without a signature
        return search
    except TypeError:
        raise InvalidParameterError(
            f"search: {written!r} does not improve given tours; use one that is called as "
            "search(problem, tours, seed=..., budget=..., backend=...), such as local_search"
        ) from None
    return search


def text_of(search: object) -> str:
    """Return a search as a string that `parse_search` can read if its parts are registered."""
    if isinstance(search, IteratedLocalSearch):
        kick = [] if search.perturbation is None else [str(search.perturbation)]
        accept = str(search.accept) if kick else f"accept={search.accept}"
        others = _chosen(search, 3)  # without the search, the perturbation and the acceptance rule
        return f"IteratedLocalSearch({', '.join([text_of(search.search), *kick, accept, *others])})"
    if isinstance(search, (SuccessorSearch, SequenceSearch)):
        return f"{type(search).__name__}({', '.join(_chosen(search))})"
    if not isinstance(search, LocalSearch):
        return str(search)
    moves, lists = "+".join(map(str, search.neighbourhoods)), _text_of_candidates(search.candidates)
    short = f"{moves}/{lists}/{search.pivoting}"
    plain = LocalSearch(search.neighbourhoods, search.candidates, search.pivoting)
    return short if search == plain else str(search)


def _chosen(
    search: IteratedLocalSearch | SuccessorSearch | SequenceSearch, first: int = 0
) -> list[str]:
    """Return the arguments that are not defaults, except for the first `first` arguments."""
    return [
        f"{field.name}={getattr(search, field.name)!r}"
        for field in fields(search)[first:]
        if getattr(search, field.name) != field.default
    ]


def _text_of_candidates(candidates: Candidates | str) -> str:
    if isinstance(candidates, Union):
        return "|".join(map(_text_of_candidates, (candidates.first, candidates.second)))
    return str(candidates)


def _syntax(text: str) -> ast.expr:
    if not isinstance(text, str):
        raise InvalidTypeError(f"search: {text!r} is not a string; write {FORM}")
    if len(text) > LONGEST:
        raise InvalidParameterError(f"search: more than {LONGEST:,} characters; write {FORM}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidParameterError(
            f"search: {quoted(text)} cannot be read; write {FORM}"
        ) from None


def _search(tree: ast.expr) -> Callable[..., Any]:
    """Make the search that an expression describes."""
    (first, *others) = _groups(tree)
    alone = len(first) == 1 and not others
    if alone and _kind(first[0], *MOVES, "search") == "search":
        return improving(_part(first[0], "search"), ast.unparse(tree))
    return _composed(first, others)


def _groups(tree: ast.expr) -> list[list[ast.expr]]:
    """Split an expression at each "/", and each group at "+" or "|"."""
    groups: list[list[ast.expr]] = [[]]

    def walk(node: ast.expr) -> None:
        if not isinstance(node, ast.BinOp):
            groups[-1].append(node)
            return
        walk(node.left)
        sign = OPERATORS.get(type(node.op))
        if sign == "/":
            groups.append([])
        elif sign != ("+" if len(groups) == 1 else "|"):
            raise InvalidParameterError(
                f"search: {ast.unparse(node)!r} joins parts with a sign other than + between "
                f"neighbourhoods and | between candidate sets; write {FORM}"
            )
        walk(node.right)

    walk(tree)
    return groups


def _composed(moves: list[ast.expr], others: list[list[ast.expr]]) -> LocalSearch:
    """Return a local search with neighbourhoods, and with candidates and pivoting if given."""
    parts: dict[str, Any] = {}
    for group in others:
        kind = _kind(group[0], "candidates", "pivoting")
        if kind in parts or (kind == "pivoting" and len(group) > 1):
            raise InvalidParameterError(f"search: {kind} is given more than once; write {FORM}")
        parts[kind] = reduce(operator.or_, (_part(node, kind) for node in group))
    neighbourhoods = [_part(node, *MOVES) for node in moves]
    if isinstance(parts.get("pivoting"), RandomK):
        parts.setdefault("candidates", All())
    elif any(isinstance(part, LinKernighan) for part in neighbourhoods):
        parts.setdefault("candidates", Alpha(5))
    if any(isinstance(part, FilteredNeighbourhood) for part in neighbourhoods):
        parts.setdefault("pivoting", Best())
    return LocalSearch(neighbourhoods, **parts)


def _part(node: ast.expr, *kinds: str) -> Any:
    """Make the part, of one of the kinds, that a name or a call describes."""
    kind, factory = _find(_name(node), *kinds)
    parameters = inspect.signature(factory)
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    try:
        given = parameters.bind(*call.args, **{str(k.arg): k.value for k in call.keywords})
    except TypeError as error:
        raise InvalidParameterError(
            f"search: {ast.unparse(node)!r}: {error}; {_name(node)} takes "
            f"{', '.join(parameters.parameters) or 'nothing'}"
        ) from None
    for name, value in given.arguments.items():
        wanted = KIND_OF_ARGUMENT.get(name, name)
        given.arguments[name] = _argument(value, wanted if wanted in KINDS else kind)
    return factory(*given.args, **given.kwargs)


def _argument(node: Any, kind: str) -> Any:
    """Return a literal, a part of a kind, or a list of these."""
    if kind == "search" and isinstance(node, ast.Name | ast.Call | ast.BinOp):
        return _search(node)
    if isinstance(node, ast.List | ast.Tuple):
        return [_argument(item, kind) for item in node.elts]
    if isinstance(node, ast.Call):
        return _part(node, kind)
    if isinstance(node, ast.Name):
        try:
            return _part(node, kind)
        except UnknownPartError as error:
            reason = str(error).removeprefix("search: ")
            text = f"search: {node.id!r} is neither a literal nor a part: {reason}"
            raise UnknownPartError(text) from None
    if _join(node, kind) is not None:
        return _joined(node, kind)
    try:
        return ast.literal_eval(node)
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"search: {ast.unparse(node)!r} is neither a literal nor a part"
            f"{HINTS.get(kind, '')}; write {FORM}"
        ) from None


def _join(node: ast.expr, kind: str) -> Callable[..., Any] | None:
    """Return the function of an operator on parts of a kind, None if there is none."""
    if not isinstance(node, ast.BinOp | ast.UnaryOp):
        return None
    return JOINS.get(kind, {}).get(type(node.op))


def _joined(node: ast.expr, kind: str) -> Any:
    """Make the part that an expression of parts describes."""
    join = _join(node, kind)
    if join is None:
        return _part(node, kind)
    operands = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    return join(*(_joined(operand, kind) for operand in operands))


def _kind(node: ast.expr, *kinds: str) -> str:
    return _find(_name(node), *kinds)[0]


def _name(node: ast.expr) -> str:
    named = node.func if isinstance(node, ast.Call) else node
    if not isinstance(named, ast.Name):
        raise InvalidParameterError(f"search: {ast.unparse(node)!r} is not a part; write {FORM}")
    return named.id


def _find(name: str, *kinds: str) -> tuple[str, Callable[..., Any]]:
    """Return the kind and the factory of a part, given its registered name or its class's name."""
    reasons = {}
    for kind in kinds:
        for form in (name, snake_case(name)):
            try:
                return kind, registry.lookup(kind, form)
            except UnknownPartError as error:
                reasons[kind] = str(error)
    raise UnknownPartError("search: " + "; ".join(reasons.values()))
