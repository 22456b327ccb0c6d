import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { graphErrorCodes } from '@trellis/subgraph-protocol';
import { gatewayErrorCodes, oauthErrors } from 'trellis/programs';
import { afterAll, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { resolveSiteLink, rowAnchors } from './site-links.ts';
import { routeOf, siteSections } from './site-pages.ts';

const directories: { remove(): void }[] = [];
afterAll(() => {
  for (const directory of directories) directory.remove();
});

const pages = siteSections(repository).flatMap((section) => section.pages);

describe('Codes of errors and their anchors on the documentation site', () => {
  it('are the same, both ways: explorer, landing page and error page link to an existing row', () => {
    const anchors = rowAnchors(readFileSync(join(repository, 'docs/errors.md'), 'utf8'));
    const codes = [...Object.keys(gatewayErrorCodes), ...Object.keys(oauthErrors)];
    expect(anchors.filter((anchor) => !codes.includes(anchor))).toEqual([]);
    expect(codes.filter((code) => !anchors.includes(code))).toEqual([]);
    expect(Object.keys(graphErrorCodes).filter((code) => !anchors.includes(code))).toEqual([]);
    expect(new Set(anchors).size).toBe(anchors.length);
  });

  it('are served where the platform says that they are', () => {
    expect(routeOf('docs/errors.md')).toBe('errors.md');
  });
});

describe('The pages of the documentation site', () => {
  it('are all pages of docs/ and those at the root, each once', () => {
    const files = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' });
    const expected = files.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`);
    const listed = pages.map(({ file }) => file);
    expect(listed.toSorted()).toEqual(
      [...expected, 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].toSorted(),
    );
    expect(new Set(pages.map(({ route }) => route)).size).toBe(pages.length);
  });

  it('include a page that is in no section, and show its title without marks', () => {
    const folder = write({ 'README.md': '# The first', 'docs/odd.md': '# About `odd` things' });
    expect(siteSections(folder).filter((section) => section.pages.length > 0)).toEqual([
      { title: 'Begin', pages: [{ file: 'README.md', route: 'index.md', title: 'The first' }] },
      { title: 'More', pages: [{ file: 'docs/odd.md', route: 'odd.md', title: 'About odd things' }] },
    ]);
  });
});

describe('A link of a page', () => {
  const text =
    '# A page\n\n## Same\n\n## Same\n\n```text\n# not a heading\n```\n\n| `NO_GOOD` | 400 |\n| `limits.depth` | 1 |\n';
  const folder = write({
    'README.md': '# First',
    'docs/page.md': text,
    'docs/tutorial/README.md': '# Steps',
    'docs/pictures/one.png': '',
    'gateway/src/main.ts': '',
  });
  const known = new Set(['README.md', 'docs/page.md', 'docs/tutorial/README.md']);

  it.each([
    ['page.md', '/page.html'],
    ['page.md#same-1', '/page.html#same-1'],
    ['#NO_GOOD', '/page.html#NO_GOOD'],
    ['../README.md', '/'],
    ['tutorial/', '/tutorial/'],
    ['tutorial/README.md', '/tutorial/'],
  ])('%s leads to the page %s', (target, address) => {
    expect(follow(target)).toEqual({ kind: 'page', address });
  });

  it.each([
    ['../gateway/src/main.ts', '/source/gateway/src/main.ts.txt'],
    ['../gateway/src', '/source/gateway/src.txt'],
    ['pictures/one.png', '/docs/pictures/one.png'],
  ])('%s leads to a copy at %s', (target, address) => {
    expect(follow(target)).toMatchObject({ kind: 'source', address });
  });

  it.each(['none.md', 'page.md#not-a-heading', 'page.md#limits.depth', '../../etc/passwd', '#nothing'])(
    '%s is dead, and fails the build',
    (target) => {
      expect(follow(target).kind).toBe('dead');
    },
  );

  it.each(['https://example.com/a.md', 'mailto:a@example.com', '//example.com'])(
    '%s is left alone',
    (target) => {
      expect(follow(target)).toEqual({ kind: 'external' });
    },
  );

  function follow(target: string): ReturnType<typeof resolveSiteLink> {
    return resolveSiteLink(target, { repository: folder, pages: known, page: 'docs/page.md' });
  }
});

function write(files: Readonly<Record<string, string>>): string {
  const directory = createTemporaryDirectory();
  directories.push(directory);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory.path, name)), { recursive: true });
    writeFileSync(join(directory.path, name), text);
  }
  return directory.path;
}
