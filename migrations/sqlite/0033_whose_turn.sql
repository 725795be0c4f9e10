-- What is asked of each board of a list stands at the board and its seats: the players' own rows are on another page of the
-- file each, so that asking them took longer the more players there were. So does when a player last did something, which
-- was looked for in four tables. And whose turn it is has an index, since most of a player's boards in progress wait for
-- their opponents: a computer player may have thousands of those.
ALTER TABLE seats ADD COLUMN userid TEXT COLLATE NOCASE; -- the player's
-- When the player last did something at a board in progress, in seconds since 1970 began; `acted_at` where it is over. A turn
-- changes it, so no index has it.
ALTER TABLE seats ADD COLUMN last_act INTEGER CHECK (last_act IS NULL OR active = 1);
ALTER TABLE boards ADD COLUMN mover INTEGER; -- the player whose turn it is; NULL when the board is over

UPDATE seats SET userid = (SELECT p.userid FROM players p WHERE p.id = seats.player);
UPDATE seats SET last_act = (
        SELECT max(at) FROM (
            SELECT unixepoch(b.created_at) AS at FROM boards b WHERE b.number = seats.board AND b.challenger = seats.player
            UNION ALL
            SELECT max(m.made_at) FROM moves m WHERE m.board = seats.board AND m.seat = seats.seat AND m.via NOT IN (5, 6, 7)
            UNION ALL
            SELECT unixepoch(max(c.said_at)) FROM comments c WHERE c.board = seats.board AND c.player = seats.player
            UNION ALL
            SELECT unixepoch(max(r.made_at)) FROM proposals r WHERE r.board = seats.board AND r.seat = seats.seat))
    WHERE active = 1;
UPDATE boards SET mover = (SELECT s.player FROM seats s WHERE s.board = boards.number AND s.seat = boards.to_move)
    WHERE to_move IS NOT NULL;
CREATE INDEX boards_waiting ON boards (mover) WHERE mover IS NOT NULL;
CREATE INDEX boards_proposals ON boards (proposed_by) WHERE proposal IS NOT NULL;

CREATE TRIGGER seats_taken AFTER INSERT ON seats
BEGIN
    UPDATE seats SET
        userid = (SELECT userid FROM players WHERE id = NEW.player),
        last_act = (SELECT unixepoch(created_at) FROM boards WHERE number = NEW.board AND challenger = NEW.player)
        WHERE board = NEW.board AND seat = NEW.seat;
    UPDATE boards SET mover = NEW.player WHERE number = NEW.board AND to_move = NEW.seat;
END;
CREATE TRIGGER seats_renamed AFTER UPDATE OF userid ON players
BEGIN
    UPDATE seats SET userid = NEW.userid WHERE player = NEW.id;
END;
CREATE TRIGGER boards_turn AFTER UPDATE OF to_move ON boards
BEGIN
    UPDATE boards SET mover = (SELECT player FROM seats WHERE board = NEW.number AND seat = NEW.to_move)
        WHERE number = NEW.number;
END;

-- What a player prepared, and what the clock or the administrator did, is nothing that they did.
CREATE TRIGGER seats_entry AFTER INSERT ON moves WHEN NEW.via NOT IN (5, 6, 7)
BEGIN
    UPDATE seats SET last_act = max(coalesce(last_act, NEW.made_at), NEW.made_at)
        WHERE board = NEW.board AND seat = NEW.seat AND active = 1;
END;
DROP TRIGGER seats_comment;
CREATE TRIGGER seats_comment AFTER INSERT ON comments
BEGIN
    UPDATE seats SET last_act = max(coalesce(last_act, unixepoch(NEW.said_at)), unixepoch(NEW.said_at))
        WHERE board = NEW.board AND player = NEW.player AND active = 1;
    UPDATE seats SET acted_at = max(coalesce(acted_at, unixepoch(NEW.said_at)), unixepoch(NEW.said_at))
        WHERE board = NEW.board AND player = NEW.player AND active = 0;
END;
DROP TRIGGER seats_proposal;
CREATE TRIGGER seats_proposal AFTER INSERT ON proposals
BEGIN
    UPDATE seats SET last_act = max(coalesce(last_act, unixepoch(NEW.made_at)), unixepoch(NEW.made_at))
        WHERE board = NEW.board AND seat = NEW.seat AND active = 1;
    -- An import brings the proposals of a board that is over.
    UPDATE seats SET acted_at = max(coalesce(acted_at, unixepoch(NEW.made_at)), unixepoch(NEW.made_at))
        WHERE board = NEW.board AND seat = NEW.seat AND active = 0;
END;
DROP TRIGGER seats_closed;
CREATE TRIGGER seats_closed AFTER UPDATE OF ended_at, declined_at ON boards
WHEN NEW.ended_at IS NOT NULL OR NEW.declined_at IS NOT NULL
BEGIN
    UPDATE seats SET active = 0, ended = NEW.ended_at IS NOT NULL, acted_at = coalesce(last_act, acted_at), last_act = NULL
        WHERE board = NEW.number;
END;

DROP VIEW games;
CREATE VIEW games AS
SELECT b.number AS board,
       b.game,
       b.options,
       s1.userid AS first_player,
       s2.userid AS second_player,
       b.plies,
       CASE b.to_move WHEN 1 THEN s1.userid WHEN 2 THEN s2.userid END AS whose_turn,
       (SELECT m.text FROM moves m WHERE m.board = b.number AND m.ply = b.plies AND m.kind = 0
        ORDER BY m.entry DESC LIMIT 1) AS last_move,
       CASE
           WHEN b.declined_at IS NOT NULL THEN 'declined'
           WHEN b.ended_at IS NULL THEN 'in progress'
           WHEN b.winner = 1 THEN s1.userid || ' won'
           WHEN b.winner = 2 THEN s2.userid || ' won'
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
JOIN seats s2 ON s2.board = b.number AND s2.seat = 2;

DROP VIEW player_activity;
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       CAST(julianday('now') - julianday(last_active) AS INTEGER) AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s INDEXED BY seats_active WHERE s.player = p.id AND s.active = 1) AS boards,
           (SELECT count(*) FROM boards b WHERE b.mover = p.id) AS their_turn,
           (SELECT CAST(julianday('now') - julianday(min(b.moved_at)) AS INTEGER)
            FROM boards b WHERE b.mover = p.id) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.ended = 1) AS finished,
           max(p.created_at,
               coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%SZ', max(s.acted_at), 'unixepoch')
                         FROM seats s WHERE s.player = p.id), ''),
               coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%SZ', max(s.last_act), 'unixepoch')
                         FROM seats s INDEXED BY seats_active WHERE s.player = p.id AND s.active = 1), '')) AS last_active
    FROM players p
)
ORDER BY player;

INSERT INTO migrations (version, name) VALUES (33, 'whose_turn');
