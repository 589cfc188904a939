"""Tests of the endpoint filter."""
