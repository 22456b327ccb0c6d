import { join, relative } from 'node:path';
import type { OwnRelease, PublishedOwnRelease } from './own-release.ts';

/** What the banner says of the platform's own registry: where it is, and the command that shows its history. */
export function describePublished(
  { graph }: Pick<OwnRelease, 'graph'>,
  { registry, trust, sequence }: PublishedOwnRelease,
): readonly string[] {
  const [folder, file] = [inShell(registry), inShell(trust)];
  return [
    `Registry    ${graph} ${sequence}; its history:`,
    `            npx trellis history --registry ${folder} --trust ${file} --graph ${graph}`,
  ];
}

/** Why nothing was published, in one sentence. */
export function describeUnpublished(dataDirectory: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const [firstLine = ''] = reason.split('\n');
  return `The registry ${join(dataDirectory, 'registry')} stays as it is, and the platform goes on without it: ${firstLine}`;
}

/** A path as a user would type it. */
function inShell(path: string): string {
  const below = relative(process.cwd(), path);
  const shown = below.startsWith('..') ? path : below;
  return /^[\w./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
