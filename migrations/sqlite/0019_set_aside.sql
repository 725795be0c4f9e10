-- Mails that could not be processed, as they came. Nothing shows them, since they may hold a password; the
-- administrator has them processed again.
CREATE TABLE set_aside (
    mail INTEGER PRIMARY KEY REFERENCES inbox (id),
    raw  BLOB NOT NULL
) STRICT;

INSERT INTO migrations (version, name) VALUES (19, 'set_aside');
