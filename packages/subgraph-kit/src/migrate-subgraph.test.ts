import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartupError } from '@trellis/runtime';
import { createTemporaryDirectory, createTestDatabase, freePort } from '@trellis/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrateSubgraph } from './migrate-subgraph.ts';

describe('Migrations of a subgraph that fail', () => {
  it('for want of the database say so in a sentence without its password', async () => {
    const port = await freePort();
    const failure = await failureOf(`postgres://a:s3cret@127.0.0.1:${port}/b`, 'SELECT 1');
    expect(failure).toBeInstanceOf(StartupError);
    expect(failure).toMatchObject({
      message: `The store that DATABASE_URL names does not answer: connect ECONNREFUSED 127.0.0.1:${port}. Start it, or correct DATABASE_URL.`,
    });
  });

  it('by their own fault do so with the error of PostgreSQL', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const failure = await failureOf(database.connectionString, 'SELECT 1 / 0');
    expect(failure).not.toBeInstanceOf(StartupError);
    expect(failure).toMatchObject({ message: expect.stringContaining('division by zero') as string });
  });
});

/** What migrating with one file of SQL is rejected with. */
async function failureOf(connectionString: string, sql: string): Promise<unknown> {
  const files = createTemporaryDirectory();
  onTestFinished(() => files.remove());
  const directory = join(files.path, 'migrations');
  mkdirSync(directory);
  writeFileSync(join(directory, '0001_create.sql'), sql);
  return migrateSubgraph({
    connectionString,
    schema: 'notes',
    directory: pathToFileURL(`${directory}/`),
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
}
