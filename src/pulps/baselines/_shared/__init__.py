"""What several rivals share; nothing here is a rival."""
