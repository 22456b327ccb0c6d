import { execFileSync } from 'node:child_process';

/** A part of what a proof looks at. */
export interface ProofPart<Item> {
  readonly items: readonly Item[];
  /** Which of how many, for its figures: `3 of 10`. */
  readonly name: string;
}

/**
 * Every so many-th of the items: another part at each commit and with each seed, so that what runs small at each commit comes to all of
 * them in time.
 *
 * @param parts 1: all items
 * @param commit a number of the commit. @default that of the folder's
 */
export function partOfCommit<Item>(
  items: readonly Item[],
  parts: number,
  seed: number,
  commit: number = commitNumber(process.cwd()),
): ProofPart<Item> {
  const part = (seed + commit) % parts;
  return { items: items.filter((_item, index) => index % parts === part), name: `${part + 1} of ${parts}` };
}

/** The beginning of a commit's hash as a number; 0 where a folder is in no repository. */
export function commitNumber(directory: string): number {
  try {
    const hash = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(hash.toString().slice(0, 8), 16);
  } catch {
    return 0;
  }
}
