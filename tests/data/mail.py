"""Composes and reads mail with Python's own library, so that the server's mails are not judged by the code that made
them. Reads one JSON object a line from standard input, and answers each with one.

{"compose": {"from": …, "subject": …, "text": …, "id": …, "headers": {…}}}  ->  {"mail": raw text}
{"read": raw text}  ->  {"subject", "to", "from", "id", "references", "in_reply_to", "auto_submitted", "reply_to",
"text", "html", "pictures", "defects"}
"""

import email
import email.policy
import json
import sys
from email.message import EmailMessage


def compose(spec):
    mail = EmailMessage()
    mail["From"] = spec["from"]
    headers = {"To": "turnpost@localhost"} | (spec.get("headers") or {})
    for name, value in headers.items():
        mail[name] = value
    mail["Subject"] = spec["subject"]
    mail["Date"] = "Sat, 21 Nov 2026 12:00:00 +0000"
    mail["Message-ID"] = spec["id"]
    mail.set_content(spec["text"], cte=spec.get("cte"))
    return {"mail": mail.as_bytes(policy=email.policy.SMTP).decode("ascii")}


def read(raw):
    mail = email.message_from_bytes(raw.encode(), policy=email.policy.default)
    body, html = mail.get_body(("plain",)), mail.get_body(("html",))
    pictures = [
        {"cid": part["Content-ID"].strip("<>"), "width": int.from_bytes(part.get_content()[16:20], "big")}
        for part in mail.walk()
        if part.get_content_type() == "image/png" and part.get_content().startswith(b"\x89PNG\r\n\x1a\n")
    ]
    defects = [repr(defect) for part in mail.walk() for defect in part.defects]
    defects += [f"{name}: {defect!r}" for name, value in mail.items() for defect in value.defects]
    return {
        "subject": mail["Subject"],
        "to": [address.addr_spec for address in mail["To"].addresses],
        "from": [address.addr_spec for address in mail["From"].addresses],
        "id": mail["Message-ID"],
        "references": (mail["References"] or "").split(),
        "in_reply_to": mail["In-Reply-To"],
        "auto_submitted": mail["Auto-Submitted"],
        "reply_to": mail["Reply-To"],
        "date": mail["Date"].datetime.isoformat(),
        "text": body.get_content(),
        "html": html.get_content() if html else None,
        "pictures": pictures,
        "defects": defects,
    }


for line in sys.stdin:
    request = json.loads(line)
    answer = compose(request["compose"]) if "compose" in request else read(request["read"])
    print(json.dumps(answer), flush=True)
