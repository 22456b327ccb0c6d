-- Failed sign-ins name an account by the hash of its address alone; its owner looks for them on the account page.
CREATE INDEX audit_event_account ON audit_event ((details ->> 'account'), id)
  WHERE (details ->> 'account') IS NOT NULL;
