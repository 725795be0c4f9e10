-- Ratings (Glicko-2), one for each player and game. All of them can be computed again from the rated boards in the order
-- in which they ended: `rated_as`.

ALTER TABLE boards ADD COLUMN rated_as INTEGER CHECK (rated_as >= 1)
    CHECK (rated_as IS NULL OR (rated = 1 AND ended_at IS NOT NULL));
CREATE UNIQUE INDEX boards_rated_as ON boards (rated_as) WHERE rated_as IS NOT NULL;

CREATE TABLE standings (
    game       TEXT NOT NULL,
    player     INTEGER NOT NULL REFERENCES players (id),
    rating     REAL NOT NULL,
    deviation  REAL NOT NULL CHECK (deviation > 0),
    volatility REAL NOT NULL CHECK (volatility > 0),
    wins       INTEGER NOT NULL CHECK (wins >= 0),
    losses     INTEGER NOT NULL CHECK (losses >= 0),
    draws      INTEGER NOT NULL CHECK (draws >= 0),
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX standings_of ON standings (player);

CREATE TABLE rating_changes (
    board             INTEGER NOT NULL REFERENCES boards (number),
    seat              INTEGER NOT NULL CHECK (seat IN (1, 2)),
    rating_before     REAL NOT NULL,
    deviation_before  REAL NOT NULL,
    volatility_before REAL NOT NULL,
    rating_after      REAL NOT NULL,
    deviation_after   REAL NOT NULL,
    volatility_after  REAL NOT NULL,
    PRIMARY KEY (board, seat)
) STRICT, WITHOUT ROWID;

INSERT INTO migrations (version, name) VALUES (5, 'ratings');
