"""Rivals of other kinds: kernels, distances, one class."""
