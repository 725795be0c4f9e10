-- For players' programs: the sequence of changes, tokens and webhooks.

-- The boards in the order of their last changes: one row for each, replaced so that `seq` grows with every change that
-- the board's page shows. `board` may be the number of an open challenge. A board that has not changed since this table
-- was made has no row.
CREATE TABLE changes (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: programs continue after the last one they have seen
    board INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TRIGGER changes_board_made AFTER INSERT ON boards
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;

-- Whose turn it is and how it ended change with an entry of the record.
CREATE TRIGGER changes_entry AFTER UPDATE OF entries ON boards
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;

CREATE TRIGGER changes_arranged AFTER UPDATE OF declined_at, proposal, clock_since, clock_thought, clock_due_at ON boards
WHEN NEW.declined_at IS NOT OLD.declined_at OR NEW.proposal IS NOT OLD.proposal
    OR NEW.clock_since IS NOT OLD.clock_since OR NEW.clock_thought IS NOT OLD.clock_thought
    OR NEW.clock_due_at IS NOT OLD.clock_due_at
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;

CREATE TRIGGER changes_comment AFTER INSERT ON comments
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;

CREATE TRIGGER changes_offer_made AFTER INSERT ON offers
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;

CREATE TRIGGER changes_offer_closed AFTER UPDATE OF closed_at ON offers
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;

-- What a player's programs show in place of a password. The token itself is stored nowhere.
CREATE TABLE tokens (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of its text
    player     INTEGER NOT NULL REFERENCES players (id),
    label      TEXT NOT NULL CHECK (label <> ''),
    created_at TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    used_at    TEXT CHECK (used_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_of ON tokens (player, created_at);

-- Webhooks: the addresses at which players' programs are called when it is their player's turn.
CREATE TABLE hooks (
    player     INTEGER PRIMARY KEY REFERENCES players (id),
    url        TEXT NOT NULL CHECK (url <> ''),
    secret     TEXT NOT NULL CHECK (secret <> ''), -- the key that signs what is sent
    created_at TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    failures   INTEGER NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 4294967295), -- in a row
    paused_at  TEXT CHECK (paused_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    paused_why TEXT,
    CHECK ((paused_why IS NULL) = (paused_at IS NULL))
) STRICT;

-- Calls that wait to be made to webhooks. A call that was made, or has failed for too long, is removed.
CREATE TABLE calls (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: the program recognizes a second copy by it
    player     INTEGER NOT NULL REFERENCES hooks (player) ON DELETE CASCADE,
    board      INTEGER NOT NULL REFERENCES boards (number),
    entry      INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- the length of the record then
    created_at TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    attempts   INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at     TEXT NOT NULL CHECK (due_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE INDEX calls_due ON calls (due_at, id);
CREATE INDEX calls_of ON calls (player);

INSERT INTO migrations (version, name) VALUES (10, 'programs');
