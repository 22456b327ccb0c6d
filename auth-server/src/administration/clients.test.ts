import { createPool, type Pool } from '@trellis/postgres';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReaderOfToday } from '../accounts/reader-of-today.ts';
import { parseClient } from '../clients/parse-client.ts';
import { createClientRegistry } from '../clients/client-registry.ts';
import { deriveKeys, randomToken } from '../secrets/secrets.ts';
import { migrateAuthServer, SCHEMA } from '../app/start.ts';
import { createClientStore, type Client, type ClientStore } from '../clients/client-store.ts';
import { CALLBACK } from '../testing/test-clients.ts';
import {
  replaceClient,
  rotateSecret,
  untilUndisturbed,
  type ClientAdministrationFeatures,
} from './clients.ts';

const RULES = {
  certificates: 'none' as const,
  apiAudiences: [],
  scopes: ['openid', 'read:data'],
  grantTypes: ['authorization_code', 'refresh_token'],
};
const METADATA = { client_id: 'app', redirect_uris: [CALLBACK], client_secret: randomToken() };

let database: TestDatabase;
let pool: Pool;
let clientStore: ClientStore;
let features: ClientAdministrationFeatures;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateAuthServer(database.connectionString);
  const onIdleError = (): void => undefined;
  pool = createPool({ connectionString: database.connectionString, schema: SCHEMA, onIdleError });
  clientStore = createClientStore(pool, createReaderOfToday(pool));
  const secretKeys = deriveKeys(['k'.repeat(43)], 'client-secrets');
  features = {
    clientStore,
    clients: createClientRegistry({ store: clientStore, secretKeys, clock: Date.now }),
    settings: RULES,
    clock: Date.now,
    audit: { record: () => undefined },
  } as unknown as ClientAdministrationFeatures; // what changing a client needs
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function register(): Promise<Client> {
  const parsed = parseClient(METADATA, RULES);
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join());
  await clientStore.save(features.clients.toClient(parsed.client, 'administration'));
  const client = await clientStore.find('app');
  if (!client) throw new Error('not registered');
  return client;
}

describe('M3: a client that was removed since it was read', () => {
  let read: Client;
  beforeEach(async () => {
    await clientStore.remove('app');
    read = await register();
  });

  const changes = [
    ['replaced', () => replaceClient(features, read, METADATA, 'command'), { kind: 'gone' }],
    ['given another secret', () => rotateSecret(features, read, 0, 'command'), { kind: 'gone' }],
  ] as const;

  it.each(changes)('does not come back when it is %s', async (_name, change, outcome) => {
    await clientStore.remove('app');
    expect(await change()).toEqual(outcome);
    expect(await clientStore.find('app')).toBeUndefined();
  });

  it.each(changes)('and registered again stays as it is when it is %s', async (_name, change, outcome) => {
    await clientStore.remove('app');
    const again = await register();
    expect(await change()).toEqual(outcome);
    expect(await clientStore.find('app')).toEqual(again);
  });

  it('is changed as long as it exists, and another secret changes nothing else', async () => {
    const named = { ...METADATA, client_name: 'Another name' };
    expect(await replaceClient(features, read, named, 'command')).toMatchObject({ kind: 'registered' });
    const changed = required(await clientStore.find('app'));
    expect(await rotateSecret(features, changed, 60, 'command')).toMatchObject({ kind: 'rotated' });
    const now = await clientStore.find('app');
    expect(now).toMatchObject({ metadata: { client_name: 'Another name' }, incarnation: read.incarnation });
    expect(now?.previousSecret?.hash).toBe(read.secretHash);
    expect(now?.secretHash).not.toBe(read.secretHash);
  });
});

describe('A client that was changed since it was read', () => {
  let read: Client;
  beforeEach(async () => {
    await clientStore.remove('app');
    read = await register();
  });

  it('keeps its new secret when it is replaced as it was before', async () => {
    const rotated = await rotateSecret(features, read, 0, 'command');
    const secretHash = (await clientStore.find('app'))?.secretHash;
    expect(await replaceClient(features, read, METADATA, 'command')).toEqual({ kind: 'changed' });
    const again = await untilUndisturbed(async () =>
      replaceClient(features, required(await clientStore.find('app')), METADATA, 'command'),
    );
    expect([rotated.kind, again.kind]).toEqual(['rotated', 'registered']);
    expect((await clientStore.find('app'))?.secretHash).toBe(secretHash);
  });

  it('gives each of several who rotate its secret at once one that has worked', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => rotateSecret(features, read, 0, 'command')),
    );
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([...Array(4).fill('changed'), 'rotated']);
  });

  it('is tried again as often as it is disturbed, within a bound', async () => {
    let attempts = 0;
    const disturb = async (): Promise<{ readonly kind: 'changed' }> => {
      attempts += 1;
      return { kind: 'changed' };
    };
    expect(await untilUndisturbed(disturb)).toEqual({ kind: 'changed' });
    expect(attempts).toBe(5);
  });
});

function required(client: Client | undefined): Client {
  if (!client) throw new Error('The client does not exist.');
  return client;
}
