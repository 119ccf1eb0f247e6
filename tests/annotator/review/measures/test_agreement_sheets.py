"""Agreement as tables of comma-separated values."""

import csv
from io import StringIO

from annotator.review.measures.agreement_sheets import experts_csv
from annotator.review.measures.trends import ExpertPoint
from scoring.measures.intervals import Interval
from scoring.measures.rates import rate


def test_a_week_without_labels_has_empty_cells_and_not_nought() -> None:
    points = [
        ExpertPoint(
            person="ann",
            label="2026-W47",
            kept=rate(3, 4),
            case_count=2,
            interval=Interval(low=0.3, high=0.95),
        ),
        ExpertPoint(person="", label="2026-W48", kept=rate(0, 0), case_count=0, interval=None),
    ]
    rows = list(csv.DictReader(StringIO(experts_csv(points))))
    assert [row["person"] for row in rows] == ["ann", ""]
    assert rows[0] == {
        "person": "ann",
        "week": "2026-W47",
        "kept": "0.75",
        "low": "0.3",
        "high": "0.95",
        "labels": "4",
        "cases": "2",
    }
    assert (rows[1]["kept"], rows[1]["low"], rows[1]["high"], rows[1]["labels"]) == ("", "", "", "0")
