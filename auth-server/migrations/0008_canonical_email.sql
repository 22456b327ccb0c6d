-- The one spelling under which an address is found. The server writes it: PostgreSQL's lower() is not the same as its own.
ALTER TABLE account ADD COLUMN canonical_email text;

CREATE UNIQUE INDEX account_canonical_email ON account (canonical_email);
