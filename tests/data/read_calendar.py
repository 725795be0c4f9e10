"""Reads a calendar from the standard input with icalendar, and writes its events as JSON."""

import json
import sys

from icalendar import Calendar

raw = sys.stdin.buffer.read()
assert all(len(line) <= 75 for line in raw.split(b"\r\n")), "a line is longer than 75 octets"
assert b"\n" not in raw.replace(b"\r\n", b""), "a line does not end in CRLF"
calendar = Calendar.from_ical(raw)
assert not calendar.errors, calendar.errors
events = [
    {
        "uid": event["UID"],
        "start": event.decoded("DTSTART").isoformat(),
        "summary": event["SUMMARY"],
        "description": event["DESCRIPTION"],
        "url": event["URL"],
        "errors": event.errors,
    }
    for event in calendar.walk("VEVENT")
]
print(json.dumps({"version": calendar["VERSION"], "name": calendar["X-WR-CALNAME"], "events": events}))
