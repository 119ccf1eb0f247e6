"""Draw the six scripted agents of the tests, each of which lacks one ability: `python docs/pictures/teval_agents.py`."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parents[1]))

from annotator.release.reports.figure_style import LIGHT, PictureFormat, picture  # noqa: E402
from annotator.release.reports.teval_section import radar_figure  # noqa: E402
from scoring.teval.evaluators import TEvalProfile  # noqa: E402
from scoring.teval.scores import score_items, summarise  # noqa: E402
from scoring.teval.similarity import CharacterTriples  # noqa: E402
from tests.scoring.teval.agents import WEAK, agent_replies  # noqa: E402
from tests.scoring.teval.sample_items import sample_items  # noqa: E402


def main() -> None:
    """Score the agents over the bundled samples under the rules of the paper and draw them."""
    items, compare, shown = sample_items(), CharacterTriples(), []
    for lacking, spoil in WEAK.items():
        replies = agent_replies(items, spoil)
        results = score_items(items, replies, profile=TEvalProfile.PAPER, similarity=compare)
        scores = summarise(results, profile=TEvalProfile.PAPER, similarity=compare.model, items_sha256="")
        shown.append((f"weak at {lacking}", scores.abilities))
    (FOLDER / "teval_agents.png").write_bytes(picture(radar_figure(shown, palette=LIGHT), PictureFormat.PNG))


if __name__ == "__main__":
    main()
