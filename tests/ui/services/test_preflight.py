"""Before Qt is touched: no display and missing libraries are said in words that help."""

import sys
from pathlib import Path

import pytest

from scoring.errors import AnnotatorError
from ui.services.preflight import (
    PACKAGES,
    explained,
    hold_singletons,
    loading_problem,
    missing_libraries,
    refuse_without_display,
    refuse_without_libraries,
)


def test_linux_without_a_display_is_told_the_command_that_needs_none() -> None:
    with pytest.raises(AnnotatorError, match="annotator demo --headless") as told:
        refuse_without_display({"HOME": "/root"}, platform="linux")
    assert str(told.value).count(".") == 1  # one sentence


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_any_named_display_is_tried(name: str) -> None:
    refuse_without_display({name: "x"}, platform="linux")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_always_have_a_display(platform: str) -> None:
    refuse_without_display({}, platform=platform)


@pytest.mark.parametrize(
    ("library", "package"),
    [("libEGL.so.1", "libegl1"), ("libxkbcommon.so.0", "libxkbcommon0"), ("libGL.so.1", "libgl1")],
)
def test_a_failed_import_names_the_package_that_brings_the_library(library: str, package: str) -> None:
    error = explained(ImportError(f"{library}: cannot open shared object file: No such file or directory"))
    assert library in error.message
    assert error.hint == f"On Debian or Ubuntu: sudo apt-get install {package}"


def test_several_missing_libraries_are_one_command() -> None:
    error = missing_libraries(["libxcb-icccm.so.4", "libxcb-cursor.so.0"], "")
    assert error.hint.endswith("apt-get install libxcb-cursor0 libxcb-icccm4")


def test_where_qt_is_not_installed_the_package_to_install_is_named() -> None:
    error = explained(ModuleNotFoundError("No module named 'PySide6'", name="PySide6"))
    assert error.message == "This needs the package PySide6, which is not installed."
    assert error.hint == "Install it with: pip install 'annotator-workbench'"


def test_an_unknown_reason_is_passed_on() -> None:
    error = explained(ImportError("DLL load failed while importing QtCore"))
    assert "DLL load failed while importing QtCore" in error.message


def test_a_library_that_is_not_there_is_a_problem() -> None:
    assert "libnowhere.so.9" in loading_problem("libnowhere.so.9")


def test_without_x11_its_libraries_are_not_looked_at() -> None:
    refuse_without_libraries({"QT_QPA_PLATFORM": "offscreen"}, platform="linux")


def test_every_x11_library_that_qt_links_has_its_package() -> None:
    import PySide6

    folder = Path(PySide6.__file__).parent / "Qt"
    binaries = [folder / "plugins/platforms/libqxcb.so", folder / "lib/libQt6XcbQpa.so.6"]
    texts = {part.decode("ascii", "replace") for file in binaries for part in file.read_bytes().split(b"\0")}
    linked = {text for text in texts if text.startswith("libxcb") and ".so." in text and " " not in text}
    assert "libxcb-cursor.so.0" in linked
    assert linked <= set(PACKAGES)


@pytest.mark.parametrize("value", [None, True, False])
def test_a_wheel_that_gives_away_foreign_references_cannot_end_the_program(value: bool | None) -> None:
    hold_singletons()
    assert sys.getrefcount(value) > 1 << 29  # immortal objects of 3.12 and later stand at 2 ** 32 - 1 or more
