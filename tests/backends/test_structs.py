"""Structs of arguments: read from C++, and packed in the layout of compilers."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gpu_ls_plugin.backends import get_backend, structs
from gpu_ls_plugin.backends.composition import Kernel, Parameter
from gpu_ls_plugin.backends.structs import Arguments, Struct, parse_struct
from gpu_ls_plugin.core.exceptions import CompilationError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator

# The order of the fields leaves many gaps.
DECLARED = """
namespace gls {
struct ManyKinds {
  int first;            // 0, then a gap
  const int64* counts;  // of rows; int unused;
  float ratio;
  uint64 seed;
  unsigned char *states, *more;
  int64 least, most;
  int last;  // and a gap

  GLS_DEVICE int sum() const { return first + last; }
};
}  // namespace gls
"""
PROBE = (
    DECLARED
    + """
struct Probe {
  template <class Team>
  GLS_DEVICE static void run(const Team&, int item, gls::ManyKinds many, gls::int64* seen) {
    gls::int64* own = seen + 9 * item;
    own[0] = many.first;
    own[1] = many.counts[item];
    own[2] = gls::int64(many.ratio * 4);
    own[3] = gls::int64(many.seed);
    own[4] = many.states == nullptr ? -1 : many.states[item];
    own[5] = many.more == nullptr ? -1 : many.more[item];
    own[6] = many.least;
    own[7] = many.most;
    own[8] = many.last;
  }
};
"""
)
MANY = parse_struct(DECLARED, "ManyKinds")
ARGUMENTS = {"first": 7, "ratio": 0.75, "seed": 2**63 + 5, "least": -(2**62), "most": 3, "last": -9}


def probe(struct: Struct, backend: str, as_one: bool) -> Kernel:
    """Return a kernel that writes all fields into an array, if `as_one` with one parameter."""
    parameters = (struct, Parameter("gls::int64*", "seen"))
    return Kernel(
        name="probe",
        header="tours/problem/metric.cuh",
        body="Probe",
        parameters=(Arguments.of(parameters),) if as_one else parameters,
        team="gls::Host" if backend == "cpu" else "gls::Thread<32>",
        functors=(PROBE,),
    )


def seen_by_kernel(
    backend: str, struct: Struct = MANY, as_one: bool = False, **changed: object
) -> np.ndarray:
    """Return the fields that two items of the probe have read."""
    chosen = get_backend(backend)
    arrays = {
        "counts": chosen.xp.asarray([10, 20], "int64"),
        "states": chosen.xp.asarray([1, 2], "uint8"),
        "more": None,
        "seen": chosen.xp.zeros((2, 9), "int64"),
    }
    arguments = ARGUMENTS | arrays | changed
    chosen.launch(probe(struct, backend, as_one), 2, arguments)
    return chosen.to_numpy(arguments["seen"])


@pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("as_one", [False, True])
def test_kernels_read_what_was_packed(as_one, backend):
    seed = ARGUMENTS["seed"] - 2**64
    expected = [[7, 10 * row, 3, seed, row, -1, -(2**62), 3, -9] for row in (1, 2)]
    assert seen_by_kernel(backend, as_one=as_one).tolist() == expected


def test_fields_are_read_from_their_declaration():
    assert (MANY.type, MANY.name) == ("gls::ManyKinds", "many_kinds")
    assert [(p.type, p.name) for p in MANY.fields] == [
        ("int", "first"),
        ("const gls::int64*", "counts"),
        ("float", "ratio"),
        ("gls::uint64", "seed"),
        ("unsigned char*", "states"),
        ("unsigned char*", "more"),
        ("gls::int64", "least"),
        ("gls::int64", "most"),
        ("int", "last"),
    ]
    assert MANY.offsets == (0, 8, 16, 24, 32, 40, 48, 56, 64)
    assert MANY.layout.size == 72


@pytest.mark.parametrize(
    ("line", "other", "words"),
    [
        ("int last;", "int last, over, more_over;", "no member|gls::ManyKinds"),
        ("int64 least, most;", "int least, most;", "gls::ManyKinds::most"),
        ("int last;", "", r"sizeof|gls::ManyKinds"),
    ],
)
def test_a_layout_that_is_not_the_compilers_does_not_compile(line, other, words):
    """Python has read another declaration than the compiler."""
    struct = parse_struct(DECLARED.replace(line, other), "ManyKinds")
    with pytest.raises(CompilationError, match=words):
        seen_by_kernel("cpu", struct)


def test_nested_structs_are_aligned():
    narrow = Struct("gls::Narrow", "narrow", (Parameter("int", "low"), Parameter("float", "high")))
    flag, last = Parameter("int", "flag"), Parameter("int", "last")
    one = Arguments.of((flag, MANY, last, narrow, Parameter("int", "end")))
    assert one.offsets == (0, 8, 80, 84, 92)
    assert one.layout.size == 96
    assert one.passed.startswith("arguments.flag, arguments.many_kinds, arguments.last")
    assert [p.name for p in one.fields][-4:] == ["last", "low", "high", "end"]


@pytest.mark.parametrize("field", ["int x[3];", "int** x;", "Other x;", "int;", "const int& x;"])
def test_fields_that_no_argument_fits_are_refused(field):
    with pytest.raises((ValueError, KeyError)):
        _ = parse_struct(f"struct Odd {{\n  int n;\n  {field}\n}};", "Odd").layout


def test_missing_structs_are_refused():
    for text in ("struct Odd;", "struct Odd : Other {\n  int n;\n};", "struct Other {\n};"):
        with pytest.raises(ValueError, match="Odd"):
            parse_struct(text, "Odd")


def test_arrays_in_structs_are_checked():
    for wrong in (np.zeros((2, 2), "int64")[:, 0], np.zeros(2, "int32")):
        with pytest.raises(InvalidTypeError, match=r"counts: kernels read const gls::int64\*"):
            seen_by_kernel("cpu", counts=wrong)


@pytest.mark.parametrize("value", [1e39, -1e300, math.inf])
def test_numbers_beyond_float_are_infinite(value):
    packed = MANY.pack({**ARGUMENTS, "ratio": value, "counts": 0, "states": 0, "more": 0}, _given)
    assert MANY.layout.unpack(packed)[2] == math.copysign(math.inf, value)


def test_one_byte_array_is_what_cupy_passes_by_value():
    function = pytest.importorskip("cupy.cuda.function")
    packed = MANY.pack({**ARGUMENTS, "counts": 1, "states": 2, "more": 3}, _given)
    record = np.frombuffer(packed, MANY.record)
    assert record.size == 1
    assert function.CNumpyArray(record).ptr == record.ctypes.data
    assert record.tobytes() == packed


def _given(parameter: Parameter, address: int) -> int:
    return address


def test_parameters_are_ordered_as_cpp_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "struct Own {\n  const int* a;\n  int64 b;\n  double c;\n  const void *d, *e;\n};"
    monkeypatch.setattr(structs, "read", lambda header: text)
    structs.struct_of.cache_clear()
    given = {"e": 5, "d": 4, "c": 3.0, "b": 2, "a": 1}
    assert structs.in_order("own.cuh", "Own", given) == [1, 2, 3.0, 4, 5]
    for wrong in (given | {"f": 1}, {name: given[name] for name in "abcd"}):
        with pytest.raises(ValueError, match="fields of Own are"):
            structs.in_order("own.cuh", "Own", wrong)
    assert structs.words_of("own.cuh", "Own") == 5
    structs.struct_of.cache_clear()


def test_rows_have_a_type_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "struct Own {\n  const void* a[k];  // of b\n  int64 b;\n  double c[k];\n};"
    monkeypatch.setattr(structs, "read", lambda header: text)
    found = structs.row_type("own.cuh", "Own", k=3)
    assert found == np.dtype([("a", "u8", 3), ("b", "i8"), ("c", "f8", 3)])
    assert found.itemsize == 8 * 7


DECLARED_NUMBERS = """
constexpr int kOne = 32;  // not kTwo = 3;
constexpr int kTwo = 1 << 4, kMask = 0x7f;
constexpr int64 kWide = int64(1) << 40;
constexpr double kHalf = 0.5, kLarge = 1e300;
enum class Kind : uint32 { kFirst, kThird = 3, kFourth };  // kLast
constexpr int kAgain = 1;
constexpr int kAgain = 2;
"""


@pytest.fixture
def declared_numbers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    readers = structs.constant, structs.real_constant, structs.enumerators
    monkeypatch.setattr(structs, "read", lambda header: DECLARED_NUMBERS)
    for reader in readers:
        reader.cache_clear()
    yield
    for reader in readers:
        reader.cache_clear()


@pytest.mark.usefixtures("declared_numbers")
def test_constants_are_read_from_headers() -> None:
    names = ("kOne", "kTwo", "kMask", "kWide")
    assert [structs.constant("own.cuh", name) for name in names] == [32, 16, 127, 2**40]
    assert structs.real_constant("own.cuh", "kHalf") == 0.5
    assert structs.real_constant("own.cuh", "kLarge") == 1e300
    kinds = {"kFirst": 0, "kThird": 3, "kFourth": 4}
    assert structs.enumerators("own.cuh", "Kind") == kinds


@pytest.mark.usefixtures("declared_numbers")
def test_constants_that_are_not_declared_once_are_refused() -> None:
    for name, number in (("kThree", "no"), ("kAgain", "several"), ("kHalf", "no")):
        with pytest.raises(ValueError, match=f"declares {number} {name}"):
            structs.constant("own.cuh", name)
    with pytest.raises(ValueError, match="declares no enum Sort"):
        structs.enumerators("own.cuh", "Sort")


def test_arrays_of_structs_have_their_fields() -> None:
    text = "struct Own {\n  int a;\n  int64 b;\n  float c;\n};"
    rows = np.zeros(2, parse_struct(text, "Own").items)
    rows[1] = (1, 2, 0.5)
    assert (rows.itemsize, rows["b"].tolist()) == (24, [0, 2])
    assert rows.tobytes()[24:] == parse_struct(text, "Own").layout.pack(1, 2, 0.5)


def copied_numbers(text: str) -> list[str]:
    """Return the names of numbers that a module copies from C++, by their comments."""
    lines = text.splitlines()
    return [
        ast.unparse(target)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and any(map(_is_number, ast.walk(node.value)))
        for target in node.targets
        if OF_CPP.search("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        and not READERS.search(ast.unparse(node.value))
    ]


OF_CPP = re.compile(r"#.*(gls::|\bk[A-Z]\w)")
READERS = re.compile(r"\b(constant|real_constant|enumerators|struct_of)\(")


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def test_no_number_is_written_in_both_languages() -> None:
    root = Path(structs.__file__).parents[1]
    files = {str(file.relative_to(root)): file for file in root.rglob("*.py")}
    found = {name: copied_numbers(file.read_text("utf-8")) for name, file in files.items()}
    assert {name: names for name, names in found.items() if names} == ALLOWED


# A limit that follows from a type of C++.
ALLOWED = {"tours/engines/exhaustive/three_opt_climb.py": ["LONGEST_INT"]}


def test_the_check_of_numbers_works() -> None:
    for copied in (
        "MOST = 32  # gls::kMost",
        "A, B = 1 << 3, 128  # kSome and kOther",
        "SIDES = {4: 3}  # gls::Squares::kSide",
        "STATES = range(4)  # gls::SearchState",
        "SIZES = (\n    1,\n    2,  # of gls::Size\n)",
    ):
        assert copied_numbers(copied), copied
    for right in (
        'MOST = constant("own.cuh", "kMost")  # gls::kMost',
        "MOST = 32  # lanes",
        'NAME = "kMost"  # gls::kMost',
    ):
        assert not copied_numbers(right), right
