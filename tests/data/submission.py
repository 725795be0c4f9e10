"""A mail server's submission port (RFC 6409) that takes mail only over TLS and after a login: submission.py MODE CERT KEY.

MODE is "starttls" or "wrapped". Prints its port, and then one JSON object for each mail that it took.
"""

import base64
import json
import socket
import ssl
import sys
import threading

mode, cert, key = sys.argv[1:]
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(cert, key)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
one_at_a_time = threading.Lock()


def talk(connection):
    encrypted = mode == "wrapped"
    if encrypted:
        connection = context.wrap_socket(connection, server_side=True)
    lines = connection.makefile("rb")

    def say(text):
        connection.sendall(text.encode() + b"\r\n")

    user, sender, to = None, None, None
    say("220 submission")
    while line := lines.readline().decode().strip():
        verb = line.split(" ")[0].split(":")[0].upper()
        if verb == "EHLO":
            say("250-submission\r\n250 AUTH PLAIN" if encrypted else "250-submission\r\n250 STARTTLS")
        elif verb == "STARTTLS" and not encrypted:
            say("220 go on")
            connection = context.wrap_socket(connection, server_side=True)
            lines, encrypted = connection.makefile("rb"), True
        elif verb == "AUTH" and encrypted:
            _, name, password = base64.b64decode(line.split(" ")[2]).decode().split("\0")
            user = name if password == "sesame" else None
            say("235 2.7.0 welcome" if user else "535 5.7.8 wrong password")
        elif verb == "QUIT":
            say("221 bye")
            return
        elif user is None:
            say("530 5.7.0 log in first")
        elif verb == "MAIL":
            sender = line
            say("250 fine")
        elif verb == "RCPT":
            to = line
            say("250 fine")
        elif verb == "DATA":
            say("354 go on")
            while lines.readline() != b".\r\n":
                pass
            taken = {"user": user, "tls": connection.version(), "from": sender, "to": to}
            # Letters come over several connections at once; print() would write a line and its end apart.
            with one_at_a_time:
                print(json.dumps(taken), flush=True)
            say("250 taken")
        else:
            say("250 fine")


def attend(connection):
    try:
        talk(connection)
    except (OSError, ssl.SSLError):
        # A client that trusts us not is what a test may be about.
        pass


while True:
    threading.Thread(target=attend, args=[listener.accept()[0]], daemon=True).start()
