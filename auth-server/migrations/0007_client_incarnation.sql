-- Which registration of a client a grant or a consent belongs to: a client that was removed and registered again under its
-- old id is another one. What there is now belongs to the registrations that there are now.
ALTER TABLE client ADD COLUMN incarnation text NOT NULL DEFAULT 'first';
ALTER TABLE client ALTER COLUMN incarnation DROP DEFAULT;
ALTER TABLE consent ADD COLUMN client_incarnation text NOT NULL DEFAULT 'first';
ALTER TABLE consent ALTER COLUMN client_incarnation DROP DEFAULT;
CREATE INDEX consent_client ON consent (client_id);

-- Names the key that hashed the secret, so that it is known when nothing needs an old KEY_ENCRYPTION_SECRET any more.
-- Null where it is not known.
ALTER TABLE client ADD COLUMN secret_key_id text;
