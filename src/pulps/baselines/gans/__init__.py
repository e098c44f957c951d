"""Rivals that generate the missing class."""
