import type { VNode } from 'preact';
import { DocumentationPanel } from '../documentation/documentation-panel.tsx';
import type { SchemaPlace } from '../documentation/search-schema.ts';
import type { LoadedSchema } from '../schema/load-schema.ts';
import type { HistoryEntry } from '../storage/history.ts';
import { titleOf } from '../storage/title-of.ts';
import { useApp } from '../app-context.ts';
import { TabList } from './tab-list.tsx';

/** Settings of {@link SidePanel}. */
export interface SidePanelProps {
  readonly loaded: LoadedSchema | undefined;
  /** What the documentation shows. */
  readonly place: SchemaPlace | undefined;
  readonly onShow: (place: SchemaPlace | undefined) => void;
  readonly entries: readonly HistoryEntry[];
  /** Opens an operation in a tab. */
  readonly onOpen: (query: string, variables: string) => void;
  /** Opens an example, and runs it. */
  readonly onRun: (query: string) => void;
  readonly onClear: () => void;
}

/** What one can begin with: examples, documentation, what was run before. */
export function SidePanel(props: SidePanelProps): VNode {
  const { settings, texts } = useApp();
  const examples = { name: texts.examples, content: () => <ExampleList {...props} /> };
  const { loaded } = props;
  const documentation = {
    name: texts.documentation,
    content: () => loaded && <DocumentationPanel {...props} loaded={loaded} />,
  };
  const others = [documentation, { name: texts.history, content: () => <HistoryList {...props} /> }];
  const panels = settings.examples.length > 0 ? [examples, ...others] : others;
  return (
    <aside class="side" aria-label={texts.documentation}>
      <TabList
        label={texts.documentation}
        panels={panels}
        shown={{ index: panels.indexOf(documentation), reason: props.place }}
      />
    </aside>
  );
}

function ExampleList({ onRun }: SidePanelProps): VNode {
  const { settings, texts } = useApp();
  return (
    <ul class="choices">
      {settings.examples.map(({ title, query }) => (
        <li key={title}>
          <button type="button" class="plain" onClick={() => onRun(query)}>
            <span aria-hidden="true">▶ </span>
            <span class="hidden">{texts.run}: </span>
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}

function HistoryList({ entries, onOpen, onClear }: SidePanelProps): VNode {
  const { texts } = useApp();
  if (entries.length === 0) return <p>{texts.noHistory}</p>;
  return (
    <>
      <ul class="choices">
        {entries.map(({ query, variables }) => (
          <li key={query + variables}>
            <button type="button" class="plain" title={query} onClick={() => onOpen(query, variables)}>
              {titleOf(query) || texts.untitled}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="secondary" onClick={onClear}>
        {texts.clearHistory}
      </button>
    </>
  );
}
