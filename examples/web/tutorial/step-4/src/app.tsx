import type { ReactNode } from 'react';
import { FeedPage } from './feed/feed-page.tsx';
import { Header } from './layout/header.tsx';
import { NotFound } from './layout/not-found.tsx';
import { NetworkBanner } from './network/network-banner.tsx';
import { OnlineUsers } from './presence/online-users.tsx';
import { PostPage } from './post/post-page.tsx';
import { useLocation } from './routing/router.ts';
import { CallbackPage } from './session/callback-page.tsx';
import { useSessionState } from './session/session-context.tsx';
import { WelcomePage } from './session/welcome-page.tsx';
import { useTexts } from './texts/texts-context.tsx';

/** Every page by its path; groups of the pattern are the page's arguments. */
const routes: readonly (readonly [RegExp, (id: string) => ReactNode])[] = [
  [/^\/$/, () => <FeedPage />],
  [/^\/signed-out$/, () => <FeedPage />],
  [/^\/posts\/([\w-]+)$/, (id) => <PostPage id={id} />],
];

/** The whole application. */
export function App() {
  const { texts } = useTexts();
  return (
    <>
      <a className="skip" href="#content">
        {texts.skipToContent}
      </a>
      <Header />
      <NetworkBanner />
      <Content />
    </>
  );
}

function Content() {
  const { pathname } = useLocation();
  const session = useSessionState();
  if (pathname === '/callback') return <Main>{<CallbackPage />}</Main>;
  if (session.kind !== 'signed-in') return <Main>{<Outside />}</Main>;
  return (
    <Main aside={<OnlineUsers />}>
      <div key={pathname}>{pageAt(pathname)}</div>
    </Main>
  );
}

function Main({ children, aside }: { readonly children: ReactNode; readonly aside?: ReactNode }) {
  return (
    <div className="columns">
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      {aside}
    </div>
  );
}

/** The page of who has no session, in the place of any other. */
function Outside() {
  const { texts } = useTexts();
  const { pathname } = useLocation();
  const { kind } = useSessionState();
  if (kind === 'ended') return <WelcomePage title={texts.endedTitle} text={texts.endedText} />;
  if (pathname === '/signed-out')
    return <WelcomePage title={texts.signedOutTitle} text={texts.signedOutText} />;
  return <WelcomePage title={texts.welcomeTitle} text={texts.welcomeText} />;
}

function pageAt(pathname: string): ReactNode {
  for (const [pattern, page] of routes) {
    const match = pattern.exec(pathname);
    if (match) return page(match[1] ?? '');
  }
  return <NotFound />;
}
