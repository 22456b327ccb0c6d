import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { operationNames, readObject, type OperationRequest } from '../operation/operation-request.ts';
import { isRunning, useOperation } from '../operation/use-operation.ts';
import { useEstimate } from '../plan/use-estimate.ts';
import type { Session } from '../session/session.ts';
import { useSession } from '../session/use-session.ts';
import { useGraphEvents } from '../schema/use-graph-events.ts';
import { useSchema } from '../schema/use-schema.ts';
import type { SchemaPlace } from '../documentation/search-schema.ts';
import { addEntry, loadHistory, saveHistory } from '../storage/history.ts';
import { closeTab, loadTabs, openTab, saveTabs, type Tab, type Tabs } from '../storage/tabs.ts';
import { useApp } from '../app-context.ts';
import { GraphProblem } from './graph-problem.tsx';
import { OperationTabs } from './operation-tabs.tsx';
import { PageHeader } from './page-header.tsx';
import { RequestPane } from './request-pane.tsx';
import { ResponsePane } from './response-pane.tsx';
import { SidePanel } from './side-panel.tsx';

/** Settings of {@link App}. */
export interface AppProps {
  /** Absent where the graph takes no token. */
  readonly session: Session | undefined;
}

type Written = Pick<Tab, 'query' | 'variables' | 'headers'>;

/** The explorer. */
export function App({ session }: AppProps): VNode {
  const { settings, texts } = useApp();
  const [tabs, setTabs] = useState<Tabs>(() => withAskedFor(loadTabs(settings.examples[0]?.query ?? '')));
  const [entries, setEntries] = useState(loadHistory);
  const [problem, setProblem] = useState<string>();
  const [place, setPlace] = useState<SchemaPlace>();
  const [chosen, choose] = useState<string>();
  const signedIn = useSession(session);
  const token = signedIn.user?.accessToken;
  const { loaded, failure, reload } = useSchema(settings.graphPath, token, signedIn.isReady);
  const graphProblem = useGraphEvents(settings.eventsPath, reload);
  const operation = useOperation({ graphUrl: settings.graphPath, streamUrl: settings.streamPath });
  useEffect(() => saveTabs(tabs), [tabs]);
  useEffect(() => saveHistory(entries), [entries]);
  const tab = tabs.all.find(({ id }) => id === tabs.active) ?? tabs.all[0];
  const operationName = nameToRun(tab?.query ?? '', chosen);
  const estimate = useEstimate(tab && requestOf(tab, operationName), {
    url: settings.graphPath,
    schema: loaded?.schema,
    headers: () => headersOf(tryRead(tab?.headers ?? '') ?? {}, token),
  });
  const change = (changed: Partial<Tab>): void =>
    setTabs((before) => ({
      ...before,
      all: before.all.map((one) => (one.id === before.active ? { ...one, ...changed } : one)),
    }));
  const run = (written: Written, name: string | undefined): void => {
    const request = requestOf(written, name);
    const headers = tryRead(written.headers);
    setProblem(undefined);
    if (!request) return setProblem(texts.invalidJson(texts.variables));
    if (!headers) return setProblem(texts.invalidJson(texts.headers));
    setEntries((before) => addEntry(before, { query: written.query, variables: written.variables }));
    operation.run(request, async () => ({ ...headersOf(headers, token), 'trellis-explain': 'run' }));
  };
  const open = (query: string, variables = ''): void =>
    setTabs((before) => openTab(before, query, variables));
  const runExample = (query: string): void => {
    open(query);
    run({ query, variables: '', headers: '' }, nameToRun(query, undefined));
  };
  if (!tab) return <main />;
  return (
    <>
      <PageHeader session={session && signedIn} cannotReach={failure} onRetry={reload} />
      {graphProblem !== undefined && <GraphProblem problem={graphProblem} />}
      <main class="page">
        <SidePanel
          loaded={loaded}
          place={place}
          entries={entries}
          onShow={setPlace}
          onOpen={open}
          onClear={() => setEntries([])}
          onRun={runExample}
        />
        <div class="work">
          <OperationTabs
            tabs={tabs}
            onChoose={(active) => setTabs((before) => ({ ...before, active }))}
            onOpen={() => open('')}
            onClose={(id) => setTabs((before) => closeTab(before, id))}
          />
          <div class="panes">
            <RequestPane
              key={tab.id}
              tab={tab}
              schema={loaded?.schema}
              operationName={operationName}
              estimate={estimate}
              problem={problem}
              isRunning={isRunning(operation.state)}
              onChange={change}
              onChoose={choose}
              onRun={() => run(tab, operationName)}
              onStop={operation.stop}
              onShow={(field, type, parent) => setPlace(placeOf(field, type, parent))}
            />
            <ResponsePane state={operation.state} planned={estimate?.plan} />
          </div>
        </div>
      </main>
    </>
  );
}

/** A link may bring a query with it. It is shown, and not run. */
function withAskedFor(tabs: Tabs): Tabs {
  const asked = new URLSearchParams(location.search);
  const query = asked.get('query');
  if (query === null) return tabs;
  history.replaceState(null, '', location.pathname);
  return openTab(tabs, query, asked.get('variables') ?? '');
}

function nameToRun(query: string, chosen: string | undefined): string | undefined {
  const names = operationNames(query);
  return chosen !== undefined && names.includes(chosen) ? chosen : names[0];
}

/** Nothing where the variables are no JSON. */
function requestOf(
  { query, variables }: Written,
  operationName: string | undefined,
): OperationRequest | undefined {
  const values = tryRead(variables);
  return values && { query, variables: values, operationName };
}

function placeOf(
  field: string | undefined,
  type: string | undefined,
  parent: string | undefined,
): SchemaPlace | undefined {
  if (parent !== undefined) return { type: parent, field };
  return type === undefined ? undefined : { type: type.replaceAll(/[[\]!]/g, '') };
}

function tryRead(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return readObject(text);
  } catch {
    return undefined;
  }
}

/** What the user writes wins over the session. */
function headersOf(
  given: Readonly<Record<string, unknown>>,
  token: string | undefined,
): Record<string, string> {
  const own = Object.entries(given).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...Object.fromEntries(own) };
}
