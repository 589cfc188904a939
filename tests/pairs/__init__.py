"""A package, so that its conftest is not mistaken for the one of all tests."""
