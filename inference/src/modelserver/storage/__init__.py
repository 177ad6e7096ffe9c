"""Where models come from: S3, or a local folder."""
