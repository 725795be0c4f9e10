-- The tables of a turnpost server in SQLite. Times are in UTC, for example 2026-03-01T12:00:00Z. Statements of the
-- program use the indexes on lower() to ignore case; columns with NOCASE let administrators ignore case when they query
-- the views. migrations/postgres has the same tables, and migrations/views.sql the views. In PostgreSQL, the program
-- adds the comments of this file to the tables and columns.

PRAGMA application_id = 1953854062; -- `turn` in ASCII

-- The server

-- This server: one row.
CREATE TABLE server (
    one             INTEGER PRIMARY KEY CHECK (one = 1),
    server_id       TEXT NOT NULL CHECK (server_id <> ''), -- Random digits in every reply token and Message-ID
    reply_key       BLOB NOT NULL CHECK (length(reply_key) = 32), -- Signs reply tokens and links
    letters_held_at TEXT CHECK (letters_held_at LIKE '____-__-__T__:__:__Z'), -- When the administrator paused all letters; NULL: letters are not paused
    moved_to        TEXT, -- The database to which the server has moved; this database is then no longer used
    clocks_seen_at  TEXT CHECK (clocks_seen_at LIKE '____-__-__T__:__:__Z') -- When a server last recorded that it was running, to the hour
) STRICT;

-- The migrations applied to this database.
CREATE TABLE migrations (
    version INTEGER PRIMARY KEY CHECK (version > 0),
    name    TEXT NOT NULL
) STRICT;

-- Tasks that only one node at a time performs, and the node that performs them.
CREATE TABLE leases (
    work       TEXT PRIMARY KEY CHECK (work <> ''),
    node       TEXT NOT NULL CHECK (node <> ''),
    -- The time from which another node may take the task, unless its node renews the lease.
    expires_at TEXT NOT NULL CHECK (expires_at LIKE '____-__-__T__:__:__Z')
) STRICT, WITHOUT ROWID;

-- Players

-- People and computer players.
CREATE TABLE players (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    userid           TEXT COLLATE NOCASE NOT NULL CHECK (userid <> ''),
    password_hash    TEXT NOT NULL, -- Argon2; empty after the player has left
    created_at       TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    left_at          TEXT CHECK (left_at LIKE '____-__-__T__:__:__Z'),
    blocked_at       TEXT CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    -- When letters became deliverable again; a forfeit needs a later reminder.
    back_in_reach_at TEXT CHECK (back_in_reach_at LIKE '____-__-__T__:__:__Z'),
    signoff_code     TEXT, -- The code that confirms a signoff
    signoff_at       TEXT CHECK (signoff_at LIKE '____-__-__T__:__:__Z') CHECK ((signoff_at IS NULL) = (signoff_code IS NULL)),
    settings         TEXT NOT NULL DEFAULT '' -- Settings that differ from the defaults, as in the command `set`: mail=text zone=Asia/Tokyo
) STRICT;
CREATE UNIQUE INDEX players_userid ON players (lower(userid));

-- Players' addresses.
CREATE TABLE addresses (
    id           INTEGER PRIMARY KEY,
    player       INTEGER NOT NULL REFERENCES players (id),
    address      TEXT COLLATE NOCASE NOT NULL CHECK (address <> ''),
    code         TEXT, -- The code that the owner must send back; NULL once the address is confirmed
    added_at     TEXT NOT NULL CHECK (added_at LIKE '____-__-__T__:__:__Z'),
    confirmed_at TEXT CHECK (confirmed_at LIKE '____-__-__T__:__:__Z'),
    paused_at    TEXT CHECK (paused_at LIKE '____-__-__T__:__:__Z'), -- When letters to the address were paused
    paused_why   TEXT CHECK ((paused_why IS NULL) = (paused_at IS NULL)),
    replaced     INTEGER NOT NULL DEFAULT false CHECK (replaced IN (0, 1)), -- Whether the address is removed once a new one is confirmed
    CHECK ((code IS NULL) = (confirmed_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX addresses_of ON addresses (player, lower(address));
CREATE UNIQUE INDEX addresses_confirmed ON addresses (lower(address)) WHERE confirmed_at IS NOT NULL;
CREATE INDEX addresses_unconfirmed ON addresses (added_at) WHERE confirmed_at IS NULL;

-- Addresses of players who left. An address is erased when its pending letters and messages have been processed.
CREATE TABLE departed_addresses (
    address TEXT NOT NULL CHECK (address <> ''),
    left_at TEXT NOT NULL CHECK (left_at LIKE '____-__-__T__:__:__Z')
) STRICT;
CREATE UNIQUE INDEX departed_addresses_address ON departed_addresses (lower(address));

-- Sessions of browsers.
CREATE TABLE sessions (
    hash     BLOB PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of the cookie
    player   INTEGER NOT NULL REFERENCES players (id),
    begun_at TEXT NOT NULL CHECK (begun_at LIKE '____-__-__T__:__:__Z')
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of ON sessions (player);
CREATE INDEX sessions_old ON sessions (begun_at);

-- Players who logged in with the same browser.
CREATE TABLE browsers (
    hash    BLOB NOT NULL CHECK (length(hash) = 32), -- SHA-256 of the browser's cookie
    player  INTEGER NOT NULL REFERENCES players (id),
    used_at TEXT NOT NULL CHECK (used_at LIKE '____-__-__T__:__:__Z'), -- The player's last login with this browser
    PRIMARY KEY (hash, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX browsers_player ON browsers (player);

-- One-time links that log in or set a password.
CREATE TABLE login_links (
    id       INTEGER PRIMARY KEY AUTOINCREMENT, -- Never reused, because the link contains only this number, signed
    player   INTEGER NOT NULL REFERENCES players (id),
    asked_at TEXT NOT NULL CHECK (asked_at LIKE '____-__-__T__:__:__Z'),
    used     INTEGER NOT NULL DEFAULT false CHECK (used IN (0, 1)),
    purpose  TEXT NOT NULL DEFAULT 'login' CHECK (purpose IN ('login', 'password'))
) STRICT;
CREATE INDEX login_links_of ON login_links (player, asked_at);
CREATE INDEX login_links_old ON login_links (asked_at);

-- Access tokens of the API.
CREATE TABLE tokens (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of the token
    player     INTEGER NOT NULL REFERENCES players (id),
    label      TEXT NOT NULL CHECK (label <> ''),
    created_at TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    used_at    TEXT CHECK (used_at LIKE '____-__-__T__:__:__Z')
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_of ON tokens (player, created_at);

-- Vacations, during which a player's clocks stop.
CREATE TABLE vacations (
    player   INTEGER NOT NULL REFERENCES players (id),
    from_at  TEXT NOT NULL CHECK (from_at LIKE '____-__-__T__:__:__Z'),
    until_at TEXT NOT NULL CHECK (until_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (player, from_at),
    CHECK (from_at < until_at)
) STRICT, WITHOUT ROWID;

-- Players whom a player has blocked.
CREATE TABLE blocks (
    player     INTEGER NOT NULL REFERENCES players (id),
    blocked    INTEGER NOT NULL REFERENCES players (id),
    blocked_at TEXT NOT NULL CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (player, blocked),
    CHECK (player <> blocked)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_blocked ON blocks (blocked);

-- The private addresses of players' calendars.
CREATE TABLE calendars (
    player INTEGER PRIMARY KEY REFERENCES players (id),
    number INTEGER NOT NULL UNIQUE CHECK (number BETWEEN 0 AND 4294967295) -- A random number; the address contains it, signed
) STRICT;

-- How many opponents and boards each player wants in each game.
CREATE TABLE preferences (
    player INTEGER NOT NULL REFERENCES players (id),
    game   TEXT NOT NULL,
    seeks  INTEGER NOT NULL DEFAULT 0 CHECK (seeks >= 0), -- The number of opponents wanted
    most   INTEGER CHECK (most >= 0), -- The maximum number of boards at a time; NULL: unlimited
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
CREATE INDEX preferences_seeking ON preferences (game) WHERE seeks > 0;

-- The log of acts: decisions of administrators, and changes that players made to their accounts. Contains no secrets.
CREATE TABLE acts (
    id        INTEGER PRIMARY KEY,
    done_at   TEXT NOT NULL CHECK (done_at LIKE '____-__-__T__:__:__Z'),
    by_player INTEGER REFERENCES players (id), -- NULL: a user of the server's shell
    by_user   TEXT, -- The account name of the user of the shell
    act       TEXT NOT NULL,
    board     INTEGER,
    player    INTEGER REFERENCES players (id), -- The affected player
    detail    TEXT NOT NULL,
    reason    TEXT NOT NULL,
    CHECK ((by_player IS NULL) <> (by_user IS NULL))
) STRICT;

-- Boards

-- Open challenges, including accepted and withdrawn ones. They share their numbers with boards.
CREATE TABLE challenges (
    number     INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 4294967295),
    game       TEXT NOT NULL,
    options    TEXT NOT NULL,
    terms      TEXT NOT NULL, -- The terms of the board
    rated      INTEGER NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --unrated ') = 0) STORED,
    private    INTEGER NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --private ') > 0) STORED,
    challenger INTEGER NOT NULL REFERENCES players (id),
    seat       INTEGER NOT NULL CHECK (seat IN (1, 2)), -- The seat of the challenger
    comment    TEXT,
    created_at TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    closed_at  TEXT CHECK (closed_at LIKE '____-__-__T__:__:__Z')
) STRICT;
CREATE INDEX challenges_open ON challenges (number) WHERE closed_at IS NULL;
CREATE INDEX challenges_of ON challenges (challenger) WHERE closed_at IS NULL;

-- Boards: games in progress, finished or declined.
CREATE TABLE boards (
    number         INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number BETWEEN 1 AND 4294967295),
    game           TEXT NOT NULL,
    options        TEXT NOT NULL,
    terms          TEXT NOT NULL, -- The terms with all time limits, including defaults: --nagtime=7 --forfeittime=21 --totaltime=0 --unrated --private
    rated          INTEGER NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --unrated ') = 0) STORED,
    private        INTEGER NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --private ') > 0) STORED,
    challenger     INTEGER REFERENCES players (id), -- NULL: an administrator created the board in the shell
    rematch_of     INTEGER, -- The board that this rematch follows; an import may lack that board
    created_at     TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    moved_at       TEXT NOT NULL CHECK (moved_at LIKE '____-__-__T__:__:__Z'), -- The time of the last entry; before the first entry, the time of the challenge
    entries        INTEGER NOT NULL DEFAULT 0 CHECK (entries BETWEEN 0 AND 4294967295), -- The length of the record
    plies          INTEGER NOT NULL DEFAULT 0 CHECK (plies BETWEEN 0 AND 4294967295), -- The number of moves, without undone moves
    genesis        TEXT NOT NULL, -- The initial hash, from which the hash of the first entry is computed
    head           TEXT NOT NULL, -- The hash of the last entry; before the first entry, the initial hash
    to_move        INTEGER CHECK (to_move IN (1, 2)),
    player_to_move INTEGER, -- The player in the seat to move
    rated_as       INTEGER CHECK (rated_as >= 1), -- The position in the list of all rated boards, ordered by their ends; the first has 1
    clock_since    TEXT CHECK (clock_since LIKE '____-__-__T__:__:__Z'), -- When the clock last started; NULL: it is stopped
    clock_thought  INTEGER NOT NULL DEFAULT 0 CHECK (clock_thought >= 0), -- Seconds used for this ply before clock_since
    clock_given    INTEGER NOT NULL DEFAULT 0 CHECK (clock_given >= 0), -- Extra seconds for this ply
    clock_reminded INTEGER NOT NULL DEFAULT 0 CHECK (clock_reminded >= 0), -- The number of reminders sent for this ply
    -- When the server must next act on the clock.
    clock_due_at   TEXT CHECK (clock_due_at LIKE '____-__-__T__:__:__Z') CHECK (clock_due_at IS NULL OR clock_since IS NOT NULL),
    proposal       TEXT CHECK (proposal IN ('draw', 'undo', 'abandon')), -- The open proposal
    proposed_by    INTEGER CHECK (proposed_by IN (1, 2)) CHECK ((proposed_by IS NULL) = (proposal IS NULL)),
    winner         INTEGER CHECK (winner IN (1, 2)), -- NULL if the board is in progress, or ended without a winner
    reason         TEXT, -- The reason for the end of the game
    ended_at       TEXT CHECK (ended_at LIKE '____-__-__T__:__:__Z'),
    no_result      TEXT CHECK (no_result IN ('declined', 'expired', 'void', 'abandoned')), -- Why the board ended without a result
    declined_by    INTEGER REFERENCES players (id),
    declined_at    TEXT CHECK (declined_at LIKE '____-__-__T__:__:__Z'),
    CHECK ((reason IS NULL) = (ended_at IS NULL)),
    CHECK (winner IS NULL OR ended_at IS NOT NULL),
    CHECK (rated_as IS NULL OR (rated AND ended_at IS NOT NULL)),
    CHECK (declined_by IS NULL OR declined_at IS NOT NULL),
    CHECK (ended_at IS NULL OR declined_at IS NULL),
    CHECK ((ended_at IS NULL AND declined_at IS NULL) OR (to_move IS NULL AND clock_since IS NULL AND proposal IS NULL))
) STRICT;
CREATE INDEX boards_active ON boards (number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_of_game ON boards (game, number);
CREATE INDEX boards_of_game_active ON boards (game, number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_of_game_over ON boards (game, number) WHERE ended_at IS NOT NULL;
CREATE INDEX boards_challenger ON boards (challenger) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_rematch_of ON boards (rematch_of) WHERE rematch_of IS NOT NULL;
CREATE INDEX boards_waiting ON boards (player_to_move, moved_at) WHERE player_to_move IS NOT NULL;
CREATE INDEX boards_proposals ON boards (proposed_by) WHERE proposal IS NOT NULL;
CREATE INDEX boards_clock_due ON boards (clock_due_at, number) WHERE clock_due_at IS NOT NULL;
CREATE UNIQUE INDEX boards_rated_as ON boards (rated_as) WHERE rated_as IS NOT NULL;

-- The two sides of each board.
CREATE TABLE seats (
    board           INTEGER NOT NULL REFERENCES boards (number),
    seat            INTEGER NOT NULL CHECK (seat IN (1, 2)),
    player          INTEGER NOT NULL REFERENCES players (id),
    used            INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0), -- Seconds of thinking time in earlier turns
    credit          INTEGER NOT NULL DEFAULT 0 CHECK (credit >= 0), -- Seconds that a Fischer clock has added
    plan            TEXT, -- The replies that the player has prepared
    submitted       TEXT, -- A submitted move that the player has not confirmed
    submitted_after INTEGER CHECK (submitted_after >= 0), -- The length of the record when the move was submitted
    resigns         INTEGER NOT NULL DEFAULT false CHECK (resigns IN (0, 1)), -- The player resigns on their next turn; only earlier versions set this
    began_as        TEXT, -- The player's userid at the start of the board, if it has changed since; empty: the player was removed
    active          INTEGER NOT NULL DEFAULT true CHECK (active IN (0, 1)), -- The board is in progress
    ended           INTEGER NOT NULL DEFAULT false CHECK (ended IN (0, 1)), -- The board has ended; a declined board is neither active nor ended
    PRIMARY KEY (board, seat),
    CHECK ((submitted_after IS NULL) = (submitted IS NULL)),
    CHECK (NOT (active AND ended))
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_of ON seats (player, board, active, ended);
CREATE INDEX seats_active ON seats (player, board, active) WHERE active;

-- The kinds of entries.
CREATE TABLE entry_kinds (
    code INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO entry_kinds (code, word) VALUES (0, 'move'), (1, 'undo'), (2, 'resign'), (3, 'draw'), (4, 'forfeit'),
    (5, 'adjudge'), (6, 'reopen'), (7, 'void'), (8, 'abandon');

-- The channels of entries.
CREATE TABLE entry_channels (
    code INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO entry_channels (code, word) VALUES (0, 'mail'), (1, 'web'), (2, 'api'), (3, 'shell'), (4, 'visitor'),
    (5, 'plan'), (6, 'clock'), (7, 'administrator'), (8, 'robot');

-- The records of the boards: moves, undos and ends. The view `record` shows words instead of codes.
CREATE TABLE entries (
    board   INTEGER NOT NULL REFERENCES boards (number),
    entry   INTEGER NOT NULL CHECK (entry BETWEEN 1 AND 4294967295),
    kind    INTEGER NOT NULL REFERENCES entry_kinds (code),
    ply     INTEGER NOT NULL CHECK (ply BETWEEN 0 AND 4294967295), -- The number of plies after the entry
    seat    INTEGER CHECK (seat IN (1, 2)), -- NULL: an entry of the administrator
    text    TEXT NOT NULL CHECK (text <> ''),
    made_at INTEGER NOT NULL CHECK (made_at BETWEEN -62167219200 AND 253402300799), -- Seconds since 1970, which need 4 bytes instead of 20
    via     INTEGER NOT NULL REFERENCES entry_channels (code),
    hash    BLOB NOT NULL CHECK (length(hash) = 32), -- SHA-256 of the previous hash, the ply and the text
    PRIMARY KEY (board, entry),
    CHECK ((seat IS NULL) = (kind IN (5, 6, 7)))
) STRICT, WITHOUT ROWID;

-- Comments that both players of a board can read.
CREATE TABLE comments (
    id      INTEGER PRIMARY KEY,
    board   INTEGER NOT NULL REFERENCES boards (number),
    entry   INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- The length of the record when the comment was added; 0: a comment on the challenge
    player  INTEGER NOT NULL REFERENCES players (id),
    text    TEXT NOT NULL,
    said_at TEXT NOT NULL CHECK (said_at LIKE '____-__-__T__:__:__Z')
) STRICT;
CREATE INDEX comments_on ON comments (board, id);
CREATE INDEX comments_by ON comments (player, said_at);

-- Private notes of players.
CREATE TABLE notes (
    board      INTEGER NOT NULL REFERENCES boards (number),
    player     INTEGER NOT NULL REFERENCES players (id),
    text       TEXT NOT NULL CHECK (text <> ''),
    written_at TEXT NOT NULL CHECK (written_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (board, player)
) STRICT, WITHOUT ROWID;

-- Proposals to draw, undo or abandon.
CREATE TABLE proposals (
    id          INTEGER PRIMARY KEY,
    board       INTEGER NOT NULL REFERENCES boards (number),
    entry       INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- The length of the record when the proposal was made
    seat        INTEGER NOT NULL CHECK (seat IN (1, 2)), -- The seat of the proposer
    kind        TEXT NOT NULL CHECK (kind IN ('draw', 'undo', 'abandon')),
    via         TEXT NOT NULL,
    made_at     TEXT NOT NULL CHECK (made_at LIKE '____-__-__T__:__:__Z'),
    answer      TEXT CHECK (answer IN ('accepted', 'rejected', 'withdrawn')),
    answered_at TEXT CHECK (answered_at LIKE '____-__-__T__:__:__Z'),
    CHECK ((answer IS NULL) = (answered_at IS NULL))
) STRICT;
CREATE INDEX proposals_on ON proposals (board, id);

-- Players who follow a board or all boards of a game.
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

-- Periods in which the clocks of all boards are stopped.
CREATE TABLE standstills (
    id       INTEGER PRIMARY KEY,
    began_at TEXT NOT NULL CHECK (began_at LIKE '____-__-__T__:__:__Z'),
    ended_at TEXT CHECK (ended_at LIKE '____-__-__T__:__:__Z'), -- NULL while the clocks are stopped
    cause    TEXT NOT NULL CHECK (cause IN ('off', 'held', 'paused', 'maintenance')),
    reason   TEXT NOT NULL -- The administrator's reason, which players can read
) STRICT;
CREATE INDEX standstills_lasting ON standstills (id) WHERE ended_at IS NULL;

-- The last change of each board or open challenge. Programs fetch the changes after the last one that they read.
CREATE TABLE changes (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT,
    board INTEGER NOT NULL UNIQUE
) STRICT;

-- Ratings

-- The players' ratings: Glicko-2.
CREATE TABLE standings (
    game       TEXT NOT NULL,
    player     INTEGER NOT NULL REFERENCES players (id),
    rating     REAL NOT NULL,
    deviation  REAL NOT NULL CHECK (deviation > 0),
    volatility REAL NOT NULL CHECK (volatility > 0),
    wins       INTEGER NOT NULL CHECK (wins >= 0),
    losses     INTEGER NOT NULL CHECK (losses >= 0),
    draws      INTEGER NOT NULL CHECK (draws >= 0),
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX standings_by_rating ON standings (game, rating DESC, player);
CREATE INDEX standings_of ON standings (player);

-- The number of ratings in each range of 50 points, without players who have left. It is stored because counting all
-- ratings whenever a page shows them would take too long.
CREATE TABLE rating_ranges (
    game    TEXT NOT NULL,
    low     INTEGER NOT NULL,
    players INTEGER NOT NULL,
    PRIMARY KEY (game, low)
) STRICT, WITHOUT ROWID;

-- The rating changes of the players of each rated board.
CREATE TABLE rating_changes (
    board             INTEGER NOT NULL REFERENCES boards (number),
    seat              INTEGER NOT NULL CHECK (seat IN (1, 2)),
    rating_before     REAL NOT NULL,
    deviation_before  REAL NOT NULL,
    volatility_before REAL NOT NULL,
    rating_after      REAL NOT NULL,
    deviation_after   REAL NOT NULL,
    volatility_after  REAL NOT NULL,
    PRIMARY KEY (board, seat)
) STRICT, WITHOUT ROWID;

-- Events

-- Leagues, cups and ladders.
CREATE TABLE events (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL CHECK (name <> ''),
    kind       TEXT NOT NULL CHECK (kind IN ('league', 'cup', 'ladder')),
    game       TEXT NOT NULL,
    options    TEXT NOT NULL,
    terms      TEXT NOT NULL, -- The terms of its boards
    size       INTEGER NOT NULL CHECK (size >= 2), -- The maximum number of players in a division
    twice      INTEGER NOT NULL CHECK (twice IN (0, 1)), -- Whether two players of a division play two games against each other
    once       INTEGER NOT NULL CHECK (once IN (0, 1)), -- Whether there is only one edition
    created_at TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    due_at     TEXT CHECK (due_at LIKE '____-__-__T__:__:__Z') -- When the server must next act on the event
) STRICT;
CREATE UNIQUE INDEX events_name ON events (lower(name));
CREATE INDEX events_due ON events (due_at, id) WHERE due_at IS NOT NULL;

-- The players of an event. An entrant takes part in each edition until they leave the event.
CREATE TABLE entrants (
    event     INTEGER NOT NULL REFERENCES events (id),
    player    INTEGER NOT NULL REFERENCES players (id),
    joined_at TEXT NOT NULL CHECK (joined_at LIKE '____-__-__T__:__:__Z'),
    absent    INTEGER NOT NULL DEFAULT false CHECK (absent IN (0, 1)), -- Whether the player was withdrawn and has not joined again
    PRIMARY KEY (event, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX entrants_player ON entrants (player);

-- The editions of events.
CREATE TABLE editions (
    event       INTEGER NOT NULL REFERENCES events (id),
    edition     INTEGER NOT NULL CHECK (edition BETWEEN 1 AND 4294967295),
    started_at  TEXT NOT NULL CHECK (started_at LIKE '____-__-__T__:__:__Z'),
    reported_at TEXT NOT NULL CHECK (reported_at LIKE '____-__-__T__:__:__Z'), -- Results up to this time have been reported to the players
    latest_at   TEXT CHECK (latest_at LIKE '____-__-__T__:__:__Z'), -- The time by which the edition ends; NULL: a ladder
    ended_at    TEXT CHECK (ended_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (event, edition)
) STRICT, WITHOUT ROWID;

-- The players of each edition.
CREATE TABLE participants (
    event      INTEGER NOT NULL REFERENCES events (id),
    edition    INTEGER NOT NULL CHECK (edition BETWEEN 1 AND 4294967295),
    player     INTEGER NOT NULL REFERENCES players (id),
    division   INTEGER NOT NULL CHECK (division BETWEEN 1 AND 4294967295),
    place      INTEGER NOT NULL CHECK (place BETWEEN 1 AND 4294967295), -- In a league, the position in the order of sign-up; in a cup, the seed; in a ladder, the place
    withdrawn  TEXT CHECK (withdrawn IN ('annulled', 'lost')), -- The outcome of a withdrawn player's games
    final_rank INTEGER CHECK (final_rank BETWEEN 1 AND 4294967295), -- The rank in the division; NULL until the edition ends
    PRIMARY KEY (event, edition, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX participants_player ON participants (player, final_rank);

-- The boards of each edition.
CREATE TABLE event_boards (
    board      INTEGER PRIMARY KEY REFERENCES boards (number),
    event      INTEGER NOT NULL REFERENCES events (id),
    edition    INTEGER NOT NULL CHECK (edition BETWEEN 1 AND 4294967295),
    division   INTEGER NOT NULL CHECK (division BETWEEN 1 AND 4294967295),
    round      INTEGER NOT NULL CHECK (round BETWEEN 1 AND 4294967295),
    slot       INTEGER NOT NULL CHECK (slot BETWEEN 1 AND 4294967295), -- The place in the round; in a ladder, the challenged place
    postponed  INTEGER NOT NULL DEFAULT 0 CHECK (postponed >= 0), -- Seconds by which the board may last longer than planned
    settled_at TEXT CHECK (settled_at LIKE '____-__-__T__:__:__Z') -- When the board ended; NULL until the places of the ladder reflect the result
) STRICT;
CREATE INDEX event_boards_of ON event_boards (event, edition, settled_at);

-- Analyses, hints and puzzles

-- The computer player's analyses of finished boards.
CREATE TABLE analyses (
    board    INTEGER PRIMARY KEY REFERENCES boards (number),
    head     TEXT NOT NULL CHECK (length(head) = 64), -- The hash of the last analysed entry
    asked_at TEXT NOT NULL CHECK (asked_at LIKE '____-__-__T__:__:__Z'),
    askers   TEXT NOT NULL CHECK (json_valid(askers)), -- The waiting players, as pairs: a player's id, and whether to send the analysis in a letter
    analysis TEXT CHECK (json_valid(analysis)) -- NULL until the analysis is computed
) STRICT;
CREATE INDEX analyses_waiting ON analyses (asked_at, board) WHERE analysis IS NULL;

-- Hints: a computer player's estimate after its last move on a board.
CREATE TABLE hints (
    board  INTEGER PRIMARY KEY REFERENCES boards (number),
    entry  INTEGER NOT NULL CHECK (entry >= 1), -- The entry of the move; the hint is valid while this is the last entry
    chance INTEGER CHECK (chance BETWEEN 0 AND 1000), -- The chance of winning in thousandths; NULL: there was only one move
    proved INTEGER NOT NULL CHECK (proved IN (0, 1)), -- Whether the search proved the result; if so, the chance is 1000, 500 or 0
    line   TEXT NOT NULL -- The expected moves, separated by spaces
) STRICT;

-- Finished boards that have not been searched for puzzles yet.
CREATE TABLE puzzle_queue (
    board INTEGER PRIMARY KEY REFERENCES boards (number)
) STRICT;

-- Positions of finished boards in which exactly one move wins.
CREATE TABLE puzzles (
    game     TEXT NOT NULL,
    number   INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    board    INTEGER NOT NULL REFERENCES boards (number),
    ply      INTEGER NOT NULL CHECK (ply BETWEEN 1 AND 4294967295), -- The number of plies before the position
    position TEXT NOT NULL UNIQUE CHECK (length(position) = 64), -- SHA-256 of game, options and position
    solution TEXT NOT NULL CHECK (solution <> ''),
    daily    TEXT CHECK (daily LIKE '____-__-__'), -- The last day on which this was the puzzle of the day
    withdrawn INTEGER NOT NULL DEFAULT false CHECK (withdrawn IN (0, 1)), -- Whether the puzzle was withdrawn because its board was reopened; its number is not used again
    CHECK (daily IS NULL OR NOT withdrawn),
    PRIMARY KEY (game, number)
) STRICT;
CREATE UNIQUE INDEX puzzles_of_day ON puzzles (game, daily) WHERE daily IS NOT NULL;
CREATE INDEX puzzles_by_turn ON puzzles (game, daily, number);

-- Players who receive the puzzle of the day of a game.
CREATE TABLE puzzle_readers (
    player INTEGER NOT NULL REFERENCES players (id),
    game   TEXT NOT NULL,
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
CREATE INDEX puzzle_readers_of_game ON puzzle_readers (game, player);

-- The puzzles that a player solved or gave up.
CREATE TABLE solved_puzzles (
    player INTEGER NOT NULL REFERENCES players (id),
    game   TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    day    TEXT NOT NULL CHECK (day LIKE '____-__-__'), -- The day (UTC) on which the player solved the puzzle or gave up
    found  INTEGER NOT NULL CHECK (found IN (0, 1)), -- Whether the player solved the puzzle
    PRIMARY KEY (player, game, number)
) STRICT, WITHOUT ROWID;

-- Webhooks

-- Players' webhooks.
CREATE TABLE webhooks (
    player     INTEGER PRIMARY KEY REFERENCES players (id),
    url        TEXT NOT NULL CHECK (url <> ''),
    secret     TEXT NOT NULL CHECK (secret <> ''), -- The key that signs calls
    created_at TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    failures   INTEGER NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 4294967295), -- The number of consecutive failures
    paused_at  TEXT CHECK (paused_at LIKE '____-__-__T__:__:__Z'),
    paused_why TEXT,
    CHECK ((paused_why IS NULL) = (paused_at IS NULL))
) STRICT;

-- Pending webhook calls.
CREATE TABLE webhook_calls (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- Never reused, because receivers recognise repeated calls by it
    player     INTEGER NOT NULL REFERENCES webhooks (player) ON DELETE CASCADE,
    board      INTEGER NOT NULL REFERENCES boards (number),
    entry      INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- The length of the record when the turn began
    created_at TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    attempts   INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at     TEXT NOT NULL CHECK (due_at LIKE '____-__-__T__:__:__Z')
) STRICT;
CREATE INDEX webhook_calls_due ON webhook_calls (due_at, id);
CREATE INDEX webhook_calls_of ON webhook_calls (player);

-- Incoming mail

-- Received messages.
CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at TEXT NOT NULL CHECK (received_at LIKE '____-__-__T__:__:__Z'),
    via         TEXT NOT NULL,
    truncated   INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295), -- The number of failed attempts to process the message
    verdict     TEXT CHECK (verdict IN ('done', 'refused', 'repeated', 'ignored', 'poison')), -- NULL: not processed yet
    sender      TEXT,
    author      INTEGER REFERENCES players (id), -- The player who wrote the message, if known
    identity    TEXT, -- The identity of the message, which its copies share
    commands    TEXT,
    reason      TEXT,
    closed_at   TEXT CHECK (closed_at LIKE '____-__-__T__:__:__Z'),
    raw         BLOB, -- The raw message. It is the last column because it is long. It is erased when the verdict is set, because it may contain a password
    CHECK ((verdict IS NULL) = (closed_at IS NULL)),
    CHECK ((verdict IS NULL) = (raw IS NOT NULL))
) STRICT;
CREATE INDEX inbox_waiting ON inbox (id) WHERE verdict IS NULL;
CREATE UNIQUE INDEX inbox_identity ON inbox (identity) WHERE identity IS NOT NULL AND verdict <> 'repeated';

-- The raw text of messages that could not be processed. It may contain passwords.
CREATE TABLE quarantine (
    mail INTEGER PRIMARY KEY REFERENCES inbox (id),
    raw  BLOB NOT NULL
) STRICT;

-- The refused commands of messages.
CREATE TABLE refusals (
    id      INTEGER PRIMARY KEY,
    mail    INTEGER NOT NULL REFERENCES inbox (id),
    command TEXT NOT NULL, -- The parsed command without its password; may be empty
    reason  TEXT NOT NULL
) STRICT;
CREATE INDEX refusals_of ON refusals (mail);

-- The effects of each message, in order.
CREATE TABLE mail_actions (
    id    INTEGER PRIMARY KEY,
    mail  INTEGER NOT NULL REFERENCES inbox (id),
    kind  TEXT NOT NULL CHECK (kind IN ('board', 'entry', 'comment', 'proposal', 'answer', 'notice')),
    board INTEGER,
    item  INTEGER NOT NULL -- The number of the board or entry, or the id of the comment, proposal or notice
) STRICT;
CREATE INDEX mail_actions_of ON mail_actions (mail);
CREATE INDEX mail_actions_by_item ON mail_actions (kind, item, board);

-- Addresses and domains that the administrator has blocked.
CREATE TABLE blocked_senders (
    sender     TEXT PRIMARY KEY CHECK (sender LIKE '%@%'), -- In lower case: a@example.org or @example.org
    blocked_at TEXT NOT NULL CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    reason     TEXT NOT NULL -- The administrator's reason, which players cannot read
) STRICT, WITHOUT ROWID;

-- Letters

-- Notices. The due notices of a player form one letter. The id of the first of them is the number of the letter.
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- Never reused, because it is part of the Message-ID
    player      INTEGER REFERENCES players (id),
    address     TEXT, -- The only recipient address; NULL: all confirmed addresses of the player
    kind        TEXT NOT NULL,
    board       INTEGER REFERENCES boards (number),
    entry       INTEGER CHECK (entry BETWEEN 0 AND 4294967295), -- The length of the record when the notice was created
    facts       TEXT NOT NULL, -- JSON
    in_reply_to TEXT,
    domain      TEXT NOT NULL,
    created_at  TEXT NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    letter      INTEGER REFERENCES outbox (id), -- The number of the letter
    bound_at    TEXT CHECK (bound_at LIKE '____-__-__T__:__:__Z'),
    held        INTEGER NOT NULL DEFAULT false CHECK (held IN (0, 1)), -- Whether the notice is held until the player acts
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at      TEXT CHECK (due_at LIKE '____-__-__T__:__:__Z'),
    sent_at     TEXT CHECK (sent_at LIKE '____-__-__T__:__:__Z'),
    error       TEXT, -- The error of the last attempt
    sent_settings TEXT, -- The player's settings when the letter was sent
    CHECK (sent_at IS NULL OR due_at IS NULL),
    CHECK (NOT held OR (due_at IS NULL AND sent_at IS NULL)),
    CHECK (player IS NOT NULL OR address IS NOT NULL)
) STRICT;
CREATE INDEX outbox_due ON outbox ((CASE WHEN letter IS NULL THEN 0 ELSE 1 END), due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_letter ON outbox (letter) WHERE letter IS NOT NULL;
CREATE INDEX outbox_undelivered ON outbox (id) WHERE sent_at IS NULL AND due_at IS NULL;
CREATE INDEX outbox_held ON outbox (player) WHERE held;
CREATE INDEX outbox_board ON outbox (board, entry) WHERE board IS NOT NULL;
CREATE INDEX outbox_answers ON outbox (lower(address), created_at) WHERE kind = 'answer';

-- The delivery of each letter to each address.
CREATE TABLE deliveries (
    letter  INTEGER NOT NULL REFERENCES outbox (id),
    address TEXT NOT NULL CHECK (address <> ''),
    state   TEXT NOT NULL CHECK (state IN ('failed', 'sent', 'refused', 'bounced')), -- failed: will be retried; bounced: accepted by the mail server and later returned
    at      TEXT NOT NULL CHECK (at LIKE '____-__-__T__:__:__Z'),
    error   TEXT, -- The error from the receiving server
    PRIMARY KEY (letter, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_bounced ON deliveries (lower(address), at) WHERE state = 'bounced';

-- The last letter that announced a player's turn on a board, unless the player has acted on the board since.
CREATE TABLE turn_letters (
    player INTEGER NOT NULL REFERENCES players (id),
    board  INTEGER NOT NULL REFERENCES boards (number),
    entry  INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- The length of the record when the letter was created
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;

-- Boards about which a player wants no letters.
CREATE TABLE muted_boards (
    player INTEGER NOT NULL REFERENCES players (id),
    board  INTEGER NOT NULL REFERENCES boards (number),
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;

-- Limits

-- Acts that rate limits count, one in each row.
CREATE TABLE rate_limits (
    what   TEXT NOT NULL CHECK (what IN ('wrong password', 'letter', 'password request', 'refusal', 'challenge', 'message', 'report', 'calendar')),
    of     TEXT NOT NULL, -- The userid or address that the act is about; one of 256 codes for an unknown userid; empty if the act is not about either
    source TEXT NOT NULL, -- The source: the shell, a mail or network address, or a userid; empty for refusals and calendars
    at     TEXT NOT NULL CHECK (at LIKE '____-__-__T__:__:__Z')
) STRICT;
CREATE INDEX rate_limits_of ON rate_limits (lower(of), what, at);
CREATE INDEX rate_limits_from ON rate_limits (lower(source), what, at);
CREATE INDEX rate_limits_old ON rate_limits (at);

-- Triggers that check the rules for records, as the program does

CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE(ABORT, 'an entry is never changed');
END;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
BEGIN
    SELECT RAISE(ABORT, 'an entry is never deleted');
END;
CREATE TRIGGER entries_in_order BEFORE INSERT ON entries
BEGIN
    SELECT RAISE(ABORT, 'an entry was made on a board that has ended, was declined or does not exist')
        WHERE NOT EXISTS (SELECT 1 FROM boards
                          WHERE number = NEW.board AND ended_at IS NULL AND declined_at IS NULL);
    SELECT RAISE(ABORT, 'an entry must be the next one of its board')
        FROM boards WHERE number = NEW.board AND NEW.entry <> entries + 1;
    SELECT RAISE(ABORT, 'a move must be the next ply of its board')
        FROM boards WHERE number = NEW.board AND NEW.kind = 0 AND NEW.ply <> plies + 1;
    SELECT RAISE(ABORT, 'an undo must go back')
        FROM boards WHERE number = NEW.board AND NEW.kind = 1 AND NEW.ply >= plies;
    SELECT RAISE(ABORT, 'an end is not a ply')
        FROM boards WHERE number = NEW.board AND NEW.kind NOT IN (0, 1) AND NEW.ply <> plies;
    SELECT RAISE(ABORT, 'a move must be made by the player to move')
        FROM boards WHERE number = NEW.board AND NEW.kind = 0 AND NEW.seat IS NOT to_move;
    -- SQLite cannot compute SHA-256. This trigger only checks that `head` is the hash of the previous entry (for the
    -- first entry, the genesis), and that the new entry has a different hash.
    SELECT RAISE(ABORT, 'an entry must be chained to the hash of the previous one')
        FROM boards b WHERE b.number = NEW.board
            AND (b.head IS NOT CASE NEW.entry
                     WHEN 1 THEN b.genesis
                     ELSE (SELECT lower(hex(m.hash)) FROM entries m WHERE m.board = NEW.board AND m.entry = NEW.entry - 1)
                 END
                 OR b.head = lower(hex(NEW.hash)));
END;
CREATE TRIGGER entries_count AFTER INSERT ON entries
BEGIN
    UPDATE boards SET entries = NEW.entry, plies = NEW.ply, head = lower(hex(NEW.hash)),
                      moved_at = strftime('%Y-%m-%dT%H:%M:%SZ', NEW.made_at, 'unixepoch')
        WHERE number = NEW.board;
END;

-- Triggers that record the last change of each board

CREATE TRIGGER changes_board_made AFTER INSERT ON boards
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_entry AFTER UPDATE OF entries ON boards
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_arranged AFTER UPDATE OF declined_at, proposal, clock_since, clock_thought, clock_due_at ON boards
WHEN (NEW.declined_at, NEW.proposal, NEW.clock_since, NEW.clock_thought, NEW.clock_due_at)
    IS NOT (OLD.declined_at, OLD.proposal, OLD.clock_since, OLD.clock_thought, OLD.clock_due_at)
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_rematch AFTER INSERT ON boards WHEN NEW.rematch_of IS NOT NULL
BEGIN
    DELETE FROM changes WHERE board = NEW.rematch_of;
    INSERT INTO changes (board) VALUES (NEW.rematch_of);
END;
CREATE TRIGGER changes_rematch_declined AFTER UPDATE OF declined_at ON boards WHEN NEW.rematch_of IS NOT NULL
BEGIN
    DELETE FROM changes WHERE board = NEW.rematch_of;
    INSERT INTO changes (board) VALUES (NEW.rematch_of);
END;
CREATE TRIGGER changes_comment AFTER INSERT ON comments
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;
CREATE TRIGGER changes_comment_removed AFTER UPDATE OF text ON comments
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;
CREATE TRIGGER changes_challenge_made AFTER INSERT ON challenges
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_challenge_closed AFTER UPDATE OF closed_at ON challenges
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_analysis_asked AFTER INSERT ON analyses
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;
CREATE TRIGGER changes_analysis AFTER UPDATE OF analysis ON analyses WHEN NEW.analysis IS NOT OLD.analysis
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;

INSERT INTO migrations (version, name) VALUES (1, 'schema');
