"""What people see, as text for a terminal. Values in, `str` out; nothing here prints."""
