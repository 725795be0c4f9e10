-- Puzzles: positions of finished boards in which exactly one move wins. The position is that of the board after so many
-- of the plies that stand.
CREATE TABLE puzzles (
    game     TEXT NOT NULL,
    number   INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    board    INTEGER NOT NULL REFERENCES boards (number),
    ply      INTEGER NOT NULL CHECK (ply BETWEEN 1 AND 4294967295),
    position TEXT NOT NULL UNIQUE CHECK (length(position) = 64), -- SHA-256 of game, options and position
    solution TEXT NOT NULL CHECK (solution <> ''),
    daily    TEXT CHECK (daily GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'), -- when it was last the puzzle of the day
    PRIMARY KEY (game, number)
) STRICT;
CREATE UNIQUE INDEX puzzles_of_day ON puzzles (game, daily) WHERE daily IS NOT NULL;
CREATE INDEX puzzles_by_turn ON puzzles (game, daily, number);

-- The players who get the puzzle of the day of a game.
CREATE TABLE puzzle_readers (
    player INTEGER NOT NULL REFERENCES players (id),
    game   TEXT NOT NULL,
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
CREATE INDEX puzzle_readers_of_game ON puzzle_readers (game, player);

-- Finished boards that are still to be searched for puzzles; private ones are not.
CREATE TABLE unsearched_boards (
    board INTEGER PRIMARY KEY REFERENCES boards (number)
) STRICT;
INSERT INTO unsearched_boards (board) SELECT number FROM boards WHERE ended_at IS NOT NULL AND private = 0;

CREATE TRIGGER unsearched_board_ended AFTER UPDATE OF ended_at ON boards
WHEN NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL AND NEW.private = 0
BEGIN
    INSERT OR IGNORE INTO unsearched_boards (board) VALUES (NEW.number);
END;

INSERT INTO migrations (version, name) VALUES (29, 'puzzles');
