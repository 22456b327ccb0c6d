import type { VNode } from 'preact';
import type { Tabs } from '../storage/tabs.ts';
import { titleOf } from '../storage/title-of.ts';
import { useApp } from '../app-context.ts';

/** Settings of {@link OperationTabs}. */
export interface OperationTabsProps {
  readonly tabs: Tabs;
  readonly onChoose: (id: string) => void;
  readonly onOpen: () => void;
  readonly onClose: (id: string) => void;
}

/** The operations that are open. */
export function OperationTabs({ tabs, onChoose, onOpen, onClose }: OperationTabsProps): VNode {
  const { texts } = useApp();
  return (
    <nav class="operations" aria-label={texts.tabs}>
      <ul>
        {tabs.all.map(({ id, query }) => {
          const title = titleOf(query) || texts.untitled;
          return (
            <li key={id} class={id === tabs.active ? 'chosen' : ''}>
              <button
                type="button"
                class="plain"
                aria-current={id === tabs.active ? 'page' : undefined}
                onClick={() => onChoose(id)}
              >
                {title}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={texts.closeTab(title)}
                onClick={() => onClose(id)}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" class="plain" aria-label={texts.newTab} title={texts.newTab} onClick={onOpen}>
        +
      </button>
    </nav>
  );
}
