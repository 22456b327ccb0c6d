import { useState } from 'react';
import { useSession } from '../session/session-context.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { Failure } from './failure.tsx';

/** The way out. */
export function AccountMenu() {
  const session = useSession();
  const { texts } = useTexts();
  const [failure, setFailure] = useState<unknown>();
  const signOut = (): void => void session.signOut().catch(setFailure);
  return (
    <>
      <button type="button" className="button button-quiet" onClick={signOut}>
        {texts.signOut}
      </button>
      {failure !== undefined && <Failure error={failure} onRetry={signOut} />}
    </>
  );
}
