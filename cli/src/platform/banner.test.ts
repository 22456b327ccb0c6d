import { demoAccounts, demoPassword } from '@trellis/demo-data';
import { describe, expect, it } from 'vitest';
import { formatBanner, type BannerOptions } from './banner.ts';

const everything: BannerOptions = {
  hasDemoData: true,
  hasWebApplication: true,
  hasDocumentation: true,
  ports: { AUTH: 1, USERS: 2, POSTS: 3, COMMENTS: 4, SEARCH: 5, GATEWAY: 6, WEB: 7, DOCS: 8 },
  operations: 'http://localhost:9/metrics',
  stores: ['PostgreSQL  18', 'Redis       8'],
  registry: ['Registry    one', '            two'],
};
const options = ['hasDemoData', 'hasWebApplication', 'hasDocumentation'] as const;

describe('The banner', () => {
  it('names every address, the stores and the registry, a line each', () => {
    const lines = formatBanner(everything).split('\n');
    expect(lines.slice(0, 18)).toEqual([
      '',
      '  Start here  http://localhost:6',
      '',
      '  Gateway     http://localhost:6/graphql',
      '  Auth-server http://localhost:1',
      '  Console     http://localhost:1/console',
      '  Sample app  http://localhost:7',
      '  Docs        http://localhost:8',
      '  Subgraphs   users http://localhost:2/graphql',
      '              posts http://localhost:3/graphql',
      '              comments http://localhost:4/graphql',
      '              search http://localhost:5/graphql',
      '  Metrics     http://localhost:9/metrics',
      '  PostgreSQL  18',
      '  Redis       8',
      '  Registry    one',
      '              two',
      '',
    ]);
  });

  it('says who may sign in, and how to get a token', () => {
    const text = formatBanner(everything);
    expect(text).toContain(`password "${demoPassword}"`);
    for (const { email, role } of demoAccounts)
      expect(text).toMatch(new RegExp(`^    ${email} +${role}$`, 'm'));
    expect(text).toContain('npm run -s token');
  });

  it.each([
    ['hasDemoData', /Console|Demo accounts|npm run -s token/],
    ['hasWebApplication', /Sample app/],
    ['hasDocumentation', /Docs /],
  ] as const)('leaves out what does not run: %s', (option, lines) => {
    expect(formatBanner(everything)).toMatch(lines);
    expect(formatBanner({ ...everything, [option]: false })).not.toMatch(lines);
  });

  it('has no empty lines for what is off', () => {
    const off = Object.fromEntries(options.map((option) => [option, false]));
    const text = formatBanner({ ...everything, ...off, stores: [], registry: [] });
    expect(text.split('\n').slice(3)).not.toContain('  ');
    expect(text).toMatch(/metrics\n$/);
  });
});
