-- Which process does a piece of work that several must not do at a time.
CREATE TABLE leases (
    work       TEXT PRIMARY KEY CHECK (work <> ''),
    node       TEXT NOT NULL CHECK (node <> ''),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT, WITHOUT ROWID;

INSERT INTO migrations (version, name) VALUES (27, 'leases');
