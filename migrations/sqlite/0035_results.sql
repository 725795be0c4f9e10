-- What a player's page tells of boards that are over stands together: each board, each opponent and each rating is on another
-- page of the file, so that asking these took longer the more boards there were. A turn changes none of it.
CREATE TABLE results (
    player    INTEGER NOT NULL,
    board     INTEGER NOT NULL,
    game      TEXT NOT NULL,
    opponent  INTEGER NOT NULL, -- another player: a board against oneself has no result
    userid    TEXT NOT NULL COLLATE NOCASE, -- the opponent's
    score     INTEGER NOT NULL CHECK (score IN (-1, 0, 1)), -- lost, drawn, won
    private   INTEGER NOT NULL,
    -- Of a board that was rated: its place among these, when it ended, in seconds since 1970 began, and the player's rating then.
    rated_as  INTEGER,
    ended_at  INTEGER,
    rating    REAL,
    deviation REAL,
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;

INSERT INTO results
    SELECT s.player, b.number, b.game, o.player, o.userid,
           CASE b.winner WHEN s.seat THEN 1 WHEN o.seat THEN -1 ELSE 0 END, b.private,
           b.rated_as, iif(b.rated_as IS NULL, NULL, unixepoch(b.ended_at)), c.rating_after, c.deviation_after
    FROM seats s
    JOIN boards b ON b.number = s.board AND b.ended_at IS NOT NULL
    JOIN seats o ON o.board = s.board AND o.seat = 3 - s.seat AND o.player <> s.player
    LEFT JOIN rating_changes c ON c.board = s.board AND c.seat = s.seat
    ORDER BY s.player, b.number;

CREATE TRIGGER results_new AFTER UPDATE OF ended_at ON boards WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL
BEGIN
    INSERT INTO results (player, board, game, opponent, userid, score, private)
        SELECT s.player, NEW.number, NEW.game, o.player, o.userid,
               CASE NEW.winner WHEN s.seat THEN 1 WHEN o.seat THEN -1 ELSE 0 END, NEW.private
        FROM seats s JOIN seats o ON o.board = s.board AND o.seat = 3 - s.seat AND o.player <> s.player
        WHERE s.board = NEW.number;
END;
CREATE TRIGGER results_rated AFTER INSERT ON rating_changes
BEGIN
    UPDATE results SET
        rated_as = b.rated_as, ended_at = unixepoch(b.ended_at), rating = NEW.rating_after, deviation = NEW.deviation_after
        FROM boards b JOIN seats s ON s.board = b.number AND s.seat = NEW.seat
        WHERE b.number = NEW.board AND results.player = s.player AND results.board = NEW.board;
END;
CREATE TRIGGER results_renamed AFTER UPDATE OF userid ON players
BEGIN
    UPDATE results SET userid = NEW.userid
        WHERE (player, board) IN (SELECT opponent, board FROM results WHERE player = NEW.id);
END;

INSERT INTO migrations (version, name) VALUES (35, 'results');
