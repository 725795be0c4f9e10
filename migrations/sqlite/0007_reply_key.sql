-- The key that signs reply tokens: 32 random bytes, which the program that runs this migration draws. They are shown,
-- exported and logged nowhere: anyone who reads them can answer in every player's name (as anyone who reads this file
-- can in other ways).

ALTER TABLE server ADD COLUMN reply_key BLOB CHECK (length(reply_key) = 32);

INSERT INTO migrations (version, name) VALUES (7, 'reply_key');
