import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { ProcessesFirst } from './packages/testkit/src/processes-first.ts';
import { findProofs } from './scripts/prove/find-proofs.ts';

// Vite would load graphql's ES modules for our code while the federation packages require its CommonJS build;
// with two copies of its classes nothing recognises the other's schemas. Node itself has one copy.
const graphql = fileURLToPath(new URL('./node_modules/graphql/index.js', import.meta.url));

const repository = fileURLToPath(new URL('.', import.meta.url));

const resolve = {
  conditions: ['trellis-source', 'node'],
  alias: [{ find: /^graphql$/, replacement: graphql }],
};

// Global set-ups are loaded in an environment of vitest's own, which inherits nothing from the two above. Without this
// they would need compiled packages, or run stale ones.
const environments = { __vitest__: { resolve } };

// Tests wait for processes and sockets as much as they compute: four files at a time keep two processors busy. Each further worker
// loads all modules once more: with five, the same tests took a quarter more processor time.
const maxWorkers = Math.max(4, availableParallelism());

// End-to-end tests that start processes of their own. The others share one platform: each signs in for
// itself, and none counts what the platform does for all.
const ownProcesses = [
  'e2e/gateway/**/*.test.ts',
  'e2e/compatibility/subgraphs/**/*.test.ts',
  'e2e/search/**/*.test.ts',
  'e2e/identity/**/*.test.ts',
  'e2e/lifecycle/**/!(token-command).test.ts',
  'e2e/documentation/user-context.test.ts',
];

// Long for what they say: `npm run prove` runs them, behind the proofs.
const longTests = [
  // What guides have readers type, and what contributors run, to the letter: with platforms, builds and benchmarks of their own.
  'e2e/documentation/{documentation,add-a-subgraph,tutorial}.test.ts',
  'e2e/lifecycle/under-npm.test.ts',
  // Commands that start whole platforms and gateways again and again, a case or two each. What they pass through has tests of its own.
  'e2e/lifecycle/{configuration,interrupted-development,split,start-and-stop}.test.ts',
  'e2e/gateway/foreign-supergraph.test.ts',
  'scripts/check/folder-rule.test.ts',
  'scripts/docs/{extending,pipelines}.test.ts',
  'scripts/programs/commands-of-contributors.test.ts',
  'scripts/tests/run-tests.test.ts',
  'bench/src/run-benchmark.test.ts',
  'bench/src/paired/run-paired-benchmark.test.ts',
  // What walks through the whole product, or until a statistic has its evidence.
  'e2e/browser/every-page.test.ts',
  'gateway/src/app/{aborting-canaries,walks}.test.ts',
  'gateway/src/offline/window-selection.test.ts',
  // What measures memory and pauses, or simulates hours.
  'cli/src/registry-server/large-changes.test.ts',
  'gateway/src/operation/large-documents.test.ts',
  'gateway/src/variants/simulated-canaries.test.ts',
];

// The files that one worker runs share their modules: loading the gateway again for each file took longer than most files'
// tests. So a test file leaves no module, no global and no process variable other than it found them.
const isolate = false;

// Most of what tests run, they run for a moment: compiling it to fast code took an eighth of all processor time. V8 does that later
// now than by default; what is at work for long is compiled still. Room for young objects from the start spared 1 and 11 % of processor time in two pairs.
const execArgv = ['--interrupt-budget=600000', '--min-semi-space-size=16', '--max-semi-space-size=32'];

// A poll waits for what is to come, however busy the machine is; how long that may take is no test of its own.
const expect = { poll: { timeout: 90_000 } };

// Without it an expression in `toMatchObject` would pass for each text.
const MATCH_EXPRESSIONS = 'packages/testkit/src/match-expressions.setup.ts';
const SETUP = [MATCH_EXPRESSIONS, 'packages/testkit/src/module-paths.setup.ts'];

export default defineConfig({
  test: {
    sequence: { sequencer: ProcessesFirst },
    projects: [
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'unit',
          isolate,
          execArgv,
          expect,
          maxWorkers,
          include: [
            '{packages,services}/*/src/**/*.test.ts',
            'packages/explorer/client/**/*.test.ts',
            '{gateway,auth-server,bench,cli}/src/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...longTests],
          globalSetup: ['packages/testkit/src/global-setup.ts'],
          setupFiles: [...SETUP, 'packages/postgres/src/testing/check-rows.setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'processes',
          isolate,
          execArgv,
          expect,
          maxWorkers,
          include: ownProcesses,
          exclude: [...configDefaults.exclude, ...longTests],
          globalSetup: ['packages/testkit/src/global-setup.ts'],
          setupFiles: [...SETUP, 'packages/postgres/src/testing/check-rows.setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'e2e',
          isolate,
          execArgv,
          expect,
          // One after the other: tests that walk whole lists share the platform with tests that write. `npm test` runs them in a
          // vitest of their own, beside the others.
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ownProcesses, ...longTests],
          globalSetup: ['packages/testkit/src/global-setup.ts', 'e2e/harness/shared-platform.ts'],
          setupFiles: SETUP,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'proofs',
          // One after the other, each in a process of its own: they measure.
          fileParallelism: false,
          include: findProofs().map(({ path }) => relative(repository, path)),
          globalSetup: ['packages/testkit/src/global-setup.ts'],
          hookTimeout: 120_000,
        },
      },
      {
        resolve,
        ssr: { resolve },
        environments,
        test: {
          name: 'long',
          isolate,
          execArgv,
          expect,
          maxWorkers: 2, // whose verdicts need a machine that responds
          sequence: { groupOrder: 2 }, // behind the proofs
          include: longTests,
          globalSetup: ['packages/testkit/src/global-setup.ts', 'e2e/harness/shared-platform.ts'],
          setupFiles: SETUP,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
