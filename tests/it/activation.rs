//! A server that receives its LMTP socket from systemd (socket activation). The tests use `systemd-socket-activate`,
//! which creates the socket, waits for a connection, and then executes the server.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};

use crate::common::database::inbox;
use crate::common::serving::{Peer, free_port, terminate, wait_until};
use crate::common::{Ran, Server, TURNPOST};

/// Starts `systemd-socket-activate`, which listens on these sockets and executes `serve` at the first connection. The
/// server's log is written to `serve.log`.
fn waiting(server: &Server, sockets: &[String]) -> Child {
    server.configure("[receive]\nlmtp = \"systemd\"\n");
    let log = File::create(server.data().join("serve.log")).unwrap();
    let mut command = Command::new("systemd-socket-activate");
    command.args(sockets.iter().map(|socket| format!("--listen={socket}")));
    command.arg(TURNPOST).arg("--data").arg(server.data()).arg("serve").stderr(log);
    command.spawn().expect("systemd-socket-activate runs: deploy/install-test-tools installs it")
}

/// Sends a message, and checks that the server accepts it.
fn send(server: &mut Server, mut peer: Peer) {
    let mail = server.compose("alice@example.org", "help", "");
    assert!(peer.reply().starts_with("220 "));
    assert!(peer.say("LHLO test.example").starts_with("250-"));
    peer.begin("turnpost@localhost");
    peer.send(mail.as_bytes());
    assert!(peer.say("\r\n.").starts_with("250 "));
}

fn stop(mut child: Child) {
    terminate(&child);
    assert!(child.wait().unwrap().success());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs systemd: ./test runs it")]
fn a_message_starts_the_server() {
    let mut server = Server::with_players();
    let socket = server.data().join("lmtp.sock");
    let path = socket.display().to_string();
    let child = waiting(&server, &[path]);
    wait_until("the LMTP socket", || socket.exists().then_some(()));
    assert_eq!(inbox(&server), 0);
    let peer = Peer::connect(&socket);
    send(&mut server, peer);
    wait_until("the message to be stored", || (inbox(&server) == 1).then_some(()));
    stop(child);
    assert!(socket.exists(), "the server does not remove systemd's socket");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs systemd: ./test runs it")]
fn a_tcp_socket_is_accepted_too() {
    let (mut server, port) = (Server::with_players(), free_port());
    let child = waiting(&server, &[format!("127.0.0.1:{port}")]);
    wait_until("systemd to listen", || listens(port).then_some(()));
    let peer = Peer::connect_port(port);
    send(&mut server, peer);
    stop(child);
}

/// Returns whether a process listens on a port, without connecting to it.
fn listens(port: u16) -> bool {
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    table.lines().any(|line| line.contains(&format!(":{port:04X} 00000000:0000 0A")))
}

/// Connects to the first socket, so that systemd executes the server. Checks that the server refuses to start, and
/// returns its log.
fn refusal(sockets: &[String], first: &Path) -> String {
    let server = Server::with_players();
    let mut child = waiting(&server, sockets);
    wait_until("the first socket", || first.exists().then_some(()));
    let _peer = Peer::connect(first);
    assert_eq!(child.wait().unwrap().code(), Some(78));
    fs::read_to_string(server.data().join("serve.log")).unwrap()
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs systemd: ./test runs it")]
fn only_one_local_socket_is_accepted() {
    let server = Server::with_players();
    server.configure("[receive]\nlmtp = \"systemd\"\n");
    let ran: Ran = server.shell("serve");
    assert!(ran.status == 78 && ran.err.contains("systemd passed 0"), "{ran:?}");
    let dir = tempfile::tempdir().unwrap();
    let paths = ["a.sock", "b.sock"].map(|name| dir.path().join(name));
    let both = refusal(&paths.each_ref().map(|path| path.display().to_string()), &paths[0]);
    assert!(both.contains("systemd passed 2"), "{both}");
    let (server, port) = (Server::with_players(), free_port());
    let mut child = waiting(&server, &[format!("0.0.0.0:{port}")]);
    wait_until("systemd to listen", || listens(port).then_some(()));
    let _peer = Peer::connect_port(port);
    assert_eq!(child.wait().unwrap().code(), Some(78));
    let told = fs::read_to_string(server.data().join("serve.log")).unwrap();
    assert!(told.contains("can be reached from other machines"), "{told}");
}
