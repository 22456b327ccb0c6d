import { useEffect, useState } from 'react';
import { navigate } from '../routing/router.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { useSession } from './session-context.tsx';
import { WelcomePage } from './welcome-page.tsx';

/** Where the auth-server sends the browser back to. The code is used up at once, and has no place in the history. */
export function CallbackPage() {
  const session = useSession();
  const { texts } = useTexts();
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    const finish = async (): Promise<void> => navigate(await session.finishSignIn(), { replace: true });
    finish().catch(() => setHasFailed(true));
  }, [session]);
  if (hasFailed) return <WelcomePage title={texts.signInFailedTitle} text={texts.signInFailedText} />;
  return <p role="status">{texts.signingIn}</p>;
}
