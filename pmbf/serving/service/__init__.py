"""The leak check as a local service: processes that keep a collection open answer over HTTP on a socket.

    client ─► http: connections, messages ─► routes ─► pool ─► worker: guard.session, screen ─► back the same way

place        the places of socket and token, and their owners
client       the client of a hook: the standard library alone, so that it starts at once
requests     the frames between hooks, service and working processes
routes       the table of routes of leak check and screening, and its handlers
duplicates   the route of result sets; it answers in the process of the connections
pool         the working processes; `worker` runs in them, with its table of asks
server       start and stop
"""
