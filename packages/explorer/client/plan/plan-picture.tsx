import type { VNode } from 'preact';
import { useApp } from '../view/app-context.ts';
import { formatBytes } from '../view/format-bytes.ts';
import {
  durationOf,
  fetchesOf,
  layOut,
  summarize,
  type FetchSummary,
  type PlacedFetch,
  type PlanFetch,
  type QueryPlan,
} from './query-plan.ts';

const WIDTH = 170;
const HEIGHT = 74;
const GAP_X = 34;
const GAP_Y = 12;

/** Settings of {@link PlanPicture}. */
export interface PlanPictureProps {
  readonly plan: QueryPlan;
  /** Whether it was executed. */
  readonly hasRun: boolean;
}

/** A plan as a picture, and below it as a table, which says the same to those who don't see it. */
export function PlanPicture({ plan, hasRun }: PlanPictureProps): VNode {
  const { texts } = useApp();
  const { placed, columns, rows } = layOut(plan);
  const fetches = fetchesOf(plan);
  const isFromCache = hasRun && fetches.every(({ calls = [] }) => calls.length === 0);
  const width = Math.max(columns * (WIDTH + GAP_X) - GAP_X, WIDTH) + 4;
  const height = Math.max(rows * (HEIGHT + GAP_Y) - GAP_Y, 0) + 4;
  const count = texts.fetches(fetches.length);
  const summary = hasRun ? `${count}, ${texts.milliseconds(durationOf(plan).toFixed(1))}` : count;
  return (
    <>
      <p class="detail">{isFromCache ? texts.fromCache : summary}</p>
      <div class="picture" tabIndex={0} role="group" aria-label={texts.plan}>
        <svg
          width={width}
          height={height}
          viewBox={`-2 -2 ${width} ${height}`}
          role="img"
          aria-label={summary}
        >
          {placed.flatMap((to) =>
            to.after.map((from) => <Arrow from={from} to={to} key={keyOf(from) + keyOf(to)} />),
          )}
          {placed.map((one) => (
            <FetchBox placed={one} key={keyOf(one)} />
          ))}
        </svg>
      </div>
      <FetchTable fetches={fetches} />
    </>
  );
}

function keyOf({ column, row }: PlacedFetch): string {
  return `${column}/${row};`;
}

function leftOf({ column }: PlacedFetch): number {
  return column * (WIDTH + GAP_X);
}

function topOf({ row }: PlacedFetch): number {
  return row * (HEIGHT + GAP_Y);
}

function Arrow({ from, to }: { readonly from: PlacedFetch; readonly to: PlacedFetch }): VNode {
  const [x1, y1] = [leftOf(from) + WIDTH, topOf(from) + HEIGHT / 2];
  const [x2, y2] = [leftOf(to), topOf(to) + HEIGHT / 2];
  const middle = x2 - GAP_X / 2;
  return (
    <path
      class={to.isDeferred ? 'arrow deferred' : 'arrow'}
      d={`M${x1} ${y1}H${middle}V${y2}H${x2 - 6}m-5 -4l5 4l-5 4`}
    />
  );
}

function FetchBox({ placed }: { readonly placed: PlacedFetch }): VNode {
  const { texts } = useApp();
  const { fetch, isDeferred } = placed;
  const summary = summarize(fetch);
  const kind = `${isDeferred ? ' deferred' : ''}${summary?.hasFailed ? ' failed' : ''}`;
  return (
    <g class={`fetch${kind}`} transform={`translate(${leftOf(placed)} ${topOf(placed)})`}>
      <title>{fetch.operation}</title>
      <rect width={WIDTH} height={HEIGHT} rx="6" />
      <text x="10" y="21" class="subgraph">
        {cut(fetch.subgraph, 18)}
      </text>
      <text x="10" y="41">
        {cut(pathOf(fetch) || texts.root, 23)}
      </text>
      {summary && (
        <text x="10" y="62">
          {`${summary.calls} × ${summary.milliseconds.toFixed(1)} ms, ${formatBytes(summary.bytes)}`}
        </text>
      )}
    </g>
  );
}

function pathOf({ path }: PlanFetch): string {
  return path.filter((step) => step !== '@').join('.');
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `…${text.slice(1 - characters)}`;
}

function FetchTable({ fetches }: { readonly fetches: readonly PlanFetch[] }): VNode {
  const { texts } = useApp();
  const figures = (summary: FetchSummary | undefined): readonly string[] =>
    summary
      ? [
          String(summary.calls),
          String(summary.entities),
          summary.milliseconds.toFixed(1),
          formatBytes(summary.bytes),
        ]
      : ['0', '', '', ''];
  return (
    <details>
      <summary>{texts.asTable}</summary>
      <div class="picture" tabIndex={0} role="group" aria-label={texts.asTable}>
        <table>
          <thead>
            <tr>
              {[texts.subgraph, texts.path, texts.calls, texts.entities, texts.time, texts.bytes].map(
                (name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {fetches.map((fetch, index) => (
              <tr key={index}>
                <th scope="row">{fetch.subgraph}</th>
                <td>{pathOf(fetch) || texts.root}</td>
                {figures(summarize(fetch)).map((figure, column) => (
                  <td key={column}>{figure}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
