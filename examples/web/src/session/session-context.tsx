import { createContext, use, useSyncExternalStore } from 'react';
import type { Session, SessionState } from './session.ts';

const SessionContext = createContext<Session | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

/** The session. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('There is no SessionProvider.');
  return session;
}

/** What the session is now; the component renders again when it changes. */
export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(
    (listener) => session.subscribe(listener),
    () => session.state,
  );
}
