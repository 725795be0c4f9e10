//! Imports exports of programs before version 1.0.0: one line for each player, challenge, board, notice and message.
//! This file and its uses in `import` will be removed in the release after 1.0.0.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::boards::{self, a_seat, known};
use super::export::Head;
use super::loader::Loader;
use super::seal::Place;
use super::tables::has_zone;
use super::tables::{Lines, object};
use super::tables::{Read, fault};
use crate::command::{Reply, Settings, Terms};
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::Seat;
use crate::service::board::record::{self, Record};
use crate::service::board::{plans, rate};
use crate::service::notice::kind::NoticeKind;
use crate::service::puzzle::search::puzzle_at;
use crate::store::{BoardClock, Proposal, SeatState, Stored, SubmittedMove, Transaction};
use crate::text::{Message, hex};
use crate::world::World;

/// The names of the earlier formats. The first one has no letters, mail or key.
pub(crate) const FORMATS: [&str; 2] = ["turnpost export 1", "turnpost export 2"];

/// The tables whose rows have no numbers in these formats, and are numbered by the import.
const NUMBERED: [&str; 7] = ["addresses", "acts", "followers", "mail_actions", "proposals", "refusals", "standstills"];
/// The names of tables in these formats (in `last_numbers` and `end`), and the present names.
const NAMES: [(&str, &str); 9] = [
    ("players", "players"),
    ("offers", "challenges"),
    ("boards", "boards"),
    ("entries", "entries"),
    ("notices", "outbox"),
    ("mails", "inbox"),
    ("puzzles", "puzzles"),
    ("links", "login_links"),
    ("calls", "webhook_calls"),
];

/// Adds the rows of all lines. Returns the last number of each table.
pub(crate) fn read(
    tx: &mut Transaction<'_>,
    world: World,
    loader: &mut Loader,
    head: &Head,
    lines: Lines<'_>,
) -> Read<BTreeMap<String, i64>> {
    let mut previous = Previous {
        tx,
        world,
        loader,
        exported_at: head.exported_at,
        line: 0,
        numbers: BTreeMap::new(),
        rated: BTreeMap::new(),
        later: Vec::new(),
        items: None,
    };
    let mut has_ended = false;
    for (line, text) in lines {
        if has_ended {
            return fault(message!("import.after-end"));
        }
        previous.line = line;
        let Some((kind, value)) = object(&text?)?.into_iter().next() else {
            return fault(message!("import.no-row-line"));
        };
        has_ended = kind == "end";
        previous.add(&kind, &value)?;
    }
    if !has_ended {
        return fault(message!("import.cut"));
    }
    let given = head.server.iter().flat_map(|server| &server.last_numbers);
    let mut numbers = previous.numbers;
    for (name, last) in given {
        let table = NAMES.iter().find(|(before, _)| before == name).map_or(name.as_str(), |(_, table)| table);
        let number = numbers.entry(table.to_owned()).or_default();
        *number = (*number).max(*last);
    }
    numbers.retain(|table, _| !NUMBERED.contains(&table.as_str()));
    Ok(numbers)
}

struct Previous<'a, 't> {
    tx: &'a mut Transaction<'t>,
    world: World,
    loader: &'a mut Loader,
    exported_at: DateTime<Utc>,
    line: usize,
    /// The last number of each table.
    numbers: BTreeMap<String, i64>,
    /// Rated boards in the order in which they ended.
    rated: BTreeMap<u32, BoardNumber>,
    /// Rows that refer to rows of later lines.
    later: Vec<(usize, &'static str, Value)>,
    /// The ids of comments and proposals on each board. Known once all boards are imported.
    items: Option<BTreeMap<(&'static str, i64), Vec<i64>>>,
}

impl Previous<'_, '_> {
    fn add(&mut self, kind: &str, value: &Value) -> Read<()> {
        match kind {
            "blocked" => self.row(
                "blocked_senders",
                json!({ "sender": value["sender"], "blocked_at": value["blocked_at"],
                    "reason": value["reason"].as_str().unwrap_or_default() }),
            ),
            "player" => self.player(value),
            "offer" => self.challenge(value),
            "board" => self.board(value),
            "puzzle" => self.puzzle(value),
            "outbox" => self.notice(value),
            "inbox" => self.mail(value),
            "standstill" => self.row(
                "standstills",
                json!({ "began_at": value["from"], "ended_at": value["until"], "cause": value["cause"],
                    "reason": value["reason"] }),
            ),
            "act" => {
                let (by, player) = (self.player_of(&value["userid"])?, self.player_of(&value["player"])?);
                self.row(
                    "acts",
                    json!({ "done_at": value["done_at"], "by_player": by, "by_user": value["shell"],
                        "act": value["act"], "board": value["board"], "player": player, "detail": value["detail"],
                        "reason": value["reason"] }),
                )
            }
            "end" => self.end(value),
            _ => fault(message!("import.no-table", table = kind)),
        }
    }

    fn row(&mut self, table: &'static str, mut row: Value) -> Read<()> {
        if NUMBERED.contains(&table) {
            row["id"] = self.next(table).into();
        }
        let row = row.as_object().cloned().unwrap_or_default();
        self.loader.add(self.tx, self.line, table, &row)
    }

    /// Remembers a row to add after all lines.
    fn later(&mut self, table: &'static str, row: Value) {
        self.later.push((self.line, table, row));
    }

    fn next(&mut self, table: &str) -> i64 {
        let last = self.numbers.entry(table.to_owned()).or_default();
        *last += 1;
        *last
    }

    fn reached(&mut self, table: &str, number: i64) {
        let last = self.numbers.entry(table.to_owned()).or_default();
        *last = (*last).max(number);
    }

    /// Returns the number of the player with this userid; `None` for null.
    fn player_of(&self, userid: &Value) -> Read<Option<i64>> {
        userid.as_str().map(|userid| Ok(known(&*self.tx, userid)?.0)).transpose()
    }

    // This function is long, because it has one statement for each kind of row of an account.
    fn player(&mut self, value: &Value) -> Read<()> {
        let account = &value["account"];
        let id = account["number"].as_i64().unwrap_or_else(|| self.next("players"));
        self.reached("players", id);
        let mut row = json!({ "id": id, "userid": value["userid"], "password_hash": value["password_hash"],
            "created_at": value["created_at"], "left_at": value["left_at"], "blocked_at": value["blocked_at"],
            "back_in_reach_at": account["back_in_reach_at"], "signoff_code": account["signoff"][0],
            "signoff_at": account["signoff"][1] });
        let mut settings = Settings::default();
        for (key, value) in value["settings"].as_object().into_iter().flatten() {
            let text = value.as_str().unwrap_or_default();
            if settings.set(key, text).is_err() || !has_zone(&settings) {
                return fault(message!("import.unknown", text));
            }
        }
        row["settings"] = settings.to_string().into();
        self.row("players", row)?;
        for known in list(&value["addresses"]) {
            let (address, confirmed_at) = (&known["address"], &known["confirmed_at"]);
            let sent = list(&account["codes"]).find(|sent| sent["address"] == *address);
            let (code, added_at) = match (confirmed_at.is_null(), sent) {
                (false, _) => (Value::Null, confirmed_at.clone()),
                (true, Some(sent)) => (sent["code"].clone(), sent["added_at"].clone()),
                // The code in the player's letter is unknown, so the player must add the address again.
                (true, None) => (self.world.letters(12).into(), json!(self.exported_at)),
            };
            let paused = if confirmed_at.is_null() { &Value::Null } else { &known["paused"] };
            self.row(
                "addresses",
                json!({ "player": id, "address": address, "code": code, "added_at": added_at,
                    "confirmed_at": confirmed_at, "paused_at": paused[0], "paused_why": paused[1] }),
            )?;
        }
        for span in list(&value["vacations"]) {
            self.row("vacations", json!({ "player": id, "from_at": span["from"], "until_at": span["until"] }))?;
        }
        for (game, wish) in value["wishes"].as_object().into_iter().flatten() {
            let row = json!({ "player": id, "game": game, "seeks": wish["seeks"], "most": wish["most"] });
            self.row("preferences", row)?;
        }
        for game in list(&value["puzzles"]) {
            self.row("puzzle_readers", json!({ "player": id, "game": game }))?;
        }
        for solved in list(&value["solved"]) {
            let mut row = solved.clone();
            row["player"] = id.into();
            self.row("solved_puzzles", row)?;
        }
        for token in list(&account["tokens"]) {
            let mut row = token.clone();
            row["player"] = id.into();
            self.row("tokens", row)?;
        }
        if let Some(webhook) = account["webhook"].as_object() {
            let secret = self.opened(2, id, &webhook["secret"])?;
            let paused = webhook.get("paused").unwrap_or(&Value::Null);
            let why: Option<Message> = parsed(&paused[1])?;
            let why = why.map(|why| why.words().map_or_else(|| paused[1].to_string(), str::to_owned));
            self.row(
                "webhooks",
                json!({ "player": id, "url": webhook["url"], "secret": String::from_utf8_lossy(&secret),
                    "created_at": webhook["created_at"], "failures": webhook["failures"],
                    "paused_at": paused[0], "paused_why": why }),
            )?;
        }
        for follow in list(&value["follows"]) {
            let mut row = follow.clone();
            row["player"] = id.into();
            self.later("followers", row);
        }
        for board in list(&value["muted"]) {
            self.later("muted_boards", json!({ "player": id, "board": board }));
        }
        for letter in list(&account["turn_letters"]) {
            self.later("turn_letters", json!({ "player": id, "board": letter[0], "entry": letter[1] }));
        }
        Ok(())
    }

    /// Decrypts the secret with this kind and number, or decodes it if it is not encrypted.
    fn opened(&self, kind: u32, number: i64, secret: &Value) -> Read<Vec<u8>> {
        let plain = match (secret["plain"].as_str(), secret["sealed"].as_str(), &self.loader.seal) {
            (Some(plain), ..) => data_encoding::BASE64.decode(plain.as_bytes()).ok(),
            (_, Some(sealed), Some(seal)) => seal.open(&Place::numbered(kind, number, String::new()), sealed),
            _ => None,
        };
        plain.map_or_else(|| fault(message!("import.sealed")), Ok)
    }

    fn challenge(&mut self, value: &Value) -> Read<()> {
        let terms: Terms = Terms { time_control: parsed(&value["limits"])?, flags: parsed(value)? };
        let challenger = self.player_of(&value["challenger"])?;
        self.reached("boards", value["number"].as_i64().unwrap_or_default());
        self.row(
            "challenges",
            json!({ "number": value["number"], "game": value["game"], "options": value["options"],
                "terms": terms.to_string(), "challenger": challenger, "seat": value["seat"],
                "comment": value["comment"], "created_at": value["created_at"], "closed_at": value["closed_at"] }),
        )
    }

    fn board(&mut self, value: &Value) -> Read<()> {
        let record: Record = parsed(&value["record"])?;
        let number = record.board;
        if record.format != record::FORMAT {
            let format = record.format;
            return fault(message!("import.board-format", board = number, format, known = record::FORMAT));
        }
        let mut board = boards::begin(self.tx, &record)?;
        boards::append(self.tx, &mut board, &record, 0)?;
        boards::close(self.tx, &board, &record)?;
        self.reached("boards", number.0.into());
        self.loader.know("boards", number.0.into());
        self.loader.counts.add("boards", 1);
        self.loader.counts.add("entries", record.entries.len() as u64);
        self.rated.extend(record.rated_as.map(|place| (place, number)));
        let state = &value["state"];
        for seat in Seat::BOTH {
            let prepared = &state["seats"][seat.index()];
            let resigns = prepared["resigns"] == true;
            let plan = resigns.then(|| plans::to_any_move(Reply::Resign).to_string());
            let submitted = match prepared["submitted"]["text"].as_str() {
                Some(text) => {
                    Some(SubmittedMove { text: text.to_owned(), after: parsed(&prepared["submitted"]["after"])? })
                }
                None => None,
            };
            let plan = plan.or_else(|| prepared["plan"].as_str().map(str::to_owned));
            let used = seconds(&prepared["used_seconds"]);
            self.tx.set_seat(number, seat, &SeatState { used, plan, submitted, ..SeatState::default() })?;
            let (player, note) = (board.players[seat.index()].id, prepared["note"].as_str());
            self.tx.set_note(number, player, note, board.moved_at)?;
        }
        if let Some(clock) = state["clock"].as_object() {
            let (since, reminded) = (parsed(&clock["since"])?, parsed(&clock["reminded"])?);
            let (thinking_time, due_at) = (seconds(&clock["thought_seconds"]), parsed(&clock["due_at"])?);
            self.tx.set_clock(number, Some(&BoardClock { since, thinking_time, reminded, due_at }))?;
        }
        if let Some(open) = state["proposal"].as_object() {
            let proposal = Proposal { kind: parsed(&open["kind"])?, by: a_seat(parsed(&open["by"])?)? };
            self.tx.set_proposal(number, Some(proposal))?;
        }
        for made in list(&state["proposals"]) {
            let (kind, seat, via) = (&made["kind"], &made["by"], &made["via"]);
            self.row(
                "proposals",
                json!({ "board": number, "entry": made["entry"], "kind": kind, "seat": seat, "via": via,
                    "made_at": made["made_at"], "answer": made["answer"][0], "answered_at": made["answer"][1] }),
            )?;
        }
        Ok(())
    }

    fn puzzle(&mut self, value: &Value) -> Read<()> {
        let (number, ply): (BoardNumber, Ply) = (parsed(&value["board"])?, parsed(&value["ply"])?);
        let found = self.tx.board(number)?.map(|board| puzzle_at(self.tx, &board, ply)).transpose()?.flatten();
        let Some((position, solution)) = found else {
            let (game, number) =
                (value["game"].as_str().unwrap_or_default(), value["number"].as_u64().unwrap_or_default());
            return fault(message!("import.puzzle", game, number));
        };
        let mut row = value.clone();
        (row["position"], row["solution"]) = (position.into(), solution.into());
        self.row("puzzles", row)
    }

    fn notice(&mut self, value: &Value) -> Read<()> {
        let mut row = value.clone();
        let Some(columns) = row.as_object_mut() else { return fault(message!("import.no-row-line")) };
        let deliveries = columns.remove("deliveries").unwrap_or_default();
        let sent_as = columns.remove("sent_as").unwrap_or_default();
        let id = columns.remove("number").unwrap_or_default();
        columns.insert("id".to_owned(), id);
        if let (Some(mail), Some(zone)) = (sent_as[0].as_str(), sent_as[1].as_str()) {
            row["sent_settings"] = format!("mail={mail} zone={zone}").into();
        }
        row["player"] = self.player_of(&value["player"])?.into();
        if row["kind"] == "set-aside" {
            row["kind"] = NoticeKind::Quarantined.name().into();
        }
        self.reached("outbox", value["number"].as_i64().unwrap_or_default());
        for delivery in list(&deliveries) {
            let mut row = delivery.clone();
            row["letter"] = value["number"].clone();
            self.later("deliveries", row);
        }
        // The first notice of the letter may be on a later line.
        match row["letter"].is_null() || row["letter"] == row["id"] {
            true => self.row("outbox", row),
            false => {
                self.later.insert(0, (self.line, "outbox", row));
                Ok(())
            }
        }
    }

    fn mail(&mut self, value: &Value) -> Read<()> {
        let (id, verdict) = (&value["number"], &value["verdict"]);
        let raw = match &value["raw"] {
            Value::Null => None,
            raw => Some(hex(&self.opened(1, id.as_i64().unwrap_or_default(), raw)?)),
        };
        let author = self.player_of(&value["author"])?;
        self.reached("inbox", id.as_i64().unwrap_or_default());
        self.row(
            "inbox",
            json!({ "id": id, "received_at": value["received_at"], "via": value["via"],
                "truncated": value["truncated"], "attempts": value["attempts"], "author": author,
                "raw": raw.as_ref().filter(|_| verdict.is_null()), "verdict": verdict["kind"],
                "sender": verdict["sender"], "identity": verdict["identity"], "commands": verdict["commands"],
                "reason": verdict["reason"], "closed_at": verdict["closed_at"] }),
        )?;
        if let (Some(raw), false) = (raw, verdict.is_null()) {
            self.row("quarantine", json!({ "mail": id, "raw": raw }))?;
        }
        for refusal in list(&verdict["refusals"]) {
            self.row("refusals", json!({ "mail": id, "command": refusal[0], "reason": refusal[1] }))?;
        }
        for effect in list(&verdict["effects"]) {
            let mut row = effect.clone();
            row["mail"] = id.clone();
            // Earlier formats identified comments and proposals by their place on the board.
            let table = match effect["kind"].as_str() {
                Some("comment") => Some("comments"),
                Some("proposal" | "answer") => Some("proposals"),
                _ => None,
            };
            if let Some(table) = table {
                let board = effect["board"].as_i64().unwrap_or_default();
                let place = effect["item"].as_u64().unwrap_or_default() as usize;
                let ids = self.items()?.get(&(table, board));
                row["item"] = ids.and_then(|ids| ids.get(place.wrapping_sub(1))).copied().into();
            }
            self.row("mail_actions", row)?;
        }
        Ok(())
    }

    fn items(&mut self) -> Read<&BTreeMap<(&'static str, i64), Vec<i64>>> {
        if self.items.is_none() {
            let mut items = BTreeMap::<_, Vec<i64>>::new();
            for table in self.tx.tables()? {
                let Some(name) = ["comments", "proposals"].into_iter().find(|name| *name == table.name) else {
                    continue;
                };
                let (Some(id), Some(board)) = (table.column("id"), table.column("board")) else { continue };
                self.tx.each_row::<crate::store::StoreError>(&table, |row| {
                    if let (Stored::Number(id), Stored::Number(board)) = (&row[id], &row[board]) {
                        items.entry((name, *board)).or_default().push(*id);
                    }
                    Ok(())
                })?;
            }
            self.items = Some(items);
        }
        Ok(self.items.get_or_insert_default())
    }

    fn end(&mut self, value: &Value) -> Read<()> {
        for (name, table) in NAMES {
            let here =
                self.loader.counts.of(table) + self.later.iter().filter(|(_, of, _)| *of == table).count() as u64;
            match value[name].as_u64() {
                Some(counted) if counted != here => {
                    return fault(message!("import.lines-missing", table, counted, here));
                }
                _ => {}
            }
        }
        for (line, table, row) in std::mem::take(&mut self.later) {
            self.line = line;
            self.row(table, row)?;
        }
        let rated: Vec<BoardNumber> = self.rated.values().copied().collect();
        Ok(rate::rate_again(self.tx, &rated)?)
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn parsed<T: DeserializeOwned>(value: &Value) -> Read<T> {
    T::deserialize(value).or_else(|error| fault(message!("import.no-line", what = error.to_string(), column = 1)))
}

fn seconds(value: &Value) -> chrono::TimeDelta {
    chrono::TimeDelta::try_seconds(value.as_i64().unwrap_or_default()).unwrap_or_default()
}
