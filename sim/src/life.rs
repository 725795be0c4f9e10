//! Messages other than players' commands on their boards: settings, vacations, challenges, departures,
//! nonsense and forgeries.

use chrono::{DateTime, TimeDelta, Utc};

use crate::acts::Draft;
use crate::mail::{GivenPassword, Intent, Meant, Parts};
use crate::players::Player;
use crate::setup::ADDRESS;
use crate::world::Random;
use turnpost::numbers::BoardNumber;
use turnpost::rules::catalogue::GAMES;

pub(crate) const ZONES: [&str; 6] =
    ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "America/St_Johns"];

/// All players. Most methods write a message from one of them.
pub(crate) struct Everybody<'a> {
    pub(crate) players: &'a [Player],
    pub(crate) now: DateTime<Utc>,
}

impl Everybody<'_> {
    /// Writes a challenge to one player or to anyone.
    pub(crate) fn challenge(&self, random: &mut Random, by: usize, remark: String) -> Draft {
        let played = GAMES[random.below(GAMES.len())];
        let game = played.name();
        let small = || played.options().first().and_then(|size| size.numbers.first());
        let smallest = small().map(|size| format!("-size={size}")).unwrap_or_default();
        let option = match game {
            "marque" => *random.pick(&["", "-opposite", "-any_2", "-any_3", "-y", "-non_adj_2"]),
            "brique" => *random.pick(&["-size=5", "-size=7", "-size=6"]),
            _ => &smallest,
        };
        let days =
            *random.pick(&["", "", "--nagtime=3 --forfeittime=8", "--nagtime=1 --forfeittime=3", "--totaltime=20"]);
        let terms = *random.pick(&["", "", "", "--unrated", "--private"]);
        let other = self.other(random, by);
        let me = &self.players[by].userid;
        let them = if random.chance(200) { "anyone" } else { other };
        // A private open challenge can be accepted only with an invitation, and simulated players do not send any.
        let terms = if them == "anyone" && terms == "--private" { "" } else { terms };
        let (first, second) = if random.chance(500) { (me.as_str(), them) } else { (them, me.as_str()) };
        let line = format!("{game} challenge {option} {days} {terms} {first} {second}");
        let mut draft = self.begins(random, by, line);
        draft.parts.body += &format!("\nA game, {remark}?\n");
        draft.remark = Some(remark);
        draft
    }

    /// Writes a message that accepts an open challenge.
    pub(crate) fn take(&self, random: &mut Random, by: usize, game: &str, number: BoardNumber) -> Draft {
        let (userid, password) = self.shown(random, by);
        let line = format!("{game} accept {number} {userid} {password}");
        let draft = self.begins(random, by, line);
        Draft { boards: vec![number], password: given(by, password), ..draft }
    }

    /// Writes a message with a line that starts a board.
    fn begins(&self, random: &mut Random, by: usize, line: String) -> Draft {
        let intent = Intent { player: by, board: BoardNumber(0), meant: Meant::Begin, token_of: None };
        Draft { intents: vec![intent], ..self.line(random, by, line) }
    }

    /// Writes a message that does not change a board.
    pub(crate) fn anything(&self, random: &mut Random, by: usize) -> Draft {
        let (userid, password) = self.shown(random, by);
        let shown = 1 + random.below(60) as u32;
        let other = self.other(random, by);
        let line = match random.below(24) {
            0..3 => {
                let until = (self.now + TimeDelta::days(random.between(2, 12))).format("%Y-%m-%d");
                format!("vacation {userid} {password} until {until}")
            }
            3 => format!("vacation {userid} {password} off"),
            4 => format!("set {userid} {password} zone={}", random.pick(&ZONES)),
            5 => format!("set {userid} {password} weekend={}", random.pick(&["sat,sun", "none", "fri", "sun"])),
            6 => format!("set {userid} {password} rhythm={}", random.pick(&["each", "each", "once", "daily@18"])),
            7 => format!("set {userid} {password} reminders={}", random.pick(&["all", "last"])),
            8 => format!("set {userid} {password} mail={}", random.pick(&["text", "text", "accessible"])),
            9 => format!("show {other}"),
            10 => format!("all show {userid} next"),
            11 => format!("help {}", random.pick(&["", "commands", "marque", "lazo", "plans"])),
            12 => "list".to_owned(),
            13 => format!("{} standings", GAMES[random.below(GAMES.len())].name()),
            14 => format!("message {userid} {password} {other}"),
            15 => format!("marque notify all {userid} {password}"),
            16 => format!("marque limit {userid} {password} {}", random.pick(&["3", "all", "all"])),
            // Mistakes: a missing word, misspelt words, a userid as the password, and a text without a command.
            17 => format!("marque move {userid} {password} f3"),
            18 => format!("marque mvoe 1 {userid} {password} f3"),
            19 => format!("set {userid} {} rhythm=each", self.players[random.below(self.players.len())].userid),
            20 => format!("vacaton {userid} {password} off"),
            21 => "Hello there, how are you?".to_owned(),
            22 => format!("show {shown}"),
            _ => format!("marque games {userid} active"),
        };
        let gives = line.contains(&password);
        let mut draft = self.line(random, by, line);
        if gives {
            draft.password = given(by, password);
        }
        if draft.parts.subject.starts_with("message") || draft.parts.body.starts_with("message") {
            draft.parts.body += "\nA word to you.\n";
        }
        draft
    }

    /// Writes a request to leave the server or, with a code, the confirmation of that request.
    pub(crate) fn leave(&self, random: &mut Random, by: usize, code: Option<&str>) -> Draft {
        let (userid, password) = self.shown(random, by);
        let line = format!("signoff {userid} {password} {}", code.unwrap_or_default());
        let mut draft = Draft { password: given(by, password), ..self.line(random, by, line) };
        if code.is_some() {
            let (board, meant) = (BoardNumber(0), Meant::Leave);
            draft.intents = vec![Intent { player: by, board, meant, token_of: None }];
        }
        draft
    }

    /// Writes a request for a password change.
    pub(crate) fn change_password(&self, random: &mut Random, by: usize, new: &str) -> Draft {
        let (userid, password) = self.shown(random, by);
        let draft = self.line(random, by, format!("change password {userid} {password} {new}"));
        Draft { password: Some(GivenPassword { player: by, password, new: Some(new.to_owned()) }), ..draft }
    }

    /// Writes a message in a player's name without valid credentials. It must not change anything.
    pub(crate) fn forgery(&self, random: &mut Random, of: usize, board: BoardNumber, game: &str, cell: &str) -> Draft {
        let victim = &self.players[of];
        let thief = &self.players[(of + 1 + random.below(self.players.len() - 1)) % self.players.len()];
        let stolen = victim.letters.back().and_then(|letter| letter.letter.reply_to.clone());
        let mut parts = Parts { subject: "a forgery".to_owned(), to: ADDRESS.to_owned(), ..Parts::default() };
        let mut boards = Vec::new();
        let verb = *random.pick(&["move", "resign", "move", "accept"]);
        let rest = if verb == "move" { cell } else { "" };
        match random.below(4) {
            // Another player uses the victim's reply token, and sends the message from their own confirmed address.
            0 if stolen.is_some() && !thief.left => {
                (parts.from, parts.to) = (thief.address.clone(), stolen.unwrap_or_default());
                parts.body = format!("{verb} {rest}\n");
            }
            // The sender's address is the victim's, but the password is wrong.
            1 => {
                boards.push(board);
                parts.from = victim.address.clone();
                parts.body = format!("{game} {verb} {board} {} Wrong{} {rest}\n", victim.userid, random.below(50));
            }
            // The reply token has an invalid signature.
            2 => {
                parts.from = victim.address.clone();
                parts.to = format!("turnpost+aabacafuqnc63chx4dmg55ubsqjuy{}@server.example", 22 + random.below(70));
                parts.body = format!("{verb} {rest}\n");
            }
            _ => {
                boards.push(board);
                parts.from = format!("stranger{}@elsewhere.example", random.below(4));
                parts.body = format!("{game} {verb} {board} {} Guess{} {rest}\n", victim.userid, random.below(50));
            }
        }
        let summary = format!("a forgery in the name of {}", victim.userid);
        Draft { parts, intents: Vec::new(), password: None, boards, remark: None, summary }
    }

    /// Writes a message with a line that contains this password.
    pub(crate) fn with_password(&self, random: &mut Random, by: usize, line: String, password: String) -> Draft {
        Draft { password: given(by, password), ..self.line(random, by, line) }
    }

    /// Writes a message with a line as its subject or as the first line of its text.
    fn line(&self, random: &mut Random, by: usize, line: String) -> Draft {
        let player = &self.players[by];
        let mut parts = Parts { from: player.address.clone(), to: ADDRESS.to_owned(), ..Parts::default() };
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match random.chance(500) {
            true => parts.subject.clone_from(&line),
            false => (parts.subject, parts.body) = ("to the server".to_owned(), format!("{line}\n")),
        }
        let verb: Vec<&str> = line.split(' ').take(2).collect();
        let summary = format!("{}: {} …", player.userid, verb.join(" "));
        let boards = match verb[..] {
            ["show", board] => board.parse().map(BoardNumber).into_iter().collect(),
            _ => Vec::new(),
        };
        Draft { parts, intents: Vec::new(), password: None, boards, remark: None, summary }
    }

    /// Returns a player's userid, and the password that the player types, which may be wrong.
    pub(crate) fn shown(&self, random: &mut Random, by: usize) -> (&str, String) {
        (&self.players[by].userid, self.players[by].types_password(random))
    }

    fn other(&self, random: &mut Random, by: usize) -> &str {
        let other = (by + 1 + random.below(self.players.len() - 1)) % self.players.len();
        &self.players[other].userid
    }
}

/// Describes a typed password in a message that does not change the password.
fn given(player: usize, password: String) -> Option<GivenPassword> {
    Some(GivenPassword { player, password, new: None })
}
