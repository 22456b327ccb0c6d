import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory, createAuthority } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { documentedSettings, type DocumentedSetting } from '../settings/describe-setting.ts';
import { isDerived } from '../settings/fill-in.ts';
import { limitCatalogue } from '../settings/limit-catalogue.ts';
import type { ValueSetting } from '../settings/setting.ts';
import { settingsSchema, settingTable } from '../settings/settings.ts';
import { readGatewayConfig } from './config.ts';
import { settingProblems } from './read-settings.ts';
import { settingsInUse } from './settings-in-use.ts';

interface Leaf extends DocumentedSetting {
  readonly setting: ValueSetting;
}

const leaves = documentedSettings(settingTable).filter((one): one is Leaf => !('members' in one.setting));

/** Values of a setting that the schema takes, whatever its form. */
function samplesOf(setting: ValueSetting): readonly unknown[] {
  switch (setting.type) {
    case 'int':
    case 'number':
      return [setting.min, ...(setting.max === undefined ? [] : [setting.max])];
    case 'flag':
      return [true, false];
    case 'text':
      return [textOf(setting.form)];
    case 'choice':
      return setting.choices;
    case 'list':
      return [[textOf(setting.form)]];
    case 'flag-or-list':
      return [true, ['10.0.0.0/8']];
    case 'text-or-list':
      return [textOf(setting.form), [textOf(setting.form), textOf(setting.form)]];
    case 'scalar':
      return ['a', 1, true];
    case 'map':
      return [
        {
          [textOf(setting.keys)]:
            setting.values.type === 'text' ? textOf(setting.values.form) : setting.values.min,
        },
      ];
    default:
      return setting satisfies never;
  }
}

const certificates = createTemporaryDirectory();
const authority = createAuthority(certificates.path);
certificates.remove();

const TEXTS: Readonly<Record<string, string>> = {
  errorExtension: 'hint',
  httpUrl: 'https://id.example/',
  httpAddress: 'http://collector:4318/v1/traces',
  streamUrl: 'wss://users.example/',
  redisUrl: 'redis://127.0.0.1:1/',
  headerName: 'x-tenant',
  responseHeaderName: 'x-region',
  headerMerge: 'last',
  listeningAddress: '127.0.0.1:4005',
  graphAtEnvironment: 'content@production',
  hostName: 'subgraphs.example',
  certificates: authority.certificate,
  privateKey: authority.key,
  signatureAlgorithm: 'PS256',
};

function textOf(form: string | undefined): string {
  return TEXTS[form ?? ''] ?? 'a';
}

/** Values that the schema takes of none of these types. */
function wrongOf(setting: ValueSetting): readonly unknown[] {
  if (setting.type !== 'int' && setting.type !== 'number') return [{ nested: [] }];
  const { min, max } = setting;
  return [
    'soon',
    min - 1,
    ...(max === undefined ? [] : [max + 1]),
    ...(setting.type === 'int' ? [min + 0.5] : []),
  ];
}

/** What has to stand beside a member for its group to be valid. */
const COMPANIONS: Readonly<Record<string, object>> = {
  'authentication.issuers[]': {
    issuer: 'https://id.example/',
    audience: 'a',
  },
  'authentication.clientCertificate': { header: 'client-cert' },
  'authentication.issuers[].introspection': { clientId: 'gateway', clientSecret: 'a' },
  'authorization.policies.<name>': { claim: 'a', value: 'b' },
  'http.cors': { origins: ['https://a.example'] },
  'subscriptions.callback': { publicUrl: 'http://gateway.internal/', listen: '127.0.0.1:4005' },
  'rateLimits.clientNames.<name>': { operations: 1, windowS: 1 },
  'rateLimits.perAddress': { operations: 1, windowS: 1 },
  'rateLimits.perUser': { operations: 1, windowS: 1 },
  'rateLimits.perClient': { operations: 1, windowS: 1 },
};

/** A file with one value at a documented key. */
function fileWith(key: string, value: unknown): Record<string, unknown> {
  const dot = key.lastIndexOf('.');
  const group = dot === -1 ? '' : key.slice(0, dot);
  const own = { ...COMPANIONS[group], [key.slice(dot + 1)]: value };
  if (/^persistedQueries\.(manifests|clients|lists)$/.test(key)) Object.assign(own, { mode: 'safelist' });
  if (key === 'persistedQueries.mode' && value === 'safelist') Object.assign(own, { manifests: ['a.json'] });
  if (group === '') return own;
  if (group.endsWith('[]')) return fileWith(group.slice(0, -2), [own]);
  return group.endsWith('.<name>')
    ? fileWith(group.slice(0, -'.<name>'.length), { a: own })
    : fileWith(group, own);
}

function at(value: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], value);
}

describe('Every setting of the tables', () => {
  it.each(leaves)(
    '$key is parsed, and a value out of its range is rejected by its name',
    ({ key, setting }) => {
      for (const value of samplesOf(setting))
        expect(settingsSchema.safeParse(fileWith(key, value)).error, String(value)).toBeUndefined();
      for (const value of wrongOf(setting)) {
        const { error } = settingsSchema.safeParse(fileWith(key, value));
        const name = key.split('.').at(-1) ?? '';
        expect(error && settingProblems(error).join(), String(value)).toContain(name);
      }
    },
  );

  it.each(leaves)(
    '$key is explained by sentences that do not repeat what stands beside them',
    ({ setting }) => {
      expect(setting.doc).toMatch(/^[^]*[.]$/);
      expect(setting.doc).not.toMatch(/Default|restart/);
    },
  );

  it('is a key of the table: any other is rejected', () => {
    expect(settingsSchema.safeParse({ limits: { nesting: 3 } }).success).toBe(false); // fixed
    expect(settingsSchema.safeParse({ unknown: 1 }).success).toBe(false);
  });

  const schema = JSON.parse(
    readFileSync(new URL('../../gateway.schema.json', import.meta.url), 'utf8'),
  ) as Schema;
  it.each(leaves)('$key is in gateway.schema.json with its sentences and its default', ({ key, setting }) => {
    const described = partOf(schema, key);
    expect(described?.description).toContain(setting.doc);
    const value = 'default' in setting ? setting.default : undefined;
    expect(described?.default).toEqual(isDerived(value) ? undefined : value);
  });
});

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
}

function partOf(schema: Schema, key: string): Schema | undefined {
  const names = key.replaceAll('[]', '.[]').split('.');
  return names.reduce<Schema | undefined>((found, name) => {
    const options = found ? [found, ...(found.anyOf ?? [])] : [];
    const inner = (one: Schema): Schema | undefined =>
      name === '[]' ? one.items : name === '<name>' ? one.additionalProperties : one.properties?.[name];
    return options.map(inner).find((one) => one !== undefined);
  }, schema);
}

describe('A gateway that was started', () => {
  const files = createTemporaryDirectory();
  const environment = { SUPERGRAPH: 'supergraph.graphql', CACHE_REDIS_URL: 'redis://127.0.0.1:1/' };
  const guarded = settingsInUse(readGatewayConfig({ ...environment, GUARDS: 'on' }));
  const bare = settingsInUse(readGatewayConfig(environment));
  files.remove();

  const literal = leaves.filter(
    ({ key, setting }) =>
      'default' in setting && !isDerived(setting.default) && !/[<[]/.test(key) && !isOptional(key),
  );

  /** In a group that is absent until it is given. */
  function isOptional(key: string): boolean {
    return /^(rateLimits|responseCache|uploads)\.|^http\.cors\.|^subscriptions\.callback\.|^authentication\.clientCertificate\./.test(
      key,
    );
  }

  it.each(literal)('has $key at its default', ({ key, setting }) => {
    const value = 'default' in setting ? setting.default : undefined;
    expect(at(guarded, key)).toEqual(value);
    expect(at(bare, key)).toEqual('bare' in setting ? Number.POSITIVE_INFINITY : value);
  });

  const derived = leaves.filter(({ setting }) => 'default' in setting && isDerived(setting.default));
  it.each(derived)('derives $key from a setting, or computes it', ({ key, setting }) => {
    const source = 'default' in setting && isDerived(setting.default) ? setting.default : undefined;
    if (source === undefined || 'computed' in source)
      return expect(at(guarded, key)).toEqual(computed[key]?.());
    const from = at(guarded, 'same' in source ? source.same : source.half);
    expect(from).toEqual(expect.any(Number));
    const value = at(guarded, key.replace('.subgraphs.<name>', ''));
    expect(value).toBe('same' in source ? from : Math.ceil(Number(from) / 2));
  });
  const computed: Readonly<Record<string, () => unknown>> = {
    introspection: () => true,
    'extensions.onRequest': () => true,
    'pages.enabled': () => true,
    'pages.title': () => 'Trellis',
    'pages.clientId': () => 'trellis-explorer',
    'pages.examples': () => undefined,
    'pages.errorReference': () => undefined,
    'planning.threads': () => expect.any(Number),
    'responseCache.redisUrl': () => undefined, // the group is off
    'telemetry.tracing.endpoint': () => undefined,
  };
});

describe('The catalogue of limits', () => {
  const sources = fileURLToPath(new URL('..', import.meta.url));
  const thrown = new Set(
    readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => [
        ...readFileSync(`${sources}/${file}`, 'utf8').matchAll(
          /\b(?:tooComplex|enforceLimit|PlannerOverstrained)\(\s*'(\w+)'/g,
        ),
      ])
      .map(([, name]) => name),
  );

  it('has each limit that code throws, and code throws each of them', () => {
    const named = limitCatalogue().filter(({ exceeded }) => exceeded === 'QUERY_TOO_COMPLEX');
    expect([...thrown].toSorted()).toEqual(named.map(({ name }) => name).toSorted());
  });
});
