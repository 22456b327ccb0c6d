import type { GraphQLSchema } from 'graphql';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { JsonEditor } from '../editor/json-editor.tsx';
import { QueryEditor } from '../editor/query-editor.tsx';
import { operationNames } from '../operation/operation-request.ts';
import type { Tab } from '../storage/tabs.ts';
import { useApp } from './app-context.ts';
import { TabList } from './tab-list.tsx';

/** Settings of {@link RequestPane}. */
export interface RequestPaneProps {
  readonly tab: Tab;
  readonly schema: GraphQLSchema | undefined;
  /** Why the operation was not sent. */
  readonly problem: string | undefined;
  readonly isRunning: boolean;
  readonly onChange: (changed: Partial<Tab>) => void;
  /** @param operationName the one that the user has chosen */
  readonly onRun: (operationName: string | undefined) => void;
  readonly onStop: () => void;
}

/** Where an operation is written and sent. */
export function RequestPane(props: RequestPaneProps): VNode {
  const { tab, schema, problem, isRunning, onChange, onRun, onStop } = props;
  const { texts } = useApp();
  const [chosen, choose] = useState<string>();
  const names = operationNames(tab.query);
  const name = chosen !== undefined && names.includes(chosen) ? chosen : names[0];
  const panels = [
    {
      name: texts.variables,
      content: () => (
        <JsonEditor
          label={texts.variables}
          value={tab.variables}
          onChange={(variables) => onChange({ variables })}
        />
      ),
    },
    {
      name: texts.headers,
      content: () => (
        <JsonEditor label={texts.headers} value={tab.headers} onChange={(headers) => onChange({ headers })} />
      ),
    },
  ];
  return (
    <section class="pane" aria-label={texts.operation}>
      <div class="toolbar">
        {isRunning ? (
          <button type="button" onClick={onStop}>
            {texts.stop}
          </button>
        ) : (
          <button type="button" title={texts.runHint} onClick={() => onRun(name)}>
            {texts.run}
          </button>
        )}
        {names.length > 1 && (
          <select
            aria-label={texts.operationName}
            value={name}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {names.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
        <span class="problem" role="alert">
          {problem}
        </span>
      </div>
      <QueryEditor
        label={texts.operation}
        value={tab.query}
        schema={schema}
        onChange={(query) => onChange({ query })}
        onRun={() => onRun(name)}
        onShow={() => undefined}
      />
      <TabList label={texts.variables} panels={panels} />
    </section>
  );
}
