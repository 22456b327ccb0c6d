import { useState } from 'react';
import { Failure } from '../layout/failure.tsx';
import { PageTitle } from '../routing/page-title.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { useSession } from './session-context.tsx';

interface WelcomePageProps {
  readonly title: string;
  readonly text: string;
}

/** What one sees without a session: why, and the way in. */
export function WelcomePage({ title, text }: WelcomePageProps) {
  const session = useSession();
  const { texts, language } = useTexts();
  const [failure, setFailure] = useState<unknown>();
  const signIn = (): void => void session.signIn(language).catch(setFailure);
  return (
    <section className="welcome">
      <PageTitle label={title}>{title}</PageTitle>
      <p className="lead">{text}</p>
      <button type="button" className="button button-primary" onClick={signIn}>
        {texts.signIn}
      </button>
      {failure !== undefined && <Failure error={failure} onRetry={signIn} />}
    </section>
  );
}
