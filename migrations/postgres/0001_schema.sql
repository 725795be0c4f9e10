-- The database of a turnpost server. Times are UTC, such as 2026-03-01T12:00:00Z. Text is compared without regard to
-- case by lower(). The same tables are in migrations/sqlite, where `.schema` shows the comments as well.

-- Functions

-- A function of SQLite, for shared statements.
CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT strpos($1, $2) $$;
CREATE FUNCTION time_text(bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_char(to_timestamp($1::double precision) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') COLLATE "C" $$;
CREATE FUNCTION days_since(text) RETURNS double precision LANGUAGE sql STABLE AS
$$ SELECT extract(epoch FROM now() - $1::timestamptz)::double precision / 86400 $$;

-- Only PostgreSQL: the lock that every writing transaction takes before its snapshot.
CREATE TABLE writer ();

-- Only PostgreSQL: the last numbers of tables whose numbers have no gaps. SQLite has sqlite_sequence.
CREATE TABLE last_numbers (
    name text COLLATE "C" PRIMARY KEY,
    last bigint NOT NULL DEFAULT 0 CHECK (last BETWEEN 0 AND 4294967295)
) WITH (fillfactor = 50);
INSERT INTO last_numbers (name) VALUES ('players'), ('boards'), ('login_links');
CREATE FUNCTION next_number(text) RETURNS bigint LANGUAGE sql VOLATILE AS
$$ UPDATE last_numbers SET last = last + 1 WHERE name = $1 RETURNING last $$;

-- The server

CREATE TABLE server (
    one             integer PRIMARY KEY CHECK (one = 1),
    server_id       text COLLATE "C" NOT NULL CHECK (server_id <> ''),
    reply_key       bytea NOT NULL CHECK (length(reply_key) = 32),
    letters_held_at text COLLATE "C" CHECK (letters_held_at LIKE '____-__-__T__:__:__Z'),
    moved_to        text COLLATE "C",
    clocks_seen_at  text COLLATE "C" CHECK (clocks_seen_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE server IS 'This server: one row';
COMMENT ON COLUMN server.server_id IS 'Part of every reply token and Message-ID';
COMMENT ON COLUMN server.reply_key IS 'Signs reply tokens and links';
COMMENT ON COLUMN server.letters_held_at IS 'When the administrator began to hold all letters';
COMMENT ON COLUMN server.moved_to IS 'The database to which the server has moved; this one then accepts no writes';
COMMENT ON COLUMN server.clocks_seen_at IS 'When the program last read the clocks, to the hour';

CREATE TABLE migrations (
    version     integer PRIMARY KEY CHECK (version > 0),
    name        text COLLATE "C" NOT NULL,
    usable_from integer NOT NULL
);
COMMENT ON TABLE migrations IS 'The migrations that were applied to this database';
COMMENT ON COLUMN migrations.usable_from IS 'The version of the oldest program that can use the migrated database';

CREATE TABLE leases (
    work       text COLLATE "C" PRIMARY KEY CHECK (work <> ''),
    node       text COLLATE "C" NOT NULL CHECK (node <> ''),
    expires_at text COLLATE "C" NOT NULL CHECK (expires_at LIKE '____-__-__T__:__:__Z')
) WITH (fillfactor = 50);
COMMENT ON TABLE leases IS 'Tasks that one node at a time performs, and that node';
COMMENT ON COLUMN leases.expires_at IS 'From then on another node may take it; a node renews its leases';

-- Players

CREATE TABLE players (
    id               bigint PRIMARY KEY DEFAULT next_number('players'),
    userid           text COLLATE "C" NOT NULL CHECK (userid <> ''),
    password_hash    text COLLATE "C" NOT NULL,
    created_at       text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    left_at          text COLLATE "C" CHECK (left_at LIKE '____-__-__T__:__:__Z'),
    blocked_at       text COLLATE "C" CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    back_in_reach_at text COLLATE "C" CHECK (back_in_reach_at LIKE '____-__-__T__:__:__Z'),
    signoff_code     text COLLATE "C",
    signoff_at       text COLLATE "C" CHECK (signoff_at LIKE '____-__-__T__:__:__Z') CHECK ((signoff_at IS NULL) = (signoff_code IS NULL)),
    settings         text COLLATE "C" NOT NULL DEFAULT ''
);
COMMENT ON TABLE players IS 'People and computer players';
COMMENT ON COLUMN players.password_hash IS 'Argon2; empty when the player has left';
COMMENT ON COLUMN players.back_in_reach_at IS 'When letters could be delivered again: a forfeit needs a reminder sent since';
COMMENT ON COLUMN players.signoff_code IS 'The code that confirms a signoff';
COMMENT ON COLUMN players.settings IS 'Those that differ from the default, as for `set`: mail=text zone=Asia/Tokyo';
CREATE UNIQUE INDEX players_userid ON players (lower(userid));

CREATE TABLE addresses (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player       bigint NOT NULL REFERENCES players (id),
    address      text COLLATE "C" NOT NULL CHECK (address <> ''),
    code         text COLLATE "C",
    added_at     text COLLATE "C" NOT NULL CHECK (added_at LIKE '____-__-__T__:__:__Z'),
    confirmed_at text COLLATE "C" CHECK (confirmed_at LIKE '____-__-__T__:__:__Z'),
    paused_at    text COLLATE "C" CHECK (paused_at LIKE '____-__-__T__:__:__Z'),
    paused_why   text COLLATE "C" CHECK ((paused_why IS NULL) = (paused_at IS NULL)),
    CHECK ((code IS NULL) = (confirmed_at IS NOT NULL))
);
COMMENT ON TABLE addresses IS 'Players'' addresses';
COMMENT ON COLUMN addresses.code IS 'The code that its owner must return; NULL once confirmed';
COMMENT ON COLUMN addresses.paused_at IS 'The time from which no letters are sent to it';
CREATE UNIQUE INDEX addresses_of ON addresses (player, lower(address));
CREATE UNIQUE INDEX addresses_confirmed ON addresses (lower(address)) WHERE confirmed_at IS NOT NULL;
CREATE INDEX addresses_unconfirmed ON addresses (added_at) WHERE confirmed_at IS NULL;

CREATE TABLE departed_addresses (
    address text COLLATE "C" NOT NULL CHECK (address <> ''),
    left_at text COLLATE "C" NOT NULL CHECK (left_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE departed_addresses IS 'Addresses of players who left, until their pending letters and messages are done and they can be erased';
CREATE UNIQUE INDEX departed_addresses_address ON departed_addresses (lower(address));

CREATE TABLE sessions (
    hash     bytea PRIMARY KEY CHECK (length(hash) = 32),
    player   bigint NOT NULL REFERENCES players (id),
    begun_at text COLLATE "C" NOT NULL CHECK (begun_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE sessions IS 'Sessions of browsers';
COMMENT ON COLUMN sessions.hash IS 'SHA-256 of the cookie';
CREATE INDEX sessions_of ON sessions (player);
CREATE INDEX sessions_old ON sessions (begun_at);

CREATE TABLE browsers (
    hash    bytea NOT NULL CHECK (length(hash) = 32),
    player  bigint NOT NULL REFERENCES players (id),
    used_at text COLLATE "C" NOT NULL CHECK (used_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (hash, player)
);
COMMENT ON TABLE browsers IS 'Players who logged in with the same browser';
COMMENT ON COLUMN browsers.hash IS 'SHA-256 of the browser''s cookie';
COMMENT ON COLUMN browsers.used_at IS 'The player''s last login with it';
CREATE INDEX browsers_player ON browsers (player);

CREATE TABLE login_links (
    id       bigint PRIMARY KEY DEFAULT next_number('login_links'),
    player   bigint NOT NULL REFERENCES players (id),
    asked_at text COLLATE "C" NOT NULL CHECK (asked_at LIKE '____-__-__T__:__:__Z'),
    used     boolean NOT NULL DEFAULT false,
    purpose  text COLLATE "C" NOT NULL DEFAULT 'login' CHECK (purpose IN ('login', 'password'))
);
COMMENT ON TABLE login_links IS 'One-time links that log in or set a password';
COMMENT ON COLUMN login_links.id IS 'Never reused: the link signs it';
CREATE INDEX login_links_of ON login_links (player, asked_at);
CREATE INDEX login_links_old ON login_links (asked_at);

CREATE TABLE tokens (
    hash       bytea PRIMARY KEY CHECK (length(hash) = 32),
    player     bigint NOT NULL REFERENCES players (id),
    label      text COLLATE "C" NOT NULL CHECK (label <> ''),
    created_at text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    used_at    text COLLATE "C" CHECK (used_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE tokens IS 'Access tokens of the API';
COMMENT ON COLUMN tokens.hash IS 'SHA-256 of the token';
CREATE INDEX tokens_of ON tokens (player, created_at);

CREATE TABLE vacations (
    player   bigint NOT NULL REFERENCES players (id),
    from_at  text COLLATE "C" NOT NULL CHECK (from_at LIKE '____-__-__T__:__:__Z'),
    until_at text COLLATE "C" NOT NULL CHECK (until_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (player, from_at),
    CHECK (from_at < until_at)
);
COMMENT ON TABLE vacations IS 'Vacations, during which a player''s clocks stop';

CREATE TABLE blocks (
    player     bigint NOT NULL REFERENCES players (id),
    blocked    bigint NOT NULL REFERENCES players (id),
    blocked_at text COLLATE "C" NOT NULL CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (player, blocked),
    CHECK (player <> blocked)
);
COMMENT ON TABLE blocks IS 'Players whom a player has blocked';
CREATE INDEX blocks_blocked ON blocks (blocked);

CREATE TABLE calendars (
    player bigint PRIMARY KEY REFERENCES players (id),
    number bigint NOT NULL UNIQUE CHECK (number BETWEEN 0 AND 4294967295)
);
COMMENT ON TABLE calendars IS 'The private addresses of players'' calendars';
COMMENT ON COLUMN calendars.number IS 'Random; the address signs it';

CREATE TABLE preferences (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    seeks  bigint NOT NULL DEFAULT 0 CHECK (seeks >= 0),
    most   bigint CHECK (most >= 0),
    PRIMARY KEY (player, game)
);
COMMENT ON TABLE preferences IS 'The numbers of opponents and boards that a player wants in a game';
COMMENT ON COLUMN preferences.seeks IS 'Wanted opponents';
COMMENT ON COLUMN preferences.most IS 'Most boards at a time; NULL: any number';
CREATE INDEX preferences_seeking ON preferences (game) WHERE seeks > 0;

CREATE TABLE acts (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    done_at   text COLLATE "C" NOT NULL CHECK (done_at LIKE '____-__-__T__:__:__Z'),
    by_player bigint REFERENCES players (id),
    by_user   text COLLATE "C",
    act       text COLLATE "C" NOT NULL,
    board     bigint,
    player    bigint REFERENCES players (id),
    detail    text COLLATE "C" NOT NULL,
    reason    text COLLATE "C" NOT NULL,
    CHECK ((by_player IS NULL) <> (by_user IS NULL))
);
COMMENT ON TABLE acts IS 'Decisions of administrators and changes that players made to their accounts; without secrets';
COMMENT ON COLUMN acts.by_player IS 'NULL: a user of the server''s shell';
COMMENT ON COLUMN acts.by_user IS 'That user''s account';
COMMENT ON COLUMN acts.player IS 'The affected player';

-- Boards

CREATE TABLE challenges (
    number     bigint PRIMARY KEY CHECK (number BETWEEN 1 AND 4294967295),
    game       text COLLATE "C" NOT NULL,
    options    text COLLATE "C" NOT NULL,
    terms      text COLLATE "C" NOT NULL,
    rated      boolean NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --unrated ') = 0) STORED,
    private    boolean NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --private ') > 0) STORED,
    challenger bigint NOT NULL REFERENCES players (id),
    seat       smallint NOT NULL CHECK (seat IN (1, 2)),
    comment    text COLLATE "C",
    created_at text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    closed_at  text COLLATE "C" CHECK (closed_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE challenges IS 'Open challenges, also closed ones. They share their numbers with boards';
COMMENT ON COLUMN challenges.terms IS 'Of the board';
COMMENT ON COLUMN challenges.seat IS 'The challenger''s';
CREATE INDEX challenges_open ON challenges (number) WHERE closed_at IS NULL;
CREATE INDEX challenges_of ON challenges (challenger) WHERE closed_at IS NULL;

CREATE TABLE boards (
    number         bigint PRIMARY KEY CHECK (number BETWEEN 1 AND 4294967295),
    game           text COLLATE "C" NOT NULL,
    options        text COLLATE "C" NOT NULL,
    terms          text COLLATE "C" NOT NULL,
    rated          boolean NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --unrated ') = 0) STORED,
    private        boolean NOT NULL GENERATED ALWAYS AS (instr(' ' || terms || ' ', ' --private ') > 0) STORED,
    challenger     bigint REFERENCES players (id),
    rematch_of     bigint,
    created_at     text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    moved_at       text COLLATE "C" NOT NULL CHECK (moved_at LIKE '____-__-__T__:__:__Z'),
    entries        bigint NOT NULL DEFAULT 0 CHECK (entries BETWEEN 0 AND 4294967295),
    plies          bigint NOT NULL DEFAULT 0 CHECK (plies BETWEEN 0 AND 4294967295),
    genesis        text COLLATE "C" NOT NULL,
    head           text COLLATE "C" NOT NULL,
    to_move        smallint CHECK (to_move IN (1, 2)),
    player_to_move bigint,
    rated_as       bigint CHECK (rated_as >= 1),
    clock_since    text COLLATE "C" CHECK (clock_since LIKE '____-__-__T__:__:__Z'),
    clock_thought  bigint NOT NULL DEFAULT 0 CHECK (clock_thought >= 0),
    clock_given    bigint NOT NULL DEFAULT 0 CHECK (clock_given >= 0),
    clock_reminded bigint NOT NULL DEFAULT 0 CHECK (clock_reminded >= 0),
    clock_due_at   text COLLATE "C" CHECK (clock_due_at LIKE '____-__-__T__:__:__Z') CHECK (clock_due_at IS NULL OR clock_since IS NOT NULL),
    proposal       text COLLATE "C" CHECK (proposal IN ('draw', 'undo', 'abandon')),
    proposed_by    smallint CHECK (proposed_by IN (1, 2)) CHECK ((proposed_by IS NULL) = (proposal IS NULL)),
    winner         smallint CHECK (winner IN (1, 2)),
    reason         text COLLATE "C",
    ended_at       text COLLATE "C" CHECK (ended_at LIKE '____-__-__T__:__:__Z'),
    no_result      text COLLATE "C" CHECK (no_result IN ('declined', 'expired', 'void', 'abandoned')),
    declined_by    bigint REFERENCES players (id),
    declined_at    text COLLATE "C" CHECK (declined_at LIKE '____-__-__T__:__:__Z'),
    CHECK ((reason IS NULL) = (ended_at IS NULL)),
    CHECK (winner IS NULL OR ended_at IS NOT NULL),
    CHECK (rated_as IS NULL OR (rated AND ended_at IS NOT NULL)),
    CHECK (declined_by IS NULL OR declined_at IS NOT NULL),
    CHECK (ended_at IS NULL OR declined_at IS NULL),
    CHECK ((ended_at IS NULL AND declined_at IS NULL) OR (to_move IS NULL AND clock_since IS NULL AND proposal IS NULL))
);
COMMENT ON TABLE boards IS 'Boards: games in progress, finished or declined';
COMMENT ON COLUMN boards.terms IS 'As in a challenge, with all days: --nagtime=7 --forfeittime=21 --totaltime=0 --unrated --private';
COMMENT ON COLUMN boards.challenger IS 'NULL: the administrator''s shell';
COMMENT ON COLUMN boards.rematch_of IS 'The number of the board that this one follows; an import can lack that board';
COMMENT ON COLUMN boards.moved_at IS 'The time of the last entry, or of the challenge';
COMMENT ON COLUMN boards.entries IS 'The length of the record';
COMMENT ON COLUMN boards.plies IS 'Moves that were not taken back';
COMMENT ON COLUMN boards.genesis IS 'The hash to which the first entry is chained';
COMMENT ON COLUMN boards.head IS 'The hash of the last entry, or the genesis';
COMMENT ON COLUMN boards.player_to_move IS 'The player of that seat';
COMMENT ON COLUMN boards.rated_as IS 'The place among all rated boards, in the order of their ends';
COMMENT ON COLUMN boards.clock_since IS 'When the clock last started; NULL: it does not run';
COMMENT ON COLUMN boards.clock_thought IS 'Seconds of this ply before that';
COMMENT ON COLUMN boards.clock_given IS 'Extra seconds for this ply';
COMMENT ON COLUMN boards.clock_reminded IS 'Reminders of this ply';
COMMENT ON COLUMN boards.clock_due_at IS 'When the clock is next examined';
COMMENT ON COLUMN boards.proposal IS 'The open proposal';
COMMENT ON COLUMN boards.winner IS 'NULL with ended_at: no winner';
COMMENT ON COLUMN boards.reason IS 'How the game ended';
COMMENT ON COLUMN boards.no_result IS 'Why there is no result';
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

CREATE TABLE seats (
    board           bigint NOT NULL REFERENCES boards (number),
    seat            smallint NOT NULL CHECK (seat IN (1, 2)),
    player          bigint NOT NULL REFERENCES players (id),
    used            bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    credit          bigint NOT NULL DEFAULT 0 CHECK (credit >= 0),
    plan            text COLLATE "C",
    submitted       text COLLATE "C",
    submitted_after bigint CHECK (submitted_after >= 0),
    resigns         boolean NOT NULL DEFAULT false,
    began_as        text COLLATE "C",
    active          boolean NOT NULL DEFAULT true,
    ended           boolean NOT NULL DEFAULT false,
    PRIMARY KEY (board, seat),
    CHECK ((submitted_after IS NULL) = (submitted IS NULL)),
    CHECK (NOT (active AND ended))
);
COMMENT ON TABLE seats IS 'The two sides of each board';
COMMENT ON COLUMN seats.used IS 'Seconds of thinking time in earlier turns';
COMMENT ON COLUMN seats.credit IS 'Seconds that a Fischer clock has added';
COMMENT ON COLUMN seats.plan IS 'Prepared replies';
COMMENT ON COLUMN seats.submitted IS 'A move sent before the player''s turn';
COMMENT ON COLUMN seats.submitted_after IS 'The length of the record then';
COMMENT ON COLUMN seats.resigns IS 'Resigns on the next turn';
COMMENT ON COLUMN seats.began_as IS 'The player''s userid at the start, if it was another; empty: a player who left';
COMMENT ON COLUMN seats.active IS 'The board is in progress';
COMMENT ON COLUMN seats.ended IS 'The board has ended; false and not active: it was declined';
CREATE INDEX seats_of ON seats (player, board, active, ended);
CREATE INDEX seats_active ON seats (player, board, active) WHERE active;

CREATE TABLE entry_kinds (
    code smallint PRIMARY KEY,
    word text COLLATE "C" NOT NULL UNIQUE
);
COMMENT ON TABLE entry_kinds IS 'The kinds of entries';
INSERT INTO entry_kinds (code, word) VALUES (0, 'move'), (1, 'undo'), (2, 'resign'), (3, 'draw'), (4, 'forfeit'),
    (5, 'adjudge'), (6, 'reopen'), (7, 'void'), (8, 'abandon');

CREATE TABLE entry_channels (
    code smallint PRIMARY KEY,
    word text COLLATE "C" NOT NULL UNIQUE
);
COMMENT ON TABLE entry_channels IS 'The ways in which entries reached the server';
INSERT INTO entry_channels (code, word) VALUES (0, 'mail'), (1, 'web'), (2, 'api'), (3, 'shell'), (4, 'visitor'),
    (5, 'plan'), (6, 'clock'), (7, 'administrator'), (8, 'robot');

CREATE TABLE entries (
    board   bigint NOT NULL REFERENCES boards (number),
    entry   bigint NOT NULL CHECK (entry BETWEEN 1 AND 4294967295),
    kind    smallint NOT NULL REFERENCES entry_kinds (code),
    ply     bigint NOT NULL CHECK (ply BETWEEN 0 AND 4294967295),
    seat    smallint CHECK (seat IN (1, 2)),
    text    text COLLATE "C" NOT NULL CHECK (text <> ''),
    made_at bigint NOT NULL CHECK (made_at BETWEEN -62167219200 AND 253402300799),
    via     smallint NOT NULL REFERENCES entry_channels (code),
    hash    bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (board, entry),
    CHECK ((seat IS NULL) = (kind IN (5, 6, 7)))
);
COMMENT ON TABLE entries IS 'The records of the boards: moves, undos and ends. The view record shows the codes in words';
COMMENT ON COLUMN entries.ply IS 'The number of the ply, or of plies that remain';
COMMENT ON COLUMN entries.seat IS 'NULL: an entry of the administrator';
COMMENT ON COLUMN entries.made_at IS 'Seconds since 1970, in 4 bytes instead of 20';
COMMENT ON COLUMN entries.hash IS 'SHA-256 of the previous hash, the ply and the text';

CREATE TABLE comments (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    board   bigint NOT NULL REFERENCES boards (number),
    entry   bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    player  bigint NOT NULL REFERENCES players (id),
    text    text COLLATE "C" NOT NULL,
    said_at text COLLATE "C" NOT NULL CHECK (said_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE comments IS 'Comments for everyone at a board';
COMMENT ON COLUMN comments.entry IS 'The length of the record then; 0: with the challenge';
CREATE INDEX comments_on ON comments (board, id);
CREATE INDEX comments_by ON comments (player, said_at);

CREATE TABLE notes (
    board      bigint NOT NULL REFERENCES boards (number),
    player     bigint NOT NULL REFERENCES players (id),
    text       text COLLATE "C" NOT NULL CHECK (text <> ''),
    written_at text COLLATE "C" NOT NULL CHECK (written_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (board, player)
);
COMMENT ON TABLE notes IS 'Private notes of players';

CREATE TABLE proposals (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    board       bigint NOT NULL REFERENCES boards (number),
    entry       bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    seat        smallint NOT NULL CHECK (seat IN (1, 2)),
    kind        text COLLATE "C" NOT NULL CHECK (kind IN ('draw', 'undo', 'abandon')),
    via         text COLLATE "C" NOT NULL,
    made_at     text COLLATE "C" NOT NULL CHECK (made_at LIKE '____-__-__T__:__:__Z'),
    answer      text COLLATE "C" CHECK (answer IN ('accepted', 'rejected', 'withdrawn')),
    answered_at text COLLATE "C" CHECK (answered_at LIKE '____-__-__T__:__:__Z'),
    CHECK ((answer IS NULL) = (answered_at IS NULL))
);
COMMENT ON TABLE proposals IS 'Proposals to draw, undo or abandon';
COMMENT ON COLUMN proposals.entry IS 'The length of the record then';
COMMENT ON COLUMN proposals.seat IS 'The proposer''s';
CREATE INDEX proposals_on ON proposals (board, id);

CREATE TABLE followers (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player    bigint NOT NULL REFERENCES players (id),
    board     bigint REFERENCES boards (number),
    game      text COLLATE "C",
    ends_only boolean NOT NULL,
    CHECK ((board IS NULL) <> (game IS NULL))
);
COMMENT ON TABLE followers IS 'Players who follow a board or all boards of a game';
CREATE UNIQUE INDEX followers_of_board ON followers (board, player) WHERE board IS NOT NULL;
CREATE UNIQUE INDEX followers_of_game ON followers (game, player) WHERE game IS NOT NULL;
CREATE INDEX followers_player ON followers (player);

CREATE TABLE standstills (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    began_at text COLLATE "C" NOT NULL CHECK (began_at LIKE '____-__-__T__:__:__Z'),
    ended_at text COLLATE "C" CHECK (ended_at LIKE '____-__-__T__:__:__Z'),
    cause    text COLLATE "C" NOT NULL CHECK (cause IN ('off', 'held', 'paused', 'maintenance')),
    reason   text COLLATE "C" NOT NULL
);
COMMENT ON TABLE standstills IS 'Periods in which all clocks are stopped';
COMMENT ON COLUMN standstills.ended_at IS 'NULL until it ends';
COMMENT ON COLUMN standstills.reason IS 'The administrator''s, which players read';
CREATE INDEX standstills_lasting ON standstills (id) WHERE ended_at IS NULL;

CREATE SEQUENCE changes_numbers;
CREATE TABLE changes (
    seq   bigint PRIMARY KEY,
    board bigint NOT NULL UNIQUE
);
COMMENT ON TABLE changes IS 'The last change of each board or open challenge; programs continue after the last one that they read';
ALTER SEQUENCE changes_numbers OWNED BY changes.seq;

-- Ratings

CREATE TABLE standings (
    game       text COLLATE "C" NOT NULL,
    player     bigint NOT NULL REFERENCES players (id),
    rating     double precision NOT NULL,
    deviation  double precision NOT NULL CHECK (deviation > 0),
    volatility double precision NOT NULL CHECK (volatility > 0),
    wins       bigint NOT NULL CHECK (wins >= 0),
    losses     bigint NOT NULL CHECK (losses >= 0),
    draws      bigint NOT NULL CHECK (draws >= 0),
    PRIMARY KEY (game, player)
);
COMMENT ON TABLE standings IS 'The players'' ratings: Glicko-2';
CREATE INDEX standings_by_rating ON standings (game, rating DESC, player);
CREATE INDEX standings_of ON standings (player);

CREATE TABLE rating_ranges (
    game    text COLLATE "C" NOT NULL,
    low     bigint NOT NULL,
    players bigint NOT NULL,
    PRIMARY KEY (game, low)
);
COMMENT ON TABLE rating_ranges IS 'The number of ratings in each range of 50 points, without players who have left. Counting them at each view of the standings would take longer with each player.';

CREATE TABLE rating_changes (
    board             bigint NOT NULL REFERENCES boards (number),
    seat              smallint NOT NULL CHECK (seat IN (1, 2)),
    rating_before     double precision NOT NULL,
    deviation_before  double precision NOT NULL,
    volatility_before double precision NOT NULL,
    rating_after      double precision NOT NULL,
    deviation_after   double precision NOT NULL,
    volatility_after  double precision NOT NULL,
    PRIMARY KEY (board, seat)
);
COMMENT ON TABLE rating_changes IS 'The rating changes of the players of each rated board';

-- Events

CREATE TABLE events (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL CHECK (name <> ''),
    kind       text COLLATE "C" NOT NULL CHECK (kind IN ('league', 'cup', 'ladder')),
    game       text COLLATE "C" NOT NULL,
    options    text COLLATE "C" NOT NULL,
    terms      text COLLATE "C" NOT NULL,
    size       bigint NOT NULL CHECK (size >= 2),
    twice      boolean NOT NULL,
    once       boolean NOT NULL,
    created_at text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    due_at     text COLLATE "C" CHECK (due_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE events IS 'Leagues, cups and ladders';
COMMENT ON COLUMN events.terms IS 'Of its boards';
COMMENT ON COLUMN events.size IS 'Most players of a division';
COMMENT ON COLUMN events.twice IS 'Two games against each opponent';
COMMENT ON COLUMN events.once IS 'Only one edition';
COMMENT ON COLUMN events.due_at IS 'When the event is next examined';
CREATE UNIQUE INDEX events_name ON events (lower(name));
CREATE INDEX events_due ON events (due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE entrants (
    event     bigint NOT NULL REFERENCES events (id),
    player    bigint NOT NULL REFERENCES players (id),
    joined_at text COLLATE "C" NOT NULL CHECK (joined_at LIKE '____-__-__T__:__:__Z'),
    absent    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (event, player)
);
COMMENT ON TABLE entrants IS 'The players who take part in each edition of an event until they leave it';
COMMENT ON COLUMN entrants.absent IS 'Was withdrawn, and has not joined again';
CREATE INDEX entrants_player ON entrants (player);

CREATE TABLE editions (
    event       bigint NOT NULL REFERENCES events (id),
    edition     bigint NOT NULL CHECK (edition BETWEEN 1 AND 4294967295),
    started_at  text COLLATE "C" NOT NULL CHECK (started_at LIKE '____-__-__T__:__:__Z'),
    reported_at text COLLATE "C" NOT NULL CHECK (reported_at LIKE '____-__-__T__:__:__Z'),
    latest_at   text COLLATE "C" CHECK (latest_at LIKE '____-__-__T__:__:__Z'),
    ended_at    text COLLATE "C" CHECK (ended_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (event, edition)
);
COMMENT ON TABLE editions IS 'The editions of events';
COMMENT ON COLUMN editions.reported_at IS 'Results until this time were reported';
COMMENT ON COLUMN editions.latest_at IS 'The latest time of its end; NULL: a ladder has none';

CREATE TABLE participants (
    event      bigint NOT NULL REFERENCES events (id),
    edition    bigint NOT NULL CHECK (edition BETWEEN 1 AND 4294967295),
    player     bigint NOT NULL REFERENCES players (id),
    division   bigint NOT NULL CHECK (division BETWEEN 1 AND 4294967295),
    place      bigint NOT NULL CHECK (place BETWEEN 1 AND 4294967295),
    withdrawn  text COLLATE "C" CHECK (withdrawn IN ('annulled', 'lost')),
    final_rank bigint CHECK (final_rank BETWEEN 1 AND 4294967295),
    PRIMARY KEY (event, edition, player)
);
COMMENT ON TABLE participants IS 'The players of each edition';
COMMENT ON COLUMN participants.place IS 'By sign-up in a league, the seed in a cup, the place in a ladder';
COMMENT ON COLUMN participants.withdrawn IS 'The outcome of a withdrawn player''s games';
COMMENT ON COLUMN participants.final_rank IS 'In the division, after the end';
CREATE INDEX participants_player ON participants (player, final_rank);

CREATE TABLE event_boards (
    board      bigint PRIMARY KEY REFERENCES boards (number),
    event      bigint NOT NULL REFERENCES events (id),
    edition    bigint NOT NULL CHECK (edition BETWEEN 1 AND 4294967295),
    division   bigint NOT NULL CHECK (division BETWEEN 1 AND 4294967295),
    round      bigint NOT NULL CHECK (round BETWEEN 1 AND 4294967295),
    slot       bigint NOT NULL CHECK (slot BETWEEN 1 AND 4294967295),
    settled_at text COLLATE "C" CHECK (settled_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE event_boards IS 'The boards of each edition';
COMMENT ON COLUMN event_boards.slot IS 'The place in the round, or the challenged place';
COMMENT ON COLUMN event_boards.settled_at IS 'Its end, after the places of a ladder have followed its result';
CREATE INDEX event_boards_of ON event_boards (event, edition, settled_at);

-- Study

CREATE TABLE analyses (
    board    bigint PRIMARY KEY REFERENCES boards (number),
    head     text COLLATE "C" NOT NULL CHECK (length(head) = 64),
    asked_at text COLLATE "C" NOT NULL CHECK (asked_at LIKE '____-__-__T__:__:__Z'),
    askers   text COLLATE "C" NOT NULL,
    analysis text COLLATE "C"
);
COMMENT ON TABLE analyses IS 'The computer player''s analyses of finished boards';
COMMENT ON COLUMN analyses.head IS 'The hash of the last analysed entry';
COMMENT ON COLUMN analyses.askers IS 'Pairs: the id of a waiting player, and whether a letter brings the analysis';
COMMENT ON COLUMN analyses.analysis IS 'NULL while it is waiting';
CREATE INDEX analyses_waiting ON analyses (asked_at, board) WHERE analysis IS NULL;

CREATE TABLE hints (
    board  bigint PRIMARY KEY REFERENCES boards (number),
    entry  bigint NOT NULL CHECK (entry >= 1),
    chance bigint CHECK (chance BETWEEN 0 AND 1000),
    proved boolean NOT NULL,
    line   text COLLATE "C" NOT NULL
);
COMMENT ON TABLE hints IS 'The expectation of a computer player after its last move on a board';
COMMENT ON COLUMN hints.entry IS 'The entry of the move; the hint is valid while it is the last one';
COMMENT ON COLUMN hints.chance IS 'Of winning, in thousandths; NULL: it had no choice';
COMMENT ON COLUMN hints.proved IS 'The result is certain: chance is 1000, 500 or 0';
COMMENT ON COLUMN hints.line IS 'The expected moves, separated by spaces';

CREATE TABLE puzzle_queue (
    board bigint PRIMARY KEY REFERENCES boards (number)
);
COMMENT ON TABLE puzzle_queue IS 'Finished boards that are not searched for puzzles yet';

CREATE TABLE puzzles (
    game     text COLLATE "C" NOT NULL,
    number   bigint NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    board    bigint NOT NULL REFERENCES boards (number),
    ply      bigint NOT NULL CHECK (ply BETWEEN 1 AND 4294967295),
    position text COLLATE "C" NOT NULL UNIQUE CHECK (length(position) = 64),
    solution text COLLATE "C" NOT NULL CHECK (solution <> ''),
    daily    text COLLATE "C" CHECK (daily LIKE '____-__-__'),
    PRIMARY KEY (game, number)
);
COMMENT ON TABLE puzzles IS 'Positions of finished boards in which exactly one move wins';
COMMENT ON COLUMN puzzles.ply IS 'Plies before the position';
COMMENT ON COLUMN puzzles.position IS 'SHA-256 of game, options and position';
COMMENT ON COLUMN puzzles.daily IS 'The last day on which it was the puzzle of the day';
CREATE UNIQUE INDEX puzzles_of_day ON puzzles (game, daily) WHERE daily IS NOT NULL;
CREATE INDEX puzzles_by_turn ON puzzles (game, daily NULLS FIRST, number);

CREATE TABLE puzzle_readers (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    PRIMARY KEY (player, game)
);
COMMENT ON TABLE puzzle_readers IS 'Players who receive the puzzle of the day of a game';
CREATE INDEX puzzle_readers_of_game ON puzzle_readers (game, player);

CREATE TABLE solved_puzzles (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    number bigint NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    day    text COLLATE "C" NOT NULL CHECK (day LIKE '____-__-__'),
    found  boolean NOT NULL,
    PRIMARY KEY (player, game, number)
);
COMMENT ON TABLE solved_puzzles IS 'The puzzles that a player solved or gave up';
COMMENT ON COLUMN solved_puzzles.day IS 'In UTC';
COMMENT ON COLUMN solved_puzzles.found IS 'Whether the player solved it';

-- Webhooks

CREATE TABLE webhooks (
    player     bigint PRIMARY KEY REFERENCES players (id),
    url        text COLLATE "C" NOT NULL CHECK (url <> ''),
    secret     text COLLATE "C" NOT NULL CHECK (secret <> ''),
    created_at text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    failures   bigint NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 4294967295),
    paused_at  text COLLATE "C" CHECK (paused_at LIKE '____-__-__T__:__:__Z'),
    paused_why text COLLATE "C",
    CHECK ((paused_why IS NULL) = (paused_at IS NULL))
);
COMMENT ON TABLE webhooks IS 'Players'' webhooks';
COMMENT ON COLUMN webhooks.secret IS 'The key that signs calls';
COMMENT ON COLUMN webhooks.failures IS 'In a row';

CREATE SEQUENCE webhook_calls_numbers;
CREATE TABLE webhook_calls (
    id         bigint PRIMARY KEY DEFAULT nextval('webhook_calls_numbers'),
    player     bigint NOT NULL REFERENCES webhooks (player) ON DELETE CASCADE,
    board      bigint NOT NULL REFERENCES boards (number),
    entry      bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    created_at text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    attempts   bigint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at     text COLLATE "C" NOT NULL CHECK (due_at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE webhook_calls IS 'Calls of webhooks that are due';
COMMENT ON COLUMN webhook_calls.id IS 'Never reused: receivers recognise a second copy by it';
COMMENT ON COLUMN webhook_calls.entry IS 'The length of the record then';
ALTER SEQUENCE webhook_calls_numbers OWNED BY webhook_calls.id;
CREATE INDEX webhook_calls_due ON webhook_calls (due_at, id);
CREATE INDEX webhook_calls_of ON webhook_calls (player);

-- Incoming mail

CREATE SEQUENCE inbox_numbers;
CREATE TABLE inbox (
    id          bigint PRIMARY KEY DEFAULT nextval('inbox_numbers'),
    received_at text COLLATE "C" NOT NULL CHECK (received_at LIKE '____-__-__T__:__:__Z'),
    via         text COLLATE "C" NOT NULL,
    truncated   boolean NOT NULL,
    attempts    bigint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    verdict     text COLLATE "C" CHECK (verdict IN ('done', 'refused', 'repeated', 'ignored', 'poison')),
    sender      text COLLATE "C",
    author      bigint REFERENCES players (id),
    identity    text COLLATE "C",
    commands    text COLLATE "C",
    reason      text COLLATE "C",
    closed_at   text COLLATE "C" CHECK (closed_at LIKE '____-__-__T__:__:__Z'),
    raw         bytea,
    CHECK ((verdict IS NULL) = (closed_at IS NULL)),
    CHECK ((verdict IS NULL) = (raw IS NOT NULL))
);
COMMENT ON TABLE inbox IS 'Received messages';
COMMENT ON COLUMN inbox.attempts IS 'Failed attempts at processing it';
COMMENT ON COLUMN inbox.verdict IS 'NULL: not processed yet';
COMMENT ON COLUMN inbox.author IS 'The player who wrote it, if known';
COMMENT ON COLUMN inbox.identity IS 'By which copies are recognised';
COMMENT ON COLUMN inbox.raw IS 'The last column, because it is long; erased with the verdict, because it may contain a password';
ALTER SEQUENCE inbox_numbers OWNED BY inbox.id;
CREATE INDEX inbox_waiting ON inbox (id) WHERE verdict IS NULL;
CREATE UNIQUE INDEX inbox_identity ON inbox (identity) WHERE identity IS NOT NULL AND verdict <> 'repeated';

CREATE TABLE quarantine (
    mail bigint PRIMARY KEY REFERENCES inbox (id),
    raw  bytea NOT NULL
);
COMMENT ON TABLE quarantine IS 'Messages that could not be processed, as received. They may contain passwords';

CREATE TABLE refusals (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mail    bigint NOT NULL REFERENCES inbox (id),
    command text COLLATE "C" NOT NULL,
    reason  text COLLATE "C" NOT NULL
);
COMMENT ON TABLE refusals IS 'Commands of messages that were refused';
COMMENT ON COLUMN refusals.command IS 'As understood, without its password; can be empty';
CREATE INDEX refusals_of ON refusals (mail);

CREATE TABLE mail_actions (
    id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mail  bigint NOT NULL REFERENCES inbox (id),
    kind  text COLLATE "C" NOT NULL CHECK (kind IN ('board', 'entry', 'comment', 'proposal', 'answer', 'notice')),
    board bigint,
    item  bigint NOT NULL
);
COMMENT ON TABLE mail_actions IS 'The actions of each message, in order';
COMMENT ON COLUMN mail_actions.item IS 'The number of the board or entry, or the id of the comment, proposal or notice';
CREATE INDEX mail_actions_of ON mail_actions (mail);
CREATE INDEX mail_actions_by_item ON mail_actions (kind, item, board);

CREATE TABLE blocked_senders (
    sender     text COLLATE "C" PRIMARY KEY CHECK (sender LIKE '%@%'),
    blocked_at text COLLATE "C" NOT NULL CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    reason     text COLLATE "C" NOT NULL
);
COMMENT ON TABLE blocked_senders IS 'Addresses and domains that the administrator has blocked';
COMMENT ON COLUMN blocked_senders.sender IS 'In lower case: a@example.org or @example.org';
COMMENT ON COLUMN blocked_senders.reason IS 'The administrator''s, which no player reads';

-- Letters

CREATE SEQUENCE outbox_numbers;
CREATE TABLE outbox (
    id          bigint PRIMARY KEY DEFAULT nextval('outbox_numbers'),
    player      bigint REFERENCES players (id),
    address     text COLLATE "C",
    kind        text COLLATE "C" NOT NULL,
    board       bigint REFERENCES boards (number),
    entry       bigint CHECK (entry BETWEEN 0 AND 4294967295),
    facts       text COLLATE "C" NOT NULL,
    in_reply_to text COLLATE "C",
    domain      text COLLATE "C" NOT NULL,
    created_at  text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    letter      bigint REFERENCES outbox (id),
    bound_at    text COLLATE "C" CHECK (bound_at LIKE '____-__-__T__:__:__Z'),
    held        boolean NOT NULL DEFAULT false,
    attempts    bigint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at      text COLLATE "C" CHECK (due_at LIKE '____-__-__T__:__:__Z'),
    sent_at     text COLLATE "C" CHECK (sent_at LIKE '____-__-__T__:__:__Z'),
    error       text COLLATE "C",
    sent_settings text COLLATE "C",
    CHECK (sent_at IS NULL OR due_at IS NULL),
    CHECK (NOT held OR (due_at IS NULL AND sent_at IS NULL)),
    CHECK (player IS NOT NULL OR address IS NOT NULL)
);
COMMENT ON TABLE outbox IS 'Notices. The due notices of a player are bound into one letter, which is named after its leading notice';
COMMENT ON COLUMN outbox.id IS 'Never reused: it is part of the Message-ID';
COMMENT ON COLUMN outbox.address IS 'The only recipient; NULL: all addresses of the player';
COMMENT ON COLUMN outbox.entry IS 'The length of the record then';
COMMENT ON COLUMN outbox.facts IS 'JSON';
COMMENT ON COLUMN outbox.letter IS 'The leading notice of the letter that it is part of';
COMMENT ON COLUMN outbox.held IS 'Held until the player acts';
COMMENT ON COLUMN outbox.error IS 'Of the last attempt';
COMMENT ON COLUMN outbox.sent_settings IS 'The player''s settings when it was sent';
ALTER SEQUENCE outbox_numbers OWNED BY outbox.id;
CREATE INDEX outbox_due ON outbox ((CASE WHEN letter IS NULL THEN 0 ELSE 1 END), due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_letter ON outbox (letter) WHERE letter IS NOT NULL;
CREATE INDEX outbox_undelivered ON outbox (id) WHERE sent_at IS NULL AND due_at IS NULL;
CREATE INDEX outbox_held ON outbox (player) WHERE held;
CREATE INDEX outbox_reminders ON outbox (board, entry) WHERE kind = 'reminder';
CREATE INDEX outbox_answers ON outbox (lower(address), created_at) WHERE kind = 'answer';

CREATE TABLE deliveries (
    letter  bigint NOT NULL REFERENCES outbox (id),
    address text COLLATE "C" NOT NULL CHECK (address <> ''),
    state   text COLLATE "C" NOT NULL CHECK (state IN ('failed', 'sent', 'refused', 'bounced')),
    at      text COLLATE "C" NOT NULL CHECK (at LIKE '____-__-__T__:__:__Z'),
    error   text COLLATE "C",
    PRIMARY KEY (letter, address)
);
COMMENT ON TABLE deliveries IS 'The delivery of each letter to each address';
COMMENT ON COLUMN deliveries.state IS 'failed: to be retried; bounced: returned later';
COMMENT ON COLUMN deliveries.error IS 'From the receiving server';
CREATE INDEX deliveries_bounced ON deliveries (lower(address), at) WHERE state = 'bounced';

CREATE TABLE turn_letters (
    player bigint NOT NULL REFERENCES players (id),
    board  bigint NOT NULL REFERENCES boards (number),
    entry  bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    PRIMARY KEY (player, board)
);
COMMENT ON TABLE turn_letters IS 'The last letter about the player''s turn on a board, unless they have acted since';
COMMENT ON COLUMN turn_letters.entry IS 'The length of the record then';

CREATE TABLE muted_boards (
    player bigint NOT NULL REFERENCES players (id),
    board  bigint NOT NULL REFERENCES boards (number),
    PRIMARY KEY (player, board)
);
COMMENT ON TABLE muted_boards IS 'Boards about which a player wants no letters';

-- Limits

CREATE TABLE rate_limits (
    what   text COLLATE "C" NOT NULL CHECK (what IN ('wrong password', 'letter', 'password request', 'refusal', 'challenge', 'message', 'report')),
    of     text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    at     text COLLATE "C" NOT NULL CHECK (at LIKE '____-__-__T__:__:__Z')
);
COMMENT ON TABLE rate_limits IS 'Attempts that rate limits count, one a row';
COMMENT ON COLUMN rate_limits.of IS 'The userid or its bucket, or the address; empty if none';
COMMENT ON COLUMN rate_limits.source IS 'The shell, the sender''s address, a client''s address, or a player''s userid; empty for refusals';
CREATE INDEX rate_limits_of ON rate_limits (lower(of), what, at);
CREATE INDEX rate_limits_from ON rate_limits (lower(source), what, at);
CREATE INDEX rate_limits_old ON rate_limits (at);

-- Rules of the record, checked again

CREATE FUNCTION entries_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry is never %', CASE TG_OP WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END;
END $$;
CREATE TRIGGER entries_never_change BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION entries_never_change();
CREATE TRIGGER entries_never_go BEFORE TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION entries_never_change();

CREATE FUNCTION entries_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    b boards%ROWTYPE;
BEGIN
    SELECT * INTO b FROM boards WHERE number = NEW.board;
    IF b.number IS NULL OR b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL THEN
        RAISE EXCEPTION 'an entry was made on a board that has ended, was declined or does not exist';
    ELSIF NEW.entry <> b.entries + 1 THEN
        RAISE EXCEPTION 'an entry must be the next one of its board';
    ELSIF NEW.kind = 0 AND NEW.ply <> b.plies + 1 THEN
        RAISE EXCEPTION 'a move must be the next ply of its board';
    ELSIF NEW.kind = 1 AND NEW.ply >= b.plies THEN
        RAISE EXCEPTION 'an undo must go back';
    ELSIF NEW.kind NOT IN (0, 1) AND NEW.ply <> b.plies THEN
        RAISE EXCEPTION 'an end is not a ply';
    ELSIF NEW.kind = 0 AND NEW.seat IS DISTINCT FROM b.to_move THEN
        RAISE EXCEPTION 'a move must be made by the player to move';
    ELSIF b.head IS DISTINCT FROM (CASE NEW.entry
              WHEN 1 THEN b.genesis
              ELSE (SELECT encode(m.hash, 'hex') FROM entries m WHERE m.board = NEW.board AND m.entry = NEW.entry - 1)
          END)
        OR NEW.hash <> sha256(convert_to(b.head || E'\n' || NEW.ply || E'\n' || NEW.text || E'\n', 'UTF8')) THEN
        RAISE EXCEPTION 'an entry must be chained to the hash of the previous one';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entries_in_order BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION entries_in_order();

CREATE FUNCTION entries_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE boards SET entries = NEW.entry, plies = NEW.ply, head = encode(NEW.hash, 'hex'), moved_at = time_text(NEW.made_at)
        WHERE number = NEW.board;
    RETURN NULL;
END $$;
CREATE TRIGGER entries_count AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION entries_count();

-- The last change of each board.

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
BEGIN
    INSERT INTO changes (seq, board) VALUES (nextval('changes_numbers'), changed)
        ON CONFLICT (board) DO UPDATE SET seq = excluded.seq;
    RETURN NULL;
END $$;
CREATE TRIGGER changes_board_made AFTER INSERT ON boards
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_entry AFTER UPDATE OF entries ON boards
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_arranged AFTER UPDATE OF declined_at, proposal, clock_since, clock_thought, clock_due_at ON boards
    FOR EACH ROW WHEN ((NEW.declined_at, NEW.proposal, NEW.clock_since, NEW.clock_thought, NEW.clock_due_at)
        IS DISTINCT FROM (OLD.declined_at, OLD.proposal, OLD.clock_since, OLD.clock_thought, OLD.clock_due_at)) EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_rematch AFTER INSERT ON boards
    FOR EACH ROW WHEN (NEW.rematch_of IS NOT NULL) EXECUTE FUNCTION note_change('rematch_of');
CREATE TRIGGER changes_rematch_declined AFTER UPDATE OF declined_at ON boards
    FOR EACH ROW WHEN (NEW.rematch_of IS NOT NULL) EXECUTE FUNCTION note_change('rematch_of');
CREATE TRIGGER changes_comment AFTER INSERT ON comments
    FOR EACH ROW EXECUTE FUNCTION note_change('board');
CREATE TRIGGER changes_comment_removed AFTER UPDATE OF text ON comments
    FOR EACH ROW EXECUTE FUNCTION note_change('board');
CREATE TRIGGER changes_challenge_made AFTER INSERT ON challenges
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_challenge_closed AFTER UPDATE OF closed_at ON challenges
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_analysis_asked AFTER INSERT ON analyses
    FOR EACH ROW EXECUTE FUNCTION note_change('board');
CREATE TRIGGER changes_analysis AFTER UPDATE OF analysis ON analyses
    FOR EACH ROW WHEN (NEW.analysis IS DISTINCT FROM OLD.analysis) EXECUTE FUNCTION note_change('board');

-- Only PostgreSQL: for several nodes

CREATE FUNCTION notify_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('turnpost', '');
    RETURN NULL;
END $$;
CREATE TRIGGER nodes_mail AFTER INSERT ON inbox FOR EACH STATEMENT EXECUTE FUNCTION notify_nodes();
CREATE TRIGGER nodes_notice AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION notify_nodes();
CREATE TRIGGER nodes_call AFTER INSERT ON webhook_calls FOR EACH STATEMENT EXECUTE FUNCTION notify_nodes();
CREATE TRIGGER nodes_change AFTER INSERT OR UPDATE ON changes FOR EACH STATEMENT EXECUTE FUNCTION notify_nodes();

CREATE FUNCTION refuse_when_moved() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    there text;
BEGIN
    SELECT moved_to INTO there FROM server;
    IF there IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'TPMVD', MESSAGE = there;
    END IF;
END $$;

-- Fails with this text if a statement has changed no rows.
CREATE FUNCTION require_rows(changed bigint, otherwise text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF changed = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'TPROW', MESSAGE = otherwise;
    END IF;
END $$;

CREATE FUNCTION refuse_while_older_programs_work() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    older bigint;
BEGIN
    SELECT count(*) INTO older FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user
          AND substring(application_name FROM '^turnpost, version ([0-9]{1,9})$')::bigint < NEW.usable_from;
    IF older > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'TPOLD', MESSAGE = older;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_while_older_programs_work BEFORE INSERT ON migrations
    FOR EACH ROW EXECUTE FUNCTION refuse_while_older_programs_work();

-- Views for administrators

-- The records of the boards, in words.
CREATE VIEW record AS
SELECT m.board, m.entry, (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind) AS kind, m.ply, m.seat, m.text,
       time_text(m.made_at) AS made_at,
       (SELECT c.word FROM entry_channels c WHERE c.code = m.via) AS via, encode(m.hash, 'hex') COLLATE "C" AS hash
FROM entries m;

-- Every board with its players and its state.
CREATE VIEW games AS
SELECT b.number AS board,
       b.game,
       b.options,
       b.terms,
       p1.userid AS first_player,
       p2.userid AS second_player,
       b.plies,
       CASE b.to_move WHEN 1 THEN p1.userid WHEN 2 THEN p2.userid END AS whose_turn,
       (SELECT m.text FROM entries m WHERE m.board = b.number AND m.ply = b.plies AND m.kind = 0
        ORDER BY m.entry DESC LIMIT 1) AS last_move,
       CASE
           WHEN b.declined_at IS NOT NULL THEN b.no_result
           WHEN b.ended_at IS NULL THEN 'in progress'
           WHEN b.winner = 1 THEN p1.userid || ' won'
           WHEN b.winner = 2 THEN p2.userid || ' won'
           ELSE coalesce(b.no_result, 'draw')
       END AS result,
       b.reason,
       b.rated,
       b.private,
       b.clock_due_at AS clock_asks_next,
       b.created_at AS started,
       greatest(b.moved_at, b.ended_at, b.declined_at) AS last_activity
FROM boards b
JOIN seats s1 ON s1.board = b.number AND s1.seat = 1
JOIN players p1 ON p1.id = s1.player
JOIN seats s2 ON s2.board = b.number AND s2.seat = 2
JOIN players p2 ON p2.id = s2.player;

-- The record of every board with its players.
CREATE VIEW game_moves AS
SELECT m.board, m.entry, m.ply, coalesce(p.userid, '(administrator)') AS player, m.kind, m.text AS move, m.made_at,
       m.via, m.hash
FROM record m
LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
LEFT JOIN players p ON p.id = s.player;

-- The numbers of games that began and ended in each month.
CREATE VIEW games_a_month AS
SELECT month, sum(began) AS began, sum(ended) AS ended
FROM (
    SELECT substr(created_at, 1, 7) AS month, 1 AS began, 0 AS ended FROM boards WHERE declined_at IS NULL
    UNION ALL
    SELECT substr(ended_at, 1, 7), 0, 1 FROM boards WHERE ended_at IS NOT NULL
) m
GROUP BY month
ORDER BY month;

-- Everything that happened on every board, in order.
CREATE VIEW board_story AS
SELECT board, at, entry, event, player, what, via, mail
FROM (
    SELECT b.number AS board, b.created_at AS at, 0 AS entry, 'challenge' AS event, p.userid AS player,
           b.game || CASE b.options WHEN '' THEN '' ELSE ' ' || b.options END AS what, NULL AS via,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'board' AND e.item = b.number) AS mail, 0 AS rank, 0 AS number
    FROM boards b LEFT JOIN players p ON p.id = b.challenger
    UNION ALL
    SELECT m.board, m.made_at, m.entry, m.kind, coalesce(p.userid, '(administrator)'), m.text, m.via,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'entry' AND e.item = m.entry AND e.board = m.board), 1, m.entry
    FROM record m
    LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
    LEFT JOIN players p ON p.id = s.player
    UNION ALL
    SELECT c.board, c.said_at, c.entry, 'comment', p.userid, c.text, NULL,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'comment' AND e.item = c.id), 2, c.id
    FROM comments c JOIN players p ON p.id = c.player
    UNION ALL
    SELECT r.board, r.made_at, r.entry, 'proposal', p.userid,
           r.kind || CASE WHEN r.answer IS NOT NULL THEN ''
                          WHEN b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL OR b.entries > r.entry
                          THEN ', lapsed' ELSE ', open' END, r.via,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'proposal' AND e.item = r.id), 3, r.id
    FROM proposals r
    JOIN boards b ON b.number = r.board
    JOIN seats s ON s.board = r.board AND s.seat = r.seat
    JOIN players p ON p.id = s.player
    UNION ALL
    SELECT r.board, r.answered_at, r.entry, r.answer, p.userid, r.kind, NULL,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'answer' AND e.item = r.id), 4, r.id
    FROM proposals r
    JOIN seats s ON s.board = r.board AND s.seat = CASE r.answer WHEN 'withdrawn' THEN r.seat ELSE 3 - r.seat END
    JOIN players p ON p.id = s.player
    WHERE r.answer IS NOT NULL
    UNION ALL
    SELECT o.board, o.created_at, o.entry, 'reminder', p.userid, 'letter ' || coalesce(o.letter, o.id), NULL, NULL, 5, o.id
    FROM outbox o JOIN players p ON p.id = o.player
    WHERE o.kind = 'reminder'
    UNION ALL
    SELECT b.number, b.ended_at, b.entries, 'end', p.userid,
           CASE WHEN b.winner IS NULL THEN coalesce(b.no_result, 'draw') ELSE 'won' END || ' (' || b.reason || ')',
           NULL, NULL, 6, 0
    FROM boards b
    LEFT JOIN seats s ON s.board = b.number AND s.seat = b.winner
    LEFT JOIN players p ON p.id = s.player
    WHERE b.ended_at IS NOT NULL
    UNION ALL
    SELECT b.number, b.declined_at, b.entries, b.no_result, p.userid, '', NULL, NULL, 6, 0
    FROM boards b JOIN players p ON p.id = b.declined_by
) story
ORDER BY board, at, entry, rank, number;

-- The boards that wait for a move, and for how long.
CREATE VIEW waiting AS
SELECT p.userid AS player,
       b.number AS board,
       b.game,
       o.userid AS opponent,
       b.moved_at AS since,
       round(days_since(b.moved_at)::numeric, 1)::double precision AS days_waiting,
       b.clock_reminded AS reminders,
       b.clock_due_at AS clock_asks_next
FROM boards b
JOIN players p ON p.id = b.player_to_move
JOIN seats t ON t.board = b.number AND t.seat = 3 - b.to_move
JOIN players o ON o.id = t.player
WHERE b.player_to_move IS NOT NULL;

-- Challenges that can still be accepted.
CREATE VIEW open_challenges AS
SELECT o.number, o.game, o.options, o.terms, p.userid AS challenger, o.rated, o.created_at AS made
FROM challenges o JOIN players p ON p.id = o.challenger
WHERE o.closed_at IS NULL;

-- Every player with their boards and last activity: a challenge, entry, comment or proposal of theirs.
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       trunc(days_since(last_active))::bigint AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.active) AS boards,
           (SELECT count(*) FROM boards b WHERE b.player_to_move = p.id) AS their_turn,
           (SELECT trunc(days_since(min(b.moved_at)))::bigint FROM boards b WHERE b.player_to_move = p.id) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.ended) AS finished,
           greatest(p.created_at,
               (SELECT max(b.created_at) FROM seats s JOIN boards b ON b.number = s.board AND b.challenger = p.id
                WHERE s.player = p.id),
               (SELECT time_text(max(m.made_at))
                FROM seats s JOIN entries m ON m.board = s.board AND m.seat = s.seat
                WHERE s.player = p.id AND m.via NOT IN (5, 6, 7)),
               (SELECT max(c.said_at) FROM comments c WHERE c.player = p.id),
               (SELECT max(r.made_at) FROM seats s JOIN proposals r ON r.board = s.board AND r.seat = s.seat
                WHERE s.player = p.id)) AS last_active
    FROM players p
) a
ORDER BY lower(userid);

-- The ratings, the best first.
CREATE VIEW ratings AS
SELECT s.game, p.userid AS player, round(s.rating) AS rating, round(s.deviation) AS deviation, s.wins, s.losses, s.draws
FROM standings s JOIN players p ON p.id = s.player
ORDER BY s.game, s.rating DESC;

-- The rating changes of each rated board.
CREATE VIEW rating_history AS
SELECT p.userid AS player,
       b.game,
       b.ended_at AS ended,
       b.number AS board,
       o.userid AS opponent,
       CASE WHEN b.winner IS NULL THEN 'draw' WHEN b.winner = c.seat THEN 'won' ELSE 'lost' END AS result,
       round(c.rating_before) AS before,
       round(c.rating_after) AS after,
       round(c.deviation_after) AS deviation
FROM rating_changes c
JOIN boards b ON b.number = c.board
JOIN seats s ON s.board = c.board AND s.seat = c.seat
JOIN players p ON p.id = s.player
JOIN seats t ON t.board = c.board AND t.seat = 3 - c.seat
JOIN players o ON o.id = t.player
ORDER BY b.rated_as, c.seat;

-- Every message with its sender, its commands and its result.
CREATE VIEW incoming_mail AS
SELECT i.id,
       i.received_at AS received,
       i.via,
       i.sender,
       -- The player who moved by it; otherwise the author by a reply token; otherwise the owner of the address.
       coalesce(
           (SELECT p.userid FROM mail_actions e JOIN entries m ON m.board = e.board AND m.entry = e.item AND m.via = 0
            JOIN seats s ON s.board = m.board AND s.seat = m.seat JOIN players p ON p.id = s.player
            WHERE e.mail = i.id AND e.kind = 'entry' ORDER BY e.id LIMIT 1),
           (SELECT p.userid FROM players p WHERE p.id = i.author),
           (SELECT p.userid FROM addresses a JOIN players p ON p.id = a.player
            WHERE lower(a.address) = lower(i.sender) AND a.confirmed_at IS NOT NULL)
       ) AS player,
       CASE WHEN i.verdict = 'done' AND EXISTS (SELECT 1 FROM refusals r WHERE r.mail = i.id) THEN 'refused in part'
            ELSE coalesce(i.verdict, 'waits') END AS verdict,
       i.commands,
       i.reason || coalesce(' ' || (SELECT string_agg(CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, ' ' ORDER BY r.id)
            FROM refusals r WHERE r.mail = i.id), '') AS reason,
       (SELECT string_agg(CASE e.kind
                WHEN 'board' THEN 'board ' || e.board
                WHEN 'entry' THEN 'board ' || e.board || ' entry ' || e.item
                WHEN 'comment' THEN 'board ' || e.board || ' comment'
                WHEN 'proposal' THEN 'board ' || e.board || ' proposal'
                WHEN 'answer' THEN 'board ' || e.board || ' answer to a proposal'
                ELSE 'letter ' || coalesce(o.letter, o.id) || ' to ' || coalesce(p.userid, o.address)
            END, '; ' ORDER BY e.id)
            FROM mail_actions e
            LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
            LEFT JOIN players p ON p.id = o.player
            WHERE e.mail = i.id) AS actions,
       i.attempts,
       i.closed_at AS dealt_with
FROM inbox i;

-- The actions and the refusals of all messages.
CREATE VIEW mail_log AS
SELECT mail, received, player, sender, action, board, entry, what, letter
FROM (
    SELECT i.id AS mail, i.received, coalesce(
            CASE e.kind
                WHEN 'entry' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                     WHERE s.board = m.board AND s.seat = m.seat)
                WHEN 'comment' THEN (SELECT w.userid FROM players w WHERE w.id = c.player)
                WHEN 'board' THEN (SELECT w.userid FROM boards g JOIN players w ON w.id = g.challenger WHERE g.number = e.board)
                WHEN 'proposal' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                        WHERE s.board = r.board AND s.seat = r.seat)
            END, i.player) AS player, i.sender,
           CASE e.kind WHEN 'entry' THEN (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind)
                       WHEN 'notice' THEN 'letter' WHEN 'proposal' THEN 'proposal'
                       WHEN 'answer' THEN coalesce(r.answer, 'answer') ELSE e.kind
           END AS action,
           e.board,
           CASE e.kind WHEN 'entry' THEN e.item WHEN 'comment' THEN c.entry WHEN 'notice' THEN o.entry
                       WHEN 'board' THEN NULL ELSE r.entry
           END AS entry,
           CASE e.kind WHEN 'board' THEN (SELECT g.game FROM boards g WHERE g.number = e.board)
                       WHEN 'entry' THEN m.text WHEN 'comment' THEN c.text
                       WHEN 'notice' THEN o.kind || ' to ' || coalesce(p.userid, o.address) ELSE r.kind
           END AS what,
           CASE e.kind WHEN 'notice' THEN coalesce(o.letter, o.id) END AS letter,
           1 AS rank, e.id AS number
    FROM mail_actions e
    JOIN incoming_mail i ON i.id = e.mail
    LEFT JOIN entries m ON e.kind = 'entry' AND m.board = e.board AND m.entry = e.item
    LEFT JOIN comments c ON e.kind = 'comment' AND c.id = e.item
    LEFT JOIN proposals r ON e.kind IN ('proposal', 'answer') AND r.id = e.item
    LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
    LEFT JOIN players p ON p.id = o.player
    UNION ALL
    SELECT i.id, i.received, i.player, i.sender, 'refused', NULL, NULL,
           CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, NULL, 0, r.id
    FROM refusals r JOIN incoming_mail i ON i.id = r.mail
) m
ORDER BY mail, rank, number;

-- Every letter and its deliveries.
CREATE VIEW letters AS
SELECT letter, written, player, address, about, mail, attempts,
       CASE
           WHEN held THEN 'held until the player does something'
           WHEN due_at IS NOT NULL AND error IS NULL THEN 'due'
           WHEN due_at IS NOT NULL THEN 'due again'
           WHEN sent_at IS NULL THEN 'given up'
           WHEN bounced_at IS NOT NULL AND arrived = 0 THEN 'bounced'
           WHEN bounced_at IS NOT NULL THEN 'bounced in part'
           ELSE 'sent'
       END AS state,
       CASE WHEN sent_at IS NOT NULL THEN coalesce(bounced_at, sent_at) ELSE due_at END AS at,
       CASE WHEN sent_at IS NOT NULL AND bounced_at IS NOT NULL THEN
           (SELECT max(d.error) FROM deliveries d WHERE d.letter = l.letter AND d.state = 'bounced')
       ELSE error END AS error
FROM (
    SELECT o.id AS letter,
           o.created_at AS written,
           p.userid AS player,
           coalesce(o.address, (SELECT string_agg(a.address, ', ' ORDER BY lower(a.address))
            FROM addresses a WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
           (SELECT string_agg(n.kind || CASE WHEN n.board IS NULL THEN '' ELSE ', board ' || n.board END
                || CASE WHEN n.entry IS NULL THEN '' ELSE ', entry ' || n.entry END, '; ' ORDER BY n.id)
            FROM outbox n WHERE n.id = o.id OR n.letter = o.id) AS about,
           (SELECT min(e.mail) FROM outbox n JOIN mail_actions e ON e.kind = 'notice' AND e.item = n.id
            WHERE n.id = o.id OR n.letter = o.id) AS mail,
           (SELECT max(d.at) FROM deliveries d WHERE d.letter = o.id AND d.state = 'bounced') AS bounced_at,
           (SELECT count(*) FROM deliveries d WHERE d.letter = o.id AND d.state = 'sent') AS arrived,
           o.attempts, o.held, o.due_at, o.sent_at, o.error
    FROM outbox o
    LEFT JOIN players p ON p.id = o.player
    WHERE o.letter IS NULL OR o.letter = o.id
) l;

-- Letters that came back or were refused, the newest first.
CREATE VIEW bounces AS
SELECT d.letter, d.address, p.userid AS player, d.state AS how, d.at, d.error, l.about
FROM deliveries d
JOIN letters l ON l.letter = d.letter
JOIN outbox o ON o.id = d.letter
LEFT JOIN players p ON p.id = o.player
WHERE d.state IN ('bounced', 'refused')
ORDER BY d.at DESC, d.letter DESC;

-- Notices that are not delivered yet.
CREATE VIEW undelivered_mail AS
SELECT o.id,
       p.userid AS player,
       coalesce(o.address, (SELECT string_agg(a.address, ', ' ORDER BY lower(a.address))
            FROM addresses a WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
       o.kind || CASE WHEN o.board IS NULL THEN '' ELSE ', board ' || o.board END
                || CASE WHEN o.entry IS NULL THEN '' ELSE ', entry ' || o.entry END AS about,
       o.created_at AS written,
       o.attempts,
       o.error AS last_error,
       CASE WHEN o.held THEN 'kept until the player answers' ELSE coalesce(o.due_at, 'given up') END AS next_attempt
FROM outbox o
LEFT JOIN players p ON p.id = o.player
WHERE o.sent_at IS NULL;

-- Addresses to which no letters are sent at present.
CREATE VIEW paused_addresses AS
SELECT p.userid AS player, a.address, a.paused_at AS since, a.paused_why AS why
FROM addresses a JOIN players p ON p.id = a.player
WHERE a.paused_at IS NOT NULL;

INSERT INTO migrations (version, name, usable_from) VALUES (1, 'schema', 1);
