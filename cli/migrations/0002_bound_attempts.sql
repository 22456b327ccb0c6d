-- Attempts that changed nothing are bounded in number: anybody with a token makes them.
CREATE INDEX audit_of_attempts ON audit (id) WHERE sequence IS NULL;
