"""``repr`` of the adapters' operators and algorithms: the call that creates the object."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from typing import Any

LONGEST = 60  # values with more characters than this are shown only by their name or type

_MISSING = object()


class ShownParameters:
    """Shows an object by its class and the parameters that differ from their defaults.

    The value of a parameter is read from an attribute of the same name, with or without a leading
    underscore: an attribute of the object, or of a dataclass that the object holds. A parameter
    without such an attribute is not shown.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(_given(self))})"


def _given(of: object) -> list[str]:
    """Return the string "name=value" for each parameter that differs from its default."""
    held = vars(of)
    spaces = [vars(part) for part in held.values() if is_dataclass(part)]
    known = {name.removeprefix("_"): it for space in (*spaces, held) for name, it in space.items()}
    texts = []
    for name, parameter in inspect.signature(type(of)).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        value = known.get(name, _MISSING)
        if hasattr(value, "vtype") and hasattr(value, "value"):  # pymoo's Real, for tuning
            value = value.value
        if value is _MISSING or value is parameter.default or _is_default(value, parameter.default):
            continue
        texts.append(f"{name}={_text(value)}")
    return texts


def _is_default(value: Any, default: Any) -> bool:
    text = _text(value)
    return type(value) is type(default) and not text.startswith("<") and text == _text(default)


def _text(value: Any) -> str:
    """Return a short string for a value, without memory addresses."""
    if hasattr(value, "shape"):
        return f"<{type(value).__name__} {tuple(value.shape)}>"
    text = repr(value)
    if " at 0x" in text or len(text) > LONGEST:
        return f"<{getattr(value, '__name__', type(value).__name__)}>"
    return text
