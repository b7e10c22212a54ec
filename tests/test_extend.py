"""The names for authors of plugins: they are described, and built-in parts use them."""

from __future__ import annotations

import inspect

import pytest

from gpu_ls_plugin import extend, testing
from gpu_ls_plugin.core.registry import registry

BASES = {
    "metric": extend.Metric,
    "candidates": extend.Candidates,
    "neighbourhood": extend.Neighbourhood,
    "filter": extend.Filter,
    "perturbation": extend.Perturbation,
    "acceptance": extend.Acceptance,
    "cooperation": extend.Cooperation,
    "recombination": extend.Recombination,
    "objective": extend.Objective,
    "resource": extend.Resource,
    "heuristic": extend.Heuristic,
}
# Each pivoting rule is an engine; a search is any callable.
UNCHECKED = {"pivoting", "search", "sequence_move", "sequence_kick"}


def test_each_name_is_described():
    text = inspect.getdoc(extend)
    assert text is not None
    assert [name for name in extend.__all__ if f"`{name}`" not in text] == []


@pytest.mark.parametrize("kind", BASES)
def test_built_in_parts_derive_from_the_bases(kind):
    factories = [part.factory for part in registry.parts(kind)]
    assert factories
    assert [made for made in factories if not issubclass(made, BASES[kind])] == []


def test_each_kind_of_parts_has_a_check():
    kinds = set(extend.KINDS) - UNCHECKED
    # Problems and objectives of sequences are no parts, which have names.
    others = {"PartCheckError", "check_assignment", "check_sequence_objective"}
    assert {f"check_{kind}" for kind in kinds} | others == set(testing.__all__)


@pytest.mark.parametrize("kind", [*BASES, "assignment", "domain"])
def test_checks_refuse_other_objects_than_parts(kind):
    base = BASES.get(kind) or vars(extend)[kind.capitalize()]
    words = "not a perturb" if kind == "perturbation" else rf"extend\.{base.__name__}; pass"
    given = ([], []) if kind == "domain" else ("a name",)
    with pytest.raises(extend.InvalidTypeError, match=words):
        vars(testing)[f"check_{kind}"](*given)


@pytest.mark.parametrize("name", testing.__all__)
def test_checks_document_what_they_raise(name):
    text = inspect.getdoc(vars(testing)[name])
    assert text is not None
    assert name == "PartCheckError" or "PartCheckError\n    The message gives the reason" in text
