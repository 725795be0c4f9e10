-- What reply tokens are signed with: 32 random bytes, made here and once. They are shown, exported and logged nowhere;
-- whoever reads them can answer in every player's name, as whoever reads this file can in other ways.

ALTER TABLE server ADD COLUMN reply_key BLOB CHECK (length(reply_key) = 32);

INSERT INTO migrations (version, name) VALUES (7, 'reply_key');
