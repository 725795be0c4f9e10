//! Playing: challenges, moves, resignations.

use crate::command::Password;
use crate::rules::{Game, Options, Seat};
use crate::store::{Board, BoardResult, Comment, Entry, EntryKind, Ledger, NewBoard, Player, PlayerId};

use super::view::{Table, board_view};
use super::{
    Answer, BoardView, Desk, Done, Fail, Origin, Request, chain, identity, look, refusal, refuse, refused_by_rules,
};

/// A player who has shown his password, at a board of his.
pub(super) struct Seated {
    board: Board,
    player: Player,
    /// His seats: both, when he plays against himself.
    seats: Vec<Seat>,
}

impl Seated {
    fn players(&self) -> [PlayerId; 2] {
        [self.board.players[0].0, self.board.players[1].0]
    }
}

/// Checks who asks, that the board is there, and that he plays on it.
pub(super) fn seated(
    ledger: &mut dyn Ledger,
    request: &Request,
    game: &str,
    number: u32,
    userid: &str,
    password: &Password,
) -> Done<Seated> {
    let player = identity::player(ledger, request, userid, password)?;
    let board = look::board(ledger, request, Some(game), number)?;
    let seats: Vec<Seat> = Seat::BOTH.into_iter().filter(|seat| board.players[seat.index()].0 == player.id).collect();
    if seats.is_empty() {
        let [(_, first), (_, second)] = &board.players;
        return refuse(request, userid, format!("Board {number} is played by {first} and {second}."));
    }
    let seated = Seated { board, player, seats };
    if seated.board.declined {
        return refuse_at(ledger, request, &seated, "", format!("Board {number} was declined; it is not played."));
    }
    if seated.board.to_move.is_none() {
        return refuse_at(ledger, request, &seated, "", format!("The game on board {number} is over."));
    }
    Ok(seated)
}

/// Refuses, and shows the board as it is.
fn refuse_at<T>(ledger: &dyn Ledger, request: &Request, seated: &Seated, word: &str, message: String) -> Done<T> {
    let board = board_view(ledger, seated.board.number, None, false)?;
    let mut fail = refusal(request, word, message, None);
    if let Fail::Refused(refused) = &mut fail {
        refused.board = board.map(Box::new);
    }
    Err(fail)
}

fn view_now(ledger: &dyn Ledger, number: u32) -> Done<BoardView> {
    Ok(board_view(ledger, number, None, false)?.expect("the board is there: this transaction has just used it"))
}

impl Desk<'_> {
    pub(super) fn challenge(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        game: &'static dyn Game,
        options: &Options,
        userids: [&String; 2],
    ) -> Done<Answer> {
        let first = look::player(ledger, request, userids[0])?;
        let second = look::player(ledger, request, userids[1])?;
        let names = [first.userid.clone(), second.userid.clone()];
        let table =
            Table::new(game, options.clone(), names).map_err(|refusal| refused_by_rules(request, refusal, None))?;
        let challenger = match &request.from {
            Origin::Shell { .. } => None,
            Origin::Mail { sender, .. } => {
                let owner = ledger.player_by_address(sender)?.map(|owner| owner.id);
                if owner.is_none_or(|owner| owner != first.id && owner != second.id) {
                    return refuse(
                        request,
                        "",
                        format!(
                            "A challenge is made from a confirmed address of one of its players; this mail came from \
                             neither {} nor {}.",
                            first.userid, second.userid
                        ),
                    );
                }
                owner
            }
        };
        let options = options.to_string();
        let number = ledger.add_board(&NewBoard {
            game: game.name().to_owned(),
            hash: chain::genesis(game.name(), &options, [&first.userid, &second.userid]),
            options,
            players: [first.id, second.id],
            to_move: table.position().to_move().expect("somebody moves first"),
            challenger,
            number: None,
            rated: true,
            private: false,
            limits: crate::clock::Limits::default(),
            created_at: request.now,
        })?;
        if let Some(challenger) = challenger {
            comment(ledger, request, number, 0, challenger)?;
        }
        self.tell_players(ledger, request, "challenge", (number, 0), [first.id, second.id])?;
        Ok(Answer::Challenged { board: view_now(ledger, number)? })
    }

    pub(super) fn make_move(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        seated: Seated,
        text: &str,
        guard: Option<u32>,
    ) -> Done<Answer> {
        let board = &seated.board;
        let ply = board.plies + 1;
        let to_move = board.to_move.expect("a board in progress waits for somebody");
        if !seated.seats.contains(&to_move) {
            let (_, other) = &board.players[to_move.index()];
            return refuse_at(ledger, request, &seated, &seated.player.userid, format!("It is {other}'s turn."));
        }
        if let Some(guard) = guard.filter(|guard| *guard != ply) {
            let message = format!("This is meant as move {guard} of the game, and the next one is move {ply}.");
            return refuse_at(ledger, request, &seated, &format!("#{guard}"), message);
        }
        let moves = ledger.entries(board.number)?;
        let mut table = Table::after(board, &moves)?;
        let played = match table.play(text) {
            Ok(played) => played,
            Err(mut refusal) => {
                // The rules name the canonical text; the player looks for what he typed.
                if !request.line.shown.contains(&refusal.word) {
                    refusal.word = text.to_owned();
                }
                let board = board_view(ledger, board.number, None, false)?;
                return Err(refused_by_rules(request, refusal, board));
            }
        };
        let made = Entry {
            entry: board.entries + 1,
            kind: EntryKind::Move,
            ply,
            seat: Some(played.seat),
            hash: chain::next(&board.head, ply, &played.text),
            text: played.text,
            made_at: request.now,
            via: request.from.via().to_owned(),
        };
        let position = table.position();
        ledger.add_entry(board.number, &made, position.to_move())?;
        let outcome = position.outcome();
        if let Some(outcome) = outcome {
            let reason = outcome.reason.to_owned();
            let result = BoardResult { winner: outcome.winner, reason, ended_at: request.now };
            ledger.end_board(board.number, &result)?;
        }
        comment(ledger, request, board.number, ply, seated.player.id)?;
        let kind = if outcome.is_some() { "end" } else { "move" };
        self.tell_players(ledger, request, kind, (board.number, ply), seated.players())?;
        Ok(Answer::Moved { board: view_now(ledger, board.number)? })
    }

    pub(super) fn resign(&self, ledger: &mut dyn Ledger, request: &Request, seated: Seated) -> Done<Answer> {
        let board = &seated.board;
        // Whoever was challenged and has not moved yet owes the game nothing.
        if may_decline(ledger, &seated)? {
            return self.decline(ledger, request, seated);
        }
        let to_move = board.to_move.expect("a board in progress waits for somebody");
        if !seated.seats.contains(&to_move) {
            let (_, other) = &board.players[to_move.index()];
            let message = format!("It is {other}'s turn; resign when it is yours.");
            return refuse_at(ledger, request, &seated, &seated.player.userid, message);
        }
        let result =
            BoardResult { winner: Some(to_move.other()), reason: "resignation".to_owned(), ended_at: request.now };
        ledger.end_board(board.number, &result)?;
        comment(ledger, request, board.number, board.plies, seated.player.id)?;
        self.tell_players(ledger, request, "end", (board.number, board.plies), seated.players())?;
        Ok(Answer::Resigned { board: view_now(ledger, board.number)? })
    }

    pub(super) fn decline(&self, ledger: &mut dyn Ledger, request: &Request, seated: Seated) -> Done<Answer> {
        if !may_decline(ledger, &seated)? {
            let message = if seated.board.challenger == Some(seated.player.id) {
                "You made this challenge yourself; only who was challenged can decline it."
            } else {
                "A board can be declined only before one's own first move; resign instead."
            };
            return refuse_at(ledger, request, &seated, "decline", message.to_owned());
        }
        let board = &seated.board;
        ledger.decline_board(board.number, seated.player.id, request.now)?;
        comment(ledger, request, board.number, board.plies, seated.player.id)?;
        self.tell_players(ledger, request, "decline", (board.number, board.plies), seated.players())?;
        Ok(Answer::Declined { board: view_now(ledger, board.number)?, by: seated.player.userid })
    }
}

/// Who was challenged may decline before his own first move.
fn may_decline(ledger: &dyn Ledger, seated: &Seated) -> Done<bool> {
    let challenged = seated.board.challenger != Some(seated.player.id) || seated.seats.len() == 2;
    let moved = ledger.entries(seated.board.number)?.iter().any(|mv| mv.seat.is_some_and(|seat| seated.seats.contains(&seat)));
    Ok(challenged && !moved)
}

/// Records what was said beside a command, if anything was.
fn comment(ledger: &mut dyn Ledger, request: &Request, board: u32, ply: u32, player: PlayerId) -> Done<()> {
    let said = request.line.say.as_deref().or(request.comment.as_deref());
    let text = said.map(look::clean).unwrap_or_default();
    if !text.is_empty() {
        ledger.add_comment(&Comment { board, entry: ply, player, text, said_at: request.now })?;
    }
    Ok(())
}
