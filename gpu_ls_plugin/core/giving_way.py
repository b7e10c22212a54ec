"""Classes that return an object of another class for some arguments."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = TypeVar("Kind", bound=type)


def giving_way(to: Callable[..., Any]) -> Callable[[Kind], Kind]:
    """Return a decorator of classes.

    A call of the class returns ``to(...)``, given the same arguments, unless that is None.
    """

    def decorate(kind: Kind) -> Kind:
        def new(cls: Any, *given: Any, **options: Any) -> Any:
            other = to(*given, **options)
            return object.__new__(cls) if other is None else other

        kind.__signature__ = _OfClass(inspect.signature(kind))  # type: ignore[attr-defined]
        kind.__new__ = new  # type: ignore[assignment]
        return kind

    return decorate


class _OfClass:
    """The signature of a class, which its instances do not have."""

    def __init__(self, signature: inspect.Signature) -> None:
        self._signature = signature

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        return self._signature
