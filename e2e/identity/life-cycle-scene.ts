import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import {
  ACCESS_TOKEN_TYPE,
  basic,
  CALLBACK,
  certified,
  createPkce,
  DEVICE_CODE_GRANT,
  exchange,
  obtainCode,
  postForm,
  randomToken,
  runCommand,
  showCertificate,
  submitConsent,
  TOKEN_EXCHANGE_GRANT,
  tokensOf,
  type Pkce,
  type Tokens,
} from '@trellis/auth-server/testing';
import { RawSocket } from '@trellis/gateway/testing';
import { Browser } from '@trellis/testkit/sign-in';
import { EXCHANGER, REGISTRATION_TOKEN, type LifeCycleStage } from './life-cycle-stage.ts';
import { askForEmailLink, askForSignUpLink } from './mailed-links.ts';

/** What the client asks for, without and with `offline_access`. */
export const ONLINE = 'openid read:data write:data';
const OFFLINE = `${ONLINE} offline_access`;

/** One user in one browser, what one client got there, and links that were sent to users. */
export interface Scene {
  readonly stage: LifeCycleStage;
  /** The instance of the auth-server that is asked after the event. */
  url: string;
  readonly clientId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Headers by which the client proves who it is. */
  authorization: Record<string, string>;
  /** Headers that come with access tokens: the certificate that they are bound to, if any. */
  readonly possession: Record<string, string>;
  email: string;
  /** The address that the account changes to where it does. */
  readonly nextEmail: string;
  password: string;
  readonly browser: Browser;
  /** The cookies as they were before the event. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly sessionId: string;
  readonly online: Tokens;
  readonly offline: Tokens;
  /** What another client got for the first access token. */
  readonly exchangedToken: string;
  /** The newest of the first grant. */
  refreshToken: string;
  readonly socket: RawSocket;
  readonly code: { readonly text: string; readonly pkce: Pkce };
  readonly deviceCode: string;
  readonly resetLink: string;
  /** Gives the account an address that is neither of the two. */
  readonly emailLink: string;
  /** Sent to the next address, which no account has yet. */
  readonly signUpLink: string;
  /** Makes the account again what it was before the event, where that can be. What has ended does not come back by it. */
  undo?: () => Promise<void>;
}

/** What kind of client a scene has. */
export interface SceneOptions {
  /** Whether it registers itself. */
  readonly isOwn?: boolean;
  /** Whether it proves by a certificate who it is, which its access tokens are bound to. */
  readonly isCertified?: boolean;
}

/** Lets a user sign in, and a client get one of each. @param name makes user and client unlike those of other scenes */
export async function setScene(
  stage: LifeCycleStage,
  name: string,
  { isOwn = false, isCertified = false }: SceneOptions = {},
): Promise<Scene> {
  const { server, gateway } = stage;
  const { issuer } = server;
  const [email, nextEmail] = [`${name}@example.com`, `next-${name}@example.com`];
  const password = randomToken();
  const metadata = {
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
    scope: OFFLINE,
    backchannel_logout_uri: stage.receiver.url,
  };
  const registered = isOwn
    ? await registerItself(stage, metadata)
    : await registerByCommand(stage, name, { ...metadata, ...(isCertified && certified('first')) });
  const { client_id: clientId, client_secret: secret } = registered;
  const user = ['--email', email, '--name', name, '--role', 'EDITOR'];
  await command(stage, ['accounts', 'add', ...user, '--password-stdin'], password);
  const browser = new Browser();
  const authorization = isCertified ? showCertificate('first') : basic(clientId, secret);
  const possession = isCertified ? authorization : {};
  const obtain = async (scope: string): Promise<Scene['code']> => {
    const pkce = createPkce();
    const text = await obtainCode(issuer, pkce, { client_id: clientId, scope }, browser, email, password);
    return { text, pkce };
  };
  const redeem = async ({ text, pkce }: Scene['code']): Promise<Tokens> =>
    tokensOf(await exchange(issuer, text, pkce, { client_id: clientId }, authorization));
  const online = await redeem(await obtain(ONLINE));
  const offline = await redeem(await obtain(OFFLINE));
  const token = { authorization: `Bearer ${online.accessToken}` };
  const socket = await RawSocket.connect(`${gateway.url}/graphql`, token, { headers: possession });
  socket.subscribe('1', 'subscription { guarded { id } }');
  return {
    stage,
    url: issuer,
    clientId,
    metadata: registered,
    authorization,
    possession,
    email,
    nextEmail,
    password,
    browser,
    sessionId: String(decodeJwt(online.idToken)['sid']),
    online,
    offline,
    exchangedToken: await exchangeToken(issuer, online.accessToken),
    refreshToken: online.refreshToken,
    socket,
    code: await obtain(ONLINE),
    deviceCode: await allowDevice(issuer, browser, clientId, authorization),
    resetLink: await command(stage, ['accounts', 'reset', '--email', email]),
    emailLink: await askForEmailLink(server, browser, `other-${name}@example.com`, password),
    signUpLink: await askForSignUpLink(server, nextEmail),
    cookies: new Map(browser.cookies.cookies.map(({ name, value }) => [name, value])),
  };
}

interface RegisteredMetadata extends Readonly<Record<string, unknown>> {
  readonly client_id: string;
  readonly client_secret: string;
}

async function registerByCommand(
  stage: LifeCycleStage,
  name: string,
  metadata: object,
): Promise<RegisteredMetadata> {
  const registered = { client_secret: randomToken(), ...metadata, client_id: `app-${name}` };
  await command(stage, ['clients', 'add', '--metadata-stdin'], JSON.stringify(registered));
  return registered;
}

/** The client registers itself, and learns by what it may change that. RFC 7591, RFC 7592 */
async function registerItself({ server }: LifeCycleStage, metadata: object): Promise<RegisteredMetadata> {
  const response = await fetch(`${server.issuer}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${REGISTRATION_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as RegisteredMetadata;
}

/** Runs a command of the auth-server. @returns what it printed */
export async function command(
  { server }: LifeCycleStage,
  args: readonly string[],
  stdin = '',
): Promise<string> {
  const { status, out, err } = await runCommand(server, args, stdin);
  expect(status, err).toBe(0);
  return out.trim();
}

/** A device asks, and the user allows it. @returns the code with which the device gets its tokens */
async function allowDevice(
  issuer: string,
  browser: Browser,
  clientId: string,
  authorization: Record<string, string>,
): Promise<string> {
  const form = { scope: ONLINE, client_id: clientId };
  const { body } = await postForm(`${issuer}/device_authorization`, form, authorization);
  const page = await browser.get(String(body['verification_uri_complete']));
  expect((await submitConsent(browser, page)).status).toBe(200);
  return String(body['device_code']);
}

/** A service that is called with the token exchanges it to call on. */
async function exchangeToken(issuer: string, accessToken: string): Promise<string> {
  const form = {
    grant_type: TOKEN_EXCHANGE_GRANT,
    subject_token: accessToken,
    subject_token_type: ACCESS_TOKEN_TYPE,
  };
  const { status, body } = await postForm(`${issuer}/token`, form, basic(EXCHANGER));
  expect(status, JSON.stringify(body)).toBe(200);
  return String(body['access_token']);
}
