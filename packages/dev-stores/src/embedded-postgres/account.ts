import { readFileSync, statSync } from 'node:fs';
import type { RunAs } from '../supervision/guarded-process.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** A user of the operating system. */
export interface Account extends RunAs {
  readonly name: string;
}

/** Accounts that have no rights worth taking, in the order of preference. */
const UNPRIVILEGED = ['postgres', 'nobody'];

/**
 * The account that PostgreSQL, which rejects root, runs as: undefined (our own) unless we are root; then the owner of
 * existing data, else the first of {@link UNPRIVILEGED} that the machine has.
 *
 * @throws EmbeddedPostgresError when we are root and there is no such user
 */
export function chooseAccount(dataDirectory: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readAccounts();
  const owner = ownerOf(dataDirectory);
  const account =
    accounts.find(({ uid }) => uid === owner && uid !== 0) ??
    UNPRIVILEGED.map((name) => accounts.find((known) => known.name === name)).find((known) => known);
  if (account) return account;
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and this machine has neither a user ${UNPRIVILEGED.join(' nor ')}. ` +
      'Start as another user, or set DATABASE_URL.',
  );
}

function ownerOf(directory: string): number | undefined {
  return statSync(directory, { throwIfNoEntry: false })?.uid;
}

/** passwd(5): name:password:uid:gid:… */
function readAccounts(): readonly Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
