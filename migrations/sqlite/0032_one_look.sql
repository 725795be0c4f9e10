-- What an entry must be is seen by one look at its board's row, where it was one for each condition.
DROP TRIGGER moves_in_order;
CREATE TRIGGER moves_in_order BEFORE INSERT ON moves
BEGIN
    SELECT RAISE(ABORT, 'a move was made on a board that is over, declined or not there')
        WHERE NOT EXISTS (SELECT 1 FROM boards
                          WHERE number = NEW.board AND ended_at IS NULL AND declined_at IS NULL);
    SELECT CASE
        WHEN NEW.entry <> b.entries + 1 THEN RAISE(ABORT, 'an entry must be the next one of its board')
        WHEN NEW.kind = 0 AND NEW.ply <> b.plies + 1 THEN RAISE(ABORT, 'a move must be the next ply of its board')
        WHEN NEW.kind = 1 AND NEW.ply >= b.plies THEN RAISE(ABORT, 'an undo must go back')
        WHEN NEW.kind NOT IN (0, 1) AND NEW.ply <> b.plies THEN RAISE(ABORT, 'an end is no ply')
        WHEN NEW.kind = 0 AND NEW.seat IS NOT b.to_move
            THEN RAISE(ABORT, 'a move must be made by the player whose turn it is')
        -- What the program chains an entry to is `head`. SQLite cannot compute SHA-256, so what is checked here is that
        -- `head` is the hash of the entry before this one, or the genesis, and that this entry has another.
        WHEN b.head = lower(hex(NEW.hash))
            OR b.head IS NOT CASE NEW.entry
                   WHEN 1 THEN b.genesis
                   ELSE (SELECT lower(hex(m.hash)) FROM moves m WHERE m.board = NEW.board AND m.entry = NEW.entry - 1)
               END
            THEN RAISE(ABORT, 'a move must be chained to the hash of the move before it')
    END FROM boards b WHERE b.number = NEW.board;
END;

INSERT INTO migrations (version, name) VALUES (32, 'one_look');
