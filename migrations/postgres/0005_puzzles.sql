-- Puzzles: positions of finished boards in which exactly one move wins. The position is that of the board after so many
-- of the plies that stand.
CREATE TABLE puzzles (
    game     text COLLATE "C" NOT NULL,
    number   bigint NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    board    bigint NOT NULL REFERENCES boards (number),
    ply      bigint NOT NULL CHECK (ply BETWEEN 1 AND 4294967295),
    position text COLLATE "C" NOT NULL UNIQUE CHECK (length(position) = 64),
    solution text COLLATE "C" NOT NULL CHECK (solution <> ''),
    daily    text COLLATE "C" CHECK (daily ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    PRIMARY KEY (game, number)
);
COMMENT ON TABLE puzzles IS 'Positions of finished boards in which exactly one move wins';
COMMENT ON COLUMN puzzles.ply IS 'How many of the plies that stand led to the position';
COMMENT ON COLUMN puzzles.position IS 'SHA-256 of game, options and position';
COMMENT ON COLUMN puzzles.daily IS 'The last day on which it was the puzzle of the day';
CREATE UNIQUE INDEX puzzles_of_day ON puzzles (game, daily) WHERE daily IS NOT NULL;
CREATE INDEX puzzles_by_turn ON puzzles (game, daily NULLS FIRST, number);

CREATE TABLE puzzle_readers (
    player bigint NOT NULL REFERENCES players (id),
    game   text COLLATE "C" NOT NULL,
    PRIMARY KEY (player, game)
);
COMMENT ON TABLE puzzle_readers IS 'The players who get the puzzle of the day of a game';
CREATE INDEX puzzle_readers_of_game ON puzzle_readers (game, player);

CREATE TABLE unsearched_boards (
    board bigint PRIMARY KEY REFERENCES boards (number)
);
COMMENT ON TABLE unsearched_boards IS 'Finished boards that are still to be searched for puzzles; private ones are not';
INSERT INTO unsearched_boards (board) SELECT number FROM boards WHERE ended_at IS NOT NULL AND NOT private;

CREATE FUNCTION note_unsearched_board() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unsearched_boards (board) VALUES (NEW.number) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER unsearched_board_ended AFTER UPDATE OF ended_at ON boards
    FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL AND NOT NEW.private)
    EXECUTE FUNCTION note_unsearched_board();

INSERT INTO migrations (version, name) VALUES (5, 'puzzles');
