import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

const MAX_BYTES = 30_000;
const folder = join(repository, 'docs');

describe('Pages of docs/, README and CONTRIBUTING', () => {
  it('are short enough to be read: figures go to bench/results, references are split by topic', () => {
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    );
    pages.push('../README.md', '../CONTRIBUTING.md', '../CHANGELOG.md');
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((file) => statSync(join(folder, file)).size > MAX_BYTES)).toEqual([]);
  });
});
