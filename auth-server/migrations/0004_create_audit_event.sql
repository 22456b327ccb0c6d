-- Security events, for those who run the server. Identifiers only: no token, code, password or secret.
CREATE TABLE audit_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  occurred_at timestamptz(3) NOT NULL,
  event text NOT NULL,
  subject text,
  client_id text,
  grant_id text,
  -- what else there is to say, by the event
  details jsonb NOT NULL DEFAULT '{}'
);

CREATE INDEX audit_event_occurred_at ON audit_event (occurred_at);
CREATE INDEX audit_event_subject ON audit_event (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX audit_event_client ON audit_event (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_event_grant ON audit_event (grant_id, id) WHERE grant_id IS NOT NULL;
