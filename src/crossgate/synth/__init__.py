"""Synthesize the platform: run the project's cdk8s app, judge what it wrote, and put it into ``dist/``.

The app itself imports ``output`` from here, so this module imports nothing.
"""
