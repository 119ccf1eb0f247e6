"""What must be there before Qt is touched: a display, and the system's libraries; no Qt import here."""

import ctypes
import importlib.util
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from scoring.errors import AnnotatorError, missing_package
from scoring.texts import tr, with_commas

_QT_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
_XCB_PACKAGES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
PACKAGES: Mapping[str, str] = _QT_PACKAGES | _XCB_PACKAGES
"""Debian's package of each library that Qt's wheels expect from the system."""

_SHARED_OBJECT = re.compile(r"(lib[\w.+-]+\.so[\w.]*)")


def refuse_without_display(environment: Mapping[str, str], *, platform: str = sys.platform) -> None:
    """Refuse where no window can be shown.

    Args:
        environment: The process's environment variables.
        platform: As `sys.platform`; macOS and Windows always have a display.

    Raises:
        AnnotatorError: Linux without a display, and no Qt platform was asked for.
    """
    named = any(environment.get(key) for key in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if platform.startswith("linux") and not named:
        raise AnnotatorError(
            tr(
                "There is no display to open a window on: `annotator demo --headless` shows the whole "
                "way without one, and `annotator --help` lists what else works here."
            )
        )


def refuse_without_libraries(environment: Mapping[str, str], *, platform: str = sys.platform) -> None:
    """Refuse where a system library is missing without which Qt would end the program.

    Qt's X11 plugin is loaded only when the application is made, and Qt aborts where that fails; so it
    is loaded here first.

    Args:
        environment: As for `refuse_without_display`.
        platform: As for `refuse_without_display`.

    Raises:
        AnnotatorError: Names the packages that bring what is missing.
    """
    if not platform.startswith("linux"):
        return
    asked = environment.get("QT_QPA_PLATFORM", "")
    uses_x11 = asked.startswith("xcb") or (not asked and not environment.get("WAYLAND_DISPLAY"))
    plugin = _x11_plugin() if uses_x11 else None
    if plugin is None:
        return
    problem = loading_problem(str(plugin))
    if problem:
        raise missing_libraries(_found_missing(PACKAGES) or _SHARED_OBJECT.findall(problem), problem)


def explained(error: ImportError) -> AnnotatorError:
    """Say what to install where Qt could not be imported."""
    absent = missing_package(error) if isinstance(error, ModuleNotFoundError) else None
    if absent is not None:
        return absent
    words = str(error)
    named = [name for name in _SHARED_OBJECT.findall(words) if "PySide6" not in name]
    missing = _found_missing(_QT_PACKAGES)
    return missing_libraries([*missing, *(name for name in named if name not in missing)], words)


def missing_libraries(names: Iterable[str], words: str) -> AnnotatorError:
    """The error for missing libraries.

    Args:
        names: Libraries, e.g. `libEGL.so.1`; may be empty.
        words: What the system said, shown where no library is known.
    """
    listed = list(dict.fromkeys(names))
    packages = sorted({PACKAGES[name] for name in listed if name in PACKAGES})
    if packages:
        return AnnotatorError(
            tr("The window needs a library this system lacks: {listed}.", listed=with_commas(listed)),
            tr("On Debian or Ubuntu: sudo apt-get install {packages}", packages=" ".join(packages)),
        )
    return AnnotatorError(
        tr("The window's libraries cannot be loaded: {words}.", words=words),
        tr("Install Annotator again; the other commands work without the window."),
    )


def loading_problem(library: str) -> str:
    """Why a library cannot be loaded; empty where it can."""
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return str(error)
    return ""


def _found_missing(names: Iterable[str]) -> list[str]:
    return [name for name in names if loading_problem(name)]


def _x11_plugin() -> Path | None:
    spec = importlib.util.find_spec("PySide6")
    folders = spec.submodule_search_locations if spec else None
    if not folders:
        return None
    plugin = Path(folders[0]) / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    return plugin if plugin.exists() else None


def read_no_sources() -> None:
    """Let Qt's binding not read the source file of every module that is imported after it.

    It looks for its own name in them, to know where its optional naming of methods applies. None is used
    here; the reading is a seventh of the start and keeps every source in memory. Where a later binding
    does it otherwise, nothing is changed.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None and "_mod_uses_pyside" in vars(feature):
        vars(feature)["_mod_uses_pyside"] = lambda module: module.__name__.startswith(_UI)


_UI = __name__.removesuffix("services.preflight")


def hold_singletons() -> None:
    """Keep `None`, `True` and `False` alive where Qt's wheels give away references that are not theirs.

    PySide6 6.12.0 is built as if these were immortal, as they are since Python 3.12. Before that every
    call without a result takes a reference of `None` away, and some minutes of work end in a fatal
    `none_dealloc`. (Measured: one per call with 6.12.0 on 3.11, none with 6.11.1.)
    """
    if sys.version_info >= (3, 12) or sys.implementation.name != "cpython":
        return
    for held in (None, True, False):
        ctypes.c_ssize_t.from_address(id(held)).value += 1 << 40
