import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBuilder } from '../run-builder.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

/** What the site is built into. */
export const builtSite: string = join(REPOSITORY, 'docs-site/dist');

/** Whether this is a checkout, which has what the site is built from. An installed package has not. */
export function hasDocumentationSite(): boolean {
  return existsSync(join(REPOSITORY, 'docs-site/package.json'));
}

/**
 * Builds the site as `npm run docs` does, in a process of its own.
 *
 * @param signal ends the process, and what it has started
 * @throws Error with what the build printed last
 */
export function buildDocumentationSite(signal: AbortSignal): Promise<void> {
  const program = join(REPOSITORY, 'scripts/run.mjs');
  const args = ['--conditions=trellis-source', program, 'docs'];
  return runBuilder({ site: 'The documentation', args, cwd: REPOSITORY }, signal);
}
