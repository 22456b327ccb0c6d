import { repository, runTool } from './programs/run-program.ts';
import { checkAssertedRows, sqlFolders } from './check/asserted-rows.ts';
import { countFileSizes, findLongFiles, judgeFileSizes } from './check/file-sizes.ts';
import { checkFloors } from './check/check-floors.ts';
import { checkLinks } from './check/dead-links.ts';
import { countClosures, judgeClosures } from './check/closures.ts';
import { checkOwnReads } from './check/own-reads.ts';
import { checkRepeatedNames } from './check/repeated-names.ts';
import { checkSinglePlaces } from './check/single-places.ts';
import { checkSideTables } from './check/side-tables.ts';
import { checkUntaggedSdl } from './check/untagged-sdl.ts';
import { countOldWords, judgeOldWords } from './check/find-old-words.ts';

/** What a check found. */
export interface CheckResult {
  readonly passed: boolean;
  /** What is wrong, in the tool's words. */
  readonly output: string;
  /** What was counted, shown in either case. */
  readonly figures?: string;
}

/** One of the things that `npm run check` looks at. */
export interface Check {
  readonly name: string;
  run(): Promise<CheckResult>;
}

/** What runs as a process of its own, and the program that runs all of them. */
const DEPLOYABLES: readonly string[] = [
  'cli',
  'gateway',
  'auth-server',
  'services/users',
  'services/posts',
  'services/comments',
  'services/search',
];

/** All checks, the ones that explain failures of others first. */
export const checks: readonly Check[] = [
  { name: 'generated files and composition', run: checkGeneratedFiles },
  { name: 'floors', run: checkFloorsOfRepository },
  { name: 'side tables', run: checkSideTablesOfProduct },
  { name: 'own properties', run: checkReadsOfOwnProperties },
  { name: 'single places', run: checkSinglePlacesOfRepository },
  { name: 'repeated names', run: checkNamesOfDeployables },
  { name: 'links of comments', run: checkLinksOfComments },
  { name: 'tagged schemas', run: checkTaggedSchemas },
  { name: 'types of SQL rows', run: checkSqlRows },
  { name: 'production packages', run: async () => judgeClosures(countClosures(repository)) },
  { name: 'sizes of files', run: checkFileSizes },
  { name: 'words', run: async () => judgeOldWords(countOldWords(repository)) },
  toolCheck('types', 'tsc', '-b'),
  toolCheck('types of tests and scripts', 'tsc', '-p', 'tsconfig.tests.json'),
  toolCheck('lint', 'oxlint', '--deny-warnings'),
  toolCheck('format', 'prettier', '--check', '--cache', '--cache-strategy=content', '--log-level=warn', '.'),
  toolCheck('unused files, exports and dependencies', 'knip', '--no-progress'),
];

function toolCheck(name: string, tool: string, ...args: readonly string[]): Check {
  return {
    name,
    run: async () => {
      const { status, output } = await runTool(tool, args);
      return { passed: status === 0, output };
    },
  };
}

async function checkFloorsOfRepository(): Promise<CheckResult> {
  const broken = checkFloors(repository);
  return { passed: broken.length === 0, output: broken.join('\n') };
}

async function checkSideTablesOfProduct(): Promise<CheckResult> {
  const found = checkSideTables(repository);
  return { passed: found.length === 0, output: found.join('\n') };
}

async function checkReadsOfOwnProperties(): Promise<CheckResult> {
  const found = checkOwnReads(repository);
  return { passed: found.length === 0, output: found.join('\n') };
}

async function checkSinglePlacesOfRepository(): Promise<CheckResult> {
  const found = checkSinglePlaces(repository);
  return { passed: found.length === 0, output: found.join('\n') };
}

async function checkNamesOfDeployables(): Promise<CheckResult> {
  const found = checkRepeatedNames(
    repository,
    DEPLOYABLES.map((folder) => `${folder}/src`),
  );
  return { passed: found.length === 0, output: found.join('\n') };
}

async function checkLinksOfComments(): Promise<CheckResult> {
  const found = checkLinks(repository);
  return { passed: found.length === 0, output: found.join('\n') };
}

async function checkTaggedSchemas(): Promise<CheckResult> {
  const found = checkUntaggedSdl(repository);
  return { passed: found.length === 0, output: found.join('\n') };
}

async function checkFileSizes(): Promise<CheckResult> {
  return judgeFileSizes(countFileSizes(repository), findLongFiles(repository));
}

async function checkSqlRows(): Promise<CheckResult> {
  const found = checkAssertedRows(repository, sqlFolders);
  return { passed: found.length === 0, output: found.join('\n') };
}

async function checkGeneratedFiles(): Promise<CheckResult> {
  try {
    // Loaded when it runs: it brings all deployables, which the other checks do without.
    const { generateFiles } = await import('./generate/generate-files.ts');
    const stale = await generateFiles({ check: true });
    const lines = stale.map((path) => `${path} is out of date. "npm run generate" writes it.\n`);
    return { passed: stale.length === 0, output: lines.join('') };
  } catch (error) {
    return { passed: false, output: error instanceof Error ? `${error.message}\n` : String(error) };
  }
}
