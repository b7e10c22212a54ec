"""Files of candidate lists: NPZ, with the rule that made them and the instance they belong to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.core.schema import read_arrays, reading
from gpu_ls_plugin.tours.candidates.lists import wrong_row

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

VERSION = 1


def write_lists(
    path: str | os.PathLike[str], rule: str, fingerprint: str, cities: NDArray[Any]
) -> None:
    """Write lists to an NPZ file, which appears complete or not at all."""
    with atomically(Path(path)) as file, open(file, "wb") as stream:
        np.savez(
            stream,
            version=np.array(VERSION),
            rule=np.array(rule),
            fingerprint=np.array(fingerprint),
            cities=cities,
        )


def read_lists(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return the "rule", "fingerprint" and "cities" of a file."""
    with reading(path, "not a file of candidate lists"):
        content = read_arrays(Path(path))
        version = content.pop("version")
        content = {name: content[name] for name in ("rule", "fingerprint", "cities")}
    with reading(path):
        if not np.array_equal(version, VERSION):
            raise ValueError(
                f"format {version}, but this library reads {VERSION}; build them again"
            )
        for name in ("rule", "fingerprint"):
            if content[name].dtype.kind != "U" or content[name].ndim:
                raise ValueError(f"{name}: {content[name]!r:.80} is not a string")
        return {**content, "cities": _checked(content["cities"])}


def _checked(cities: NDArray[Any]) -> NDArray[np.int32]:
    """Return lists in our layout; rows that do not hold other cities, each once, raise."""
    wanted = cities.dtype.kind in "iu" and cities.ndim == 2
    if not wanted or not len(cities) or (len(cities) > 1 and not cities.shape[1]):
        raise ValueError(f"cities: {cities.dtype} of shape {cities.shape}")
    if (row := wrong_row(cities)) is not None:
        raise ValueError(f"cities: row {row} is not a list of candidates")
    return np.ascontiguousarray(cities, np.int32)
