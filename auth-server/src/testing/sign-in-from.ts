import { Browser, readForm } from '@trellis/testkit/sign-in';
import { authorizationUrl, createPkce } from './flow.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/** A flood of pages would be one of its own. */
const OPENED_AT_ONCE = 20;

/** Fails to sign in as if through a proxy, from an address. @returns the status of the response */
export async function signInFrom(server: TestAuthServer, address: string): Promise<number> {
  const submit = await openSignIn(server, address);
  return submit();
}

/** Fails to sign in from several addresses at once: each has its page before the first is submitted. @returns the statuses to come */
export async function signInTogether(
  server: TestAuthServer,
  addresses: readonly string[],
): Promise<readonly Promise<number>[]> {
  const submits: (() => Promise<number>)[] = [];
  for (let from = 0; from < addresses.length; from += OPENED_AT_ONCE)
    submits.push(
      ...(await Promise.all(
        addresses.slice(from, from + OPENED_AT_ONCE).map((address) => openSignIn(server, address)),
      )),
    );
  return submits.map((submit) => submit());
}

async function openSignIn({ issuer, url }: TestAuthServer, address: string): Promise<() => Promise<number>> {
  const browser = new Browser();
  const headers = { 'x-forwarded-for': address };
  const first = await browser.get(authorizationUrl(url, createPkce()), headers);
  const login = new URL(first.headers.get('location') ?? '');
  const pageUrl = `${url}${login.pathname}${login.search}`;
  const page = await browser.get(pageUrl, headers);
  const { action, fields } = readForm(await page.text(), pageUrl);
  const form = { ...fields, email: `${address}@example.com`, password: 'wrong' };
  return async () =>
    (await browser.post(action, form, { ...headers, origin: new URL(issuer).origin })).status;
}
