import { createContext, use, useCallback, useRef, useState, type ReactNode } from 'react';

/** A sentence about what has happened. */
interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

/** Shows a notice, and has screen readers read it. */
export type Notify = (text: string, options?: { readonly isError?: boolean }) => void;

const NotifyContext = createContext<Notify | undefined>(undefined);
const SHOWN_MS = 6_000;
const MOST = 3;

/** Holds the notices of all below. The regions exist from the start: screen readers read what is added to them. */
export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const lastId = useRef(0);
  const notify = useCallback<Notify>((text, { isError = false } = {}) => {
    const id = (lastId.current += 1);
    setNotices((shown) => [...shown, { id, text, isError }].slice(-MOST));
    setTimeout(() => setNotices((shown) => shown.filter((notice) => notice.id !== id)), SHOWN_MS);
  }, []);
  return (
    <NotifyContext value={notify}>
      {children}
      <div className="notices">
        <div role="status">{notices.filter(({ isError }) => !isError).map(render)}</div>
        <div role="alert">{notices.filter(({ isError }) => isError).map(render)}</div>
      </div>
    </NotifyContext>
  );
}

/** Shows notices. */
export function useNotify(): Notify {
  const notify = use(NotifyContext);
  if (!notify) throw new Error('There is no NoticesProvider.');
  return notify;
}

function render({ id, text, isError }: Notice) {
  return (
    <p key={id} className={isError ? 'notice notice-error' : 'notice'}>
      {text}
    </p>
  );
}
