//! Writes an export. Only one board is in memory at a time.

use std::collections::BTreeMap;
use std::io::Write;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::correspondence::{mail_line, notice_line};
use super::lines::{
    ActLine, BlockedLine, BoardLine, ClockLine, Counts, Head, Line, MadeProposalLine, Of, OfferLine, ProposalLine,
    PuzzleLine, SealLine, SeatLine, ServerLine, StateLine, SubmittedLine,
};
use super::players::{player_line, whole_player_line};
use super::seal::{Passphrase, Seal, Secret, sealed};
use super::{FORMAT, Result, TransferError};
use crate::numbers::PuzzleNumber;
use crate::rules::{Seat, catalogue};
use crate::service::board::record::{number, record};
use crate::store::{
    self, Act, Actor, BlockedSender, Board, InboxId, KeptProposal, MadeProposal, OpenChallenge, OutboxId, Player,
    PlayerId, Puzzle, SeatState, SubmittedMove, Transaction,
};
use crate::text::hex;
use crate::world::World;

/// Exports everything that is needed to continue elsewhere. With a passphrase, this includes the key of the instance
/// and encrypted secrets.
///
/// # Errors
/// If the store or writing fails.
pub fn export_server(
    tx: &Transaction<'_>,
    world: World,
    passphrase: Option<&Passphrase>,
    now: DateTime<Utc>,
    out: &mut dyn Write,
) -> Result<Counts> {
    let (seal, salt) = passphrase.map(|passphrase| Seal::draw(passphrase, world)).unzip();
    let seal = seal.as_ref();
    let sealed = match salt {
        None => None,
        Some(salt) => Some(SealLine { salt: hex(&salt), key: sealed(seal, Secret::Key, tx.reply_key()?.expose()) }),
    };
    let (server_id, last_numbers, clocks_seen_at) = (tx.server_id()?, tx.last_numbers()?, tx.clocks_seen_at()?);
    let server = ServerLine { server_id, last_numbers, clocks_seen_at, sealed };
    line(out, &Head { server: Some(server), ..head(Of::Server, None, now) })?;
    for BlockedSender { sender, blocked_at, reason } in tx.blocked_senders()? {
        line(out, &Line::Blocked(BlockedLine { sender, blocked_at, reason }))?;
    }
    let mut counts = Counts::default();
    let mut userids = BTreeMap::new();
    for player in tx.players()? {
        line(out, &Line::Player(Box::new(whole_player_line(tx, &player, seal)?)))?;
        counts.players += 1;
        userids.insert(player.id, player.userid);
    }
    // An open challenge precedes the board that it became, which has its number.
    for item in store::numbered(tx)? {
        let store::Numbered { challenge: offer, board, .. } = item?;
        if let Some(offer) = offer {
            counts.offers += 1;
            line(out, &Line::Offer(offer_line(offer)))?;
        }
        if let Some(board) = board {
            counts.boards += 1;
            counts.entries += board.entries.0;
            line(out, &Line::Board(Box::new(board_line(tx, &board, None)?)))?;
        }
    }
    for game in catalogue::GAMES {
        for puzzle in tx.puzzles(game.name(), PuzzleNumber::default(), u32::MAX)? {
            counts.puzzles += 1;
            let Puzzle { game, number, board, ply, daily, .. } = puzzle;
            line(out, &Line::Puzzle(PuzzleLine { game, number, board, ply, daily }))?;
        }
    }
    let mut last = OutboxId(0);
    while let Some(notice) = tx.next_notice(last)? {
        last = notice.id;
        counts.notices += 1;
        line(out, &Line::Outbox(Box::new(notice_line(notice, &userids))))?;
    }
    let mut last = InboxId(0);
    while let Some(mail) = tx.next_mail(last)? {
        last = mail.id;
        counts.mails += 1;
        line(out, &Line::Inbox(Box::new(mail_line(mail, &userids, seal))))?;
    }
    for stop in tx.standstills()? {
        line(out, &Line::Standstill(stop))?;
    }
    for act in tx.acts()? {
        line(out, &Line::Act(act_line(act, &userids)))?;
    }
    line(out, &Line::End(counts))?;
    out.flush()?;
    Ok(counts)
}

/// Exports the stored data about one player, for that player. Excludes other players' secrets and the password hash.
///
/// # Errors
/// [`TransferError::NoPlayer`], or if the store or writing fails.
pub fn export_player(tx: &Transaction<'_>, userid: &str, now: DateTime<Utc>, out: &mut dyn Write) -> Result<Counts> {
    let player = tx.player(userid)?.ok_or_else(|| TransferError::NoPlayer(userid.to_owned()))?;
    line(out, &head(Of::Player, Some(player.userid.clone()), now))?;
    line(out, &Line::Player(Box::new(player_line(tx, &player)?)))?;
    let mut counts = Counts { players: 1, ..Counts::default() };
    for standing in tx.standings_of(player.id)? {
        let store::Standing { game, rating, wins, losses, draws, .. } = standing;
        let (rating, deviation, volatility) = (rating.rating, rating.deviation, rating.volatility);
        line(
            out,
            &json!({ "standing": { "game": game, "rating": rating, "deviation": deviation, "volatility": volatility,
                "wins": wins, "losses": losses, "draws": draws } }),
        )?;
    }
    for item in store::numbered(tx)? {
        let store::Numbered { challenge: offer, board, .. } = item?;
        if let Some(offer) = offer.filter(|offer| offer.challenger.id == player.id) {
            counts.offers += 1;
            line(out, &Line::Offer(offer_line(offer)))?;
        }
        if let Some(board) = board.filter(|board| board.players.iter().any(|seated| seated.id == player.id)) {
            counts.boards += 1;
            counts.entries += board.entries.0;
            line(out, &Line::Board(Box::new(board_line(tx, &board, Some(player.id))?)))?;
        }
    }
    correspondence(tx, &player, out)?;
    line(out, &Line::End(counts))?;
    out.flush()?;
    Ok(counts)
}

/// Exports the letters to a player, and the mail from their confirmed addresses, oldest first.
fn correspondence(tx: &Transaction<'_>, player: &Player, out: &mut dyn Write) -> Result<()> {
    let addresses = tx.addresses(player.id)?;
    let theirs = |address: &Option<String>| {
        let confirmed = addresses.iter().filter(|known| known.confirmed_at.is_some());
        address.as_ref().is_some_and(|a| confirmed.clone().any(|known| known.address.eq_ignore_ascii_case(a)))
    };
    for notice in tx.outbox(false, u32::MAX)?.into_iter().rev() {
        let to_them = notice.player.as_ref().map_or_else(|| theirs(&notice.address), |seated| seated.id == player.id);
        if to_them {
            let facts: Value = serde_json::from_str(&notice.facts).unwrap_or(Value::Null);
            line(
                out,
                &json!({ "letter": { "about": notice.kind, "board": notice.board, "entry": notice.entry,
                    "facts": facts, "address": notice.address, "message_id": notice.message_id,
                    "written_at": notice.created_at, "sent_at": notice.sent_at, "error": notice.error } }),
            )?;
        }
    }
    for mail in tx.inbox(u32::MAX)?.into_iter().rev() {
        if let Some(verdict) = mail.verdict.filter(|verdict| theirs(&verdict.sender)) {
            line(
                out,
                &json!({ "mail": { "received_at": mail.received_at, "from": verdict.sender, "verdict": verdict.kind,
                    "commands": verdict.commands, "reason": verdict.reason } }),
            )?;
        }
    }
    Ok(())
}

fn line(out: &mut dyn Write, what: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, what).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}

fn head(of: Of, userid: Option<String>, exported_at: DateTime<Utc>) -> Head {
    Head { format: FORMAT.to_owned(), of, userid, exported_at, server: None }
}

fn act_line(act: Act, userids: &BTreeMap<PlayerId, String>) -> ActLine {
    let named = |id: PlayerId| userids.get(&id).cloned();
    let Act { done_at, by, kind, board, player, detail, reason } = act;
    let (userid, shell) = match by {
        Actor::Player(id) => (named(id), None),
        Actor::Shell(user) => (None, Some(user)),
    };
    ActLine { done_at, userid, shell, act: kind, board, player: player.and_then(named), detail, reason }
}

fn offer_line(offer: OpenChallenge) -> OfferLine {
    OfferLine {
        number: offer.number,
        game: offer.game,
        options: offer.options,
        challenger: offer.challenger.userid,
        seat: number(offer.seat),
        rated: offer.rated,
        private: offer.private,
        limits: offer.time_control.into(),
        comment: offer.comment,
        created_at: offer.created_at,
        closed_at: offer.closed_at,
    }
}

/// Returns a board's line. For one of its players, it omits secrets of the opponent.
fn board_line(tx: &Transaction<'_>, board: &Board, reader: Option<PlayerId>) -> Result<BoardLine> {
    let seat = |seat: Seat| -> Result<SeatLine> {
        let (player, state) = (board.players[seat.index()].id, &board.seats[seat.index()]);
        let used_seconds = seconds(state.used);
        if reader.is_some_and(|reader| reader != player) {
            return Ok(SeatLine { used_seconds, ..SeatLine::default() });
        }
        let SeatState { plan, submitted, .. } = state.clone();
        let submitted = submitted.map(|SubmittedMove { text, after }| SubmittedLine { text, after });
        Ok(SeatLine { used_seconds, plan, submitted, note: tx.note(board.number, player)?, ..SeatLine::default() })
    };
    let clock = board.clock.map(|clock| ClockLine {
        since: clock.since,
        thought_seconds: clock.thought.num_seconds(),
        reminded: clock.reminded,
        due_at: clock.due_at,
    });
    let proposal = board.proposal.map(|open| ProposalLine { kind: open.kind, by: number(open.by) });
    let proposals = tx.proposals(board.number)?.into_iter();
    let proposals = proposals.map(|KeptProposal { made, answer }| {
        let MadeProposal { entry, proposal, via, made_at, .. } = made;
        MadeProposalLine { entry, kind: proposal.kind, by: number(proposal.by), via, made_at, answer }
    });
    let seats = [seat(Seat::First)?, seat(Seat::Second)?];
    let state = StateLine { clock, seats, proposal, proposals: proposals.collect() };
    Ok(BoardLine { record: record(tx, board)?, state })
}

/// Converts a duration. The store contains no negative durations, and none longer than a century.
fn seconds(time: TimeDelta) -> u32 {
    u32::try_from(time.num_seconds()).unwrap_or(u32::MAX)
}
