"""Composition of kernels: parts become a self-contained source text.

The text contains all headers instead of including them. It therefore identifies the program, and
both backends use its hash as the key of their caches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import FaultyPartError, InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.former_rooms import former_header
from gpu_ls_plugin.core.origins import KERNEL, line_directive

if TYPE_CHECKING:
    from collections.abc import Iterator

NVRTC_OPTIONS = ("--std=c++17", "-fmad=false", "-ftz=true", "--device-as-default-execution-space")


IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_:<>, *&-]*")
TEAM = "backends/include/team.cuh"  # the first header of each kernel
HEADER = re.compile(r"[A-Za-z0-9_]+(/[A-Za-z0-9_]+)*\.cuh?")
RESERVED = """
alignas alignof asm auto break case catch class co_await co_return co_yield concept continue
decltype default delete do else enum explicit export extern for friend goto if inline mutable
namespace new noexcept operator private protected public register reinterpret_cast requires return
sizeof static static_assert struct switch template this thread_local throw try typedef typeid
typename union using virtual while __asm__ __attribute__ _Pragma
"""
KEYWORDS = frozenset(RESERVED.split())  # words of C++ that names and types must not contain
CLUSTER = "gls::Cluster<"  # beginning of a team of several blocks
FAULT = "gls_faulty_part"  # variable that a kernel sets if a checked part is faulty
# Bytes of an item of an array, by its C++ type; 8 for all other types.
ITEM_BYTES = {"int": 4, "float": 4, "gls::uint32": 4, "unsigned char": 1, "char": 1}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: its C type and its name."""

    type: str
    name: str

    @cached_property
    def is_pointer(self) -> bool:
        """Whether the argument is an array."""
        return self.type.endswith("*")

    @cached_property
    def item_bytes(self) -> tuple[int, ...]:
        """Allowed sizes of the items behind a pointer; items of type void may have any size."""
        item = self.type.removeprefix("const ").rstrip("* ")
        return (1, 2, 4, 8) if item == "void" else (ITEM_BYTES.get(item, 8),)

    @property
    def fields(self) -> tuple[Parameter, ...]:
        """The parameters that take arguments: this one, or the fields of a struct."""
        return (self,)

    @property
    def passed(self) -> str:
        """The C++ arguments that ``run`` gets for this parameter."""
        return self.name

    @property
    def checks(self) -> str:
        """C++ that fails to compile if Python and C++ disagree about the layout."""
        return ""

    @property
    def on_host(self) -> tuple[str, str]:
        """Declaration of the parameter in a CPU function, and first statement of that function."""
        return f"{self.type} {self.name}", ""

    def check(self, array: Any, contiguous: bool) -> None:
        """Raise InvalidTypeError unless an array has the layout that the kernel reads."""
        if not contiguous or array.itemsize not in self.item_bytes:
            raise InvalidTypeError(
                f"{self.name}: kernels read {self.type} without gaps, not {array.dtype} of shape "
                f"{array.shape} in strides of {array.strides} bytes; use numpy.ascontiguousarray"
            )


@dataclass(frozen=True)
class Kernel:
    """A C++ template with chosen parts, which is compiled as an ``extern "C"`` function.

    Attributes
    ----------
    name : str
        Name of the function.
    header : str
        Path, within the package, of the file that defines `body`.
    body : str
        C++ type with ``static void run(const Team&, int item, parameters...)``.
    parameters : tuple of Parameter
        The parameters of `run` after the item.
    team : str
        C++ type of the team that works on an item.
    functors : tuple of str
        Source texts of parts that are not in headers of the package, such as those of plugins.
    parts : tuple of str
        Names of the parts, for listings.
    blocks_per_multiprocessor : int
        Number of blocks per multiprocessor for which the registers must suffice (CUDA only).
    prepared : bool
        Whether each block calls ``prepare(const Team&, parameters...)`` of `body` before its items
        (CUDA only).
    headers : tuple of str
        Paths of other files that define parts of `body`.
    checked : tuple of str
        Names of the neighbourhoods in `body` whose gains are checked (tours/moves/checked.cuh).
    """

    name: str
    header: str
    body: str
    parameters: tuple[Parameter, ...]
    team: str
    functors: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    blocks_per_multiprocessor: int = 1
    prepared: bool = False
    headers: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """Hash only the fields that distinguish nearly all kernels: each launch needs the hash."""
        return hash((self.name, self.body, self.team))

    @property
    def fields(self) -> tuple[Parameter, ...]:
        """All parameters, and fields of structs, that take an argument by name."""
        return tuple(field for parameter in self.parameters for field in parameter.fields)

    @property
    def source(self) -> str:
        """The translation unit, for the backend of `team`."""
        self._check_names()
        pasted: set[str] = set()
        own = line_directive(1, f"{KERNEL}{self.name}")
        texts = [
            paste(TEAM, pasted),
            *(paste(header, pasted) for header in self.headers),
            *(text if text.startswith("#line") else own + text for text in self.functors),
            paste(self.header, pasted),
            own,
            *(parameter.checks for parameter in self.parameters),
        ]
        return "\n".join([*texts, self._host_entry() if self.on_host else self._cuda_entry()])

    def _check_names(self) -> None:
        names = [self.name, *(field.name for field in self.fields)]
        types = [self.body, self.team, *(field.type for field in self.fields)]
        headers = [self.header, *self.headers]
        for what, rule, texts in (
            ("an identifier of C++", IDENTIFIER, names),
            ("a C++ type: a struct's name, perhaps with template arguments", TYPE, types),
            ("a header of gpu_ls_plugin, by its path in the package", HEADER, headers),
        ):
            for text in texts:
                if not rule.fullmatch(text) or not KEYWORDS.isdisjoint(re.split(r"\W+", text)):
                    raise InvalidParameterError(f"functor: {text!r:.200} is not {what}")

    @property
    def on_host(self) -> bool:
        """Whether the kernel is for the CPU."""
        return self.team == "gls::Host"

    def refuse_fault(self, number: Any) -> None:
        """Raise FaultyPartError if a launch has found a faulty neighbourhood.

        `number` is the fault variable, None if no part is checked. Its `value` is 0, or the place
        of the faulty neighbourhood in `checked`, counted from 1; the method resets it to 0.
        """
        if number is None or not number.value:
            return
        name, number.value = self.checked[number.value - 1], 0
        raise FaultyPartError(
            f"neighbourhoods: {name!r} reports gains that its moves do not have: gain() must write "
            "the move, with edges that fit its shape (gpu_ls_plugin/tours/moves/move.cuh), and "
            "return view.gain(move, removed, added), which asks the objective, if there is one; "
            "gpu_ls_plugin.testing.check_neighbourhood shows the first such move that it finds; "
            "with problems=[...], it looks on these"
        )

    def _cuda_entry(self) -> str:
        names = "".join(f", {p.passed}" for p in self.parameters)
        declared = "".join(f", {p.type} {p.name}" for p in self.parameters)
        prepare = f"{self.body}::prepare(team{names});" if self.prepared else ""
        bounds = f"__launch_bounds__({self.team}::kThreads, {self.blocks_per_multiprocessor})"
        item = f"blockIdx.x * {self.team}::kTeams + team.in_block()"
        if self.team.startswith(CLUSTER):
            bounds += f" GLS_IN_CLUSTERS({self.team}::kBlocks)"
            item = f"blockIdx.x / {self.team}::kBlocks"
        return f"""
extern "C" __global__ void
{bounds}
{self.name}(int count{declared}) {{
  using namespace gls;
  const {self.team} team{{}};
  {prepare}
  const int item = {item};
  if (item < count) {self.body}::run(team, item{names});
}}
"""

    def _host_entry(self) -> str:
        names = "".join(f", {p.passed}" for p in self.parameters)
        declared, begin = zip(("", ""), *(p.on_host for p in self.parameters), strict=True)
        return f"""
extern "C" void {self.name}(int count, int* next{", ".join(declared)}) {{
  using namespace gls;
  const Host team{{next}};{"".join(begin)}
  for (int item; (item = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < count;) {{
    {self.body}::run(team, item{names});
  }}
}}
"""


@cache
def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Parse a C parameter list such as ``"const int* tours, int n"``."""
    pairs = (re.fullmatch(r"(.*[\s*])(\w+)", part.strip()) for part in text.split(","))
    return tuple(Parameter(pair[1].strip(), pair[2]) for pair in pairs if pair)


@cache
def present(header: str) -> str:
    """Return the present path of a header; `header` is this path, or the path in version 0.1."""
    package = resources.files("gpu_ls_plugin")
    paths = (path for path in (header, *former_header(header)) if (package / path).is_file())
    return next(paths, header)


@cache
def read(header: str) -> str:
    """Return the text of a header of the package."""
    return (resources.files("gpu_ls_plugin") / present(header)).read_text(encoding="utf-8")


def paste(header: str, pasted: set[str]) -> str:
    """Return the text of a header, in which the texts of other headers replace the includes.

    Headers in `pasted` are left out; the function adds all headers that it pastes to this set.
    """
    header = present(header)
    if header in pasted:
        return ""
    pasted.add(header)
    return "\n".join(
        paste(text, pasted) if is_include else text for is_include, text in _pieces(header)
    )


@cache
def _pieces(header: str) -> list[tuple[bool, str]]:
    """Return the includes of a header, as (True, name), and the texts between them."""
    pieces, line = [], 1
    for is_include, lines in groupby(_lines(read(header)), key=itemgetter(0)):
        texts = [text for _, text in lines]
        if is_include:
            pieces += [(True, text) for text in texts]
        elif any(text.strip() for text in texts):
            origin = line_directive(line, f"gpu_ls_plugin/{header}")
            pieces.append((False, origin + "\n".join(texts)))
        line += len(texts)
    return pieces


def _lines(text: str) -> Iterator[tuple[bool, str]]:
    for line in text.splitlines():
        include = re.match(r'#include "(.*)"', line)
        if include:
            yield True, include[1]
        else:
            yield False, "" if line.strip() == "#pragma once" else line
