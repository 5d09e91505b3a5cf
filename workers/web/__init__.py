"""The web server: uvicorn, and a thin ASGI layer of ours in front of the Flask application.

- `connection.py`: limits of one connection; every wait for a client has a timeout.
- `gateway.py`: the ASGI application. Reads the whole request before it takes a thread, answers
  unchanged polls, holds event streams open, and hands everything else to Flask.
- `wsgi.py`: calls a WSGI application for a request that is in memory.
- `request_pool.py`: the threads, and how many requests they answer at once.
- `streams.py`: an open response that other threads write into.
- `server.py`: the server on a bound socket. `__main__.py`: the processes that share the socket.

The interface between views and the server is app/core/serving.py. Why uvicorn, and what we add to
it: docs/decisions/0079-uvicorn-and-a-thin-layer.md.
"""
