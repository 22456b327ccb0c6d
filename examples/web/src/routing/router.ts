import { useSyncExternalStore } from 'react';

const CHANGED = 'trellis:navigated';

/** The address that is shown; the component renders again when it changes. */
export function useLocation(): URL {
  return new URL(useSyncExternalStore(subscribe, () => location.href));
}

/** Shows another page. */
export function navigate(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  history[replace ? 'replaceState' : 'pushState']({ navigated: true }, '', path);
  dispatchEvent(new Event(CHANGED));
  if (!replace) scrollTo(0, 0);
}

function subscribe(listener: () => void): () => void {
  const events = ['popstate', CHANGED];
  for (const event of events) addEventListener(event, listener);
  return () => {
    for (const event of events) removeEventListener(event, listener);
  };
}
