import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { createTemporaryDirectory, freePort } from '@trellis/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { startProgram } from '../harness/running-program.ts';

const PATIENCE_MS = 100_000;

const folder = createTemporaryDirectory();
const at = (name: string): string => join(folder.path, name);
afterAll(() => folder.remove());

describe('trellis dev --stores that is asked to end before it is ready', () => {
  it.each(['initializing PostgreSQL', 'starting PostgreSQL'])(
    'while it says "%s": it ends what it has started, starts no command, and leaves nothing behind',
    { timeout: 300_000 },
    async (step) => {
      writeFileSync(
        at('likes.graphql'),
        print(gql`
          type Query {
            likes: Int
          }
        `),
      );
      const own = `likes=${at('likes.graphql')}`;
      const port = String(await freePort());
      const command = `require('node:fs').writeFileSync('${at('begun')}', '')`;
      const dev = startProgram('dev', {
        args: ['--subgraph', own, '--stores', '--port', port, '--', process.execPath, '--eval', command],
        environment: { DATA_DIR: at('data'), OPERATIONS_PORT: '0' },
        dataDirectory: folder.path,
      });
      await dev.output.waitFor(new RegExp(step), PATIENCE_MS);
      process.kill(dev.pid, 'SIGTERM');
      const { code, leftBehind } = await dev.ended(PATIENCE_MS);
      expect([code, leftBehind]).toEqual([1, []]);
      for (const file of ['owner.lock', 'data/postmaster.pid', 'data.new'])
        expect(existsSync(join(at('data/dev/postgres'), file)), file).toBe(false);
      expect(existsSync(at('begun'))).toBe(false);
    },
  );
});
