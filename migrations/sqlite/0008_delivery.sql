-- A letter goes to each address of its reader separately, with an envelope sender to which a bounce returns. And players'
-- settings for the mail that goes to them and comes in their name.

CREATE TABLE deliveries (
    letter     INTEGER NOT NULL REFERENCES outbox (id),
    address    TEXT NOT NULL COLLATE NOCASE CHECK (address <> ''),
    -- The transport did not take it yet, took it, will never take it; or it was taken and came back.
    state      TEXT NOT NULL CHECK (state IN ('failed', 'sent', 'refused', 'bounced')),
    at         TEXT NOT NULL CHECK (at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    error      TEXT, -- what the receiving side said
    PRIMARY KEY (letter, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_bounced ON deliveries (address, at) WHERE state = 'bounced';

-- Nothing is sent to an address at which letters bounce, until its owner writes from there.
ALTER TABLE addresses ADD COLUMN paused_at TEXT CHECK (paused_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z');
ALTER TABLE addresses ADD COLUMN paused_why TEXT CHECK ((paused_why IS NULL) = (paused_at IS NULL));

-- Which letters are sent without being asked for, and what mail in this player's name must prove.
ALTER TABLE players ADD COLUMN letters TEXT NOT NULL DEFAULT 'all';
ALTER TABLE players ADD COLUMN dmarc TEXT NOT NULL DEFAULT 'off';

CREATE VIEW paused_addresses AS
SELECT p.userid AS player, a.address, a.paused_at AS since, a.paused_why AS why
FROM addresses a JOIN players p ON p.id = a.player
WHERE a.paused_at IS NOT NULL;

INSERT INTO migrations (version, name) VALUES (8, 'delivery');
