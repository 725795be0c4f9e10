-- A page of the standings is read from one index: each player's own row is on another page of the file, so that asking it
-- took longer the more players there were. How many players have which rating is counted as it changes, not when it is asked.
ALTER TABLE standings ADD COLUMN listed_as TEXT COLLATE NOCASE; -- the player's userid; NULL when they have left
CREATE TABLE rating_ranges (
    game    TEXT NOT NULL,
    low     INTEGER NOT NULL, -- the lower end of the range, which is 50 points wide
    players INTEGER NOT NULL CHECK (players >= 0), -- without those who have left
    PRIMARY KEY (game, low)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER standings_counted AFTER UPDATE OF rating, listed_as ON standings
BEGIN
    UPDATE rating_ranges SET players = players - 1
        WHERE OLD.listed_as IS NOT NULL AND game = OLD.game AND low = CAST(OLD.rating / 50 AS INTEGER) * 50;
    INSERT INTO rating_ranges SELECT NEW.game, CAST(NEW.rating / 50 AS INTEGER) * 50, 1 WHERE NEW.listed_as IS NOT NULL
        ON CONFLICT (game, low) DO UPDATE SET players = players + 1;
END;
CREATE TRIGGER standings_removed AFTER DELETE ON standings WHEN OLD.listed_as IS NOT NULL
BEGIN
    UPDATE rating_ranges SET players = players - 1
        WHERE game = OLD.game AND low = CAST(OLD.rating / 50 AS INTEGER) * 50;
END;
CREATE TRIGGER standings_new AFTER INSERT ON standings
BEGIN
    UPDATE standings SET listed_as = (SELECT userid FROM players WHERE id = NEW.player AND left_at IS NULL)
        WHERE game = NEW.game AND player = NEW.player;
END;
CREATE TRIGGER standings_listed AFTER UPDATE OF userid, left_at ON players
BEGIN
    UPDATE standings SET listed_as = CASE WHEN NEW.left_at IS NULL THEN NEW.userid END WHERE player = NEW.id;
END;

DROP INDEX standings_by_rating;
-- The trigger counts what is there already.
UPDATE standings SET listed_as = (SELECT p.userid FROM players p WHERE p.id = standings.player AND p.left_at IS NULL);
CREATE INDEX standings_by_rating
    ON standings (game, rating DESC, listed_as, player, deviation, volatility, wins, losses, draws)
    WHERE listed_as IS NOT NULL;

INSERT INTO migrations (version, name) VALUES (32, 'standings');
