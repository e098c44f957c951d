"""Recipes: what a user seldom sets, apart from what it does; and the settings of the paper."""
