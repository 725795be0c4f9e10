//! `turnpost demo`: a challenge and some moves, going through this very program as mails.
//!
//! Nothing is staged: each mail is composed as a mail program would, given to `turnpost mail` on its standard input,
//! and what is shown of the server's letters is read back from the Maildir that it delivers them to.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use lettre::Message;
use lettre::message::header::ContentType;

use super::Exit;
use super::line::print;

const SERVER: &str = "turnpost@localhost";

/// Mails of two players: who, the subject, the text, and what happens.
const MAILS: &[(&str, &str, &str, &str)] = &[
    ("alice", "marque challenge alice bob", "A game?\n", "alice challenges bob: the command stands in the subject."),
    ("alice", "marque move 1 alice wonderland f2", "", "alice plays the first move, one piece on a triangle."),
    (
        "bob",
        "Re: Marque Board 1 bob ** builder f3,f4",
        "Two triangles at once, in base B.\n",
        "bob answers her letter, and adds his password and move to its subject.\n\
         What he writes below is a comment.",
    ),
    (
        "alice",
        "my move",
        "marque move 1 alice wonderland f3\n",
        "alice writes her command in the text, and tries a cell that is taken:\nnothing is changed.",
    ),
];

/// Runs it in a new directory below the present one.
pub(super) fn demo() -> anyhow::Result<Exit> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let data = free_directory()?;
    let shown = data.display();
    say(&format!(
        "This is a turnpost server in the new directory {shown}, with no configuration:\n\
         its database is {shown}/turnpost.db, and its letters are delivered to the\n\
         Maildir {shown}/outgoing.\n\n"
    ))?;
    for (userid, password) in [("alice", "wonderland"), ("bob", "builder")] {
        let words = ["signup", userid, password, &address(userid)].map(str::to_owned);
        say(&format!("$ turnpost --data {shown} {}\n", words.join(" ")))?;
        say(&run(Command::new(&program).arg("--data").arg(&data).args(words), b"")?)?;
    }
    say("\n")?;
    let outgoing = data.join("outgoing/new");
    let mut seen = BTreeSet::new();
    for (i, (userid, subject, text, what)) in MAILS.iter().enumerate() {
        let mail = compose(i, userid, subject, text)?;
        say(&format!("{}\n{what}\n\n", "=".repeat(78)))?;
        say(&format!(
            "$ turnpost --data {shown} mail <<'END'\n{}END\n",
            String::from_utf8_lossy(&mail).replace('\r', "")
        ))?;
        run(Command::new(&program).arg("--data").arg(&data).arg("mail"), &mail)?;
        let mut letters = Vec::new();
        for entry in fs::read_dir(&outgoing).context("no letter was delivered")? {
            let path = entry?.path();
            if seen.insert(path.clone()) {
                letters.push(fs::read_to_string(&path)?);
            }
        }
        ensure!(!letters.is_empty(), "the server delivered no letter");
        letters.sort_by_key(|letter| !letter.contains(&format!("To: {}", address(userid))));
        // Of two letters that tell the same, the one to the other player is shown whole.
        let whole = letters.len() - 1;
        for (i, letter) in letters.iter().enumerate() {
            let to = letter.lines().find(|line| line.starts_with("To: ")).unwrap_or("To: ?");
            if i == whole {
                say(&format!("\n--- letter {to}\n{}\n", as_text(letter)?))?;
            } else {
                say(&format!("\n--- letter {to} (the same board, worded for its reader)\n"))?;
            }
        }
    }
    say(&play_on(&program, &data))?;
    Ok(Exit::Done)
}

/// A letter's headers and its text; its other part is for a mail program's eyes.
fn as_text(letter: &str) -> anyhow::Result<String> {
    let mail = mailparse::parse_mail(letter.as_bytes())?;
    let text = mail.parts().find(|part| part.ctype.mimetype == "text/plain").context("a letter without text")?;
    let head = letter.split("\n\n").next().unwrap_or_default();
    let more = mail.parts().any(|part| part.ctype.mimetype == "text/html");
    let more =
        if more { "[A second part, of HTML, shows the board as a picture, and legal moves as links.]\n" } else { "" };
    Ok(format!("{head}\n\n{}\n{more}", text.get_body()?.replace('\r', "")))
}

fn say(text: &str) -> anyhow::Result<()> {
    print(text)
}

fn address(userid: &str) -> String {
    format!("{userid}@example.org")
}

/// `turnpost-demo`, or with a number behind it where there are such already: nothing of anybody's is touched.
fn free_directory() -> anyhow::Result<PathBuf> {
    let names = (1..).map(|n| if n == 1 { "turnpost-demo".to_owned() } else { format!("turnpost-demo-{n}") });
    for path in names.map(PathBuf::from) {
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot make {}", path.display())),
        }
    }
    unreachable!("the numbers do not end")
}

/// A mail as a player's program would send it.
fn compose(number: usize, userid: &str, subject: &str, text: &str) -> anyhow::Result<Vec<u8>> {
    let mail = Message::builder()
        .from(address(userid).parse()?)
        .to(SERVER.parse()?)
        .subject(subject)
        .message_id(Some(format!("<demo-{number}@example.org>")))
        .header(ContentType::TEXT_PLAIN)
        .body(text.to_owned())?;
    Ok(mail.formatted())
}

/// Runs this program again, and gives what it printed.
fn run(command: &mut Command, input: &[u8]) -> anyhow::Result<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("cannot run turnpost")?;
    child.stdin.take().context("no standard input")?.write_all(input)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "turnpost ended with {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn play_on(program: &Path, data: &Path) -> String {
    let turnpost = format!("{} --data {}", program.display(), data.display());
    format!(
        "{}\nIt is alice's turn. Play on from the shell:\n\n\
         \x20 {turnpost} marque move 1 alice wonderland k4\n\
         \x20 {turnpost} show 1\n\
         \x20 {turnpost} help marque\n\n\
         or by mail (the letters then lie in {}/outgoing/new):\n\n\
         \x20 printf 'From: alice@example.org\\nSubject: marque move 1 alice wonderland k4\\n\\nYour turn.\\n' |\n\
         \x20   {turnpost} mail\n\n\
         and see what the server knows:\n\n\
         \x20 {turnpost} admin boards\n\
         \x20 {turnpost} admin outbox\n",
        "=".repeat(78),
        data.display()
    )
}
