"""The time of kernels on the device, beside the time of their launches on the host.

Every kernel that CuPy loads from source, and every graph of launches, is recorded between two
events of its stream. Versions of the library need no support for this: CuPy's names are replaced
before anything is compiled. Waits of the host between launches do not count, so times of two
versions can be compared on a busy host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class KernelTimes:
    """Times the launches of a call in `of`; passes on all others."""

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy
        self._events: list[tuple[Any, Any]] | None = None
        module = cupy.RawModule
        cupy.RawModule = lambda *given, **options: _Module(self, module(*given, **options))
        stream = cupy.cuda.Stream
        end_capture = stream.end_capture
        stream.end_capture = lambda own: _Launched(self, end_capture(own), "launch")

    def of(self, call: Callable[[], Any]) -> list[float]:
        """Return the seconds of each launch of a call, in order."""
        self._cupy.cuda.Device().synchronize()
        self._events = events = []
        try:
            call()
        finally:
            self._events = None
        self._cupy.cuda.Device().synchronize()
        elapsed = self._cupy.cuda.get_elapsed_time
        return [1e-3 * elapsed(begun, ended) for begun, ended in events]

    def launch(self, launch: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Pass a launch on, between two events if it is timed."""
        stream = self._cupy.cuda.get_current_stream()
        if self._events is None or stream.is_capturing():
            return launch(*given, **options)
        begun = stream.record()
        found = launch(*given, **options)
        self._events.append((begun, stream.record()))
        return found


class _Launched:
    """A kernel or a graph whose launches are timed; all else is passed on."""

    def __init__(self, times: KernelTimes, original: Any, method: str) -> None:
        vars(self).update(_times=times, _original=original)
        if method != "__call__":
            vars(self)[method] = lambda *given: times.launch(getattr(original, method), *given)

    def __call__(self, *given: Any, **options: Any) -> Any:
        return self._times.launch(self._original, *given, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._original, name, value)


class _Module:
    """A module whose kernels are timed."""

    def __init__(self, times: KernelTimes, original: Any) -> None:
        self._times, self._original = times, original

    def get_function(self, name: str) -> _Launched:
        return _Launched(self._times, self._original.get_function(name), "__call__")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def fastest(calls: list[list[float]]) -> float:
    """Return the least seconds of calls that make the same launches: the fastest of each launch.

    If calls make different numbers of launches, the fastest call counts.
    """
    if len({len(call) for call in calls}) == 1:
        return sum(map(min, zip(*calls, strict=True)))
    return min(map(sum, calls))
