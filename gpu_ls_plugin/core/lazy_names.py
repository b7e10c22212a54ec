"""Public names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.core.former_parts import former_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    package: str,
    homes: Mapping[str, str],
    framework: str | None = None,
    former: Callable[[str, str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose ``__name__`` is `package`.

    Importing the package then costs almost nothing, and an adapter can be imported without its
    `framework`, which has an extra of the same name: MissingExtraError says when it is needed.
    `homes` has the module in which each public name is defined: ``".room"`` for a package beside
    this one, empty for a name that is itself a module of the package, ``"module."`` for another
    name of a module. `former` is asked for other names, with the package in front.
    """

    def get(name: str) -> Any:
        if name not in homes:
            if (part := former_part(package, name)) is not None:
                return part
            if former is not None:
                return former(package, name)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        try:
            module = importlib.import_module(f".{home.removesuffix('.') or name}", package)
        except ModuleNotFoundError as error:
            if framework is None or (error.name or "").partition(".")[0] != framework:
                raise
            raise MissingExtraError(
                f'{name}: {framework} is not installed: pip install "gpu-ls-plugin[{framework}]"'
            ) from error
        value = module if home.endswith(".") or not home else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
