-- The tables, equal to those of SQLite after its first 24 migrations. Times are text in UTC, `2026-11-21T14:20:33Z`, as
-- there: they sort as they read, and the same statement of an administrator asks the same of both. Text has the
-- collation "C": it sorts by its characters whatever the server's locale is, `lower` changes ASCII letters alone, and no
-- index breaks when the operating system learns a new order.
-- Every migration ends by adding its row to `migrations`.

CREATE TABLE migrations (
    version integer PRIMARY KEY CHECK (version > 0),
    name    text COLLATE "C" NOT NULL
);
COMMENT ON TABLE migrations IS 'The migrations that this database has had';

-- Whoever writes locks this table first, so there is one writer at a time; readers do not wait.
CREATE TABLE writer ();
COMMENT ON TABLE writer IS 'Has no rows: whoever writes locks it';

CREATE FUNCTION is_time(text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT $1 ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$' $$;

CREATE FUNCTION time_text(bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_char(to_timestamp($1::double precision) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') COLLATE "C" $$;

-- The numbers that were given out. Sequences would leave gaps, and let a greater number be seen before a smaller one.
CREATE TABLE last_numbers (
    name text COLLATE "C" PRIMARY KEY,
    last bigint NOT NULL DEFAULT 0 CHECK (last >= 0)
) WITH (fillfactor = 50);
COMMENT ON TABLE last_numbers IS 'The last number that was given to a row of each table';
INSERT INTO last_numbers (name)
VALUES ('players'), ('boards'), ('inbox'), ('outbox'), ('login_links'), ('changes'), ('calls');

CREATE FUNCTION next_number(text) RETURNS bigint LANGUAGE sql VOLATILE AS
$$ UPDATE last_numbers SET last = last + 1 WHERE name = $1 RETURNING last $$;

CREATE TABLE server (
    one             integer PRIMARY KEY CHECK (one = 1),
    server_id       text COLLATE "C" NOT NULL CHECK (server_id <> ''),
    reply_key       bytea CHECK (length(reply_key) = 32),
    letters_held_at text COLLATE "C" CHECK (is_time(letters_held_at))
);
COMMENT ON COLUMN server.letters_held_at IS 'Since when the administrator lets no letter leave';
-- The program that runs this migration adds the row, with random keys.

CREATE TABLE players (
    id               bigint PRIMARY KEY DEFAULT next_number('players'),
    userid           text COLLATE "C" NOT NULL CHECK (userid <> ''),
    password_hash    text COLLATE "C" NOT NULL,
    created_at       text COLLATE "C" NOT NULL CHECK (is_time(created_at)),
    mail             text COLLATE "C" NOT NULL DEFAULT 'text',
    rhythm           text COLLATE "C" NOT NULL DEFAULT 'each',
    reminders        text COLLATE "C" NOT NULL DEFAULT 'all',
    zone             text COLLATE "C" NOT NULL DEFAULT 'UTC',
    weekend          text COLLATE "C" NOT NULL DEFAULT 'none',
    signoff_code     text COLLATE "C",
    signoff_at       text COLLATE "C" CHECK (is_time(signoff_at)),
    left_at          text COLLATE "C" CHECK (is_time(left_at)),
    letters          text COLLATE "C" NOT NULL DEFAULT 'all',
    dmarc            text COLLATE "C" NOT NULL DEFAULT 'off',
    theme            text COLLATE "C" NOT NULL DEFAULT 'wood',
    blocked_at       text COLLATE "C" CHECK (is_time(blocked_at)),
    back_in_reach_at text COLLATE "C" CHECK (is_time(back_in_reach_at)),
    CHECK ((signoff_at IS NULL) = (signoff_code IS NULL))
);
CREATE UNIQUE INDEX players_userid ON players (lower(userid));
COMMENT ON COLUMN players.password_hash IS 'Argon2; empty when the player has left';
COMMENT ON COLUMN players.back_in_reach_at IS
    'A player whose letters came back cannot have read their reminders: the day before a forfeit begins no earlier';

CREATE TABLE addresses (
    id           bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    player       bigint NOT NULL REFERENCES players (id),
    address      text COLLATE "C" NOT NULL CHECK (address <> ''),
    code         text COLLATE "C",
    added_at     text COLLATE "C" NOT NULL CHECK (is_time(added_at)),
    confirmed_at text COLLATE "C" CHECK (is_time(confirmed_at)),
    paused_at    text COLLATE "C" CHECK (is_time(paused_at)),
    paused_why   text COLLATE "C",
    CHECK ((code IS NULL) = (confirmed_at IS NOT NULL)),
    CHECK ((paused_why IS NULL) = (paused_at IS NULL))
);
CREATE UNIQUE INDEX addresses_of ON addresses (player, lower(address));
-- Several players may claim an address; only one can have confirmed it.
CREATE UNIQUE INDEX addresses_confirmed ON addresses (lower(address)) WHERE confirmed_at IS NOT NULL;
CREATE INDEX addresses_unconfirmed ON addresses (added_at) WHERE confirmed_at IS NULL;
COMMENT ON COLUMN addresses.code IS 'What its owner must send back; NULL once confirmed';

CREATE TABLE boards (
    number         bigint PRIMARY KEY CHECK (number BETWEEN 1 AND 4294967295),
    game           text COLLATE "C" NOT NULL,
    options        text COLLATE "C" NOT NULL,
    challenger     bigint REFERENCES players (id),
    to_move        smallint CHECK (to_move IN (1, 2)),
    entries        bigint NOT NULL DEFAULT 0 CHECK (entries BETWEEN 0 AND 4294967295),
    plies          bigint NOT NULL DEFAULT 0 CHECK (plies BETWEEN 0 AND 4294967295),
    genesis        text COLLATE "C" NOT NULL,
    head           text COLLATE "C" NOT NULL,
    created_at     text COLLATE "C" NOT NULL CHECK (is_time(created_at)),
    moved_at       text COLLATE "C" NOT NULL CHECK (is_time(moved_at)),
    winner         smallint CHECK (winner IN (1, 2)),
    reason         text COLLATE "C",
    ended_at       text COLLATE "C" CHECK (is_time(ended_at)),
    declined_by    bigint REFERENCES players (id),
    declined_at    text COLLATE "C" CHECK (is_time(declined_at)),
    rated          boolean NOT NULL DEFAULT false,
    rated_as       bigint CHECK (rated_as >= 1),
    private        boolean NOT NULL DEFAULT false,
    nag_days       bigint NOT NULL DEFAULT 0 CHECK (nag_days >= 0),
    forfeit_days   bigint NOT NULL DEFAULT 0 CHECK (forfeit_days >= 0),
    total_days     bigint NOT NULL DEFAULT 0 CHECK (total_days >= 0),
    clock_since    text COLLATE "C" CHECK (is_time(clock_since)),
    clock_thought  bigint NOT NULL DEFAULT 0 CHECK (clock_thought >= 0),
    clock_reminded bigint NOT NULL DEFAULT 0 CHECK (clock_reminded >= 0),
    clock_due_at   text COLLATE "C" CHECK (is_time(clock_due_at)),
    proposal       text COLLATE "C" CHECK (proposal IN ('draw', 'undo')),
    proposed_by    smallint CHECK (proposed_by IN (1, 2)),
    CHECK ((reason IS NULL) = (ended_at IS NULL)),
    CHECK (winner IS NULL OR ended_at IS NOT NULL),
    CHECK ((declined_by IS NULL) = (declined_at IS NULL)),
    CHECK (ended_at IS NULL OR declined_at IS NULL),
    CHECK ((ended_at IS NULL AND declined_at IS NULL) OR to_move IS NULL),
    CHECK (clock_since IS NULL OR (ended_at IS NULL AND declined_at IS NULL)),
    CHECK (clock_due_at IS NULL OR clock_since IS NOT NULL),
    CHECK (proposal IS NULL OR (ended_at IS NULL AND declined_at IS NULL)),
    CHECK ((proposed_by IS NULL) = (proposal IS NULL)),
    CHECK (rated_as IS NULL OR (rated AND ended_at IS NOT NULL))
);
CREATE INDEX boards_active ON boards (number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_declined ON boards (number) WHERE declined_at IS NOT NULL;
CREATE INDEX boards_of_game ON boards (game, number);
CREATE INDEX boards_of_game_active ON boards (game, number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_of_game_over ON boards (game, number) WHERE ended_at IS NOT NULL;
CREATE INDEX boards_clock_due ON boards (clock_due_at, number) WHERE clock_due_at IS NOT NULL;
CREATE INDEX boards_challenger ON boards (challenger) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE UNIQUE INDEX boards_rated_as ON boards (rated_as) WHERE rated_as IS NOT NULL;
COMMENT ON COLUMN boards.challenger IS 'NULL: the administrator''s shell';
COMMENT ON COLUMN boards.winner IS 'The seat; NULL with ended_at: a draw';
COMMENT ON COLUMN boards.genesis IS 'The hash to which the first entry is chained';
COMMENT ON COLUMN boards.head IS 'The hash of the last entry, or the genesis';
COMMENT ON COLUMN boards.rated_as IS 'The place among all rated boards in the order in which they ended';

CREATE TABLE seats (
    board           bigint NOT NULL REFERENCES boards (number),
    seat            smallint NOT NULL CHECK (seat IN (1, 2)),
    player          bigint NOT NULL REFERENCES players (id),
    used            bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    plan            text COLLATE "C",
    submitted       text COLLATE "C",
    submitted_after bigint CHECK (submitted_after >= 0),
    resigns         boolean NOT NULL DEFAULT false,
    began_as        text COLLATE "C",
    PRIMARY KEY (board, seat),
    CHECK ((submitted_after IS NULL) = (submitted IS NULL))
);
CREATE INDEX seats_of ON seats (player, board);
COMMENT ON COLUMN seats.used IS 'Seconds of thinking time in turns that are over';
COMMENT ON COLUMN seats.began_as IS 'The userid with which the player began, where it was another; empty: a player who left';

CREATE TABLE entry_kinds (
    code smallint PRIMARY KEY,
    word text COLLATE "C" NOT NULL UNIQUE
);
INSERT INTO entry_kinds (code, word)
VALUES (0, 'move'), (1, 'undo'), (2, 'resign'), (3, 'draw'), (4, 'forfeit'), (5, 'adjudge');

CREATE TABLE entry_vias (
    code smallint PRIMARY KEY,
    word text COLLATE "C" NOT NULL UNIQUE
);
INSERT INTO entry_vias (code, word)
VALUES (0, 'mail'), (1, 'web'), (2, 'api'), (3, 'shell'), (4, 'visitor'), (5, 'plan'), (6, 'clock'), (7, 'administrator'),
       (8, 'robot');

CREATE TABLE moves (
    board   bigint NOT NULL REFERENCES boards (number),
    entry   bigint NOT NULL CHECK (entry BETWEEN 1 AND 4294967295),
    ply     bigint NOT NULL CHECK (ply BETWEEN 0 AND 4294967295),
    made_at bigint NOT NULL CHECK (made_at BETWEEN -62167219200 AND 253402300799),
    kind    smallint NOT NULL REFERENCES entry_kinds (code),
    via     smallint NOT NULL REFERENCES entry_vias (code),
    seat    smallint CHECK (seat IN (1, 2)),
    text    text COLLATE "C" NOT NULL CHECK (text <> ''),
    hash    bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (board, entry),
    CHECK ((seat IS NULL) = (kind = 5))
);
COMMENT ON TABLE moves IS 'The records of the boards, an entry a row; the view record shows them in words';
COMMENT ON COLUMN moves.made_at IS 'Seconds since 1970 began';
COMMENT ON COLUMN moves.seat IS 'NULL: the administrator''s entry';

CREATE FUNCTION moves_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a move once made is never %', CASE TG_OP WHEN 'UPDATE' THEN 'changed' ELSE 'taken away' END;
END $$;
CREATE TRIGGER moves_never_change BEFORE UPDATE OR DELETE ON moves FOR EACH ROW EXECUTE FUNCTION moves_never_change();
CREATE TRIGGER moves_never_go BEFORE TRUNCATE ON moves FOR EACH STATEMENT EXECUTE FUNCTION moves_never_change();

CREATE FUNCTION moves_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    b boards%ROWTYPE;
BEGIN
    SELECT * INTO b FROM boards WHERE number = NEW.board;
    IF b.number IS NULL OR b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL THEN
        RAISE EXCEPTION 'a move was made on a board that is over, declined or not there';
    ELSIF NEW.entry <> b.entries + 1 THEN
        RAISE EXCEPTION 'an entry must be the next one of its board';
    ELSIF NEW.kind = 0 AND NEW.ply <> b.plies + 1 THEN
        RAISE EXCEPTION 'a move must be the next ply of its board';
    ELSIF NEW.kind = 1 AND NEW.ply >= b.plies THEN
        RAISE EXCEPTION 'an undo must go back';
    ELSIF NEW.kind NOT IN (0, 1) AND NEW.ply <> b.plies THEN
        RAISE EXCEPTION 'an end is no ply';
    ELSIF NEW.kind = 0 AND NEW.seat IS DISTINCT FROM b.to_move THEN
        RAISE EXCEPTION 'a move must be made by the player whose turn it is';
    ELSIF b.head IS DISTINCT FROM (CASE NEW.entry
              WHEN 1 THEN b.genesis
              ELSE (SELECT encode(m.hash, 'hex') FROM moves m WHERE m.board = NEW.board AND m.entry = NEW.entry - 1)
          END)
        OR NEW.hash <> sha256(convert_to(b.head || E'\n' || NEW.ply || E'\n' || NEW.text || E'\n', 'UTF8')) THEN
        RAISE EXCEPTION 'a move must be chained to the hash of the move before it';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER moves_in_order BEFORE INSERT ON moves FOR EACH ROW EXECUTE FUNCTION moves_in_order();

CREATE FUNCTION moves_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE boards SET entries = NEW.entry, plies = NEW.ply, head = encode(NEW.hash, 'hex'),
                      moved_at = time_text(NEW.made_at)
        WHERE number = NEW.board;
    RETURN NULL;
END $$;
CREATE TRIGGER moves_count AFTER INSERT ON moves FOR EACH ROW EXECUTE FUNCTION moves_count();

CREATE TABLE comments (
    id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    board   bigint NOT NULL REFERENCES boards (number),
    entry   bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    player  bigint NOT NULL REFERENCES players (id),
    text    text COLLATE "C" NOT NULL,
    said_at text COLLATE "C" NOT NULL CHECK (is_time(said_at))
);
CREATE INDEX comments_on ON comments (board, id);
CREATE INDEX comments_by ON comments (player);
COMMENT ON COLUMN comments.entry IS '0: with the challenge';

CREATE TABLE inbox (
    id          bigint PRIMARY KEY DEFAULT next_number('inbox'),
    received_at text COLLATE "C" NOT NULL CHECK (is_time(received_at)),
    via         text COLLATE "C" NOT NULL,
    truncated   boolean NOT NULL,
    attempts    bigint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    verdict     text COLLATE "C" CHECK (verdict IN ('done', 'refused', 'repeated', 'ignored', 'poison')),
    sender      text COLLATE "C",
    identity    text COLLATE "C",
    commands    text COLLATE "C",
    reason      text COLLATE "C",
    closed_at   text COLLATE "C" CHECK (is_time(closed_at)),
    author      bigint REFERENCES players (id),
    raw         bytea,
    CHECK ((verdict IS NULL) = (closed_at IS NULL)),
    CHECK ((verdict IS NULL) = (raw IS NOT NULL))
);
CREATE INDEX inbox_waiting ON inbox (id) WHERE verdict IS NULL;
CREATE INDEX inbox_author ON inbox (author) WHERE author IS NOT NULL;
-- Second copies keep their identity, and do not count.
CREATE UNIQUE INDEX inbox_identity ON inbox (identity) WHERE identity IS NOT NULL AND verdict <> 'repeated';
COMMENT ON COLUMN inbox.verdict IS 'NULL: it waits';
COMMENT ON COLUMN inbox.raw IS 'Erased when the mail is closed, because it may hold a password';

CREATE TABLE set_aside (
    mail bigint PRIMARY KEY REFERENCES inbox (id),
    raw  bytea NOT NULL
);
COMMENT ON TABLE set_aside IS 'Mails that could not be processed, as they came. They may hold passwords';

CREATE TABLE outbox (
    id          bigint PRIMARY KEY DEFAULT next_number('outbox'),
    player      bigint REFERENCES players (id),
    address     text COLLATE "C",
    kind        text COLLATE "C" NOT NULL,
    board       bigint REFERENCES boards (number),
    entry       bigint CHECK (entry BETWEEN 0 AND 4294967295),
    facts       text COLLATE "C" NOT NULL,
    in_reply_to text COLLATE "C",
    domain      text COLLATE "C" NOT NULL,
    created_at  text COLLATE "C" NOT NULL CHECK (is_time(created_at)),
    attempts    bigint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at      text COLLATE "C" CHECK (is_time(due_at)),
    sent_at     text COLLATE "C" CHECK (is_time(sent_at)),
    error       text COLLATE "C",
    letter      bigint REFERENCES outbox (id),
    held        boolean NOT NULL DEFAULT false,
    bound_at    text COLLATE "C" CHECK (is_time(bound_at)),
    sent_form   text COLLATE "C",
    sent_zone   text COLLATE "C",
    CHECK (sent_at IS NULL OR due_at IS NULL),
    CHECK (player IS NOT NULL OR address IS NOT NULL),
    CHECK (NOT held OR (due_at IS NULL AND sent_at IS NULL)),
    CHECK ((sent_zone IS NULL) = (sent_form IS NULL))
);
CREATE INDEX outbox_due ON outbox (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_undelivered ON outbox (id) WHERE sent_at IS NULL;
CREATE INDEX outbox_letter ON outbox (letter) WHERE letter IS NOT NULL;
CREATE INDEX outbox_loose ON outbox (due_at, id) WHERE letter IS NULL AND due_at IS NOT NULL;
CREATE INDEX outbox_held ON outbox (player) WHERE held;
CREATE INDEX outbox_player ON outbox (player);
CREATE INDEX outbox_reminders ON outbox (board, entry) WHERE kind = 'reminder';
CREATE INDEX outbox_answers ON outbox (lower(address), created_at) WHERE kind = 'answer';
COMMENT ON COLUMN outbox.id IS 'Never given twice: it is part of the Message-ID';
COMMENT ON COLUMN outbox.address IS 'The one address, when it does not go to all of the player''s';
COMMENT ON COLUMN outbox.letter IS 'The leading notice of the letter that it is part of';
COMMENT ON COLUMN outbox.sent_form IS 'The reader''s mail form when the letter was sent';

CREATE FUNCTION outbox_sent_as() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT mail, zone INTO NEW.sent_form, NEW.sent_zone FROM players WHERE id = NEW.player;
    RETURN NEW;
END $$;
CREATE TRIGGER outbox_sent_as BEFORE UPDATE OF sent_at ON outbox
    FOR EACH ROW WHEN (NEW.sent_at IS NOT NULL AND NEW.player IS NOT NULL) EXECUTE FUNCTION outbox_sent_as();

CREATE TABLE deliveries (
    letter  bigint NOT NULL REFERENCES outbox (id),
    address text COLLATE "C" NOT NULL CHECK (address <> ''),
    state   text COLLATE "C" NOT NULL CHECK (state IN ('failed', 'sent', 'refused', 'bounced')),
    at      text COLLATE "C" NOT NULL CHECK (is_time(at)),
    error   text COLLATE "C"
);
CREATE UNIQUE INDEX deliveries_of ON deliveries (letter, lower(address));
CREATE INDEX deliveries_to ON deliveries (lower(address), at);
COMMENT ON COLUMN deliveries.state IS
    'The transport did not take it yet, took it, will never take it; or it was taken and came back';
COMMENT ON COLUMN deliveries.error IS 'What the receiving side said';

CREATE TABLE left_addresses (
    address text COLLATE "C" NOT NULL CHECK (address <> ''),
    left_at text COLLATE "C" NOT NULL CHECK (is_time(left_at))
);
CREATE UNIQUE INDEX left_addresses_address ON left_addresses (lower(address));
COMMENT ON TABLE left_addresses IS 'Addresses of players who left, until what is under way has ended';

CREATE TABLE vacations (
    player   bigint NOT NULL REFERENCES players (id),
    from_at  text COLLATE "C" NOT NULL CHECK (is_time(from_at)),
    until_at text COLLATE "C" NOT NULL CHECK (is_time(until_at)),
    PRIMARY KEY (player, from_at),
    CHECK (from_at < until_at)
);

CREATE TABLE wishes (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    seeks  bigint NOT NULL DEFAULT 0 CHECK (seeks >= 0),
    most   bigint CHECK (most >= 0),
    PRIMARY KEY (player, game)
);
CREATE INDEX wishes_seeking ON wishes (game) WHERE seeks > 0;
COMMENT ON COLUMN wishes.seeks IS 'Opponents';
COMMENT ON COLUMN wishes.most IS 'Boards at a time; NULL: any';

CREATE TABLE offers (
    number       bigint PRIMARY KEY CHECK (number BETWEEN 1 AND 4294967295),
    game         text COLLATE "C" NOT NULL,
    options      text COLLATE "C" NOT NULL,
    challenger   bigint NOT NULL REFERENCES players (id),
    seat         smallint NOT NULL CHECK (seat IN (1, 2)),
    rated        boolean NOT NULL,
    private      boolean NOT NULL,
    nag_days     bigint NOT NULL CHECK (nag_days >= 0),
    forfeit_days bigint NOT NULL CHECK (forfeit_days >= 0),
    total_days   bigint NOT NULL CHECK (total_days >= 0),
    comment      text COLLATE "C",
    created_at   text COLLATE "C" NOT NULL CHECK (is_time(created_at)),
    closed_at    text COLLATE "C" CHECK (is_time(closed_at))
);
CREATE INDEX offers_open ON offers (number) WHERE closed_at IS NULL;
CREATE INDEX offers_of ON offers (challenger) WHERE closed_at IS NULL;
COMMENT ON TABLE offers IS 'Open challenges; their numbers and those of boards are of one sequence';
COMMENT ON COLUMN offers.seat IS 'The challenger''s';

CREATE TABLE followers (
    id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    player    bigint NOT NULL REFERENCES players (id),
    board     bigint REFERENCES boards (number),
    game      text COLLATE "C",
    ends_only boolean NOT NULL,
    CHECK ((board IS NULL) <> (game IS NULL))
);
CREATE UNIQUE INDEX followers_of_board ON followers (board, player) WHERE board IS NOT NULL;
CREATE UNIQUE INDEX followers_of_game ON followers (game, player) WHERE game IS NOT NULL;
CREATE INDEX followers_player ON followers (player);

CREATE TABLE notes (
    board      bigint NOT NULL REFERENCES boards (number),
    player     bigint NOT NULL REFERENCES players (id),
    text       text COLLATE "C" NOT NULL CHECK (text <> ''),
    written_at text COLLATE "C" NOT NULL CHECK (is_time(written_at)),
    PRIMARY KEY (board, player)
);

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
CREATE INDEX standings_of ON standings (player);
CREATE INDEX standings_by_rating ON standings (game, rating DESC);

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

CREATE TABLE sessions (
    hash     bytea PRIMARY KEY CHECK (length(hash) = 32),
    player   bigint NOT NULL REFERENCES players (id),
    begun_at text COLLATE "C" NOT NULL CHECK (is_time(begun_at))
);
CREATE INDEX sessions_of ON sessions (player);
CREATE INDEX sessions_old ON sessions (begun_at);
COMMENT ON COLUMN sessions.hash IS 'SHA-256 of its secret';

CREATE TABLE login_links (
    id       bigint PRIMARY KEY DEFAULT next_number('login_links'),
    player   bigint NOT NULL REFERENCES players (id),
    asked_at text COLLATE "C" NOT NULL CHECK (is_time(asked_at)),
    used     boolean NOT NULL DEFAULT false,
    purpose  text COLLATE "C" NOT NULL DEFAULT 'login' CHECK (purpose IN ('login', 'password'))
);
CREATE INDEX login_links_of ON login_links (player, asked_at);
CREATE INDEX login_links_old ON login_links (asked_at);
COMMENT ON COLUMN login_links.id IS 'Never given twice: it is what is signed';

CREATE TABLE password_requests (
    source   text COLLATE "C" NOT NULL CHECK (source <> ''),
    asked_at text COLLATE "C" NOT NULL CHECK (is_time(asked_at))
);
CREATE INDEX password_requests_of ON password_requests (source, asked_at);
CREATE INDEX password_requests_old ON password_requests (asked_at);

CREATE TABLE tokens (
    hash       bytea PRIMARY KEY CHECK (length(hash) = 32),
    player     bigint NOT NULL REFERENCES players (id),
    label      text COLLATE "C" NOT NULL CHECK (label <> ''),
    created_at text COLLATE "C" NOT NULL CHECK (is_time(created_at)),
    used_at    text COLLATE "C" CHECK (is_time(used_at))
);
CREATE INDEX tokens_of ON tokens (player, created_at);
COMMENT ON COLUMN tokens.hash IS 'SHA-256 of its text';

CREATE TABLE hooks (
    player     bigint PRIMARY KEY REFERENCES players (id),
    url        text COLLATE "C" NOT NULL CHECK (url <> ''),
    secret     text COLLATE "C" NOT NULL CHECK (secret <> ''),
    created_at text COLLATE "C" NOT NULL CHECK (is_time(created_at)),
    failures   bigint NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 4294967295),
    paused_at  text COLLATE "C" CHECK (is_time(paused_at)),
    paused_why text COLLATE "C",
    CHECK ((paused_why IS NULL) = (paused_at IS NULL))
);
COMMENT ON COLUMN hooks.secret IS 'The key that signs what is sent';
COMMENT ON COLUMN hooks.failures IS 'In a row';

CREATE TABLE calls (
    id         bigint PRIMARY KEY DEFAULT next_number('calls'),
    player     bigint NOT NULL REFERENCES hooks (player) ON DELETE CASCADE,
    board      bigint NOT NULL REFERENCES boards (number),
    entry      bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    created_at text COLLATE "C" NOT NULL CHECK (is_time(created_at)),
    attempts   bigint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at     text COLLATE "C" NOT NULL CHECK (is_time(due_at))
);
CREATE INDEX calls_due ON calls (due_at, id);
CREATE INDEX calls_of ON calls (player);
COMMENT ON COLUMN calls.id IS 'Never given twice: the program recognizes a second copy by it';
COMMENT ON COLUMN calls.entry IS 'The length of the record then';

CREATE TABLE wrong_passwords (
    of       text COLLATE "C" NOT NULL,
    source   text COLLATE "C" NOT NULL,
    given_at text COLLATE "C" NOT NULL CHECK (is_time(given_at))
);
CREATE INDEX wrong_passwords_of ON wrong_passwords (lower(source), of, given_at);
CREATE INDEX wrong_passwords_from ON wrong_passwords (lower(source), given_at);
CREATE INDEX wrong_passwords_old ON wrong_passwords (given_at);
COMMENT ON COLUMN wrong_passwords.of IS 'A player''s userid, or the bucket of a userid that is nobody''s';
COMMENT ON COLUMN wrong_passwords.source IS 'The shell, the address of a mail''s sender, a client''s address';

CREATE TABLE letters_to_strangers (
    address  text COLLATE "C" NOT NULL,
    source   text COLLATE "C" NOT NULL,
    asked_at text COLLATE "C" NOT NULL CHECK (is_time(asked_at))
);
CREATE INDEX letters_to ON letters_to_strangers (lower(address), asked_at);
CREATE INDEX letters_from ON letters_to_strangers (lower(source), asked_at);
CREATE INDEX letters_old ON letters_to_strangers (asked_at);
COMMENT ON COLUMN letters_to_strangers.source IS 'Who caused it';

CREATE TABLE refusals_in_a_row (
    address     text COLLATE "C" NOT NULL,
    in_a_row    bigint NOT NULL CHECK (in_a_row BETWEEN 1 AND 4294967295),
    answered_at text COLLATE "C" NOT NULL CHECK (is_time(answered_at))
);
CREATE UNIQUE INDEX refusals_in_a_row_of ON refusals_in_a_row (lower(address));

CREATE TABLE turn_letters (
    player bigint NOT NULL REFERENCES players (id),
    board  bigint NOT NULL REFERENCES boards (number),
    entry  bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    PRIMARY KEY (player, board)
);
COMMENT ON COLUMN turn_letters.entry IS 'The length of the record then';

CREATE TABLE muted_boards (
    player bigint NOT NULL REFERENCES players (id),
    board  bigint NOT NULL REFERENCES boards (number),
    PRIMARY KEY (player, board)
);

CREATE TABLE proposals (
    id          bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    board       bigint NOT NULL REFERENCES boards (number),
    entry       bigint NOT NULL CHECK (entry BETWEEN 0 AND 4294967295),
    seat        smallint NOT NULL CHECK (seat IN (1, 2)),
    kind        text COLLATE "C" NOT NULL CHECK (kind IN ('draw', 'undo')),
    via         text COLLATE "C" NOT NULL,
    made_at     text COLLATE "C" NOT NULL CHECK (is_time(made_at)),
    answer      text COLLATE "C" CHECK (answer IN ('accepted', 'rejected', 'withdrawn')),
    answered_at text COLLATE "C" CHECK (is_time(answered_at)),
    CHECK ((answer IS NULL) = (answered_at IS NULL))
);
CREATE INDEX proposals_on ON proposals (board, id);
COMMENT ON COLUMN proposals.entry IS 'The length of the record then';
COMMENT ON COLUMN proposals.seat IS 'The proposer''s';

CREATE TABLE refusals (
    id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    mail    bigint NOT NULL REFERENCES inbox (id),
    command text COLLATE "C" NOT NULL,
    reason  text COLLATE "C" NOT NULL
);
CREATE INDEX refusals_of ON refusals (mail);
COMMENT ON COLUMN refusals.command IS 'As it was understood, without its password; may be empty';

CREATE TABLE effects (
    id    bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    mail  bigint NOT NULL REFERENCES inbox (id),
    kind  text COLLATE "C" NOT NULL CHECK (kind IN ('board', 'entry', 'comment', 'proposal', 'answer', 'notice')),
    board bigint,
    item  bigint NOT NULL
);
CREATE INDEX effects_of ON effects (mail);
CREATE INDEX effects_by_item ON effects (kind, item, board);

CREATE TABLE current_mail (
    one  integer PRIMARY KEY CHECK (one = 1),
    mail bigint REFERENCES inbox (id)
) WITH (fillfactor = 50);
INSERT INTO current_mail (one) VALUES (1);
COMMENT ON TABLE current_mail IS 'The mail that is being processed: what a transaction adds is noted as an effect of it';

-- Notes an effect of the current mail: its kind, and the column of the new row by which it is known.
CREATE FUNCTION note_effect() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    added jsonb := to_jsonb(NEW);
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, TG_ARGV[0], (added ->> TG_ARGV[1])::bigint, (added ->> TG_ARGV[2])::bigint
        FROM current_mail WHERE mail IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER effects_board AFTER INSERT ON boards FOR EACH ROW EXECUTE FUNCTION note_effect('board', 'number', 'number');
CREATE TRIGGER effects_entry AFTER INSERT ON moves FOR EACH ROW EXECUTE FUNCTION note_effect('entry', 'board', 'entry');
CREATE TRIGGER effects_comment AFTER INSERT ON comments FOR EACH ROW EXECUTE FUNCTION note_effect('comment', 'board', 'id');
CREATE TRIGGER effects_proposal AFTER INSERT ON proposals
    FOR EACH ROW EXECUTE FUNCTION note_effect('proposal', 'board', 'id');
CREATE TRIGGER effects_answer AFTER UPDATE OF answer ON proposals
    FOR EACH ROW EXECUTE FUNCTION note_effect('answer', 'board', 'id');
CREATE TRIGGER effects_notice AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION note_effect('notice', 'board', 'id');

CREATE TABLE changes (
    seq   bigint PRIMARY KEY,
    board bigint NOT NULL UNIQUE
);
COMMENT ON TABLE changes IS 'The last change of each board or open challenge; programs continue after the last they have seen';

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
BEGIN
    INSERT INTO changes (seq, board) VALUES (next_number('changes'), changed)
        ON CONFLICT (board) DO UPDATE SET seq = excluded.seq;
    RETURN NULL;
END $$;
CREATE TRIGGER changes_board_made AFTER INSERT ON boards FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_entry AFTER UPDATE OF entries ON boards FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_arranged AFTER UPDATE OF declined_at, proposal, clock_since, clock_thought, clock_due_at ON boards
    FOR EACH ROW
    WHEN ((NEW.declined_at, NEW.proposal, NEW.clock_since, NEW.clock_thought, NEW.clock_due_at)
        IS DISTINCT FROM (OLD.declined_at, OLD.proposal, OLD.clock_since, OLD.clock_thought, OLD.clock_due_at))
    EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_comment AFTER INSERT ON comments FOR EACH ROW EXECUTE FUNCTION note_change('board');
CREATE TRIGGER changes_offer_made AFTER INSERT ON offers FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE TRIGGER changes_offer_closed AFTER UPDATE OF closed_at ON offers
    FOR EACH ROW EXECUTE FUNCTION note_change('number');

-- Views for a person with psql.

CREATE FUNCTION days_since(text) RETURNS double precision LANGUAGE sql STABLE AS
$$ SELECT extract(epoch FROM now() - $1::timestamptz)::double precision / 86400 $$;

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
JOIN seats s ON s.board = b.number AND s.seat = b.to_move
JOIN players p ON p.id = s.player
JOIN seats t ON t.board = b.number AND t.seat = 3 - b.to_move
JOIN players o ON o.id = t.player
WHERE b.ended_at IS NULL AND b.declined_at IS NULL;
COMMENT ON VIEW waiting IS 'Whose turn it is in each game, and since when';

CREATE VIEW open_challenges AS
SELECT o.number, o.game, o.options, p.userid AS challenger, o.rated, o.created_at AS made
FROM offers o JOIN players p ON p.id = o.challenger
WHERE o.closed_at IS NULL;
COMMENT ON VIEW open_challenges IS 'Each open challenge';

CREATE VIEW ratings AS
SELECT s.game, p.userid AS player, round(s.rating) AS rating, round(s.deviation) AS deviation, s.wins, s.losses, s.draws
FROM standings s JOIN players p ON p.id = s.player
ORDER BY s.game, s.rating DESC;
COMMENT ON VIEW ratings IS 'Each player''s standing in a game';

CREATE VIEW undelivered_mail AS
SELECT o.id,
       p.userid AS player,
       coalesce(o.address, (SELECT string_agg(a.address, ', ' ORDER BY lower(a.address)) FROM addresses a
                            WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
       o.kind || CASE WHEN o.board IS NULL THEN '' ELSE ', board ' || o.board END
              || CASE WHEN o.entry IS NULL THEN '' ELSE ', entry ' || o.entry END AS about,
       o.created_at AS written,
       o.attempts,
       o.error AS last_error,
       CASE WHEN o.held THEN 'kept until the player answers' ELSE coalesce(o.due_at, 'given up') END AS next_attempt
FROM outbox o
LEFT JOIN players p ON p.id = o.player
WHERE o.sent_at IS NULL;
COMMENT ON VIEW undelivered_mail IS 'Each letter that was not delivered, with the last error';

CREATE VIEW paused_addresses AS
SELECT p.userid AS player, a.address, a.paused_at AS since, a.paused_why AS why
FROM addresses a JOIN players p ON p.id = a.player
WHERE a.paused_at IS NOT NULL;
COMMENT ON VIEW paused_addresses IS 'Each address that nothing is sent to, with the reason';

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
           coalesce(o.address, (SELECT string_agg(a.address, ', ' ORDER BY lower(a.address)) FROM addresses a
                                WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
           (SELECT string_agg(n.kind || CASE WHEN n.board IS NULL THEN '' ELSE ', board ' || n.board END
                                     || CASE WHEN n.entry IS NULL THEN '' ELSE ', entry ' || n.entry END,
                              '; ' ORDER BY n.id)
            FROM outbox n WHERE n.id = o.id OR n.letter = o.id) AS about,
           (SELECT min(e.mail) FROM outbox n JOIN effects e ON e.kind = 'notice' AND e.item = n.id
            WHERE n.id = o.id OR n.letter = o.id) AS mail,
           (SELECT max(d.at) FROM deliveries d WHERE d.letter = o.id AND d.state = 'bounced') AS bounced_at,
           (SELECT count(*) FROM deliveries d WHERE d.letter = o.id AND d.state = 'sent') AS arrived,
           o.attempts, o.held, o.due_at, o.sent_at, o.error
    FROM outbox o
    LEFT JOIN players p ON p.id = o.player
    WHERE o.letter IS NULL OR o.letter = o.id
) l;
COMMENT ON VIEW letters IS 'Each letter: which mail caused it, and how far it has come';

CREATE VIEW bounces AS
SELECT d.letter, d.address, p.userid AS player, d.state AS how, d.at, d.error, l.about
FROM deliveries d
JOIN letters l ON l.letter = d.letter
JOIN outbox o ON o.id = d.letter
LEFT JOIN players p ON p.id = o.player
WHERE d.state IN ('bounced', 'refused')
ORDER BY d.at DESC, d.letter DESC;
COMMENT ON VIEW bounces IS 'Each letter and address from which it came back, or that refused it for good';

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
COMMENT ON VIEW rating_history IS 'Each rated board and player: the rating before and after it';

CREATE VIEW games_a_month AS
SELECT month, sum(began) AS began, sum(ended) AS ended
FROM (
    SELECT substr(created_at, 1, 7) AS month, 1 AS began, 0 AS ended FROM boards WHERE declined_at IS NULL
    UNION ALL
    SELECT substr(ended_at, 1, 7), 0, 1 FROM boards WHERE ended_at IS NOT NULL
) m
GROUP BY month
ORDER BY month;
COMMENT ON VIEW games_a_month IS 'Each month: how many games began and ended';

CREATE VIEW record AS
SELECT m.board, m.entry, (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind) AS kind, m.ply, m.seat, m.text,
       time_text(m.made_at) AS made_at,
       (SELECT v.word FROM entry_vias v WHERE v.code = m.via) AS via, encode(m.hash, 'hex') COLLATE "C" AS hash
FROM moves m;
COMMENT ON VIEW record IS 'Each entry of a record, in words';

CREATE VIEW games AS
SELECT b.number AS board,
       b.game,
       b.options,
       p1.userid AS first_player,
       p2.userid AS second_player,
       b.plies,
       CASE b.to_move WHEN 1 THEN p1.userid WHEN 2 THEN p2.userid END AS whose_turn,
       (SELECT m.text FROM moves m WHERE m.board = b.number AND m.ply = b.plies AND m.kind = 0
        ORDER BY m.entry DESC LIMIT 1) AS last_move,
       CASE
           WHEN b.declined_at IS NOT NULL THEN 'declined'
           WHEN b.ended_at IS NULL THEN 'in progress'
           WHEN b.winner = 1 THEN p1.userid || ' won'
           WHEN b.winner = 2 THEN p2.userid || ' won'
           ELSE 'draw'
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
COMMENT ON VIEW games IS 'Each board: its players, whose turn it is, its result';

CREATE VIEW game_moves AS
SELECT m.board, m.entry, m.ply, coalesce(p.userid, '(administrator)') AS player, m.kind, m.text AS move, m.made_at,
       m.via, m.hash
FROM record m
LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
LEFT JOIN players p ON p.id = s.player;
COMMENT ON VIEW game_moves IS 'Each entry of a record, with its player';

CREATE VIEW incoming_mail AS
SELECT i.id,
       i.received_at AS received,
       i.via,
       i.sender,
       -- Who moved by it, or else who was known by a reply token, or else whose address it is.
       coalesce(
           (SELECT p.userid FROM effects e JOIN moves m ON m.board = e.board AND m.entry = e.item AND m.via = 0
            JOIN seats s ON s.board = m.board AND s.seat = m.seat JOIN players p ON p.id = s.player
            WHERE e.mail = i.id AND e.kind = 'entry' ORDER BY e.id LIMIT 1),
           (SELECT p.userid FROM players p WHERE p.id = i.author),
           (SELECT p.userid FROM addresses a JOIN players p ON p.id = a.player
            WHERE lower(a.address) = lower(i.sender) AND a.confirmed_at IS NOT NULL)
       ) AS player,
       coalesce(i.verdict, 'waits') AS verdict,
       i.commands,
       i.reason || coalesce(' ' || (
           SELECT string_agg(CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, ' ' ORDER BY r.id)
           FROM refusals r WHERE r.mail = i.id), '') AS reason,
       (SELECT string_agg(CASE e.kind
                              WHEN 'board' THEN 'board ' || e.board
                              WHEN 'entry' THEN 'board ' || e.board || ' entry ' || e.item
                              WHEN 'comment' THEN 'board ' || e.board || ' comment'
                              WHEN 'proposal' THEN 'board ' || e.board || ' proposal'
                              WHEN 'answer' THEN 'board ' || e.board || ' answer to a proposal'
                              ELSE 'letter ' || coalesce(o.letter, o.id) || ' to ' || coalesce(p.userid, o.address)
                          END, '; ' ORDER BY e.id)
        FROM effects e
        LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
        LEFT JOIN players p ON p.id = o.player
        WHERE e.mail = i.id) AS effects,
       i.attempts,
       i.closed_at AS dealt_with
FROM inbox i;
COMMENT ON VIEW incoming_mail IS 'Each mail: whose it was, what became of it, the reason of every refusal, what it did';

CREATE VIEW mail_effects AS
SELECT mail, received, player, sender, effect, board, entry, what, letter
FROM (
    SELECT i.id AS mail, i.received, i.player, i.sender,
           CASE e.kind WHEN 'entry' THEN (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind)
                       WHEN 'notice' THEN 'letter' WHEN 'proposal' THEN 'proposal'
                       WHEN 'answer' THEN coalesce(r.answer, 'answer') ELSE e.kind
           END AS effect,
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
    FROM effects e
    JOIN incoming_mail i ON i.id = e.mail
    LEFT JOIN moves m ON e.kind = 'entry' AND m.board = e.board AND m.entry = e.item
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
COMMENT ON VIEW mail_effects IS 'Each entry, comment, proposal, letter and refusal that came of a mail';

CREATE VIEW board_story AS
SELECT board, at, entry, event, player, what, via, mail
FROM (
    SELECT b.number AS board, b.created_at AS at, 0::bigint AS entry, 'challenge' AS event, p.userid AS player,
           b.game || CASE b.options WHEN '' THEN '' ELSE ' ' || b.options END AS what, NULL::text AS via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'board' AND e.item = b.number) AS mail, 0 AS rank,
           0::bigint AS number
    FROM boards b LEFT JOIN players p ON p.id = b.challenger
    UNION ALL
    SELECT m.board, m.made_at, m.entry, m.kind, coalesce(p.userid, '(administrator)'), m.text, m.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'entry' AND e.item = m.entry AND e.board = m.board), 1, m.entry
    FROM record m
    LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
    LEFT JOIN players p ON p.id = s.player
    UNION ALL
    SELECT c.board, c.said_at, c.entry, 'comment', p.userid, c.text, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'comment' AND e.item = c.id), 2, c.id
    FROM comments c JOIN players p ON p.id = c.player
    UNION ALL
    SELECT r.board, r.made_at, r.entry, 'proposal', p.userid,
           r.kind || CASE WHEN r.answer IS NOT NULL THEN ''
                          WHEN b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL OR b.entries > r.entry
                          THEN ', lapsed' ELSE ', open' END, r.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'proposal' AND e.item = r.id), 3, r.id
    FROM proposals r
    JOIN boards b ON b.number = r.board
    JOIN seats s ON s.board = r.board AND s.seat = r.seat
    JOIN players p ON p.id = s.player
    UNION ALL
    SELECT r.board, r.answered_at, r.entry, r.answer, p.userid, r.kind, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'answer' AND e.item = r.id), 4, r.id
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
           CASE WHEN b.winner IS NULL THEN 'draw' ELSE 'won' END || ' (' || b.reason || ')', NULL, NULL, 6, 0
    FROM boards b
    LEFT JOIN seats s ON s.board = b.number AND s.seat = b.winner
    LEFT JOIN players p ON p.id = s.player
    WHERE b.ended_at IS NOT NULL
    UNION ALL
    SELECT b.number, b.declined_at, b.entries, 'declined', p.userid, '', NULL, NULL, 6, 0
    FROM boards b JOIN players p ON p.id = b.declined_by
) e
ORDER BY board, at, entry, rank, number;
COMMENT ON VIEW board_story IS
    'Each event at a board, in order: its record, comments, proposals and their answers, reminders, its end';

CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       trunc(days_since(last_active))::bigint AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NULL AND b.declined_at IS NULL) AS boards,
           (SELECT count(*) FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id) AS their_turn,
           (SELECT trunc(days_since(min(b.moved_at)))::bigint
            FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat WHERE s.player = p.id) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NOT NULL) AS finished,
           greatest(p.created_at,
               -- The last entry at each board that is not by a plan, the clock or the administrator.
               (SELECT time_text(max((SELECT m.made_at FROM moves m
                                      WHERE m.board = s.board AND m.seat = s.seat AND m.via NOT IN (5, 6, 7)
                                      ORDER BY m.entry DESC LIMIT 1)))
                FROM seats s WHERE s.player = p.id),
               (SELECT max(c.said_at) FROM seats s JOIN comments c ON c.board = s.board AND c.player = p.id
                WHERE s.player = p.id),
               (SELECT max(b.created_at) FROM seats s JOIN boards b ON b.number = s.board
                WHERE s.player = p.id AND b.challenger = p.id),
               (SELECT max(r.made_at) FROM seats s JOIN proposals r ON r.board = s.board AND r.seat = s.seat
                WHERE s.player = p.id)) AS last_active
    FROM players p
) a
ORDER BY lower(userid);
COMMENT ON VIEW player_activity IS 'Each player: how many boards they have, and how long they have done nothing';

INSERT INTO migrations (version, name) VALUES (1, 'first');
