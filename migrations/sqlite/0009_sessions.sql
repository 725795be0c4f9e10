-- Web sessions. What the cookie holds is not stored, only its hash.

CREATE TABLE sessions (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
    player     INTEGER NOT NULL REFERENCES players (id),
    begun_at   TEXT NOT NULL CHECK (begun_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of ON sessions (player);
CREATE INDEX sessions_old ON sessions (begun_at);

-- Links by mail that log in once. A link's text is signed when its letter is composed, and stored nowhere.
CREATE TABLE login_links (
    id       INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: it is what is signed
    player   INTEGER NOT NULL REFERENCES players (id),
    asked_at TEXT NOT NULL CHECK (asked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    used     INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1))
) STRICT;
CREATE INDEX login_links_of ON login_links (player, asked_at);
CREATE INDEX login_links_old ON login_links (asked_at);

INSERT INTO migrations (version, name) VALUES (9, 'sessions');
