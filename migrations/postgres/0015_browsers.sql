-- Which players logged in with the same browser, for `turnpost admin players --suspicious`.
CREATE TABLE browsers (
    hash    bytea NOT NULL CHECK (length(hash) = 32),
    player  bigint NOT NULL REFERENCES players (id),
    used_at text COLLATE "C" NOT NULL CHECK (is_time(used_at)),
    PRIMARY KEY (hash, player)
);
COMMENT ON TABLE browsers IS 'Which players logged in with the same browser';
COMMENT ON COLUMN browsers.hash IS 'SHA-256 of the browser''s cookie';
COMMENT ON COLUMN browsers.used_at IS 'The player''s last login with it';
CREATE INDEX browsers_player ON browsers (player);

INSERT INTO migrations (version, name, usable_from) VALUES (15, 'browsers', 12);
