import { defineStatements, execute, queryRows, type Pool, type StatementRow } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';

/** A security event as it is stored. */
export interface StoredAuditEvent {
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
  readonly event: string;
  /** The account's id. */
  readonly subject?: string | undefined;
  readonly clientId?: string | undefined;
  readonly grantId?: string | undefined;
  /** What else there is to say, by the event. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A stored event with its number; later events have higher ones. */
export interface NumberedAuditEvent extends StoredAuditEvent {
  readonly id: string;
}

/** Which events are asked for; what is absent does not matter. */
export interface AuditFilter {
  readonly event?: string | undefined;
  readonly subject?: string | undefined;
  /** Hash of an e-mail address: also finds failed sign-ins, which have no subject. */
  readonly account?: string | undefined;
  readonly clientId?: string | undefined;
  readonly grantId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only events with a lower number: the next page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Stored security events. */
export interface AuditStore {
  append(events: readonly StoredAuditEvent[]): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<readonly NumberedAuditEvent[]>;
  /**
   * What has happened to one account, newest first.
   *
   * @param account hash of its address, which failed sign-ins name
   * @param names of the events that count
   */
  listOfSubject(
    subject: string,
    account: string,
    names: readonly string[],
    limit: number,
  ): Promise<readonly NumberedAuditEvent[]>;
  /** @param moment milliseconds since 1970 @returns how many were removed */
  removeBefore(moment: number): Promise<number>;
}

const sql = defineStatements(statements, 'audit-store', {
  // An array for each column costs several times as much to write down as one JSON text.
  append: {
    preparedAs: 'append-audit-events',
    text: `INSERT INTO audit_event (occurred_at, event, subject, client_id, grant_id, details)
      SELECT to_timestamp("occurredAt" / 1000.0), event, subject, "clientId", "grantId", details
      FROM jsonb_to_recordset($1) AS events ("occurredAt" bigint, event text, subject text, "clientId" text,
        "grantId" text, details jsonb)`,
  },
  list: `SELECT id, occurred_at, event, subject, client_id, grant_id, details FROM audit_event
  WHERE ($1::text IS NULL OR event = $1)
    AND (($2::text IS NULL AND $3::text IS NULL) OR subject = $2 OR details ->> 'account' = $3)
    AND ($4::text IS NULL OR client_id = $4)
    AND ($5::text IS NULL OR grant_id = $5)
    AND ($6::timestamptz IS NULL OR occurred_at >= $6)
    AND ($7::bigint IS NULL OR id < $7)
  ORDER BY id DESC LIMIT $8`,
  /** Two indices, each read from its end. */
  listOfSubject: {
    notNull: ['id', 'occurred_at', 'event', 'details'],
    text: `SELECT id, occurred_at, event, subject, client_id, grant_id, details FROM (
      (SELECT * FROM audit_event WHERE subject = $1 AND event = ANY($3) ORDER BY id DESC LIMIT $4)
      UNION ALL
      (SELECT * FROM audit_event WHERE details ->> 'account' = $2 AND event = 'sign_in_failed'
        ORDER BY id DESC LIMIT $4)) AS found
    ORDER BY id DESC LIMIT $4`,
  },
  removeBefore: 'DELETE FROM audit_event WHERE occurred_at < $1',
});

/** Security events in PostgreSQL. */
export function createAuditStore(pool: Pool): AuditStore {
  return {
    append: async (events) => {
      await execute(pool, sql.append, [jsonOf(events)]);
    },
    list: async (filter) => {
      const { event, subject, account, clientId, grantId, since, before, limit } = filter;
      const from = since === undefined ? undefined : new Date(since);
      const parameters = [event, subject, account, clientId, grantId, from, before, limit] as const;
      return (await queryRows(pool, sql.list, parameters)).map(toEvent);
    },
    listOfSubject: async (subject, account, names, limit) =>
      (await queryRows(pool, sql.listOfSubject, [subject, account, names, limit])).map(toEvent),
    removeBefore: (moment) => execute(pool, sql.removeBefore, [new Date(moment)]),
  };
}

/** Backslashes that are data, and the escapes of what PostgreSQL has no text for: NUL, and halves of surrogate pairs. */
const UNSTORABLE = /(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** What can't be stored is replaced: one event must not keep the others of its batch from being stored. */
function jsonOf(events: readonly StoredAuditEvent[]): string {
  const json = JSON.stringify(events);
  if (!json.includes('\\u')) return json;
  return json.replace(UNSTORABLE, (_escape, backslash?: string) => backslash ?? '\ufffd');
}

function toEvent(row: StatementRow<typeof sql.list>): NumberedAuditEvent {
  return {
    id: row.id,
    occurredAt: row.occurred_at.getTime(),
    event: row.event,
    subject: row.subject ?? undefined,
    clientId: row.client_id ?? undefined,
    grantId: row.grant_id ?? undefined,
    details: row.details as NumberedAuditEvent['details'], // written by append
  };
}
