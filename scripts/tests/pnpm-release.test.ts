import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

/** What installs the repository: npm commands, the site of the docs, images, CI. */
const INSTALLERS = ['scripts/run.mjs', 'scripts/docs.ts', 'Dockerfile', '.ci/run'];

function releasesIn(file: string): readonly string[] {
  return readFileSync(join(repository, file), 'utf8').match(/\bpnpm@\d[\w.-]*/g) ?? [];
}

describe('The release of pnpm', () => {
  const release = releasesIn('scripts/run.mjs');

  it('is named once by npm commands, to the last digit', () => {
    expect(release).toEqual([expect.stringMatching(/^pnpm@\d+\.\d+\.\d+$/)]);
  });

  it.each(INSTALLERS)('is the same in %s', (file) => {
    expect([...new Set(releasesIn(file))]).toEqual(release);
  });

  it('is named in no other file', () => {
    const listed = execFileSync(
      'git',
      ['grep', '-lE', String.raw`\bpnpm@[0-9]`, '--', ':!pnpm-lock.yaml', ':!docs/changelog'],
      { cwd: repository, encoding: 'utf8' },
    );
    expect(listed.trim().split('\n').toSorted()).toEqual(INSTALLERS.toSorted());
  });
});
