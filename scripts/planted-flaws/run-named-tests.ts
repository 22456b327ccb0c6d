import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A test by its file and its title, as the file spells it. */
export interface NamedTest {
  readonly testFile: string;
  readonly test: string;
}

/** One test that ran. A row of `it.each` is one. */
export interface TestRun {
  readonly file: string;
  readonly title: string;
  readonly isPassed: boolean;
  /** What it threw, with stacks. Empty where it passed. */
  readonly failures: readonly string[];
}

/** What is read of the report that vitest writes as JSON. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Beyond it something hangs that a time-out of a test does not end. */
const DEADLINE_MS = 300_000;
/** A planted flaw may show by what never comes. None of the tests takes nearly as long. */
const TEST_TIMEOUT_MS = 20_000;

/** Runs tests of a checkout, and no others of their files, by a vitest of their own. */
export async function runNamedTests(
  checkout: string,
  tests: readonly NamedTest[],
): Promise<readonly TestRun[]> {
  const report = join(checkout, 'named-tests.json');
  rmSync(report, { force: true });
  const files = new Set(tests.map(({ testFile }) => testFile));
  const pattern = tests.map(({ test }) => `(?:^| )${patternOf(test)}$`).join('|');
  const output = await runVitest(checkout, [
    ...files,
    '-t',
    pattern,
    `--outputFile=${report}`,
    `--testTimeout=${TEST_TIMEOUT_MS}`,
  ]);
  if (!existsSync(report)) throw new Error(`Vitest wrote no report:\n${output}`);
  return readReport(checkout, JSON.parse(readFileSync(report, 'utf8')) as Report); // by vitest's reporter
}

/** Whether a test that ran is one of those that a title names. */
export function isNamed({ file, title }: TestRun, { testFile, test }: NamedTest): boolean {
  return file === testFile && new RegExp(`^${patternOf(test)}$`, 's').test(title);
}

/** A regular expression for the title: what `it.each`, or a template, fills in is any text. */
function patternOf(title: string): string {
  const escaped = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return escaped.replaceAll(/%[sdifjo#]|\\\$(?:\\\{.*?\\\}|[\w.]+)/g, '.*');
}

function readReport(checkout: string, { testResults }: Report): readonly TestRun[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(checkout, name).split(sep).join('/');
    const ran = assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
    // What fails beside the tests of a file, such as a hook, keeps them from running.
    const beside = { file, title: '(the file)', isPassed: false, failures: [message] };
    return [
      ...(message === '' ? [] : [beside]),
      ...ran.map(({ title, status, failureMessages: failures }) => ({
        file,
        title,
        isPassed: status === 'passed',
        failures,
      })),
    ];
  });
}

function runVitest(checkout: string, args: readonly string[]): Promise<string> {
  const vitest = join(checkout, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--reporter=json', ...args], {
    cwd: checkout,
    env: environmentOfTests(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = `${output}${text}`.slice(-10_000)));
  return new Promise((resolve, reject) => child.on('error', reject).on('close', () => resolve(output)));
}

/** Without what the vitest that runs this has set for its own workers. */
function environmentOfTests(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:VITEST|TEST$|MODE$|DEV$|PROD$|SSR$|BASE_URL$|NODE_ENV$)/.test(name),
    ),
  );
}
