import { Link } from '../routing/link.tsx';
import { useSessionState } from '../session/session-context.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { AccountMenu } from './account-menu.tsx';
import { LanguagePicker } from './language-picker.tsx';

/** The top of every page. */
export function Header() {
  const isSignedIn = useSessionState().kind === 'signed-in';
  const { texts } = useTexts();
  return (
    <header className="header">
      <Link href="/" className="brand">
        <img src="/icon.svg" alt="" width="28" height="28" />
        {texts.appName}
      </Link>
      <div className="header-end">
        <LanguagePicker />
        {isSignedIn && <AccountMenu />}
      </div>
    </header>
  );
}
