import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSupergraphCommand } from './supergraph-command.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-usage-'));
  await write('users.graphql', before);
  await writeConfig();
  await run('compose', '--release', path('release.json'));
});

afterEach(() => rm(folder, { recursive: true }));

const links = print(gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@authenticated", "@requiresScopes", "@cost"]
    )
`);
const before = `${links}\ntype Query { me: User users(role: Role, first: Int): [User] find(by: By): User }
type User { id: ID! name: String bio: String @requiresScopes(scopes: [["read"]]) }
enum Role { A B }
input By { id: ID name: String }
`;

const path = (name: string): string => join(folder, name);
const write = (name: string, text: string | Buffer): Promise<void> => writeFile(path(name), text);
const writeConfig = (url = 'http://users/graphql'): Promise<void> =>
  write(
    'supergraph.yaml',
    `subgraphs:\n  users: { routing_url: "${url}", schema: { file: users.graphql } }\n`,
  );

async function run(command: string, ...args: readonly string[]) {
  let out = '';
  let error = '';
  const given = [command, '--config', path('supergraph.yaml'), '--composers', 'apollo', ...args];
  const status = await runSupergraphCommand(given, {
    out: (text) => (out += text),
    error: (text) => (error += text),
  });
  return { status, out: out.replaceAll(folder, '.'), error: error.replaceAll(folder, '.') };
}

const check = (...args: readonly string[]) => run('check', '--against', path('release.json'), ...args);

interface Line {
  readonly document: string;
  readonly [member: string]: unknown;
}

async function record(lines: readonly Line[], header: object = {}): Promise<readonly string[]> {
  const texts = lines.map((line, index) => ({
    id: `op${index}`,
    clients: [{ name: 'ios', version: '3.2', requests: 90 }],
    ...line,
  }));
  const all = [{ format: 'trellis-operations/1', ...header }, ...texts].map((one) => JSON.stringify(one));
  await write('operations.jsonl', `${all.join('\n')}\n`);
  return ['--operations', path('operations.jsonl')];
}

const firstLine = ({ out }: { readonly out: string }): string => out.split('\n')[0] ?? '';

describe('With recorded operations', () => {
  it('only what is used breaks, and the report names operations, clients and the share of requests', async () => {
    await write('users.graphql', before.replace(' name: String bio', ' bio'));
    const used = await record([
      { document: 'query Names { me { name } }' },
      { document: '{ me { id } }', clients: [{ name: 'web', requests: 10 }] },
    ]);
    expect((await check(...used)).out).toContain(
      'breaking: User.name: FIELD_REMOVED: User.name was removed.\n  used by 1 operation, 90.0 % of requests: Names (ios 3.2)\n',
    );
    const unused = await record([{ document: '{ me { id } }' }]);
    expect(await check(...unused)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^0 breaking, 0 dangerous\n/) as string,
    });
  });

  it('what is unused in an incomplete period is unknown, and the check ends with 69', async () => {
    await write('users.graphql', before.replace(' name: String bio', ' bio'));
    const args = await record([{ document: '{ me { id } }' }], { complete: false });
    expect(await check(...args)).toMatchObject({
      status: 69,
      out: expect.stringContaining('unknown: User.name: FIELD_REMOVED: ') as string,
    });
  });

  it('what variables may hold counts: recorded values decide, and where none are recorded it is unknown', async () => {
    await write('users.graphql', before.replace('{ A B }', '{ A }').replace('id: ID name: String', 'id: ID'));
    const document = 'query($r: Role, $b: By) { users(role: $r) { id } find(by: $b) { id } }';
    const verdicts = async (inputs?: readonly string[]): Promise<readonly string[]> => {
      const { out } = await check(...(await record([{ document, ...(inputs && { inputs }) }])));
      return [...out.matchAll(/^(\w+): (?:By.name|Role.B): /gm)].map(([, verdict = '']) => verdict);
    };
    expect(await verdicts()).toEqual(['unknown', 'unknown']);
    expect(await verdicts(['Role.B', 'By.id'])).toEqual(['breaking']);
    expect(await verdicts([])).toEqual([]);
  });

  it('a scope raised to another one breaks callers who lack it, and exposes to those who had not been let in', async () => {
    await write('users.graphql', before.replace('[["read"]]', '[["read", "more"]]'));
    const document = '{ me { bio } }';
    const verdict = async (scopes?: readonly unknown[]): Promise<string> =>
      firstLine(await check(...(await record([{ document, ...(scopes && { scopes }) }])))).split(':')[0] ??
      '';
    expect(await verdict([['read']])).toBe('breaking');
    expect(await verdict([['read', 'more'], null])).toBe('0 breaking, 0 dangerous');
    expect(await verdict()).toBe('unknown');
    await write('users.graphql', before.replace('@requiresScopes(scopes: [["read"]])', ''));
    expect(firstLine(await check(...(await record([{ document: '{ me { id } }' }]))))).toBe(
      'breaking: User.bio: RIGHTS_REMOVED: User.bio needs nothing now; it needed scope read.',
    );
  });

  it('costs are computed with recorded slices against the limits of gateway.yaml', async () => {
    await write('users.graphql', before.replace('name: String bio', 'name: String @cost(weight: 50) bio'));
    await write('gateway.yaml', 'limits: { cost: 1000 }\n');
    const document = 'query($n: Int) { users(first: $n) { name } }';
    const verdict = async (slices?: readonly unknown[]): Promise<string> => {
      const args = await record([{ document, ...(slices && { slices }) }]);
      return firstLine(await check(...args, '--limits', path('gateway.yaml'))).split(':')[0] ?? '';
    };
    expect(await verdict([{ n: 100 }])).toBe('breaking');
    expect(await verdict([{ n: 2 }])).toBe('dangerous');
    await write('users.graphql', before.replace('name: String bio', 'name: String @cost(weight: 1) bio'));
    expect(await verdict([{ n: 2 }])).toBe('0 breaking, 0 dangerous');
    expect(await verdict()).toBe('unknown');
  });

  it('a client that was excluded, or has not sent an operation in the usage period, does not count', async () => {
    await write('users.graphql', before.replace(' name: String bio', ' bio'));
    await write('checks.yaml', 'excludedClients: [robot]\nusagePeriodDays: 7\n');
    const args = await record([
      {
        document: '{ me { name } }',
        clients: [
          { name: 'robot', requests: 5 },
          { name: 'old', requests: 5, lastUsed: '2020-01-01T00:00:00Z' },
        ],
      },
    ]);
    expect((await check(...args)).status).toBe(0);
  });

  it('are read from gzip, and from manifests of persisted queries', async () => {
    await write('users.graphql', before.replace(' name: String bio', ' bio'));
    await record([{ document: '{ me { id } }' }]);
    await write('packed.jsonl.gz', gzipSync(await readFile(path('operations.jsonl'))));
    expect((await check('--operations', path('packed.jsonl.gz'))).status).toBe(0);
    const operations = [{ id: '1', body: 'query Names { me { name } }', name: 'Names', type: 'query' }];
    await write(
      'apollo.json',
      JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }),
    );
    await write('relay.json', JSON.stringify({ '1': 'query Names { me { name } }' }));
    for (const file of ['apollo.json', 'relay.json'])
      expect(
        (await check('--operations', path('packed.jsonl.gz'), '--operations', path(file))).out,
      ).toContain('used by 1 operation');
  });

  it('a file that is cut off or none is rejected with its line', async () => {
    const args = await record([{ document: '{ me { id } }' }]);
    const text = await readFile(path('operations.jsonl'), 'utf8');
    await write('operations.jsonl', text.slice(0, -20));
    expect(await check(...args)).toMatchObject({
      status: 1,
      error: expect.stringMatching(
        /^\.\/operations\.jsonl:2:1: INVALID_OPERATIONS: is no JSON: the file may be cut off\n {2}2 \| \{"id":"op0"/,
      ) as string,
    });
    await write('operations.jsonl', '{"format":"trellis-operations/1"}\n{"id":"1"}\n');
    expect((await check(...args)).error).toMatch(
      /^\.\/operations\.jsonl:2:1: INVALID_OPERATIONS: document: /,
    );
    await write('operations.jsonl', 'me');
    expect((await check(...args)).error).toContain('holds neither recorded operations');
  });
});

describe('Approvals', () => {
  const approval = (change: string, rest = '', expires = '2026-12-31'): string =>
    `approvals:\n  - change: ${change}\n    reason: agreed\n    owner: team-users\n    expires: ${expires}\n${rest}`;
  const soon = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

  it('let a change pass until they expire, and are listed with their owner', async () => {
    await write('users.graphql', before.replace(' name: String bio', ' bio'));
    await write('checks.yaml', approval('FIELD_REMOVED User.name', '', soon));
    expect(await check()).toMatchObject({
      status: 0,
      out: expect.stringContaining(
        `\napproved: User.name: FIELD_REMOVED: by team-users until ${soon}: agreed\n`,
      ) as string,
    });
  });

  it.each([
    ['an expired one', 'FIELD_REMOVED User.name', '2020-01-01', 'the approval expired on 2020-01-01.'],
    [
      'one for longer than 90 days',
      'FIELD_REMOVED User.name',
      '2999-01-01',
      'the approval would last longer than 90 days.',
    ],
    ['one of no change', 'FIELD_REMOVED User.other', soon, 'there is no such change: remove the approval.'],
    ['one of an unknown kind', 'FIELD_GONE User.name', soon, 'there is no kind of change "FIELD_GONE".'],
  ])('%s has no effect, and is reported at its line', async (_title, change, expires, problem) => {
    await write('users.graphql', before.replace(' name: String bio', ' bio'));
    await write('checks.yaml', approval(change, '', expires));
    const { status, error } = await check();
    expect({ status, error }).toMatchObject({
      status: 1,
      error: expect.stringContaining(
        `warning: ./checks.yaml:2:5: INVALID_APPROVAL: ${change}: ${problem}`,
      ) as string,
    });
  });

  it('of an exposure has to say so', async () => {
    await write('users.graphql', before.replace('@requiresScopes(scopes: [["read"]])', ''));
    await write('checks.yaml', approval('RIGHTS_REMOVED User.bio', '', soon));
    expect((await check()).error).toContain('the approval has to say exposure: true.');
    await write('checks.yaml', approval('RIGHTS_REMOVED User.bio', '    exposure: true\n', soon));
    expect((await check()).status).toBe(0);
  });

  it('in a file that is none are rejected, each problem with its line', async () => {
    await write('checks.yaml', 'approvals:\n  - change: nothing\n    owner: x\nmore: 1\n');
    const { status, error } = await check();
    expect(status).toBe(1);
    expect(error).toMatch(
      /checks\.yaml:2:13: INVALID_APPROVAL: approvals\.0\.change must be a code and a coordinate/,
    );
    expect(error).toMatch(/INVALID_APPROVAL: approvals\.0\.reason /);
  });
});

describe('Contracts', () => {
  const tagged = (name: string, bio: string): string =>
    before
      .replace('"@cost"', '"@cost", "@tag"')
      .replace('me: User', 'me: User @tag(name: "partner")')
      .replace(
        'id: ID! name: String bio: String',
        `id: ID! @tag(name: "partner") name: String ${name} bio: String ${bio}`,
      );
  const partner = '@tag(name: "partner")';

  it.each([
    [
      'partners: { include: [partner] }',
      tagged(partner, ''),
      tagged('', ''),
      'breaking: partners: User.name: FIELD_REMOVED: User.name was removed.',
    ],
    [
      'public: { exclude: [partner] }',
      tagged('', ''),
      tagged(partner, ''),
      'breaking: public: User.name: FIELD_REMOVED: User.name was removed.',
    ],
  ])('of %s are checked as graphs of their own', async (rules, former, latter, expected) => {
    await write('checks.yaml', `contracts: { ${rules} }\n`);
    await write('users.graphql', former);
    await run('compose', '--release', path('release.json'));
    expect((await check()).out).toMatch(/^0 breaking, 0 dangerous/);
    await write('users.graphql', latter);
    expect((await check()).out).toContain(`${expected}\n`);
  });

  it('that show nothing any more are named', async () => {
    await write('checks.yaml', 'contracts: { partners: { include: [partner] } }\n');
    await write('users.graphql', tagged(partner, ''));
    await run('compose', '--release', path('release.json'));
    await write('users.graphql', before);
    expect(await check()).toEqual({
      status: 1,
      out: '',
      error:
        'error: INVALID_CONTRACT: The contract partners does not compose: no query is left\n' +
        'Documentation: docs/command-line-errors.md#INVALID_CONTRACT\n',
    });
  });
});

describe('What a check compares with', () => {
  it('is a supergraph, a release, a configuration or a revision in git', async () => {
    await run('compose', '--output', path('supergraph.graphql'));
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: folder });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'before');
    await write('users.graphql', before.replace(' name: String bio', ' bio'));
    const bases = [
      path('supergraph.graphql'),
      path('release.json'),
      'git:HEAD',
      `git:HEAD:${path('supergraph.graphql')}`,
    ];
    for (const base of bases)
      expect([base, firstLine(await run('check', '--against', base))]).toEqual([
        base,
        'breaking: User.name: FIELD_REMOVED: User.name was removed.',
      ]);
    expect(await run('check', '--against', 'git:nowhere')).toMatchObject({
      status: 69,
      error: expect.stringMatching(/^git has no /) as string,
    });
    expect(await run('check', '--against', 'http://127.0.0.1:1/')).toMatchObject({ status: 69 });
  });

  it('--subgraph takes the place of one schema', async () => {
    await write('next.graphql', before.replace(' name: String bio', ' bio'));
    const { out } = await check(
      '--subgraph',
      'users',
      '--schema',
      path('next.graphql'),
      '--routing-url',
      'http://elsewhere/graphql',
    );
    expect(out.split('\n').slice(0, -2)).toEqual([
      'breaking: User.name: FIELD_REMOVED: User.name was removed.',
      'dangerous: users: ROUTING_URL_CHANGED: users is asked at http://elsewhere/graphql now; it was at http://users/graphql.',
      'dangerous: users: PUBLISH_FIRST: Plans before fail at users after: Cannot query field "name" on type "User".',
      'order: 1 publish · 2 deploy users (proved with 0 recorded operations and 3 probes)',
      '1 breaking, 2 dangerous',
    ]);
  });
});

describe('Forms of reports', () => {
  beforeEach(() => write('users.graphql', before.replace(' name: String bio', ' bio')));

  it.each(['json', 'junit', 'github', 'sarif', 'markdown', 'html'] as const)(
    '%s names the change, its place and its action',
    async (form) => {
      const { status, out, error } = await check('--format', form);
      expect({ status, error }).toEqual({ status: 1, error: '' });
      expect(out).toContain(form === 'markdown' ? String.raw`FIELD\_REMOVED` : 'FIELD_REMOVED');
      if (form === 'github')
        expect(out).toContain(
          '::error file=users.graphql,line=3,col=6,title=FIELD_REMOVED::User.name was removed.',
        );
      if (form === 'sarif')
        expect(JSON.parse(out)).toMatchObject({
          version: '2.1.0',
          runs: [
            {
              results: expect.arrayContaining([
                expect.objectContaining({ ruleId: 'FIELD_REMOVED', level: 'error' }),
              ]) as unknown,
            },
          ],
        });
      if (form === 'json')
        expect(JSON.parse(out)).toMatchObject({
          format: 'trellis-report/1',
          outcome: 'failed',
          counts: { breaking: 1 },
        });
      if (form === 'junit') expect(out).toContain('failures="1"');
      if (form === 'html') {
        expect(out).toContain('<td class="breaking">breaking</td><td>User.name</td>');
        expect(out).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
      }
    },
  );

  it('draw the order of deployment: what goes first, publishing, what goes last', async () => {
    const { out } = await check('--format', 'svg');
    expect([...out.matchAll(/<rect class="(deploy|publish|any)"/g)].map(([, kind]) => kind)).toEqual([
      'publish',
      'deploy',
    ]);
    expect(out).toContain('<title>Order of deployment; publish; deploy users</title>');
    expect(out.match(/<path class="line"/g)).toHaveLength(1);
  });

  it('escape hostile names for terminals, workflow commands, XML and Markdown', async () => {
    const name = 'evil\u001b[31m](http://x) <b>@all|%0A::error::\n::stop';
    const args = await record([{ document: '{ me { name } }', clients: [{ name, requests: 1 }] }]);
    const forms = ['text', 'github', 'junit', 'markdown', 'sarif', 'html'] as const;
    const outs = await Promise.all(forms.map(async (form) => (await check(...args, '--format', form)).out));
    for (const out of outs) expect(out).not.toContain('\u001b');
    const [text = '', github = '', junit = '', markdown = '', , html = ''] = outs;
    expect(html).not.toContain('<b>');
    expect(github.split('\n').filter((line) => line.startsWith('::stop'))).toEqual([]);
    expect(junit).not.toContain('<b>');
    expect(markdown).not.toMatch(/<b>|@all|[^\\]\]\(/);
    expect(text).toContain('evil');
  });

  it('errors of composition have file, line and excerpt', async () => {
    await write(
      'users.graphql',
      print(gql`
        type Query {
          me: Missing
        }
      `),
    );
    expect(await check()).toMatchObject({
      status: 1,
      out: '',
      error:
        'error: users.graphql:2:7: INVALID_GRAPHQL: [users] Unknown type Missing\n  2 |   me: Missing\n    |       ^\n' +
        'Documentation: docs/command-line-errors.md#INVALID_GRAPHQL\n',
    });
    const { out } = await check('--format', 'github');
    expect(out).toBe(
      '::error file=users.graphql,line=2,col=7,title=INVALID_GRAPHQL::[users] Unknown type Missing\n',
    );
  });
});
