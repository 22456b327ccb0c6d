import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FolderRegistry } from '../../testing/folder-registry.ts';
import { trellis } from '../../testing/run-command.ts';

let registry: FolderRegistry;
beforeAll(async () => {
  registry = await FolderRegistry.create();
  await registry.begin();
});
afterAll(() => registry.close());

describe('A private key that is neither JSON nor a file', () => {
  it.each([
    ['in quotes that the shell has left', (key: string) => `'${key}'`],
    ['in brackets', (key: string) => `[${key}]`],
    ['in base64', (key: string) => Buffer.from(key).toString('base64')],
    ['cut off at its beginning', (key: string) => key.slice(1)],
  ])('is in no message: %s', async (_how, spoil) => {
    const key = String(process.env['TRELLIS_SIGNING_KEY']);
    const spoilt = spoil(key);
    vi.stubEnv('TRELLIS_SIGNING_KEY', spoilt);
    const preview = ['variant', 'token', 'x', '--preview-key', spoilt];
    const runs = [
      await registry.publish(
        'users',
        gql`
          type Query {
            a: Int
          }
        `,
      ),
      await trellis(...preview),
    ];
    vi.stubEnv('TRELLIS_SIGNING_KEY', key);
    for (const { status, out, error } of runs) {
      expect({ status, out }).toEqual({ status: 77, out: '' });
      expect(error).toMatch(/^INVALID_KEY: --\S+ or TRELLIS_\w+_KEY is neither JSON that begins with \{ nor/);
      expect(error).not.toContain((JSON.parse(key) as { readonly d: string }).d);
      expect(error).not.toContain(spoilt);
    }
  });
});
