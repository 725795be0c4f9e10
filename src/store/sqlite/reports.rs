//! Tables for an administrator, read from the views that people read too.

use rusqlite::types::ValueRef;
use rusqlite::{Row, ToSql};
use serde_json::Value;

use super::query::all;
use super::transaction::SqliteTransaction;
use crate::store::{Report, ReportPage, ReportRow, Reports, Result};

/// The players, with every address and what is wrong with it.
const PLAYERS: &str = "SELECT a.player, a.boards, a.their_turn, a.waiting_days, a.finished, a.idle_days, a.last_active, \
     a.joined, a.blocked, a.\"left\", \
     (SELECT group_concat(d.address || CASE WHEN d.confirmed_at IS NULL THEN ' (not confirmed)' \
          WHEN d.paused_at IS NULL THEN '' \
          ELSE ' (paused ' || substr(d.paused_at, 1, 10) || ': ' || d.paused_why || ')' END, ', ') \
      FROM addresses d WHERE d.player = p.id) AS addresses \
     FROM player_activity a JOIN players p ON p.userid = a.player \
     WHERE (?1 IS NULL OR (a.idle_days >= ?1 AND a.\"left\" IS NULL)) \
     AND (NOT ?2 OR a.player IN (SELECT player FROM paused_addresses)) \
     ORDER BY CASE WHEN ?3 THEN -a.boards END, a.player";

/// Boards and open challenges. A number that stands in both is a board's.
const BOARDS: &str = "SELECT board, game, options, first, second, plies, last_move, state, last_activity, rated, \
     private FROM ( \
     SELECT board, game, options, first_player AS first, second_player AS second, plies, last_move, \
         CASE WHEN whose_turn IS NOT NULL THEN whose_turn || '''s turn' \
             WHEN reason IS NULL THEN result \
             WHEN result LIKE '% won' THEN 'won by ' || substr(result, 1, length(result) - 4) || ' (' || reason || ')' \
             ELSE 'drawn (' || reason || ')' END AS state, \
         last_activity, rated, private, result = 'in progress' AS active FROM games \
     UNION ALL SELECT n.number, n.game, n.options, CASE o.seat WHEN 1 THEN n.challenger ELSE 'anyone' END, \
         CASE o.seat WHEN 1 THEN 'anyone' ELSE n.challenger END, 0, NULL, 'open challenge', n.made, o.rated, o.private, 1 \
         FROM open_challenges n JOIN offers o ON o.number = n.number) \
     WHERE (?1 IS NULL OR first = ?1 COLLATE NOCASE OR second = ?1 COLLATE NOCASE) \
     AND (?2 IS NULL OR game = ?2 COLLATE NOCASE) AND (NOT ?3 OR active) AND state <> 'declined' ORDER BY board DESC";

const STORY: &str = "SELECT at, entry, event, player, what, via, mail FROM board_story WHERE board = ?1";

const MAIL: &str = "SELECT id AS mail, received, player, sender AS \"from\", verdict, \
     replace(commands, char(10), '; ') AS commands, reason, effects, via, attempts FROM incoming_mail";

const MAIL_EFFECTS: &str = "SELECT effect, board, entry, what, letter FROM mail_effects WHERE mail = ?1";

const LETTERS: &str = "SELECT letter, written, coalesce(player, address) AS \"to\", about, \
     state || coalesce(' ' || at, '') || coalesce(': ' || error, '') AS state, mail, attempts FROM letters";

const LETTERS_WHERE: &str = "WHERE (?1 IS NULL OR player = ?1 COLLATE NOCASE OR instr(lower(address), lower(?1))) \
     AND (NOT ?2 OR state IN ('held until the player does something', 'due', 'due again', 'given up')) \
     ORDER BY letter DESC";

const RATING_HISTORY: &str = "SELECT ended, game, board, opponent, result, before, after, deviation FROM rating_history \
     WHERE player = ?1 COLLATE NOCASE";

/// The statement for a report, and its parameters; the last two are those of the page.
fn statement(report: &Report<'_>) -> (String, Vec<Box<dyn ToSql>>) {
    let text = |text: Option<&str>| Box::new(text.map(str::to_owned)) as Box<dyn ToSql>;
    match *report {
        Report::Players { idle_days, paused, by_boards } => {
            (PLAYERS.to_owned(), vec![Box::new(idle_days), Box::new(paused), Box::new(by_boards)])
        }
        Report::Boards { player, game, active } => {
            (BOARDS.to_owned(), vec![text(player), text(game), Box::new(active)])
        }
        Report::Story(board) => (STORY.to_owned(), vec![Box::new(board)]),
        Report::Inbox { from, on, refused, set_aside } => {
            let sql = format!(
                "{MAIL} WHERE (?1 IS NULL OR player = ?1 COLLATE NOCASE OR sender = ?1 COLLATE NOCASE) \
                 AND (?2 IS NULL OR substr(received, 1, 10) = ?2) \
                 AND (NOT ?3 OR verdict = 'refused' OR id IN (SELECT mail FROM refusals)) \
                 AND (NOT ?4 OR id IN (SELECT mail FROM set_aside)) ORDER BY id DESC"
            );
            let on = on.map(|day| day.to_string());
            (sql, vec![text(from), Box::new(on), Box::new(refused), Box::new(set_aside)])
        }
        Report::Mail(mail) => (format!("{MAIL} WHERE id = ?1"), vec![Box::new(mail.0)]),
        Report::MailEffects(mail) => (MAIL_EFFECTS.to_owned(), vec![Box::new(mail.0)]),
        Report::Letters { to, undelivered } => {
            (format!("{LETTERS} {LETTERS_WHERE}"), vec![text(to), Box::new(undelivered)])
        }
        Report::Letter(letter) => (format!("{LETTERS} WHERE letter = ?1"), vec![Box::new(letter.0)]),
        Report::Bounces => ("SELECT * FROM bounces".to_owned(), vec![]),
        Report::RatingHistory(userid) => (RATING_HISTORY.to_owned(), vec![text(Some(userid))]),
        Report::Months => ("SELECT * FROM games_a_month".to_owned(), vec![]),
    }
}

fn row(row: &Row<'_>) -> rusqlite::Result<ReportRow> {
    let names = row.as_ref().column_names();
    let cells = names.iter().enumerate().map(|(at, name)| {
        let value = match row.get_ref(at)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned().into(),
        };
        Ok(((*name).to_owned(), value))
    });
    cells.collect::<rusqlite::Result<_>>().map(ReportRow)
}

impl Reports for SqliteTransaction<'_> {
    fn report(&self, report: &Report<'_>, page: ReportPage) -> Result<Vec<ReportRow>> {
        let (mut sql, mut parameters) = statement(report);
        let first = parameters.len() + 1;
        sql += &format!(" LIMIT ?{first} OFFSET ?{}", first + 1);
        parameters.extend([Box::new(page.most) as Box<dyn ToSql>, Box::new(page.skip)]);
        all(self.db(), &sql, rusqlite::params_from_iter(parameters), row)
    }
}
