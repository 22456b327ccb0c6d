import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Vite would load graphql's ES modules for our code while the federation packages require its CommonJS build;
// with two copies of its classes nothing recognises the other's schemas. Node itself has one copy.
const graphql = fileURLToPath(new URL('./node_modules/graphql/index.js', import.meta.url));

const resolve = {
  conditions: ['trellis-source', 'node'],
  alias: [{ find: /^graphql$/, replacement: graphql }],
};

// Global set-ups are loaded in an environment of vitest's own, which takes over nothing from the two above. Without this
// they would need compiled packages, or run stale ones.
const environments = { __vitest__: { resolve } };

// Tests wait for processes and sockets more than they compute: two files at a time are not too many for any machine.
const maxWorkers = Math.max(2, availableParallelism() - 1);

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'unit',
          maxWorkers,
          include: [
            '{packages,services}/*/src/**/*.test.ts',
            '{gateway,auth-server,bench}/src/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          globalSetup: ['packages/testkit/src/global-setup.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'e2e',
          sequence: { groupOrder: 1 },
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['packages/testkit/src/global-setup.ts', 'e2e/harness/shared-platform.ts'],
          testTimeout: 60_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'proofs',
          maxWorkers,
          include: ['scripts/proofs/run-proofs.proof.ts'],
          globalSetup: ['packages/testkit/src/global-setup.ts'],
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
