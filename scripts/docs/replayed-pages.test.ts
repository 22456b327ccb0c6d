import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

/** Who does what a page has in blocks that say `sh replayed`, and so are not run with the other commands of the documentation. */
const replayedBy: Readonly<Record<string, string>> = {
  'docs/composition.md': 'cli/src/supergraph/replayed-page.test.ts',
  'docs/extending/README.md': 'scripts/docs/extending.test.ts',
  'docs/follow-the-registry.md': 'cli/src/publish/replayed-pages.test.ts',
  'docs/operate-the-registry.md': 'cli/src/publish/replayed-pages.test.ts',
  'docs/recorded-operations.md': 'cli/src/operations/usage-sinks.test.ts',
  'docs/tutorial/README.md': 'e2e/documentation/tutorial.test.ts',
};

const pages = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`);

function textOf(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}

describe('Blocks of commands that another test replays', () => {
  it('are on pages with a test, and a test has a page with such blocks', () => {
    const tagged = [...pages, 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].filter((page) =>
      /^```sh replayed\b/m.test(textOf(page)),
    );
    expect(tagged.toSorted()).toEqual(Object.keys(replayedBy));
  });

  it.each(Object.entries(replayedBy))('of %s are replayed by %s, which names the page', (page, test) => {
    expect(existsSync(join(repository, test))).toBe(true);
    const isNamed = textOf(test).includes(page.replace(/\/README\.md$/, ''));
    expect(isNamed).toBe(true);
  });
});
