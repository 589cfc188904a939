"""The leak check as a local service: processes that keep a collection open answer over HTTP on a socket.

    client ─► connections ─► http ─► routes ─► pool ─► worker: asks (guard.session, screen) ─► back the same way

place        the places of socket and token, and their owners
client       the client of a hook: the standard library alone, so that it starts at once
requests     the frames between hooks, service and working processes
limits       sizes, times and numbers that the service takes
http         one request of a connection, one response
connections  connections with limits against slow, broken and greedy clients
routing      the type of a route; connections are given a table of routes
routes       the table of routes of leak check and screening, and its handlers
duplicates   the route of result sets; it answers in the process of the connections
pool         the working processes; `worker` runs in them, and is given a table of asks
asks         the table of asks of leak check and screening
metrics      counts of answers
listening    the socket at an address of this machine
signals      what stops a service, and what renews its processes
server       start and stop
"""
