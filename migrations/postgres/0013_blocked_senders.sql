-- Addresses and domains that the administrator has blocked.
CREATE TABLE blocked_senders (
    sender     text COLLATE "C" PRIMARY KEY CHECK (sender LIKE '%@%'),
    blocked_at text COLLATE "C" NOT NULL CHECK (is_time(blocked_at)),
    reason     text COLLATE "C" NOT NULL
);
COMMENT ON TABLE blocked_senders IS 'Addresses and domains that the administrator has blocked';
COMMENT ON COLUMN blocked_senders.sender IS 'In lower case: a@example.org or @example.org';
COMMENT ON COLUMN blocked_senders.reason IS 'The administrator''s, which no player reads';

INSERT INTO migrations (version, name, usable_from) VALUES (13, 'blocked_senders', 11);
