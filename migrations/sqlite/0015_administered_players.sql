-- New passwords by mail, and what an administrator does with a player.

-- A link by mail logs in once, or sets a new password once.
ALTER TABLE login_links ADD COLUMN purpose TEXT NOT NULL DEFAULT 'login' CHECK (purpose IN ('login', 'password'));

-- Who asked for links that set a new password, whether or not the player exists: they are counted by the day.
CREATE TABLE password_requests (
    source   TEXT NOT NULL CHECK (source <> ''),
    asked_at TEXT NOT NULL CHECK (asked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE INDEX password_requests_of ON password_requests (source, asked_at);
CREATE INDEX password_requests_old ON password_requests (asked_at);

-- A blocked player can do nothing and gets no letters.
ALTER TABLE players ADD COLUMN blocked_at TEXT CHECK (blocked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z');

-- The userid that the board's genesis holds, where its player was renamed since; '': they were removed, and their userid
-- with them.
ALTER TABLE seats ADD COLUMN began_as TEXT;

INSERT INTO migrations (version, name) VALUES (15, 'administered_players');
