"""Known-answer cases: copies of gold cases with one planted defect, which measure attention."""
