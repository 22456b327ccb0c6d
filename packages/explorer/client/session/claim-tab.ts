/** Where a tab stores which one it is. */
const KEY = 'trellis-explorer.tab';

/** A page that is loaded again waits so long for the one before it, which may end later than this one begins. */
const PATIENCE_MS = 1_500;

/**
 * Claims for this tab what is in its `sessionStorage`. A browser that duplicates a tab copies that: then two would renew one session with
 * the same refresh token, and the issuer, which takes the second use of one for a theft, would end it for both.
 *
 * @returns false for the copy of a tab that is open; from now on it is a tab of its own
 * @see Web Locks API: a lock that is never given back ends with its page
 */
export async function claimTab(): Promise<boolean> {
  if (!('locks' in navigator)) return true; // not a secure context
  const stored = sessionStorage.getItem(KEY);
  if (stored !== null && (await hold(stored))) return true;
  const own = crypto.randomUUID();
  sessionStorage.setItem(KEY, own);
  await hold(own);
  return stored === null;
}

/** @returns whether no other page holds it */
function hold(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(`${KEY} ${name}`, { signal: AbortSignal.timeout(PATIENCE_MS) }, () => {
        resolve(true);
        return new Promise<never>(() => undefined);
      })
      .catch(() => resolve(false)); // the time is over
  });
}
