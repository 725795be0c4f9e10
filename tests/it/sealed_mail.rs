//! Signed, encrypted, compressed or mislabelled mail, with the real binary.

use crate::common::database::sql;
use crate::common::{Letter, Server, joined, to};
use turnpost::mail::inbound::new_text;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

fn board() -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

/// Replies to a letter as alice, with this subject and content. Returns the resulting letters.
fn answers(server: &mut Server, letter: &Letter, subject: &str, content: &[u8]) -> Vec<Letter> {
    let head = format!(
        "From: {ALICE}\nTo: {}\nMessage-ID: <{}@example.org>\nSubject: {subject}\nMIME-Version: 1.0\n",
        letter.reply_to(),
        content.len()
    );
    let ran = server.raw_mail(&[head.as_bytes(), content].concat());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    server.letters()
}

fn comment(server: &Server) -> String {
    sql(server, "SELECT coalesce((SELECT text FROM comments ORDER BY id DESC LIMIT 1), '')")
}

const SIGNED: &str = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nf3\n\nHi Bob!\n- -- \nAlice\n\
    -----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n";

#[test]
fn a_move_with_an_inline_signature_is_played() {
    for content in [
        format!("\n{SIGNED}"),
        format!("Content-Type: application/pgp; format=text; x-action=sign\n\n{SIGNED}"),
        format!("Content-Type: text/plain; charset=utf-8; x-action=pgp-signed\n\n{SIGNED}"),
        format!("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n{SIGNED}\n--b--\n"),
        format!("Content-Type: text/html\n\n<p>{}</p>", SIGNED.replace('\n', "<br>\n")),
        format!("\n{}", SIGNED.replace("Hash: SHA256\n", "")),
        format!("\n{SIGNED}\n_______________________________________________\nlist mailing list\n"),
    ] {
        let (mut server, letter) = board();
        let letters = answers(&mut server, &letter, "Re: Marque", content.as_bytes());
        assert_eq!((comment(&server).as_str(), server.hashes(1).len()), ("Hi Bob!", 1), "{content}: {letters:?}");
        assert!(!to(&letters, BOB).text().contains("PGP"), "{letters:?}");
    }
}

#[test]
fn unreadable_mail_is_answered_with_the_reason_and_the_remedy() {
    let (mut server, letter) = board();
    for (content, reason) in [
        (
            "Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b\n\n--b\n\
             Content-Type: application/pgp-encrypted\n\nVersion: 1\n--b\n\
             Content-Type: application/octet-stream; name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----\n\nhQ\n--b--\n",
            "is encrypted",
        ),
        ("\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n", "is encrypted"),
        ("\nHi,\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n", "is encrypted"),
        (
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n \n--b\n\
             Content-Type: application/x-microsoft-rpmsg-message; name=message.rpmsg\n\nMIAG\n--b--\n",
            "is encrypted",
        ),
        // The footer below the signed part is from a mailing list.
        (
            "Content-Type: multipart/mixed; boundary=b\n\n--b\n\
             Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nMIAG\n--b\n\
             Content-Type: text/plain\n\n_____________________\nlist mailing list\n--b--\n",
            "is encrypted",
        ),
        (
            "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\
             Content-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHA6CA\n",
            "is encrypted",
        ),
        (
            "Content-Type: application/x-pkcs7-mime; smime-type=signed-data; name=smime.p7m\n\
             Content-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHAqCA\n",
            "S/MIME signature",
        ),
        ("Content-Type: application/octet-stream; name=smime.p7m\n\nMIAGCSqGSIb3DQEHAqCA\n", "is encrypted"),
        ("Content-Type: application/ms-tnef; name=\"winmail.dat\"\n\neJ8+IgEA\n", "winmail.dat"),
        (
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n \n--b\n\
             Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=WINMAIL.DAT\n\neJ8+\n--b--\n",
            "winmail.dat",
        ),
        ("Content-Type: text/plain; charset=utf-8\n\nZjMKCkhpIEJvYiwgaG93IGFyZSB5b3U/\n", "is base64"),
    ] {
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let letters = answers(&mut server, &letter, "Re: Marque", content.as_bytes());
        let told = joined(to(&letters, ALICE).text());
        assert!(told.contains(reason) && told.contains("plain text"), "{content}: {told}");
        assert_eq!(server.hashes(1).len(), 0);
    }
    // A command in the subject is carried out even if the text is encrypted.
    let encrypted = "\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n";
    answers(&mut server, &letter, "marque move 1 alice wonderland f3", encrypted.as_bytes());
    assert_eq!(server.hashes(1).len(), 1);
}

#[test]
fn japanese_is_read_without_its_label_and_with_a_wrong_one() {
    for label in [
        "",
        ";",
        "; charset=us-ascii",
        "; charset=utf-8",
        "; charset=iso-8859-1",
        "; charset=shift_jis",
        "; charset=iso-2022-jp-2004",
    ] {
        let (mut server, letter) = board();
        let content = format!("Content-Type: text/plain{label}\n\nf3\n\n\x1b$B$3$s$K$A$O\x1b(B Bob\n");
        answers(&mut server, &letter, "Re: Marque", content.as_bytes());
        assert_eq!((comment(&server).as_str(), server.hashes(1).len()), ("こんにちは Bob", 1), "{label}");
    }
}

#[test]
fn the_advertisement_of_outlook_is_removed_in_any_language() {
    for advertisement in [
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
        "Outlook for iOS<https://aka.ms/o0ukef> を入手",
        "获取 Outlook for Android<https://aka.ms/AAb9ysg>",
        "取得 Android 版 Outlook",
        "iOS용 Outlook<https://aka.ms/o0ukef> 다운로드",
        "Отримайте Outlook для iOS<https://aka.ms/o0ukef>",
        "Изтегляне на Outlook за iOS",
        "قم بتنزيل Outlook لنظام iOS<https://aka.ms/o0ukef>",
        "קבל את Outlook עבור Android",
        "Λήψη του Outlook για iOS",
        "Android için Outlook'u edinin",
        "ดาวน์โหลด Outlook สำหรับ iOS",
        "Tải Outlook cho iOS",
        "Dapatkan Outlook untuk Android",
        "Preuzmite Outlook za iOS",
        "Gauti „Outlook“, skirtą „iOS“",
        "Sækja Outlook fyrir iOS",
        "Nabavite Outlook za Mac<https://aka.ms/GetOutlookForMac>",
        "Mail<https://go.microsoft.com/fwlink/?LinkId=550986> és Outlook",
    ] {
        assert_eq!(new_text(&format!("f3\n\nHi Bob\n\n{advertisement}\n")).text(), "f3\n\nHi Bob", "{advertisement}");
    }
    for said in ["My Outlook is broken.", "I write with Outlook for Windows, sorry!", "What is your outlook on f3?"] {
        assert_eq!(new_text(&format!("f3\n\n{said}\n")).text(), format!("f3\n\n{said}"));
    }
}
