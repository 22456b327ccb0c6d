-- Clients that have registered themselves manage their registration by a token: its hash, and that of the one before, which
-- works until the new one has been used (RFC 7592).
ALTER TABLE client
  ADD COLUMN registration_token_hash bytea,
  ADD COLUMN previous_registration_token_hash bytea;
