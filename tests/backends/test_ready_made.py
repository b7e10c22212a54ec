"""Ready-made programs are found by their source, refused if damaged, and made only once."""

from __future__ import annotations

import ctypes
import json
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.backends import compiler, cpu, library_cache, ready_made
from gpu_ls_plugin.backends.composition import Kernel
from gpu_ls_plugin.backends.cuda import CudaBackend
from gpu_ls_plugin.cli import doctor
from gpu_ls_plugin.core.exceptions import CompilerNotFoundError
from gpu_ls_plugin.defaults.making import Maker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = 'extern "C" int answer() { return 42; }'
OTHER = 'extern "C" int answer() { return 43; }'
V3, V4 = "x86-64-v3", "x86-64-v4"
FEATURES = {level: " ".join(sorted(needed)) for level, needed in ready_made.LEVELS.items()}


@pytest.fixture
def processor(monkeypatch) -> Iterator[object]:
    """Return a function that gives this machine a processor with other features."""

    def become(features: str) -> None:
        monkeypatch.setattr(ready_made, "processor", lambda: f"flags\t\t: fpu {features}")
        monkeypatch.setattr(ready_made.platform, "machine", lambda: "x86_64")
        ready_made.levels.cache_clear()

    yield become
    ready_made.levels.cache_clear()


@pytest.fixture
def installed(monkeypatch, tmp_path, processor) -> Path:
    """Return the folder of an installation with a ready-made library of SOURCE."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("GPU_LS_CXXFLAGS", raising=False)
    monkeypatch.setattr(ready_made, "flags_of", lambda level: ("-shared", "-fPIC", f"-DOF={level}"))
    folder = tmp_path / "programs"
    processor(FEATURES[V3])
    Maker(folder, [V3]).library(SOURCE)
    monkeypatch.setattr(ready_made, "FOLDER", folder)
    ready_made.shipped.cache_clear()
    yield folder
    ready_made.shipped.cache_clear()


def answer(source: str = SOURCE) -> int:
    kernel = Kernel("answer", "", "", (), "")
    function, _ = library_cache.load(source, partial(cpu.function_of, kernel=kernel))
    function.restype = ctypes.c_int
    return int(function())


def test_levels_of_processors(processor):
    found = []
    for features in ("sse2", FEATURES[V3], FEATURES[V4], FEATURES[V4].replace("avx512vl", "")):
        processor(features)
        found.append(ready_made.levels())
    assert found == [(), (V3,), (V4, V3), (V3,)]


def test_flags_differ_from_those_of_compiled_programs_in_the_processor_alone():
    for level in ready_made.LEVELS:
        *flags, tuned = ready_made.flags_of(level)
        assert tuned.startswith("-mtune=")
        pairs = zip(compiler.FLAGS, flags, strict=True)
        assert [pair for pair in pairs if pair[0] != pair[1]] == [
            ("-march=native", f"-march={level}")
        ]


def test_a_library_serves_without_a_compiler(installed, no_compiler, cache):
    path = library_cache.kept(SOURCE, lambda path: path)
    assert path is not None and path.parent == installed
    assert answer() == 42
    assert cpu.unavailable_reason() is None
    assert not cache.exists()
    findings = {found.name: found for found in doctor.examine()}
    assert doctor.can_search(findings.values())
    assert findings["C++ compiler"].optional
    assert findings["ready-made kernels"].detail == f"1; level of this processor: {V3}"
    with pytest.raises(CompilerNotFoundError):
        answer(OTHER)


def test_a_better_processor_uses_the_library_of_a_lower_level(installed, no_compiler, processor):
    processor(FEATURES[V4])
    assert answer() == 42


def test_an_older_processor_compiles(installed, processor, cache):
    processor("sse2")
    assert not ready_made.serve_here()
    assert answer() == 42
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("variable", ready_made.OWN_COMPILER)
def test_users_with_a_compiler_of_their_own_compile(installed, monkeypatch, variable, cache):
    monkeypatch.setenv(variable, {"CXX": "c++", "GPU_LS_CXXFLAGS": "-O1"}[variable])
    assert not ready_made.serve_here()
    assert answer() == 42
    assert len(list(cache.iterdir())) == 1


def damage(folder: Path) -> None:
    (library,) = folder.glob("*.so")
    library.write_bytes(library.read_bytes()[:-1] + b"\x7f")


def remove(folder: Path) -> None:
    next(folder.glob("*.so")).unlink()


def forget(folder: Path) -> None:
    (folder / ready_made.INDEX).write_text("[]", encoding="utf-8")


@pytest.mark.parametrize("spoil", [damage, remove, forget])
def test_a_spoilt_installation_compiles(installed, spoil, cache):
    spoil(installed)
    assert ready_made.library(SOURCE) is None
    assert answer() == 42
    assert len(list(cache.iterdir())) == 1


def test_a_library_that_this_system_cannot_load_is_compiled(installed, cache):
    (library,) = installed.glob("*.so")
    library.write_bytes(b"of a newer system")
    index = {library.name: ready_made.digest(b"of a newer system")}
    (installed / ready_made.INDEX).write_text(json.dumps(index), encoding="utf-8")
    assert ready_made.library(SOURCE) == library
    assert answer() == 42
    assert len(list(cache.iterdir())) == 1


def test_programs_are_made_once_for_each_level(tmp_path, counted, processor):
    processor(FEATURES[V3])
    for _ in range(2):
        with ready_made.using(Maker(tmp_path, [V3, V4])):
            assert ready_made.library(SOURCE).name == ready_made.library_name(SOURCE, V3)
    assert len(counted.read_text(encoding="utf-8").splitlines()) == 2
    assert set(ready_made.Programs(tmp_path).digests) == {p.name for p in tmp_path.glob("*.so")}
    assert ready_made.library(SOURCE) is None


@pytest.mark.parametrize(
    ("capability", "usable"),
    [
        (75, [75]),
        (80, [80]),
        (86, [86, 80]),
        (89, [86, 80]),
        (90, [90]),
        (103, [100]),
        (121, [120]),
    ],
)
def test_gpus_use_binaries_of_their_generation(tmp_path, capability, usable):
    programs, found = ready_made.Programs(tmp_path), []
    names = {ready_made.cubin_name(SOURCE, arch): arch for arch in ready_made.ARCHITECTURES}
    for name in names:
        (tmp_path / name).write_bytes(b"binary")
        programs.digests[name] = ready_made.digest(b"binary")
    while (path := programs.cubin(SOURCE, capability)) is not None:
        found.append(names[path.name])
        del programs.digests[path.name]
    assert found == usable


class Driver(ModuleType):
    """A stand-in for CuPy whose driver loads modules, or refuses them."""

    class CUDADriverError(Exception):
        """Raised by the driver."""

    def __init__(self, *, refuses: bool) -> None:
        self.cuda = SimpleNamespace(
            Device=lambda number: SimpleNamespace(compute_capability="90"), driver=self
        )
        self.loaded: list[str] = []
        self.refuses = refuses

    def RawModule(self, path: str) -> Driver:
        """Note the path."""
        self.loaded.append(path)
        return self

    def get_function(self, name: str) -> None:
        """Load the module."""
        if self.refuses:
            raise self.CUDADriverError


@pytest.mark.parametrize("refuses", [False, True])
def test_a_gpu_loads_a_ready_made_module_unless_its_driver_refuses(tmp_path, refuses):
    programs, driver = ready_made.Programs(tmp_path), Driver(refuses=refuses)
    backend = SimpleNamespace(xp=driver, device=0)
    path = tmp_path / ready_made.cubin_name(SOURCE, 90)
    path.write_bytes(b"binary")
    programs.digests[path.name] = ready_made.digest(b"binary")
    with ready_made.using(programs):
        found = [CudaBackend._ready_made(backend, "answer", text) for text in (SOURCE, OTHER)]
    assert found == [None if refuses else driver, None]
    assert driver.loaded == [str(path)]
