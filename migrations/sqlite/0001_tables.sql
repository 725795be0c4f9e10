-- The tables. Times are TEXT in UTC, `2026-11-21T14:20:33Z`, so that they sort as they read.
-- Every migration ends by adding its row to `migrations`: when two programs upgrade one file at the same moment, the
-- second fails on that key, rolls back and finds the work done, whatever its other statements would allow.

CREATE TABLE migrations (
    version INTEGER PRIMARY KEY CHECK (version > 0),
    name    TEXT NOT NULL
) STRICT;

CREATE TABLE server (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    server_id TEXT NOT NULL CHECK (server_id <> '')
) STRICT;
-- The program that runs this migration adds the row, with a random server_id.

CREATE TABLE players (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    userid        TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (userid <> ''),
    password_hash TEXT NOT NULL,
    created_at    TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;

CREATE TABLE addresses (
    id           INTEGER PRIMARY KEY,
    player       INTEGER NOT NULL REFERENCES players (id),
    address      TEXT NOT NULL COLLATE NOCASE CHECK (address <> ''),
    code         TEXT, -- what its owner must send back; NULL once confirmed
    added_at     TEXT NOT NULL CHECK (added_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    confirmed_at TEXT CHECK (confirmed_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    UNIQUE (player, address),
    CHECK ((code IS NULL) = (confirmed_at IS NOT NULL))
) STRICT;
-- Several players may claim an address; only one can have confirmed it.
CREATE UNIQUE INDEX addresses_confirmed ON addresses (address) WHERE confirmed_at IS NOT NULL;

CREATE TABLE wrong_passwords (
    userid   TEXT NOT NULL COLLATE NOCASE, -- as typed; there may be no such player
    given_at TEXT NOT NULL CHECK (given_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE INDEX wrong_passwords_of ON wrong_passwords (userid, given_at);
CREATE INDEX wrong_passwords_old ON wrong_passwords (given_at);

CREATE TABLE boards (
    number      INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number BETWEEN 1 AND 4294967295),
    game        TEXT NOT NULL,
    options     TEXT NOT NULL,
    challenger  INTEGER REFERENCES players (id), -- NULL: the administrator's shell
    to_move     INTEGER CHECK (to_move IN (1, 2)),
    plies       INTEGER NOT NULL DEFAULT 0 CHECK (plies BETWEEN 0 AND 4294967295),
    genesis     TEXT NOT NULL,
    head        TEXT NOT NULL,
    created_at  TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    moved_at    TEXT NOT NULL CHECK (moved_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    winner      INTEGER CHECK (winner IN (1, 2)), -- NULL with ended_at: a draw
    reason      TEXT,
    ended_at    TEXT CHECK (ended_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    declined_by INTEGER REFERENCES players (id),
    declined_at TEXT CHECK (declined_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    CHECK ((reason IS NULL) = (ended_at IS NULL)),
    CHECK (winner IS NULL OR ended_at IS NOT NULL),
    CHECK ((declined_by IS NULL) = (declined_at IS NULL)),
    CHECK (ended_at IS NULL OR declined_at IS NULL),
    CHECK ((ended_at IS NULL AND declined_at IS NULL) OR to_move IS NULL)
) STRICT;
CREATE INDEX boards_active ON boards (number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_of_game ON boards (game, number);

CREATE TABLE seats (
    board  INTEGER NOT NULL REFERENCES boards (number),
    seat   INTEGER NOT NULL CHECK (seat IN (1, 2)),
    player INTEGER NOT NULL REFERENCES players (id),
    PRIMARY KEY (board, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_of ON seats (player, board);

CREATE TABLE moves (
    board         INTEGER NOT NULL REFERENCES boards (number),
    ply           INTEGER NOT NULL CHECK (ply BETWEEN 1 AND 4294967295),
    seat          INTEGER NOT NULL CHECK (seat IN (1, 2)),
    text          TEXT NOT NULL CHECK (text <> ''),
    made_at       TEXT NOT NULL CHECK (made_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    via           TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash          TEXT NOT NULL CHECK (hash <> previous_hash),
    PRIMARY KEY (board, ply)
) STRICT, WITHOUT ROWID;

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
    SELECT RAISE(ABORT, 'a move must be the next ply of its board')
        FROM boards WHERE number = NEW.board AND NEW.ply <> plies + 1;
    SELECT RAISE(ABORT, 'a move must be made by the player whose turn it is')
        FROM boards WHERE number = NEW.board AND NEW.seat IS NOT to_move;
    SELECT RAISE(ABORT, 'a move must be chained to the hash of the move before it')
        FROM boards WHERE number = NEW.board AND NEW.previous_hash <> head;
END;

CREATE TRIGGER moves_count AFTER INSERT ON moves
BEGIN
    UPDATE boards SET plies = NEW.ply, head = NEW.hash, moved_at = NEW.made_at WHERE number = NEW.board;
END;

CREATE TABLE comments (
    id      INTEGER PRIMARY KEY,
    board   INTEGER NOT NULL REFERENCES boards (number),
    ply     INTEGER NOT NULL CHECK (ply BETWEEN 0 AND 4294967295), -- 0: with the challenge
    player  INTEGER NOT NULL REFERENCES players (id),
    text    TEXT NOT NULL,
    said_at TEXT NOT NULL CHECK (said_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE INDEX comments_on ON comments (board, id);

CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at TEXT NOT NULL CHECK (received_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    via         TEXT NOT NULL,
    truncated   INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    verdict     TEXT CHECK (verdict IN ('done', 'refused', 'repeated', 'ignored', 'poison')), -- NULL: it waits
    sender      TEXT,
    identity    TEXT,
    commands    TEXT,
    reason      TEXT,
    closed_at   TEXT CHECK (closed_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    raw         BLOB, -- last, because it is long; erased when the mail is closed, because it may hold a password
    CHECK ((verdict IS NULL) = (closed_at IS NULL)),
    CHECK ((verdict IS NULL) = (raw IS NOT NULL))
) STRICT;
CREATE INDEX inbox_waiting ON inbox (id) WHERE verdict IS NULL;
-- Second copies keep their identity, and do not count.
CREATE UNIQUE INDEX inbox_identity ON inbox (identity) WHERE identity IS NOT NULL AND verdict <> 'repeated';

CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: it is part of the Message-ID
    player      INTEGER REFERENCES players (id),
    address     TEXT, -- the one address, when it does not go to all of the player's
    kind        TEXT NOT NULL,
    board       INTEGER REFERENCES boards (number),
    ply         INTEGER CHECK (ply BETWEEN 0 AND 4294967295),
    facts       TEXT NOT NULL,
    in_reply_to TEXT,
    domain      TEXT NOT NULL,
    created_at  TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at      TEXT CHECK (due_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    sent_at     TEXT CHECK (sent_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    error       TEXT,
    CHECK (sent_at IS NULL OR due_at IS NULL),
    CHECK (player IS NOT NULL OR address IS NOT NULL)
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_undelivered ON outbox (id) WHERE sent_at IS NULL;

INSERT INTO migrations (version, name) VALUES (1, 'tables');
