-- A player whose letters came back cannot have read their reminders: the day before a forfeit begins no earlier than here.
ALTER TABLE players ADD COLUMN back_in_reach_at TEXT CHECK (back_in_reach_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z');

INSERT INTO migrations (version, name) VALUES (23, 'back_in_reach');
