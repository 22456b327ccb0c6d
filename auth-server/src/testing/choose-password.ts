import { expect } from 'vitest';
import { Browser, readForm } from '@trellis/testkit/sign-in';

/** Follows a one-time link and chooses a password. @param link address of the page */
export async function choosePassword(link: string, password: string): Promise<void> {
  const browser = new Browser();
  const page = await browser.get(link);
  expect(page.status).toBe(200);
  const { action, fields } = readForm(await page.text(), page.url);
  const response = await browser.post(action, { ...fields, new_password: password });
  expect(response.status, await response.text()).toBe(200);
}
