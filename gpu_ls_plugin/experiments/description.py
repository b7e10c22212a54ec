"""Descriptions of objects as text. Equal settings have equal descriptions."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import re
import types
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from gpu_ls_plugin.core.problem import Problem

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
CACHES = {"cache"}  # attributes that are not settings
LABELS = {"name", "comment", "optimum"}  # attributes of problems that do not affect costs
DEPTH = 6  # objects within each other that `brief` shows
AROUND = 30  # characters shown on each side of a difference


def describe(value: object) -> str:
    """Return a text that describes an object and all its attributes.

    Different settings have different texts. The text does not depend on memory addresses, caches,
    the order of sets, or the name, comment and optimum of problems. Classes and functions that can
    be imported are described by name, without their code.
    """
    return _describe(value, ())


def brief(value: Any, depth: int = DEPTH) -> str:
    """Return a short text for readers: the call that makes an object, without default arguments.

    The value of an argument is read from the attribute of the same name of the object, or else of
    an object that it holds. Arguments without such an attribute are not shown. To find defaults,
    the function makes an object without arguments, if the class allows it.
    """
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"array{value.shape}"
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        return value.__qualname__.replace(".<locals>", "")
    if depth == 0:
        return "..."
    if isinstance(value, list | tuple | Set):
        return f"[{', '.join(brief(item, depth - 1) for item in value)}]"
    arguments, kind = _arguments(value), type(value)
    try:
        defaults = _arguments(kind())
    except Exception:  # it has arguments without defaults
        bases = [inspect.signature(base).parameters for base in reversed(kind.__mro__[:-1])]
        defaults = {name: base[name].default for base in bases for name in base}
    texts = [
        f"{name}={brief(item, depth - 1)}"
        for name, item in arguments.items()
        if name not in defaults or describe(item) != describe(defaults[name])
    ]
    return f"{kind.__name__}({', '.join(texts)})"


def _arguments(value: Any) -> dict[str, Any]:
    """Return the arguments that made an object, as far as it has attributes with their names."""
    own = _attributes(value)
    inner = [_attributes(item) for item in own.values() if not isinstance(item, PLAIN)]
    known = {name.removeprefix("_"): it for held in (*inner, own) for name, it in held.items()}
    for name, item in known.items():
        if hasattr(item, "vtype") and hasattr(item, "value"):  # pymoo's Real, for tuning
            known[name] = item.value
    names = dict.fromkeys(inspect.signature(type(value)).parameters)
    for base in type(value).__mro__[1:-1]:  # parameters that **kwargs may take
        for name in inspect.signature(base).parameters:
            if isinstance(known.get(name, ...), PLAIN[:-1]):
                names.setdefault(name)
    return {name: known[name] for name in names if name in known}


def fingerprint(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def first_difference(there: str, here: str) -> str:
    """Return the first argument that differs between two descriptions, or excerpts around it."""
    pairs = enumerate(zip(there, here, strict=False))
    shorter = min(len(there), len(here))
    start = next((index for index, (one, other) in pairs if one != other), shorter)
    arguments = [_argument(text, start) for text in (there, here)]
    if not all("=" in text and len(text) <= 2 * AROUND for text in arguments):
        arguments = [_excerpt(text, start) for text in (there, here)]
    return f"{arguments[0]} there, {arguments[1]} here"


def _argument(text: str, place: int) -> str:
    """Return the part of a description between the brackets or commas around a place."""
    return re.split(r"[(,] ?", text[:place])[-1] + re.split(r"[(),]", text[place:])[0]


def _excerpt(text: str, place: int) -> str:
    begin, end = max(0, place - AROUND), place + AROUND
    return f"{'...' * (begin > 0)}{text[begin:end]}{'...' * (end < len(text))}"


def _describe(value: Any, holders: tuple[int, ...]) -> str:
    if isinstance(value, np.generic):  # before PLAIN, since float64 is a float
        return repr(value.item())
    if isinstance(value, PLAIN):
        return repr(value)
    if id(value) in holders:  # the object contains itself
        return f"<holder {holders[::-1].index(id(value))}>"
    inner = functools.partial(_describe, holders=(*holders, id(value)))
    match value:
        case np.ndarray():
            return _array(value, inner)
        case list() | tuple():
            return f"{_name(type(value))}({', '.join(map(inner, value))})"
        case Set():
            return f"{_name(type(value))}({', '.join(sorted(map(inner, value)))})"
        case Mapping():
            return _fields(type(value), {inner(key): item for key, item in value.items()}, inner)
        case type() | types.BuiltinFunctionType() | types.ModuleType():
            return _name(value)
        case types.FunctionType():
            return _function(value, inner)
        case types.MethodType():
            return f"{inner(value.__self__)}.{inner(value.__func__)}"
        case functools.partial():
            return f"partial({inner(value.func)}, {inner(value.args)}, {inner(value.keywords)})"
    return _object(value, inner)


def _object(value: Any, inner: Any) -> str:
    if dataclasses.is_dataclass(value) and not isinstance(value, Problem):
        settings = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.compare}
    else:
        made = {name for kind in type(value).__mro__ for name in _computed(kind)}
        if isinstance(value, Problem):
            made |= LABELS
        settings = {name: item for name, item in _attributes(value).items() if name not in made}
    return _fields(type(value), settings, inner)


def _attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, in slots or not."""
    slots = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return held | getattr(value, "__dict__", {})


def _computed(kind: type) -> list[str]:
    """Return the names of the cached properties of a class."""
    return [
        name for name, item in vars(kind).items() if isinstance(item, functools.cached_property)
    ]


def _fields(kind: type, settings: Mapping[str, object], inner: Any) -> str:
    rows = (f"{name}={inner(settings[name])}" for name in sorted(settings) if name not in CACHES)
    return f"{_name(kind)}({', '.join(rows)})"


def _array(value: Any, inner: Any) -> str:
    if value.dtype.hasobject:
        return f"array{value.shape}({inner(value.tolist())})"
    data = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
    return f"array{value.shape}({value.dtype.str}, {data})"


def _function(value: Any, inner: Any) -> str:
    """Return a function's name; if it cannot be imported, also its code and closure."""
    if value.__module__ != "__main__" and "<" not in value.__qualname__:
        return _name(value)
    code = hashlib.sha256(_code(value.__code__).encode()).hexdigest()[:16]
    held = inspect.getclosurevars(value).nonlocals if value.__closure__ else {}
    return f"{_name(value)}({code}, {inner(value.__defaults__)}, {inner(held)})"


def _code(code: types.CodeType) -> str:
    inside = [_code(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {' '.join(inside)}"


def _name(value: Any) -> str:
    name = getattr(value, "__qualname__", getattr(value, "__name__", type(value).__qualname__))
    module = getattr(value, "__module__", "")
    return name if module in ("builtins", "", None) else f"{module}.{name}"
