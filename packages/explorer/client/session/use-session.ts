import { useEffect, useState } from 'preact/hooks';
import type { Session, SignedIn } from './session.ts';

/** Who is signed in, as the page shows it. */
export interface SessionState {
  readonly user: SignedIn | undefined;
  /** Whether that is known already. */
  readonly isReady: boolean;
  readonly failure: string | undefined;
  readonly signIn: () => void;
  readonly signOut: () => void;
}

/** Follows a session. Without one no one can sign in. */
export function useSession(session: Session | undefined): SessionState {
  const [user, setUser] = useState<SignedIn>();
  const [failure, setFailure] = useState<string>();
  const [isReady, setReady] = useState(session === undefined);
  const fail = (error: unknown): void => setFailure(error instanceof Error ? error.message : String(error));
  useEffect(() => {
    session?.onChange(setUser);
    session
      ?.resume()
      .then(setUser, fail)
      .finally(() => setReady(true));
  }, []);
  return {
    user,
    isReady,
    failure,
    signIn: () => void session?.signIn().catch(fail),
    signOut: () => void session?.signOut().catch(fail),
  };
}
