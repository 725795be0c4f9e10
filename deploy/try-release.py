"""The tests of deploy/try-release. Arguments: root directory, user, certificate and key of the mail servers."""

import json
import os
import queue
import signal
import smtplib
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.request

ROOT, USER, CERTIFICATE, KEY = sys.argv[1:]
HOSTS, DNS = "127.0.0.2", "127.0.0.3"
NAMES = {b"mail.dns.example": DNS}
asked, letters = set(), queue.Queue()


class NameServer(socketserver.BaseRequestHandler):
    """Resolves the names above, which have no IPv6 address."""

    def handle(self):
        query, reply = self.request
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]])
            at += 1 + query[at]
        name, question = b".".join(labels).lower(), query[12 : at + 5]
        asked.add(name)
        found = name in NAMES and question[-4:-2] == b"\0\1"
        flags = 0x8180 if name in NAMES else 0x8183
        answer = query[:2] + struct.pack(">5H", flags, 1, int(found), 0, 0) + question
        if found:
            answer += b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(NAMES[name])
        reply.sendto(answer, self.client_address)


class MailServer(socketserver.StreamRequestHandler):
    """Accepts letters by SMTP over TLS, and queues each with the server address that received it."""

    def setup(self):
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    def say(self, line):
        self.wfile.write(line + b"\r\n")

    def handle(self):
        self.say(b"220 here")
        for line in self.rfile:
            verb = line[:4].upper()
            if verb == b"DATA":
                self.say(b"354 go on")
                text = b""
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    text += line
                letters.put((self.request.getsockname()[0], text.decode()))
            self.say(b"221 bye" if verb == b"QUIT" else b"250 done")


class TcpServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def start(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def say(what):
    print("ok:", what, flush=True)


def command(*words):
    return ["chroot", f"--userspec={USER}:{USER}", ROOT, "/turnpost", "--data", "/data", *words]


def turnpost(*words):
    return subprocess.run(command(*words), check=True, stdout=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]}).stdout


def configure(host):
    with open(ROOT + "/data/turnpost.toml", "w") as file:
        file.write(
            f'address = "play@games.example"\n[transport]\nkind = "smtp"\nhost = "{host}"\nport = 465\ntls = "wrapped"\n'
            '[receive]\nlmtp = "127.0.0.1:2424"\n[web]\nlisten = "127.0.0.1:8080"\n'
        )


def letter(address, words):
    """Waits for a letter with these words, which this server address must have received."""
    while True:
        to, text = letters.get(timeout=60)
        if words in text:
            assert to == address, (to, address)
            return text


def soon(what):
    """Retries a function that raises OSError for up to a minute."""
    for _ in range(600):
        try:
            return what()
        except OSError:
            time.sleep(0.1)
    return what()


def page(path):
    return soon(lambda: urllib.request.urlopen("http://127.0.0.1:8080" + path).read().decode())


start(socketserver.ThreadingUDPServer(("127.0.0.1", 53), NameServer))
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(CERTIFICATE, KEY)
for address in (HOSTS, DNS):
    start(TcpServer((address, 465), MailServer)).tls = tls

configure("mail.hosts.example")
turnpost("signup", "alice", "wonderland", "alice@elsewhere.example")
turnpost("signup", "bob", "bricklayer", "bob@elsewhere.example")
turnpost("marque", "challenge", "alice", "bob")
letter(HOSTS, "marque")
say("it sends letters by SMTP over TLS, with the authorities in /etc/ssl, to a name in /etc/hosts")
configure("mail.dns.example")
turnpost("marque", "move", "1", "alice", "wonderland", "f3")
letter(DNS, "You played f3")
assert b"mail.dns.example" in asked, asked
say("it also sends letters to a name in DNS")

serve = subprocess.Popen(command("serve"), env={"PATH": os.environ["PATH"]})
assert "<title>" in page("/")
assert json.loads(page("/api/v1/boards/1"))["game"] == "marque"
say("it serves pages and the API")
mail = "From: bob@elsewhere.example\r\nTo: play@games.example\r\nSubject: {}\r\n\r\n"
with soon(lambda: smtplib.LMTP("127.0.0.1", 2424)) as lmtp:
    lmtp.sendmail("bob@elsewhere.example", "play@games.example", mail.format("marque move 1 bob bricklayer k4"))
    letter(DNS, "You played k4")
    lmtp.sendmail("bob@elsewhere.example", "play@games.example", mail.format("set bob bricklayer zone=Pacific/Chatham"))
    letter(DNS, "Pacific/Chatham")
say("it answers a move by LMTP, and knows time zones")
with open(f"/proc/{serve.pid}/maps") as maps:
    assert ".so" not in maps.read()
say("it loads no shared libraries")
turnpost("admin", "check")
turnpost("admin", "backup", "/data/backup.tar.gz")
turnpost("admin", "restore", "/data/backup.tar.gz", "--data", "/data/restored")
say("it makes and restores a backup")
began = time.monotonic()
serve.send_signal(signal.SIGTERM)
assert serve.wait(timeout=5) == 0
say(f"it stops in {time.monotonic() - began:.1f} s")
