-- What happened, in the order in which it happened to each subject; see packages/events/README.md. The relay numbers the
-- rows once they are committed, and makes a partition for each day.
--
-- Services created these tables by a copy of this text before the package had migrations. Theirs are adopted as they are.
DO $$
BEGIN
  IF to_regclass('outbox') IS NULL THEN
    CREATE SEQUENCE outbox_position;
    CREATE TABLE outbox (
      position bigint NOT NULL DEFAULT nextval('outbox_position'),
      id uuid NOT NULL,
      type text NOT NULL,
      subject uuid NOT NULL,
      payload json NOT NULL,
      occurred_at timestamptz(3) NOT NULL DEFAULT now(),
      seq bigint
    ) PARTITION BY RANGE (occurred_at);
    CREATE TABLE outbox_rest PARTITION OF outbox DEFAULT;
    CREATE INDEX outbox_unnumbered ON outbox (position) WHERE seq IS NULL;
    CREATE INDEX outbox_by_seq ON outbox (seq);
    CREATE TABLE outbox_head (seq bigint NOT NULL);
    INSERT INTO outbox_head VALUES (0);
  END IF;
END
$$;

-- A table of this name that holds something else fails here, and not at the first event.
DO $$
BEGIN
  PERFORM position, id, type, subject, payload, occurred_at, seq FROM outbox LIMIT 0;
  PERFORM seq FROM outbox_head LIMIT 0;
END
$$;
