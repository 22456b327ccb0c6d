-- Recorded operations: what gateways have counted, by window of time. Gateways write; the command line reads and deletes.

-- Each text once. seen_at is the end of the last window in which it was sent.
CREATE TABLE document (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'),
  text text NOT NULL,
  seen_at timestamptz NOT NULL
);

-- A window of one process. The primary key makes a second attempt to write it one without effect.
CREATE TABLE interval (
  process uuid NOT NULL,
  began_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  is_complete boolean NOT NULL,
  PRIMARY KEY (process, began_at)
);

CREATE INDEX interval_by_time ON interval (began_at, process);
CREATE INDEX interval_by_end ON interval (ended_at);

-- What was counted of an operation in a window.
CREATE TABLE operation (
  process uuid NOT NULL,
  began_at timestamptz NOT NULL,
  document_id text NOT NULL REFERENCES document,
  counts jsonb NOT NULL,
  FOREIGN KEY (process, began_at) REFERENCES interval ON DELETE CASCADE
);

CREATE INDEX operation_by_interval ON operation (process, began_at);
CREATE INDEX operation_by_document ON operation (document_id);

-- Processes that record. One that has not ended in order, and renews nothing any more, was killed: an interval is missing.
CREATE TABLE process (
  id uuid PRIMARY KEY,
  renewed_at timestamptz NOT NULL DEFAULT now(),
  interval_ms bigint NOT NULL
);
