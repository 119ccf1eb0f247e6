"""What a run is worth: the one list of measures, and how sure their figures are."""
