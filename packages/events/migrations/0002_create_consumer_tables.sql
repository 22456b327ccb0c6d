-- How far a consumer has come with each source, moved in the transaction of what the events have done, and the events that
-- could not be applied; see packages/events/README.md.
--
-- Services created these tables by a copy of this text before the package had migrations. Theirs are adopted as they are.
DO $$
BEGIN
  IF to_regclass('event_cursor') IS NULL THEN
    CREATE TABLE event_cursor (
      source text PRIMARY KEY,
      seq bigint NOT NULL
    );
    CREATE TABLE dead_letter (
      source text NOT NULL,
      seq bigint NOT NULL,
      event json NOT NULL,
      error text NOT NULL,
      buried_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (source, seq)
    );
  END IF;
END
$$;

-- A table of this name that holds something else fails here, and not at the first event.
DO $$
BEGIN
  PERFORM source, seq FROM event_cursor LIMIT 0;
  PERFORM source, seq, event, error, buried_at FROM dead_letter LIMIT 0;
END
$$;
