"""Model files: what is written, and what is checked before a model is used."""
