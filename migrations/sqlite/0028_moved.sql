-- Where the server has moved to: what is written here from then on would be lost.
ALTER TABLE server ADD COLUMN moved_to TEXT;

INSERT INTO migrations (version, name) VALUES (28, 'moved');
