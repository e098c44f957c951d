"""How states learn from labeled and unlabeled rows."""
