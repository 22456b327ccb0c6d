import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { operationNames, readObject } from '../operation/operation-request.ts';
import { isRunning, useOperation } from '../operation/use-operation.ts';
import type { Session } from '../session/session.ts';
import { useSession } from '../session/use-session.ts';
import { useSchema } from '../schema/use-schema.ts';
import { addEntry, loadHistory, saveHistory } from '../storage/history.ts';
import { closeTab, loadTabs, openTab, saveTabs, type Tab, type Tabs } from '../storage/tabs.ts';
import { useApp } from './app-context.ts';
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

/** The explorer. */
export function App({ session }: AppProps): VNode {
  const { settings } = useApp();
  const [tabs, setTabs] = useState<Tabs>(() => withAskedFor(loadTabs(settings.examples[0]?.query ?? '')));
  const [entries, setEntries] = useState(loadHistory);
  const [problem, setProblem] = useState<string>();
  const signedIn = useSession(session);
  const token = signedIn.user?.accessToken;
  const { schema, failure, reload } = useSchema(settings.graphPath, token, signedIn.isReady);
  const operation = useOperation({ graphUrl: settings.graphPath, streamUrl: settings.streamPath });
  const { texts } = useApp();
  useEffect(() => saveTabs(tabs), [tabs]);
  useEffect(() => saveHistory(entries), [entries]);
  const tab = tabs.all.find(({ id }) => id === tabs.active) ?? tabs.all[0];
  const change = (changed: Partial<Tab>): void =>
    setTabs((before) => ({
      ...before,
      all: before.all.map((one) => (one.id === before.active ? { ...one, ...changed } : one)),
    }));
  const run = (sent: Pick<Tab, 'query' | 'variables' | 'headers'>, operationName?: string): void => {
    const variables = tryRead(sent.variables);
    const headers = tryRead(sent.headers);
    if (!variables) return setProblem(texts.invalidJson(texts.variables));
    if (!headers) return setProblem(texts.invalidJson(texts.headers));
    setProblem(undefined);
    setEntries((before) => addEntry(before, { query: sent.query, variables: sent.variables }));
    const request = {
      query: sent.query,
      variables,
      operationName: operationName ?? operationNames(sent.query)[0],
    };
    operation.run(request, () => Promise.resolve(headersOf(headers, token)));
  };
  const open = (query: string, variables = ''): void =>
    setTabs((before) => openTab(before, query, variables));
  const runExample = (query: string): void => {
    open(query);
    run({ query, variables: '', headers: '' });
  };
  if (!tab) return <main />;
  return (
    <>
      <PageHeader session={session && signedIn} cannotReach={failure} onRetry={reload} />
      <main class="page">
        <SidePanel
          schema={schema}
          entries={entries}
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
              schema={schema}
              problem={problem}
              isRunning={isRunning(operation.state)}
              onChange={change}
              onRun={(name) => run(tab, name)}
              onStop={operation.stop}
            />
            <ResponsePane state={operation.state} />
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
