"""From a request's bytes to rows of float32: JSON, CSV, Arrow, images, tensors."""
