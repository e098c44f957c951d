"""The tensor network: torch in, torch out; any number of chains; no classes, no tables."""
