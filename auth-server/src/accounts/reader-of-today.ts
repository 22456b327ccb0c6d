import { defineStatements, queryRows, type Pool, type StatementRow } from '@trellis/postgres';
import { isRole, type AccountToday } from './accounts.ts';
import { batchById } from '../batch-by-id.ts';
import { statements } from '../generated/statements.ts';
import { ROW_VERSION } from '../row-version.ts';

/**
 * Reads what has to be true at the moment in which tokens are issued: the user, and whether the client is still registered
 * as it is remembered. All who ask at one time share one query, whichever of both they ask for.
 */
export interface ReaderOfToday {
  /** @param id a UUID in lower case */
  account(id: string): Promise<AccountToday | undefined>;
  /** What changes whenever the record of a client does; undefined where there is none. */
  clientVersion(clientId: string): Promise<string | undefined>;
}

const sql = defineStatements(statements, 'reader-of-today', {
  // Few columns: PostgreSQL describes each of them with every response.
  findBoth: {
    preparedAs: 'accounts-and-clients-of-today',
    notNull: ['id'],
    text: `SELECT id::text, NULL AS version, email, name, role, disabled_at IS NOT NULL AS disabled,
          round(extract(epoch FROM credentials_changed_at) * 1000)::float8 AS changed_at_ms
        FROM account WHERE id = ANY($1::uuid[])
      UNION ALL
      SELECT client_id, ${ROW_VERSION}, NULL, NULL, NULL, NULL, NULL FROM client WHERE client_id = ANY($2)`,
  },
});

type TodayRow = StatementRow<typeof sql.findBoth>;

const ACCOUNT = 'account ';
const CLIENT = 'client ';

/** Reads from PostgreSQL. */
export function createReaderOfToday(pool: Pool): ReaderOfToday {
  const find = batchById(async (names) => {
    const rows = await queryRows(pool, sql.findBoth, [idsOf(ACCOUNT, names), idsOf(CLIENT, names)]);
    return new Map(rows.map((row) => [nameOf(row), row]));
  });
  return {
    account: (id) => find(ACCOUNT + id).then(toAccount),
    clientVersion: (clientId) => find(CLIENT + clientId).then((row) => row?.version ?? undefined),
  };
}

function nameOf({ id, version }: TodayRow): string {
  return (version === null ? ACCOUNT : CLIENT) + id;
}

function toAccount(row: TodayRow | undefined): AccountToday | undefined {
  if (!row) return undefined;
  const { id, email, name, role, disabled, changed_at_ms: credentialsChangedAt } = row;
  if (email === null || name === null || role === null) return undefined; // a client has none of them
  if (disabled === null || credentialsChangedAt === null || !isRole(role)) return undefined;
  return { id, email, name, role, disabled, credentialsChangedAt };
}

function idsOf(kind: string, names: readonly string[]): readonly string[] {
  const ids: string[] = [];
  for (const name of names) if (name.startsWith(kind)) ids.push(name.slice(kind.length));
  return ids;
}
