-- Computer players make entries of their own kind.
INSERT INTO entry_vias (code, word) VALUES (8, 'robot');

INSERT INTO migrations (version, name) VALUES (22, 'robots');
