#!/usr/bin/env python3
"""A client of turnpost's API, with Python's standard library alone: a class for programs, and a command.

    export TURNPOST_URL=https://games.example.org/api/v1
    export TURNPOST_TOKEN=$(python3 turnpost.py token alice wonderland)
    python3 turnpost.py boards                       # boards in progress, the most urgent first
    python3 turnpost.py challenge marque bob         # without an opponent: anyone
    python3 turnpost.py follow                       # a line for each change of a board

Others: show BOARD, accept BOARD, move BOARD MOVE, chat BOARD TEXT
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request


class Problem(Exception):
    """A refused request: problem details (RFC 9457), such as `reason`, `detail` and `word`."""
    def __init__(self, details):
        super().__init__(details["detail"])
        self.details = details


class Client:
    """A player's access to a server, whose address ends in `/api/v1`."""
    def __init__(self, url, token=None):
        self.url, self.token = url.rstrip("/"), token

    def open(self, method, path, body=None, headers=()):
        request = urllib.request.Request(self.url + path, method=method, headers=dict(headers))
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            raise Problem(json.load(error)) from None

    def call(self, method, path, body=None):
        return json.load(self.open(method, path, body))

    def events(self, path="/me/events"):
        """Yields the data of each change, and misses none when the connection breaks."""
        last = None
        while True:
            try:
                with self.open("GET", path, headers={"Last-Event-ID": last} if last else {}) as stream:
                    name = None
                    for line in stream:
                        key, _, value = line.decode().rstrip("\n").partition(": ")
                        if key == "event":
                            name = value
                        elif key == "id":
                            last = value
                        elif key == "data" and name == "change":
                            yield json.loads(value)
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(1)


def row(board):
    turn = "your turn" if board["your_turn"] else "over" if board["result"] else f"{board['opponent']}'s turn"
    return f"{board['number']}: {board['game']} against {board['opponent']}, {board['plies']} plies, {turn}"


def main(command, *words):
    client = Client(os.environ["TURNPOST_URL"], os.environ.get("TURNPOST_TOKEN"))
    if command == "follow":
        for change in client.events():
            print(json.dumps(change), flush=True)
    elif command == "token":
        new = {"userid": words[0], "password": words[1], "label": "turnpost.py"}
        print(client.call("POST", "/tokens", new)["token"])
    elif command == "boards":
        print(*map(row, client.call("GET", "/me/boards")["boards"]), sep="\n")
    elif command == "show":
        print(client.call("GET", f"/boards/{words[0]}?drawing=1")["drawing"])
    elif command == "challenge":
        print(client.call("POST", f"/games/{words[0]}/boards", {"opponent": (words[1:] or [None])[0]})["number"])
    elif command in ("accept", "move", "chat"):
        body = {"accept": {}, "move": {"move": words[-1]}, "chat": {"say": words[-1]}}[command]
        board = client.call("POST", f"/boards/{words[0]}/{'moves' if command == 'move' else command}", body)
        print(f"{board['number']}: {board['plies']} plies, {board['to_move'] or 'nobody'} to move")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(*(sys.argv[1:] or ["help"]))
    except Problem as problem:
        sys.exit(str(problem))
