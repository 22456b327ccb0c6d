import type { GraphQLSchema } from 'graphql';
import type { VNode } from 'preact';
import { JsonEditor } from '../editor/json-editor.tsx';
import { QueryEditor, type QueryEditorProps } from '../editor/query-editor.tsx';
import { operationNames, readObject } from '../operation/operation-request.ts';
import type { Estimate } from '../plan/use-estimate.ts';
import type { Tab } from '../storage/tabs.ts';
import { VariableForm } from '../variables/variable-form.tsx';
import { variablesOf } from '../variables/variable-types.ts';
import { useApp } from '../app-context.ts';
import { TabList } from './tab-list.tsx';

/** Settings of {@link RequestPane}. */
export interface RequestPaneProps extends Pick<QueryEditorProps, 'onShow' | 'onRun'> {
  readonly tab: Tab;
  readonly schema: GraphQLSchema | undefined;
  /** Of the operations in the tab, the one that runs. */
  readonly operationName: string | undefined;
  readonly estimate: Estimate | undefined;
  /** Why the operation was not sent. */
  readonly problem: string | undefined;
  readonly isRunning: boolean;
  readonly onChange: (changed: Partial<Tab>) => void;
  readonly onChoose: (operationName: string) => void;
  readonly onStop: () => void;
}

/** Where an operation is written and sent. */
export function RequestPane(props: RequestPaneProps): VNode {
  const { tab, schema, onChange, onRun, onShow } = props;
  const { texts } = useApp();
  const panels = [
    { name: texts.variables, content: () => <VariablesForm {...props} /> },
    {
      name: texts.json,
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
      <Toolbar {...props} />
      <QueryEditor
        label={texts.operation}
        value={tab.query}
        schema={schema}
        onChange={(query) => onChange({ query })}
        onRun={onRun}
        onShow={onShow}
      />
      <TabList label={texts.variables} panels={panels} />
    </section>
  );
}

function Toolbar(props: RequestPaneProps): VNode {
  const { tab, operationName, estimate, problem, isRunning, onChoose, onRun, onStop } = props;
  const { texts } = useApp();
  const names = operationNames(tab.query);
  const isTooMuch = estimate?.limit !== undefined && estimate.cost > estimate.limit;
  return (
    <div class="toolbar">
      {isRunning ? (
        <button type="button" onClick={onStop}>
          {texts.stop}
        </button>
      ) : (
        <button type="button" title={texts.runHint} onClick={onRun}>
          {texts.run}
        </button>
      )}
      {names.length > 1 && (
        <select
          aria-label={texts.operationName}
          value={operationName}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
      {estimate && (
        <span class={isTooMuch ? 'problem' : 'detail'}>
          {texts.cost(estimate.cost.toLocaleString(), estimate.limit?.toLocaleString() ?? '∞')}
        </span>
      )}
      <span class="problem" role="alert">
        {problem}
      </span>
    </div>
  );
}

/** The form, unless someone is writing what is no JSON. */
function VariablesForm({ tab, schema, operationName, onChange }: RequestPaneProps): VNode {
  const { texts } = useApp();
  const values = valuesOf(tab.variables);
  if (!values) return <p class="problem">{texts.invalidJson(texts.variables)}</p>;
  const variables = schema ? variablesOf(tab.query, operationName, schema) : [];
  return (
    <VariableForm
      variables={variables}
      values={values}
      onChange={(changed) => onChange({ variables: JSON.stringify(changed, undefined, 2) })}
    />
  );
}

function valuesOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return readObject(text);
  } catch {
    return undefined;
  }
}
