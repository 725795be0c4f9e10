-- Whether letters and pages tell a player what a computer player expects.
ALTER TABLE players ADD COLUMN hints TEXT NOT NULL DEFAULT 'off';

-- What a computer player expected when it made its last move at a board. It counts while that is the record's last entry.
CREATE TABLE hints (
    board  INTEGER PRIMARY KEY REFERENCES boards (number),
    entry  INTEGER NOT NULL CHECK (entry >= 1), -- the entry of the move
    chance INTEGER CHECK (chance BETWEEN 0 AND 1000), -- its own of winning, in thousandths; NULL: it had no choice
    proved INTEGER NOT NULL CHECK (proved IN (0, 1)), -- nobody can change the chance any more: 1000, 500 or 0
    line   TEXT NOT NULL -- the moves that it expects next, with spaces between them
) STRICT;

INSERT INTO migrations (version, name) VALUES (30, 'hints');
