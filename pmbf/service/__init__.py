"""The leak check as a local service: processes that keep a collection open answer over HTTP on a socket.

    client ─► connections ─► http ─► routes ─► pool ─► worker: guard.checking, screen ─► back the same way

place        where the socket and the token are, and who may use them
client       what a hook asks with: the standard library alone, so that it starts at once
requests     what hooks and working processes are asked, as frames
limits       how large, how long, how many
http         one request of a connection, one response
connections  sockets, and what slow, broken and greedy clients get
routes       which path is answered by what: the one place where a handler is registered
pool         the working processes; `worker` is what runs in them
metrics      what was answered, counted
server       all of it together, and signals
"""
