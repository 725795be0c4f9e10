-- The colours of the boards that a player sees on pages.
ALTER TABLE players ADD COLUMN theme TEXT NOT NULL DEFAULT 'wood';

INSERT INTO migrations (version, name) VALUES (25, 'theme');
