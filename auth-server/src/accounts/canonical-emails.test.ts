import { createPool, type Pool } from '@trellis/postgres';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateAuthServer, SCHEMA } from '../app/start.ts';
import { newAccountId } from './new-account-id.ts';
import { createAccountStore, type AccountStore } from './account-store.ts';
import { fillCanonicalEmails } from './fill-canonical-emails.ts';

let database: TestDatabase;
let pool: Pool;
let accounts: AccountStore;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateAuthServer(database.connectionString);
  const onIdleError = (): void => undefined;
  pool = createPool({ connectionString: database.connectionString, schema: SCHEMA, onIdleError });
  accounts = createAccountStore(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function add(email: string): Promise<string | undefined> {
  const id = newAccountId(Date.now());
  const account = { id, email, name: 'N', role: 'VIEWER', emailVerified: true, passwordHash: 'h' } as const;
  return (await accounts.add(account)) ? id : undefined;
}

/** As earlier versions wrote it. */
async function addOld(email: string): Promise<string> {
  const id = newAccountId(Date.now());
  await pool.query(
    `INSERT INTO account (id, email, name, role, password_hash) VALUES ($1, $2, 'N', 'VIEWER', 'h')`,
    [id, email],
  );
  return id;
}

describe('Accounts by e-mail address', () => {
  it('are found by every spelling of it, and added once', async () => {
    const id = await add('Jörg@Müller.example');
    for (const typed of [
      'jörg@müller.example',
      ' JÖRG@xn--mller-kva.EXAMPLE',
      'jo\u0308rg@mu\u0308ller.example',
    ]) {
      expect((await accounts.findByEmail(typed))?.id).toBe(id);
      expect(await add(typed)).toBeUndefined();
    }
    expect((await accounts.findByEmail('jörg@müller.example'))?.email).toBe('Jörg@Müller.example');
  });

  it('M6: are not found by İ (U+0130) in place of i', async () => {
    const id = await add('vivi@example.com');
    expect((await accounts.findByEmail('VIVI@example.com'))?.id).toBe(id);
    expect(await accounts.findByEmail('v\u0130vi@example.com')).toBeUndefined();
    expect(await accounts.findByEmail('v\u0130v\u0130@example.com')).toBeUndefined();
  });

  it('of earlier versions are found before and after their canonical address is written', async () => {
    const old = await addOld('Old@Müller.example');
    expect((await accounts.findByEmail('old@müller.example'))?.id).toBe(old);
    const clash = [await addOld('ｔwin@example.com'), await addOld('twin@example.com')];
    await fillCanonicalEmails(pool);
    await fillCanonicalEmails(pool);
    expect((await accounts.findByEmail('old@xn--mller-kva.example'))?.id).toBe(old);
    expect((await accounts.findByEmail('ｔwin@example.com'))?.id).toBe(clash[0]);
    expect((await accounts.findByEmail('twin@example.com'))?.id).toBe(clash[1]);
  });
});
