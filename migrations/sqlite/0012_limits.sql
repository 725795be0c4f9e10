-- What limits count: wrong passwords, letters that somebody caused to be written to a stranger, refusals in a row.

-- The old table holds userids as they were typed, and a password may have been typed in the place of a userid.
DROP TABLE wrong_passwords;
CREATE TABLE wrong_passwords (
    of       TEXT NOT NULL, -- a player's userid, or the bucket of a userid that is nobody's
    source   TEXT NOT NULL COLLATE NOCASE, -- the shell, the address of a mail's sender, a client's address
    given_at TEXT NOT NULL CHECK (given_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE INDEX wrong_passwords_of ON wrong_passwords (source, of, given_at);
CREATE INDEX wrong_passwords_from ON wrong_passwords (source, given_at);
CREATE INDEX wrong_passwords_old ON wrong_passwords (given_at);

CREATE TABLE letters_to_strangers (
    address  TEXT NOT NULL COLLATE NOCASE,
    source   TEXT NOT NULL COLLATE NOCASE, -- who caused it
    asked_at TEXT NOT NULL CHECK (asked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE INDEX letters_to ON letters_to_strangers (address, asked_at);
CREATE INDEX letters_from ON letters_to_strangers (source, asked_at);
CREATE INDEX letters_old ON letters_to_strangers (asked_at);

CREATE TABLE refusals_in_a_row (
    address     TEXT PRIMARY KEY COLLATE NOCASE,
    in_a_row    INTEGER NOT NULL CHECK (in_a_row BETWEEN 1 AND 4294967295),
    answered_at TEXT NOT NULL CHECK (answered_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;

-- Finds the addresses that nobody has confirmed in time.
CREATE INDEX addresses_unconfirmed ON addresses (added_at) WHERE confirmed_at IS NULL;

INSERT INTO migrations (version, name) VALUES (12, 'limits');
