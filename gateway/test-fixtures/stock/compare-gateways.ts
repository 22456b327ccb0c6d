import type { ExecutionResult } from 'graphql';
import { difference, type Answered } from '../synthetic/compare.ts';
import type { AskedGateway } from '../synthetic/over-http.ts';
import type { RandomOperation } from '../synthetic/random-operation.ts';
import type { RunningGraph } from '../synthetic/start-graph.ts';
import { errorPlaces, holesIn, isReported } from './response-places.ts';
import { setRequestFaults, type RequestFault } from './request-faults.ts';
import type { StockGateway } from './stock-gateway.ts';

/** What two responses can differ in. */
export type Aspect =
  /** `data`, to the letter. */
  | 'data'
  /** Where errors are. */
  | 'errors'
  /** Mutations that subgraphs executed, and their order. */
  | 'effects'
  /** This gateway's response is not the one of a single executor over the whole schema, less what a fault explains. */
  | 'standard';

/** One operation, as both gateways and a single executor answered it. */
export interface StockDifference {
  readonly operation: RandomOperation;
  readonly faults: readonly RequestFault[];
  /** Names of the fields that keys and requirements of the graph are made of. */
  readonly namesInFieldSets: ReadonlySet<string>;
  /** Names of the fields that require others. */
  readonly requiringNames: ReadonlySet<string>;
  /** Whether a subgraph of the graph knows an interface as one object. */
  readonly hasInterfaceObject: boolean;
  readonly ours: Answered;
  /** Absent where the operation was not answered at all. */
  readonly stock: Answered | undefined;
  /** What stock threw. */
  readonly thrown?: string;
  /** The response of one executor over the whole schema; it knows nothing of the faults of requests. */
  readonly whole: ExecutionResult;
  readonly effects: Readonly<Record<'ours' | 'stock' | 'whole', readonly string[]>>;
  /** In what they differ; none where they agree. */
  readonly aspects: ReadonlySet<Aspect>;
}

/** What answers the operations of one graph. */
export interface ComparedGateways {
  readonly graph: RunningGraph;
  readonly ours: AskedGateway;
  readonly stock: StockGateway;
}

/** Asks both gateways and the single executor. */
export async function compareGateways(
  { graph, ours, stock }: ComparedGateways,
  operation: RandomOperation,
  faults: readonly RequestFault[],
): Promise<StockDifference> {
  setRequestFaults(graph, faults);
  const own = await withEffects(graph, () => ours.ask(operation));
  const other = await withEffects(graph, () => askStock(stock, operation));
  setRequestFaults(graph, []);
  const whole = await withEffects(graph, () => graph.executeWhole(operation.document, operation.variables));
  const { namesInFieldSets, requiringNames } = graph.world;
  const effects = { ours: own.effects, stock: other.effects, whole: whole.effects };
  const found = {
    operation,
    faults,
    namesInFieldSets,
    requiringNames,
    hasInterfaceObject: graph.supergraph.hints.interfaceObjects.size > 0,
    ours: own.result,
    ...other.result,
    whole: whole.result,
    effects,
  };
  return { ...found, aspects: aspectsOf(graph, found) };
}

async function withEffects<T>(
  { effects }: RunningGraph,
  ask: () => Promise<T>,
): Promise<{ readonly result: T; readonly effects: readonly string[] }> {
  effects.length = 0;
  const result = await ask();
  return { result, effects: effects.splice(0) };
}

async function askStock(
  stock: StockGateway,
  operation: RandomOperation,
): Promise<Pick<StockDifference, 'stock' | 'thrown'>> {
  try {
    return { stock: await stock.ask(operation) };
  } catch (error) {
    return { stock: undefined, thrown: String(error) };
  }
}

type Found = Omit<StockDifference, 'aspects'>;

function aspectsOf(graph: RunningGraph, found: Found): ReadonlySet<Aspect> {
  const { ours, stock, effects } = found;
  const aspects = new Set<Aspect>();
  if (!stock || !isSame(ours, stock)) aspects.add('data');
  if (!stock || errorPlaces(ours).join('\n') !== errorPlaces(stock).join('\n')) aspects.add('errors');
  if (effects.ours.join('\n') !== effects.stock.join('\n')) aspects.add('effects');
  if (!isByTheStandard(graph, found)) aspects.add('standard');
  return aspects;
}

/** Whether data are the same to the letter. */
export function isSame(left: Answered, right: Answered): boolean {
  return JSON.stringify(left.data ?? null) === JSON.stringify(right.data ?? null);
}

function isByTheStandard(graph: RunningGraph, found: Found): boolean {
  const { ours, whole, faults, effects } = found;
  if (faults.length > 0) return isRightButForFaults(graph, found);
  return difference(ours, whole) === undefined && areAllowed(effects, whole);
}

/** Where a mutation fails that must not be null, those behind it may be executed or not (GraphQL §6.4.4). */
function areAllowed(effects: StockDifference['effects'], whole: ExecutionResult): boolean {
  const ours = whole.data === null ? effects.ours.slice(0, effects.whole.length) : effects.ours;
  return ours.join('\n') === effects.whole.join('\n');
}

/**
 * Where requests fail, the response is the right one with nulls, and an error explains each null. Not so where an
 * entity is unknown to its subgraph, which is no error and may leave its type open, and where something requires a field that is
 * missing, so that it has another value.
 */
function isRightButForFaults(
  { world }: RunningGraph,
  { operation, ours, whole, faults, effects }: Found,
): boolean {
  const requires = [...world.requiringNames].some((name) => operation.text.includes(name));
  const losesEntities = faults.some(({ kind }) => kind === 'null entities');
  const holes = holesIn(ours.data ?? null, whole.data ?? null);
  return (
    (losesEntities || requires || holes.every((hole) => hole.isNull && isReported(hole, ours))) &&
    isInOrder(effects.ours, effects.whole)
  );
}

/** Whether some things are some of others, in their order, and none comes twice. */
function isInOrder(some: readonly string[], all: readonly string[]): boolean {
  let from = 0;
  for (const one of some) {
    const at = all.indexOf(one, from);
    if (at === -1) return false;
    from = at + 1;
  }
  return true;
}
