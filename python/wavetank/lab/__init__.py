"""Experiments: what is run (plan, runner), read off it (records, metrics) and judged (claims, judge, reproduce)."""
