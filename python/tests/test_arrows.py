"""No file of the project imports one that imports it."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python/tools"))
import arrows  # noqa: E402


def test_no_file_imports_one_that_imports_it():
    for of in arrows.all_of(ROOT):
        assert arrows.circle(of) == []


@pytest.mark.parametrize(
    "files",
    [
        {"a.rs": "use super::b::B;\npub struct A;", "b.rs": "pub struct B(super::a::A);"},
        {"a.rs": "use crate::B;\npub struct A;", "b.rs": "use super::{\n    a::{A},\n};\npub struct B;"},
        {"a.rs": "use super::b;\nfn f() { b::g() }", "b.rs": "pub fn g() { super::a::f() }"},
    ],
)
def test_a_circle_in_rust_is_found(tmp_path, files):
    (tmp_path / "lib.rs").write_text("mod a;\nmod b;\npub use b::B;\n")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert {p.name for p in arrows.circle(arrows.rust(tmp_path))} == {"a.rs", "b.rs"}


def test_comments_strings_tests_and_a_folders_face_make_none(tmp_path):
    (tmp_path / "lib.rs").write_text("mod a;\npub use a::A;\n")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/mod.rs").write_text("mod b;\npub use b::B;\npub struct A(B);\n")
    (tmp_path / "a/b.rs").write_text(
        'use super::A; // crate::c::C\nconst S: &str = "crate::c::C";\npub struct B;\n'
        "#[cfg(test)]\nmod tests {\n    use crate::a::B;\n    fn f() {}\n}\n"
    )
    assert arrows.circle(arrows.rust(tmp_path)) == []


def test_a_circle_in_python_is_found(tmp_path):
    package = tmp_path / "p"
    (package / "q").mkdir(parents=True)
    (package / "__init__.py").write_text("from p.a import f\n")
    (package / "q/__init__.py").write_text("")
    (package / "a.py").write_text("from .q.b import g\n")
    (package / "q/b.py").write_text("from ..a import f\n")
    assert {p.name for p in arrows.circle(arrows.python(package))} == {"a.py", "b.py"}
