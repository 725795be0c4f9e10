//! Databases as older versions left them: what newer migrations made is undone.

use super::Server;
use super::database::sql;

/// What undoes each migration, by its version. A new migration adds its line.
const UNDO: &[(u32, &str)] = &[
    (20, "PRAGMA application_id = 0"),
    (21, "DROP TABLE left_addresses"),
    (22, "DELETE FROM entry_vias WHERE code > 7"),
    (23, "ALTER TABLE players DROP COLUMN back_in_reach_at"),
    (24, "ALTER TABLE server DROP COLUMN letters_held_at"),
    (25, "ALTER TABLE players DROP COLUMN theme"),
    (26, "DROP TABLE analyses"),
    (27, "DROP TABLE leases"),
    (28, "ALTER TABLE server DROP COLUMN moved_to"),
    (
        29,
        "DROP TRIGGER unsearched_board_ended; DROP TABLE unsearched_boards; DROP TABLE puzzle_readers; DROP TABLE puzzles",
    ),
    (30, "DROP TABLE hints; ALTER TABLE players DROP COLUMN hints"),
    // The view is made anew by the migration; no older program reads it before.
    (
        31,
        "DROP TRIGGER seats_closed; DROP TRIGGER seats_comment; DROP TRIGGER seats_proposal; DROP VIEW player_activity;
         DROP INDEX seats_of; DROP INDEX seats_active; ALTER TABLE seats DROP COLUMN acted_at;
         ALTER TABLE seats DROP COLUMN ended; ALTER TABLE seats DROP COLUMN active;
         CREATE INDEX seats_of ON seats (player, board);
         CREATE INDEX boards_declined ON boards (number) WHERE declined_at IS NOT NULL;
         CREATE VIEW player_activity AS SELECT userid AS player FROM players",
    ),
    (
        32,
        "DROP TRIGGER standings_counted; DROP TRIGGER standings_removed; DROP TRIGGER standings_new;
         DROP TRIGGER standings_listed; DROP INDEX standings_by_rating; DROP TABLE rating_ranges;
         ALTER TABLE standings DROP COLUMN listed_as;
         CREATE INDEX standings_by_rating ON standings (game, rating DESC)",
    ),
    (
        33,
        "DROP TRIGGER seats_taken; DROP TRIGGER seats_renamed; DROP TRIGGER boards_turn; DROP VIEW games;
         DROP VIEW player_activity; DROP INDEX boards_waiting; DROP INDEX boards_proposals;
         ALTER TABLE seats DROP COLUMN userid; ALTER TABLE boards DROP COLUMN mover;
         DROP TRIGGER seats_entry; DROP TRIGGER seats_closed; DROP TRIGGER seats_comment; DROP TRIGGER seats_proposal;
         ALTER TABLE seats DROP COLUMN last_act;
         CREATE TRIGGER seats_closed AFTER UPDATE OF ended_at ON boards BEGIN SELECT 1; END;
         CREATE TRIGGER seats_comment AFTER INSERT ON comments BEGIN SELECT 1; END;
         CREATE TRIGGER seats_proposal AFTER INSERT ON proposals BEGIN SELECT 1; END;
         CREATE VIEW games AS SELECT number AS board FROM boards;
         CREATE VIEW player_activity AS SELECT userid AS player FROM players",
    ),
    (
        34,
        "DROP TRIGGER players_challenge; DROP TRIGGER players_entry; DROP TRIGGER players_comment;
         DROP TRIGGER players_proposal; DROP VIEW player_activity; DROP INDEX seats_of; DROP INDEX boards_waiting;
         DROP INDEX standings_of; ALTER TABLE seats ADD COLUMN acted_at INTEGER;
         ALTER TABLE seats ADD COLUMN last_act INTEGER;
         UPDATE seats SET last_act = (SELECT acted_at FROM players WHERE id = player) WHERE active = 1;
         UPDATE seats SET acted_at = (SELECT acted_at FROM players WHERE id = player) WHERE active = 0;
         ALTER TABLE players DROP COLUMN acted_at;
         CREATE INDEX seats_of ON seats (player, board, active, ended, acted_at);
         CREATE INDEX boards_waiting ON boards (mover) WHERE mover IS NOT NULL;
         CREATE INDEX standings_of ON standings (player);
         CREATE TRIGGER seats_entry AFTER INSERT ON moves BEGIN SELECT 1; END;
         CREATE TRIGGER seats_comment AFTER INSERT ON comments BEGIN SELECT 1; END;
         CREATE TRIGGER seats_proposal AFTER INSERT ON proposals BEGIN SELECT 1; END;
         CREATE VIEW player_activity AS SELECT userid AS player FROM players",
    ),
    (35, "DROP TRIGGER results_new; DROP TRIGGER results_rated; DROP TRIGGER results_renamed; DROP TABLE results"),
    (
        36,
        "DROP TABLE standstills; ALTER TABLE server DROP COLUMN clocks_seen_at; ALTER TABLE boards DROP COLUMN clock_given",
    ),
    (
        37,
        "DROP TABLE acts; DELETE FROM entry_kinds WHERE code > 5; PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'b.no_result', '''declined''') WHERE type = 'view';
         UPDATE sqlite_schema SET sql = replace(replace(sql, 'kind IN (5, 6, 7)', 'kind = 5'),
             'CHECK (declined_by IS NULL OR declined_at IS NOT NULL)',
             'CHECK ((declined_by IS NULL) = (declined_at IS NULL))') WHERE type = 'table';
         PRAGMA writable_schema = RESET; ALTER TABLE boards DROP COLUMN no_result",
    ),
    (38, "DELETE FROM standstills WHERE cause = 'maintenance'"),
    (39, "DROP TRIGGER changes_comment_removed; DROP TABLE blocked_senders"),
    // The views read no table that an older version does not have.
    (40, "SELECT 1"),
    (41, "DROP TABLE browsers"),
    (42, "ALTER TABLE players DROP COLUMN own"),
    (
        43,
        "DROP TRIGGER changes_rematch; DROP TRIGGER changes_rematch_declined; DROP INDEX boards_rematch_of;
         ALTER TABLE boards DROP COLUMN rematch_of; ALTER TABLE players DROP COLUMN chat",
    ),
    (
        44,
        "DELETE FROM entry_kinds WHERE code = 8; PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql, '''undo'', ''abandon''', '''undo'''),
             '''void'', ''abandoned''', '''void'''), 'NEW.reason <> ''abandoned''', 'NEW.ended_at IS NOT NULL'),
             'iif(b.no_result IS NULL, ''draw'', b.no_result)', '''draw''')
             WHERE name IN ('boards', 'proposals', 'games', 'board_story', 'results_new');
         PRAGMA writable_schema = RESET",
    ),
    (45, "DROP TABLE solved_puzzles"),
    (
        46,
        "DROP INDEX players_userid; DROP INDEX addresses_of; DROP INDEX deliveries_of; DROP INDEX left_addresses_lower;
         DROP INDEX refusals_address; DROP VIEW player_activity; DROP INDEX seats_active;
         CREATE INDEX seats_active ON seats (player, board, active) WHERE active = 1;
         CREATE VIEW player_activity AS SELECT userid AS player FROM players",
    ),
];

/// Makes the database of a server one of this version.
pub fn downgrade(server: &Server, version: u32) {
    let now: u32 = sql(server, "PRAGMA user_version").parse().unwrap();
    for undone in (version + 1..=now).rev() {
        let (_, undo) = UNDO.iter().find(|(of, _)| *of == undone).unwrap_or_else(|| panic!("what undoes {undone}?"));
        sql(server, &format!("{undo}; DELETE FROM migrations WHERE version = {undone}"));
    }
    sql(server, &format!("PRAGMA user_version = {version}"));
}
