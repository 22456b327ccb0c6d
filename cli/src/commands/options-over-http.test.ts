import { print } from 'graphql';
import { gql } from 'graphql-tag';
import type { Command } from 'commander';
import { generateRecordKey } from '@trellis/registry';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LINK } from '../../testing/federation-link.ts';
import { RecordedRegistry } from '../../testing/recorded-registry.ts';
import { startSdlServer, type SdlServer } from '../../testing/sdl-server.ts';
import { trellis } from '../../testing/run-command.ts';
import {
  keysCommand,
  promotionCommand,
  publishingCommand,
  registryCommand,
  returningCommand,
  variantCommand,
} from './registry.ts';

const USERS = print(gql`
  type Query {
    me: User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String
  }
`);
const MORE = USERS.replace('name: String', 'name: String age: Int');

let registry: RecordedRegistry;
let subgraph: SdlServer;

beforeAll(async () => {
  registry = await RecordedRegistry.start();
  subgraph = await startSdlServer(LINK + USERS);
  registry.write('a.graphql', LINK + USERS);
  registry.write(
    'supergraph.yaml',
    'subgraphs:\n  users: { routing_url: "http://u/", schema: { file: a.graphql } }\n',
  );
  registry.write('checks.yaml', CHECKS);
  registry.write('trust.json', JSON.stringify({ keys: [{ ...(await generateRecordKey()), d: undefined }] }));
  const place = ['--routing-url', subgraph.url];
  await registry.publish('users', USERS, '--graph', 'content@staging', ...place);
  await registry.publish('users', USERS, ...place);
  await registry.publish('users', MORE, ...place);
}, 120_000);
afterAll(async () => {
  await subgraph.close();
  await registry.close();
});
beforeEach(() => {
  registry.sent.length = 0;
  subgraph.headers.length = 0;
});

const CHECKS = `excludedClients: [robot]
usagePeriodDays: 7
approvals: [{ change: FIELD_REMOVED User.name, reason: unused, owner: team-users, expires: 2099-01-01 }]
contracts: { partners: { include: [], exclude: [beta] } }
`;
const RULES = {
  excludedClients: ['robot'],
  usagePeriodDays: 7,
  contracts: [{ name: 'partners', include: [], exclude: ['beta'] }],
};
const APPROVALS = [{ change: 'FIELD_REMOVED User.name', owner: 'team-users' }];
const RUNNING = { users: LINK + USERS };

type Expected =
  | { readonly kind: 'sent'; readonly address: string; readonly body: object }
  | { readonly kind: 'rejected'; readonly status: number; readonly error: RegExp }
  | { readonly kind: 'asked'; readonly header: readonly [name: string, value: string] };

const sent = (address: string, body: object): Expected => ({ kind: 'sent', address, body });
const inSet = (body: object): Expected => sent('publications', { set: [body] });
const left = (option: string): Expected => ({
  kind: 'rejected',
  status: 64,
  error: new RegExp(`INVALID_NAME: Leave --${option} out at the registry http.*: its server `),
});
const distrusted: Expected = { kind: 'rejected', status: 77, error: /^UNTRUSTED_KEY/ };
const asked: Expected = { kind: 'asked', header: ['x-secret', 's3'] };

type Row = readonly [option: string, args: string, expected: Expected];

/** What all commands have. FOLDER stands for the folder with the files above. */
function common(changes: string): readonly Row[] {
  return [
    ['deployed', '--deployed users=FOLDER/a.graphql', sent(`guarded-${changes}`, { running: RUNNING })],
    ['introspect', '--introspect', sent(`guarded-${changes}`, { running: RUNNING })],
    ['header', '--introspect --header X-Secret=s3 --introspect-origins ORIGIN', asked],
    ['introspect-origins', '--introspect --header X-Secret=s3 --introspect-origins ORIGIN', asked],
    ...signing(),
  ];
}

/** @param needed what each call of the command needs */
function signing(needed = ''): readonly Row[] {
  return [
    ['trust', `${needed}--trust FOLDER/trust.json`, distrusted],
    ['key', `${needed}--key FOLDER/key.json`, left('key')],
    ['actor', `${needed}--actor ada`, left('actor')],
  ];
}

const ofCanary = '--from staging --percent 5 ';
const byRule = (rule: object): Expected => sent('variants', { set: { name: 'canary', rule } });

const ofSubgraph = '--subgraph users --schema FOLDER/a.graphql';
const contract = (tags: object): Expected =>
  sent('contract-publications', { contracts: { set: [{ name: 'partners', ...tags }] } });

const rows: Readonly<Record<string, readonly Row[]>> = {
  publish: [
    ...common('publications').map(([name, args, expected]): Row => [name, `${ofSubgraph} ${args}`, expected]),
    ['subgraph', ofSubgraph, inSet({ name: 'users' })],
    ['schema', ofSubgraph, inSet({ sdl: LINK + USERS })],
    ['routing-url', `${ofSubgraph} --routing-url http://other/`, inSet({ routingUrl: 'http://other/' })],
    ['subscription-url', `${ofSubgraph} --subscription-url ws://s/`, inSet({ subscriptionUrl: 'ws://s/' })],
    [
      'subscription-protocol',
      `${ofSubgraph} --subscription-protocol sse`,
      inSet({ subscriptionProtocol: 'sse' }),
    ],
    ['version', `${ofSubgraph} --version 1.2`, inSet({ version: '1.2' })],
    ['commit', `${ofSubgraph} --commit abc`, inSet({ commit: 'abc' })],
    ['contract', '--contract partners --include a', contract({})],
    ['include', '--contract partners --include a', contract({ include: ['a'] })],
    ['exclude', '--contract partners --exclude b', contract({ exclude: ['b'] })],
    ['remove', '--subgraph users --remove', sent('publications', { remove: ['users'] })],
    ['config', '--config FOLDER/supergraph.yaml', sent('guarded-publications', { isWhole: true })],
    ['composers', `${ofSubgraph} --composers guild`, sent('publications', { composers: 'guild' })],
    [
      'approvals',
      `${ofSubgraph} --approvals FOLDER/checks.yaml`,
      sent('guarded-publications', { approvals: APPROVALS, rules: RULES }),
    ],
    ['operations', `${ofSubgraph} --operations FOLDER/none.jsonl`, left('operations')],
    ['limits', `${ofSubgraph} --limits FOLDER/gateway.yaml`, left('limits')],
  ],
  promote: [
    ...common('promotions'),
    [
      'approvals',
      '--approvals FOLDER/checks.yaml',
      sent('guarded-promotions', { from: 'staging', approvals: APPROVALS, rules: RULES }),
    ],
    ['operations', '--operations FOLDER/none.jsonl', left('operations')],
    ['limits', '--limits FOLDER/gateway.yaml', left('limits')],
  ],
  rollback: [...common('rollbacks'), ['to', '--to 1', sent('rollbacks', { to: '1' })]],
  'variant set': [
    ...signing(ofCanary),
    ['from', ofCanary, sent('variants', { set: { name: 'canary', from: 'staging' } })],
    ['percent', ofCanary, byRule({ kind: 'percent', percent: 5 })],
    ['aborts', `${ofCanary}--aborts`, sent('variants', { set: { abortsItself: true } })],
    ['host', '--from staging --host a.test', byRule({ kind: 'host', host: 'a.test' })],
    ['claim', '--from staging --claim a=b', byRule({ kind: 'claim', claim: 'a', value: 'b' })],
    ['header', '--from staging --header a=b', byRule({ kind: 'header', header: 'a', value: 'b' })],
    ['client', '--from staging --header a=b --client c', byRule({ kind: 'header', clients: ['c'] })],
    ['limits', `${ofCanary}--limits FOLDER/gateway.yaml`, left('limits')],
    [
      'approvals',
      `${ofCanary}--approvals FOLDER/checks.yaml`,
      sent('variants', { approvals: APPROVALS, rules: RULES }),
    ],
  ],
  'variant remove': signing(),
  'keys replace': [
    ...signing('--with FOLDER/trust.json '),
    ['with', '--with FOLDER/trust.json', sent('keys', { keys: [{ kty: 'OKP' }] })],
  ],
  'registry gc': [
    ...signing().filter(([option]) => option !== 'actor'),
    ['older-than', '--older-than 5', sent('garbage-collections', { olderThanHours: 5, isDry: false })],
    ['dry-run', '--dry-run', sent('garbage-collections', { isDry: true })],
  ],
};
const subcommand = ({ command }: { readonly command: Command }, name: string): Command | undefined =>
  command.commands.find((one) => one.name() === name);
const commands: Readonly<Record<string, Command | undefined>> = {
  publish: publishingCommand().command,
  promote: promotionCommand().command,
  rollback: returningCommand().command,
  'variant set': subcommand(variantCommand(), 'set'),
  'variant remove': subcommand(variantCommand(), 'remove'),
  'keys replace': subcommand(keysCommand(), 'replace'),
  'registry gc': subcommand(registryCommand(), 'gc'),
};
/** Where the registry is, and where the result goes. */
const ELSEWHERE = new Set(['graph', 'registry', 'format', 'json', 'output']);
const words: Readonly<Record<string, readonly string[]>> = {
  promote: ['staging', 'production'],
  'variant set': ['canary'],
  'variant remove': ['canary'],
};

describe('Over HTTP', () => {
  it.each(Object.keys(rows))('no option of %s is without a row here', (name) => {
    const options = commands[name]?.options.map(({ long }) => long?.replace('--', '') ?? '') ?? [];
    const known = (rows[name] ?? []).map(([option]) => option);
    expect(options.filter((option) => !ELSEWHERE.has(option)).toSorted()).toEqual(known.toSorted());
  });

  const each = Object.entries(rows).flatMap(([name, all]) => all.map((row) => [name, ...row] as const));
  it.each(each)('%s does not drop --%s', async (name, _option, args, expected) => {
    const { origin } = new URL(subgraph.url);
    const given = args
      .trim()
      .split(' ')
      .map((text) => text.replace('FOLDER', registry.folder).replace('ORIGIN', origin));
    const run = await trellis(...name.split(' '), ...(words[name] ?? []), ...given);
    if (expected.kind === 'rejected') {
      expect(run).toMatchObject({ status: expected.status, error: expect.stringMatching(expected.error) });
      expect(registry.sent).toEqual([]);
    } else if (expected.kind === 'asked') {
      const [header, value] = expected.header;
      expect(subgraph.headers.map((one) => one[header])).toEqual([value]);
    } else {
      const { address, body } = expected;
      expect(registry.sent).toMatchObject([{ address, body }]);
    }
  });
});
