import { useEffect, useRef } from 'react';
import { useTexts } from '../texts/texts-context.tsx';

interface MoreOnScrollProps {
  readonly isLoading: boolean;
  readonly onMore: () => unknown;
}

/** The end of what is loaded of a list: loads more when it comes near. As a button it works by keyboard as well. */
export function MoreOnScroll({ isLoading, onMore }: MoreOnScrollProps) {
  const { texts } = useTexts();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!button.current || isLoading) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onMore();
      },
      { rootMargin: '600px' },
    );
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [isLoading, onMore]);
  return (
    <button
      ref={button}
      type="button"
      className="button more"
      aria-disabled={isLoading}
      onClick={() => void (isLoading || onMore())}
    >
      {isLoading ? texts.loading : texts.loadMore}
    </button>
  );
}
