-- What a player was told of each board, and which boards a player wants no letters about.

-- The last letter that told a player of their turn on a board, until they do something: with the rhythm 'once', nothing
-- more about that board follows it. It takes the place of one mark for all boards.
CREATE TABLE turn_letters (
    player INTEGER NOT NULL REFERENCES players (id),
    board  INTEGER NOT NULL REFERENCES boards (number),
    entry  INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- the length of the record then
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;
ALTER TABLE players DROP COLUMN told;

-- Boards about which a player wants no letters. Reminders of their own turn and the end of the board are sent all the
-- same.
CREATE TABLE muted_boards (
    player INTEGER NOT NULL REFERENCES players (id),
    board  INTEGER NOT NULL REFERENCES boards (number),
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;

-- When the notices of a letter were bound to it, which is when it was first to be sent: the letter's date. NULL before
-- that, and in letters of older versions.
ALTER TABLE outbox ADD COLUMN bound_at TEXT CHECK (bound_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z');

INSERT INTO migrations (version, name) VALUES (14, 'turn_letters');
