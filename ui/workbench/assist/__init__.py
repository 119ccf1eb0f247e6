"""What a model proposes in the Workbench: wordings, labels, edges, answers, the next task."""
