-- The puzzles whose solution a player knows: found, or shown on request, whichever was first.
CREATE TABLE solved_puzzles (
    player INTEGER NOT NULL REFERENCES players (id),
    game   TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    day    TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'), -- in UTC
    found  INTEGER NOT NULL CHECK (found IN (0, 1)), -- 0: the solution was shown
    PRIMARY KEY (player, game, number)
) STRICT, WITHOUT ROWID;

INSERT INTO migrations (version, name) VALUES (45, 'solved_puzzles');
