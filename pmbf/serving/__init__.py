"""Whoever answers over HTTP.

http     connections, requests and responses within limits
service  the leak check as a local service, for hooks and for programs
web      the application for browsers, and its REST interface
"""
