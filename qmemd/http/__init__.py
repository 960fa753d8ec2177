"""The HTTP face of the daemon: a Falcon app, and the Waitress server that carries it."""
