import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import {
  formatLogName,
  RegistryError,
  type BlobReference,
  type LogName,
  type RegistryStore,
  type StoredBlob,
} from '@trellis/registry';
import { statements } from '../generated/statements.ts';
import { createAudited, type AuditedAction } from './audit-log.ts';

const sql = defineStatements(statements, 'postgres-store', {
  readBlob: 'SELECT content FROM blob WHERE digest = $1',
  writeBlob:
    'INSERT INTO blob (digest, content) VALUES ($1, $2) ON CONFLICT (digest) DO UPDATE SET content = $2, written_at = now()',
  readHead: {
    notNull: ['head'],
    text: 'SELECT coalesce(max(sequence), 0) AS head FROM record WHERE graph = $1 AND environment = $2',
  },
  readRecord: 'SELECT jws FROM record WHERE graph = $1 AND environment = $2 AND sequence = $3',
  createRecord:
    'INSERT INTO record (graph, environment, sequence, jws) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
  listLogs: 'SELECT DISTINCT graph, environment FROM record ORDER BY graph, environment',
  listBlobs: {
    notNull: ['bytes'],
    text: 'SELECT digest, octet_length(content) AS bytes, written_at AS "writtenAt" FROM blob',
  },
  deleteBlob: 'DELETE FROM blob WHERE digest = $1 AND written_at < $2',
  readHeads: {
    notNull: ['head'],
    text: 'SELECT graph, environment, max(sequence) AS head FROM record GROUP BY graph, environment',
  },
});

/** A registry in the tables of `cli/migrations`: the primary key creates a record once. */
export class PostgresStore implements RegistryStore {
  readonly description = 'the PostgreSQL of the registry';
  readonly #pool: Pool;
  readonly #audited: AuditedAction | undefined;

  /** @param audited what records are created for: each comes with its row of the audit log. @default none */
  constructor(pool: Pool, audited?: AuditedAction) {
    this.#pool = pool;
    this.#audited = audited;
  }

  async readBlob(digest: string, _bytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const [row] = await this.#attempt(signal, () => queryRows(this.#pool, sql.readBlob, [digest]));
    return row?.content;
  }

  async writeBlob({ digest }: BlobReference, content: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#attempt(signal, () => execute(this.#pool, sql.writeBlob, [digest, Buffer.from(content)]));
  }

  async readHead({ graph, environment }: LogName, signal: AbortSignal): Promise<number> {
    const [row] = await this.#attempt(signal, () =>
      queryRows(this.#pool, sql.readHead, [graph, environment]),
    );
    return row?.head ?? 0;
  }

  async readRecord(
    { graph, environment }: LogName,
    sequence: number,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const [row] = await this.#attempt(signal, () =>
      queryRows(this.#pool, sql.readRecord, [graph, environment, sequence]),
    );
    return row?.jws;
  }

  async createRecord(log: LogName, sequence: number, jws: string, signal: AbortSignal): Promise<boolean> {
    const { graph, environment } = log;
    const create = async (): Promise<boolean> => {
      if (this.#audited) return createAudited(this.#pool, this.#audited, sequence, jws);
      return (await execute(this.#pool, sql.createRecord, [graph, environment, sequence, jws])) === 1;
    };
    try {
      return await this.#attempt(signal, create);
    } catch (error) {
      // A connection that was lost may have committed.
      if (signal.aborted || (await this.readRecord(log, sequence, signal)) !== jws) throw error;
      return true;
    }
  }

  async listLogs(signal: AbortSignal): Promise<readonly LogName[]> {
    return this.#attempt(signal, () => queryRows(this.#pool, sql.listLogs, []));
  }

  async listBlobs(signal: AbortSignal): Promise<readonly StoredBlob[]> {
    return this.#attempt(signal, () => queryRows(this.#pool, sql.listBlobs, []));
  }

  async deleteBlob(digest: string, writtenBefore: Date, signal: AbortSignal): Promise<boolean> {
    const deleted = await this.#attempt(signal, () =>
      execute(this.#pool, sql.deleteBlob, [digest, writtenBefore]),
    );
    return deleted === 1;
  }

  /** The highest sequence of each log, by its name. */
  async readHeads(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#attempt(signal, () => queryRows(this.#pool, sql.readHeads, []));
    return new Map(rows.map(({ head, ...log }) => [formatLogName(log), head]));
  }

  async #attempt<Result>(signal: AbortSignal, action: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      throw new RegistryError('STORE_UNAVAILABLE', 'The PostgreSQL of the registry failed.', {
        cause: error,
      });
    }
  }
}
