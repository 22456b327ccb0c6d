import { randomBytes } from 'node:crypto';
import { ConfigError } from '@trellis/runtime';
import { describe, expect, test } from 'vitest';
import { readAuthServerConfig } from './config.ts';

const random = (): string => randomBytes(32).toString('base64url');
const GOOD = {
  DATABASE_URL: 'postgres://localhost/x',
  REDIS_URL: 'redis://localhost',
  TRUSTED_PROXIES: '127.0.0.1',
  KEY_ENCRYPTION_SECRET: random(),
  COOKIE_SECRET: random(),
};

/** What is made for development, and the variable that its rejection names. */
const conveniences = {
  'demo data': [{ DEMO_DATA: 'true' }, 'DEMO_DATA'],
  'mail in the log': [{ MAIL_URL: 'log:' }, 'MAIL_URL'],
} as const;

const issuers = {
  absent: true,
  'http://localhost:4001': true,
  'http://127.0.0.1:4001': true,
  'http://[::1]:4001': true,
  'https://localhost': true,
  'https://auth.example.com': false,
  'https://localhost.example.com': false,
  'https://127.0.0.1.example.com': false,
  'https://10.0.0.1': false,
} as const;

const hosts = {
  absent: true,
  '127.0.0.1': true,
  '127.1.2.3': true,
  localhost: true,
  '::1': true,
  '0.0.0.0': false,
  '::': false,
  '192.0.2.1': false,
  '127.example.com': false,
  'my-host': false,
} as const;

const words = { absent: true, development: true, test: true, production: false } as const;

/** Every convenience with every issuer, host and NODE_ENV. */
const cells = Object.entries(conveniences).flatMap(([name, [variables, variable]]) =>
  Object.entries(issuers).flatMap(([ISSUER, isLoopbackIssuer]) =>
    Object.entries(hosts).flatMap(([HOST, isLoopbackHost]) =>
      Object.entries(words).map(([NODE_ENV, isForDevelopment]) => ({
        name,
        variable,
        environment: { ...variables, ISSUER, HOST, NODE_ENV },
        isAllowed: isLoopbackIssuer && isLoopbackHost && isForDevelopment,
      })),
    ),
  ),
);

describe('H3: conveniences of development need an issuer and a HOST on this machine', () => {
  for (const [name, [, variable]] of Object.entries(conveniences)) {
    test(`${name}, whatever NODE_ENV says`, () => {
      const own = cells.filter((cell) => cell.name === name);
      expect(own).toHaveLength(9 * 10 * 4);
      for (const { environment, isAllowed } of own) {
        const rejected = problemsOf(environment).some((problem) => problem.startsWith(`${variable}:`));
        expect([environment, rejected]).toEqual([environment, !isAllowed]);
      }
    });
  }

  test('an implied issuer', () => {
    for (const [HOST, isLoopbackHost] of Object.entries(hosts)) {
      for (const [NODE_ENV, isForDevelopment] of Object.entries(words)) {
        const problems = problemsOf({ HOST, NODE_ENV });
        expect([HOST, NODE_ENV, problems.length]).toEqual([
          HOST,
          NODE_ENV,
          isLoopbackHost && isForDevelopment ? 0 : 1,
        ]);
        for (const problem of problems) expect(problem).toMatch(/^ISSUER: is required/);
      }
    }
  });
});

test.each(['staging', 'prod', 'Production', 'PRODUCTION', 'dev', 'production '])(
  'H3: NODE_ENV=%s is rejected, because it would mean something to its writer alone',
  (NODE_ENV) => {
    expect(problemsOf({ NODE_ENV })).toEqual(['NODE_ENV: must be one of development, test, production.']);
  },
);

describe('H3: no secret has a default', () => {
  for (const name of ['KEY_ENCRYPTION_SECRET', 'COOKIE_SECRET']) {
    test.each(Object.keys(words))(`${name} is required where NODE_ENV is %s`, (NODE_ENV) => {
      const problems = problemsOf({ [name]: '', NODE_ENV, ISSUER: 'http://localhost:4001' });
      expect(problems).toEqual([`${name} is required.`]);
    });

    test(`${name} that is weak is rejected`, () => {
      expect(problemsOf({ [name]: 'a'.repeat(32) })).toEqual([
        expect.stringMatching(`^${name}: must be random`),
      ]);
      expect(problemsOf({ [name]: 'for development only: not a secret at all' })).toHaveLength(1);
    });
  }

  test('REGISTRATION_TOKEN that is weak is rejected', () => {
    expect(problemsOf({ REGISTRATION_TOKEN: 'a'.repeat(32) })).toHaveLength(1);
    expect(problemsOf({ REGISTRATION_TOKEN: random() })).toEqual([]);
  });
});

/** A variable that is `absent` is left out. */
function problemsOf(environment: Record<string, string>): readonly string[] {
  const given = Object.entries({ ...GOOD, ...environment }).filter(([, value]) => value !== 'absent');
  try {
    readAuthServerConfig(Object.fromEntries(given));
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
