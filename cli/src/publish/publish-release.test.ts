import { setImmediate as turn } from 'node:timers/promises';
import type { Pool } from '@trellis/postgres';
import {
  createRecordSigner,
  generateRecordKey,
  parseLogName,
  TrustedKeys,
  type BlobReference,
} from '@trellis/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresStore } from '../registry-server/postgres-store.ts';
import { LINK } from '../../testing/federation-link.ts';
import { createRegistryTables, type RegistryTables } from '../../testing/registry-stage.ts';
import { publishRelease, type Publication } from './publish-release.ts';

let tables: RegistryTables;

beforeAll(async () => {
  tables = await createRegistryTables();
});

afterAll(() => tables.close());

/** Counts the texts that are written at the same time; the n-th may fail. */
class CountingStore extends PostgresStore {
  readonly #failing: number;
  #writing = 0;
  written = 0;
  most = 0;

  constructor(pool: Pool, failing = 0) {
    super(pool);
    this.#failing = failing;
  }

  override async writeBlob(...call: [BlobReference, Uint8Array, AbortSignal]): Promise<void> {
    this.written += 1;
    if (this.written === this.#failing) throw new Error('no such place');
    this.#writing += 1;
    this.most = Math.max(this.most, this.#writing);
    await super.writeBlob(...call);
    await turn();
    this.#writing -= 1;
  }
}

async function publish(store: PostgresStore, graph: string): Promise<Publication> {
  const signer = await createRecordSigner(JSON.stringify(await generateRecordKey()));
  const trust = await TrustedKeys.from([signer.publicKey]);
  const set = ['a', 'b', 'c'].map((name) => ({
    name,
    sdl: `${LINK.replace('"@key"', '"@tag"')}type Query { ${name}: Int other${name}: Int @tag(name: "inner") }`,
    source: name,
    routingUrl: `http://${name}.test/`,
  }));
  const contracts = {
    set: [{ name: 'partner', include: [], exclude: ['inner'] }],
    remove: [],
    isWhole: true,
  };
  const access = { store, signer, trust, actor: 'ada' };
  const log = parseLogName(`${graph}@test`);
  return publishRelease(
    access,
    log,
    { set, remove: [], isWhole: true, contracts },
    AbortSignal.timeout(60_000),
  );
}

describe('The texts of a release', () => {
  it('are written one at a time, so that others have connections left', async () => {
    const store = new CountingStore(tables.pool);
    expect((await publish(store, 'one')).outcome).toBe('appended');
    expect([store.most, store.written]).toEqual([1, 8]);
  });

  it('fail the publication alone where one can not be written, and no more are', async () => {
    // Two of the contract, after those of the subgraphs.
    for (const failing of [1, 4, 5]) {
      const store = new CountingStore(tables.pool, failing);
      await expect(publish(store, `failing-${failing}`)).rejects.toThrow('no such place');
      await turn();
      expect(store.written).toBe(failing);
    }
  });
});
