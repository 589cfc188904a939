"""The leak check as a local service: processes that keep a collection open answer over HTTP on a socket.

    client ─► connections ─► http ─► routes ─► pool ─► worker: asks (guard.session, screen) ─► back the same way

place        where the socket and the token are, and who may use them
client       what a hook asks with: the standard library alone, so that it starts at once
requests     what hooks and working processes are asked, as frames
limits       how large, how long, how many
http         one request of a connection, one response
connections  sockets, and what slow, broken and greedy clients get
routing      what a route is; connections are given a table of routes
routes       the table of the leak check and of screening, and its handlers
pool         the working processes; `worker` runs in them, and is given what it can be asked
asks         what working processes of the leak check and of screening can be asked
metrics      what was answered, counted
server       all of it together, and signals
"""
