"""OPA itself beside the embedded engine: as the program that runs tests, and as the server that judges.

Nothing here is imported unless OPA is asked for.
"""
