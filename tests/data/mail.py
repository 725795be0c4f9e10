"""Reads mail with Python's own library, so that the server's letters are not judged by Rust's libraries alone. Reads one
JSON object a line from standard input, and answers each with one.

{"read": raw text}  ->  {"subject", "to", "from", "name", "id", "references", "in_reply_to", "auto_submitted", "reply_to", "date",
"text", "html", "pictures", "defects"}
"""

import email
import email.policy
import json
import sys


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
        "name": mail["From"].addresses[0].display_name,
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
    print(json.dumps(read(json.loads(line)["read"])), flush=True)
