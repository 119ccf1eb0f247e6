"""How people meet it: the window and the command line."""
