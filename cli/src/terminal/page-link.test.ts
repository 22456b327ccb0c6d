import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageLink } from './page-link.ts';

describe('A link to a page of the documentation', () => {
  it('is a file that there is, seen from the current directory', () => {
    const [file = '', anchor] = pageLink({ page: 'changes.md', anchor: 'FIELD_REMOVED' }, {}).split('#');
    expect(existsSync(resolve(file))).toBe(true);
    expect(anchor).toBe('FIELD_REMOVED');
  });

  it.each([
    ['https://docs.example.com', 'https://docs.example.com/changes.html#FIELD_REMOVED'],
    ['https://example.com/docs/', 'https://example.com/docs/changes.html#FIELD_REMOVED'],
    ['http://localhost:4030/a', 'http://localhost:4030/a/changes.html#FIELD_REMOVED'],
  ])('is an address of the site %s', (site, expected) => {
    const reference = { page: 'changes.md', anchor: 'FIELD_REMOVED' };
    expect(pageLink(reference, { TRELLIS_DOCS_URL: site })).toBe(expected);
  });

  it.each(['', 'docs.example.com', 'javascript:alert(1)', 'https://'])('takes %j for no site', (site) => {
    const link = pageLink({ page: 'changes.md' }, { TRELLIS_DOCS_URL: site });
    expect(link).toBe(pageLink({ page: 'changes.md' }, {}));
  });
});
