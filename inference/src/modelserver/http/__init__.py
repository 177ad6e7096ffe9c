"""The HTTP side: routing, admission, answers, documents, metrics."""
