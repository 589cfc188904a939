"""Tests of damage, kills and hostile folders."""
