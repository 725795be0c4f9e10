-- Times in which all clocks stand still, and when the program last looked at the clocks, by which an outage is found.
CREATE TABLE standstills (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    began_at text COLLATE "C" NOT NULL CHECK (is_time(began_at)),
    ended_at text COLLATE "C" CHECK (is_time(ended_at)),
    cause    text COLLATE "C" NOT NULL CHECK (cause IN ('off', 'held', 'paused')),
    reason   text COLLATE "C" NOT NULL
);
COMMENT ON TABLE standstills IS 'Times in which all clocks stand still';
COMMENT ON COLUMN standstills.ended_at IS 'NULL while it lasts';
COMMENT ON COLUMN standstills.reason IS 'The administrator''s, which players read';
CREATE INDEX standstills_lasting ON standstills (id) WHERE ended_at IS NULL;
ALTER TABLE server ADD COLUMN clocks_seen_at text COLLATE "C" CHECK (is_time(clocks_seen_at));
COMMENT ON COLUMN server.clocks_seen_at IS 'When the program last looked at the clocks, to an hour';
ALTER TABLE boards ADD COLUMN clock_given bigint NOT NULL DEFAULT 0 CHECK (clock_given >= 0);
COMMENT ON COLUMN boards.clock_given IS 'Thinking time that was given on this ply, in seconds, beyond what was thought';

-- An older program would leave the time that was given on one ply to the next.
INSERT INTO migrations (version, name, usable_from) VALUES (10, 'standstills', 10);
