import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { describeConfig } from './describe-config.ts';
import { readConfig } from './read-config.ts';
import { variableTypes, type ConfigOf } from './variable-table.ts';

const table = {
  TTL_S: { type: 'int', min: 60, max: 3_600, default: 900, unit: 'seconds', doc: 'How long.' },
  DEBUG: { type: 'flag', default: false, doc: 'Says more.' },
  SCOPES: { type: 'list', default: ['openid'], doc: 'What may be asked for.' },
  KEYS: { type: 'secrets', doc: 'The newest first.' },
  MODE: { type: 'choice', choices: ['quiet', 'loud'], optional: true, doc: 'How.' },
  ISSUER: { type: 'url', schemes: ['https'], doc: 'Who signs.' },
  HOST: { type: 'text', default: '127.0.0.1', doc: 'Where.' },
  TOKEN: { type: 'secret', form: 'word', optional: true, doc: 'Who may.' },
} as const;

const forms = { word: (text: string) => (/^\w+$/.test(text) ? undefined : 'must be a word') };
const schema = z.object({ ...variableTypes(table, forms) });
const SECRET = '8Jm2xQv5RzT1bWc9LkYp3D';
const GOOD = { KEYS: SECRET, ISSUER: 'https://id.example' };

function read(environment: Record<string, string>): unknown {
  return readConfig(schema, { ...GOOD, ...environment }, { subject: 'test' });
}

describe('A table of variables', () => {
  it('gives types', () => {
    expectTypeOf<ConfigOf<typeof table>>().toEqualTypeOf<
      {
        readonly TTL_S: number;
        readonly DEBUG: boolean;
        readonly SCOPES: readonly string[];
        readonly KEYS: readonly string[];
        readonly ISSUER: string;
        readonly HOST: string;
      } & { readonly MODE?: 'quiet' | 'loud' | undefined; readonly TOKEN?: string | undefined }
    >();
  });

  it('gives defaults', () => {
    expect(read({})).toEqual({
      TTL_S: 900,
      DEBUG: false,
      SCOPES: ['openid'],
      KEYS: [SECRET],
      ISSUER: 'https://id.example',
      HOST: '127.0.0.1',
    });
  });

  it('reads what is set', () => {
    const environment = {
      TTL_S: '60',
      DEBUG: 'true',
      SCOPES: 'a b',
      MODE: 'loud',
      HOST: '::',
      TOKEN: SECRET,
    };
    expect(read(environment)).toMatchObject({
      TTL_S: 60,
      DEBUG: true,
      SCOPES: ['a', 'b'],
      MODE: 'loud',
      HOST: '::',
      TOKEN: SECRET,
    });
  });

  it.each([
    ['TTL_S', '59', 'TTL_S: must be a whole number from 60 to 3600.'],
    ['DEBUG', 'maybe', 'DEBUG: must be true or false.'],
    ['MODE', 'medium', 'MODE: must be one of quiet, loud.'],
    ['ISSUER', 'http://id.example', 'ISSUER: must be an absolute URL with the scheme https.'],
    ['ISSUER', '', 'ISSUER is required.'],
    ['KEYS', '', 'KEYS is required.'],
    ['TOKEN', 'two words', 'TOKEN: must be a word.'],
    ['TOKEN', 'short', 'TOKEN: must have at least 128 bits'],
  ])('refuses %s=%s', (name, value, problem) => {
    expect(() => read({ [name]: value })).toThrow(problem);
  });

  it('gives the documentation', () => {
    const [ttl, debug, , , , issuer] = describeConfig(schema);
    expect(ttl).toEqual({
      name: 'TTL_S',
      description: 'How long.',
      required: false,
      defaultText: '900',
      rangeText: 'seconds, 60 to 3600',
    });
    expect(debug).toEqual({
      name: 'DEBUG',
      description: 'Says more.',
      required: false,
      defaultText: 'false',
    });
    expect(issuer).toEqual({ name: 'ISSUER', description: 'Who signs.', required: true });
  });

  it('refuses an unknown form', () => {
    expect(() => variableTypes(table)).toThrow('There is no form word of a variable.');
  });
});
