//! Players' messages about boards. Most contain a legal move, and some contain another command.

use crate::letter::address;
use crate::mail::{GivenPassword, Intent, Meant, Parts, Queue};
use crate::players::{Player, Received};
use crate::setup::ADDRESS;
use crate::world::Random;
use turnpost::numbers::{BoardNumber, EntryNumber};
use turnpost::rules::{Play, Seat};
use turnpost::store::Board;

/// A message about to be sent.
pub(crate) struct Draft {
    pub(crate) parts: Parts,
    pub(crate) intents: Vec<Intent>,
    pub(crate) password: Option<GivenPassword>,
    /// The boards that the message is about.
    pub(crate) boards: Vec<BoardNumber>,
    pub(crate) remark: Option<String>,
    pub(crate) summary: String,
}

impl Draft {
    /// Returns the queues of the inbox to which the message belongs.
    pub(crate) fn queues(&self) -> Vec<Queue> {
        let sender = Queue::Sender(address(&self.parts.from).to_lowercase());
        std::iter::once(sender).chain(self.boards.iter().copied().map(Queue::Board)).collect()
    }
}

/// A player who writes about one of their boards, perhaps in reply to a letter about it.
pub(crate) struct AtBoard<'a> {
    pub(crate) player: &'a Player,
    /// The player's index.
    pub(crate) index: usize,
    pub(crate) board: &'a Board,
    pub(crate) play: &'a dyn Play,
    pub(crate) letter: Option<&'a Received>,
}

/// A command about a board, without the author's credentials.
struct Said {
    verb: &'static str,
    rest: String,
    meant: Meant,
    /// Whether a comment may follow the command.
    comment: bool,
}

impl Said {
    fn new(verb: &'static str, rest: impl Into<String>, meant: Meant) -> Said {
        Said { verb, rest: rest.into(), meant, comment: true }
    }

    fn without_comment(self) -> Said {
        Said { comment: false, ..self }
    }
}

/// Writes one message with a line for each of these boards, except those on which the player would chat or write a
/// note. On all of them, it must be the player's turn.
pub(crate) fn moves_at(boards: &[AtBoard<'_>], random: &mut Random) -> Option<Draft> {
    let first = boards.first()?;
    let password = first.player.types_password(random);
    let mut parts = Parts { from: first.from(random), to: ADDRESS.to_owned(), ..Parts::default() };
    parts.subject = "my moves".to_owned();
    let (mut intents, mut summary) = (Vec::new(), format!("{} moves at", first.player.userid));
    for at in boards {
        let said = at.in_turn(random);
        // `chat` and `note` need a text below their line, so they cannot be combined with other lines.
        if matches!(said.verb, "chat" | "note") {
            continue;
        }
        parts.body += &format!("{}\n", at.line(&said, &password));
        summary += &format!(" board {}: {} {};", at.board.number, said.verb, said.rest);
        intents.push(Intent { player: at.index, board: at.board.number, meant: said.meant, token_of: None });
    }
    let boards = intents.iter().map(|intent| intent.board).collect();
    let given = GivenPassword { player: first.index, password, new: None };
    Some(Draft { parts, intents, password: Some(given), boards, remark: None, summary })
}

impl AtBoard<'_> {
    fn seat(&self) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.board.players[seat.index()].id == self.player.id)
    }

    /// Returns whether it is the player's turn.
    pub(crate) fn is_to_move(&self) -> bool {
        self.board.to_move.is_some() && self.board.to_move == self.seat()
    }

    /// Chooses a command, and writes the player's message. Returns `None` if the player does not write.
    pub(crate) fn choose(&self, random: &mut Random, remark: String) -> Option<Draft> {
        let said = if self.board.to_move.is_none() {
            self.after_the_end(random)
        } else if self.is_to_move() {
            self.in_turn(random)
        } else {
            self.out_of_turn(random)?
        };
        Some(self.write(random, said, remark))
    }

    fn in_turn(&self, random: &mut Random) -> Said {
        let proposed = self.board.proposal.is_some_and(|proposal| Some(proposal.by) != self.seat());
        if proposed && random.chance(600) {
            return match random.chance(600) {
                true => Said::new("accept", "", Meant::Accept),
                false => Said::new("reject", "", Meant::Other),
            };
        }
        if self.seat().is_some_and(|seat| self.board.seats[seat.index()].submitted.is_some()) {
            return Said::new("confirm", "", Meant::Confirm);
        }
        let legal = self.play.legal_moves();
        let text = random.pick(&legal).clone();
        let long = self.board.plies.0 > 60;
        match random.below(1_000) {
            0..10 => Said::new("resign", "", Meant::Resign),
            10..20 if long => Said::new("resign", "", Meant::Resign),
            20..45 => Said::new("propose", "", Meant::Other),
            45..65 => Said::new("undo", "", Meant::Other),
            65..85 => Said::new("submit", text.clone(), Meant::Prepare(vec![text])).without_comment(),
            85..105 => Said::new("chat", "", Meant::Chat),
            105..120 => Said::new("note", "", Meant::Other),
            120..130 => Said::new("decline", "", Meant::Resign),
            130..140 => Said::new("move", "z99", Meant::Other),
            140..150 => Said::new("move", format!("{text}#999"), Meant::Other),
            150..200 => Said::new("move", format!("{text}#{}", self.board.plies.next()), Meant::Move(text)),
            _ => Said::new("move", text.clone(), Meant::Move(text)),
        }
    }

    fn out_of_turn(&self, random: &mut Random) -> Option<Said> {
        let proposed = self.board.proposal.is_some_and(|proposal| Some(proposal.by) != self.seat());
        if proposed && random.chance(700) {
            return Some(match random.chance(600) {
                true => Said::new("accept", "", Meant::Accept),
                false => Said::new("reject", "", Meant::Other),
            });
        }
        Some(match random.below(100) {
            0..8 => Said::new("chat", "", Meant::Chat),
            8..10 => Said::new("undo", "", Meant::Other),
            10..12 => Said::new("propose", "", Meant::Other),
            12..13 => Said::new("resign", "", Meant::Resign),
            13..20 => self.queue(random)?.without_comment(),
            20..30 => self.prepare(random)?.without_comment(),
            30..32 => {
                // It is not the player's turn. The move is refused, unless their turn begins before it is processed.
                let legal = self.play.legal_moves();
                let text = random.pick(&legal).clone();
                Said::new("move", text.clone(), Meant::Move(text))
            }
            _ => return None,
        })
    }

    fn after_the_end(&self, random: &mut Random) -> Said {
        match random.below(4) {
            0 => Said::new("rematch", "", Meant::Begin),
            1 => Said::new("chat", "", Meant::Chat),
            2 => Said::new("note", "", Meant::Other),
            _ => Said::new("resign", "", Meant::Other),
        }
    }

    /// Queues a move for the player's next turn. The move may be illegal when that turn begins.
    fn queue(&self, random: &mut Random) -> Option<Said> {
        let mut play = self.play.boxed_clone();
        let theirs = play.legal_moves();
        let first: &String = random.pick(&theirs);
        play.play(first).ok()?;
        let mine = play.legal_moves();
        let text = (!mine.is_empty()).then(|| random.pick(&mine).clone())?;
        Some(Said::new("queue", text.clone(), Meant::Prepare(vec![text])))
    }

    /// Prepares conditional replies to at most three moves of the opponent.
    fn prepare(&self, random: &mut Random) -> Option<Said> {
        let theirs = self.play.legal_moves();
        let (mut plan, mut replies) = (String::new(), Vec::new());
        for _ in 0..3 {
            let mut play = self.play.boxed_clone();
            let first = random.pick(&theirs);
            play.play(first).ok()?;
            if play.to_move() != self.seat() {
                return None;
            }
            let mine = play.legal_moves();
            let reply = random.pick(&mine).clone();
            if plan.contains(&format!("{first} then")) {
                continue;
            }
            plan += &format!("{first} then {reply}; ");
            replies.push(reply);
        }
        if random.chance(300) {
            plan += "else resign";
            replies.push("resign".to_owned());
        } else {
            plan += "else stop";
        }
        Some(Said::new("if", format!("\"{plan}\""), Meant::Prepare(replies)))
    }

    /// Writes the command, either as a reply to the letter or with the password.
    fn write(&self, random: &mut Random, said: Said, remark: String) -> Draft {
        let about = self.letter.and_then(|letter| {
            let about = letter.about.iter().find(|about| about.board == self.board.number)?;
            Some((letter, about.entry, letter.letter.reply_to.clone().filter(|to| to.contains('+'))?))
        });
        let number = self.board.number;
        let is_text = matches!(said.verb, "chat" | "note");
        let mut parts = Parts { from: self.from(random), ..Parts::default() };
        let mut words = format!("{} {}", said.verb, said.rest).trim_end().to_owned();
        let (mut token_of, mut given, mut boards) = (None::<EntryNumber>, None, vec![number]);
        match about {
            Some((received, entry, to)) if random.chance(self.player.replies) => {
                token_of = Some(entry);
                boards.extend(received.about.iter().map(|about| about.board));
                parts.to = to;
                parts.subject = format!("Re: {}", received.letter.subject);
                parts.answers = Some(received.letter.message_id.clone());
                if said.verb == "move" && random.chance(700) {
                    words = said.rest.clone();
                }
                if received.about.len() > 1 {
                    words = format!("{number} {words}");
                }
                parts.body = format!("{words}\n");
            }
            _ => {
                let password = self.player.types_password(random);
                parts.to = ADDRESS.to_owned();
                words = self.line(&said, &password);
                given = Some(GivenPassword { player: self.index, password, new: None });
                match random.chance(500) {
                    true => parts.subject = words.clone(),
                    false => (parts.subject, parts.body) = ("my move".to_owned(), format!("{words}\n")),
                }
            }
        }
        let comments = is_text || said.comment && random.chance(400);
        if comments {
            parts.body += &format!("\nI say {remark} to this.\n");
            if random.chance(30) {
                parts.body += &self.careless_quote();
            }
        }
        if random.chance(100) && token_of.is_some() {
            parts.body += &format!("\nOn Monday, {ADDRESS} wrote:\n> resign\n> f3\n");
        }
        let summary = format!("{} board {number}: {} {}", self.player.userid, said.verb, said.rest);
        let intents = vec![Intent { player: self.index, board: number, meant: said.meant, token_of }];
        Draft { parts, intents, password: given, boards, remark: comments.then_some(remark), summary }
    }

    /// Returns the command line with a password.
    fn line(&self, said: &Said, password: &str) -> String {
        let Board { number, game, .. } = self.board;
        let line = format!("{game} {} {number} {} {password} {}", said.verb, self.player.userid, said.rest);
        line.trim_end().to_owned()
    }

    fn from(&self, random: &mut Random) -> String {
        match random.below(3) {
            0 => self.player.address.clone(),
            1 => format!("\"{}\" <{}>", self.player.userid, self.player.address),
            _ => format!("Somebody <{}>", self.player.address.to_uppercase()),
        }
    }

    /// Returns a sentence in which the player carelessly quotes their own reply address.
    fn careless_quote(&self) -> String {
        let own = self.letter.and_then(|letter| letter.letter.reply_to.clone()).unwrap_or_default();
        format!("It came from {own} this time.\n")
    }
}
