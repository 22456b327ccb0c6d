import type { ComponentProps, MouseEvent } from 'react';
import { navigate, useLocation } from './router.ts';

/** A link within the application. New tabs and windows stay the browser's. */
export function Link({ href, children, ...props }: ComponentProps<'a'> & { readonly href: string }) {
  const { pathname } = useLocation();
  const follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a {...props} href={href} onClick={follow} aria-current={pathname === href ? 'page' : undefined}>
      {children}
    </a>
  );
}
