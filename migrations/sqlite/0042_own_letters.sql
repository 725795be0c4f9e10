-- Whether a player gets letters about what they did or saw in the browser.
ALTER TABLE players ADD COLUMN own TEXT NOT NULL DEFAULT 'off';

INSERT INTO migrations (version, name) VALUES (42, 'own_letters');
