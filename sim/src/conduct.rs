//! Decides when players read letters and send messages.

use chrono::TimeDelta;

use crate::acts::{AtBoard, Draft, moves_at};
use crate::agenda::Event;
use crate::life::Everybody;
use crate::mail::{GivenPassword, Meant, SentMail};
use crate::players::{PASSWORD, Received};
use crate::simulation::{BOARDS, Simulation};
use crate::world::Random;
use turnpost::numbers::BoardNumber;

impl Simulation {
    /// Sends a message. It arrives after a random delay, perhaps after messages that were sent later.
    pub(crate) fn send(&mut self, author: Option<usize>, draft: Draft) {
        let number = self.mails.len();
        let queues = draft.queues();
        let Draft { parts, intents, password, remark, summary, .. } = draft;
        if let Some(GivenPassword { player, new: Some(new), .. }) = &password {
            self.players[*player].change_password(new.clone(), number);
        }
        let raw = parts.octets(number, self.time);
        self.mails.push(SentMail { intents, password, queues, remark, author, raw, summary });
        self.count("mails");
        let seconds = self.random.between(1, 2_000);
        self.plan(TimeDelta::seconds(seconds), Event::Arrive { mail: number, hop: 0 });
        if self.random.chance(20) {
            let seconds = self.random.between(1, 20_000);
            self.plan(TimeDelta::seconds(seconds), Event::Arrive { mail: number, hop: 1 });
        }
    }

    fn remark(&mut self) -> String {
        self.remarks += 1;
        format!("remark-{:06}", self.remarks)
    }

    /// Lets a player read a letter.
    pub(crate) fn read(&mut self, player: usize, received: &Received) {
        if !self.players[player].answers(self.time) {
            return;
        }
        if let Some(code) = code_to_leave(&received.letter.text, &self.players[player].userid) {
            let draft = self.draft(|everybody, random| everybody.leave(random, player, Some(&code)));
            return self.send(Some(player), draft);
        }
        if self.come_back_to_event(player, received) {
            return;
        }
        let careless = self.players[player].careless;
        for about in &received.about {
            if !self.random.chance(careless) {
                self.act(player, about.board, Some(received));
            }
        }
    }

    /// Lets a player send a message about a board, perhaps in reply to a letter.
    pub(crate) fn act(&mut self, player: usize, board: BoardNumber, received: Option<&Received>) {
        let remark = self.remark();
        let Some(model) = self.oracle.boards.get(&board).filter(|_| self.players[player].answers(self.time)) else {
            return;
        };
        if model.board.no_result.is_some() || model.board.result.is_some() && !self.random.chance(30) {
            return;
        }
        let at = AtBoard {
            player: &self.players[player],
            index: player,
            board: &model.board,
            play: &*model.play,
            letter: received,
        };
        if let Some(draft) = at.choose(&mut self.random, remark) {
            // Sometimes the player looks at the board again a second later, and sends another message.
            let twice = self.random.chance(20);
            if twice {
                self.plan(TimeDelta::seconds(1), Event::Look { player, board });
            }
            self.send(Some(player), draft);
        }
    }

    /// Sends one message of a player about several of these boards.
    fn move_at(&mut self, player: usize, boards: &[BoardNumber]) {
        let known = boards.iter().take(5).filter_map(|board| self.oracle.boards.get(board));
        let at: Vec<AtBoard<'_>> = known
            .map(|model| AtBoard {
                player: &self.players[player],
                index: player,
                board: &model.board,
                play: &*model.play,
                letter: None,
            })
            .collect();
        if let Some(draft) = moves_at(&at, &mut self.random) {
            self.send(Some(player), draft);
        }
    }

    /// Lets a player send a message that no letter caused, and schedules the next one.
    pub(crate) fn live(&mut self, player: usize) {
        let hours = self.random.between(20, 150);
        self.plan(TimeDelta::hours(hours), Event::Live(player));
        if !self.players[player].answers(self.time) {
            return;
        }
        if self.oracle.events.is_some() {
            return self.live_in_season(player);
        }
        let draft = match self.random.below(100) {
            0 => self.draft(|everybody, random| everybody.leave(random, player, None)),
            1..4 => return self.change_password(player),
            4..50 => return self.look_around(player),
            _ => self.draft(|everybody, random| everybody.anything(random, player)),
        };
        self.send(Some(player), draft);
    }

    /// Lets a player request a password change. The player immediately uses the new password in further messages.
    fn change_password(&mut self, player: usize) {
        if self.players[player].changing.is_some() {
            return;
        }
        let new = format!("{PASSWORD}{}new{}", self.seed, self.mails.len());
        let draft = self.draft(|everybody, random| everybody.change_password(random, player, &new));
        self.send(Some(player), draft);
        self.look_around(player);
    }

    /// Lets a player look for boards on which it is their turn, and for open challenges.
    pub(crate) fn look_around(&mut self, player: usize) {
        let id = self.players[player].id;
        let waits =
            |seat: turnpost::rules::Seat, players: &[turnpost::store::PlayerRef; 2]| players[seat.index()].id == id;
        let boards: Vec<BoardNumber> = self
            .oracle
            .boards
            .values()
            .filter_map(|model| {
                let seat = model.board.to_move?;
                waits(seat, &model.board.players).then_some(model.board.number)
            })
            .collect();
        if boards.len() > 1 && self.random.chance(200) {
            self.move_at(player, &boards);
        } else {
            for board in boards {
                if self.random.chance(400) {
                    self.act(player, board, None);
                }
            }
        }
        let challenges: Vec<(BoardNumber, String)> = self.oracle.open_challenges.clone().into_iter().collect();
        if !challenges.is_empty() && self.random.chance(500) {
            let (number, game) = self.random.pick(&challenges).clone();
            let draft = self.draft(|everybody, random| everybody.take(random, player, &game, number));
            self.send(Some(player), draft);
        }
    }

    /// Lets a player send a challenge, unless too many games are in progress.
    pub(crate) fn challenge(&mut self) {
        let hours = self.random.between(1, 20);
        self.plan(TimeDelta::hours(hours), Event::Challenge);
        let by = self.random.below(self.players.len());
        if self.players[by].left || self.oracle.running() >= BOARDS {
            return;
        }
        let remark = self.remark();
        let draft = self.draft(|everybody, random| everybody.challenge(random, by, remark));
        debug_assert!(draft.intents.iter().all(|intent| intent.meant == Meant::Begin));
        self.send(Some(by), draft);
    }

    /// Sends a message in a player's name without their credentials.
    pub(crate) fn forge(&mut self) {
        let hours = self.random.between(1, 15);
        self.plan(TimeDelta::hours(hours), Event::Forge);
        let boards: Vec<&BoardNumber> = self.oracle.boards.keys().collect();
        if boards.is_empty() {
            return;
        }
        let number = **self.random.pick(&boards);
        let Some(model) = self.oracle.boards.get(&number) else { return };
        let Some(seat) = model.board.to_move else { return };
        let id = model.board.players[seat.index()].id;
        let Some(victim) = self.players.iter().position(|player| player.id == id) else { return };
        let legal = model.play.legal_moves();
        let (game, cell) = (model.board.game.clone(), self.random.pick(&legal).clone());
        let draft = self.draft(|everybody, random| everybody.forgery(random, victim, number, &game, &cell));
        self.send(None, draft);
    }

    /// Updates which players have left the server, and whose password has changed.
    pub(crate) fn learn(&mut self) -> anyhow::Result<()> {
        let Simulation { server, players, oracle, .. } = self;
        for (index, player) in players.iter_mut().enumerate() {
            if player.changing.is_some_and(|mail| oracle.has_verdict(mail)) {
                let password = oracle.password(index, player).to_owned();
                player.learn_password(&password);
            }
        }
        let processed_authors = std::mem::take(&mut oracle.processed_authors);
        if processed_authors.is_empty() {
            return Ok(());
        }
        server.read(|tx| {
            for player in processed_authors {
                let player = &mut players[player];
                player.left = tx.player_by_id(player.id)?.is_some_and(|found| found.left_at.is_some());
            }
            Ok(())
        })
    }

    pub(crate) fn draft(&mut self, write: impl FnOnce(&Everybody<'_>, &mut Random) -> Draft) -> Draft {
        write(&Everybody { players: &self.players, now: self.time }, &mut self.random)
    }
}

/// Returns the confirmation code from a letter that asks a player whether they really want to leave the server.
fn code_to_leave(text: &str, userid: &str) -> Option<String> {
    let start = format!("signoff {userid} PASSWORD ");
    text.lines().find_map(|line| Some(line.trim().strip_prefix(&start)?.to_owned()))
}
