"""Programs that show how anfora is used; `python -m anfora NAME` runs them."""
