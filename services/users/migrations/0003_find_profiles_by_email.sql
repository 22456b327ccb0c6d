-- For Query.userBy.
CREATE INDEX profile_by_email ON profile (email, created_at, id);
