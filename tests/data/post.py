"""Sends mail with Python's own smtplib, and reads Maildirs, so that no mail server of ours is judged by its own client.
Reads one JSON object a line from standard input, and answers each with one.

{"lmtp": socket or [host, port], "from": …, "to": […], "mails": [raw text, …]}  ->  {"refused": [{address: [code, text]}, …]}
{"smtp": port, "from": …, "to": […], "mails": [raw text]}                       ->  the same
{"maildir": directory}                                                          ->  {"letters": [{"id", "subject", …}]}
"""

import email
import email.policy
import json
import os
import smtplib
import sys


def send(client, request):
    refused = []
    for mail in request["mails"]:
        try:
            refused.append(client.sendmail(request["from"], request["to"], mail.encode("latin-1")))
        except smtplib.SMTPRecipientsRefused as error:
            refused.append(error.recipients)
        except smtplib.SMTPResponseException as error:
            refused.append({"": (error.smtp_code, error.smtp_error)})
    client.quit()
    return {"refused": [{to: [code, text.decode()] for to, (code, text) in each.items()} for each in refused]}


def lmtp(where):
    return smtplib.LMTP(where) if isinstance(where, str) else smtplib.LMTP(*where)


def read(directory):
    letters = []
    new = os.path.join(directory, "new")
    for name in sorted(os.listdir(new)) if os.path.isdir(new) else []:
        with open(os.path.join(new, name), "rb") as file:
            mail = email.message_from_binary_file(file, policy=email.policy.default)
        letters.append({
            "subject": mail["Subject"],
            "id": mail["Message-ID"],
            "return_path": mail["Return-Path"],
            "received": len(mail.get_all("Received", [])),
            "reply_to": mail["Reply-To"] or mail["From"],
            "text": mail.get_body(("plain",)).get_content(),
        })
    return {"letters": letters}


for line in sys.stdin:
    request = json.loads(line)
    if "maildir" in request:
        answer = read(request["maildir"])
    elif "lmtp" in request:
        answer = send(lmtp(request["lmtp"]), request)
    else:
        answer = send(smtplib.SMTP("127.0.0.1", request["smtp"]), request)
    print(json.dumps(answer), flush=True)
