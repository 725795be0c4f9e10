"""Looks after a mailbox with Python's own imaplib, over TLS, as a player's or an administrator's mail program would.
Reads one JSON object a line from standard input, and answers each with one.

{"append": [raw text, …], "flags": "\\\\Seen" or ""}  ->  {"ok": true}                     into INBOX
{"list": folder}                                    ->  {"mails": [{"id", "flags"}, …]}; {"mails": null} if there is none
{"move": folder}                                    ->  {"ok": true}                     all its mails back to INBOX
"""

import email
import imaplib
import json
import ssl
import sys

port, authority = int(sys.argv[1]), sys.argv[2]


def ask(client, request):
    if "append" in request:
        answers = [client.append("INBOX", request["flags"], None, mail.encode()) for mail in request["append"]]
        return {"ok": all(answer == "OK" for answer, _ in answers)}
    if "move" in request:
        client.select(request["move"])
        answer, _ = client.copy("1:*", "INBOX")
        client.store("1:*", "+FLAGS", "\\Deleted")
        client.expunge()
        return {"ok": answer == "OK"}
    answer, count = client.select(request["list"], readonly=True)
    if answer != "OK" or count == [b"0"]:
        return {"mails": [] if answer == "OK" else None}
    _, data = client.fetch("1:*", "(FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")
    return {"mails": [
        {
            "id": email.message_from_bytes(item[1])["Message-ID"],
            "flags": sorted(flag.decode() for flag in imaplib.ParseFlags(item[0]) if flag != b"\\Recent"),
        }
        for item in data if isinstance(item, tuple)
    ]}


for line in sys.stdin:
    client = imaplib.IMAP4_SSL("localhost", port, ssl_context=ssl.create_default_context(cafile=authority))
    client.login("turnpost", "sesame")
    answer = ask(client, json.loads(line))
    client.logout()
    print(json.dumps(answer), flush=True)
