"""One two-way codec per file format, and the reader that tells them apart."""
