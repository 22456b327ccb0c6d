import type { Pool } from '@trellis/postgres';
import type { Account } from './accounts.ts';
import { ACCOUNT_COLUMNS, toAccount, type AccountRow } from './account-row.ts';
import { batchById } from '../batch-by-id.ts';
import { ROW_VERSION } from '../row-version.ts';

/**
 * Reads what has to be true at the moment in which tokens are issued: the person, and whether the client is still registered
 * as it is remembered. All who ask at one time share one query, whichever of both they ask for.
 */
export interface ReaderOfToday {
  /** @param id a UUID in lower case */
  account(id: string): Promise<Account | undefined>;
  /** What changes whenever the record of a client does; undefined where there is none. */
  clientVersion(clientId: string): Promise<string | undefined>;
}

interface TodayRow extends AccountRow {
  readonly client_id: string | null;
  readonly version: string | null;
}

const BOTH = `SELECT ${ACCOUNT_COLUMNS}, NULL AS client_id, NULL AS version FROM account WHERE id = ANY($1::uuid[])
  UNION ALL
  SELECT ${ACCOUNT_COLUMNS.replaceAll(/\w+/g, 'NULL')}, client_id, ${ROW_VERSION} FROM client WHERE client_id = ANY($2)`;

const ACCOUNT = 'account ';
const CLIENT = 'client ';

/** Reads from PostgreSQL. */
export function createReaderOfToday(pool: Pool): ReaderOfToday {
  const find = batchById(async (names) => {
    const { rows } = await pool.query<TodayRow>({
      name: 'accounts-and-clients-of-today',
      text: BOTH,
      values: [idsOf(ACCOUNT, names), idsOf(CLIENT, names)],
    });
    return new Map(rows.map((row) => [nameOf(row), row]));
  });
  return {
    account: async (id) => toAccount(await find(ACCOUNT + id)),
    clientVersion: async (clientId) => (await find(CLIENT + clientId))?.version ?? undefined,
  };
}

function nameOf({ id, client_id: clientId }: TodayRow): string {
  return clientId === null ? ACCOUNT + id : CLIENT + clientId;
}

function idsOf(kind: string, names: readonly string[]): readonly string[] {
  const ids: string[] = [];
  for (const name of names) if (name.startsWith(kind)) ids.push(name.slice(kind.length));
  return ids;
}
