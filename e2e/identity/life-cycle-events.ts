import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { lifeCycle } from '@trellis/auth-server';
import {
  authorizationUrl,
  certified,
  choosePassword,
  completePages,
  createPkce,
  postForm,
  sendAccountForm,
  showCertificate,
  startSecondInstance,
  tokensOf,
} from '@trellis/auth-server/testing';
import type { Deployable } from '@trellis/runtime';
import { until } from '@trellis/testkit';
import { command, type Scene } from './life-cycle-scene.ts';

const NEW_PASSWORD = 'giraffes in Lübeck juggle';

/** How each event is brought about, as in production. @returns what ends what was started for it */
export const bringAbout: Readonly<
  Record<lifeCycle.LifeCycleEvent, (scene: Scene) => Promise<void | (() => Promise<void>)>>
> = {
  signed_out: async ({ browser, online, url }) => {
    expect((await browser.get(`${url}/logout?id_token_hint=${online.idToken}`)).status).toBe(200);
  },
  signed_in_again: (scene) => signInAgain(scene, scene.email, scene.password),
  signed_in_as_another: (scene) => signInAgain(scene, 'ed@example.com'),
  password_changed: async (scene) => {
    await sendAccountForm(scene, 'password', { password: scene.password, new_password: NEW_PASSWORD });
    scene.password = NEW_PASSWORD;
  },
  password_reset: async (scene) => {
    await choosePassword(scene.resetLink, NEW_PASSWORD);
    scene.password = NEW_PASSWORD;
  },
  email_changed: async (scene) => {
    const { stage, email, nextEmail } = scene;
    const change = async (from: string, to: string): Promise<void> => {
      await command(stage, ['accounts', 'update', '--email', from, '--new-email', to]);
      scene.email = to;
    };
    await change(email, nextEmail);
    scene.undo = () => change(nextEmail, email);
  },
  account_disabled: async ({ stage, email }) => {
    await command(stage, ['accounts', 'disable', '--email', email]);
  },
  account_deleted: async (scene) => {
    await sendAccountForm(scene, 'delete', { password: scene.password }, { status: 200 });
  },
  role_reduced: async (scene) => {
    const { stage, email } = scene;
    const change = async (role: string): Promise<void> => {
      await command(stage, ['accounts', 'update', '--email', email, '--role', role]);
    };
    await change('VIEWER');
    scene.undo = () => change('EDITOR');
  },
  claims_changed: async ({ stage, email }) => {
    const args = ['accounts', 'update', '--email', email, '--claims-stdin'];
    await command(stage, args, JSON.stringify({ nickname: 'else' }));
  },
  scope_reduced: async (scene) => {
    const overrides = { API_SCOPES: 'read:data read:profile', CLIENTS_FILE: undefined, DEMO_DATA: 'false' };
    const other = await startSecondInstance(scene.stage.server, overrides);
    scene.url = other.url;
    return () => other.close();
  },
  client_removed: async ({ stage, clientId }) => {
    await command(stage, ['clients', 'remove', '--client-id', clientId]);
  },
  client_removed_itself: async ({ metadata }) => {
    const headers = { authorization: `Bearer ${String(metadata['registration_access_token'])}` };
    const uri = String(metadata['registration_client_uri']);
    expect((await fetch(uri, { method: 'DELETE', headers })).status).toBe(204);
  },
  client_narrowed_itself: async ({ metadata, clientId }) => {
    const { registration_client_uri: uri, registration_access_token: token } = metadata;
    const { redirect_uris, grant_types, backchannel_logout_uri, token_endpoint_auth_method } = metadata;
    const unchanged = { redirect_uris, grant_types, backchannel_logout_uri, token_endpoint_auth_method };
    const response = await fetch(String(uri), {
      method: 'PUT',
      headers: { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...unchanged, client_id: clientId, scope: 'openid read:data offline_access' }),
    });
    expect(response.status).toBe(200);
  },
  client_narrowed: (scene) => register(scene, { scope: 'openid read:data offline_access' }),
  client_method_changed: async (scene) => {
    await register(scene, { ...certified('first'), tls_client_certificate_bound_access_tokens: false });
    scene.authorization = showCertificate('first');
    await accepted(scene);
  },
  client_certificate_replaced: async (scene) => {
    await register(scene, certified('second'));
    scene.authorization = showCertificate('second');
    await accepted(scene);
  },
  client_registered_again: async (scene) => {
    await command(scene.stage, ['clients', 'remove', '--client-id', scene.clientId]);
    await register(scene);
  },
  consent_withdrawn: (scene) => sendAccountForm(scene, 'applications', {}),
  session_idle: async (scene) => {
    const other = await moveTo(scene, { SESSION_IDLE_TTL_S: 1 });
    expect((await scene.browser.get(`${other.url}/account`)).status, 'the last use').toBe(200);
    await pause(1_100);
    return () => other.close();
  },
  session_at_its_end: async (scene) => {
    const other = await moveTo(scene, { SESSION_TTL_S: 1 });
    await pause(1_100); // since the last sign-in at least
    const { stage, sessionId } = scene;
    expect(await stage.redis.ttl(`session:{${sessionId}}`), 'what Redis would keep it for').toBeGreaterThan(
      60,
    );
    return () => other.close();
  },
  grant_revoked: async ({ url, refreshToken, authorization }) => {
    expect((await postForm(`${url}/revoke`, { token: refreshToken }, authorization)).status).toBe(200);
  },
  refresh_token_reused: async (scene) => {
    const form = { grant_type: 'refresh_token', refresh_token: scene.refreshToken };
    const { refreshToken } = tokensOf(await postForm(`${scene.url}/token`, form, scene.authorization));
    expect((await postForm(`${scene.url}/token`, form, scene.authorization)).status, 'reuse').toBe(400);
    scene.refreshToken = refreshToken;
  },
  keys_replaced: async ({ stage }) => {
    const { issuer } = stage.server;
    const published = async (): Promise<string> => (await fetch(`${issuer}/jwks.json`)).text();
    const before = await published();
    await command(stage, ['keys', 'replace']);
    await until(async () => (await published()) !== before, 'the running server knows the new keys');
    await haveKeysRead(stage);
  },
};

/** Has an instance with shorter lifetimes asked from now on. */
async function moveTo(
  scene: Scene,
  lifetimes: Parameters<typeof startSecondInstance>[2],
): Promise<Deployable> {
  const other = await startSecondInstance(scene.stage.server, {}, lifetimes);
  scene.url = other.url;
  return other;
}

/** Waits until the server, which remembers clients for seconds, knows a client by its new way to prove who it is. */
async function accepted({ url, clientId, authorization }: Scene): Promise<void> {
  const form = { token: 'x', client_id: clientId };
  await until(
    async () => (await postForm(`${url}/introspect`, form, authorization)).status === 200,
    'the client is known by its new credentials',
  );
}

/** Has the gateway read the key set, as it does by itself now and then: by a token that names a key that it does not know. */
async function haveKeysRead({ server, gateway }: Scene['stage']): Promise<void> {
  await pause(1_100); // it has a cooldown of a second
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg: 'ES256', typ: 'at+jwt', kid: 'unknown' });
  const token = `${header}.${part({ iss: server.issuer })}.${'A'.repeat(86)}`;
  await gateway.post({ query: '{ latest { id } }' }, { authorization: `Bearer ${token}` });
}

/** Registers the client of a scene under its id, some of its metadata changed. */
export async function register(scene: Scene, changes: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const metadata = JSON.stringify({ ...scene.metadata, ...changes });
  await command(scene.stage, ['clients', 'add', '--metadata-stdin'], metadata);
}

async function signInAgain({ browser, url }: Scene, email: string, password?: string): Promise<void> {
  const request = { client_id: 'first-party', prompt: 'login', scope: 'openid' };
  const first = await browser.get(authorizationUrl(url, createPkce(), request));
  const result = await completePages(browser, first, url, email, password);
  expect(result.headers.get('location')).toContain('code=');
}
