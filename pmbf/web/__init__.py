"""The web application: texts are screened in a browser or over REST, with history, decisions and the collection.

bridge ── connections of the service to an ASGI application
app    ── routes, pages and answers (Starlette)
access ── tokens, sessions, roles; who may ask what
jobs   ── screenings that wait, run and are done
history ── what was screened, what was decided, who has tokens: one SQLite file
asks   ── what a working process answers
"""
