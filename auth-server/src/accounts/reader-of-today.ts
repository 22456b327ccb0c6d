import type { Pool } from '@trellis/postgres';
import type { AccountToday, Role } from './accounts.ts';
import { batchById } from '../batch-by-id.ts';
import { ROW_VERSION } from '../row-version.ts';

/**
 * Reads what has to be true at the moment in which tokens are issued: the person, and whether the client is still registered
 * as it is remembered. All who ask at one time share one query, whichever of both they ask for.
 */
export interface ReaderOfToday {
  /** @param id a UUID in lower case */
  account(id: string): Promise<AccountToday | undefined>;
  /** What changes whenever the record of a client does; undefined where there is none. */
  clientVersion(clientId: string): Promise<string | undefined>;
}

/** Few columns: PostgreSQL describes each of them with every answer. */
interface AccountRow {
  readonly id: string;
  readonly version: null;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly disabled: boolean;
  readonly credentials_changed_at: Date;
}

interface ClientRow {
  readonly id: string;
  readonly version: string;
}

type TodayRow = AccountRow | ClientRow;

const BOTH = `SELECT id::text, NULL AS version, email, name, role, disabled_at IS NOT NULL AS disabled, credentials_changed_at
    FROM account WHERE id = ANY($1::uuid[])
  UNION ALL
  SELECT client_id, ${ROW_VERSION}, NULL, NULL, NULL, NULL, NULL FROM client WHERE client_id = ANY($2)`;

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
    account: (id) => find(ACCOUNT + id).then(toAccount),
    clientVersion: (clientId) => find(CLIENT + clientId).then((row) => row?.version ?? undefined),
  };
}

function nameOf({ id, version }: TodayRow): string {
  return (version === null ? ACCOUNT : CLIENT) + id;
}

function toAccount(row: TodayRow | undefined): AccountToday | undefined {
  if (!row || row.version !== null) return undefined;
  const { id, email, name, role, disabled, credentials_changed_at: changedAt } = row;
  return { id, email, name, role, disabled, credentialsChangedAt: changedAt.getTime() };
}

function idsOf(kind: string, names: readonly string[]): readonly string[] {
  const ids: string[] = [];
  for (const name of names) if (name.startsWith(kind)) ids.push(name.slice(kind.length));
  return ids;
}
