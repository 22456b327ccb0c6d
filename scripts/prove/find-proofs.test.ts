import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProofs } from './find-proofs.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'find-proofs-'));
});

afterEach(() => rm(root, { recursive: true }));

async function touch(file: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), '');
}

describe('Proofs', () => {
  it('are the files in the proofs folders of the workspace, by name', async () => {
    for (const file of [
      'gateway/proofs/fuzz.ts',
      'auth-server/proofs/code-race.ts',
      'services/posts/proofs/drafts.ts',
      'packages/redis/proofs/kills.ts',
      'e2e/proofs/attack.ts',
      'e2e/proofs/attack.test.ts',
      'e2e/proofs/attack/step.ts',
      'e2e/proofs/notes.md',
      'elsewhere/proofs/no.ts',
    ])
      await touch(file);
    expect(findProofs(root).map(({ name }) => name)).toEqual([
      'attack',
      'code-race',
      'drafts',
      'fuzz',
      'kills',
    ]);
  });

  it('of the repository have different names', () => {
    const names = findProofs().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
  });
});
