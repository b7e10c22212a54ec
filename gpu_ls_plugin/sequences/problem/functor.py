"""The C++ struct of an objective, with its fields set from the objective's data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import FaultyPartError, InvalidTypeError

if TYPE_CHECKING:
    from gpu_ls_plugin.sequences.problem.objective import SequenceObjective

CONTRACT = "sequences/problem/contract.cuh"  # included before an objective
FILLED = "SequenceObjectiveFilled"  # the struct that derives from the author's
FIELD_TYPES = {
    "int32": "const int*",
    "int64": "const gls::int64*",
    "uint8": "const unsigned char*",
    "uint16": "const gls::uint16*",
    "float32": "const float*",
    "float64": "const double*",
}


def fields_of(objective: SequenceObjective) -> dict[str, Any]:
    """Return the values of the struct's fields by name: NumPy arrays, int and float."""
    functor, data = objective.functor(), objective.data()
    if not isinstance(data, Mapping):
        raise InvalidTypeError(
            f"data: {data!r:.80} of {functor} is not a dict of the fields' values by name"
        )
    for name, value in data.items():
        if not (isinstance(name, str) and name.isidentifier()):
            raise InvalidTypeError(f"data: {name!r} of {functor} cannot name a field of a struct")
        if isinstance(value, np.ndarray):
            if value.dtype.name not in FIELD_TYPES:
                raise InvalidTypeError(
                    f"data: {name!r} of {functor} has type {value.dtype}, which kernels cannot "
                    f"read; use one of {', '.join(FIELD_TYPES)}"
                )
        elif isinstance(value, bool) or not isinstance(value, (int, float, np.integer)):
            raise InvalidTypeError(
                f"data: {name!r} of {functor} is {value!r:.80}; fields are NumPy arrays, int or "
                "float"
            )
    return {
        name: int(value) if isinstance(value, np.integer) else value for name, value in data.items()
    }


def filled(objective: SequenceObjective) -> str:
    """Return C++ that fills the fields of an objective from words, and checks their types.

    Fields that `data` does not name are 0.
    """
    functor = objective.functor()
    if not (objective.source() or objective.header):
        raise FaultyPartError(
            f"objective: functor() of {objective.name!r} returns {functor!r}, but source() is "
            "empty; return the C++ text that defines this struct"
        )
    lines = []
    for place, (name, value) in enumerate(fields_of(objective).items()):
        lines.append(_type_check(name, value))
        lines.append(f"    gls::sequences::set_field(this->{name}, words[{place}]);")
    body = "\n".join(filter(None, lines))
    cost = "gls::int64" if objective.integer else "double"
    return (
        f"template struct gls::sequences::Contract<{functor}, {cost}>;\n"
        f"struct {FILLED} : {functor} {{\n  explicit GLS_DEVICE {FILLED}"
        f"(const gls::uint64* words) : {functor}() {{\n{body}\n  }}\n}};\n"
    )


def _type_check(name: str, value: Any) -> str:
    """Return C++ that fails to compile unless a field has the type of its value."""
    if isinstance(value, np.ndarray):
        wanted = FIELD_TYPES[value.dtype.name]
    elif isinstance(value, float):
        wanted = "double"
    elif abs(value) < 2**31:
        return ""  # the field may be an int or an int64
    else:
        wanted = "gls::int64"
    return (
        f"    static_assert(gls::sequences::kSame<decltype(this->{name}), {wanted}>, "
        f'"data() gives {name} as {wanted}: declare the field so");'
    )
