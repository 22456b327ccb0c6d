import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** One of several panels. */
export interface Panel {
  readonly name: string;
  readonly content: () => ComponentChildren;
}

/** Settings of {@link TabList}. */
export interface TabListProps {
  readonly label: string;
  readonly panels: readonly Panel[];
  /** Which one comes to the front when there is another reason for it. @default the one that was chosen */
  readonly shown?: { readonly index: number; readonly reason: unknown } | undefined;
}

/** Panels of which one is shown. WAI-ARIA Authoring Practices, "Tabs" with automatic activation. */
export function TabList({ label, panels, shown }: TabListProps): VNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useState(0);
  useEffect(() => {
    if (shown?.reason !== undefined) choose(shown.index);
  }, [shown?.reason]);
  const move = (event: KeyboardEvent): void => {
    const next = nextIndex(event.key, chosen, panels.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <section class="panels">
      <div class="panel-tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {panels.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => choose(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        class="panel"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${chosen}`}
        key={chosen}
      >
        {panels[chosen]?.content()}
      </div>
    </section>
  );
}

/** Where a key leads; in texts from right to left the arrows are the other way round. */
function nextIndex(key: string, index: number, count: number): number | undefined {
  const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === forward) return (index + 1) % count;
  return key === 'ArrowLeft' || key === 'ArrowRight' ? (index + count - 1) % count : undefined;
}
