import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { describeConfig } from './describe-config.ts';
import { readConfig } from './read-config.ts';
import { flag, list, port, seconds, url } from './variable-types.ts';

const schema = z.object({
  PORT: port(4000).describe('Where it listens.'),
  ISSUER: url('https', 'http').describe('Who signs.'),
  SCOPES: list(['openid']).describe('What may be asked for.'),
  DEBUG: flag(false).describe('Says more.'),
  TTL_S: seconds(60, 3_600, 900).describe('How long.'),
});
const options = { subject: 'test', prefix: 'POSTS' };
const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(schema, environment, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('readConfig', () => {
  it('types what it reads and fills in the defaults', () => {
    const config = readConfig(schema, { ISSUER: 'https://id.example', SCOPES: 'a  b', DEBUG: '1' }, options);
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
    expect(readConfig(schema, environment, options).PORT).toBe(2);
  });

  it('takes an empty variable for an absent one', () => {
    expect(readConfig(schema, { ISSUER: 'https://id.example', PORT: '' }, options).PORT).toBe(4000);
  });

  it('freezes what it returns', () => {
    expect(Object.isFrozen(readConfig(schema, { ISSUER: 'https://id.example' }, options))).toBe(true);
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
    const contradictions = (): string[] => ['TTL_S and SCOPES contradict each other.', 'PORT is missing.'];
    const environment = { ISSUER: 'https://id.example', PORT: 'none' };
    expect(() => readConfig(schema, environment, { ...options, contradictions })).toThrow(
      /- PORT: must be [^\n]*\n  - TTL_S and SCOPES contradict each other\.$/,
    );
  });

  it('names a variable as it was set', () => {
    expect(problemsOf({ ISSUER: 'https://id.example', POSTS_PORT: 'x', PORT: '1' })).toEqual([
      'POSTS_PORT: must be a whole number from 0 to 65535.',
    ]);
  });

  it('names the choices where there are only so many', () => {
    const choice = z.object({ LEVEL: z.enum(['quiet', 'loud']) });
    expect(() => readConfig(choice, { LEVEL: 'medium' }, options)).toThrow(
      'LEVEL: must be one of quiet, loud.',
    );
  });

  it('refuses a URL with another scheme', () => {
    expect(problemsOf({ ISSUER: 'ftp://id.example' })).toEqual([
      'ISSUER: must be an absolute URL with the scheme https or http.',
    ]);
  });

  it('reports contradictions once every variable is good by itself', () => {
    const contradictions = (): string[] => ['PORT and ISSUER contradict each other.'];
    expect(() =>
      readConfig(schema, { ISSUER: 'https://id.example' }, { ...options, contradictions }),
    ).toThrow('contradict');
  });
});

describe('describeConfig', () => {
  it('lists name, description, default and whether it is required', () => {
    const variables = describeConfig(schema);
    expect(variables[0]).toEqual({
      name: 'PORT',
      description: 'Where it listens.',
      required: false,
      defaultText: '4000',
    });
    expect(variables[1]).toEqual({ name: 'ISSUER', description: 'Who signs.', required: true });
    expect(variables[2]?.defaultText).toBe('openid');
  });
});
