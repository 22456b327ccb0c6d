import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { authorizationUrl, createPkce } from '../../src/testing/flow.ts';
import { KEY_OF_CLIENTS } from './attacked-clients.ts';

/** A page's form as the server has sent it. */
export interface OpenForm {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly cookie: string;
}

/** Someone without an account, a secret or a token: what they have got from the server's pages, and a key of their own. */
export interface Attacker {
  readonly issuer: string;
  readonly signIn: OpenForm;
  readonly forgotten: OpenForm;
  readonly signUp: OpenForm;
  /** A good proof of possession of the key. RFC 9449 */
  proof(path: string): Promise<string>;
  /** A JWT by the key, which no client and no issuer has registered, in the name of one that clients have. @param typ its type */
  forge(typ: string, claims: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Opens the pages and makes the key. */
export async function createAttacker(issuer: string): Promise<Attacker> {
  const [{ publicKey, privateKey }, signIn, forgotten, signUp] = await Promise.all([
    generateKeyPair('ES256'),
    openSignIn(issuer),
    openForm(issuer, '/forgotten'),
    openForm(issuer, '/sign-up'),
  ]);
  const jwk = await exportJWK(publicKey);
  const sign = (header: object, claims: Readonly<Record<string, unknown>>): Promise<string> =>
    new SignJWT({ jti: random(), ...claims })
      .setProtectedHeader({ alg: 'ES256', ...header })
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey);
  return {
    issuer,
    signIn,
    forgotten,
    signUp,
    proof: (path) => sign({ typ: 'dpop+jwt', jwk }, { htm: 'POST', htu: `${issuer}${path}` }),
    forge: (typ, claims) => sign({ typ, kid: KEY_OF_CLIENTS }, claims),
  };
}

/** A text that was never sent before. */
export function random(): string {
  return randomBytes(12).toString('base64url');
}

async function openSignIn(issuer: string): Promise<OpenForm> {
  const browser = new Browser();
  const first = await browser.get(authorizationUrl(issuer, createPkce()));
  return toForm(browser, await browser.follow(first, issuer));
}

async function openForm(issuer: string, path: string): Promise<OpenForm> {
  const browser = new Browser();
  return toForm(browser, await browser.get(`${issuer}${path}`));
}

async function toForm(browser: Browser, page: Response): Promise<OpenForm> {
  const { action, fields } = readForm(await page.text(), page.url);
  return { path: new URL(action).pathname, fields: { ...fields }, cookie: browser.cookies.header };
}
