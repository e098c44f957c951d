"""Rivals that train a neural network on a PU risk."""
