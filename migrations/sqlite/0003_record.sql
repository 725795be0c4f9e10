-- The record of a board holds more than moves: an undo, or an end outside the rules of the game, is an entry too, and is
-- chained like a move. Entries have numbers of their own; `ply` is the number of moves that stand after the entry.

DROP VIEW games;
DROP VIEW game_moves;
DROP VIEW waiting;
DROP VIEW undelivered_mail;

ALTER TABLE boards ADD COLUMN entries INTEGER NOT NULL DEFAULT 0 CHECK (entries BETWEEN 0 AND 4294967295);
UPDATE boards SET entries = plies;

CREATE TABLE entries (
    board         INTEGER NOT NULL REFERENCES boards (number),
    entry         INTEGER NOT NULL CHECK (entry BETWEEN 1 AND 4294967295),
    kind          TEXT NOT NULL CHECK (kind IN ('move', 'undo', 'resign', 'draw', 'forfeit', 'adjudge')),
    ply           INTEGER NOT NULL CHECK (ply BETWEEN 0 AND 4294967295),
    seat          INTEGER CHECK (seat IN (1, 2)), -- NULL: the administrator's entry
    text          TEXT NOT NULL CHECK (text <> ''),
    made_at       TEXT NOT NULL CHECK (made_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    via           TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash          TEXT NOT NULL CHECK (hash <> previous_hash),
    PRIMARY KEY (board, entry),
    CHECK ((seat IS NULL) = (kind = 'adjudge'))
) STRICT, WITHOUT ROWID;
INSERT INTO entries SELECT board, ply, 'move', ply, seat, text, made_at, via, previous_hash, hash FROM moves;
DROP TABLE moves;
ALTER TABLE entries RENAME TO moves;

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
        FROM boards WHERE number = NEW.board AND NEW.kind = 'move' AND NEW.ply <> plies + 1;
    SELECT RAISE(ABORT, 'an undo must go back')
        FROM boards WHERE number = NEW.board AND NEW.kind = 'undo' AND NEW.ply >= plies;
    SELECT RAISE(ABORT, 'an end is no ply')
        FROM boards WHERE number = NEW.board AND NEW.kind NOT IN ('move', 'undo') AND NEW.ply <> plies;
    SELECT RAISE(ABORT, 'a move must be made by the player whose turn it is')
        FROM boards WHERE number = NEW.board AND NEW.kind = 'move' AND NEW.seat IS NOT to_move;
    SELECT RAISE(ABORT, 'a move must be chained to the hash of the move before it')
        FROM boards WHERE number = NEW.board AND NEW.previous_hash <> head;
END;

CREATE TRIGGER moves_count AFTER INSERT ON moves
BEGIN
    UPDATE boards SET entries = NEW.entry, plies = NEW.ply, head = NEW.hash, moved_at = NEW.made_at
        WHERE number = NEW.board;
END;

-- Comments and notices refer to an entry, not to a ply: after an undo, the same ply is played again.
ALTER TABLE comments RENAME COLUMN ply TO entry;
ALTER TABLE outbox RENAME COLUMN ply TO entry;

INSERT INTO migrations (version, name) VALUES (3, 'record');
