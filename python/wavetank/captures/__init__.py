"""The air in files: captures written and explained, timelines, TCP/HACK's codec over a capture."""
