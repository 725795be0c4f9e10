-- Which board a rematch follows, and who may read the chat of a player's boards.
ALTER TABLE boards ADD COLUMN rematch_of INTEGER; -- a number; an import can lack that board
CREATE INDEX boards_rematch_of ON boards (rematch_of) WHERE rematch_of IS NOT NULL;

-- The page of the earlier board links to its rematch.
CREATE TRIGGER changes_rematch AFTER INSERT ON boards WHEN NEW.rematch_of IS NOT NULL
BEGIN
    DELETE FROM changes WHERE board = NEW.rematch_of;
    INSERT INTO changes (board) VALUES (NEW.rematch_of);
END;
CREATE TRIGGER changes_rematch_declined AFTER UPDATE OF declined_at ON boards WHEN NEW.rematch_of IS NOT NULL
BEGIN
    DELETE FROM changes WHERE board = NEW.rematch_of;
    INSERT INTO changes (board) VALUES (NEW.rematch_of);
END;

ALTER TABLE players ADD COLUMN chat TEXT NOT NULL DEFAULT 'everyone';

INSERT INTO migrations (version, name) VALUES (43, 'rematches');
