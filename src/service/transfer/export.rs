//! Writing an export. One board is in memory at a time.

use std::io::Write;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::{
    AddressLine, BoardLine, ClockLine, Counts, FORMAT, FollowLine, Head, Line, Of, OfferLine, PlayerLine, ProposalLine,
    Result, SeatLine, SettingsLine, StateLine, SubmittedLine, TransferError, VacationLine, WishLine,
};
use crate::rules::{Seat, catalogue};
use crate::service::board::record::{number, record};
use crate::store::{
    self, Address, Board, Followed, GamePreferences, OpenChallenge, Player, PlayerId, SeatState, SubmittedMove,
    Transaction,
};

/// Everything that is needed to go on elsewhere.
///
/// # Errors
/// The store's, or that of writing.
pub fn export_server(tx: &dyn Transaction, now: DateTime<Utc>, out: &mut dyn Write) -> Result<Counts> {
    line(out, &head(Of::Server, None, now))?;
    let mut counts = Counts::default();
    for player in tx.players()? {
        let password_hash = Some(player.password_hash.clone());
        line(out, &Line::Player(PlayerLine { password_hash, ..player_line(tx, &player)? }))?;
        counts.players += 1;
    }
    // An open challenge goes before the board that it became, which has its number.
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
    line(out, &Line::End(counts))?;
    out.flush()?;
    Ok(counts)
}

/// What is stored about one player, for that player: no other player's secrets, and not the hash of the password.
///
/// # Errors
/// [`TransferError::NoPlayer`], the store's, or that of writing.
pub fn export_player(tx: &dyn Transaction, userid: &str, now: DateTime<Utc>, out: &mut dyn Write) -> Result<Counts> {
    let player = tx.player(userid)?.ok_or_else(|| TransferError::NoPlayer(userid.to_owned()))?;
    line(out, &head(Of::Player, Some(player.userid.clone()), now))?;
    line(out, &Line::Player(player_line(tx, &player)?))?;
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

/// The letters written to a player, and the mails received from their confirmed addresses: the oldest first.
fn correspondence(tx: &dyn Transaction, player: &Player, out: &mut dyn Write) -> Result<()> {
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
    Head { format: FORMAT.to_owned(), of, userid, exported_at }
}

fn player_line(tx: &dyn Transaction, player: &Player) -> Result<PlayerLine> {
    let mut wishes = std::collections::BTreeMap::new();
    for game in catalogue::GAMES {
        let GamePreferences { seeks, most } = tx.game_preferences(player.id, game.name())?;
        if (seeks, most) != (0, None) {
            wishes.insert(game.name().to_owned(), WishLine { seeks, most });
        }
    }
    let addresses = tx.addresses(player.id)?.into_iter();
    let vacations = tx.vacations(player.id)?.into_iter();
    let follows = tx.following(player.id)?.into_iter().map(|store::Following { what, ends_only }| match what {
        Followed::Board(board) => FollowLine { board: Some(board), game: None, ends_only },
        Followed::Game(game) => FollowLine { board: None, game: Some(game), ends_only },
    });
    let settings = &player.settings;
    Ok(PlayerLine {
        userid: player.userid.clone(),
        password_hash: None,
        created_at: player.created_at,
        left_at: player.left_at,
        addresses: addresses
            .map(|Address { address, confirmed_at, paused }| AddressLine {
                address,
                confirmed_at,
                paused: paused.map(|pause| (pause.since, pause.why)),
            })
            .collect(),
        settings: SettingsLine {
            mail: settings.mail.to_string(),
            rhythm: settings.rhythm.to_string(),
            reminders: settings.reminders.to_string(),
            zone: settings.zone.clone(),
            weekend: settings.weekend.to_string(),
            letters: Some(settings.letters.to_string()),
            dmarc: Some(settings.dmarc.to_string()),
        },
        _told: IgnoredAny,
        blocked_at: player.blocked_at,
        muted: tx.muted_boards(player.id)?,
        vacations: vacations.map(|span| VacationLine { from: span.from, until: span.until }).collect(),
        wishes,
        follows: follows.collect(),
    })
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

/// A board for everybody or, without what only the opponent may know, for one of its players.
fn board_line(tx: &dyn Transaction, board: &Board, reader: Option<PlayerId>) -> Result<BoardLine> {
    let seat = |seat: Seat| -> Result<SeatLine> {
        let (player, state) = (board.players[seat.index()].id, &board.seats[seat.index()]);
        let used_seconds = seconds(state.used);
        if reader.is_some_and(|reader| reader != player) {
            return Ok(SeatLine { used_seconds, ..SeatLine::default() });
        }
        let SeatState { plan, submitted, resigns, .. } = state.clone();
        let submitted = submitted.map(|SubmittedMove { text, after }| SubmittedLine { text, after });
        Ok(SeatLine { used_seconds, plan, submitted, resigns, note: tx.note(board.number, player)? })
    };
    let clock = board.clock.map(|clock| ClockLine {
        since: clock.since,
        thought_seconds: seconds(clock.thought),
        reminded: clock.reminded,
        due_at: clock.due_at,
    });
    let proposal = board.proposal.map(|open| ProposalLine { kind: open.kind, by: number(open.by) });
    let state = StateLine { clock, seats: [seat(Seat::First)?, seat(Seat::Second)?], proposal };
    Ok(BoardLine { record: record(tx, board)?, state })
}

/// The store keeps no negative durations; a century of thinking is one of them all.
fn seconds(time: TimeDelta) -> u32 {
    u32::try_from(time.num_seconds()).unwrap_or(u32::MAX)
}
