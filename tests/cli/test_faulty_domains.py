"""Errors of a domain name its plugin, and how to continue without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.core.registry import Part, registry
from gpu_ls_plugin.tours.domain import Tours

if TYPE_CHECKING:
    from collections.abc import Iterator


def broken(*_: Any) -> Any:
    raise ValueError("out of order")


class NoFiles(Tours):
    files = broken


class NoArray(Tours):
    of_array = broken


class NoArguments(Tours):
    arguments = broken


class SameArguments(Tours):
    def arguments(self, parser: Any) -> None:
        parser.add_argument("--seconds")


class NoCommands(Tours):
    commands = broken


@pytest.fixture
def entered(request: pytest.FixtureRequest) -> Iterator[None]:
    """Add a domain of a plugin "wild"."""
    list(registry.parts())
    registry.register(Part("domain", "wild", request.param, "wild"))
    yield
    registry.remove_owner("wild")


@pytest.mark.parametrize(
    "entered", [broken, NoFiles, NoArguments, SameArguments, NoCommands], indirect=True
)
def test_the_command_line_names_the_plugin(entered, capsys):
    assert main(["plugins"]) == 2
    said = capsys.readouterr().err
    assert "domain: 'wild' of plugin 'wild'" in said
    assert "set GPU_LS_DISABLE_PLUGINS=wild to leave the plugin out" in said


@pytest.mark.parametrize("entered", [NoArray], indirect=True)
def test_an_array_names_the_plugin(entered):
    with pytest.raises(FaultyPartError, match="'wild' of plugin 'wild': ValueError"):
        gls.solve([[0.0, 1.0, 2.0]], seconds=0.1)
