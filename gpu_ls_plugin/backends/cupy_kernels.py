"""CuPy's own kernels: those of default calls are compiled together and ahead of their use.

For each operation, type and layout of arrays, CuPy compiles a kernel when it first needs it. Nearly
all of the 0.1 s that a kernel takes goes into CuPy's headers, and NVRTC reads the headers of one
unit at a time. Many kernels in one unit take little longer than one. So a thread performs the
operations on small arrays; the kernels that they lack are noted instead of compiled, joined into
units, and handed to CuPy when it asks for them again. CuPy keeps them in its cache on disk.
"""

from __future__ import annotations

import os
import re
import threading
from concurrent.futures import Future
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MOST = 12  # maximum number of kernels in a unit; a call that needs one waits for all of them
THREAD = "CuPy's kernels"
ROUNDS = 64  # an operation needs fewer kernels


class KernelUnits:
    """Compiles kernels of CuPy in place of its function `compile_kernel`."""

    def __init__(self, compile_kernel: Callable[..., Any]) -> None:
        self._compile = compile_kernel
        self._begun: dict[Any, Future[Any]] = {}  # the kernels of units
        self._noted = threading.local()
        if hasattr(os, "register_at_fork"):  # a forked child lacks the thread that compiles
            os.register_at_fork(after_in_child=self._begun.clear)

    def __call__(self, *given: Any, **options: Any) -> Any:
        """Return the compiled kernel, given the arguments of `compile_kernel`."""
        unit = self._begun.get(given[:3])
        if unit is not None and (compiled := unit.result()) is not None:
            return compiled
        noted = getattr(self._noted, "kernels", None)
        if noted is None or unit is not None:
            return self._compile(*given, **options)
        noted[given[:3]] = given, options
        raise _Postponed

    def perform(self, operations: Sequence[Callable[[], Any]]) -> None:
        """Perform operations; compile the kernels that they lack together.

        If the last operation lacks none, an earlier process has compiled all of them, and this one
        performs no other operation.
        """
        noted = self._noted.kernels = {}
        left, begun = list(operations), []
        try:
            if self._performed(left[-1]):
                return
            for _ in range(ROUNDS):
                if not left or not threading.main_thread().is_alive():
                    break
                noted.clear()
                left = [operation for operation in left if not self._performed(operation)]
                for unit in units(noted.values()):
                    if threading.main_thread().is_alive():
                        begun += self._compile_together(unit)
        finally:
            self._noted.kernels = None
            for kernel in begun:
                self._begun.pop(kernel, None)

    def _performed(self, operation: Callable[[], Any]) -> bool:
        """Perform an operation; return whether it lacked no kernel."""
        try:
            operation()
        except _Postponed:
            return False
        return True

    def _compile_together(self, unit: list[Any]) -> list[Any]:
        """Compile kernels in one unit; return them. If the unit is faulty, CuPy compiles each."""
        kernels = [given[:3] for given, _ in unit]
        compiled, future = None, Future[Any]()
        self._begun.update(dict.fromkeys(kernels, future))
        (_, *others), options = unit[0]
        try:
            with suppress(Exception):
                compiled = self._compile(joined(k[0] for k in kernels), *others, **options)
        finally:
            future.set_result(compiled)
        return kernels


class _Postponed(Exception):
    """The operation lacks a kernel, which is noted."""


def units(kernels: Iterable[Any]) -> list[list[Any]]:
    """Sort kernels into units: kernels of a unit have the same options and different names."""
    made: list[tuple[Any, set[str], list[Any]]] = []
    for given, options in kernels:
        names = set(re.findall(r"__global__\s+void\s+(\w+)", given[0]))
        for shared, taken, unit in made:
            if shared == given[1:3] and not names & taken and len(unit) < MOST:
                break
        else:
            taken, unit = set(), []
            made.append((given[1:3], taken, unit))
        taken |= names
        unit.append((given, options))
    return [unit for *_, unit in made]


def joined(sources: Iterable[str]) -> str:
    """Return the source of a unit: the headers, then each kernel in a namespace of its own."""
    headers: dict[str, None] = {}
    bodies = []
    for number, source in enumerate(sources):
        lines = source.splitlines()
        included = [line for line in lines if line.startswith("#include")]
        headers |= dict.fromkeys(included)
        rest = [line for line in lines if line not in included]
        macros = sorted(set(re.findall(r"^\s*#define\s+(\w+)", source, re.MULTILINE)))
        end = ("}", *(f"#undef {macro}" for macro in macros))
        bodies.append("\n".join((f"namespace kernel{number} {{", *rest, *end)))
    return "\n".join(chain(headers, bodies))


def prepare(
    xp: Any, device: int, kernels: KernelUnits, operations: Callable[[Any], list[Callable[[], Any]]]
) -> None:
    """Compile CuPy's kernels for operations on a device in the background."""

    def work() -> None:
        # CuPy compiles what is still missing after an error, when it is used.
        with suppress(Exception), xp.cuda.Device(device), xp.cuda.Stream(non_blocking=True):
            kernels.perform(operations(xp))

    with suppress(RuntimeError):  # no thread can be started while the process ends
        # The thread is no daemon, as NVRTC must not be interrupted by the end of the process.
        threading.Thread(target=work, name=THREAD).start()
