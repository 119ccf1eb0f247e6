"""The colours of both themes, one hue per stage, and the sizes everything is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from scoring.model.taxonomy import Severity, Stage


class Tone(StrEnum):
    """What a coloured thing says; always beside a word or an icon, never alone."""

    NEUTRAL = "neutral"
    ACCENT = "accent"
    OK = "ok"
    WARN = "warn"
    ERROR = "error"


SEVERITY_TONE: Mapping[Severity, Tone] = {
    Severity.INFO: Tone.ACCENT,
    Severity.WARNING: Tone.WARN,
    Severity.ERROR: Tone.ERROR,
}


SIDES = "ABCDE"
"""Letters of people whose judgments lie side by side, as many as a policy may ask for."""


def side_colour(letter: str) -> str:
    """The named colour of a side."""
    return f"side_{letter.lower()}"


@dataclass(frozen=True)
class Pair:
    """A text colour and the ground it stands on."""

    text: str
    ground: str


@dataclass(frozen=True)
class Tokens:
    """The named colours of one theme, as `#rrggbb`.

    `line` separates, `line_strong` outlines what can be clicked; `faint` is for marks, outlines of
    fields and words that are disabled.
    `user`, `call`, `observation` and `answer` are the hues of the kinds of a dialogue's cards, `side_a` to
    `side_e` those of the people whose judgments lie side by side.
    """

    is_dark: bool
    bg: str
    surface: str
    raised: str
    line: str
    line_strong: str
    text: str
    muted: str
    faint: str
    accent: str
    accent_bg: str
    on_accent: str
    ok: str
    ok_bg: str
    warn: str
    warn_bg: str
    error: str
    error_bg: str
    code: str
    selection: str
    hover: str
    user: str
    call: str
    observation: str
    answer: str
    side_a: str
    side_b: str
    side_c: str
    side_d: str
    side_e: str
    stage: Mapping[Stage, str] = field(default_factory=dict)

    def tone(self, tone: Tone) -> Pair:
        """Text and ground of a tone."""
        return {
            Tone.NEUTRAL: Pair(self.muted, self.code),
            Tone.ACCENT: Pair(self.accent, self.accent_bg),
            Tone.OK: Pair(self.ok, self.ok_bg),
            Tone.WARN: Pair(self.warn, self.warn_bg),
            Tone.ERROR: Pair(self.error, self.error_bg),
        }[tone]

    def stage_pair(self, stage: Stage) -> Pair:
        """Text and ground of a stage's chip."""
        return self._tinted(self.stage[stage])

    def side_pair(self, letter: str) -> Pair:
        """Text and ground of the chip of a side; its letter is one of `SIDES`."""
        return self._tinted(getattr(self, side_colour(letter)))

    def _tinted(self, hue: str) -> Pair:
        return Pair(hue, mix(hue, self.surface, 0.18 if self.is_dark else 0.08))

    def colours(self) -> dict[str, str]:
        """Every named colour, for templates; stages are not among them."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, str)}


def mix(over: str, under: str, share: float) -> str:
    """Lay one colour over another.

    Args:
        over: Colour on top, `#rrggbb`.
        under: Colour below.
        share: How much of the upper one is seen, 0 to 1.

    Returns:
        The colour that is seen, `#rrggbb`.
    """
    channels = (
        round(int(over[i : i + 2], 16) * share + int(under[i : i + 2], 16) * (1 - share)) for i in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


LIGHT = Tokens(
    is_dark=False,
    bg="#f5f6f8",
    surface="#ffffff",
    raised="#fbfcfd",
    line="#e2e5ea",
    line_strong="#cfd4dc",
    text="#1b2330",
    muted="#5b677a",
    faint="#7d8799",
    accent="#305ee6",
    accent_bg="#eef3ff",
    on_accent="#ffffff",
    ok="#17794b",
    ok_bg="#e7f6ee",
    warn="#995700",
    warn_bg="#fff3dc",
    error="#c0310a",
    error_bg="#ffede6",
    code="#f3f5f8",
    selection="#e3ebff",
    hover="#f0f2f6",
    user="#6b4fd8",
    call="#0a7570",
    observation="#8a5a00",
    answer="#1c5fb8",
    side_a="#305ee6",
    side_b="#8a5a00",
    side_c="#0a7570",
    side_d="#a1378f",
    side_e="#4d7a12",
    stage={
        Stage.IMPORTED: "#5b677a",
        Stage.SELF_CHECK_TASK: "#305ee6",
        Stage.SELF_CHECK_DIALOGUE: "#6b4fd8",
        Stage.CROSS_CHECK: "#0a7570",
        Stage.APPROVED: "#4d7a12",
        Stage.ESCALATED: "#b0450b",
        Stage.EXPERT: "#a1378f",
        Stage.FINAL: "#17794b",
        Stage.RELEASED: "#0a6c8f",
        Stage.RETURNED: "#8a5a00",
        Stage.REJECTED: "#b3261e",
    },
)

DARK = Tokens(
    is_dark=True,
    bg="#12151a",
    surface="#191d24",
    raised="#1e232b",
    line="#2a303a",
    line_strong="#3a424f",
    text="#e4e8ee",
    muted="#97a1b2",
    faint="#7f8999",
    accent="#7aa0ff",
    accent_bg="#1f2a44",
    on_accent="#0c1222",
    ok="#5fd19b",
    ok_bg="#15301f",
    warn="#f0b65a",
    warn_bg="#332813",
    error="#ff8f6b",
    error_bg="#3a1d14",
    code="#14181e",
    selection="#25345c",
    hover="#232932",
    user="#b3a1ff",
    call="#5fd3cb",
    observation="#e5b567",
    answer="#86b6ff",
    side_a="#7aa0ff",
    side_b="#e5b567",
    side_c="#5fd3cb",
    side_d="#f092dc",
    side_e="#b2d463",
    stage={
        Stage.IMPORTED: "#97a1b2",
        Stage.SELF_CHECK_TASK: "#7aa0ff",
        Stage.SELF_CHECK_DIALOGUE: "#b3a1ff",
        Stage.CROSS_CHECK: "#5fd3cb",
        Stage.APPROVED: "#b2d463",
        Stage.ESCALATED: "#ff9d66",
        Stage.EXPERT: "#f092dc",
        Stage.FINAL: "#5fd19b",
        Stage.RELEASED: "#6fcbf0",
        Stage.RETURNED: "#e5b567",
        Stage.REJECTED: "#ff8a80",
    },
)


TINY, SMALL, BASE = 11, 12, 13
"""Type sizes, in pixels at 100 %; tiny only for keys and section labels."""

HEADER_HEIGHT, STATUS_HEIGHT = 44, 26
"""Heights of the bars at the top and at the bottom of the window, in pixels at 100 %."""
