import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runInGroup } from '../process-group.ts';

/** A Node program that builds a site. */
export interface Builder {
  /** What it builds, for the message when it fails: `The documentation`. */
  readonly site: string;
  /** The program and its arguments, after those of Node. */
  readonly args: readonly string[];
  readonly cwd: string;
}

/** How long a build may take, the installation of its packages included. */
const DEADLINE_MS = 600_000;
/** Of the output, the end says why it failed. */
const MAX_CHARACTERS = 4_000;

/**
 * Runs a builder, which may run others: all of them end with this process, however it ends.
 *
 * @param signal ends them
 * @throws Error with what they printed last when they fail, or take more than 10 minutes
 */
export async function runBuilder({ site, args, cwd }: Builder, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const group = runInGroup(child);
  const over = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const end = (): void => void group.end();
  over.addEventListener('abort', end);
  if (over.aborted) end();
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => (output = (output + text).slice(-MAX_CHARACTERS)));
  const [code] = (await once(child, 'close')) as [number | null];
  over.removeEventListener('abort', end);
  if (code !== 0)
    throw new Error(`${site} could not be built.\n${over.aborted ? 'It took too long.\n' : ''}${output}`);
}
