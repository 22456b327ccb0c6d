-- How far a consumer has come with each source, moved in the transaction of what the events have done; see
-- packages/events/README.md.
CREATE TABLE event_cursor (
  source text PRIMARY KEY,
  seq bigint NOT NULL
);

-- Events that could not be applied.
CREATE TABLE dead_letter (
  source text NOT NULL,
  seq bigint NOT NULL,
  event json NOT NULL,
  error text NOT NULL,
  buried_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (source, seq)
);
