import { Header } from './layout/header.tsx';
import { PageTitle } from './routing/page-title.tsx';
import { useLocation } from './routing/router.ts';
import { CallbackPage } from './session/callback-page.tsx';
import { useSessionState } from './session/session-context.tsx';
import { WelcomePage } from './session/welcome-page.tsx';
import { useTexts } from './texts/texts-context.tsx';

/** The whole application. */
export function App() {
  return (
    <>
      <Header />
      <div className="columns">
        <main id="content">
          <Content />
        </main>
      </div>
    </>
  );
}

function Content() {
  const { pathname } = useLocation();
  const { texts } = useTexts();
  const { kind } = useSessionState();
  if (pathname === '/callback') return <CallbackPage />;
  if (kind === 'ended') return <WelcomePage title={texts.endedTitle} text={texts.endedText} />;
  if (kind === 'signed-out') return <WelcomePage title={texts.welcomeTitle} text={texts.welcomeText} />;
  return <PageTitle label={texts.feed}>{texts.feed}</PageTitle>;
}
