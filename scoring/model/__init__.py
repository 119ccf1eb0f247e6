"""The nouns every floor shares: case, graph, labels and the closed sets they use."""
