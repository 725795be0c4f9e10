-- Maintenance is one more cause of a standstill. A CHECK cannot be changed in place.
CREATE TABLE standstills_with_maintenance (
    id       INTEGER PRIMARY KEY,
    began_at TEXT NOT NULL CHECK (began_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    ended_at TEXT CHECK (ended_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), -- NULL while it lasts
    cause    TEXT NOT NULL CHECK (cause IN ('off', 'held', 'paused', 'maintenance')),
    reason   TEXT NOT NULL -- the administrator's, which players read
) STRICT;
INSERT INTO standstills_with_maintenance (id, began_at, ended_at, cause, reason)
SELECT id, began_at, ended_at, cause, reason FROM standstills;
DROP TABLE standstills;
ALTER TABLE standstills_with_maintenance RENAME TO standstills;
CREATE INDEX standstills_lasting ON standstills (id) WHERE ended_at IS NULL;

INSERT INTO migrations (version, name) VALUES (38, 'maintenance');
