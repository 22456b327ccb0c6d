import { createHash } from 'node:crypto';
import { badUserInput, IDEMPOTENCY_KEY } from '@trellis/subgraph-protocol';
import { defineStatements, execute, queryRows, type Transaction } from '@trellis/postgres';
import { statements } from './generated/statements.ts';

/** One root field of a mutation that carries an idempotency key. */
export interface IdempotentCall<Result> {
  /** Keys of different users have nothing to do with one another. */
  readonly userId: string;
  /** As the client sent it. */
  readonly key: string;
  /** The field's key in the response; one request may call the same field several times. */
  readonly path: string;
  /** The field and its arguments. The same key with others is a mistake of the client. */
  readonly call: unknown;
  /** Reads a result that was stored as JSON. */
  readonly revive: (stored: unknown) => Result;
}

/** Hours for which an idempotency record is stored. */
const RECORD_TTL_H = 24;

const sql = defineStatements(statements, 'idempotency', {
  // Takes the key for this transaction. Another transaction that uses it waits here until this one has ended.
  claim: `
  INSERT INTO idempotent_answer AS record (user_id, key, path, fingerprint) VALUES ($1, $2, $3, $4)
  ON CONFLICT (user_id, key, path) DO UPDATE SET fingerprint = excluded.fingerprint, created_at = now()
    WHERE record.created_at < now() - make_interval(hours => ${RECORD_TTL_H})`,

  find: 'SELECT fingerprint, answer FROM idempotent_answer WHERE user_id = $1 AND key = $2 AND path = $3',

  store: 'UPDATE idempotent_answer SET answer = $4 WHERE user_id = $1 AND key = $2 AND path = $3',

  purge: `DELETE FROM idempotent_answer WHERE created_at < now() - make_interval(hours => ${RECORD_TTL_H})`,
});

/** Whose record, by which key, of which root field. */
type RecordName = readonly [userId: string, key: string, path: string];

/**
 * Does the work of a mutation once, however often the client sends it. The result is stored in the transaction of the work
 * itself, so that there is no moment at which one exists without the other; a work that fails leaves no trace, and may be
 * tried again.
 *
 * @returns what `work` resolves to, or what it resolved to the first time
 * @throws GraphQLError BAD_USER_INPUT when the key is malformed, or was used with other arguments
 */
export async function runIdempotently<Result>(
  transaction: Transaction,
  idempotent: IdempotentCall<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!IDEMPOTENCY_KEY.test(idempotent.key))
    throw badKey('must have 1 to 255 visible ASCII characters', idempotent.key);
  const name: RecordName = [idempotent.userId, idempotent.key, idempotent.path];
  const fingerprint = fingerprintOf(idempotent.call);
  const claimed = await execute(transaction, sql.claim, [...name, fingerprint]);
  if (claimed === 0) return idempotent.revive(await recall(transaction, name, fingerprint));
  const result = await work();
  await execute(transaction, sql.store, [...name, JSON.stringify(result)]);
  return result;
}

/** Deletes expired idempotency records. */
export async function purgeIdempotencyRecords(database: Pick<Transaction, 'query'>): Promise<void> {
  await execute(database, sql.purge, []);
}

async function recall(transaction: Transaction, name: RecordName, fingerprint: Buffer): Promise<unknown> {
  const [record] = await queryRows(transaction, sql.find, name);
  if (record?.fingerprint.equals(fingerprint)) return record.answer;
  throw badKey('was used with other arguments', name[1]);
}

function fingerprintOf(call: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(call)).digest();
}

function badKey(problem: string, key: string): Error {
  return badUserInput(`The idempotency key ${problem}.`, 'Idempotency-Key', key);
}
