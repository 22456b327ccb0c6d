import type { Metrics } from '@trellis/runtime';
import { ICON, LANDING_STYLE } from './landing-page.ts';
import { hashSource, Html, html, pageHeaders } from './page.ts';
import { readGraphState, type GraphState } from './graph-state.ts';
import { readSamples, type Samples } from './metric-samples.ts';
import { drawSection, durationCells, shareOf, timeOf, timestampOf, type Section } from './state-table.ts';
import { canarySectionOf, recordsOf, stoppedCanaries } from './registry-state.ts';
import type { PageTexts } from './page-texts.ts';
import type { StateTexts } from './state-texts.ts';

/** A page with the headers that it is sent with. */
export interface StatePage {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Rows of a table at most: names of operations and clients are the callers' choice. */
const MOST_ROWS = 50;
const STYLE = `${LANDING_STYLE.text}
body {
  grid-template-columns: minmax(0, 1fr);
}
main {
  max-width: 64rem;
}
.scroll {
  overflow-x: auto;
}
table {
  width: 100%;
  border-collapse: collapse;
  overflow-wrap: normal;
}
th,
td {
  padding: 0.4rem 0.75rem 0.4rem 0;
  text-align: start;
  border-block-end: 1px solid var(--muted);
}
`;
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const HEADERS = pageHeaders({ 'style-src': [hashSource(STYLE)], 'img-src': ['data:'] });

/** What the gateway does, for operators: the metrics that it has, as tables. */
export async function renderState(metrics: Metrics, texts: PageTexts): Promise<StatePage> {
  const samples = await readSamples(metrics);
  const { state } = texts;
  const sections = [
    supergraphOf(samples, state),
    ...registrySections(readGraphState(samples), state),
    subgraphsOf(samples, state),
    failingOperations(samples, state),
    slowOperations(samples, state),
    durationsOf(samples, state),
    clientsOf(samples, state),
    cachesOf(samples, state),
    limitsOf(samples, state),
  ];
  const page = html`<!doctype html>
    <html lang="${texts.language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${ICON}" />
        <title>${state.title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>${state.title}</h1>
          <p class="detail">${state.since} <a href="">${state.reload}</a></p>
          ${sections.map((one) => drawSection(one, state))}
        </main>
      </body>
    </html>`;
  return { text: page.text, headers: HEADERS };
}

/** Without a registry there is no record. */
function registrySections(graph: GraphState, state: StateTexts): readonly Section[] {
  if (graph.records.length === 0) return [];
  return [recordsOf(graph, state), canarySectionOf(graph, state), stoppedCanaries(graph, state)];
}

function supergraphOf(samples: Samples, { supergraph: words }: StateTexts): Section {
  const [served] = samples.of('trellis_gateway_supergraph_served_since_seconds');
  const changes = (outcome: string): string =>
    String(samples.sum('trellis_gateway_supergraph_changes_total', { outcome }));
  const rows = [
    [words.title, served?.labels['supergraph'] ?? words.notYet],
    [words.served, served ? timestampOf(served.value) : ''],
    [words.reloads, changes('serving')],
    [words.rejected, changes('rejected')],
  ];
  return { id: 'supergraph', heading: words.title, columns: [words.fact, words.value], rows };
}

function subgraphsOf(samples: Samples, texts: StateTexts): Section {
  const { subgraphs: words } = texts;
  const requests = 'trellis_gateway_subgraph_requests_total';
  const rows = samples.values(requests, 'subgraph').map((subgraph) => {
    const all = samples.sum(requests, { subgraph });
    const failed = all - samples.sum(requests, { subgraph, outcome: 'responded' });
    const isOpen = samples.sum('trellis_gateway_subgraph_breaker_open', { subgraph }) > 0;
    return [
      subgraph,
      isOpen ? words.open : words.closed,
      String(all),
      shareOf(failed, all),
      ...durationCells(samples, 'trellis_gateway_subgraph_request_duration_seconds', { subgraph }, texts),
    ];
  });
  const columns = [words.subgraph, words.breaker, words.requests, texts.failed, texts.half, texts.most];
  return { id: 'subgraphs', heading: words.title, columns, rows };
}

/** What is known of the operations of one name. */
interface NamedOperations {
  readonly name: string;
  readonly all: number;
  readonly failed: number;
  readonly seconds: number;
  readonly slow: number;
}

function namedOperations(samples: Samples): readonly NamedOperations[] {
  const counts = 'trellis_gateway_operations_total';
  return samples.values(counts, 'name').map((name) => {
    const all = samples.sum(counts, { name });
    return {
      name,
      all,
      failed: all - samples.sum(counts, { name, outcome: 'OK' }),
      seconds: samples.sum('trellis_gateway_operation_seconds_total', { name }),
      slow: samples.sum('trellis_gateway_slow_operations_total', { name }),
    };
  });
}

function failingOperations(samples: Samples, { operations: words, failed: word }: StateTexts): Section {
  const rows = namedOperations(samples)
    .toSorted((a, b) => b.failed - a.failed || b.all - a.all)
    .slice(0, MOST_ROWS)
    .map(({ name, all, failed }) => [name || words.unnamed, String(all), shareOf(failed, all)]);
  return { id: 'operations', heading: words.failing, columns: [words.name, words.count, word], rows };
}

function slowOperations(samples: Samples, { operations: words }: StateTexts): Section {
  const all = namedOperations(samples).filter(({ seconds }) => seconds > 0);
  const everything = all.reduce((sum, { seconds }) => sum + seconds, 0);
  const rows = all
    .toSorted((a, b) => b.seconds / b.all - a.seconds / a.all)
    .slice(0, MOST_ROWS)
    .map(({ name, all: count, seconds, slow }) => [
      name || words.unnamed,
      String(count),
      timeOf(seconds / count),
      shareOf(slow, count),
      `${((100 * seconds) / everything).toFixed(1)} %`,
    ]);
  const columns = [words.name, words.count, words.mean, words.beyondSecond, words.allTime];
  return { id: 'slow', heading: words.slow, columns, rows };
}

function durationsOf(samples: Samples, texts: StateTexts): Section {
  const { operations: words } = texts;
  const name = 'trellis_gateway_operation_duration_seconds';
  const rows = samples
    .values(`${name}_count`, 'kind')
    .map((kind) => [kind, ...durationCells(samples, name, { kind }, texts)]);
  return { id: 'durations', heading: words.durations, columns: [words.kind, texts.half, texts.most], rows };
}

function clientsOf(samples: Samples, { clients: words, failed: word }: StateTexts): Section {
  const name = 'trellis_gateway_client_operations_total';
  const labels = [
    ...samples.values(name, 'client').map((client) => ({ shown: client, series: { client } })),
    ...samples
      .values(name, 'oauth_client')
      .map((id) => ({ shown: id, series: { client: '', oauth_client: id } })), // those without a name
  ];
  const rows = labels
    .map(({ shown, series }) => {
      const all = samples.sum(name, series);
      return { client: shown, all, failed: all - samples.sum(name, { ...series, outcome: 'OK' }) };
    })
    .filter(({ client, all }) => client !== '' && all > 0)
    .toSorted((a, b) => b.all - a.all)
    .slice(0, MOST_ROWS)
    .map(({ client, all, failed }) => [client, String(all), shareOf(failed, all)]);
  return { id: 'clients', heading: words.title, columns: [words.client, words.operations, word], rows };
}

/** Caches by their series. */
const CACHES = [
  ['plans', 'trellis_gateway_plans_total'],
  ['introspection', 'trellis_gateway_introspection_results_total'],
  ['responses', 'trellis_gateway_response_cache_total'],
] as const;

function cachesOf(samples: Samples, { caches: words }: StateTexts): Section {
  const rows = CACHES.map(([cache, name]) => {
    const all = samples.sum(name);
    return [words[cache], String(all), shareOf(samples.sum(name, { outcome: 'hit' }), all)];
  });
  return { id: 'caches', heading: words.title, columns: [words.cache, words.lookups, words.hits], rows };
}

function limitsOf(samples: Samples, { limits: words }: StateTexts): Section {
  const rejections = [
    ['trellis_gateway_limits_exceeded_total', 'limit'],
    ['trellis_gateway_requests_rejected_total', 'reason'],
  ] as const;
  const rows = rejections.flatMap(([name, label]) =>
    samples
      .values(name, label)
      .map((value) => [value, String(samples.sum(name, { [label]: value }))])
      .filter(([, count]) => count !== '0'),
  );
  return { id: 'limits', heading: words.title, columns: [words.limit, words.count], rows };
}
