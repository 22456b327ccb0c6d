import { Link } from '../routing/link.tsx';
import { useSessionState } from '../session/session-context.tsx';
import { mayWrite, useViewer } from '../session/use-viewer.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { AccountMenu } from './account-menu.tsx';
import { LanguagePicker } from './language-picker.tsx';

/** The top of every page: where to go, and who one is. */
export function Header() {
  const isSignedIn = useSessionState().kind === 'signed-in';
  const { texts } = useTexts();
  return (
    <header className="header">
      <Link href="/" className="brand">
        <img src="/icon.svg" alt="" width="28" height="28" />
        {texts.appName}
      </Link>
      {isSignedIn && <Navigation />}
      <div className="header-end">
        <LanguagePicker />
        {isSignedIn && <AccountMenu />}
      </div>
    </header>
  );
}

function Navigation() {
  const { texts } = useTexts();
  const viewer = useViewer();
  return (
    <nav aria-label={texts.navigation}>
      <Link href="/">{texts.feed}</Link>
      <Link href="/search">{texts.search}</Link>
      {mayWrite(viewer) && (
        <>
          <Link href="/drafts">{texts.drafts}</Link>
          <Link href="/write">{texts.write}</Link>
        </>
      )}
    </nav>
  );
}
