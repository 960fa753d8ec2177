"""Memories in and out: a file that holds all of them, and what other tools wrote."""
