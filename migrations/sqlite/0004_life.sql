-- Open challenges, what is arranged on a board, and clocks; and players' settings.

ALTER TABLE players ADD COLUMN mail TEXT NOT NULL DEFAULT 'text';
ALTER TABLE players ADD COLUMN rhythm TEXT NOT NULL DEFAULT 'each';
ALTER TABLE players ADD COLUMN reminders TEXT NOT NULL DEFAULT 'all';
ALTER TABLE players ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';
ALTER TABLE players ADD COLUMN weekend TEXT NOT NULL DEFAULT 'none';
-- A letter was written since the player last did something (for the rhythm 'once').
ALTER TABLE players ADD COLUMN told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1));
ALTER TABLE players ADD COLUMN signoff_code TEXT;
ALTER TABLE players ADD COLUMN signoff_at TEXT CHECK (signoff_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
    CHECK ((signoff_at IS NULL) = (signoff_code IS NULL));
ALTER TABLE players ADD COLUMN left_at TEXT CHECK (left_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z');

-- Vacations, on which a player's clocks stand still.
CREATE TABLE vacations (
    player   INTEGER NOT NULL REFERENCES players (id),
    from_at  TEXT NOT NULL CHECK (from_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    until_at TEXT NOT NULL CHECK (until_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    PRIMARY KEY (player, from_at),
    CHECK (from_at < until_at)
) STRICT, WITHOUT ROWID;

-- How many opponents and boards a player wants in a game.
CREATE TABLE wishes (
    player INTEGER NOT NULL REFERENCES players (id),
    game   TEXT NOT NULL,
    seeks  INTEGER NOT NULL DEFAULT 0 CHECK (seeks >= 0), -- opponents
    most   INTEGER CHECK (most >= 0), -- boards at a time; NULL: any
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
CREATE INDEX wishes_seeking ON wishes (game) WHERE seeks > 0;

ALTER TABLE boards ADD COLUMN rated INTEGER NOT NULL DEFAULT 0 CHECK (rated IN (0, 1));
ALTER TABLE boards ADD COLUMN private INTEGER NOT NULL DEFAULT 0 CHECK (private IN (0, 1));
-- Time limits in days of thinking time; 0: none.
ALTER TABLE boards ADD COLUMN nag_days INTEGER NOT NULL DEFAULT 0 CHECK (nag_days >= 0);
ALTER TABLE boards ADD COLUMN forfeit_days INTEGER NOT NULL DEFAULT 0 CHECK (forfeit_days >= 0);
ALTER TABLE boards ADD COLUMN total_days INTEGER NOT NULL DEFAULT 0 CHECK (total_days >= 0);
-- The clock of the player to move: since when time has been counting, seconds counted before that on this ply, reminders
-- sent on it, and when it is due next. A board that is over has no clock and no proposal.
ALTER TABLE boards ADD COLUMN clock_since TEXT CHECK (clock_since GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
    CHECK (clock_since IS NULL OR (ended_at IS NULL AND declined_at IS NULL));
ALTER TABLE boards ADD COLUMN clock_thought INTEGER NOT NULL DEFAULT 0 CHECK (clock_thought >= 0);
ALTER TABLE boards ADD COLUMN clock_reminded INTEGER NOT NULL DEFAULT 0 CHECK (clock_reminded >= 0);
ALTER TABLE boards ADD COLUMN clock_due_at TEXT CHECK (clock_due_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
    CHECK (clock_due_at IS NULL OR clock_since IS NOT NULL);
ALTER TABLE boards ADD COLUMN proposal TEXT CHECK (proposal IN ('draw', 'undo'))
    CHECK (proposal IS NULL OR (ended_at IS NULL AND declined_at IS NULL));
ALTER TABLE boards ADD COLUMN proposed_by INTEGER CHECK (proposed_by IN (1, 2))
    CHECK ((proposed_by IS NULL) = (proposal IS NULL));
CREATE INDEX boards_clock_due ON boards (clock_due_at, number) WHERE clock_due_at IS NOT NULL;
CREATE INDEX boards_challenger ON boards (challenger) WHERE ended_at IS NULL AND declined_at IS NULL;

ALTER TABLE seats ADD COLUMN used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0); -- seconds used on earlier plies
ALTER TABLE seats ADD COLUMN plan TEXT; -- conditional replies
ALTER TABLE seats ADD COLUMN submitted TEXT; -- a move to be confirmed, and the entry after which it was submitted
ALTER TABLE seats ADD COLUMN submitted_after INTEGER CHECK (submitted_after >= 0)
    CHECK ((submitted_after IS NULL) = (submitted IS NULL));
ALTER TABLE seats ADD COLUMN resigns INTEGER NOT NULL DEFAULT 0 CHECK (resigns IN (0, 1)); -- the player resigns when their turn comes

-- Open challenges. They share one sequence of numbers with boards, and the board that one becomes keeps its number.
CREATE TABLE offers (
    number       INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 4294967295),
    game         TEXT NOT NULL,
    options      TEXT NOT NULL,
    challenger   INTEGER NOT NULL REFERENCES players (id),
    seat         INTEGER NOT NULL CHECK (seat IN (1, 2)), -- the challenger's
    rated        INTEGER NOT NULL CHECK (rated IN (0, 1)),
    private      INTEGER NOT NULL CHECK (private IN (0, 1)),
    nag_days     INTEGER NOT NULL CHECK (nag_days >= 0),
    forfeit_days INTEGER NOT NULL CHECK (forfeit_days >= 0),
    total_days   INTEGER NOT NULL CHECK (total_days >= 0),
    comment      TEXT,
    created_at   TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    closed_at    TEXT CHECK (closed_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE INDEX offers_open ON offers (number) WHERE closed_at IS NULL;
CREATE INDEX offers_of ON offers (challenger) WHERE closed_at IS NULL;

-- Followers: players who are notified of a board on which they do not play, or of all boards of a game.
CREATE TABLE followers (
    id        INTEGER PRIMARY KEY,
    player    INTEGER NOT NULL REFERENCES players (id),
    board     INTEGER REFERENCES boards (number),
    game      TEXT,
    ends_only INTEGER NOT NULL CHECK (ends_only IN (0, 1)),
    CHECK ((board IS NULL) <> (game IS NULL))
) STRICT;
CREATE UNIQUE INDEX followers_of_board ON followers (board, player) WHERE board IS NOT NULL;
CREATE UNIQUE INDEX followers_of_game ON followers (game, player) WHERE game IS NOT NULL;
CREATE INDEX followers_player ON followers (player);

-- Private notes.
CREATE TABLE notes (
    board      INTEGER NOT NULL REFERENCES boards (number),
    player     INTEGER NOT NULL REFERENCES players (id),
    text       TEXT NOT NULL CHECK (text <> ''),
    written_at TEXT NOT NULL CHECK (written_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    PRIMARY KEY (board, player)
) STRICT, WITHOUT ROWID;

-- Several notices to one person become one letter. `letter` is the id of the notice that leads it, which is part of the
-- letter's Message-ID.
ALTER TABLE outbox ADD COLUMN letter INTEGER REFERENCES outbox (id);
-- Until now each notice was a letter; one that was tried keeps its Message-ID.
UPDATE outbox SET letter = id WHERE attempts > 0 OR sent_at IS NOT NULL;
-- Held until the player has done something (the rhythm 'once').
ALTER TABLE outbox ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1))
    CHECK (held = 0 OR (due_at IS NULL AND sent_at IS NULL));
CREATE INDEX outbox_letter ON outbox (letter) WHERE letter IS NOT NULL;
CREATE INDEX outbox_loose ON outbox (due_at, id) WHERE letter IS NULL AND due_at IS NOT NULL;
CREATE INDEX outbox_held ON outbox (player) WHERE held = 1;
CREATE INDEX outbox_reminders ON outbox (board, entry) WHERE kind = 'reminder';
CREATE INDEX outbox_answers ON outbox (address COLLATE NOCASE, created_at) WHERE kind = 'answer';

INSERT INTO migrations (version, name) VALUES (4, 'life');
