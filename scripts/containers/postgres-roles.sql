-- A role for each service, whose rights end at the schema that it owns, with the password of the environment. Run by psql as the
-- superuser before the services start; it may run again, and adopts what an earlier version has left to the superuser.
\set ON_ERROR_STOP on
\getenv auth_password AUTH_DATABASE_PASSWORD
\getenv users_password USERS_DATABASE_PASSWORD
\getenv posts_password POSTS_DATABASE_PASSWORD
\getenv comments_password COMMENTS_DATABASE_PASSWORD
\getenv search_password SEARCH_DATABASE_PASSWORD

BEGIN;
SELECT pg_advisory_xact_lock(hashtextextended('trellis roles', 0));
CREATE TEMP TABLE service (schema text, role text, password text) ON COMMIT DROP;
INSERT INTO service VALUES
  ('auth', 'trellis_auth', :'auth_password'),
  ('users', 'trellis_users', :'users_password'),
  ('posts', 'trellis_posts', :'posts_password'),
  ('comments', 'trellis_comments', :'comments_password'),
  ('search', 'trellis_search', :'search_password');

-- No role has the rights that PostgreSQL gives to PUBLIC.
DO $$
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
END $$;

DO $$
DECLARE
  one record;
  owned record;
BEGIN
  FOR one IN SELECT * FROM service LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = one.role) THEN
      EXECUTE format('CREATE ROLE %I', one.role);
    END IF;
    EXECUTE format(
      'ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD %L', one.role, one.password);
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), one.role);
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I', one.schema, one.role);
    EXECUTE format('ALTER SCHEMA %I OWNER TO %I', one.schema, one.role);
    -- What a superuser has made there before: tables with their indexes, sequences, views, routines, types.
    FOR owned IN
      SELECT format('ALTER %s %s OWNER TO %I',
               CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END,
               pg_class.oid::regclass, one.role) AS statement
      FROM pg_class
      WHERE relnamespace = one.schema::regnamespace AND relkind IN ('r', 'p', 'S', 'v', 'm')
        AND pg_get_userbyid(relowner) <> one.role
        -- A sequence of a column follows its table.
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND relkind = 'S' AND deptype IN ('a', 'i'))
      UNION ALL
      SELECT format('ALTER ROUTINE %s OWNER TO %I', pg_proc.oid::regprocedure, one.role)
      FROM pg_proc WHERE pronamespace = one.schema::regnamespace AND pg_get_userbyid(proowner) <> one.role
      UNION ALL
      SELECT format('ALTER TYPE %s OWNER TO %I', pg_type.oid::regtype, one.role)
      FROM pg_type WHERE typnamespace = one.schema::regnamespace AND typtype IN ('e', 'd')
        AND pg_get_userbyid(typowner) <> one.role
    LOOP
      EXECUTE owned.statement;
    END LOOP;
  END LOOP;
END $$;
COMMIT;
