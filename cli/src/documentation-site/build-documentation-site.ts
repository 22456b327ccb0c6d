import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInGroup } from '../process-group.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** What the site is built into. */
export const builtSite: string = join(REPOSITORY, 'docs-site/dist');

/** Whether this is a checkout, which has what the site is built from. An installed package has not. */
export function hasDocumentationSite(): boolean {
  return existsSync(join(REPOSITORY, 'docs-site/package.json'));
}

/** How long a build may take, the installation of its packages included. */
const DEADLINE_MS = 600_000;

/**
 * Builds the site as `npm run docs` does, in a process of its own.
 *
 * @param signal ends the process, and what it has started
 * @throws Error with what the build printed last
 */
export async function buildDocumentationSite(signal: AbortSignal): Promise<void> {
  const program = join(REPOSITORY, 'scripts/run.mjs');
  const child = spawn(process.execPath, ['--conditions=trellis-source', program, 'docs'], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = runInGroup(child); // it runs an installer and a builder of its own
  const over = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  over.addEventListener('abort', () => void group.end());
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => (output = (output + text).slice(-MAX_CHARACTERS)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(
      `The documentation could not be built.\n${over.aborted ? 'It took too long.\n' : ''}${output}`,
    );
}

const MAX_CHARACTERS = 4_000;
