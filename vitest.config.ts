import { defineConfig } from 'vitest/config';

const resolve = { conditions: ['trellis-source', 'node', 'import', 'module', 'default'] };

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr: { resolve },
        test: {
          name: 'unit',
          include: [
            '{packages,services}/*/src/**/*.test.ts',
            '{gateway,auth-server}/src/**/*.test.ts',
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
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
