"""Sites: what they cost, whether united sites answer as one collection, and what a thief learns."""
