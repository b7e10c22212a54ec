"""Removed and renamed parts keep their names for one release and say what to use instead."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import UnknownPartError
from gpu_ls_plugin.core.former_parts import REMOVED, RENAMED, RemovedPart, replacement_by_text
from gpu_ls_plugin.core.lazy_names import public_names
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.text import snake_case
from gpu_ls_plugin.plugins.search_text import parse_search

if TYPE_CHECKING:
    from collections.abc import Iterator

REMOVED_NAMES = [(package, name) for package, table in REMOVED.items() for name in table]
RENAMED_NAMES = [(package, name) for package, table in RENAMED.items() for name in table]


def module_of(package: str) -> Any:
    """The package, if its framework is installed."""
    if package != "gpu_ls_plugin":
        pytest.importorskip(package.removeprefix("gpu_ls_"))
    return importlib.import_module(package)


@pytest.mark.parametrize(("package", "name"), REMOVED_NAMES)
def test_a_removed_part_warns_and_gives_its_replacement_or_raises(package: str, name: str) -> None:
    module = module_of(package)
    part, (replacement, remedy) = getattr(module, name), REMOVED[package][name]
    assert part.__name__ == name
    assert name not in dir(module)
    assert name not in public_names(package)
    if replacement is None:
        with pytest.raises(UnknownPartError) as error:
            part()
        assert str(error.value) == f"{name} was removed: {remedy}"
        return
    with pytest.warns(DeprecationWarning, match=f"^{name} was removed: "):
        made = part(1, some="argument")
    assert type(made) is getattr(module, replacement)


@pytest.mark.parametrize(("package", "name"), RENAMED_NAMES)
def test_a_renamed_part_warns_and_is_the_part(package: str, name: str) -> None:
    module, present = module_of(package), RENAMED[package][name]
    with pytest.warns(DeprecationWarning, match=f"{name} is called {present} now"):
        part = getattr(module, name)
    assert part is getattr(module, present)
    assert name not in dir(module)
    assert name not in public_names(package)


def registered() -> Iterator[tuple[str, str]]:
    """Former text names with the present one, for each kind that has the present one."""
    names = [name for _, name in (*REMOVED_NAMES, *RENAMED_NAMES)]
    for text in map(snake_case, names):
        found = replacement_by_text(text)
        present = found[0] if found else None
        yield from ((text, part.kind) for part in registry.parts() if part.name == present)


def test_texts_know_former_names() -> None:
    for text, kind in registered():
        with pytest.warns(DeprecationWarning, match=f"^{text} "):
            factory = registry.lookup(kind, text)
        present, _ = replacement_by_text(text) or (None, "")
        assert factory is registry.lookup(kind, str(present))


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two removed parts and a renamed one that the library never had."""
    monkeypatch.setitem(
        REMOVED["gpu_ls_plugin"], "OldEdges", RemovedPart("Migration", "use Migration()")
    )
    monkeypatch.setitem(REMOVED["gpu_ls_plugin"], "OldMove", RemovedPart(None, "use TwoOpt()"))
    monkeypatch.setitem(RENAMED["gpu_ls_plugin"], "Wander", "Migration")


@pytest.mark.usefixtures("gone")
def test_the_table_works() -> None:
    for name in ("OldEdges", "OldMove"):
        test_a_removed_part_warns_and_gives_its_replacement_or_raises("gpu_ls_plugin", name)
    test_a_renamed_part_warns_and_is_the_part("gpu_ls_plugin", "Wander")
    with pytest.raises(AttributeError, match="no attribute 'OldKick'"):
        _ = gls.OldKick


@pytest.mark.usefixtures("gone")
def test_a_text_with_a_former_name_warns_or_raises_the_remedy() -> None:
    for text in ("old_edges", "wander"):
        with pytest.warns(DeprecationWarning, match=f"^{text} "):
            assert registry.lookup("cooperation", text) is gls.Migration
    with pytest.raises(UnknownPartError, match=r"^neighbourhood: old_move was removed: use TwoOpt"):
        registry.lookup("neighbourhood", "old_move")
    with pytest.raises(UnknownPartError, match="old_move was removed: use TwoOpt"):
        parse_search("OldMove()+or_opt")
    with pytest.raises(UnknownPartError, match=r"^pivoting: wander is called migration now"):
        registry.lookup("pivoting", "wander")
