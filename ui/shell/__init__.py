"""The frame around the pages: header, rail, footer, palette, going in and out of projects."""
