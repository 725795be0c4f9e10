-- The record takes most of the room of a database, so an entry is stored in few bytes: its hash as 32 bytes instead of 64
-- digits, codes instead of words, its time as a number, and the hash before it not a second time. The views show words,
-- readable times and digits as before.

DROP VIEW games;
DROP VIEW game_moves;
DROP VIEW mail_effects;
DROP VIEW incoming_mail;
DROP VIEW board_story;
DROP VIEW player_activity;

-- The words for `moves.kind` and `moves.via`. SQLite stores 0 and 1 without a byte, so they are the most frequent ones.
CREATE TABLE entry_kinds (
    code INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO entry_kinds (code, word)
VALUES (0, 'move'), (1, 'undo'), (2, 'resign'), (3, 'draw'), (4, 'forfeit'), (5, 'adjudge');

CREATE TABLE entry_vias (
    code INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO entry_vias (code, word)
VALUES (0, 'mail'), (1, 'web'), (2, 'api'), (3, 'shell'), (4, 'visitor'), (5, 'plan'), (6, 'clock'), (7, 'administrator');

CREATE TABLE compact (
    board   INTEGER NOT NULL REFERENCES boards (number),
    entry   INTEGER NOT NULL CHECK (entry BETWEEN 1 AND 4294967295),
    kind    INTEGER NOT NULL REFERENCES entry_kinds (code),
    ply     INTEGER NOT NULL CHECK (ply BETWEEN 0 AND 4294967295),
    seat    INTEGER CHECK (seat IN (1, 2)), -- NULL: the administrator's entry
    text    TEXT NOT NULL CHECK (text <> ''),
    -- Seconds since 1970 began, in the years from 0 to 9999: 4 bytes, where the text of a time takes 20.
    made_at INTEGER NOT NULL CHECK (made_at BETWEEN -62167219200 AND 253402300799),
    via     INTEGER NOT NULL REFERENCES entry_vias (code),
    hash    BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (board, entry),
    CHECK ((seat IS NULL) = (kind = 5))
) STRICT, WITHOUT ROWID;
-- In the order of the key, so that rows are appended and none is held in memory. A word that has no code is an error.
INSERT INTO compact (board, entry, kind, ply, seat, text, made_at, via, hash)
    SELECT m.board, m.entry, (SELECT k.code FROM entry_kinds k WHERE k.word = m.kind), m.ply, m.seat, m.text,
           unixepoch(m.made_at), (SELECT v.code FROM entry_vias v WHERE v.word = m.via), unhex(m.hash)
    FROM moves m ORDER BY m.board, m.entry;
DROP TABLE moves;
ALTER TABLE compact RENAME TO moves;

CREATE TRIGGER moves_never_change BEFORE UPDATE ON moves
BEGIN
    SELECT RAISE(ABORT, 'a move once made is never changed');
END;

CREATE TRIGGER moves_never_go BEFORE DELETE ON moves
BEGIN
    SELECT RAISE(ABORT, 'a move once made is never taken away');
END;

CREATE TRIGGER moves_in_order BEFORE INSERT ON moves
BEGIN
    SELECT RAISE(ABORT, 'a move was made on a board that is over, declined or not there')
        WHERE NOT EXISTS (SELECT 1 FROM boards
                          WHERE number = NEW.board AND ended_at IS NULL AND declined_at IS NULL);
    SELECT RAISE(ABORT, 'an entry must be the next one of its board')
        FROM boards WHERE number = NEW.board AND NEW.entry <> entries + 1;
    SELECT RAISE(ABORT, 'a move must be the next ply of its board')
        FROM boards WHERE number = NEW.board AND NEW.kind = 0 AND NEW.ply <> plies + 1;
    SELECT RAISE(ABORT, 'an undo must go back')
        FROM boards WHERE number = NEW.board AND NEW.kind = 1 AND NEW.ply >= plies;
    SELECT RAISE(ABORT, 'an end is no ply')
        FROM boards WHERE number = NEW.board AND NEW.kind NOT IN (0, 1) AND NEW.ply <> plies;
    SELECT RAISE(ABORT, 'a move must be made by the player whose turn it is')
        FROM boards WHERE number = NEW.board AND NEW.kind = 0 AND NEW.seat IS NOT to_move;
    -- What the program chains an entry to is `head`. SQLite cannot compute SHA-256, so what is checked here is that
    -- `head` is the hash of the entry before this one, or the genesis, and that this entry has another.
    SELECT RAISE(ABORT, 'a move must be chained to the hash of the move before it')
        FROM boards b WHERE b.number = NEW.board
            AND (b.head IS NOT CASE NEW.entry
                     WHEN 1 THEN b.genesis
                     ELSE (SELECT lower(hex(m.hash)) FROM moves m WHERE m.board = NEW.board AND m.entry = NEW.entry - 1)
                 END
                 OR b.head = lower(hex(NEW.hash)));
END;

CREATE TRIGGER moves_count AFTER INSERT ON moves
BEGIN
    UPDATE boards SET entries = NEW.entry, plies = NEW.ply, head = lower(hex(NEW.hash)),
                      moved_at = strftime('%Y-%m-%dT%H:%M:%SZ', NEW.made_at, 'unixepoch')
        WHERE number = NEW.board;
END;

CREATE TRIGGER effects_entry AFTER INSERT ON moves
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, 'entry', NEW.board, NEW.entry FROM current_mail WHERE mail IS NOT NULL;
END;

-- Every entry of every record in words.
CREATE VIEW record AS
SELECT m.board, m.entry, (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind) AS kind, m.ply, m.seat, m.text,
       strftime('%Y-%m-%dT%H:%M:%SZ', m.made_at, 'unixepoch') AS made_at,
       (SELECT v.word FROM entry_vias v WHERE v.code = m.via) AS via, lower(hex(m.hash)) AS hash
FROM moves m;

-- Every game, its players and its state.
CREATE VIEW games AS
SELECT b.number AS board,
       b.game,
       b.options,
       p1.userid AS first_player,
       p2.userid AS second_player,
       b.plies,
       CASE b.to_move WHEN 1 THEN p1.userid WHEN 2 THEN p2.userid END AS whose_turn,
       (SELECT m.text FROM moves m WHERE m.board = b.number AND m.ply = b.plies AND m.kind = 0
        ORDER BY m.entry DESC LIMIT 1) AS last_move,
       CASE
           WHEN b.declined_at IS NOT NULL THEN 'declined'
           WHEN b.ended_at IS NULL THEN 'in progress'
           WHEN b.winner = 1 THEN p1.userid || ' won'
           WHEN b.winner = 2 THEN p2.userid || ' won'
           ELSE 'draw'
       END AS result,
       b.reason,
       b.rated,
       b.private,
       b.clock_due_at AS clock_asks_next,
       b.created_at AS started,
       max(b.moved_at, coalesce(b.ended_at, ''), coalesce(b.declined_at, '')) AS last_activity
FROM boards b
JOIN seats s1 ON s1.board = b.number AND s1.seat = 1
JOIN players p1 ON p1.id = s1.player
JOIN seats s2 ON s2.board = b.number AND s2.seat = 2
JOIN players p2 ON p2.id = s2.player;

-- Every entry of every game's record, in order: moves, moves taken back, and ends outside the rules.
CREATE VIEW game_moves AS
SELECT m.board, m.entry, m.ply, coalesce(p.userid, '(administrator)') AS player, m.kind, m.text AS move, m.made_at,
       m.via, m.hash
FROM record m
LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
LEFT JOIN players p ON p.id = s.player;

-- Mail that arrived, whose it was, and what became of it: with the reason of every refusal, and what it did.
CREATE VIEW incoming_mail AS
SELECT i.id,
       i.received_at AS received,
       i.via,
       i.sender,
       -- Who moved by it, or else who was known by a reply token, or else whose address it is.
       coalesce(
           (SELECT p.userid FROM effects e JOIN moves m ON m.board = e.board AND m.entry = e.item AND m.via = 0
            JOIN seats s ON s.board = m.board AND s.seat = m.seat JOIN players p ON p.id = s.player
            WHERE e.mail = i.id AND e.kind = 'entry' ORDER BY e.id LIMIT 1),
           (SELECT p.userid FROM players p WHERE p.id = i.author),
           (SELECT p.userid FROM addresses a JOIN players p ON p.id = a.player
            WHERE a.address = i.sender AND a.confirmed_at IS NOT NULL)
       ) AS player,
       coalesce(i.verdict, 'waits') AS verdict,
       i.commands,
       i.reason || coalesce(' ' || (SELECT group_concat(why, ' ') FROM (
           SELECT CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason AS why
           FROM refusals r WHERE r.mail = i.id ORDER BY r.id)), '') AS reason,
       (SELECT group_concat(what, '; ') FROM (
           SELECT CASE e.kind
                      WHEN 'board' THEN 'board ' || e.board
                      WHEN 'entry' THEN 'board ' || e.board || ' entry ' || e.item
                      WHEN 'comment' THEN 'board ' || e.board || ' comment'
                      WHEN 'proposal' THEN 'board ' || e.board || ' proposal'
                      WHEN 'answer' THEN 'board ' || e.board || ' answer to a proposal'
                      ELSE 'letter ' || coalesce(o.letter, o.id) || ' to ' || coalesce(p.userid, o.address)
                  END AS what
           FROM effects e
           LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
           LEFT JOIN players p ON p.id = o.player
           WHERE e.mail = i.id ORDER BY e.id)) AS effects,
       i.attempts,
       i.closed_at AS dealt_with
FROM inbox i;

-- What each mail did, one row for each effect, and why what it asked for was refused.
CREATE VIEW mail_effects AS
SELECT mail, received, player, sender, effect, board, entry, what, letter
FROM (
    SELECT i.id AS mail, i.received, i.player, i.sender,
           CASE e.kind WHEN 'entry' THEN (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind)
                       WHEN 'notice' THEN 'letter' WHEN 'proposal' THEN 'proposal'
                       WHEN 'answer' THEN coalesce(r.answer, 'answer') ELSE e.kind
           END AS effect,
           e.board,
           CASE e.kind WHEN 'entry' THEN e.item WHEN 'comment' THEN c.entry WHEN 'notice' THEN o.entry
                       WHEN 'board' THEN NULL ELSE r.entry
           END AS entry,
           CASE e.kind WHEN 'board' THEN (SELECT g.game FROM boards g WHERE g.number = e.board)
                       WHEN 'entry' THEN m.text WHEN 'comment' THEN c.text
                       WHEN 'notice' THEN o.kind || ' to ' || coalesce(p.userid, o.address) ELSE r.kind
           END AS what,
           CASE e.kind WHEN 'notice' THEN coalesce(o.letter, o.id) END AS letter,
           1 AS rank, e.id AS number
    FROM effects e
    JOIN incoming_mail i ON i.id = e.mail
    LEFT JOIN moves m ON e.kind = 'entry' AND m.board = e.board AND m.entry = e.item
    LEFT JOIN comments c ON e.kind = 'comment' AND c.id = e.item
    LEFT JOIN proposals r ON e.kind IN ('proposal', 'answer') AND r.id = e.item
    LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
    LEFT JOIN players p ON p.id = o.player
    UNION ALL
    SELECT i.id, i.received, i.player, i.sender, 'refused', NULL, NULL,
           CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, NULL, 0, r.id
    FROM refusals r JOIN incoming_mail i ON i.id = r.mail
)
ORDER BY mail, rank, number;

-- Everything that happened at a board, in order: its record, comments, proposals and their answers, reminders, its end.
CREATE VIEW board_story AS
SELECT board, at, entry, event, player, what, via, mail
FROM (
    SELECT b.number AS board, b.created_at AS at, 0 AS entry, 'challenge' AS event, p.userid AS player,
           b.game || CASE b.options WHEN '' THEN '' ELSE ' ' || b.options END AS what, NULL AS via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'board' AND e.item = b.number) AS mail, 0 AS rank, 0 AS number
    FROM boards b LEFT JOIN players p ON p.id = b.challenger
    UNION ALL
    SELECT m.board, m.made_at, m.entry, m.kind, coalesce(p.userid, '(administrator)'), m.text, m.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'entry' AND e.item = m.entry AND e.board = m.board), 1, m.entry
    FROM record m
    LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
    LEFT JOIN players p ON p.id = s.player
    UNION ALL
    SELECT c.board, c.said_at, c.entry, 'comment', p.userid, c.text, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'comment' AND e.item = c.id), 2, c.id
    FROM comments c JOIN players p ON p.id = c.player
    UNION ALL
    SELECT r.board, r.made_at, r.entry, 'proposal', p.userid,
           r.kind || CASE WHEN r.answer IS NOT NULL THEN ''
                          WHEN b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL OR b.entries > r.entry
                          THEN ', lapsed' ELSE ', open' END, r.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'proposal' AND e.item = r.id), 3, r.id
    FROM proposals r
    JOIN boards b ON b.number = r.board
    JOIN seats s ON s.board = r.board AND s.seat = r.seat
    JOIN players p ON p.id = s.player
    UNION ALL
    SELECT r.board, r.answered_at, r.entry, r.answer, p.userid, r.kind, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'answer' AND e.item = r.id), 4, r.id
    FROM proposals r
    JOIN seats s ON s.board = r.board AND s.seat = CASE r.answer WHEN 'withdrawn' THEN r.seat ELSE 3 - r.seat END
    JOIN players p ON p.id = s.player
    WHERE r.answer IS NOT NULL
    UNION ALL
    SELECT o.board, o.created_at, o.entry, 'reminder', p.userid, 'letter ' || coalesce(o.letter, o.id), NULL, NULL, 5, o.id
    FROM outbox o JOIN players p ON p.id = o.player
    WHERE o.kind = 'reminder'
    UNION ALL
    SELECT b.number, b.ended_at, b.entries, 'end', p.userid,
           CASE WHEN b.winner IS NULL THEN 'draw' ELSE 'won' END || ' (' || b.reason || ')', NULL, NULL, 6, 0
    FROM boards b
    LEFT JOIN seats s ON s.board = b.number AND s.seat = b.winner
    LEFT JOIN players p ON p.id = s.player
    WHERE b.ended_at IS NOT NULL
    UNION ALL
    SELECT b.number, b.declined_at, b.entries, 'declined', p.userid, '', NULL, NULL, 6, 0
    FROM boards b JOIN players p ON p.id = b.declined_by
)
ORDER BY board, at, entry, rank, number;

-- How many boards each player has, how long others have waited for them, and since when they have done nothing. What a
-- player prepared, and what the clock or the administrator did, is nothing that they did. A board against oneself counts
-- once.
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       CAST(julianday('now') - julianday(last_active) AS INTEGER) AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NULL AND b.declined_at IS NULL) AS boards,
           (SELECT count(*) FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id) AS their_turn,
           (SELECT CAST(julianday('now') - julianday(min(b.moved_at)) AS INTEGER)
            FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat WHERE s.player = p.id) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NOT NULL) AS finished,
           max(p.created_at,
               -- The last entry at each board that is not by a plan, the clock or the administrator.
               coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%SZ',
                                         max((SELECT m.made_at FROM moves m
                                              WHERE m.board = s.board AND m.seat = s.seat AND m.via NOT IN (5, 6, 7)
                                              ORDER BY m.entry DESC LIMIT 1)), 'unixepoch')
                         FROM seats s WHERE s.player = p.id), ''),
               coalesce((SELECT max(c.said_at) FROM seats s JOIN comments c ON c.board = s.board AND c.player = p.id
                         WHERE s.player = p.id), ''),
               coalesce((SELECT max(b.created_at) FROM seats s JOIN boards b ON b.number = s.board
                         WHERE s.player = p.id AND b.challenger = p.id), ''),
               coalesce((SELECT max(r.made_at) FROM seats s JOIN proposals r ON r.board = s.board AND r.seat = s.seat
                         WHERE s.player = p.id), '')) AS last_active
    FROM players p
)
ORDER BY player;

INSERT INTO migrations (version, name) VALUES (17, 'compact_record');
