//! Exports the stored data about one player, for that player.

use std::collections::BTreeMap;
use std::io::Write;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use super::export::{head, write_line};
use super::{Result, TransferError};
use crate::command::Terms;
use crate::rules::{Seat, catalogue};
use crate::service::board::record::{number, record};
use crate::store::{
    self, Act, ActKind, Actor, Address, AnsweredProposal, Board, Followed, Following, GamePreferences, OpenChallenge,
    PersonalToken, Player, PlayerId, SolvedPuzzle, Standing, Transaction, Webhook,
};

/// Exports the stored data about one player, for that player. Excludes other players' secrets and the password hash.
///
/// # Errors
/// [`TransferError::NoPlayer`], or if the store or writing fails.
pub fn export_player(tx: &Transaction<'_>, userid: &str, now: DateTime<Utc>, out: &mut dyn Write) -> Result<()> {
    let player = tx.player(userid)?.ok_or_else(|| TransferError::NoPlayer(userid.to_owned()))?;
    write_line(out, &head("player", Some(player.userid.clone()), now))?;
    write_line(out, &json!({ "player": player_line(tx, &player)? }))?;
    for Standing { game, rating, wins, losses, draws, .. } in tx.standings_of(player.id)? {
        let (rating, deviation, volatility) = (rating.rating, rating.deviation, rating.volatility);
        write_line(
            out,
            &json!({ "standing": { "game": game, "rating": rating, "deviation": deviation, "volatility": volatility,
                "wins": wins, "losses": losses, "draws": draws } }),
        )?;
    }
    let (mut challenges, mut boards, mut entries) = (0, 0, 0);
    for item in store::numbered(tx)? {
        let store::Numbered { challenge, board, .. } = item?;
        if let Some(challenge) = challenge.filter(|challenge| challenge.challenger.id == player.id) {
            challenges += 1;
            write_line(out, &json!({ "offer": challenge_line(challenge) }))?;
        }
        if let Some(board) = board.filter(|board| board.plays(player.id)) {
            boards += 1;
            entries += board.entries.0;
            write_line(out, &json!({ "board": board_line(tx, &board, player.id)? }))?;
        }
    }
    for act in tx.acts()? {
        if let Some(act) = act_line(tx, &player, act)? {
            write_line(out, &json!({ "act": act }))?;
        }
    }
    correspondence(tx, &player, out)?;
    write_line(out, &json!({ "end": { "players": 1, "offers": challenges, "boards": boards, "entries": entries } }))?;
    Ok(out.flush()?)
}

/// Exports the letters to a player, and the mail from their confirmed addresses, oldest first.
fn correspondence(tx: &Transaction<'_>, player: &Player, out: &mut dyn Write) -> Result<()> {
    let addresses = tx.addresses(player.id)?;
    let theirs = |address: &Option<String>| {
        let confirmed = addresses.iter().filter(|known| known.confirmed_at.is_some());
        address.as_ref().is_some_and(|a| confirmed.clone().any(|known| known.address.eq_ignore_ascii_case(a)))
    };
    for notice in tx.outbox(u32::MAX)?.into_iter().rev() {
        let to_them = notice.player.as_ref().map_or_else(|| theirs(&notice.address), |seated| seated.id == player.id);
        if to_them {
            let facts: Value = serde_json::from_str(&notice.facts).unwrap_or(Value::Null);
            write_line(
                out,
                &json!({ "letter": { "about": notice.kind, "board": notice.board, "entry": notice.entry,
                    "facts": facts, "address": notice.address, "message_id": notice.message_id,
                    "written_at": notice.created_at, "sent_at": notice.sent_at, "error": notice.error } }),
            )?;
        }
    }
    for mail in tx.inbox(u32::MAX)?.into_iter().rev() {
        if let Some(verdict) = mail.verdict.filter(|verdict| theirs(&verdict.sender)) {
            write_line(
                out,
                &json!({ "mail": { "received_at": mail.received_at, "from": verdict.sender, "verdict": verdict.kind,
                    "commands": verdict.commands, "reason": verdict.reason } }),
            )?;
        }
    }
    Ok(())
}

/// Returns an act by or about a player. Returns `None` for other acts, and for acts of other players about this player,
/// who must not learn who blocked or reported them.
fn act_line(tx: &Transaction<'_>, player: &Player, act: Act) -> Result<Option<Value>> {
    let is_own = act.by == Actor::Player(player.id);
    let is_administrators = !matches!(act.kind, ActKind::Settings | ActKind::Report);
    if !(is_own || act.player == Some(player.id) && is_administrators) {
        return Ok(None);
    }
    let about = act.player.map(|about| tx.player_by_id(about)).transpose()?.flatten();
    Ok(Some(json!({
        "done_at": act.done_at,
        "by": is_own.then_some(&player.userid),
        "act": act.kind,
        "board": act.board,
        "player": about.map(|about| about.userid),
        "detail": act.detail,
        "reason": act.reason,
    })))
}

/// Returns the events that a player has joined, and the editions in which they play or played.
fn events_of(tx: &Transaction<'_>, player: PlayerId) -> Result<(Vec<Value>, Vec<Value>)> {
    let (mut joined, mut played) = (Vec::new(), Vec::new());
    for event in tx.events()? {
        let name = &event.what.name;
        for of in tx.entrants(event.id)?.iter().filter(|of| of.player.id == player) {
            joined.push(json!({ "event": name, "joined_at": of.joined_at, "absent": of.absent }));
        }
        for edition in tx.editions(event.id)? {
            for of in tx.participants(event.id, edition.number)?.iter().filter(|of| of.player.id == player) {
                let (division, place) = (of.division, of.place);
                played.push(json!({ "event": name, "edition": edition.number, "division": division, "place": place,
                    "withdrawn": of.withdrawn, "rank": of.rank }));
            }
        }
    }
    Ok((joined, played))
}

/// Returns a player's data without secrets.
fn player_line(tx: &Transaction<'_>, player: &Player) -> Result<Value> {
    let mut preferences = Map::new();
    for game in catalogue::GAMES {
        let GamePreferences { seeks, most } = tx.game_preferences(player.id, game.name())?;
        if (seeks, most) != (0, None) {
            preferences.insert(game.name().to_owned(), json!({ "seeks": seeks, "most": most }));
        }
    }
    let addresses = tx.addresses(player.id)?.into_iter().map(|Address { address, confirmed_at, paused, .. }| {
        let paused = paused.map(|pause| json!([pause.since, pause.why]));
        with([("paused", paused)], json!({ "address": address, "confirmed_at": confirmed_at }))
    });
    let vacations = tx.vacations(player.id)?.into_iter().map(|span| json!({ "from": span.from, "until": span.until }));
    let follows = tx.following(player.id)?.into_iter().map(|Following { what, ends_only }| match what {
        Followed::Board(board) => json!({ "board": board, "game": null, "ends_only": ends_only }),
        Followed::Game(game) => json!({ "board": null, "game": game, "ends_only": ends_only }),
    });
    let solved = tx.solved_puzzles(player.id)?.into_iter().map(|SolvedPuzzle { game, number, day, found }| {
        json!({ "game": game, "number": number, "day": day, "found": found })
    });
    let tokens = tx.tokens(player.id)?.into_iter().map(|PersonalToken { label, created_at, used_at, .. }| {
        json!({ "label": label, "created_at": created_at, "used_at": used_at })
    });
    let webhook = tx.webhook(player.id)?.map(|Webhook { url, created_at, failures, paused, .. }| {
        let paused = paused.map(|pause| json!([pause.since, pause.why]));
        with([("paused", paused)], json!({ "url": url, "created_at": created_at, "failures": failures }))
    });
    let (events, editions) = events_of(tx, player.id)?;
    let blocks: Vec<String> = tx.blocked_by(player.id)?.into_iter().map(|blocked| blocked.userid).collect();
    let line = json!({
        "userid": player.userid,
        "created_at": player.created_at,
        "left_at": player.left_at,
        "addresses": addresses.collect::<Vec<_>>(),
        "settings": BTreeMap::from(player.settings.pairs()),
        "vacations": vacations.collect::<Vec<_>>(),
        "preferences": preferences,
        "follows": follows.collect::<Vec<_>>(),
    });
    let optional = [
        ("blocked_at", player.blocked_at.map(|at| json!(at))),
        ("blocks", some(json!(blocks))),
        ("calendar", tx.calendar(player.id)?.map(|_| json!(true))),
        ("tokens", some(tokens.collect())),
        ("webhook", webhook),
        ("events", some(json!(events))),
        ("editions", some(json!(editions))),
        ("muted", some(json!(tx.muted_boards(player.id)?))),
        ("puzzles", some(json!(tx.gets_puzzles_of(player.id)?))),
        ("solved", some(solved.collect())),
    ];
    Ok(with(optional, line))
}

/// Adds the fields that are not `None` to a line.
fn with<const N: usize>(fields: [(&str, Option<Value>); N], mut line: Value) -> Value {
    for (name, value) in fields {
        if let Some(value) = value {
            line[name] = value;
        }
    }
    line
}

fn some(list: Value) -> Option<Value> {
    Some(list).filter(|list| *list != json!([]))
}

fn challenge_line(challenge: OpenChallenge) -> Value {
    let Terms { time_control, flags } = challenge.terms;
    json!({
        "number": challenge.number,
        "game": challenge.game,
        "options": challenge.options,
        "challenger": challenge.challenger.userid,
        "seat": number(challenge.seat),
        "rated": flags.rated,
        "private": flags.private,
        "limits": time_control,
        "comment": challenge.comment,
        "created_at": challenge.created_at,
        "closed_at": challenge.closed_at,
    })
}

/// Returns a board's record and state without secrets of the opponent.
fn board_line(tx: &Transaction<'_>, board: &Board, reader: PlayerId) -> Result<Value> {
    let seat = |seat: Seat| -> Result<Value> {
        let (player, state) = (board.players[seat.index()].id, &board.seats[seat.index()]);
        let state = Some(state).filter(|_| player == reader);
        let submitted = state.and_then(|state| state.submitted.as_ref());
        let note = state.map(|_| tx.note(board.number, player)).transpose()?.flatten();
        Ok(json!({
            "used_seconds": board.seats[seat.index()].used.num_seconds(),
            "plan": state.and_then(|state| state.plan.as_ref()),
            "submitted": submitted.map(|submitted| json!({ "text": submitted.text, "after": submitted.after })),
            "note": note,
        }))
    };
    let clock = board.clock.map(|clock| {
        json!({ "since": clock.since, "thought_seconds": clock.thinking_time.num_seconds(), "reminded": clock.reminded,
            "due_at": clock.due_at })
    });
    let proposal = board.proposal.map(|open| json!({ "kind": open.kind, "by": number(open.by) }));
    let proposals = tx.proposals(board.number)?.into_iter().map(|AnsweredProposal { made, answer }| {
        let by = number(made.proposal.by);
        let line = json!({ "entry": made.entry, "kind": made.proposal.kind, "by": by, "via": made.via,
            "made_at": made.made_at });
        with([("answer", answer.map(|answer| json!(answer)))], line)
    });
    let state = json!({ "clock": clock, "seats": [seat(Seat::First)?, seat(Seat::Second)?], "proposal": proposal });
    let state = with([("proposals", some(proposals.collect()))], state);
    Ok(json!({ "record": record(tx, board)?, "state": state }))
}
