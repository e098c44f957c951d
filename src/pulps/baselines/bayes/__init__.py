"""Rivals that model attributes with Bayesian networks."""
