//! `turnpost demo`: a challenge and a few moves, sent as mail through this program.
//!
//! Nothing is simulated: each message is composed as a mail program would compose it and passed to `turnpost mail` on
//! standard input. The displayed letters are read from the Maildir to which they were delivered.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use lettre::Message;
use lettre::message::header::ContentType;

use super::exit::{Exit, print, refused};

const SERVER: &str = "turnpost@localhost";

/// A message of the demonstration.
struct Mail {
    userid: &'static str,
    subject: &'static str,
    text: &'static str,
    /// An explanation for the spectator.
    explanation: &'static str,
}

const MAILS: &[Mail] = &[
    Mail {
        userid: "alice",
        subject: "marque challenge alice bob",
        text: "A game?\n",
        explanation: "alice challenges bob: the command is the subject.",
    },
    Mail {
        userid: "alice",
        subject: "marque move 1 alice wonderland f2",
        text: "",
        explanation: "alice plays the first move, one piece on a triangle.",
    },
    Mail {
        userid: "bob",
        subject: "Re: Marque Board 1 bob ** bricklayer f3,f4",
        text: "Two triangles in one move, in base B.\n",
        explanation: "bob answers the letter and adds a password and a move to its subject.\n\
                      The text of the mail is a comment.",
    },
    Mail {
        userid: "alice",
        subject: "my move",
        text: "marque move 1 alice wonderland f3\n",
        explanation: "alice writes the command in the text, and tries an occupied cell:\nthe board remains unchanged.",
    },
];

/// Runs the demonstration in the named directory, which must be new, or in a new one below the current directory.
pub(crate) fn demo(named: Option<&Path>) -> anyhow::Result<Exit> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let data = named.map_or_else(free_directory, new_directory)?;
    let mut demo = Demo { program, data, seen: BTreeSet::new() };
    demo.sign_up()?;
    for (number, mail) in MAILS.iter().enumerate() {
        demo.send(number, mail)?;
    }
    print(&play_on(&demo.program, &demo.data))?;
    Ok(Exit::Done)
}

/// The demonstrated server.
struct Demo {
    program: PathBuf,
    data: PathBuf,
    /// The letters shown so far.
    seen: BTreeSet<PathBuf>,
}

impl Demo {
    fn turnpost(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--data").arg(&self.data);
        command
    }

    fn sign_up(&self) -> anyhow::Result<()> {
        let shown = self.data.display();
        print(&format!(
            "This is a turnpost server in the new directory {shown}, without any\n\
             configuration. Its database is {shown}/turnpost.db; its letters are\n\
             delivered to the Maildir {shown}/outgoing.\n\n"
        ))?;
        for (userid, password) in [("alice", "wonderland"), ("bob", "bricklayer")] {
            let words = ["signup", userid, password, &address(userid)].map(str::to_owned);
            print(&format!("$ turnpost --data {shown} {}\n", words.join(" ")))?;
            print(&run(self.turnpost().args(words), b"")?)?;
        }
        print("\n")
    }

    /// Passes a message to the server, and shows it and the resulting letters.
    fn send(&mut self, number: usize, mail: &Mail) -> anyhow::Result<()> {
        let shown = self.data.display();
        let raw = compose(number, mail)?;
        print(&format!("{}\n{}\n\n", "=".repeat(78), mail.explanation))?;
        print(&format!(
            "$ turnpost --data {shown} mail <<'END'\n{}END\n",
            String::from_utf8_lossy(&raw).replace('\r', "")
        ))?;
        run(self.turnpost().arg("mail"), &raw)?;
        let mut letters = self.new_letters()?;
        ensure!(!letters.is_empty(), "the server delivered no letter");
        letters.sort_by_key(|letter| !letter.contains(&format!("To: {}", address(mail.userid))));
        // The player's own letter is sorted first. Print only the last letter in full: the opponent's, if there are
        // several.
        let in_full = letters.len() - 1;
        for (i, letter) in letters.iter().enumerate() {
            let to = letter.lines().find(|line| line.starts_with("To: ")).unwrap_or("To: ?");
            if i == in_full {
                print(&format!("\n--- letter {to}\n{}\n", as_text(letter)?))?;
            } else {
                print(&format!("\n--- letter {to} (the same board, worded for its reader)\n"))?;
            }
        }
        Ok(())
    }

    fn new_letters(&mut self) -> anyhow::Result<Vec<String>> {
        let mut letters = Vec::new();
        for entry in fs::read_dir(self.data.join("outgoing/new")).context("no letter was delivered")? {
            let path = entry?.path();
            if self.seen.insert(path.clone()) {
                letters.push(fs::read_to_string(&path)?);
            }
        }
        Ok(letters)
    }
}

/// Returns a letter's headers and its text part. The HTML part is for mail programs.
fn as_text(letter: &str) -> anyhow::Result<String> {
    let mail = mailparse::parse_mail(letter.as_bytes())?;
    let text = mail.parts().find(|part| part.ctype.mimetype == "text/plain").context("a letter without text")?;
    let head = letter.split("\n\n").next().unwrap_or_default();
    let more = mail.parts().any(|part| part.ctype.mimetype == "text/html");
    let more = if more { "[An HTML part shows the board as a picture, and every legal move as a link.]\n" } else { "" };
    Ok(format!("{head}\n\n{}\n{more}", text.get_body()?.replace('\r', "")))
}

fn address(userid: &str) -> String {
    format!("{userid}@example.org")
}

fn new_directory(path: &Path) -> anyhow::Result<PathBuf> {
    match fs::create_dir(path) {
        Ok(()) => Ok(path.to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(refused(format_args!("{} exists; name a new directory for the demonstration", path.display())))
        }
        Err(error) => Err(error).with_context(|| format!("cannot create {}", path.display())),
    }
}

/// Creates `turnpost-demo`, or the first free `turnpost-demo-2`, `-3`, …, so that no existing file changes.
fn free_directory() -> anyhow::Result<PathBuf> {
    let names = (1..).map(|n| if n == 1 { "turnpost-demo".to_owned() } else { format!("turnpost-demo-{n}") });
    for path in names.map(PathBuf::from) {
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot create {}", path.display())),
        }
    }
    unreachable!("the numbers are unlimited")
}

/// Composes a message as a player's mail program would.
fn compose(number: usize, mail: &Mail) -> anyhow::Result<Vec<u8>> {
    let mail = Message::builder()
        .from(address(mail.userid).parse()?)
        .to(SERVER.parse()?)
        .subject(mail.subject)
        .message_id(Some(format!("<demo-{number}@example.org>")))
        .header(ContentType::TEXT_PLAIN)
        .body(mail.text.to_owned())?;
    Ok(mail.formatted())
}

/// Runs this program as a command, and returns its output.
fn run(command: &mut Command, input: &[u8]) -> anyhow::Result<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("cannot run turnpost")?;
    child.stdin.take().context("turnpost has no standard input")?.write_all(input)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "turnpost ended with {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn play_on(program: &Path, data: &Path) -> String {
    let turnpost = format!("{} --data {}", program.display(), data.display());
    format!(
        "{}\nIt is alice's turn. Continue in the shell:\n\n\
         \x20 {turnpost} marque move 1 alice wonderland k4\n\
         \x20 {turnpost} show 1\n\
         \x20 {turnpost} help marque\n\n\
         or in a browser, at http://127.0.0.1:8080 as alice with the password wonderland:\n\n\
         \x20 {turnpost} serve --listen 127.0.0.1:8080\n\n\
         or by mail (the letters appear in {}/outgoing/new):\n\n\
         \x20 printf 'From: alice@example.org\\nSubject: marque move 1 alice wonderland k4\\n\\nYour turn.\\n' |\n\
         \x20   {turnpost} mail\n\n\
         and inspect the data of the server:\n\n\
         \x20 {turnpost} admin boards\n\
         \x20 {turnpost} admin outbox\n",
        "=".repeat(78),
        data.display()
    )
}
