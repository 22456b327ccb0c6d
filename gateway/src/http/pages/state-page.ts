import type { Metrics } from '@trellis/runtime';
import { LANDING_STYLE } from './landing-page.ts';
import { hashSource, Html, html, pageHeaders } from './page.ts';
import { readSamples, type Samples } from './metric-samples.ts';

/** A page with the headers that it is sent with. */
export interface StatePage {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Rows of a table at most: names of operations and clients are the callers' choice. */
const MOST_ROWS = 50;
const STYLE = `${LANDING_STYLE.text}
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
const HEADERS = pageHeaders({ 'style-src': [hashSource(STYLE)] });

/** What the gateway does, for operators: the metrics that it has, as tables. */
export async function renderState(metrics: Metrics): Promise<StatePage> {
  const samples = await readSamples(metrics);
  const sections = [
    supergraphOf(samples),
    subgraphsOf(samples),
    operationsOf(samples),
    clientsOf(samples),
    cachesOf(samples),
    limitsOf(samples),
  ];
  const page = html`<!doctype html>
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Gateway</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>Gateway</h1>
          <p class="detail">Since the start of the process. <a href="">Reload</a></p>
          ${sections}
        </main>
      </body>
    </html>`;
  return { text: page.text, headers: HEADERS };
}

function supergraphOf(samples: Samples): Html {
  const [served] = samples.of('trellis_gateway_supergraph_served_since_seconds');
  const rows = [
    ['Supergraph', served?.labels['supergraph'] ?? 'none yet'],
    ['Served since', served ? `${new Date(served.value * 1000).toISOString().slice(0, 19)} UTC` : ''],
    ['Reloads', String(samples.sum('trellis_gateway_supergraph_changes_total', { outcome: 'serving' }))],
    [
      'Reloads that were invalid',
      String(samples.sum('trellis_gateway_supergraph_changes_total', { outcome: 'rejected' })),
    ],
  ];
  return section('supergraph', 'Supergraph', ['What', 'Is'], rows);
}

function subgraphsOf(samples: Samples): Html {
  const calls = 'trellis_gateway_subgraph_calls_total';
  const rows = samples.values(calls, 'subgraph').map((subgraph) => {
    const all = samples.sum(calls, { subgraph });
    const failed = all - samples.sum(calls, { subgraph, outcome: 'ok' });
    const isOpen = samples.sum('trellis_gateway_subgraph_breaker_open', { subgraph }) > 0;
    const duration = samples.quantiles('trellis_gateway_subgraph_call_duration_seconds', { subgraph });
    return [
      subgraph,
      isOpen ? 'open' : 'closed',
      String(all),
      shareOf(failed, all),
      duration.half,
      duration.most,
    ];
  });
  const columns = ['Subgraph', 'Circuit breaker', 'Requests', 'Failed', 'Half within', '95 % within'];
  return section('subgraphs', 'Subgraphs', columns, rows);
}

function operationsOf(samples: Samples): Html {
  const name = 'trellis_gateway_operations_total';
  const rows = samples
    .values(name, 'name')
    .map((operation) => {
      const all = samples.sum(name, { name: operation });
      return { operation, all, failed: all - samples.sum(name, { name: operation, outcome: 'OK' }) };
    })
    .toSorted((a, b) => b.failed - a.failed || b.all - a.all)
    .slice(0, MOST_ROWS)
    .map(({ operation, all, failed }) => [
      operation || '(without a name)',
      String(all),
      shareOf(failed, all),
    ]);
  const kinds = samples.values('trellis_gateway_operation_duration_seconds_count', 'kind').map((kind) => {
    const { half, most } = samples.quantiles('trellis_gateway_operation_duration_seconds', { kind });
    return [kind, half, most];
  });
  return html`${section('operations', 'Operations, those that fail first', ['Name', 'Count', 'Failed'], rows)}
  ${section('durations', 'How long operations take', ['Kind', 'Half within', '95 % within'], kinds)}`;
}

function clientsOf(samples: Samples): Html {
  const name = 'trellis_gateway_client_operations_total';
  const rows = samples
    .values(name, 'client')
    .map((client) => {
      const all = samples.sum(name, { client });
      return { client, all, failed: all - samples.sum(name, { client, outcome: 'OK' }) };
    })
    .toSorted((a, b) => b.all - a.all)
    .slice(0, MOST_ROWS)
    .map(({ client, all, failed }) => [client, String(all), shareOf(failed, all)]);
  return section('clients', 'Clients that name themselves', ['Client', 'Operations', 'Failed'], rows);
}

/** Caches by their series. */
const CACHES = [
  ['Plans', 'trellis_gateway_plans_total'],
  ['Introspection', 'trellis_gateway_introspection_results_total'],
  ['Responses', 'trellis_gateway_response_cache_total'],
] as const;

function cachesOf(samples: Samples): Html {
  const rows = CACHES.map(([cache, name]) => {
    const all = samples.sum(name);
    return [cache, String(all), shareOf(samples.sum(name, { outcome: 'hit' }), all)];
  });
  return section('caches', 'Caches', ['Cache', 'Lookups', 'Hits'], rows);
}

function limitsOf(samples: Samples): Html {
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
  return section('limits', 'Rejected by limits', ['Limit', 'Operations or requests'], rows);
}

function section(
  id: string,
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): Html {
  if (rows.length === 0)
    return html`<section aria-labelledby="${id}">
      <h2 id="${id}">${heading}</h2>
      <p>None so far.</p>
    </section>`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    <div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** `3 (1.2 %)` */
function shareOf(part: number, all: number): string {
  return all === 0 ? '0' : `${part} (${((100 * part) / all).toFixed(1)} %)`;
}
