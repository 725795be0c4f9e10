-- The tables of a turnpost server in PostgreSQL. Times are in UTC, for example 2026-03-01T12:00:00Z. Statements use the
-- indexes on lower() to ignore case. The program adds the views (migrations/views.sql), and the comments on tables and
-- columns (migrations/sqlite).

-- Functions

-- SQLite has this function, and statements for both databases use it.
CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT strpos($1, $2) $$;
CREATE FUNCTION time_text(bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_char(to_timestamp($1::double precision) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') COLLATE "C" $$;
CREATE FUNCTION days_since(text) RETURNS double precision LANGUAGE sql STABLE AS
$$ SELECT extract(epoch FROM now() - $1::timestamptz)::double precision / 86400 $$;

-- PostgreSQL only: the empty table that every write transaction locks before it takes its snapshot.
CREATE TABLE writer ();

-- PostgreSQL only: the last number assigned in each table whose numbers must have no gaps. On SQLite, sqlite_sequence
-- contains these numbers.
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

CREATE TABLE migrations (
    version     integer PRIMARY KEY CHECK (version > 0),
    name        text COLLATE "C" NOT NULL,
    usable_from integer NOT NULL
);
COMMENT ON COLUMN migrations.usable_from IS 'The version of the oldest program that can use the migrated database';

CREATE TABLE leases (
    work       text COLLATE "C" PRIMARY KEY CHECK (work <> ''),
    node       text COLLATE "C" NOT NULL CHECK (node <> ''),
    expires_at text COLLATE "C" NOT NULL CHECK (expires_at LIKE '____-__-__T__:__:__Z')
) WITH (fillfactor = 50);

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
    replaced     boolean NOT NULL DEFAULT false,
    CHECK ((code IS NULL) = (confirmed_at IS NOT NULL))
);
CREATE UNIQUE INDEX addresses_of ON addresses (player, lower(address));
CREATE UNIQUE INDEX addresses_confirmed ON addresses (lower(address)) WHERE confirmed_at IS NOT NULL;
CREATE INDEX addresses_unconfirmed ON addresses (added_at) WHERE confirmed_at IS NULL;

CREATE TABLE departed_addresses (
    address text COLLATE "C" NOT NULL CHECK (address <> ''),
    left_at text COLLATE "C" NOT NULL CHECK (left_at LIKE '____-__-__T__:__:__Z')
);
CREATE UNIQUE INDEX departed_addresses_address ON departed_addresses (lower(address));

CREATE TABLE sessions (
    hash     bytea PRIMARY KEY CHECK (length(hash) = 32),
    player   bigint NOT NULL REFERENCES players (id),
    begun_at text COLLATE "C" NOT NULL CHECK (begun_at LIKE '____-__-__T__:__:__Z')
);
CREATE INDEX sessions_of ON sessions (player);
CREATE INDEX sessions_old ON sessions (begun_at);

CREATE TABLE browsers (
    hash    bytea NOT NULL CHECK (length(hash) = 32),
    player  bigint NOT NULL REFERENCES players (id),
    used_at text COLLATE "C" NOT NULL CHECK (used_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (hash, player)
);
CREATE INDEX browsers_player ON browsers (player);

CREATE TABLE login_links (
    id       bigint PRIMARY KEY DEFAULT next_number('login_links'),
    player   bigint NOT NULL REFERENCES players (id),
    asked_at text COLLATE "C" NOT NULL CHECK (asked_at LIKE '____-__-__T__:__:__Z'),
    used     boolean NOT NULL DEFAULT false,
    purpose  text COLLATE "C" NOT NULL DEFAULT 'login' CHECK (purpose IN ('login', 'password'))
);
CREATE INDEX login_links_of ON login_links (player, asked_at);
CREATE INDEX login_links_old ON login_links (asked_at);

CREATE TABLE tokens (
    hash       bytea PRIMARY KEY CHECK (length(hash) = 32),
    player     bigint NOT NULL REFERENCES players (id),
    label      text COLLATE "C" NOT NULL CHECK (label <> ''),
    created_at text COLLATE "C" NOT NULL CHECK (created_at LIKE '____-__-__T__:__:__Z'),
    used_at    text COLLATE "C" CHECK (used_at LIKE '____-__-__T__:__:__Z')
);
CREATE INDEX tokens_of ON tokens (player, created_at);

CREATE TABLE vacations (
    player   bigint NOT NULL REFERENCES players (id),
    from_at  text COLLATE "C" NOT NULL CHECK (from_at LIKE '____-__-__T__:__:__Z'),
    until_at text COLLATE "C" NOT NULL CHECK (until_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (player, from_at),
    CHECK (from_at < until_at)
);

CREATE TABLE blocks (
    player     bigint NOT NULL REFERENCES players (id),
    blocked    bigint NOT NULL REFERENCES players (id),
    blocked_at text COLLATE "C" NOT NULL CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (player, blocked),
    CHECK (player <> blocked)
);
CREATE INDEX blocks_blocked ON blocks (blocked);

CREATE TABLE calendars (
    player bigint PRIMARY KEY REFERENCES players (id),
    number bigint NOT NULL UNIQUE CHECK (number BETWEEN 0 AND 4294967295)
);

CREATE TABLE preferences (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    seeks  bigint NOT NULL DEFAULT 0 CHECK (seeks >= 0),
    most   bigint CHECK (most >= 0),
    PRIMARY KEY (player, game)
);
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
CREATE INDEX seats_of ON seats (player, board, active, ended);
CREATE INDEX seats_active ON seats (player, board, active) WHERE active;

CREATE TABLE entry_kinds (
    code smallint PRIMARY KEY,
    word text COLLATE "C" NOT NULL UNIQUE
);
INSERT INTO entry_kinds (code, word) VALUES (0, 'move'), (1, 'undo'), (2, 'resign'), (3, 'draw'), (4, 'forfeit'),
    (5, 'adjudge'), (6, 'reopen'), (7, 'void'), (8, 'abandon');

CREATE TABLE entry_channels (
    code smallint PRIMARY KEY,
    word text COLLATE "C" NOT NULL UNIQUE
);
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

CREATE TABLE comments (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    board   bigint NOT NULL REFERENCES boards (number),
    entry   bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    player  bigint NOT NULL REFERENCES players (id),
    text    text COLLATE "C" NOT NULL,
    said_at text COLLATE "C" NOT NULL CHECK (said_at LIKE '____-__-__T__:__:__Z')
);
CREATE INDEX comments_on ON comments (board, id);
CREATE INDEX comments_by ON comments (player, said_at);

CREATE TABLE notes (
    board      bigint NOT NULL REFERENCES boards (number),
    player     bigint NOT NULL REFERENCES players (id),
    text       text COLLATE "C" NOT NULL CHECK (text <> ''),
    written_at text COLLATE "C" NOT NULL CHECK (written_at LIKE '____-__-__T__:__:__Z'),
    PRIMARY KEY (board, player)
);

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
CREATE INDEX proposals_on ON proposals (board, id);

CREATE TABLE followers (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player    bigint NOT NULL REFERENCES players (id),
    board     bigint REFERENCES boards (number),
    game      text COLLATE "C",
    ends_only boolean NOT NULL,
    CHECK ((board IS NULL) <> (game IS NULL))
);
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
CREATE INDEX standstills_lasting ON standstills (id) WHERE ended_at IS NULL;

CREATE SEQUENCE changes_numbers;
CREATE TABLE changes (
    seq   bigint PRIMARY KEY,
    board bigint NOT NULL UNIQUE
);
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
CREATE INDEX standings_by_rating ON standings (game, rating DESC, player);
CREATE INDEX standings_of ON standings (player);

CREATE TABLE rating_ranges (
    game    text COLLATE "C" NOT NULL,
    low     bigint NOT NULL,
    players bigint NOT NULL,
    PRIMARY KEY (game, low)
);

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
CREATE UNIQUE INDEX events_name ON events (lower(name));
CREATE INDEX events_due ON events (due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE entrants (
    event     bigint NOT NULL REFERENCES events (id),
    player    bigint NOT NULL REFERENCES players (id),
    joined_at text COLLATE "C" NOT NULL CHECK (joined_at LIKE '____-__-__T__:__:__Z'),
    absent    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (event, player)
);
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
CREATE INDEX participants_player ON participants (player, final_rank);

CREATE TABLE event_boards (
    board      bigint PRIMARY KEY REFERENCES boards (number),
    event      bigint NOT NULL REFERENCES events (id),
    edition    bigint NOT NULL CHECK (edition BETWEEN 1 AND 4294967295),
    division   bigint NOT NULL CHECK (division BETWEEN 1 AND 4294967295),
    round      bigint NOT NULL CHECK (round BETWEEN 1 AND 4294967295),
    slot       bigint NOT NULL CHECK (slot BETWEEN 1 AND 4294967295),
    postponed  bigint NOT NULL DEFAULT 0 CHECK (postponed >= 0),
    settled_at text COLLATE "C" CHECK (settled_at LIKE '____-__-__T__:__:__Z')
);
CREATE INDEX event_boards_of ON event_boards (event, edition, settled_at);

-- Analyses, hints and puzzles

CREATE TABLE analyses (
    board    bigint PRIMARY KEY REFERENCES boards (number),
    head     text COLLATE "C" NOT NULL CHECK (length(head) = 64),
    asked_at text COLLATE "C" NOT NULL CHECK (asked_at LIKE '____-__-__T__:__:__Z'),
    askers   text COLLATE "C" NOT NULL,
    analysis text COLLATE "C"
);
CREATE INDEX analyses_waiting ON analyses (asked_at, board) WHERE analysis IS NULL;

CREATE TABLE hints (
    board  bigint PRIMARY KEY REFERENCES boards (number),
    entry  bigint NOT NULL CHECK (entry >= 1),
    chance bigint CHECK (chance BETWEEN 0 AND 1000),
    proved boolean NOT NULL,
    line   text COLLATE "C" NOT NULL
);

CREATE TABLE puzzle_queue (
    board bigint PRIMARY KEY REFERENCES boards (number)
);

CREATE TABLE puzzles (
    game     text COLLATE "C" NOT NULL,
    number   bigint NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    board    bigint NOT NULL REFERENCES boards (number),
    ply      bigint NOT NULL CHECK (ply BETWEEN 1 AND 4294967295),
    position text COLLATE "C" NOT NULL UNIQUE CHECK (length(position) = 64),
    solution text COLLATE "C" NOT NULL CHECK (solution <> ''),
    daily    text COLLATE "C" CHECK (daily LIKE '____-__-__'),
    withdrawn boolean NOT NULL DEFAULT false,
    CHECK (daily IS NULL OR NOT withdrawn),
    PRIMARY KEY (game, number)
);
CREATE UNIQUE INDEX puzzles_of_day ON puzzles (game, daily) WHERE daily IS NOT NULL;
CREATE INDEX puzzles_by_turn ON puzzles (game, daily NULLS FIRST, number);

CREATE TABLE puzzle_readers (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    PRIMARY KEY (player, game)
);
CREATE INDEX puzzle_readers_of_game ON puzzle_readers (game, player);

CREATE TABLE solved_puzzles (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    number bigint NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    day    text COLLATE "C" NOT NULL CHECK (day LIKE '____-__-__'),
    found  boolean NOT NULL,
    PRIMARY KEY (player, game, number)
);

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
ALTER SEQUENCE inbox_numbers OWNED BY inbox.id;
CREATE INDEX inbox_waiting ON inbox (id) WHERE verdict IS NULL;
CREATE UNIQUE INDEX inbox_identity ON inbox (identity) WHERE identity IS NOT NULL AND verdict <> 'repeated';

CREATE TABLE quarantine (
    mail bigint PRIMARY KEY REFERENCES inbox (id),
    raw  bytea NOT NULL
);

CREATE TABLE refusals (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mail    bigint NOT NULL REFERENCES inbox (id),
    command text COLLATE "C" NOT NULL,
    reason  text COLLATE "C" NOT NULL
);
CREATE INDEX refusals_of ON refusals (mail);

CREATE TABLE mail_actions (
    id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mail  bigint NOT NULL REFERENCES inbox (id),
    kind  text COLLATE "C" NOT NULL CHECK (kind IN ('board', 'entry', 'comment', 'proposal', 'answer', 'notice')),
    board bigint,
    item  bigint NOT NULL
);
CREATE INDEX mail_actions_of ON mail_actions (mail);
CREATE INDEX mail_actions_by_item ON mail_actions (kind, item, board);

CREATE TABLE blocked_senders (
    sender     text COLLATE "C" PRIMARY KEY CHECK (sender LIKE '%@%'),
    blocked_at text COLLATE "C" NOT NULL CHECK (blocked_at LIKE '____-__-__T__:__:__Z'),
    reason     text COLLATE "C" NOT NULL
);

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
ALTER SEQUENCE outbox_numbers OWNED BY outbox.id;
CREATE INDEX outbox_due ON outbox ((CASE WHEN letter IS NULL THEN 0 ELSE 1 END), due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_letter ON outbox (letter) WHERE letter IS NOT NULL;
CREATE INDEX outbox_undelivered ON outbox (id) WHERE sent_at IS NULL AND due_at IS NULL;
CREATE INDEX outbox_held ON outbox (player) WHERE held;
CREATE INDEX outbox_board ON outbox (board, entry) WHERE board IS NOT NULL;
CREATE INDEX outbox_answers ON outbox (lower(address), created_at) WHERE kind = 'answer';

CREATE TABLE deliveries (
    letter  bigint NOT NULL REFERENCES outbox (id),
    address text COLLATE "C" NOT NULL CHECK (address <> ''),
    state   text COLLATE "C" NOT NULL CHECK (state IN ('failed', 'sent', 'refused', 'bounced')),
    at      text COLLATE "C" NOT NULL CHECK (at LIKE '____-__-__T__:__:__Z'),
    error   text COLLATE "C",
    PRIMARY KEY (letter, address)
);
CREATE INDEX deliveries_bounced ON deliveries (lower(address), at) WHERE state = 'bounced';

CREATE TABLE turn_letters (
    player bigint NOT NULL REFERENCES players (id),
    board  bigint NOT NULL REFERENCES boards (number),
    entry  bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    PRIMARY KEY (player, board)
);

CREATE TABLE muted_boards (
    player bigint NOT NULL REFERENCES players (id),
    board  bigint NOT NULL REFERENCES boards (number),
    PRIMARY KEY (player, board)
);

-- Limits

CREATE TABLE rate_limits (
    what   text COLLATE "C" NOT NULL CHECK (what IN ('wrong password', 'letter', 'password request', 'refusal', 'challenge', 'message', 'report', 'calendar')),
    of     text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    at     text COLLATE "C" NOT NULL CHECK (at LIKE '____-__-__T__:__:__Z')
);
CREATE INDEX rate_limits_of ON rate_limits (lower(of), what, at);
CREATE INDEX rate_limits_from ON rate_limits (lower(source), what, at);
CREATE INDEX rate_limits_old ON rate_limits (at);

-- Triggers that check the rules for records, as the program does

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

-- Triggers that record the last change of each board

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

-- PostgreSQL only: triggers and functions for several nodes

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

-- Raises an error with the text `otherwise` if `changed`, the number of changed rows, is 0.
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

INSERT INTO migrations (version, name, usable_from) VALUES (1, 'schema', 1);
