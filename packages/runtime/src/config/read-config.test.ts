import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { describeConfig } from './describe-config.ts';
import { readConfig } from './read-config.ts';
import type { ConfigOf } from './variable-table.ts';

const table = {
  PORT: { type: 'port', default: 4000, doc: 'Where it listens.' },
  ISSUER: { type: 'url', schemes: ['https', 'http'], doc: 'Who signs.' },
  SCOPES: { type: 'list', default: ['openid'], doc: 'What may be asked for.' },
  DEBUG: { type: 'flag', default: false, doc: 'Says more.' },
  TTL_S: { type: 'int', min: 60, max: 3_600, default: 900, unit: 'seconds', doc: 'How long.' },
} as const;
const options = { subject: 'test', prefix: 'POSTS' };
const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(table, environment, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('readConfig', () => {
  it('types what it reads and fills in the defaults', () => {
    const config = readConfig(table, { ISSUER: 'https://id.example', SCOPES: 'a  b', DEBUG: '1' }, options);
    expect(config).toEqual({
      PORT: 4000,
      ISSUER: 'https://id.example',
      SCOPES: ['a', 'b'],
      DEBUG: true,
      TTL_S: 900,
    });
  });

  it('prefers a variable that carries the prefix', () => {
    const environment = { ISSUER: 'https://id.example', PORT: '1', POSTS_PORT: '2', USERS_PORT: '3' };
    expect(readConfig(table, environment, options).PORT).toBe(2);
  });

  it('takes an empty variable for an absent one', () => {
    expect(readConfig(table, { ISSUER: 'https://id.example', PORT: '' }, options).PORT).toBe(4000);
  });

  it('freezes what it returns', () => {
    expect(Object.isFrozen(readConfig(table, { ISSUER: 'https://id.example' }, options))).toBe(true);
  });

  it('reports every problem at once, each with its variable', () => {
    expect(problemsOf({ PORT: '65536', DEBUG: 'maybe', TTL_S: '1.5' })).toEqual([
      'PORT: must be a whole number from 0 to 65535.',
      'ISSUER is required.',
      'DEBUG: must be true or false.',
      'TTL_S: must be a whole number from 60 to 3600.',
    ]);
  });

  it('looks past malformed variables for contradictions among the others', () => {
    const brokenRules = (): string[] => ['TTL_S and SCOPES contradict each other.', 'PORT is missing.'];
    const environment = { ISSUER: 'https://id.example', PORT: 'none' };
    expect(() => readConfig(table, environment, { ...options, brokenRules })).toThrow(
      /- PORT: must be [^\n]*\n  - TTL_S and SCOPES contradict each other\.$/,
    );
  });

  it('names a variable as it was set', () => {
    expect(problemsOf({ ISSUER: 'https://id.example', POSTS_PORT: 'x', PORT: '1' })).toEqual([
      'POSTS_PORT: must be a whole number from 0 to 65535.',
    ]);
  });

  it('names the choices where there are only so many', () => {
    const choice = {
      LEVEL: { type: 'choice', choices: ['quiet', 'loud'], optional: true, doc: 'How.' },
    } as const;
    expect(() => readConfig(choice, { LEVEL: 'medium' }, options)).toThrow(
      'LEVEL: must be one of quiet, loud.',
    );
  });

  it('rejects a URL with another scheme', () => {
    expect(problemsOf({ ISSUER: 'ftp://id.example' })).toEqual([
      'ISSUER: must be an absolute URL with the scheme https or http.',
    ]);
  });

  it('reports contradictions once every variable is good by itself', () => {
    const brokenRules = (): string[] => ['PORT and ISSUER contradict each other.'];
    expect(() => readConfig(table, { ISSUER: 'https://id.example' }, { ...options, brokenRules })).toThrow(
      'contradict',
    );
  });
});

describe('describeConfig', () => {
  it('lists name, description, default and whether it is required', () => {
    const variables = describeConfig(table);
    expect(variables[0]).toEqual({
      name: 'PORT',
      description: 'Where it listens.',
      required: false,
      defaultText: '4000',
      rangeText: '0 to 65535',
      mayBeInFile: false,
    });
    expect(variables[1]).toEqual({
      name: 'ISSUER',
      description: 'Who signs.',
      required: true,
      mayBeInFile: false,
    });
    expect(variables[2]?.defaultText).toBe('openid');
    expect(variables[4]?.rangeText).toBe('seconds, 60 to 3600');
  });
});

const SECRET = '8Jm2xQv5RzT1bWc9LkYp3D';
const KEY = JSON.stringify({ kty: 'EC', crv: 'P-256', kid: 'a', x: 'x', y: 'y', d: 'd' });

const everyType = {
  KEYS: { type: 'secrets', doc: 'The newest first.' },
  MODE: { type: 'choice', choices: ['quiet', 'loud'], default: 'quiet', doc: 'How.' },
  HOST: { type: 'text', default: '127.0.0.1', doc: 'Where.' },
  TOKEN: { type: 'secret', form: 'word', optional: true, doc: 'Who may.' },
  NAMES: { type: 'list', form: 'word', default: [], doc: 'Who else may.' },
  PEERS: { type: 'urls-by-name', doc: 'Where others are.' },
  KEY: { type: 'private-key', optional: true, doc: 'What signs.' },
  JWKS: { type: 'key-set', optional: true, doc: 'What verifies.' },
  STORE_URL: { type: 'url', schemes: ['redis'], optional: true, sensitive: true, doc: 'Where things are.' },
} as const;
const forms = { word: (text: string) => (/^\w+$/.test(text) ? undefined : 'must be a word') };

function read(environment: Readonly<Record<string, string>>): unknown {
  return readConfig(everyType, { KEYS: SECRET, ...environment }, { subject: 'test', prefix: 'POSTS', forms });
}

describe('A table of variables', () => {
  it('gives types', () => {
    expectTypeOf<ConfigOf<typeof table>['SCOPES']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<ConfigOf<typeof table>['TTL_S']>().toEqualTypeOf<number>();
    expectTypeOf<ConfigOf<typeof everyType>['MODE']>().toEqualTypeOf<'quiet' | 'loud'>();
    expectTypeOf<ConfigOf<typeof everyType>['TOKEN']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<ConfigOf<typeof everyType>['PEERS']>().toEqualTypeOf<Readonly<Record<string, string>>>();
  });

  it('gives defaults', () => {
    expect(read({})).toStrictEqual({
      KEYS: [SECRET],
      MODE: 'quiet',
      HOST: '127.0.0.1',
      NAMES: [],
      PEERS: {},
    });
  });

  it('reads what is set', () => {
    const environment = {
      MODE: 'loud',
      HOST: '::',
      TOKEN: SECRET,
      NAMES: 'a b',
      PEERS: ' a=http://x/1  b=https://y ',
    };
    expect(read({ ...environment, KEY, JWKS: '{"keys":[]}' })).toStrictEqual({
      KEYS: [SECRET],
      MODE: 'loud',
      HOST: '::',
      TOKEN: SECRET,
      NAMES: ['a', 'b'],
      PEERS: { a: 'http://x/1', b: 'https://y' },
      KEY: JSON.parse(KEY) as unknown,
      JWKS: { keys: [] },
    });
  });

  it.each([
    ['MODE', 'medium', 'MODE: must be one of quiet, loud.'],
    ['KEYS', '', 'KEYS is required.'],
    ['KEYS', 'password', 'KEYS: must have at least 128 bits'],
    ['TOKEN', 'two words', 'TOKEN: must be a word.'],
    ['TOKEN', 'short', 'TOKEN: must have at least 128 bits'],
    ['NAMES', 'a b-c', 'NAMES: must be a word.'],
    ['PEERS', 'users=ftp://x', 'PEERS: "users=ftp://x" must be name=http://… or name=https://….'],
    ['PEERS', 'posts', 'PEERS: "posts" must be name='],
    ['KEY', '{"kty":"EC"}', 'KEY: must be a private JWK of the curve P-256 with a kid, as JSON.'],
    ['KEY', 'null', 'KEY: must be a private JWK'],
    ['JWKS', '{"keys":[1]}', 'JWKS: must be a JSON Web Key Set.'],
    ['JWKS', '{', 'JWKS: must be a JSON Web Key Set.'],
  ])('rejects %s=%s', (name, value, problem) => {
    expect(() => read({ [name]: value })).toThrow(problem);
  });

  it('rejects an unknown form', () => {
    expect(() => readConfig(everyType, { TOKEN: SECRET }, { subject: 'test' })).toThrow(
      'There is no form word of a variable.',
    );
  });
});

describe('A secret in a file', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'trellis-secrets-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  function file(text: string): string {
    const path = join(directory, 'secret');
    writeFileSync(path, text);
    return path;
  }

  it('is read without the white space around it, from the file that NAME_FILE names', () => {
    expect(read({ TOKEN_FILE: file(`\n ${SECRET}\n`) })).toMatchObject({ TOKEN: SECRET });
    expect(read({ KEY_FILE: file(KEY) })).toMatchObject({ KEY: { kid: 'a' } });
    expect(read({ STORE_URL_FILE: file('redis://:secret@a') })).toMatchObject({
      STORE_URL: 'redis://:secret@a',
    });
    expect(read({ KEYS: '', KEYS_FILE: file(`${SECRET} ${SECRET}a\n`) })).toMatchObject({
      KEYS: [SECRET, `${SECRET}a`],
    });
  });

  it('is checked like any other value, and not shown', () => {
    const reading = (): unknown => read({ STORE_URL_FILE: file('postgres://:hidden@a') });
    expect(reading).toThrow('STORE_URL: must be an absolute URL with the scheme redis.');
    expect(reading).not.toThrow('hidden');
  });

  it('may carry the prefix, and then wins over the plain name', () => {
    const path = file('redis://own');
    expect(read({ STORE_URL: 'redis://all', POSTS_STORE_URL_FILE: path })).toMatchObject({
      STORE_URL: 'redis://own',
    });
    expect(read({ STORE_URL_FILE: '/no/such/file', POSTS_STORE_URL: 'redis://own' })).toMatchObject({
      STORE_URL: 'redis://own',
    });
  });

  it('excludes the variable itself', () => {
    expect(() => read({ TOKEN: SECRET, TOKEN_FILE: file(SECRET) })).toThrow(
      'TOKEN and TOKEN_FILE are both set; give one of them.',
    );
  });

  it('must be there, readable, and hold something that is no disk image', () => {
    expect(() => read({ KEYS: '', KEYS_FILE: '/no/such/file' })).toThrow(
      /invalid:\n {2}- KEYS_FILE: \/no\/such\/file does not exist\.$/,
    );
    expect(() => read({ TOKEN_FILE: directory })).toThrow(`TOKEN_FILE: ${directory} is a directory.`);
    const path = file(' \n');
    expect(() => read({ TOKEN_FILE: path })).toThrow(`TOKEN_FILE: ${path} is empty.`);
    expect(() => read({ TOKEN_FILE: file('x'.repeat(65_537)) })).toThrow('holds more than 65536 bytes.');
  });

  it('is for secrets alone: what anyone may see stands in the environment', () => {
    expect(read({ HOST_FILE: file('::') })).toMatchObject({ HOST: '127.0.0.1' });
  });
});
