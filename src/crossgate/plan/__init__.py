"""The plan: what a merge would change, down to the fields of composed resources, and what of it is dangerous."""
