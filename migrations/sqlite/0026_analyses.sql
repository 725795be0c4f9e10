-- What the computer player thinks of finished boards. A row without an analysis waits for it. It is a cache: whatever is
-- removed here is made again when somebody asks.
CREATE TABLE analyses (
    board    INTEGER PRIMARY KEY REFERENCES boards (number),
    head     TEXT NOT NULL CHECK (length(head) = 64), -- the hash of the last entry of the record that is analysed
    asked_at TEXT NOT NULL CHECK (asked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    askers   TEXT NOT NULL CHECK (json_valid(askers)), -- who waits for it: pairs of a player's id and whether a letter brings it
    analysis TEXT CHECK (json_valid(analysis))
) STRICT;
CREATE INDEX analyses_waiting ON analyses (asked_at, board) WHERE analysis IS NULL;

-- The board's page shows that it waits, and then the analysis.
CREATE TRIGGER changes_analysis_asked AFTER INSERT ON analyses
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;
CREATE TRIGGER changes_analysis AFTER UPDATE OF analysis ON analyses WHEN NEW.analysis IS NOT OLD.analysis
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;

INSERT INTO migrations (version, name) VALUES (26, 'analyses');
