import { Browser, readForm } from '@trellis/testkit/sign-in';
import { authorizationUrl, createPkce } from './flow.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/** Fails to sign in as if through a proxy, from an address. @returns the status of the response */
export async function signInFrom({ issuer, url }: TestAuthServer, address: string): Promise<number> {
  const browser = new Browser();
  const headers = { 'x-forwarded-for': address };
  const first = await browser.get(authorizationUrl(url, createPkce()), headers);
  const login = new URL(first.headers.get('location') ?? '');
  const pageUrl = `${url}${login.pathname}${login.search}`;
  const page = await browser.get(pageUrl, headers);
  const { action, fields } = readForm(await page.text(), pageUrl);
  const form = { ...fields, email: `${address}@example.com`, password: 'wrong' };
  return (await browser.post(action, form, { ...headers, origin: new URL(issuer).origin })).status;
}
