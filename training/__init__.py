"""Training, evaluating and exporting policies."""
