import type { VNode } from 'preact';
import type { SessionState } from '../session/use-session.ts';
import { useApp } from '../app-context.ts';

/** Settings of {@link PageHeader}. */
export interface PageHeaderProps {
  /** Absent where no one can sign in. */
  readonly session: SessionState | undefined;
  /** Why there is no schema. */
  readonly cannotReach: string | undefined;
  readonly onRetry: () => void;
}

/** The top of the page: whose graph it is, who is signed in, and what is wrong. */
export function PageHeader({ session, cannotReach, onRetry }: PageHeaderProps): VNode {
  const { settings, texts } = useApp();
  return (
    <header class="page-header">
      <h1>
        <a href="/" title={texts.landing}>
          {settings.title}
        </a>
      </h1>
      <div class="notices" role="status">
        {session?.failure !== undefined && <span class="problem">{texts.signInFailed(session.failure)}</span>}
        {cannotReach !== undefined && (
          <>
            <span class="problem">{texts.schemaFailed(cannotReach)}</span>
            <button type="button" class="secondary" onClick={onRetry}>
              {texts.retry}
            </button>
          </>
        )}
      </div>
      {session?.isReady && <SignInButton {...session} />}
    </header>
  );
}

function SignInButton({ user, signIn, signOut }: SessionState): VNode {
  const { texts } = useApp();
  if (!user)
    return (
      <button type="button" onClick={signIn}>
        {texts.signIn}
      </button>
    );
  return (
    <>
      <span class="user">{texts.signedInAs(user.name)}</span>
      <button type="button" class="secondary" onClick={signOut}>
        {texts.signOut}
      </button>
    </>
  );
}
