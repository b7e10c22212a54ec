"""The registry of parts, by kind and name: plugins register parts, and searches look them up."""

from __future__ import annotations

import difflib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.exceptions import (
    DuplicatePartError,
    InvalidParameterError,
    InvalidTypeError,
    UnknownPartError,
)
from gpu_ls_plugin.core.former_parts import replacement_by_text
from gpu_ls_plugin.core.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

KINDS = (
    *("domain", "metric", "objective", "resource", "heuristic", "candidates", "construction"),
    *("neighbourhood", "filter", "pivoting", "perturbation", "acceptance", "recombination"),
    *("cooperation", "sequence_move", "sequence_kick", "search"),
)


@dataclass(frozen=True)
class Part:
    """A registered part: its kind and name, its factory, and the plugin that owns it."""

    kind: str
    name: str
    factory: Callable[..., Any]
    owner: str


class Registry:
    """Parts by kind and name. Each look-up first calls `loader`, which loads the plugins.

    `failed` has the names of the plugins that failed to load: they may have the part that a look-up
    does not find.

    The registry does not import the plugin manager, which belongs to an upper layer, so problems
    can use it to look up metrics by name.
    """

    def __init__(self, loader: Callable[[], object] | None = None) -> None:
        self.loader = loader
        self.failed: list[str] = []
        self._parts: dict[tuple[str, str], Part] = {}

    def register(self, part: Part) -> None:
        """Add a part; raise if its kind is unknown, its name is taken or a type is wrong."""
        if part.kind not in KINDS:
            raise InvalidParameterError(
                f"kind: {part.kind!r} is not a kind of part; known kinds: {', '.join(KINDS)}"
            )
        if not isinstance(part.name, str):
            raise InvalidTypeError(f"name: {part.name!r} is not a string; a {part.kind} needs one")
        if not callable(part.factory):
            raise InvalidTypeError(
                f"factory: {part.factory!r} of {part.kind} {part.name!r} cannot be called; pass "
                "the class or function, not what it returns"
            )
        other = self._parts.get((part.kind, part.name))
        if other is not None:
            raise DuplicatePartError(
                f"{part.kind} {part.name!r} is already registered by plugin {other.owner!r}; "
                f"plugin {part.owner!r} must choose another name"
            )
        self._parts[part.kind, part.name] = part

    def remove_owner(self, owner: str) -> None:
        """Remove all parts of a plugin, for example if the plugin failed while registering them."""
        self._parts = {key: part for key, part in self._parts.items() if part.owner != owner}

    def lookup(self, kind: str, name: str) -> Callable[..., Any]:
        """Return the factory of a part; raise, with similar names, if the name is unknown.

        For a former name, warn and return the replacement's factory; raise if nothing replaces it.
        """
        known = {part.name: part.factory for part in self.parts(kind)}
        if name in known:
            return known[name]
        if (former := replacement_by_text(name)) is not None:
            replacement, message = former
            if replacement not in known:
                raise UnknownPartError(f"{kind}: {message}")
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return known[replacement]
        called = str(name).partition("(")[0]
        if called != name and called in known:
            raise UnknownPartError(
                f"{kind}: a name takes no arguments here, so {quoted(str(name))} is not found; "
                f"pass the part itself, such as {getattr(known[called], '__name__', called)}(...)"
            )
        raise UnknownPartError(
            f"{kind}: no {kind} is called {quoted(str(name))}; {self.failures()}"
            f"{near_matches(name, known)}known: {', '.join(sorted(known))}"
        )

    def failures(self) -> str:
        """Return "plugin ... failed to load; ", or an empty string if none failed."""
        each = (f"plugin {name!r} failed to load: see gpu-ls plugins; " for name in self.failed)
        return "".join(each)

    def parts(self, kind: str | None = None) -> Iterator[Part]:
        """Iterate over the parts of a kind, or of all kinds, in the order of registration."""
        if self.loader is not None:
            self.loader()
        parts = list(self._parts.values())
        return iter(parts if kind is None else [part for part in parts if part.kind == kind])


def near_matches(name: object, known: Iterable[str]) -> str:
    """Return "did you mean ...? " with similar names, or an empty string if there are none."""
    near = difflib.get_close_matches(str(name), list(known), n=3, cutoff=0.4)
    return f"did you mean {' or '.join(map(repr, near))}? " if near else ""


registry = Registry(lambda: upper_layers.load_plugins())
