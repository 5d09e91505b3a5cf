"""The web server: uvicorn, and a thin ASGI layer of ours in front of the Flask application.

`__main__.py` starts the processes that share a socket, and `server.py` the server of one. A request
goes through `connection.py` (limits), `gateway.py` (the ASGI application), `request_pool.py` (the
threads) and `wsgi.py`. Views reach the server through app/core/serving.py.

Why uvicorn, and what we add to it: docs/decisions/0079-uvicorn-and-a-thin-layer.md.
"""
