import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ExplorerTexts } from '../texts/explorer-texts.ts';
import { useApp } from '../app-context.ts';
import { formatBytes } from './format-bytes.ts';
import {
  cacheHitsOf,
  directionFor,
  durationOf,
  fetchesOf,
  layOut,
  summarize,
  type CacheHits,
  type Direction,
  type FetchSummary,
  type PlacedFetch,
  type PlanFetch,
  type QueryPlan,
} from './query-plan.ts';

const WIDTH = 160;
const HEIGHT = 94;
const GAP_X = 30;
const GAP_Y = 24;
const MARGIN = 2;

/** Settings of {@link PlanPicture}. */
export interface PlanPictureProps {
  readonly plan: QueryPlan;
  /** Whether it was executed. */
  readonly hasRun: boolean;
}

/** A plan as a picture, and below it as a table, which says the same to those who don't see it. */
export function PlanPicture({ plan, hasRun }: PlanPictureProps): VNode {
  const { texts } = useApp();
  const frame = useRef<HTMLDivElement>(null);
  const available = useWidth(frame);
  const block = layOut(plan);
  const direction = directionFor(block, Math.floor((available + GAP_X - 2 * MARGIN) / (WIDTH + GAP_X)));
  const [columns, rows] = direction === 'right' ? [block.columns, block.rows] : [block.rows, block.columns];
  const fetches = fetchesOf(plan);
  const isFromCache = hasRun && fetches.some((fetch) => cacheHitsOf(fetch) === 'response');
  const width = Math.max(columns * (WIDTH + GAP_X) - GAP_X, WIDTH) + 2 * MARGIN;
  const height = Math.max(rows * (HEIGHT + GAP_Y) - GAP_Y, 0) + 2 * MARGIN;
  const count = texts.fetches(fetches.length);
  const summary = hasRun ? `${count}, ${texts.milliseconds(durationOf(plan).toFixed(1))}` : count;
  return (
    <>
      <p class="detail">{isFromCache ? texts.fromCache : summary}</p>
      <div class="picture" tabIndex={0} role="group" aria-label={texts.plan} ref={frame}>
        <svg
          width={width}
          height={height}
          viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
          role="img"
          aria-label={summary}
        >
          {block.placed.flatMap((to) =>
            to.after.map((from) => (
              <Arrow from={from} to={to} direction={direction} key={keyOf(from) + keyOf(to)} />
            )),
          )}
          {block.placed.map((one) => (
            <FetchBox placed={one} direction={direction} key={keyOf(one)} />
          ))}
        </svg>
      </div>
      <FetchTable fetches={fetches} />
    </>
  );
}

/** The width of an element, in pixels, as it changes; 0 until it is known. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

function keyOf({ column, row }: PlacedFetch): string {
  return `${column}/${row};`;
}

/** Upper left corner. */
function cornerOf({ column, row }: PlacedFetch, direction: Direction): readonly [x: number, y: number] {
  const [right, down] = direction === 'right' ? [column, row] : [row, column];
  return [right * (WIDTH + GAP_X), down * (HEIGHT + GAP_Y)];
}

interface ArrowProps {
  readonly from: PlacedFetch;
  readonly to: PlacedFetch;
  readonly direction: Direction;
}

function Arrow({ from, to, direction }: ArrowProps): VNode {
  const [fromX, fromY] = cornerOf(from, direction);
  const [toX, toY] = cornerOf(to, direction);
  const line =
    direction === 'right'
      ? `M${fromX + WIDTH} ${fromY + HEIGHT / 2}H${toX - GAP_X / 2}V${toY + HEIGHT / 2}H${toX - 6}m-5 -4l5 4l-5 4`
      : `M${fromX + WIDTH / 2} ${fromY + HEIGHT}V${toY - GAP_Y / 2}H${toX + WIDTH / 2}V${toY - 6}m-4 -5l4 5l4 -5`;
  return <path class={to.isDeferred ? 'arrow deferred' : 'arrow'} d={line} />;
}

function FetchBox({
  placed,
  direction,
}: {
  readonly placed: PlacedFetch;
  readonly direction: Direction;
}): VNode {
  const { texts } = useApp();
  const { fetch, isDeferred } = placed;
  const summary = summarize(fetch);
  const hits = cacheHitsOf(fetch);
  const kind = `${isDeferred ? ' deferred' : ''}${summary?.hasFailed ? ' failed' : ''}`;
  return (
    <g class={`fetch${kind}`} transform={`translate(${cornerOf(placed, direction).join(' ')})`}>
      <title>{fetch.operation}</title>
      <rect width={WIDTH} height={HEIGHT} rx="6" />
      <text x="10" y="21" class="subgraph">
        {cut(fetch.subgraph, 17)}
      </text>
      <text x="10" y="41">
        {cut(pathOf(fetch) || texts.root, 22)}
      </text>
      {summary && (
        <text x="10" y="62">
          {`${summary.calls} × ${summary.milliseconds.toFixed(1)} ms, ${formatBytes(summary.bytes)}`}
        </text>
      )}
      {hits && (
        <text x="10" y="82">
          {`${texts.cacheHits}: ${hitsText(hits, texts)}`}
        </text>
      )}
    </g>
  );
}

function hitsText(hits: CacheHits, texts: ExplorerTexts): string {
  return hits === 'response' ? texts.wholeResponse : `${hits.hits} / ${hits.of}`;
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
  const hitsOf = (fetch: PlanFetch): string => {
    const hits = cacheHitsOf(fetch);
    return hits ? hitsText(hits, texts) : '';
  };
  const columns = [
    texts.subgraph,
    texts.path,
    texts.requests,
    texts.entities,
    texts.time,
    texts.bytes,
    texts.cacheHits,
  ];
  return (
    <details>
      <summary>{texts.asTable}</summary>
      <div class="picture" tabIndex={0} role="group" aria-label={texts.asTable}>
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
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
                <td>{hitsOf(fetch)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
