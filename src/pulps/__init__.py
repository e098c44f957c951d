"""Positive-unlabeled learning with locally purified states."""
