import { expect } from 'vitest';
import { readForm, type Browser } from '@trellis/testkit/sign-in';

/** Where a form of the account page is sent. */
export interface AccountFormPlace {
  readonly browser: Browser;
  /** The server. */
  readonly url: string;
}

/** Fills in a form of the account page, and sends it. @param status that the response has to have. @default 303 */
export async function sendAccountForm(
  { browser, url }: AccountFormPlace,
  name: string,
  fields: Record<string, string>,
  { status = 303, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const html = await (await browser.get(`${url}/account`)).text();
  const form = html.split('<form ').find((text) => text.includes(`account/${name}"`)) ?? '';
  const { action, fields: hidden } = readForm(`<form ${form}`, `${url}/`);
  expect((await browser.post(action, { ...hidden, ...fields }, headers)).status).toBe(status);
}
