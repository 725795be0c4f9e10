-- The addresses of players who have left. They are erased from everything that has ended at once, and from what is under
-- way (the mail that asked for it, its answer) when that has ended: until then they stand here.
CREATE TABLE left_addresses (
    address TEXT PRIMARY KEY COLLATE NOCASE CHECK (address <> ''),
    left_at TEXT NOT NULL CHECK (left_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT, WITHOUT ROWID;

-- Those of players who left before.
INSERT OR IGNORE INTO left_addresses (address, left_at)
    SELECT d.address, p.left_at FROM players p
    JOIN outbox o ON o.player = p.id
    JOIN deliveries d ON d.letter = o.id
    WHERE p.left_at IS NOT NULL;

INSERT INTO migrations (version, name) VALUES (21, 'left_addresses');
