//! Plain-text bounces of various mail servers, sent to the envelope sender of a letter. Uses the real binary.

use crate::bounces::{reason, sender, server};
use crate::common::Server;

/// A plain-text bounce, which is not a `multipart/report`.
struct Report {
    from: &'static str,
    subject: &'static str,
    text: &'static str,
}

impl Report {
    fn mail(&self, to: &str, id: usize) -> String {
        let Report { from, subject, text } = self;
        format!(
            "Return-Path: <>\nFrom: {from}\nTo: {to}\nSubject: {subject}\nMessage-Id: <{id}@mx.example.org>\n\
             Date: Sat, 21 Nov 2026 10:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
        )
    }
}

/// Sends a letter to bob, and then delivers this bounce of the letter to the server. Returns the reason that the server
/// records for the bounce.
fn returned(server: &Server, report: &Report, id: usize) -> String {
    // Setting the address again ends its pause.
    assert_eq!(server.shell("change address bob builder bob@example.org").status, 0);
    assert_eq!(server.shell(&format!("message alice wonderland bob --say=hello{id}")).status, 0);
    reason(server, &report.mail(&sender(server, "bob@example.org"), id))
}

#[test]
fn the_report_of_a_missing_mailbox_by_each_mail_server_is_recognised() {
    let server = server();
    let reports = [
        // OpenSMTPD
        Report {
            from: "Mailer Daemon <MAILER-DAEMON@mx.example.org>",
            subject: "Delivery status notification: error",
            text: "    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this email.\n\n    An error has \
                   occurred while attempting to deliver a message for\n    the following list of recipients:\n\n\
                   bob@example.org: 550 5.1.1 <bob@example.org>: Recipient address rejected: User unknown\n\n    Below \
                   is a copy of the original message:\n\nSubject: Marque Board 1",
        },
        // The DragonFly Mail Agent
        Report {
            from: "MAILER-DAEMON <>",
            subject: "Mail delivery failed",
            text: "This is the DragonFly Mail Agent v0.13 at host.example.net.\n\nThere was an error delivering your \
                   mail to <bob@example.org>.\n\nmx.example.org [192.0.2.1] did not like our RCPT TO:\n550 5.1.1 \
                   <bob@example.org>: Recipient address rejected: User unknown\n\nMessage headers follow.",
        },
        // Exchange
        Report {
            from: "postmaster@example.org",
            subject: "Undeliverable: Marque Board 1 bob **",
            text: "Delivery has failed to these recipients or groups:\n\nbob@example.org\nThe e-mail address you \
                   entered couldn't be found.\n\nDiagnostic information for administrators:\n\nGenerating server: \
                   mail.example.org\n\nbob@example.org\n#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##",
        },
        // Older Exchange
        Report {
            from: "System Administrator <postmaster@example.org>",
            subject: "Undeliverable: Marque Board 1",
            text: "Your message\n\n  To:      bob@example.org\n  Subject: Marque Board 1\n\ndid not reach the following \
                   recipient(s):\n\nbob@example.org on Sat, 21 Nov 2026 10:00:00 +0100\n    The recipient name is not \
                   recognized\n    <mail.example.org #5.1.1 smtp;550 5.1.1 User unknown>",
        },
        // Yahoo
        Report {
            from: "MAILER-DAEMON@yahoo.example",
            subject: "Failure Notice",
            text: "Sorry, we were unable to deliver your message to the following address.\n\n<bob@example.org>:\n550: \
                   5.1.1 <bob@example.org>: Recipient address rejected: User unknown\n\n--- Below this line is a copy \
                   of the message.\n\nReceived: from mx.example.net",
        },
        // Zoho
        Report {
            from: "mailer-daemon@mail.zoho.example",
            subject: "Undelivered Mail Returned to Sender",
            text: "This message was created automatically by mail delivery software.\n A message that you sent could not \
                   be delivered to one or more of its recipients. This is a permanent error.\n\nbob@example.org, ERROR \
                   CODE :550 - 5.1.1 User does not exist",
        },
        // GMX
        Report {
            from: "GMX Mailer Daemon <mailer-daemon@gmx.example>",
            subject: "Mail delivery failed: returning message to sender",
            text: "This message was created automatically by mail delivery software.\n\nA message that you sent could \
                   not be delivered to one or more of\nits recipients. This is a permanent error. The following \
                   address\nfailed:\n\nbob@example.org:\nSMTP error from remote server for RCPT TO command, host: \
                   mx.example.org (192.0.2.1) reason: 550 5.1.1 Unknown user\n\n--- The header of the original message \
                   is following. ---\n\nReceived: from mx.example.net",
        },
    ];
    for (id, report) in reports.iter().enumerate() {
        let why = returned(&server, report, id);
        assert!(why.contains("bounced from bob@example.org (the address is now paused)"), "{}: {why}", report.text);
    }
}

#[test]
fn the_third_ambiguous_report_pauses_an_address() {
    let daemon = "MAILER-DAEMON@mx.example.org";
    let passing = [
        "<bob@example.org>:\n550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents \
         delivery",
        "<bob@example.org>:\n550 5.2.1 Too many messages for this recipient",
        "<bob@example.org>:\n550 5.1.1 Client host [192.0.2.7] blocked using zen.spamhaus.org",
        "<bob@example.org>:\n554: delivery error: dd This user doesn't have an account",
    ];
    // The third bounce pauses the address regardless of its text, so each server receives only two different texts.
    for pair in passing.chunks(2) {
        let server = server();
        for (id, text) in pair.iter().chain(&pair[..1]).enumerate() {
            let why = returned(&server, &Report { from: daemon, subject: "failure notice", text }, id);
            let effect = if id < 2 { "within 30 days" } else { "the address is now paused" };
            assert!(why.contains("bounced") && why.contains(effect), "{text}: {why}");
        }
        assert!(server.shell("admin players").out.contains("bob@example.org (paused"));
    }
    let server = server();
    for (id, (from, subject, text)) in [
        (daemon, "failure notice", "<bob@example.org>:\nIt may arrive later."),
        (daemon, "Delivery delayed", "<bob@example.org>:\n550 5.1.1 no such user"),
        (daemon, "failure notice", "Your message will be retried for 4 days: 451 4.7.1; later 550 5.1.1"),
        (daemon, "failure notice", "Something went wrong.\n\nBelow is a copy of the original message:\n\n550 5.1.1 no"),
        ("bob@example.org", "Re: Marque Board 1", "My extension is 550 5.1.1, I am away."),
        ("bob@example.org", "Out of office: Re: Marque", "550 5.1.1"),
    ]
    .into_iter()
    .enumerate()
    {
        let why = returned(&server, &Report { from, subject, text }, 100 + id);
        assert!(why.contains("does not report a failure"), "{text}: {why}");
    }
}
