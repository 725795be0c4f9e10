INSERT INTO migrations (version, name, usable_from) VALUES (7, 'side_by_side', 7);
