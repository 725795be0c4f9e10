"""Prints the elements of an Atom feed as JSON, and fails if it lacks what RFC 4287 requires (sections 4.1.1 and 4.1.2)."""

import datetime
import json
import sys
import xml.etree.ElementTree as ElementTree
from urllib.parse import urlsplit

ATOM = "{http://www.w3.org/2005/Atom}"


def one(parent, name):
    found = parent.findall(ATOM + name)
    assert len(found) == 1 and found[0].text, f"{parent.tag} has {len(found)} of {name}"
    return found[0].text


def check(parent):
    """Checks the elements that feeds and entries share, and returns the id."""
    one(parent, "title")
    datetime.datetime.strptime(one(parent, "updated"), "%Y-%m-%dT%H:%M:%SZ")
    assert urlsplit(one(parent, "id")).scheme, "the id is an absolute IRI"
    links = [(link.get("rel"), link.get("type")) for link in parent.findall(ATOM + "link")]
    assert len(set(links)) == len(links) and all(link.get("href") for link in parent.findall(ATOM + "link"))
    return one(parent, "id"), dict(links)


feed = ElementTree.fromstring(sys.argv[1].encode())
assert feed.tag == ATOM + "feed"
_, links = check(feed)
assert "self" in links and feed.find(f"{ATOM}author/{ATOM}name").text
entries = [check(entry) for entry in feed.findall(ATOM + "entry")]
assert all("alternate" in links for _, links in entries)
assert len({id for id, _ in entries}) == len(entries), "each entry has its own id"
print(json.dumps([[element.tag.split("}")[-1], element.text or ""] for element in feed.iter()]))
