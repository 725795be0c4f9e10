-- What is asked of each of a player's boards that are over stands at their seats, and in the index that finds these: the
-- boards' own rows and their records are on another page of the file each, so that asking them took longer the more boards
-- there were. A turn changes none of it.
ALTER TABLE seats ADD COLUMN active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)); -- the board is in progress
ALTER TABLE seats ADD COLUMN ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1) AND active + ended < 2); -- 0 without active: declined
-- When the player last did something at a board that is over, in seconds since 1970 began. What a player prepared, and what
-- the clock or the administrator did, is nothing that they did.
ALTER TABLE seats ADD COLUMN acted_at INTEGER CHECK (acted_at IS NULL OR active = 0);

-- Boards that are over stay so.
CREATE TRIGGER seats_closed AFTER UPDATE OF ended_at, declined_at ON boards
WHEN NEW.ended_at IS NOT NULL OR NEW.declined_at IS NOT NULL
BEGIN
    UPDATE seats SET
        active = 0, ended = NEW.ended_at IS NOT NULL,
        acted_at = (
            SELECT max(at) FROM (
                SELECT CASE NEW.challenger WHEN seats.player THEN unixepoch(NEW.created_at) END AS at
                UNION ALL
                SELECT (SELECT m.made_at FROM moves m
                        WHERE m.board = seats.board AND m.seat = seats.seat AND m.via NOT IN (5, 6, 7)
                        ORDER BY m.entry DESC LIMIT 1)
                UNION ALL
                SELECT unixepoch(max(c.said_at)) FROM comments c WHERE c.board = seats.board AND c.player = seats.player
                UNION ALL
                SELECT unixepoch(max(r.made_at)) FROM proposals r WHERE r.board = seats.board AND r.seat = seats.seat))
        WHERE board = NEW.number;
END;

CREATE TRIGGER seats_comment AFTER INSERT ON comments
BEGIN
    UPDATE seats SET acted_at = max(coalesce(acted_at, unixepoch(NEW.said_at)), unixepoch(NEW.said_at))
        WHERE board = NEW.board AND player = NEW.player AND active = 0;
END;

-- An import brings the proposals of a board that is over.
CREATE TRIGGER seats_proposal AFTER INSERT ON proposals
BEGIN
    UPDATE seats SET acted_at = max(coalesce(acted_at, unixepoch(NEW.made_at)), unixepoch(NEW.made_at))
        WHERE board = NEW.board AND seat = NEW.seat AND active = 0;
END;

DROP INDEX seats_of;
-- The same triggers fill in what is over already; nothing else of these rows changes.
UPDATE boards SET ended_at = ended_at WHERE ended_at IS NOT NULL OR declined_at IS NOT NULL;
CREATE INDEX seats_of ON seats (player, board, active, ended, acted_at);
-- With the column of its condition: SQLite would look that up.
CREATE INDEX seats_active ON seats (player, board, active) WHERE active = 1;
-- Boards that were declined were counted by it.
DROP INDEX boards_declined;

-- How many boards each player has, how long others have waited for them, and since when they have done nothing. A board
-- against oneself counts once.
DROP VIEW player_activity;
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       CAST(julianday('now') - julianday(last_active) AS INTEGER) AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s INDEXED BY seats_active WHERE s.player = p.id AND s.active = 1) AS boards,
           (SELECT count(*) FROM seats s INDEXED BY seats_active CROSS JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id AND s.active = 1) AS their_turn,
           (SELECT CAST(julianday('now') - julianday(min(b.moved_at)) AS INTEGER)
            FROM seats s INDEXED BY seats_active CROSS JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id AND s.active = 1) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.ended = 1) AS finished,
           max(p.created_at,
               coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%SZ', max(s.acted_at), 'unixepoch')
                         FROM seats s WHERE s.player = p.id), ''),
               -- At boards in progress: the last entry that is not by a plan, the clock or the administrator.
               coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%SZ',
                                         max((SELECT m.made_at FROM moves m
                                              WHERE m.board = s.board AND m.seat = s.seat AND m.via NOT IN (5, 6, 7)
                                              ORDER BY m.entry DESC LIMIT 1)), 'unixepoch')
                         FROM seats s INDEXED BY seats_active WHERE s.player = p.id AND s.active = 1), ''),
               coalesce((SELECT max(c.said_at) FROM seats s INDEXED BY seats_active CROSS JOIN comments c ON c.board = s.board AND c.player = s.player
                         WHERE s.player = p.id AND s.active = 1), ''),
               coalesce((SELECT max(b.created_at) FROM seats s INDEXED BY seats_active CROSS JOIN boards b ON b.number = s.board
                         WHERE s.player = p.id AND s.active = 1 AND b.challenger = s.player), ''),
               coalesce((SELECT max(r.made_at) FROM seats s INDEXED BY seats_active CROSS JOIN proposals r ON r.board = s.board AND r.seat = s.seat
                         WHERE s.player = p.id AND s.active = 1), '')) AS last_active
    FROM players p
)
ORDER BY player;

INSERT INTO migrations (version, name) VALUES (31, 'seats');
