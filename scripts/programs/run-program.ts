import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, with a trailing separator. */
export const repository: string = fileURLToPath(new URL('../..', import.meta.url));

/** How a program ended, with all that it wrote. */
export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly status: number | null;
  /** Standard output and standard error, in the order in which they came. */
  readonly output: string;
}

/**
 * Runs a tool of the repository's dev dependencies (`tsc`, `oxlint`, …) in its root and waits.
 *
 * @throws Error when the tool is not installed
 */
export function runTool(tool: string, args: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(repository, 'node_modules', '.bin', tool), args, {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32', // the tools are .cmd files there
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output: Buffer.concat(chunks).toString('utf8') }));
  });
}
