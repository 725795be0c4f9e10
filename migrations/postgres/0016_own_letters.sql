-- Whether a player gets letters about what they did or saw in the browser.
ALTER TABLE players ADD COLUMN own text COLLATE "C" NOT NULL DEFAULT 'off';
COMMENT ON COLUMN players.own IS 'Whether letters come about what the player did or saw in the browser';

INSERT INTO migrations (version, name, usable_from) VALUES (16, 'own_letters', 12);
