"""Errors and warnings of the library: each names the fault and the remedy."""

from __future__ import annotations


class GpuLsError(Exception):
    """Base class of every error that this library raises on purpose."""


class InvalidParameterError(GpuLsError, ValueError):
    """A parameter has a value outside its range; the message names the parameter."""


class InvalidTypeError(GpuLsError, TypeError):
    """A parameter has the wrong type; the message names the parameter."""


class InvalidProblemError(GpuLsError, ValueError):
    """Instance data is unusable: wrong shape, NaN, negative or overflowing distances."""


class FileFormatError(InvalidProblemError):
    """A file violates its format; the message names the file and the section."""


class PrecisionWarning(UserWarning):
    """Lengths are hardly what the caller means; the message names a remedy.

    A metric rounds most of them to 0 or 1, or degrees or kilometres count as times.
    """


class InfeasibleWarning(UserWarning):
    """The best row of a result breaks a constraint; the message names the fault if it is known."""


class InvalidTourError(GpuLsError, ValueError):
    """A row is not a permutation of the cities; the message names the row and the reason."""


class UnsupportedProblemError(InvalidParameterError):
    """The operator cannot work on this problem, for example 2-opt on asymmetric distances."""


class UnknownPartError(GpuLsError, LookupError):
    """No part of that name is registered; the message lists similar names."""


class DuplicatePartError(GpuLsError, ValueError):
    """Two plugins register the same name; the message names both."""


class PluginError(GpuLsError, RuntimeError):
    """A plugin failed while ``GPU_LS_STRICT_PLUGINS=1`` was set."""


class FaultyPartError(GpuLsError, RuntimeError):
    """A part of a plugin breaks its contract; the message names the part."""


class PartCheckError(FaultyPartError, AssertionError):
    """A check of `gpu_ls_plugin.testing` found a fault; the message describes it."""


class MissingExtraError(GpuLsError, ImportError):
    """An optional package is not installed; the message contains the pip command."""


class BackendUnavailableError(GpuLsError, RuntimeError):
    """The backend cannot run on this machine; the message says why, and what to install."""


class CompilerNotFoundError(BackendUnavailableError):
    """No C++17 compiler was found for the CPU backend."""


class CompilationError(GpuLsError, RuntimeError):
    """A composed program does not compile; the message begins with the error in a part's C++."""


class InsufficientMemoryError(GpuLsError, MemoryError):
    """A single tour does not fit into memory; the message says how much is needed and free."""


class CacheWarning(UserWarning):
    """Compiled programs cannot be cached, so every process compiles them; the message says why."""


class ClusterError(GpuLsError, RuntimeError):
    """A cluster cannot be used, or was lost before the first result; the message says why."""


class ClusterWarning(UserWarning):
    """A worker, the scheduler or a checkpoint failed; the search continues without it or ends."""
