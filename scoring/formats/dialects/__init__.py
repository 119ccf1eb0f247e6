"""Other people's files: each shape is rewritten as OpenAI messages before it is read (formats 11)."""
