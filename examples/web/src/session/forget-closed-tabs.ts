import type { SessionStore } from './session-store.ts';

const OPEN = 'trellis-open';

/**
 * Removes the tokens of tabs that were all closed: a session ends with the last tab. Each tab holds a lock while it is open; a
 * reload, or the way to the auth-server and back, differs from a new tab by its sessionStorage.
 */
export async function forgetClosedTabs(store: SessionStore): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  const hasOthers = held.some(({ name }) => name === OPEN);
  const isReloaded = sessionStorage.getItem(OPEN) !== null;
  if (!hasOthers && !isReloaded) await store.clear();
  sessionStorage.setItem(OPEN, 'yes');
  void navigator.locks.request(OPEN, { mode: 'shared' }, () => new Promise(() => {}));
}
