-- Indexes from which a page of a list is read: boards of a game in progress, boards that ended, and ratings.

CREATE INDEX boards_of_game_active ON boards (game, number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_of_game_over ON boards (game, number) WHERE ended_at IS NOT NULL;
CREATE INDEX standings_by_rating ON standings (game, rating DESC);

INSERT INTO migrations (version, name) VALUES (11, 'lists');
