-- Addresses and domains that the administrator has blocked.
CREATE TABLE blocked_senders (
    sender     text COLLATE "C" PRIMARY KEY CHECK (sender LIKE '%@%'),
    blocked_at text COLLATE "C" NOT NULL CHECK (is_time(blocked_at)),
    reason     text COLLATE "C" NOT NULL
);
COMMENT ON TABLE blocked_senders IS 'Addresses and domains that the administrator has blocked';
COMMENT ON COLUMN blocked_senders.sender IS 'In lower case: a@example.org or @example.org';
COMMENT ON COLUMN blocked_senders.reason IS 'The administrator''s, which no player reads';

-- A comment that the administrator removes changes what the pages of its board show.
CREATE CONSTRAINT TRIGGER changes_comment_removed AFTER UPDATE OF text ON comments DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_change('board');

INSERT INTO migrations (version, name, usable_from) VALUES (13, 'blocked_senders', 12);
