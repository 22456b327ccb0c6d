-- What each client has left, for all servers of a registry together. A crash empties it: then each client has all of it again.
CREATE UNLOGGED TABLE allowance (
  client text NOT NULL CHECK (octet_length(client) = 43),
  kind text NOT NULL,
  available double precision NOT NULL,
  granted int NOT NULL,
  refilled_at timestamptz NOT NULL,
  PRIMARY KEY (client, kind)
) WITH (fillfactor = 50);
