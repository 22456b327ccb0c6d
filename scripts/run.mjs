// @ts-check
// The entry of every npm command: installs what is missing, then runs the program in this process, so that signals
// reach it without a chain of shells. Plain JavaScript, because nothing is installed yet when it starts. The condition
// trellis-source, given by package.json, resolves workspace packages to their TypeScript.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PNPM = 'pnpm@12.21.0';
/** Characters of the installer's output that are printed where it fails. */
const LAST_WORDS = 16_000;
const root = fileURLToPath(new URL('..', import.meta.url));

/** The commands of users: those of the program `trellis`. */
const commands = [
  'start',
  'gateway',
  'auth-server',
  'search',
  'supergraph',
  'new-subgraph',
  'dev',
  'token',
  'secrets',
];

/** @type {Record<string, () => Promise<unknown>>} program of contributors → what loads and runs it */
const programs = {
  test: () => import('./test.ts'),
  prove: () => import('./prove.ts'),
  build: () => import('./build.ts'),
  bench: () => import('./bench.ts'),
  load: () => import('./load.ts'),
  measure: () => import('./measure.ts'),
  check: () => import('./check.ts'),
  generate: () => import('./generate.ts'),
  docs: () => import('./docs.ts'),
  pictures: () => import('./pictures.ts'),
  titles: () => import('./titles.ts'),
};

const [program = '', ...args] = process.argv.slice(2);
requireNode();
const [run, given] = choose();
await installIfNeeded();
process.argv = [...process.argv.slice(0, 2), ...given];
const { register } = await import('tsx/esm/api');
register();
await run();

/** @returns {[run: () => Promise<unknown>, args: readonly string[]]} */
function choose() {
  const trellis = () => import('../cli/src/main.ts');
  if (program === 'trellis') return [trellis, args];
  if (commands.includes(program)) return [trellis, [program, ...args]];
  const own = Object.hasOwn(programs, program) ? programs[program] : undefined;
  if (own) return [own, args];
  const all = [...commands, ...Object.keys(programs)].join(', ');
  // EX_USAGE, as of @trellis/runtime/exit-codes, which can't be loaded before it is installed.
  return fail(`There is no program "${program}". There are: ${all}.`, 64);
}

/** Says in words what is too old, instead of failing on a syntax. */
function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Trellis needs Node 20.19 or later; this is ${process.versions.node}.`, 69);
}

/** The stamp is a digest of all that decides what is installed; it is written after an install went through. */
async function installIfNeeded() {
  const stampFile = `${root}node_modules/.trellis-install`;
  const stamp = createHash('sha256')
    .update(readFileSync(`${root}pnpm-lock.yaml`))
    .update(readFileSync(`${root}pnpm-workspace.yaml`))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const { status, output } = await install();
  if (status !== 0) fail(`${output}\nThe installation failed; the reason stands above.`, 1);
  mkdirSync(`${root}node_modules`, { recursive: true });
  writeFileSync(stampFile, stamp);
}

/**
 * One line, which says what goes on and for how long; it is drawn again at a terminal, and written at the end elsewhere.
 *
 * @returns {Promise<{ status: number | null, output: string }>} with the installer's last words
 */
function install() {
  const startedAt = performance.now();
  const isDrawn = process.stderr.isTTY && process.env['TERM'] !== 'dumb' && !process.env['CI'];
  let output = '';
  const line = () => `Installing packages (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`;
  const detail = () => output.trimEnd().split('\n').at(-1)?.slice(0, 60) ?? '';
  const draw = () => process.stderr.write(`\r\u{1B}[2K${line()} ${detail()}\r`);
  const timer = isDrawn ? setInterval(draw, 100) : undefined;
  const child = spawn('npx', ['-y', PNPM, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: { ...process.env, CI: 'true' },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-LAST_WORDS)));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: 1, output: error.message }));
    child.on('close', (status) => {
      clearInterval(timer);
      process.stderr.write(`${isDrawn ? '\r\u{1B}[2K' : ''}${line()}\n`);
      resolve({ status, output });
    });
  });
}

/**
 * @param {string} message
 * @param {number} status
 * @returns {never}
 */
function fail(message, status) {
  process.stderr.write(`${message}\n`);
  process.exit(status);
}
