-- What is asked of each of a player's boards that are over stands at their seats, so that neither the boards nor their
-- records are read for it. A turn changes none of it.
ALTER TABLE seats ADD COLUMN active boolean NOT NULL DEFAULT true;
ALTER TABLE seats ADD COLUMN ended boolean NOT NULL DEFAULT false CHECK (NOT (active AND ended));
ALTER TABLE seats ADD COLUMN acted_at bigint CHECK (acted_at IS NULL OR NOT active);
COMMENT ON COLUMN seats.active IS 'The board is in progress';
COMMENT ON COLUMN seats.ended IS 'false without active: the board was declined';
COMMENT ON COLUMN seats.acted_at IS 'When the player last did something at a board that is over, in seconds since 1970 began';

CREATE FUNCTION seconds_of(text) RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT extract(epoch FROM $1::timestamptz)::bigint $$;

-- When the player of a seat last did something at the board, by its row, its record, comments and proposals. What they
-- prepared, and what the clock or the administrator did, is nothing that they did.
CREATE FUNCTION last_act(seats) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT greatest(
        (SELECT seconds_of(b.created_at) FROM boards b WHERE b.number = $1.board AND b.challenger = $1.player),
        (SELECT m.made_at FROM moves m WHERE m.board = $1.board AND m.seat = $1.seat AND m.via NOT IN (5, 6, 7)
         ORDER BY m.entry DESC LIMIT 1),
        (SELECT seconds_of(max(c.said_at)) FROM comments c WHERE c.board = $1.board AND c.player = $1.player),
        (SELECT seconds_of(max(r.made_at)) FROM proposals r WHERE r.board = $1.board AND r.seat = $1.seat))
$$;

UPDATE seats s SET active = false, ended = b.ended_at IS NOT NULL, acted_at = last_act(s)
    FROM boards b WHERE b.number = s.board AND (b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL);
CREATE INDEX seats_active ON seats (player, board) WHERE active;

-- Boards that are over stay so.
CREATE FUNCTION seats_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE seats s SET active = false, ended = NEW.ended_at IS NOT NULL, acted_at = last_act(s) WHERE board = NEW.number;
    RETURN NULL;
END $$;
CREATE TRIGGER seats_closed AFTER UPDATE OF ended_at, declined_at ON boards
    FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL OR NEW.declined_at IS NOT NULL) EXECUTE FUNCTION seats_closed();

CREATE FUNCTION seats_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE seats SET acted_at = greatest(acted_at, seconds_of(NEW.said_at))
        WHERE board = NEW.board AND player = NEW.player AND NOT active;
    RETURN NULL;
END $$;
CREATE TRIGGER seats_comment AFTER INSERT ON comments FOR EACH ROW EXECUTE FUNCTION seats_comment();

-- An import brings the proposals of a board that is over.
CREATE FUNCTION seats_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE seats SET acted_at = greatest(acted_at, seconds_of(NEW.made_at))
        WHERE board = NEW.board AND seat = NEW.seat AND NOT active;
    RETURN NULL;
END $$;
CREATE TRIGGER seats_proposal AFTER INSERT ON proposals FOR EACH ROW EXECUTE FUNCTION seats_proposal();

CREATE OR REPLACE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       trunc(days_since(last_active))::bigint AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.active) AS boards,
           (SELECT count(*) FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id AND s.active) AS their_turn,
           (SELECT trunc(days_since(min(b.moved_at)))::bigint
            FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id AND s.active) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.ended) AS finished,
           greatest(p.created_at,
               (SELECT time_text(max(s.acted_at)) FROM seats s WHERE s.player = p.id),
               (SELECT time_text(max(last_act(s))) FROM seats s WHERE s.player = p.id AND s.active)) AS last_active
    FROM players p
) a
ORDER BY lower(userid);

INSERT INTO migrations (version, name, usable_from) VALUES (9, 'seats', 7);
