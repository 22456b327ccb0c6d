import { useState } from 'react';
import { useSession } from '../session/session-context.tsx';
import { useViewer } from '../session/use-viewer.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { Failure } from './failure.tsx';

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const session = useSession();
  const viewer = useViewer();
  const { texts } = useTexts();
  const [failure, setFailure] = useState<unknown>();
  const signOut = (): void => void session.signOut().catch(setFailure);
  return (
    <>
      {viewer && (
        <p className="whoami">
          <span className="visually-hidden">{texts.signedInAs(viewer.name, texts.roles[viewer.role])}</span>
          <span aria-hidden="true">{viewer.name}</span>
          <span aria-hidden="true" className="role">
            {texts.roles[viewer.role]}
          </span>
        </p>
      )}
      <button type="button" className="button button-quiet" onClick={signOut}>
        {texts.signOut}
      </button>
      {failure !== undefined && <Failure error={failure} onRetry={signOut} />}
    </>
  );
}
