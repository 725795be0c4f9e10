"""A bot: plays one board through turnpost's API until it is over, by legal moves drawn at random from a seeded generator.
With nothing but Python's standard library.

    python3 bot.py URL USERID PASSWORD BOARD MOST_PLIES
"""

import json
import random
import sys
import urllib.request

url, userid, password, board, most = sys.argv[1:]


def call(method, path, body=None):
    request = urllib.request.Request(url + path, method=method)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    data = None
    if body is not None:
        request.add_header("Content-Type", "application/json")
        data = json.dumps(body).encode()
    with urllib.request.urlopen(request, data, timeout=60) as answer:
        return json.load(answer)


def events():
    """Yields the name and data of each event."""
    request = urllib.request.Request(f"{url}/me/events", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as stream:
        name = None
        for line in stream:
            key, _, value = line.decode().rstrip("\n").partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                yield name, json.loads(value)


token = None
token = call("POST", "/tokens", {"userid": userid, "password": password, "label": "bot"})["token"]
chance = random.Random(f"turnpost {userid}")
played = 0
# The first event says that the stream is open: from here on nothing is missed.
for name, event in events():
    if name == "change" and (event["board"] != int(board) or not (event["your_turn"] or event["over"])):
        continue
    now = call("GET", f"/boards/{board}")
    if now["result"]:
        print(json.dumps({"result": now["result"], "played": played}))
        break
    if now["to_move"] != userid:
        continue
    if now["plies"] >= int(most):
        call("POST", f"/boards/{board}/resign")
        continue
    # A captured or passed player is not to move, so that several turns may come after each other.
    legal = call("GET", f"/boards/{board}/legal")
    call("POST", f"/boards/{board}/moves", {"move": chance.choice(legal["moves"]), "ply": legal["plies"] + 1})
    played += 1
