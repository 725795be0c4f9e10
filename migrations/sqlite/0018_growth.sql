-- Finds the few boards that were declined: those of a player that are over are then counted by indexes alone.
CREATE INDEX boards_declined ON boards (number) WHERE declined_at IS NOT NULL;

INSERT INTO migrations (version, name) VALUES (18, 'growth');
