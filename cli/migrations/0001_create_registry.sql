-- A registry: texts by digest, the records of each log, and who did what.
CREATE TABLE blob (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
  content bytea NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);

-- The primary key is what creates a record once.
CREATE TABLE record (
  graph text NOT NULL,
  environment text NOT NULL,
  sequence int NOT NULL CHECK (sequence > 0),
  jws text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (graph, environment, sequence)
);

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  client_id text,
  subject text,
  action text NOT NULL,
  graph text NOT NULL,
  environment text NOT NULL,
  subgraphs text[] NOT NULL,
  outcome text NOT NULL,
  sequence int
);

CREATE INDEX audit_by_time ON audit (at);
