"""The web application: texts are screened in a browser or over REST, with history, decisions and the collection.

server       address, sockets, start and stop
bridge       connections of the service to an ASGI application
application  the table of routes (Starlette), and what becomes of errors
browser      its pages, from `templates/` and `static/`
words        the words of the pages, from `languages/`
api          the REST interface; `openapi` describes each operation
uploads      what a browser or a program sends
forms        a form with files, as it comes
spool        uploads that wait, on disk
access       who asks, and whether the question may come from where it comes from
parts        what all handlers share: processes, jobs, history, tokens
jobs         screenings that wait, run and are done
history      what was screened, and what was decided
spelling     how documents are called
tokens       who may ask what
names        which names of tokens look alike
state        the SQLite file of history and tokens
asks         what a working process answers
"""
