import { useEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../texts/texts-context.tsx';

/** The heading of a page. It names the tab and takes the focus, so that screen readers read where one is. */
export function PageTitle({ children, label }: { readonly children: ReactNode; readonly label: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { texts } = useTexts();
  useEffect(() => {
    if (history.state !== null) heading.current?.focus({ preventScroll: true }); // not on the first page
  }, []);
  useEffect(() => {
    document.title = `${label} – ${texts.appName}`;
  }, [label, texts]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
