"""Heuristics written as expressions, which are translated to C++."""

from __future__ import annotations

import ast
import keyword
import re
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.problem.assignment import MOST_VALUES
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.text import quoted, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

SCALARS = {"variable": "gls::int64(variable)", "value": "gls::int64(value)"}
# The functions of expressions: name in C++, number of arguments, parameters and result. The C++
# functions evaluate each argument only once.
FUNCTIONS = {
    "min": ("min_of", 2, "gls::int64 a, gls::int64 b", "b < a ? b : a"),
    "max": ("max_of", 2, "gls::int64 a, gls::int64 b", "a < b ? b : a"),
    "abs": ("abs_of", 1, "gls::int64 a", "a < 0 ? -a : a"),
}
CHAINS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}  # a chain of any number of terms is one level
DEEPEST = 100  # maximum number of levels; each adds up to two brackets, and compilers allow 256
LONGEST = 100_000  # maximum number of characters of an expression
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPERATORS: dict[type[ast.AST], str] = {
    ast.FloorDiv: "gls::floor_divide({}, {})", ast.Mod: "gls::floor_modulo({}, {})",
    ast.USub: "-{}", ast.UAdd: "{}", ast.Not: "{} == 0",
    ast.Lt: "{} < {}", ast.LtE: "{} <= {}", ast.Gt: "{} > {}", ast.GtE: "{} >= {}",
    ast.Eq: "{} == {}", ast.NotEq: "{} != {}", ast.And: " && ", ast.Or: " || ",
}  # fmt: skip


class Expression(Heuristic):
    """A heuristic written as an integer expression, such as ``"room[value] - load[value]"``.

    The result of the expression is the weight of a value. Names are `variable`, `value`, the
    tables, and ``load[value]``, the number of variables that have the value in the current state.
    Operators are ``+ - * // %``, comparisons, which yield 1 or 0, ``and or not``, ``a if b else c``
    and ``min max abs``. Numbers have 64 bits. A result below 0 means weight 0, and a result above
    2**32 - 1 means weight 2**32 - 1. A table is 0 outside its bounds. A number divided by 0 is 0,
    and the remainder is the number itself. Brackets, calls and operators may be nested 100 deep;
    sums and products may have any number of terms.

    Parameters
    ----------
    text : str
        The expression.
    variables, values : int
        Number of variables, and number of values of each variable.
    **tables : array_like of 64-bit integers, one or two axes
        Read as ``table[value]`` or ``table[variable, value]``. Copied. Names consist of English
        letters, digits and underscores.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of another type, or a part of the text is not allowed. The
        message names the parameter or the part.
    """

    name = "expression"
    header = "assignment/heuristics/expression.cuh"

    def __init__(self, text: str, variables: int, values: int, **tables: ArrayLike) -> None:
        self.text = checks.text("text", text)
        self.variables = checks.integer("variables", variables, least=1, most=checks.MOST_INT)
        self.values = checks.integer("values", values, least=1, most=MOST_VALUES)
        self.tables = {name: _table(name, given) for name, given in tables.items()}
        self._code = _translated(self.text, {k: t.ndim for k, t in self.tables.items()})

    def __repr__(self) -> str:
        return f"Expression({self.text!r}, {self.variables}, {self.values})"

    def sizes(self, problem: Problem | None) -> NDArray[Any]:
        return np.full(self.variables, self.values)

    def functor(self) -> str:
        """Return the C++ type; its name differs for each text and each list of table names."""
        named = repr((self._code, list(self.tables)))
        return f"Expression_{sha256(named.encode()).hexdigest()[:16]}"

    def source(self) -> str:
        name = self.functor()
        fields = "".join(f"  gls::Table table_{name};\n" for name in self.tables)
        functions = "".join(
            f"  GLS_DEVICE static gls::int64 {called}({taken}) {{ return {result}; }}\n"
            for called, _, taken, result in FUNCTIONS.values()
            if f"{called}(" in self._code
        )
        made = "".join(
            f", table_{name}(words, {number})" for number, name in enumerate(self.tables)
        )
        return f"""
struct {name} : gls::CountsValues {{
{fields}
  GLS_DEVICE explicit {name}(const gls::uint64* words)
      : gls::CountsValues(words){made} {{}}
{functions}
  GLS_DEVICE gls::int64 rate(const gls::State& state, int variable, int value) const {{
    return {self._code};
  }}
}};
"""

    def words(self, backend: Backend, problem: Problem | None) -> list[Any]:
        """Return the number of values, and each table with its rows and columns."""
        words = in_order(Expression.header, "ExpressionData", {"values": self.values})
        for table in self.tables.values():
            rows, columns = (1, *table.shape)[-2:]
            data = {"items": table, "rows": rows, "columns": columns}
            words += in_order(Expression.header, "TableData", data)
        return words

    def kept_bytes(self, problem: Problem | None) -> int:
        """Return the size in bytes of one count per value."""
        return 4 * self.values


def _table(name: str, given: ArrayLike) -> NDArray[np.int64]:
    taken = name in {*SCALARS, *FUNCTIONS, "load"} or keyword.iskeyword(name)
    if taken or not NAME.fullmatch(name):
        shown = name if name.isidentifier() else quoted(name)
        raise InvalidParameterError(f"{shown}: a table cannot have this name; choose another one")
    checks.unmasked(name, given)
    array = np.asarray(given)
    if array.ndim not in (1, 2) or array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"{name}: {array.dtype} of shape {array.shape} are not integers with one or two axes"
        )
    if array.size and array.max() >= 2**63:
        raise InvalidParameterError(
            f"{name}: {array.max()} does not fit into 64 bits; scale it down"
        )
    return np.array(array, np.int64, order="C")


def _translated(text: str, axes: dict[str, int]) -> str:
    """Translate an expression to C++; `axes` maps the name of each table to its number of axes."""
    if len(text) > LONGEST:
        raise InvalidParameterError(f"text: has {len(text):,} characters; {LONGEST:,} are allowed")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (RecursionError, MemoryError) as error:  # the text exceeds a limit of the parser
        raise _too_deep(text) from error
    except (SyntaxError, ValueError) as error:
        reason = shortened(error)
        raise InvalidParameterError(
            f"text: {quoted(text)} is not an expression: {reason}"
        ) from error
    if _depth(tree.body) > DEEPEST:
        raise _too_deep(text)
    return _code(tree.body, axes)


def _too_deep(text: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"text: {quoted(text)} is nested more than {DEEPEST} deep; put parts of it into tables"
    )


def _depth(tree: ast.expr) -> int:
    """Return how many levels an expression has; a sum or product counts as one."""
    deepest, left = 1, [(tree, 1)]
    while left:
        node, depth = left.pop()
        deepest = max(deepest, depth)
        terms = [term for _, term in _chain(node)]
        inner = terms or [
            child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
        ]
        left += [(child, depth + 1) for child in inner]
    return deepest


def _chain(node: ast.expr) -> list[tuple[str, ast.expr]]:
    """Return the terms of a sum or the factors of a product, each with its operator."""
    terms: list[tuple[str, ast.expr]] = []
    kinds = (ast.Mult,) if _is(node, ast.Mult) else (ast.Add, ast.Sub)
    while isinstance(node, ast.BinOp) and isinstance(node.op, kinds):
        terms.append((CHAINS[type(node.op)], node.right))
        node = node.left
    return [("", node), *reversed(terms)] if terms else []


def _is(node: ast.expr, kind: type[ast.operator]) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, kind)


def _code(node: ast.expr, axes: dict[str, int]) -> str:
    inner = partial(_code, axes=axes)
    match node:
        case ast.Constant(value=int() as number) if abs(number) < 2**63:
            return f"gls::int64({int(number)})"
        case ast.Name(id=name) if name in SCALARS:
            return SCALARS[name]
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            return _item(name, index, axes)
        case ast.BinOp(op=op) if type(op) in CHAINS:
            return f"({' '.join(f'{sign} {inner(term)}' for sign, term in _chain(node)).strip()})"
        case ast.BinOp(left=a, op=op, right=b) if type(op) in OPERATORS:
            return f"({OPERATORS[type(op)].format(inner(a), inner(b))})"
        case ast.UnaryOp(op=op, operand=a) if type(op) in OPERATORS:
            return f"gls::int64({OPERATORS[type(op)].format(inner(a))})"
        case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in OPERATORS:
            return f"gls::int64({OPERATORS[type(op)].format(inner(a), inner(b))})"
        case ast.BoolOp(op=op, values=values):
            return f"gls::int64({OPERATORS[type(op)].join(f'({inner(v)} != 0)' for v in values)})"
        case ast.IfExp(test=test, body=a, orelse=b):
            return f"({inner(test)} != 0 ? {inner(a)} : {inner(b)})"
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _called(node, name, args, inner)
    return _refuse(node)


def _item(name: str, index: ast.expr, axes: dict[str, int]) -> str:
    indices = index.elts if isinstance(index, ast.Tuple) else [index]
    written = ", ".join(_code(one, axes) for one in indices)
    if name == "load" and len(indices) == 1:
        return f"this->load(state, {written})"
    if axes.get(name) == len(indices):
        return f"table_{name}.at({written})"
    known = ", ".join([*axes, "load"])
    raise InvalidParameterError(
        f"text: {shortened(name)}[...] with {len(indices)} indices does not read a table; the "
        f"tables are {known}, and each axis needs an index"
    )


def _called(
    node: ast.expr, name: str, args: Collection[ast.expr], inner: Callable[[ast.expr], str]
) -> str:
    called, count, *_ = FUNCTIONS.get(name, ("", -1))
    return f"{called}({', '.join(map(inner, args))})" if len(args) == count else _refuse(node)


def _refuse(node: ast.expr) -> NoReturn:
    raise InvalidParameterError(
        f"text: {quoted(ast.unparse(node))} is not allowed in an expression; use integers, "
        "variable, value, load[...], tables, + - * // %, comparisons of two, and, or, not, "
        "a if b else c, min and max of two, abs"
    )
