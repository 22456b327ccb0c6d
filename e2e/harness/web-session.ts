import type { Page } from 'playwright-core';

/** What the sample application stores of its session, as far as the tests look at it. */
export interface StoredSession {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** The session as all tabs of the browser have it. */
export async function readSession(page: Page): Promise<StoredSession> {
  return JSON.parse(await page.evaluate(withEntries, false)) as StoredSession; // as oidc-client-ts writes it
}

/** Makes the access token as good as expired, in all tabs. */
export async function ageSession(page: Page): Promise<void> {
  await page.evaluate(withEntries, true);
}

/** In the page. @returns the only entry */
async function withEntries(isAging: boolean): Promise<string> {
  const done = <Result>(request: IDBRequest<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(new Error('no IndexedDB')));
    });
  const database = await done(indexedDB.open('session'));
  const entries = database.transaction('entries', 'readwrite').objectStore('entries');
  const [key = ''] = await done(entries.getAllKeys());
  const text = (await done(entries.get(key))) as string;
  if (isAging)
    await done(entries.put(JSON.stringify({ ...JSON.parse(text), expires_at: Date.now() / 1000 }), key));
  database.close();
  return text;
}
