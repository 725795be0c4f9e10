-- Boards that their players abandon: they end by agreement, have no result, and stay in the lists of finished boards.
INSERT INTO entry_kinds (code, word) VALUES (8, 'abandon');

-- Constraints and views are changed in their texts, as in 0037.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql, '(''draw'', ''undo'')', '(''draw'', ''undo'', ''abandon'')'),
                                       '(''declined'', ''expired'', ''void'')', '(''declined'', ''expired'', ''void'', ''abandoned'')')
    WHERE type = 'table' AND name IN ('boards', 'proposals');
UPDATE sqlite_schema SET sql = replace(sql, '''draw''', 'iif(b.no_result IS NULL, ''draw'', b.no_result)')
    WHERE type = 'view' AND name IN ('games', 'board_story');
UPDATE sqlite_schema SET sql = replace(sql, 'NEW.ended_at IS NOT NULL', 'NEW.reason <> ''abandoned''')
    WHERE type = 'trigger' AND name = 'results_new';
PRAGMA writable_schema = RESET;

INSERT INTO migrations (version, name) VALUES (44, 'abandoned');
