import { gql } from 'graphql-tag';
import { queryChecked } from '@trellis/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { historyCommand } from '../publish/history-commands.ts';
import { publishCommand } from '../publish/publish-command.ts';
import { runRegistryAction } from '../publish/run-registry-action.ts';
import { RegistryStage } from '../../testing/registry-stage.ts';
import { serveRegistry } from './serve-registry.ts';

const CHALLENGE = 'DPoP error="invalid_token", algs="ES256 RS256 PS256 EdDSA"';
const PUBLICATIONS = '/v1/graphs/content/environments/production/publications';
let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
  await stage.publish(
    'users',
    'users',
    gql`
      type Query {
        me: Int
      }
    `,
  );
}, 180_000);

afterAll(() => stage.close());
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a command with a token that was copied, in place of a client. */
async function withToken(token: string, action: unknown, options: object = {}) {
  let error = '';
  const { TRELLIS_REGISTRY, TRELLIS_GRAPH, TRELLIS_REGISTRY_TRUST } = stage.environment;
  const env = { TRELLIS_REGISTRY, TRELLIS_GRAPH, TRELLIS_REGISTRY_TRUST, TRELLIS_REGISTRY_TOKEN: token };
  const output = { out: () => undefined, error: (text: string) => (error += text) };
  type Action = Parameters<typeof runRegistryAction>[0];
  return { status: await runRegistryAction(action as Action, options, env, output), error }; // options go with the action
}

const removal = { subgraph: 'users', remove: true };

describe('A token that is bound to no key', () => {
  it('publishes nothing: 401 with a challenge, and 77 of the command line', async () => {
    const token = await stage.tokenOf('users');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${stage.registry.url}${PUBLICATIONS}`;
    const response = await fetch(url, { method: 'POST', headers, body: '{' }); // its body is not read
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, CHALLENGE]);
    expect(await withToken(token, publishCommand, removal)).toEqual({
      status: 77,
      error: expect.stringMatching(/^NO_RIGHT: .* bound to a key \(DPoP\)/) as string,
    });
    const text = "SELECT outcome FROM audit WHERE client_id = 'users' ORDER BY id DESC LIMIT 2";
    expect(await queryChecked(stage.pool, { outcome: 'text' }, text)).toEqual([
      { outcome: 'NO_RIGHT' },
      { outcome: 'NO_RIGHT' },
    ]);
  });

  it('reads', async () => {
    expect(await withToken(await stage.tokenOf('reader'), historyCommand)).toEqual({ status: 0, error: '' });
  });

  it('publishes where the registry says that it may', async () => {
    const token = await stage.tokenOf('users');
    const send = async (base: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return (await fetch(`${base}${PUBLICATIONS}`, { method: 'POST', headers, body: '{' })).status;
    };
    const open = await serveRegistry({ port: '0', boundTokens: 'off' }, stage.serverEnvironment);
    const variables = { ...stage.serverEnvironment, TRELLIS_REGISTRY_BOUND_TOKENS: 'off' };
    const openToo = await serveRegistry({ port: '0' }, variables);
    expect([await send(open.url), await send(openToo.url)]).toEqual([400, 400]); // the body is read
    await Promise.all([open.close(), openToo.close()]);
    await expect(serveRegistry({ boundTokens: 'no' }, stage.serverEnvironment)).rejects.toThrow(
      '--bound-tokens takes required, or off, not "no".',
    );
  });
});

describe('A token that has expired', () => {
  it.each([
    ['publishes', publishCommand, removal],
    ['reads', historyCommand, {}],
  ] as const)('%s nothing: 77 of the command line', async (_title, action, options) => {
    const token = await stage.tokenOf('users');
    const HOUR_MS = 3_600_000;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS });
    expect(await withToken(token, action, options)).toEqual({
      status: 77,
      error: expect.stringMatching(/^NO_RIGHT: .*The access token has expired\./) as string,
    });
  });
});
