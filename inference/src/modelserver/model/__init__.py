"""A model on disk and in memory: manifest, safe loading, exact forward."""
