"""The web application: texts are screened in a browser or over REST, with history, decisions and the collection.

server       address, sockets, start and stop; the table of routes (Starlette), and what becomes of errors
bridge       connections of the service to an ASGI application
browser      its pages, from `templates/` and `static/`
wording      the words of the pages, from `languages/`
api          the REST interface; `openapi` describes each operation
uploads      what a browser or a program sends
forms        a form with files, as it comes, and uploads that wait, on disk
access       who asks, and whether the question may come from where it comes from
running      what all handlers share: processes, jobs, history, tokens
jobs         screenings that wait, run and are done
history      what was screened, and what was decided
tokens       who may ask what, and which names of tokens look alike
database     the SQLite file of history and tokens; `sums` has the checksums of its rows
asks         what a working process answers, and how documents are called
"""
