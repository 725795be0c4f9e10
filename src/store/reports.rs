//! Reports for administrators, based on the database's views.

use chrono::NaiveDate;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

use super::sql::{Param, Raw, Row, Value, all_by};
use super::{InboxId, OutboxId, Result, Transaction};
use crate::numbers::BoardNumber;

/// The statement for [`Report::Suspicious`], without limit and offset.
pub(crate) const SUSPICIOUS: &str = "WITH used AS (SELECT player, lower(address) AS address FROM addresses \
         UNION SELECT o.player, lower(d.address) FROM deliveries d JOIN outbox o ON o.id = d.letter \
         WHERE o.player IS NOT NULL \
         UNION SELECT author, lower(sender) FROM inbox WHERE author IS NOT NULL AND sender <> ''), \
     present AS (SELECT id, userid FROM players WHERE left_at IS NULL), \
     played AS (SELECT s.player, o.player AS opponent, CASE b.winner WHEN o.seat THEN 1 ELSE 0 END AS lost \
         FROM boards b JOIN seats s ON s.board = b.number JOIN seats o ON o.board = b.number AND o.seat <> s.seat \
         WHERE b.rated_as IS NOT NULL AND s.player <> o.player), \
     totals AS (SELECT player, count(*) AS boards FROM played GROUP BY player), \
     pairs AS (SELECT player, opponent, count(*) AS boards FROM played GROUP BY player, opponent \
         HAVING count(*) >= 5 AND sum(lost) = count(*)) \
     SELECT player, other, address, boards, \"of\" FROM (\
         SELECT a.userid AS player, b.userid AS other, u.address, NULL AS boards, NULL AS \"of\" \
         FROM used u JOIN used v ON v.address = u.address AND v.player > u.player \
         JOIN present a ON a.id = u.player JOIN present b ON b.id = v.player \
         UNION ALL SELECT a.userid, b.userid, '', p.boards, t.boards FROM pairs p \
         JOIN totals t ON t.player = p.player AND 2 * p.boards > t.boards \
         JOIN present a ON a.id = p.player JOIN present b ON b.id = p.opponent \
         UNION ALL SELECT a.userid, b.userid, '', NULL, NULL FROM (SELECT DISTINCT u.player, v.player AS other \
             FROM browsers u JOIN browsers v ON v.hash = u.hash AND v.player > u.player) AS shared \
         JOIN present a ON a.id = shared.player JOIN present b ON b.id = shared.other) AS seen \
     ORDER BY lower(player), lower(other), address";

/// The subject of a report. Userids are case-insensitive.
#[derive(Clone, Copy, Debug)]
pub enum Report<'a> {
    /// Players by userid, with their boards, idle time and addresses.
    Players {
        /// Only players whose userid or address contains this text.
        named: Option<&'a str>,
        /// Only current players who have been idle for this many days.
        idle_days: Option<u32>,
        /// Only players with a paused address.
        paused: bool,
        /// Ordered by the number of boards in progress, highest first.
        by_boards: bool,
    },
    /// Pairs of players who may be the same person. They have used the same `address` or the same browser, or the first
    /// player has lost all of at least five rated boards against the other, and these are more than half of the first
    /// player's rated boards. In the last case, the column `boards` counts the boards against the other player, and
    /// `of` all rated boards of the first player.
    Suspicious,
    /// Boards, including declined ones, and open challenges, newest first.
    Boards {
        /// Only boards of this player.
        player: Option<&'a str>,
        /// Only boards of the player against this opponent.
        against: Option<&'a str>,
        /// Only boards of this game.
        game: Option<&'a str>,
        /// Only boards in progress.
        active: bool,
    },
    /// The row of one board or open challenge.
    Board(BoardNumber),
    /// The history of a board, in order.
    Story(BoardNumber),
    /// Messages, newest first.
    Inbox {
        /// Only messages from this player or address.
        from: Option<&'a str>,
        /// Only messages received on this day (UTC).
        on: Option<NaiveDate>,
        /// Only messages with a refused command.
        refused: bool,
        /// Only quarantined messages.
        quarantined: bool,
    },
    /// The row of one message.
    Mail(InboxId),
    /// The effects of a message, in order.
    MailActions(InboxId),
    /// Letters, newest first.
    Letters {
        /// Only letters to this player, or to addresses that contain this text.
        to: Option<&'a str>,
        /// Only undelivered letters.
        undelivered: bool,
    },
    /// The row of one letter.
    Letter(OutboxId),
    /// Letters that bounced or were rejected permanently, newest first.
    Bounces,
    /// The rating changes of a player, in order.
    RatingHistory(&'a str),
    /// The numbers of games that began and ended, by month, without declined ones.
    Months {
        /// Whether each game has a separate row.
        by_game: bool,
    },
    /// Acts of administrators and players' changes to their accounts, newest first.
    Acts {
        /// Only acts by or about this player.
        of: Option<&'a str>,
    },
}

/// A part of a report.
#[derive(Clone, Copy, Debug)]
pub struct ReportPage {
    /// The number of rows to skip.
    pub skip: u32,
    /// The maximum number of rows to return.
    pub most: u32,
}

/// A row of a report: its columns in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportRow(pub Vec<(String, Json)>);

impl ReportRow {
    /// Creates a row of these columns.
    pub fn of<const N: usize>(columns: [(&str, Json); N]) -> ReportRow {
        ReportRow(columns.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl Serialize for ReportRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Selects players with their addresses, and marks unconfirmed and paused addresses.
const PLAYERS: &str = "SELECT a.player, a.boards, a.their_turn, a.waiting_days, a.finished, a.idle_days, a.last_active, \
     a.joined, a.blocked, a.\"left\", \
     (SELECT string_agg(d.address || CASE WHEN d.confirmed_at IS NULL THEN ' (not confirmed)' \
          WHEN d.paused_at IS NULL THEN '' \
          ELSE ' (paused ' || substr(d.paused_at, 1, 10) || ': ' || d.paused_why || ')' END, ', ' ORDER BY lower(d.address)) \
      FROM addresses d WHERE d.player = p.id) AS addresses \
     FROM player_activity a JOIN players p ON lower(p.userid) = lower(a.player)";

/// Selects players whose userid or address contains a text.
const NAMED: &str = "a.player IN (SELECT p.userid FROM players p WHERE instr(lower(p.userid), ?4) > 0 \
     OR p.id IN (SELECT d.player FROM addresses d WHERE instr(lower(d.address), ?4) > 0))";

/// Selects the boards of a page.
const BOARDS: &str = "SELECT board, game, options, first_player AS first, second_player AS second, plies, last_move, \
         CASE WHEN whose_turn IS NOT NULL THEN whose_turn || '''s turn' \
             WHEN reason IS NULL THEN result \
             WHEN result LIKE '% won' THEN 'won by ' || substr(result, 1, length(result) - 4) || ' (' || reason || ')' \
             ELSE 'drawn (' || reason || ')' END AS state, \
         last_activity, rated, private FROM games WHERE board IN (SELECT number FROM page)";

/// Selects the open challenges of a page.
const OFFERS: &str = "SELECT n.number, n.game, n.options, CASE o.seat WHEN 1 THEN n.challenger ELSE 'anyone' END, \
         CASE o.seat WHEN 1 THEN 'anyone' ELSE n.challenger END, 0, NULL, 'open challenge', n.made, o.rated, o.private \
         FROM open_challenges n JOIN challenges o ON o.number = n.number WHERE n.number IN (SELECT number FROM page)";

const STORY: &str =
    "SELECT at, entry, event, player, what, via, mail FROM board_story WHERE board = ?3 LIMIT ?1 OFFSET ?2";

const MAIL: &str = "SELECT id AS mail, received, player, sender AS \"from\", verdict, \
     replace(commands, '\n', '; ') AS commands, reason, actions, via, attempts FROM incoming_mail";

const MAIL_ACTIONS: &str = "SELECT action, board, entry, what, letter FROM mail_log WHERE mail = ?3 LIMIT ?1 OFFSET ?2";

const LETTERS: &str = "SELECT letter, written, coalesce(player, address) AS \"to\", about, \
     state || coalesce(' ' || at, '') || coalesce(': ' || error, '') AS state, mail, attempts FROM letters";

const LETTERS_WHERE: &str = "WHERE (CAST(?3 AS TEXT) IS NULL OR lower(player) = ?3 OR instr(lower(address), ?3) > 0) \
     AND (NOT CAST(?4 AS BOOLEAN) OR state IN ('held until the player does something', 'due', 'due again', 'given up')) \
     ORDER BY letter DESC LIMIT ?1 OFFSET ?2";

const RATING_HISTORY: &str = "SELECT ended, game, board, opponent, result, before, after, deviation FROM rating_history \
     WHERE lower(player) = ?3 LIMIT ?1 OFFSET ?2";

const ACTS: &str = "SELECT a.done_at AS at, coalesce(b.userid, a.by_user || ' (shell)') AS \"by\", a.act, a.board, \
     p.userid AS player, a.detail, a.reason FROM acts a LEFT JOIN players b ON b.id = a.by_player \
     LEFT JOIN players p ON p.id = a.player WHERE CAST(?3 AS TEXT) IS NULL OR ?3 IN (lower(b.userid), lower(p.userid)) \
     ORDER BY a.id DESC LIMIT ?1 OFFSET ?2";

/// Counts the games that began and ended, by month and game, without declined ones.
const MONTHS_BY_GAME: &str = "SELECT month, game, sum(began) AS began, sum(ended) AS ended FROM ( \
         SELECT substr(created_at, 1, 7) AS month, game, 1 AS began, 0 AS ended FROM boards WHERE declined_at IS NULL \
         UNION ALL SELECT substr(ended_at, 1, 7), game, 0, 1 FROM boards WHERE ended_at IS NOT NULL) m \
     GROUP BY month, game ORDER BY month, game LIMIT ?1 OFFSET ?2";

/// Builds the statement for players. It first finds the players on the page, and then computes only their rows. An
/// index provides the order by userid.
pub(crate) fn players_sql(named: bool, idle: bool, paused: bool, by_boards: bool) -> String {
    let mut found = vec!["CAST(?3 AS BIGINT) IS NOT DISTINCT FROM ?3 AND CAST(?4 AS TEXT) IS NOT DISTINCT FROM ?4"];
    if named {
        found.push(NAMED);
    }
    if idle {
        found.push("a.idle_days >= ?3 AND a.\"left\" IS NULL");
    }
    if paused {
        found.push("a.player IN (SELECT player FROM paused_addresses)");
    }
    let (found, order) =
        (found.join(" AND "), if by_boards { "a.boards DESC, lower(a.player)" } else { "lower(a.player)" });
    format!(
        "{PLAYERS} WHERE lower(a.player) IN (SELECT lower(a.player) FROM player_activity a WHERE {found} ORDER BY {order} \
         LIMIT ?1 OFFSET ?2) ORDER BY {order}"
    )
}

/// Builds the statement for boards and open challenges. It first finds those on the page, and then computes only their
/// rows.
pub(crate) fn boards_sql(player: bool, against: bool, game: bool, active: bool) -> String {
    let mut boards = String::from("true");
    let mut challenges = String::from(
        "closed_at IS NULL AND CAST(?3 AS TEXT) IS NOT DISTINCT FROM ?3 AND CAST(?4 AS TEXT) IS NOT DISTINCT FROM ?4 \
             AND CAST(?5 AS TEXT) IS NOT DISTINCT FROM ?5",
    );
    if active {
        boards.push_str(" AND ended_at IS NULL AND declined_at IS NULL");
    }
    if game {
        for found in [&mut boards, &mut challenges] {
            found.push_str(" AND lower(game) = ?4");
        }
    }
    if player {
        let id = "(SELECT id FROM players WHERE lower(userid) = ?3)";
        boards += &format!(" AND number IN (SELECT board FROM seats WHERE player = {id})");
        challenges += &format!(" AND challenger = {id}");
    }
    if against {
        // Open challenges have no opponent, so a list of boards against an opponent does not contain them.
        challenges += " AND false";
        boards += " AND number IN (SELECT s.board FROM seats s JOIN seats t ON t.board = s.board AND t.seat = 3 - s.seat \
             WHERE s.player = (SELECT id FROM players WHERE lower(userid) = ?3) \
             AND t.player = (SELECT id FROM players WHERE lower(userid) = ?5))";
    }
    rows_of(&format!(
        "SELECT number FROM boards WHERE {boards} \
         UNION ALL SELECT number FROM challenges WHERE {challenges} ORDER BY number DESC LIMIT ?1 OFFSET ?2"
    ))
}

/// Builds the statement for the rows of these boards and open challenges.
fn rows_of(page: &str) -> String {
    format!("WITH page AS MATERIALIZED ({page}) {BOARDS} UNION ALL {OFFERS} ORDER BY board DESC")
}

/// Converts a text to a parameter for a case-insensitive search.
fn text(text: Option<&str>) -> Value<'static> {
    text.map_or(Value::Null, |text| Value::Text(text.to_ascii_lowercase().into()))
}

/// Returns the statement for a report, and its parameters from the third on. The first two are the limit and the offset
/// of the page.
fn statement(report: &Report<'_>) -> (String, Vec<Value<'static>>) {
    let number = |number: i64| Value::Int(number);
    match *report {
        Report::Players { named, idle_days, paused, by_boards } => {
            let sql = players_sql(named.is_some(), idle_days.is_some(), paused, by_boards);
            (sql, vec![idle_days.map_or(Value::Null, |days| Value::Int(days.into())), text(named)])
        }
        Report::Suspicious => (format!("{SUSPICIOUS} LIMIT ?1 OFFSET ?2"), vec![]),
        Report::Boards { player, against, game, active } => {
            let sql = boards_sql(player.is_some(), against.is_some(), game.is_some(), active);
            (sql, vec![text(player), text(game), text(against)])
        }
        Report::Board(board) => {
            (rows_of("SELECT CAST(?3 AS BIGINT) AS number LIMIT ?1 OFFSET ?2"), vec![number(board.0.into())])
        }
        Report::Story(board) => (STORY.to_owned(), vec![number(board.0.into())]),
        Report::Inbox { from, on, refused, quarantined } => {
            let sql = format!(
                "{MAIL} WHERE (CAST(?3 AS TEXT) IS NULL OR lower(player) = ?3 OR lower(sender) = ?3) \
                 AND (CAST(?4 AS TEXT) IS NULL OR substr(received, 1, 10) = ?4) \
                 AND (NOT CAST(?5 AS BOOLEAN) OR verdict = 'refused' OR id IN (SELECT mail FROM refusals)) \
                 AND (NOT CAST(?6 AS BOOLEAN) OR id IN (SELECT mail FROM quarantine)) \
                 ORDER BY id DESC LIMIT ?1 OFFSET ?2"
            );
            let on = on.map(|day| day.to_string());
            (sql, vec![text(from), text(on.as_deref()), Value::Bool(refused), Value::Bool(quarantined)])
        }
        Report::Mail(mail) => (format!("{MAIL} WHERE id = ?3 LIMIT ?1 OFFSET ?2"), vec![number(mail.0)]),
        Report::MailActions(mail) => (MAIL_ACTIONS.to_owned(), vec![number(mail.0)]),
        Report::Letters { to, undelivered } => {
            (format!("{LETTERS} {LETTERS_WHERE}"), vec![text(to), Value::Bool(undelivered)])
        }
        Report::Letter(letter) => (format!("{LETTERS} WHERE letter = ?3 LIMIT ?1 OFFSET ?2"), vec![number(letter.0)]),
        Report::Bounces => ("SELECT * FROM bounces LIMIT ?1 OFFSET ?2".to_owned(), vec![]),
        Report::RatingHistory(userid) => (RATING_HISTORY.to_owned(), vec![text(Some(userid))]),
        Report::Acts { of } => (ACTS.to_owned(), vec![text(of)]),
        Report::Months { by_game: true } => (MONTHS_BY_GAME.to_owned(), vec![]),
        Report::Months { by_game: false } => ("SELECT * FROM games_a_month LIMIT ?1 OFFSET ?2".to_owned(), vec![]),
    }
}

fn row(row: &Row<'_>) -> Result<ReportRow> {
    let cells = row.names().into_iter().enumerate().map(|(at, name)| {
        let json = match row.raw(at)? {
            Raw::Null => Json::Null,
            // Booleans are numbers, because SQLite has no type for them.
            Raw::Bool(value) => i64::from(value).into(),
            Raw::Int(number) => number.into(),
            Raw::Real(number) => number.into(),
            Raw::Text(text) => text.into(),
            Raw::Bytes(bytes) => String::from_utf8_lossy(bytes).into(),
        };
        Ok((name.to_owned(), json))
    });
    cells.collect::<Result<_>>().map(ReportRow)
}

/// Reports for administrators.
impl Transaction<'_> {
    /// Reads a part of a report.
    pub fn report(&self, report: &Report<'_>, page: ReportPage) -> Result<Vec<ReportRow>> {
        let (sql, of_report) = statement(report);
        let mut parameters: Vec<&dyn Param> = vec![&page.most, &page.skip];
        parameters.extend(of_report.iter().map(|value| value as &dyn Param));
        all_by(self.db(), &sql, &parameters, row)
    }
}
