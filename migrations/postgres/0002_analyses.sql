-- What the computer player thinks of finished boards. A row without an analysis waits for it. It is a cache: whatever is
-- removed here is made again when somebody asks.
CREATE TABLE analyses (
    board    bigint PRIMARY KEY REFERENCES boards (number),
    head     text COLLATE "C" NOT NULL CHECK (length(head) = 64),
    asked_at text COLLATE "C" NOT NULL CHECK (is_time(asked_at)),
    askers   text COLLATE "C" NOT NULL,
    analysis text COLLATE "C"
);
COMMENT ON TABLE analyses IS 'What the computer player thinks of finished boards; without an analysis, it waits to be made';
COMMENT ON COLUMN analyses.head IS 'The hash of the last entry of the record that is analysed';
COMMENT ON COLUMN analyses.askers IS 'Who waits for it: pairs of an id of a player and whether a letter brings it';
CREATE INDEX analyses_waiting ON analyses (asked_at, board) WHERE analysis IS NULL;

-- The board's page shows that it waits, and then the analysis.
CREATE TRIGGER changes_analysis_asked AFTER INSERT ON analyses FOR EACH ROW EXECUTE FUNCTION note_change('board');
CREATE TRIGGER changes_analysis AFTER UPDATE OF analysis ON analyses
    FOR EACH ROW WHEN (NEW.analysis IS DISTINCT FROM OLD.analysis) EXECUTE FUNCTION note_change('board');

INSERT INTO migrations (version, name) VALUES (2, 'analyses');
