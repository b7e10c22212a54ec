"""Plugins: hooks are documented and tested, failures isolated and rolled back; switches."""

from __future__ import annotations

import importlib.metadata
import inspect
import logging
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy
import pytest

from gpu_ls_plugin.backends.composition import Kernel
from gpu_ls_plugin.core.exceptions import (
    DuplicatePartError,
    InvalidTypeError,
    PluginError,
    UnknownPartError,
)
from gpu_ls_plugin.core.registry import Registry
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.plugins import hookspecs
from gpu_ls_plugin.plugins.hookspecs import hookimpl
from gpu_ls_plugin.plugins.info import PluginInfo
from gpu_ls_plugin.plugins.loader import BUILT_IN, Plugins
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("gpu_ls_"))
HEAD = "from gpu_ls_plugin.plugins.hookspecs import hookimpl\n"
GOOD = HEAD + "@hookimpl\ndef gpu_ls_register_parts(register):\n    register('metric', {!r}, int)\n"
SQUARE = TSP([[0, 0], [0, 9], [9, 9], [9, 0]])

Install = "Callable[..., None]"


@pytest.fixture(autouse=True)
def no_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPU_LS_DISABLE_PLUGINS", raising=False)
    monkeypatch.delenv("GPU_LS_STRICT_PLUGINS", raising=False)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs a distribution with an entry point into `tmp_path`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    known = set(sys.modules)

    def write(name: str, text: str, *, entry: str = "", requires: str = "") -> None:
        (tmp_path / f"plugin_{name}.py").write_text(text, encoding="utf-8")
        info = tmp_path / f"dist_{name}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: dist-{name}\nVersion: 1.2\n{requires}", encoding="utf-8"
        )
        (info / "entry_points.txt").write_text(
            f"[gpu_ls_plugin]\n{entry or name} = plugin_{name}\n", encoding="utf-8"
        )

    yield write
    for module in set(sys.modules) - known:
        if module.startswith("plugin_"):
            del sys.modules[module]


@pytest.fixture
def plugins(tmp_path: Path) -> Plugins:
    """Return the plugins of `tmp_path` and the built-in one, with their own registry."""

    def entry_points() -> list[importlib.metadata.EntryPoint]:
        found = importlib.metadata.distributions(path=[str(tmp_path)])
        return [entry for distribution in found for entry in distribution.entry_points]

    registry = Registry()
    made = Plugins(registry, entry_points)
    registry.loader = made.load_all
    return made


def info_of(plugins: Plugins, name: str) -> PluginInfo:
    (info,) = [info for info in plugins.infos() if info.name == name]
    return info


def names(plugins: Plugins, kind: str) -> set[str]:
    return {part.name for part in plugins.registry.parts(kind)}


def module(**functions: Callable[..., Any]) -> types.ModuleType:
    made = types.ModuleType("made")
    vars(made).update({name: hookimpl(function) for name, function in functions.items()})
    return made


# Hooks: documented, and called as specified.


@pytest.mark.parametrize("name", HOOKS)
def test_hook_is_documented(name: str) -> None:
    hook = getattr(hookspecs, name)
    text = inspect.getdoc(hook) or ""
    assert text.partition("\n")[0].endswith(".")
    for parameter in inspect.signature(hook).parameters:
        assert f"\n{parameter} : " in text
    if inspect.signature(hook).return_annotation != "None":
        assert "Returns\n-------" in text


@pytest.mark.parametrize("name", HOOKS)
def test_hook_is_tested(name: str) -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert f"{name}=" in text or f"def {name}(" in text


def test_built_in_parts_come_from_an_ordinary_plugin(plugins: Plugins) -> None:
    built_in = plugins.infos()[0]
    assert (built_in.name, built_in.status) == (BUILT_IN, "loaded")
    assert {"metric:EUC_2D", "neighbourhood:two_opt", "search:local_search"} <= set(built_in.parts)


def test_register_parts(plugins: Plugins) -> None:
    info = plugins.add(
        module(gpu_ls_register_parts=lambda register: register("metric", "MINE", int)), "own"
    )
    assert info.parts == ("metric:MINE",)
    assert plugins.registry.lookup("metric", "MINE") is int
    assert "metric:MINE" not in plugins.infos()[0].parts


def test_problem_from_asks_the_last_plugin_first(plugins: Plugins) -> None:
    other = TSP([[0, 0], [3, 4]], "EUC_2D")
    plugins.add(module(gpu_ls_problem_from=lambda obj: SQUARE if obj == "square" else None), "a")
    plugins.add(module(gpu_ls_problem_from=lambda obj: other if obj == "other" else None), "b")
    assert plugins.problem_from("square") is SQUARE
    assert plugins.problem_from("other") is other
    assert plugins.problem_from(SQUARE) is SQUARE
    with pytest.raises(InvalidTypeError, match=r"problem: no plugin turns builtins\.int"):
        plugins.problem_from(1)


def test_kernel_sources(plugins: Plugins) -> None:
    one, two, three = (Kernel(name, "", "", (), "") for name in ("one", "two", "three"))
    assert plugins.kernel_sources() == []
    plugins.add(module(gpu_ls_kernel_sources=lambda: [one, two]), "a")
    plugins.add(module(gpu_ls_kernel_sources=lambda: iter([three])), "b")
    assert plugins.kernel_sources() == [one, two, three]


@pytest.mark.parametrize("answer", [None, 5, "one", ["one"], [Kernel("k", "", "", (), ""), 1]])
def test_invalid_kernel_sources_do_not_affect_other_plugins(
    answer: object, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> list[Kernel]:
        raise ZeroDivisionError("of a plugin")

    good, failed = Kernel("good", "", "", (), ""), []
    plugins.add(module(gpu_ls_kernel_sources=broken), "broken")
    plugins.add(module(gpu_ls_kernel_sources=lambda: answer), "wrong")
    plugins.add(module(gpu_ls_kernel_sources=lambda: [good]), "good")
    assert plugins.kernel_sources(failed.append) == [good]
    assert "'broken'" in failed[0] and "of a plugin" in failed[0]
    assert "'wrong'" in failed[1] and "not a list of Kernel" in failed[1]
    monkeypatch.setenv("GPU_LS_STRICT_PLUGINS", "1")
    with pytest.raises(PluginError, match="broken"):
        plugins.kernel_sources()


def test_search_finished_calls_all_plugins_in_spite_of_a_failure(
    plugins: Plugins, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def broken(search: object) -> None:
        raise ZeroDivisionError("of a plugin")

    plugins.add(
        module(gpu_ls_search_finished=lambda problem, statistics: seen.append(problem)), "a"
    )
    plugins.add(module(gpu_ls_search_finished=broken), "broken")
    plugins.add(module(gpu_ls_search_finished=lambda statistics: seen.append(statistics)), "c")
    statistics = Statistics(moves=3)
    with caplog.at_level(logging.WARNING):
        plugins.search_finished(SQUARE, object(), statistics)
    assert sorted(map(id, seen)) == sorted([id(SQUARE), id(statistics)])
    assert "'broken'" in caplog.text and "of a plugin" in caplog.text

    monkeypatch.setenv("GPU_LS_STRICT_PLUGINS", "1")
    with pytest.raises(PluginError, match="broken"):
        plugins.search_finished(SQUARE, object(), statistics)


# Loading: lazy, isolated, rolled back.


def test_loading_waits_for_the_first_use(plugins: Plugins, install: Install) -> None:
    install("lazy", GOOD.format("LAZY"))
    assert "plugin_lazy" not in sys.modules
    assert "LAZY" in names(plugins, "metric")
    info = info_of(plugins, "lazy")
    assert info == PluginInfo(
        "lazy", "dist-lazy", "1.2", "plugin_lazy", "loaded", "", ("metric:LAZY",)
    )


BROKEN = {
    "import_error": ("import surely_not_installed_anywhere", "ModuleNotFoundError"),
    "syntax_error": ("def f(:", "SyntaxError"),
    "exits": ("raise SystemExit('bye')", "SystemExit: bye"),
    "unknown_hook": (HEAD + "@hookimpl\ndef gpu_ls_no_such_hook(): ...", "unknown hook"),
    "unknown_argument": (
        HEAD + "@hookimpl\ndef gpu_ls_problem_from(obj, colour): ...",
        "colour",
    ),
    "no_hook": ("x = 1", "no hook is implemented"),
    "wrong_kind": (GOOD.format("X").replace("metric", "colour"), "kind: 'colour'"),
    "half_way": (GOOD.format("HALF") + "    1 / 0\n", "ZeroDivisionError"),
    "no_text": (GOOD.format("X").replace("'X'", "5"), "name: 5 is not a string"),
    "not_callable": (GOOD.format("X").replace("int)", "int())"), "factory: 0 of metric 'X' cannot"),
    "takes_a_name": (GOOD.format("FIRST") + "    register('metric', 'EUC_2D', int)\n", "'builtin'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_plugin_is_isolated_and_leaves_nothing(
    case: str, plugins: Plugins, install: Install
) -> None:
    text, reason = BROKEN[case]
    install("broken", text)
    install("a_good", GOOD.format("BEFORE"))
    install("z_good", GOOD.format("AFTER"))
    info = info_of(plugins, "broken")
    assert info.status == "error"
    assert reason in info.error
    assert info.parts == ()
    assert {"BEFORE", "AFTER", "EUC_2D"} <= names(plugins, "metric")
    assert not {"HALF", "FIRST", "X"} & names(plugins, "metric")
    assert all(part.owner != "broken" for part in plugins.registry.parts())
    words = "no metric is called 'HALF'; plugin 'broken' failed to load: see gpu-ls plugins; "
    with pytest.raises(UnknownPartError, match=words):
        plugins.registry.lookup("metric", "HALF")
    plugins.clear()
    assert info_of(plugins, "broken").status == "error" and plugins.registry.failed == ["broken"]
    again = plugins.add(module(gpu_ls_problem_from=lambda obj: None), "broken")
    assert again.status == "loaded", "its name is free, and no unknown hook is left"


@pytest.mark.parametrize("case", BROKEN)
def test_strict_loading_raises_and_can_be_repeated(
    case: str, plugins: Plugins, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("broken", BROKEN[case][0])
    monkeypatch.setenv("GPU_LS_STRICT_PLUGINS", "1")
    for _ in range(2):
        with pytest.raises(PluginError, match="'broken'"):
            plugins.infos()
    monkeypatch.setenv("GPU_LS_STRICT_PLUGINS", "0")
    assert info_of(plugins, "broken").status == "error"
    assert "EUC_2D" in names(plugins, "metric")


def test_two_distributions_with_one_plugin_name(plugins: Plugins, install: Install) -> None:
    install("one", GOOD.format("ONE"), entry="same")
    install("two", GOOD.format("TWO"), entry="same")
    loaded, refused = sorted(
        (info for info in plugins.infos() if info.name == "same"), key=lambda info: info.error
    )
    assert (loaded.status, refused.status) == ("loaded", "error")
    assert loaded.distribution in refused.error and refused.distribution in refused.error
    assert names(plugins, "metric") & {"ONE", "TWO"} == {loaded.parts[0].partition(":")[2]}


def test_two_plugins_with_one_part_name(plugins: Plugins, install: Install) -> None:
    install("one", GOOD.format("SAME"))
    install("two", GOOD.format("SAME"))
    assert info_of(plugins, "one").status == "loaded"
    error = info_of(plugins, "two").error
    assert "'one'" in error and "'two'" in error
    assert plugins.registry.lookup("metric", "SAME") is int


def test_adding_by_hand_raises_and_rolls_back(plugins: Plugins) -> None:
    def half(register: Callable[..., None]) -> None:
        register("metric", "HALF", int)
        register("metric", "EUC_2D", int)

    with pytest.raises(DuplicatePartError, match="'builtin'"):
        plugins.add(module(gpu_ls_register_parts=half), "half")
    with pytest.raises(DuplicatePartError, match="must choose another name"):
        plugins.add(module(gpu_ls_register_parts=lambda register: None), BUILT_IN)
    with pytest.raises(PluginError, match="no hook"):
        plugins.add(types.ModuleType("empty"), "empty")
    with pytest.raises(pluggy.PluginValidationError):
        plugins.add(module(gpu_ls_no_such_hook=lambda: None), "unknown")
    with pytest.raises(UnknownPartError):
        plugins.registry.lookup("metric", "HALF")
    assert [info.name for info in plugins.infos()] == [BUILT_IN]


def test_a_plugin_may_look_up_parts_while_it_registers(plugins: Plugins, install: Install) -> None:
    install(
        "curious",
        "import gpu_ls_plugin.plugins.loader as host\n"
        + GOOD.format("CURIOUS")
        + "    from gpu_ls_plugin.tours.problem.tsp import TSP\n"
        + "    assert TSP([[0, 0], [1, 1]], 'EUC_2D').n == 2\n",
    )
    assert info_of(plugins, "curious").status == "loaded"


# Missing extras and switches.

NEEDS = "import surely_not_installed_anywhere\n" + GOOD.format("NEEDY")


def test_missing_extra_is_no_error(
    plugins: Plugins, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPU_LS_STRICT_PLUGINS", "1")
    requires = (
        "Requires-Dist: numpy\n"
        'Requires-Dist: Surely.not-installed_anywhere>=1; extra == "framework"\n'
    )
    install("needy", NEEDS, requires=requires)
    info = info_of(plugins, "needy")
    assert info.status == "extra not installed"
    assert info.error == 'pip install "dist-needy[framework]"'


def test_a_missing_hard_requirement_is_an_error(plugins: Plugins, install: Install) -> None:
    install("needy", NEEDS, requires="Requires-Dist: surely-not-installed-anywhere\n")
    assert info_of(plugins, "needy").status == "error"


def test_a_plugin_that_reports_its_missing_extra_itself(plugins: Plugins, install: Install) -> None:
    home = "gpu_ls_plugin.core.exceptions"
    text = f"from {home} import MissingExtraError\nraise MissingExtraError('get it')"
    install("needy", text)
    info = info_of(plugins, "needy")
    assert (info.status, info.error) == ("extra not installed", "get it")


@pytest.mark.parametrize(
    ("switch", "disabled"),
    [
        ("", set()),
        (" ", set()),
        ("one", {"one"}),
        (" one , two,", {"one", "two"}),
        ("all", {"one", "two"}),
    ],
)
def test_disabled_plugins_are_not_imported(
    switch: str,
    disabled: set[str],
    plugins: Plugins,
    install: Install,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install("one", GOOD.format("ONE"))
    install("two", GOOD.format("TWO"))
    monkeypatch.setenv("GPU_LS_DISABLE_PLUGINS", switch)
    found = {info.name for info in plugins.infos() if info.status == "disabled"}
    assert found == disabled
    assert {f"plugin_{name}" for name in disabled}.isdisjoint(sys.modules)
    assert {"one", "two"} - disabled <= {i.name for i in plugins.infos() if i.status == "loaded"}
    assert "EUC_2D" in names(plugins, "metric")


def test_disabling_a_name_that_does_not_exist_is_shown(
    plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPU_LS_DISABLE_PLUGINS", "tpyo")
    assert "GPU_LS_DISABLE_PLUGINS" in info_of(plugins, "tpyo").error
