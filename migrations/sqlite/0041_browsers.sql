-- Which players logged in with the same browser, for `turnpost admin players --suspicious`.
CREATE TABLE browsers (
    hash    BLOB NOT NULL CHECK (length(hash) = 32), -- SHA-256 of the browser's cookie
    player  INTEGER NOT NULL REFERENCES players (id),
    used_at TEXT NOT NULL CHECK (used_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), -- their last login with it
    PRIMARY KEY (hash, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX browsers_player ON browsers (player);

INSERT INTO migrations (version, name) VALUES (41, 'browsers');
