"""An endpoint that plays the five roles by itself: for the sample project, for trying out and for tests."""
