"""Structs and words as parameters of kernels, and constants that Python reads from C++ headers.

A struct is declared once, in a header; its fields come first::

    struct Instance {
      const void* metric_data;  // what the metric's functor reads
      int n;                    // cities
    };

``struct_of(header, "Instance")`` is a parameter of a kernel. Its fields take arguments by name. The
source of the kernel asserts that the compiler uses the same layout as Python.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Parameter, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import ModuleType

OWN_TYPES = ("int64", "uint64", "uint32", "uint16")  # types in namespace gls
CODES = {  # format characters of module struct
    **{"int": "i", "float": "f", "double": "d", "gls::int64": "q", "gls::uint64": "Q"}
}
POINTER = "P"
NUMBER = r"(?:int64\([0-9]+\)|0x[0-9a-f]+|[0-9]+)(?: << [0-9]+)?"  # literal of C++
REAL = r"[0-9]+(?:\.[0-9]+)?(?:e[0-9]+)?"


@dataclass(frozen=True)
class Struct(Parameter):
    """A parameter that consists of other parameters; GPU kernels take it by value."""

    members: tuple[Parameter, ...]

    @cached_property
    def fields(self) -> tuple[Parameter, ...]:
        """The fields that take arguments, including those of nested structs."""
        return tuple(field for member in self.members for field in member.fields)

    @cached_property
    def layout(self) -> struct.Struct:
        """The layout of the fields in C++."""
        return struct.Struct(f"@{_codes(self)}")

    @property
    def offsets(self) -> tuple[int, ...]:
        """Offsets of the members, in bytes."""
        codes = [_codes(member) for member in self.members]
        before = ("".join(codes[:place]) for place in range(len(codes)))
        begin = (f"@{front}0{_widest(own)}" for front, own in zip(before, codes, strict=True))
        return tuple(map(struct.calcsize, begin))

    @cached_property
    def record(self) -> np.dtype[np.void]:
        """A NumPy type for the struct as bytes."""
        return np.dtype((np.void, self.layout.size))

    @cached_property
    def items(self) -> np.dtype[np.void]:
        """A NumPy type for arrays of the struct, with fields by name."""
        names, formats = ([one.name for one in self.members], [*map(_codes, self.members)])
        fields = {"names": names, "formats": formats, "offsets": self.offsets}
        items: np.dtype[np.void] = np.dtype({**fields, "itemsize": self.layout.size})  # type: ignore[call-overload]
        return items

    @property
    def checks(self) -> str:
        """Static assertions that the compiler uses the same layout."""
        size = f'static_assert(sizeof({self.type}) == {self.layout.size}, "{self.type}");\n'
        offsets = "".join(
            f"static_assert(__builtin_offsetof({self.type}, {member.name}) == {offset}, "
            f'"{self.type}::{member.name}");\n'
            for member, offset in zip(self.members, self.offsets, strict=True)
        )
        # Some versions of NVRTC have no offsetof.
        return f"{size}#ifndef __CUDACC_RTC__\n{offsets}#endif\n"

    @property
    def on_host(self) -> tuple[str, str]:
        """A reference, and a statement that copies the struct.

        The compiler knows that no write through a pointer changes the copy.
        """
        given = f"given_{self.name}"
        return f"const {self.type}& {given}", f"\n  const {self.type} {self.name} = {given};"

    def pack(self, arguments: Mapping[str, Any], address: Callable[[Parameter, Any], int]) -> bytes:
        """Return the bytes of the struct; `address` checks an array and returns its address."""
        values = [
            address(field, arguments[name]) if is_pointer else arguments[name]
            for field, name, is_pointer in self._steps
        ]
        return self.packed(values)

    def packed(self, values: list[Any]) -> bytes:
        """Return the bytes of the struct, given a number or an address for each field."""
        try:
            return self.layout.pack(*values)
        except OverflowError:  # numbers beyond the range of a float become infinite
            with np.errstate(over="ignore"):
                narrow = [np.float32(v) if isinstance(v, float) else v for v in values]
            return self.layout.pack(*narrow)

    @cached_property
    def _steps(self) -> list[tuple[Parameter, str, bool]]:
        return [(field, field.name, field.is_pointer) for field in self.fields]


class Packed(tuple[bytes, ...]):
    """The packed structs of a launch, which `Backend.launch` takes in place of a mapping."""


class Arguments(Struct):
    """All parameters of a kernel as one struct, so that a launch passes them in a microsecond."""

    @classmethod
    def of(cls, parameters: tuple[Parameter, ...]) -> Arguments:
        """Return parameters as one struct; `run` still takes each parameter separately."""
        return cls("gls_arguments", "arguments", parameters)

    @property
    def passed(self) -> str:
        """The members, as the C++ arguments of ``run``."""
        return ", ".join(f"{self.name}.{member.name}" for member in self.members)

    @property
    def checks(self) -> str:
        """The declaration of the struct, with its static assertions and those of its members."""
        fields = "".join(f"  {member.type} {member.name};\n" for member in self.members)
        own = "".join(member.checks for member in self.members)
        return f"{own}struct {self.type} {{\n{fields}}};\n{super().checks}"


def _codes(parameter: Parameter) -> str:
    """Return the format of a parameter for module struct, with the alignment of nested structs."""
    if isinstance(parameter, Struct):
        inside = "".join(map(_codes, parameter.members))
        return f"0{_widest(inside)}{inside}0{_widest(inside)}"
    return POINTER if parameter.is_pointer else CODES[parameter.type]


def _widest(codes: str) -> str:
    return max(codes.replace("0", ""), key=struct.calcsize)


@cache
def struct_of(header: str, name: str) -> Struct:
    """Return a struct in a header of the package as a parameter."""
    return parse_struct(read(header), name)


def parse_struct(text: str, name: str, namespace: str = "gls") -> Struct:
    """Return a struct of a namespace as a parameter, from its declaration.

    Its fields are numbers or pointers to numbers, of types that parameters of kernels may have. The
    fields end at the first function of the struct.
    """
    members = [member for line in _declarations(text, name) for member in _members(line)]
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return Struct(f"{namespace}::{name}", snake, tuple(members))


def in_order(header: str, name: str, data: Mapping[str, Any]) -> list[Any]:
    """Return the parameters of a functor in the order of the fields of its C++ struct.

    Parameters
    ----------
    header, name : str
        Header and name of the struct, whose fields have 8 bytes each: ``int64``, ``double`` or
        pointers. The functor reads it with `parameters_of` of backends/include/words.cuh.
    data : mapping
        A value for each field, by name.
    """
    members = struct_of(header, name).members
    wide = all(_codes(member) in (*"qQd", POINTER) for member in members)
    names = [member.name for member in members]
    if not wide or set(names) != set(data):
        raise ValueError(f"{header}: fields of {name} are {names}, but there are {list(data)}")
    return [data[name] for name in names]


def kept_words(xp: ModuleType, words: Iterable[Any]) -> list[Any]:
    """Return parameters of a functor, with its arrays as contiguous arrays of `xp`.

    The caller must keep the arrays as long as kernels use their addresses.
    """
    return [
        xp.ascontiguousarray(xp.asarray(word)) if hasattr(word, "strides") else word
        for word in words
    ]


def packed_words(xp: ModuleType, words: Sequence[Any], address: Callable[[Any], int]) -> Any:
    """Return parameters of a functor as 8-byte words, which backends/include/words.cuh reads.

    `words` are integers, floats and arrays. The result, an array of `xp`, is never empty.
    """
    packed = np.zeros(len(words) + 1, "uint64")
    for place, word in enumerate(words):
        if isinstance(word, float):
            packed[place : place + 1].view("float64")[0] = word
        else:
            packed[place] = word if isinstance(word, int) else address(word)
    return xp.asarray(packed)


def row_type(header: str, name: str, **lengths: int) -> np.dtype[Any]:
    """Return the NumPy type of a C++ struct like those of `in_order`; fields may also be arrays.

    `lengths` gives the template arguments that are lengths of arrays, such as ``kObjectives`` in
    ``double weights[kObjectives];``.
    """
    fields = []
    for line in _declarations(read(header), name):
        shape = tuple(lengths[length] for length in re.findall(r"\[(\w+)\]", line))
        for member in _members(re.sub(r"\[\w+\]", "", line)):
            code = _codes(member)
            fields.append((member.name, "Q" if code == POINTER else code, shape))
    return np.dtype(fields)


def words_of(header: str, name: str) -> int:
    """Return the size of a struct in a header of the package, in words of 8 bytes."""
    return struct_of(header, name).layout.size // 8


@cache
def constant(header: str, name: str) -> int:
    """Return an integer constant of a header, such as ``constexpr int kName = 32;``."""
    return _number(_declared(header, name, rf"({NUMBER})[;,]"))


@cache
def real_constant(header: str, name: str) -> float:
    """Return a real constant of a header, such as ``constexpr double kName = 0.5;``."""
    return float(_declared(header, name, rf"({REAL})[;,]"))


@cache
def enumerators(header: str, name: str) -> dict[str, int]:
    """Return the values of an enumeration in a header by enumerator, in the order of the header."""
    found = re.search(rf"\benum (class )?{name}[^{{;]*{{(.*?)}}", _code(header), re.DOTALL)
    if found is None:
        raise ValueError(f"{header} declares no enum {name}")
    values: dict[str, int] = {}
    following = 0
    for line in filter(None, (line.strip() for line in found[2].split(","))):
        enumerator, _, value = line.partition(" = ")
        values[enumerator] = _number(value) if value else following
        following = values[enumerator] + 1
    return values


def _code(header: str) -> str:
    return re.sub(r"//.*", "", read(header))


def _declared(header: str, name: str, value: str) -> str:
    """Return the text of a constant's value; raise unless it is declared exactly once."""
    found = re.findall(rf"\b{name} = {value}", _code(header))
    if len(found) != 1:
        raise ValueError(f"{header} declares {'several' if found else 'no'} {name}")
    return str(found[0])


def _number(text: str) -> int:
    """Return the value of a literal of C++, which may be shifted."""
    base, _, shift = text.partition(" << ")
    return int(base.removeprefix("int64(").rstrip(")"), 0) << int(shift or 0)


def _declarations(text: str, name: str) -> list[str]:
    """Return the declarations of a struct's fields, without comments."""
    code = re.sub(r"//.*", "", text)
    found = re.search(rf"\bstruct {name} {{(.*?)(?:GLS_DEVICE|\n}})", code, re.DOTALL)
    if found is None:
        raise ValueError(f"no struct {name} without a base is declared")
    return [line for line in found[1].split(";") if line.strip()]


def _members(declaration: str) -> list[Parameter]:
    """Return the fields of a declaration such as ``const int *from, *to``."""
    whole = re.fullmatch(r"\s*(const )?(?:gls::)?(unsigned char|\w+)\b(.*)", declaration, re.DOTALL)
    names = whole[3].split(",") if whole else []
    each = [re.fullmatch(r"\s*(\*?)\s*(\w+)\s*", one) for one in names]
    if whole is None or not all(each):
        raise ValueError(f"not a number or a pointer to numbers: {declaration.strip()}")
    scope = "gls::" if whole[2] in OWN_TYPES else ""
    item = f"{whole[1] or ''}{scope}{whole[2]}"
    return [Parameter(f"{item}{one[1]}", one[2]) for one in each if one]
