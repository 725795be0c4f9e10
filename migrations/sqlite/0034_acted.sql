-- When a player last did something at a board stands at the player. At their seats it was on as many pages of the file as
-- they have boards in progress. How long boards have waited for a player is in the index of those boards, and the index of a
-- player's standings has all of them.
ALTER TABLE players ADD COLUMN acted_at INTEGER; -- in seconds since 1970 began; NULL: at no board yet
UPDATE players SET acted_at = s.at
    FROM (SELECT player, max(coalesce(last_act, acted_at)) AS at FROM seats NOT INDEXED GROUP BY player) s
    WHERE s.player = players.id;

DROP VIEW player_activity;
DROP TRIGGER seats_entry;
DROP TRIGGER seats_comment;
DROP TRIGGER seats_proposal;
DROP TRIGGER seats_closed;
DROP TRIGGER seats_taken;
DROP INDEX seats_of;
ALTER TABLE seats DROP COLUMN acted_at;
ALTER TABLE seats DROP COLUMN last_act;
CREATE INDEX seats_of ON seats (player, board, active, ended);
DROP INDEX boards_waiting;
CREATE INDEX boards_waiting ON boards (mover, moved_at) WHERE mover IS NOT NULL;
DROP INDEX standings_of;
CREATE INDEX standings_of ON standings (player, game, rating, deviation, volatility, wins, losses, draws);

CREATE TRIGGER seats_closed AFTER UPDATE OF ended_at, declined_at ON boards
WHEN NEW.ended_at IS NOT NULL OR NEW.declined_at IS NOT NULL
BEGIN
    UPDATE seats SET active = 0, ended = NEW.ended_at IS NOT NULL WHERE board = NEW.number;
END;
CREATE TRIGGER seats_taken AFTER INSERT ON seats
BEGIN
    UPDATE seats SET userid = (SELECT userid FROM players WHERE id = NEW.player)
        WHERE board = NEW.board AND seat = NEW.seat;
    UPDATE boards SET mover = NEW.player WHERE number = NEW.board AND to_move = NEW.seat;
END;

CREATE TRIGGER players_challenge AFTER INSERT ON boards WHEN NEW.challenger IS NOT NULL
BEGIN
    UPDATE players SET acted_at = max(coalesce(acted_at, 0), unixepoch(NEW.created_at)) WHERE id = NEW.challenger;
END;
-- What a player prepared, and what the clock or the administrator did, is nothing that they did.
CREATE TRIGGER players_entry AFTER INSERT ON moves WHEN NEW.via NOT IN (5, 6, 7)
BEGIN
    UPDATE players SET acted_at = max(coalesce(acted_at, 0), NEW.made_at)
        WHERE id = (SELECT player FROM seats WHERE board = NEW.board AND seat = NEW.seat);
END;
CREATE TRIGGER players_comment AFTER INSERT ON comments
BEGIN
    UPDATE players SET acted_at = max(coalesce(acted_at, 0), unixepoch(NEW.said_at)) WHERE id = NEW.player;
END;
CREATE TRIGGER players_proposal AFTER INSERT ON proposals
BEGIN
    UPDATE players SET acted_at = max(coalesce(acted_at, 0), unixepoch(NEW.made_at))
        WHERE id = (SELECT player FROM seats WHERE board = NEW.board AND seat = NEW.seat);
END;

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
           max(p.created_at, coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', p.acted_at, 'unixepoch'), '')) AS last_active
    FROM players p
)
ORDER BY player;

INSERT INTO migrations (version, name) VALUES (34, 'acted');
