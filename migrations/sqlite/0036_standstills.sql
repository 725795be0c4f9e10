-- Times in which all clocks stand still, and when the program last looked at the clocks, by which an outage is found.
CREATE TABLE standstills (
    id       INTEGER PRIMARY KEY,
    began_at TEXT NOT NULL CHECK (began_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    ended_at TEXT CHECK (ended_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), -- NULL while it lasts
    cause    TEXT NOT NULL CHECK (cause IN ('off', 'held', 'paused')),
    reason   TEXT NOT NULL -- the administrator's, which players read
) STRICT;
CREATE INDEX standstills_lasting ON standstills (id) WHERE ended_at IS NULL;
ALTER TABLE server ADD COLUMN clocks_seen_at TEXT CHECK (clocks_seen_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z');
-- Thinking time that was given on this ply, in seconds, beyond what was thought.
ALTER TABLE boards ADD COLUMN clock_given INTEGER NOT NULL DEFAULT 0 CHECK (clock_given >= 0);

INSERT INTO migrations (version, name) VALUES (36, 'standstills');
