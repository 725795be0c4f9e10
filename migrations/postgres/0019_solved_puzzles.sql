-- The puzzles whose solution a player knows: found, or shown on request, whichever was first.
CREATE TABLE solved_puzzles (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    number bigint NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    day    text COLLATE "C" NOT NULL CHECK (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    found  boolean NOT NULL,
    PRIMARY KEY (player, game, number)
);
COMMENT ON TABLE solved_puzzles IS 'The puzzles whose solution a player knows';
COMMENT ON COLUMN solved_puzzles.day IS 'The day, in UTC, on which the player found or saw the solution';
COMMENT ON COLUMN solved_puzzles.found IS 'Whether the player found the solution before it was shown';

INSERT INTO migrations (version, name, usable_from) VALUES (19, 'solved_puzzles', 12);
