-- Which board a rematch follows, and who may read the chat of a player's boards.
ALTER TABLE boards ADD COLUMN rematch_of bigint;
COMMENT ON COLUMN boards.rematch_of IS 'The number of the board that it follows; an import can lack that board';
CREATE INDEX boards_rematch_of ON boards (rematch_of) WHERE rematch_of IS NOT NULL;

-- The page of the earlier board links to its rematch.
CREATE CONSTRAINT TRIGGER changes_rematch AFTER INSERT ON boards DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.rematch_of IS NOT NULL) EXECUTE FUNCTION note_change('rematch_of');
CREATE CONSTRAINT TRIGGER changes_rematch_declined AFTER UPDATE OF declined_at ON boards DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.rematch_of IS NOT NULL) EXECUTE FUNCTION note_change('rematch_of');

ALTER TABLE players ADD COLUMN chat text COLLATE "C" NOT NULL DEFAULT 'everyone';

INSERT INTO migrations (version, name, usable_from) VALUES (17, 'rematches', 12);
