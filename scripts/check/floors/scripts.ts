import type { Project } from './project.ts';

/** What contributors run. */
export const scriptsRooms: Project = {
  folder: 'scripts',
  introduction: 'What contributors run. Each file at the root is a command, and its folder holds its parts.',
  rooms: {
    'run.mjs': { floor: 5, purpose: 'the entry of every npm command' },
    'bench.ts': { floor: 4, purpose: 'runs the benchmarks' },
    'build.ts': { floor: 4, purpose: 'compiles everything' },
    'check.ts': { floor: 4, purpose: 'runs the checks' },
    'generate.ts': { floor: 4, purpose: 'writes what is generated' },
    'pictures.ts': { floor: 4, purpose: 'takes the pictures of the docs' },
    'docs.ts': { floor: 4, purpose: 'builds the documentation site' },
    docs: { floor: 1, purpose: 'pages, addresses and links of the documentation site' },
    'load.ts': { floor: 4, purpose: 'fills a database with content' },
    'measure.ts': { floor: 4, purpose: 'measures statements and content at size' },
    'prove.ts': { floor: 4, purpose: 'runs the proofs' },
    'test.ts': { floor: 4, purpose: 'runs the tests' },
    'titles.ts': { floor: 4, purpose: 'lists the titles of tests' },
    'checks.ts': { floor: 3, purpose: 'the list of checks' },
    generate: {
      floor: 2,
      purpose: 'pages, schemas and lists that are made from others',
      parts: { sql: 'types of SQL statements' },
    },
    prove: { floor: 2, purpose: 'finds, selects and reports proofs' },
    'generate-types.ts': { floor: 1, purpose: 'resolver types of the subgraphs' },
    build: { floor: 1, purpose: 'what is built, and whether it can be imported' },
    check: {
      floor: 1,
      purpose: 'floors and closures of packages',
      parts: { floors: 'every room of every project' },
    },
    containers: { floor: 1, purpose: 'images, database roles and Redis users, for tests of them' },
    measure: { floor: 1, purpose: 'the page of performance' },
    tests: { floor: 1, purpose: 'runs vitest and counts' },
    titles: { floor: 1, purpose: 'titles of tests, and what became of them' },
    'planted-flaws': { floor: 1, purpose: 'cured flaws, put back to see that their tests notice' },
    programs: { floor: 0, purpose: 'runs programs' },
  },
};
