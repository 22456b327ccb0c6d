/** A request that was made for a fetch. */
export interface PlanCall {
  readonly startMs: number;
  readonly durationMs: number;
  readonly status?: number;
  readonly bytes: number;
  /** Objects that it asks about; 0 at the root. */
  readonly entities: number;
}

/** A plan as the gateway describes it. */
export type QueryPlan =
  | {
      readonly kind: 'fetch';
      readonly subgraph: string;
      readonly path: readonly string[];
      readonly operation: string;
      readonly calls?: readonly PlanCall[];
      /** Objects that wanted an entity, and how many of them were given one that was asked for already. */
      readonly entities?: { readonly wanted: number; readonly reused: number };
      /** Absent where the response may not be cached. */
      readonly responseCache?: 'hit' | 'miss';
    }
  | { readonly kind: 'sequence' | 'parallel'; readonly steps: readonly QueryPlan[] }
  | {
      readonly kind: 'defer';
      readonly first: QueryPlan | null;
      readonly later: readonly { readonly plan: QueryPlan }[];
    }
  | { readonly kind: 'subscription'; readonly primary: QueryPlan; readonly rest: QueryPlan | null };

/** One fetch of a plan. */
export type PlanFetch = Extract<QueryPlan, { readonly kind: 'fetch' }>;

/** The plan in the extensions of a response. */
export function planOf(extensions: Readonly<Record<string, unknown>> | undefined): QueryPlan | undefined {
  return (extensions?.['plan'] ?? undefined) as QueryPlan | undefined; // the gateway describes it
}

/** Whatever a plan consists of. */
function partsOf(plan: QueryPlan): readonly QueryPlan[] {
  switch (plan.kind) {
    case 'fetch':
      return [];
    case 'defer':
      return [...(plan.first ? [plan.first] : []), ...plan.later.map((one) => one.plan)];
    case 'subscription':
      return [plan.primary, ...(plan.rest ? [plan.rest] : [])];
    default:
      return plan.steps;
  }
}

/** All fetches of a plan, in its order. */
export function fetchesOf(plan: QueryPlan): readonly PlanFetch[] {
  return plan.kind === 'fetch' ? [plan] : partsOf(plan).flatMap(fetchesOf);
}

/** A fetch in a picture: which column and row it has, and behind which fetches it comes. */
export interface PlacedFetch {
  readonly fetch: PlanFetch;
  readonly column: number;
  readonly row: number;
  /** Whether it belongs to what is deferred. */
  readonly isDeferred: boolean;
  readonly after: readonly PlacedFetch[];
}

/** A block of placed fetches. */
interface Block {
  readonly placed: readonly PlacedFetch[];
  readonly columns: number;
  readonly rows: number;
  /** What comes behind the block comes behind these. */
  readonly ends: readonly PlacedFetch[];
}

/** Where a block begins. */
interface Place {
  readonly column: number;
  readonly row: number;
  readonly after: readonly PlacedFetch[];
  readonly isDeferred: boolean;
}

/** Lays a plan out: what comes one after the other from left to right, what runs at a time below one another. */
export function layOut(plan: QueryPlan): Block {
  return layOutAt(plan, { column: 0, row: 0, after: [], isDeferred: false });
}

function layOutAt(plan: QueryPlan, place: Place): Block {
  if (plan.kind === 'fetch') {
    const { column, row, after, isDeferred } = place;
    const placed = { fetch: plan, column, row, after, isDeferred };
    return { placed: [placed], columns: 1, rows: 1, ends: [placed] };
  }
  if (plan.kind === 'parallel') return beside(plan.steps, place);
  if (plan.kind !== 'defer') return behind(partsOf(plan), place);
  const first = plan.first ? layOutAt(plan.first, place) : nothingAt(place);
  const later = plan.later.map((one) => one.plan);
  const rest = beside(later, {
    column: place.column + first.columns,
    row: place.row,
    after: first.ends,
    isDeferred: true,
  });
  return joined(first, rest, {
    columns: first.columns + rest.columns,
    rows: Math.max(first.rows, rest.rows),
  });
}

function behind(plans: readonly QueryPlan[], place: Place): Block {
  let block = nothingAt(place);
  for (const plan of plans) {
    const next = layOutAt(plan, { ...place, column: place.column + block.columns, after: block.ends });
    const size = { columns: block.columns + next.columns, rows: Math.max(block.rows, next.rows) };
    block = { ...joined(block, next, size), ends: next.ends };
  }
  return block;
}

function beside(plans: readonly QueryPlan[], place: Place): Block {
  let block: Block = { ...nothingAt(place), ends: plans.length === 0 ? place.after : [] };
  for (const plan of plans) {
    const next = layOutAt(plan, { ...place, row: place.row + block.rows });
    const size = { columns: Math.max(block.columns, next.columns), rows: block.rows + next.rows };
    block = joined(block, next, size);
  }
  return block;
}

function nothingAt({ after }: Place): Block {
  return { placed: [], columns: 0, rows: 0, ends: after };
}

function joined(first: Block, second: Block, size: Pick<Block, 'columns' | 'rows'>): Block {
  return { placed: [...first.placed, ...second.placed], ends: [...first.ends, ...second.ends], ...size };
}

/** What the requests of a fetch come to. */
export interface FetchSummary {
  readonly calls: number;
  /** From the beginning of the first to the end of the last. */
  readonly milliseconds: number;
  readonly bytes: number;
  readonly entities: number;
  readonly hasFailed: boolean;
}

/** What of a fetch needed no request: all, by the response cache; or so many of its objects. */
export type CacheHits = 'response' | { readonly hits: number; readonly of: number };

/** What of a fetch came from a cache; nothing where there was nothing to find. */
export function cacheHitsOf({ responseCache, entities }: PlanFetch): CacheHits | undefined {
  if (responseCache === 'hit') return 'response';
  return entities && { hits: entities.reused, of: entities.wanted };
}

/** Which way a picture goes on: to the right, or down. */
export type Direction = 'right' | 'down';

/** The way in which less of a picture is cut off: to the right, where that fits. */
export function directionFor({ columns, rows }: Pick<Block, 'columns' | 'rows'>, fitting: number): Direction {
  return columns <= fitting || columns <= rows ? 'right' : 'down';
}

/** Sums up the requests of a fetch; nothing where none were made. */
export function summarize({ calls = [] }: PlanFetch): FetchSummary | undefined {
  if (calls.length === 0) return undefined;
  const start = Math.min(...calls.map(({ startMs }) => startMs));
  const end = Math.max(...calls.map(({ startMs, durationMs }) => startMs + durationMs));
  return {
    calls: calls.length,
    milliseconds: end - start,
    bytes: calls.reduce((sum, { bytes }) => sum + bytes, 0),
    entities: calls.reduce((sum, { entities }) => sum + entities, 0),
    hasFailed: calls.some(({ status = 0 }) => status !== 200),
  };
}

/** Milliseconds from the first request of a plan to the end of the last. */
export function durationOf(plan: QueryPlan): number {
  const calls = fetchesOf(plan).flatMap((fetch) => fetch.calls ?? []);
  if (calls.length === 0) return 0;
  const ends = calls.map(({ startMs, durationMs }) => startMs + durationMs);
  return Math.max(...ends) - Math.min(...calls.map(({ startMs }) => startMs));
}
