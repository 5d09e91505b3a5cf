"""The typist: turns a stored real game into key presses and types it into the console.

It knows what happened (the importer's steps, as first called, corrections included) and what a
scorer can see: it reads the prompt on the page, by its label, and answers it by name. It presses
keys and does nothing else.
"""
