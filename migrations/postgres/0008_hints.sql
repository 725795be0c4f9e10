-- Whether letters and pages tell a player what a computer player expects.
ALTER TABLE players ADD COLUMN hints text COLLATE "C" NOT NULL DEFAULT 'off';

CREATE TABLE hints (
    board  bigint PRIMARY KEY REFERENCES boards (number),
    entry  bigint NOT NULL CHECK (entry BETWEEN 1 AND 4294967295),
    chance bigint CHECK (chance BETWEEN 0 AND 1000),
    proved boolean NOT NULL,
    line   text COLLATE "C" NOT NULL
);
COMMENT ON TABLE hints IS 'What a computer player expected when it made its last move at a board';
COMMENT ON COLUMN hints.entry IS 'The entry of the move; it counts while that is the last one of the record';
COMMENT ON COLUMN hints.chance IS 'Its own of winning, in thousandths; NULL: it had no choice';
COMMENT ON COLUMN hints.proved IS 'Nobody can change the chance any more: it is 1000, 500 or 0';
COMMENT ON COLUMN hints.line IS 'The moves that it expects next, with spaces between them';

INSERT INTO migrations (version, name, usable_from) VALUES (8, 'hints', 7);
