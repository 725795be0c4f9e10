-- Since when the administrator lets no letter leave; NULL: letters leave.
ALTER TABLE server ADD COLUMN letters_held_at TEXT CHECK (letters_held_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z');

INSERT INTO migrations (version, name) VALUES (24, 'hold_letters');
