-- Addresses and domains that the administrator has blocked, in lower case: a@example.org or @example.org.
CREATE TABLE blocked_senders (
    sender     TEXT PRIMARY KEY CHECK (sender LIKE '%@%'),
    blocked_at TEXT NOT NULL CHECK (blocked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    reason     TEXT NOT NULL -- the administrator's, which no player reads
) STRICT, WITHOUT ROWID;

-- A comment that the administrator removes changes what the pages of its board show.
CREATE TRIGGER changes_comment_removed AFTER UPDATE OF text ON comments
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;

INSERT INTO migrations (version, name) VALUES (39, 'blocked_senders');
