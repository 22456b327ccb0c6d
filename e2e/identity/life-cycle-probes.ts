import { decodeJwt } from 'jose';
import type { lifeCycle } from '@trellis/auth-server';
import {
  authorizationUrl,
  basic,
  createPkce,
  DEVICE_CODE_GRANT,
  exchange,
  postForm,
  runCommand,
  submitSignIn,
  tokensOf,
  type JsonResponse,
} from '@trellis/auth-server/testing';
import { Browser } from '@trellis/testkit/sign-in';
import { register } from './life-cycle-events.ts';
import { command, ONLINE, type Scene } from './life-cycle-scene.ts';

type Effect = lifeCycle.Effect;
type Probe = (scene: Scene) => Promise<Effect>;

/**
 * How it is found out what became of each thing, by using it as its owner would. In this order: what uses a thing up, or lets
 * users sign in, comes last.
 */
export const probes: Readonly<Record<lifeCycle.LifeCycleThing, Probe>> = {
  gatewayToken: (scene) => effectAtGateway(scene, scene.online.accessToken),
  exchangedToken: (scene) => effectAtGateway(scene, scene.exchangedToken),
  socket: async ({ socket }) => {
    const open = Symbol('open');
    return (await Promise.race([socket.closed, Promise.resolve(open)])) === open ? 'stays' : 'ends';
  },
  notice: async ({ stage, sessionId }) => {
    const isNotified = stage.receiver.tokens.some((token) => decodeJwt(token)['sid'] === sessionId);
    return isNotified ? 'sent' : 'none';
  },
  introspectedToken: async ({ url, online }) =>
    effectOf(await postForm(`${url}/introspect`, { token: online.accessToken }, basic('basic'))),
  grant: async ({ url, refreshToken: token, clientId, authorization }) =>
    effectOf(await postForm(`${url}/introspect`, { token, client_id: clientId }, authorization)),
  session: async ({ browser, url, sessionId }) => {
    const pkce = createPkce();
    const request = { client_id: 'first-party', prompt: 'none', scope: 'openid' };
    const response = await browser.get(authorizationUrl(url, pkce, request));
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code');
    if (code === null) return 'ends';
    const { idToken } = tokensOf(await exchange(url, code, pkce, { client_id: 'first-party' }));
    return decodeJwt(idToken)['sid'] === sessionId ? 'stays' : 'ends';
  },
  cookie: async ({ cookies, url }) => {
    const browser = new Browser();
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    return (await browser.get(`${url}/account`)).status === 200 ? 'stays' : 'ends';
  },
  code: async ({ url, code, clientId, authorization }) =>
    effectOf(await exchange(url, code.text, code.pkce, { client_id: clientId }, authorization)),
  deviceCode: async ({ url, deviceCode, clientId, authorization }) => {
    const form = { grant_type: DEVICE_CODE_GRANT, device_code: deviceCode, client_id: clientId };
    return effectOf(await postForm(`${url}/token`, form, authorization));
  },
  refreshToken: (scene) => refreshed(scene, scene.refreshToken),
  offlineGrant: (scene) => refreshed(scene, scene.offline.refreshToken),
  consent: async (scene) => {
    const { stage, clientId, email, password } = scene;
    const { issuer } = stage.server;
    const registered = (await command(stage, ['clients', 'list'])).includes(`"${clientId}"`);
    if (!registered) await register(scene);
    const { status } = await runCommand(stage.server, ['accounts', 'enable', '--email', email]);
    if (status !== 0) return 'ends'; // with the account
    const browser = new Browser();
    const request = { client_id: clientId, scope: 'openid read:data' };
    const page = await browser.follow(
      await browser.get(authorizationUrl(issuer, createPkce(), request)),
      issuer,
    );
    const response = await browser.follow(await submitSignIn(browser, page, email, password), issuer);
    return response.url.includes('/consent') ? 'ends' : 'stays';
  },
  // An account that was disabled is enabled again by now, one with another address or role gets its own back: links have ended for good.
  resetLink: (scene) => opened(scene, scene.resetLink),
  emailLink: (scene) => opened(scene, scene.emailLink),
  signUpLink: (scene) => opened(scene, scene.signUpLink),
};

async function opened(scene: Scene, link: string): Promise<Effect> {
  const { undo } = scene;
  delete scene.undo; // once
  await undo?.();
  return (await new Browser().get(link)).status === 200 ? 'stays' : 'ends';
}

async function refreshed({ url, clientId, authorization }: Scene, refreshToken: string): Promise<Effect> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId };
  return effectOf(await postForm(`${url}/token`, form, authorization));
}

async function effectAtGateway({ stage, possession }: Scene, accessToken: string): Promise<Effect> {
  const headers = { authorization: `Bearer ${accessToken}`, ...possession };
  const { body } = await stage.gateway.post({ query: '{ latest { secret } }' }, headers);
  return body.errors === undefined ? 'stays' : 'ends';
}

/** What a response with tokens, or about one, says. */
function effectOf({ status, body }: JsonResponse): Effect {
  if (status !== 200 || body['active'] === false) return 'ends';
  const scopes = new Set(String(body['scope']).split(' '));
  return ONLINE.split(' ').every((scope) => scopes.has(scope)) ? 'stays' : 'narrows';
}
