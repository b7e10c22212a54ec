"""CuPy's own kernels are compiled in units, ahead of their use."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest

from gpu_ls_plugin.backends import cuda
from gpu_ls_plugin.backends.cupy_kernels import MOST, KernelUnits, joined, units
from gpu_ls_plugin.backends.cupy_operations import default_operations
from gpu_ls_plugin.routes.searches.genetic.rehearsal import rehearsal

HEADERS = "#include <one.cuh>\n#include <two.h>\n"


def source(name: str, kind: str = "double") -> str:
    """Return a source like those of CuPy."""
    return f'{HEADERS}typedef {kind} T;\nextern "C" __global__ void {name}(T *a) {{ a[0] += 1; }}\n'


def names(text: str) -> list[str]:
    return re.findall(r"__global__ void (\w+)", text)


class Operation:
    """An operation that needs kernels, one after the other, as CuPy's operations do."""

    def __init__(self, compile_kernel, *sources):
        self._compile, self._sources, self.got = compile_kernel, sources, []

    def __call__(self):
        self.got = [self._compile(each, ("-O",), "90", "file.cu") for each in self._sources]


class Compiler:
    """A compiler that notes what it compiles, and fails on sources with a faulty word."""

    def __init__(self, *faulty):
        self.compiled, self.faulty = [], faulty

    def __call__(self, text, options, arch, *_):
        assert (options, arch) == (("-O",), "90")
        if any(word in text for word in self.faulty):
            raise ValueError("does not compile")
        self.compiled.append(names(text))
        return text

    @property
    def counts(self):
        return [len(each) for each in self.compiled]


def test_operations_get_their_kernels_from_few_units():
    compiler = Compiler()
    kernels = KernelUnits(compiler)
    operations = [Operation(kernels, source(f"k{i}")) for i in range(2 * MOST + 1)]
    kernels.perform(operations)
    assert compiler.counts == [MOST, MOST, 1]
    for number, operation in enumerate(operations):
        assert f"k{number}" in names(operation.got[0])


def test_an_operation_with_several_kernels_takes_several_rounds():
    compiler = Compiler()
    kernels = KernelUnits(compiler)
    scans = [Operation(kernels, source(f"first{i}"), source(f"second{i}")) for i in range(3)]
    kernels.perform(scans)
    assert compiler.counts == [3, 3]
    assert all(len(scan.got) == 2 for scan in scans)


def test_kernels_of_one_name_or_with_other_options_are_apart():
    asked = [((source("take", kind), ("-O",), "90"), {}) for kind in ("int", "float", "double")]
    asked.append(((source("copy"), ("-O",), "90"), {}))
    asked.append(((source("copy2"), (), "90"), {}))
    assert [len(unit) for unit in units(asked)] == [2, 1, 1, 1]


def test_nothing_is_compiled_ahead_if_the_last_operation_lacks_no_kernel():
    compiler = Compiler()
    kernels = KernelUnits(compiler)
    done = []
    kernels.perform([Operation(kernels, source("k")), lambda: done.append("last")])
    assert (compiler.counts, done) == ([], ["last"])


def test_kernels_of_a_faulty_unit_are_compiled_one_by_one():
    compiler = Compiler("namespace")
    kernels = KernelUnits(compiler)
    operations = [Operation(kernels, source(f"k{i}")) for i in range(3)]
    kernels.perform(operations)
    assert compiler.compiled == [["k0"], ["k1"], ["k2"]]
    assert [operation.got for operation in operations] == [[source(f"k{i}")] for i in range(3)]


def test_other_threads_compile_their_kernels_themselves():
    compiler = Compiler()
    kernels = KernelUnits(compiler)
    got = []

    def other():
        own = threading.Thread(target=Operation(kernels, source("own")))
        own.start()
        own.join()
        got.append(list(compiler.compiled))

    kernels.perform([other, Operation(kernels, source("k"))])
    assert got[0] == [["own"]]
    Operation(kernels, source("k"))()  # afterwards, this thread does so, too
    assert compiler.compiled == [["own"], ["k"], ["k"]]


def test_a_thread_waits_for_a_unit_that_is_being_compiled():
    begun, looked, go_on = (threading.Event() for _ in range(3))

    class Watched(dict):
        def get(self, key):
            if (found := super().get(key)) is not None:
                looked.set()
            return found

    class Slow(Compiler):
        def __call__(self, *given):
            begun.set()
            assert go_on.wait(60)
            return super().__call__(*given)

    compiler = Slow()
    kernels = KernelUnits(compiler)
    kernels._begun = Watched()
    ahead = threading.Thread(target=kernels.perform, args=([Operation(kernels, source("k"))],))
    ahead.start()
    assert begun.wait(60)
    wanted = Operation(kernels, source("k"))
    waiting = threading.Thread(target=wanted)
    waiting.start()
    assert looked.wait(60)
    go_on.set()
    ahead.join()
    waiting.join()
    assert compiler.compiled == [["k"]]
    assert names(wanted.got[0]) == ["k"]


def test_the_end_of_the_main_thread_ends_the_work(monkeypatch):
    class Ended:
        @staticmethod
        def is_alive():
            return False

    compiler = Compiler()
    kernels = KernelUnits(compiler)
    monkeypatch.setattr(threading, "main_thread", Ended)
    kernels.perform([Operation(kernels, source("k"))])
    assert compiler.counts == []


def test_an_error_of_an_operation_leaves_nothing_behind():
    compiler = Compiler()
    kernels = KernelUnits(compiler)

    def wrong():
        raise MemoryError

    with pytest.raises(MemoryError):
        kernels.perform([wrong, Operation(kernels, source("k"))])
    Operation(kernels, source("k"))()
    assert compiler.compiled == [["k"]]


@pytest.mark.parametrize("operations", [default_operations, rehearsal])
def test_operations_are_those_of_numpy(operations):
    for operation in operations(np):
        operation()


def test_a_backend_prepares_for_the_same_operations_once(monkeypatch):
    prepared = []
    monkeypatch.setattr(cuda, "prepare", lambda *given: prepared.append(given[-1]))
    backend = object.__new__(cuda.CudaBackend)
    backend.xp, backend.device, backend._kernels, backend._expected = np, 0, object(), set()
    for operations in (default_operations, rehearsal, rehearsal):
        backend.expect(operations)
    assert prepared == [default_operations, rehearsal]


def test_a_unit_begins_with_the_headers_and_ends_macros():
    macro = source("a").replace("typedef", "#define N 1\ntypedef")
    text = joined([macro, source("b", "int")])
    assert text.startswith(HEADERS) and text.count("#include") == 2
    assert text.index("#define N") < text.index("#undef N") < text.index("void b")


@pytest.mark.usefixtures("nvrtc")
def test_nvrtc_compiles_a_unit_to_kernels_of_the_same_names():
    from cupy_backends.cuda.libs import nvrtc

    kinds = {"a": "double", "b": "int"}
    text = joined(source(*each).replace(HEADERS, "#define N 1\n") for each in kinds.items())
    program = nvrtc.createProgram(text, "unit.cu", [], [])
    nvrtc.compileProgram(program, ["-arch=compute_75"])
    code = nvrtc.getPTX(program).decode()
    assert re.findall(r"\.entry (\w+)", code) == list(kinds)
