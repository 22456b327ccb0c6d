import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@trellis/runtime';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGatewayConfig } from './config.ts';
import { settingsInUse } from './settings-in-use.ts';

let directory: TemporaryDirectory;
beforeAll(() => {
  directory = createTemporaryDirectory();
});
afterAll(() => directory.remove());

const MINIMAL = { SUPERGRAPH: 'supergraph.graphql' };

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readGatewayConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

function file(text: string): Readonly<Record<string, string>> {
  const path = join(directory.path, 'gateway.yaml');
  writeFileSync(path, text);
  return { ...MINIMAL, CONFIG: path };
}

describe('The environment', () => {
  it('needs a supergraph and nothing else', () => {
    expect(readGatewayConfig(MINIMAL)).toMatchObject({ PORT: 4000, HOST: '127.0.0.1', settings: {} });
    expect(problemsOf({})).toEqual(['SUPERGRAPH is required.']);
  });

  it('rejects running subgraphs that are not all named with their address', () => {
    expect(problemsOf({ SUPERGRAPH: 'users=http://127.0.0.1:4001/graphql posts' })).toEqual([
      expect.stringMatching(/^SUPERGRAPH: must be a path, an http\(s\) URL, or running subgraphs/),
    ]);
  });

  it('is judged as a whole: every problem is reported at once', () => {
    const problems = problemsOf({
      PORT: '99999',
      TOKEN_ISSUER: 'not a url',
      USER_CONTEXT_PRIVATE_KEY: '{"kty":"EC"}',
      SUBGRAPH_URLS: 'users=ftp://x posts',
      FORWARD_HEADERS: 'x-tenant X-User-Id',
    });
    expect(problems.map((problem) => problem.split(/[ :]/)[0])).toEqual([
      'PORT',
      'SUPERGRAPH',
      'TOKEN_ISSUER',
      'USER_CONTEXT_PRIVATE_KEY',
      'SUBGRAPH_URLS',
      'SUBGRAPH_URLS',
      'FORWARD_HEADERS',
    ]);
  });

  it('names an issuer whole or not at all', () => {
    expect(problemsOf({ ...MINIMAL, TOKEN_ISSUER: 'https://auth.example' })).toEqual([
      'TOKEN_AUDIENCE is required where one of TOKEN_ISSUER, TOKEN_AUDIENCE, TOKEN_JWKS_URL is given.',
      'TOKEN_JWKS_URL is required where one of TOKEN_ISSUER, TOKEN_AUDIENCE, TOKEN_JWKS_URL is given.',
    ]);
  });

  it('maps subgraphs to URLs', () => {
    const { SUBGRAPH_URLS } = readGatewayConfig({ ...MINIMAL, SUBGRAPH_URLS: ' a=http://x/1  b=https://y ' });
    expect({ ...SUBGRAPH_URLS }).toEqual({ a: 'http://x/1', b: 'https://y' });
  });
});

describe('gateway.yaml', () => {
  it('rejects unknown keys, wrong values and unset variables, all at once', () => {
    const problems = problemsOf(
      file('limits: { depht: 3, cost: -1 }\nother: 1\nauthentication: { leewayS: soon }'),
    );
    expect(problems).toHaveLength(4);
    expect(problems.join('\n')).toMatch(/depht/);
    expect(problems.join('\n')).toMatch(/limits\.cost/);
    expect(problems.join('\n')).toMatch(/other/);
    expect(problems.join('\n')).toMatch(/authentication\.leewayS/);
    expect(problemsOf(file('limits: { depth: "${NOT_SET}" }'))).toEqual([
      'The environment variable NOT_SET is not set (gateway.yaml:1).',
    ]);
  });

  it('is judged together with the environment', () => {
    const problems = problemsOf({ ...file('other: 1\nresponseCache: {}'), PORT: 'x' });
    expect(problems).toEqual([expect.stringMatching(/^PORT/), expect.stringMatching(/"other"/)]);
    expect(problemsOf(file('responseCache: {}'))).toEqual([
      'responseCache: it needs redisUrl, or the environment CACHE_REDIS_URL.',
    ]);
    expect(problemsOf(file('responseCache: { redisUrl: "redis://127.0.0.1" }'))).toEqual([]);
  });

  it('forwards no header that subgraphs take for the word of the gateway', () => {
    const names = ['X-User-Id', 'connection', 'proxy-authentication-info', 'trellis-user-context', 'a b'];
    for (const name of names)
      expect(problemsOf(file(`headers: { forward: [x-tenant, "${name}"] }`))).toHaveLength(1);
  });

  it('reports where its syntax is wrong', () => {
    expect(problemsOf(file('limits: {'))[0]).toMatch(/ at line 1, column \d+\.$/);
    expect(problemsOf({ ...MINIMAL, CONFIG: '/nowhere/gateway.yaml' })[0]).toBe(
      'There is no file or directory for /nowhere/gateway.yaml.',
    );
  });

  it('takes variables of the environment into values, never into structure', () => {
    const settings = file(`
      limits: { depth: "\${DEPTH}", cost: "\${COST:-500}" }
      authorization: { policies: { "\${DEPTH}": { claim: "x-\${NAME}", value: "\${NAME}" } } }`);
    const name = 'a } }\nlimits: {';
    const config = readGatewayConfig({ ...settings, DEPTH: '7', NAME: name });
    expect(config.settings).toEqual({
      limits: { depth: 7, cost: 500 },
      authorization: { policies: { '${DEPTH}': { claim: `x-${name}`, value: name } } },
    });
  });

  it('takes variables and files by name: env, file, and defaults for what is absent', () => {
    writeFileSync(join(directory.path, 'token'), '  0042\n');
    const settings = file(`
      limits: { depth: "\${env.DEPTH}", cost: "\${env.COST:-500}" }
      telemetry: { tracing: { endpoint: "http://\${env.HOST_NAME}/v1/traces", headers: {
        token: "\${file.token}",
        other: "Bearer \${file.${join(directory.path, 'token')}}",
        third: "\${file.none:-nothing}" } } }`);
    const { settings: read } = readGatewayConfig({ ...settings, DEPTH: '7', HOST_NAME: 'collector' });
    expect(read).toMatchObject({
      limits: { depth: 7, cost: 500 },
      telemetry: {
        tracing: {
          endpoint: 'http://collector/v1/traces',
          headers: { token: '0042', other: 'Bearer 0042', third: 'nothing' },
        },
      },
    });
  });

  it('reports every problem with its line: of values, of keys, of variables and files that are missing', () => {
    writeFileSync(join(directory.path, 'empty'), '\n');
    const missing =
      'limits:\n  depth: ${env.NOT_SET}\nheaders:\n  set:\n    a: ${file.none}\n    b: ${file.empty}';
    expect(problemsOf(file(missing))).toEqual([
      'The environment variable NOT_SET is not set (gateway.yaml:2).',
      `The file ${join(directory.path, 'none')} does not exist (gateway.yaml:5).`,
      `The file ${join(directory.path, 'empty')} is empty (gateway.yaml:6).`,
    ]);
    const wrong =
      'limits:\n  cost: 3\n  depht: 3\n  depth: -1\nauthorization: { policies: { a: {\n claim: x } } }';
    expect(
      problemsOf(file(wrong)).map((problem) =>
        /^(\S+): .*(\(gateway\.yaml:\d+\))\.$/.exec(problem)?.slice(1),
      ),
    ).toEqual([
      ['authorization.policies.a.value', '(gateway.yaml:5)'],
      ['limits.depth', '(gateway.yaml:4)'],
      ['limits', '(gateway.yaml:3)'],
    ]);
  });

  it('may be empty', () => {
    expect(readGatewayConfig(file('')).settings).toEqual({});
  });
});

describe('Guards', () => {
  const depthOf = (environment: Readonly<Record<string, string>>): number =>
    settingsInUse(readGatewayConfig(environment)).limits.depth;
  const issuer = { TOKEN_ISSUER: 'https://a', TOKEN_AUDIENCE: 'x', TOKEN_JWKS_URL: 'https://a/jwks' };

  it('are on in any configuration, and off over a bare supergraph', () => {
    expect(depthOf(MINIMAL)).toBe(Number.POSITIVE_INFINITY);
    expect(depthOf(file(''))).toBe(10);
    expect(depthOf({ ...MINIMAL, ...issuer })).toBe(10);
    expect(depthOf({ ...MINIMAL, GUARDS: 'on' })).toBe(10);
    expect(depthOf({ ...MINIMAL, ...issuer, GUARDS: 'off' })).toBe(Number.POSITIVE_INFINITY);
    expect(depthOf(file('limits: { depth: 4 }'))).toBe(4);
  });

  it('introspection is off in production unless it is switched on', () => {
    const introspection = (environment: Readonly<Record<string, string>>): boolean =>
      settingsInUse(readGatewayConfig(environment)).introspection;
    expect(introspection(MINIMAL)).toBe(true);
    expect(introspection({ ...MINIMAL, NODE_ENV: 'production' })).toBe(false);
    expect(introspection({ ...MINIMAL, HOST: '0.0.0.0' })).toBe(false);
    expect(introspection({ ...MINIMAL, HOST: '0.0.0.0', NODE_ENV: 'development' })).toBe(true);
    expect(problemsOf({ ...MINIMAL, NODE_ENV: 'prod' })).toEqual([
      'NODE_ENV: must be one of development, test, production.',
    ]);
    expect(introspection({ ...file('introspection: true'), NODE_ENV: 'production' })).toBe(true);
  });
});
