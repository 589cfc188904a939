"""These tests are part of `./run check`."""

import pytest

pytestmark = pytest.mark.quick
