import { shareKeysOf, type ShareKeys } from '@trellis/runtime/admission';
import { GraphQLError, Kind, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { Policies } from '../settings/authorization.ts';
import { S3FifoCache } from '../caching/s3-fifo-cache.ts';
import { RequestError } from '../errors.ts';
import type { CostSettings } from '../settings/cost.ts';
import type { OperationLimits } from '../settings/limits.ts';
import { fragmentsOf, forgetTokens, parseOperation } from './document/parse-operation.ts';
import { compileProtection, type ProtectFromDocument } from './limits/measure-document.ts';
import { sha256 } from './document/sha256.ts';
import { rootTypeOf } from '../supergraph/type-index.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { enforceTextLimits } from './limits/enforce-limits.ts';
import { Analyzer, type Summaries } from './fold/selection-fold.ts';
import { measureOf, type OperationMeasure } from './limits/measure-operation.ts';
import { Operation, type OperationGraph } from './operation.ts';
import { operationAnalyses, type OperationAnalyses } from './operation-analyses.ts';
import { validateOperation, type ValidationSettings } from './validation/validate-operation.ts';

/** A document that has passed parsing, protection and validation. */
export interface CachedDocument {
  /**
   * @param name absent where the document holds one operation
   * @throws RequestError GRAPHQL_VALIDATION_FAILED when there is no such operation, or no saying which; QUERY_TOO_COMPLEX when
   *   its text exceeds a limit
   */
  operation(name: string | undefined): Operation;
}

/** The documents that were sent to one generation of the graph. */
export interface OperationCache {
  /** What is cached of a text that was admitted before. */
  known(text: string): CachedDocument | undefined;
  /**
   * @param address of who sends it, for its share of the cache; absent: the gateway itself
   * @throws RequestError when the text can't be parsed, exceeds what protects the process, or is not valid
   */
  document(text: string, address?: string): CachedDocument;
  /** What fields cost whose schema does not say it. */
  readonly costs: CostSettings;
}

/** Settings of {@link createOperationCache}. */
export interface OperationCacheSettings extends ValidationSettings {
  readonly limits: OperationLimits;
  readonly costs: CostSettings;
  readonly policies: Policies;
  /** By label, percent of the operations that a progressive override is on for, beside those that say it themselves. */
  readonly overridePercents?: Readonly<Record<string, number>> | undefined;
  /** From 0 up to 1: what decides which progressive overrides are on. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** As many as plans are cached. */
const MAX_DOCUMENTS = 1_500;
/** With what is compiled of them, some 120 bytes each: 20 MB. 1,000 operations of 45 tokens have room (ADR 19). */
const MAX_TOKENS = 160_000;
/** Of the documents that were sent once. */
const MAX_NEW_TOKENS = 9_000;
/** What is compiled of an operation takes some 6 KB beside the nodes of its text. */
const OPERATION_TOKENS = 50;
/** The text is held as well, what is no token of it included, such as comments: so many of its characters weigh as one token. */
const CHARACTERS_PER_TOKEN = 8;
const MAX_REJECTIONS = 1_000;
/** Of the texts that were rejected. A rejection is small beside them. */
const MAX_REJECTED_CHARACTERS = 524_288;
/** What a rejection weighs beside its text. */
const REJECTION_CHARACTERS = 500;

/** Makes operation caches: one for each generation of the graph, which goes when the generation goes. */
export function createOperationCaches(
  settings: OperationCacheSettings,
): (supergraph: Supergraph) => OperationCache {
  const operationCaches = new WeakMap<Supergraph, OperationCache>();
  return (supergraph) => {
    let operationCache = operationCaches.get(supergraph);
    if (!operationCache)
      operationCaches.set(supergraph, (operationCache = createOperationCache(supergraph, settings)));
    return operationCache;
  };
}

/**
 * Parses and validates each text once, and works out once what of an operation depends on nothing but its text and the
 * graph. A text that is rejected is not cached: only its rejection is, apart from what others use, and in little room. What
 * is not used again makes room first, and who sends much that is new makes room among what is its own.
 */
export function createOperationCache(
  supergraph: Supergraph,
  settings: OperationCacheSettings,
): OperationCache {
  const graph = readGraph(supergraph, settings);
  const documents = new S3FifoCache<WeighedDocument>({
    maxEntries: MAX_DOCUMENTS,
    maxWeight: MAX_TOKENS,
    maxNewWeight: MAX_NEW_TOKENS,
    weigh: ({ tokens }, text) => tokens + Math.ceil(text.length / CHARACTERS_PER_TOKEN),
  });
  const rejections = new S3FifoCache<RequestError>({
    maxEntries: MAX_REJECTIONS,
    maxWeight: MAX_REJECTED_CHARACTERS,
    weigh: (_rejection, text) => text.length + REJECTION_CHARACTERS,
  });
  const ownerOf = ownersByAddress();
  const admitNew = (text: string, address: string | undefined): CachedDocument => {
    const rejection = rejections.get(text);
    if (rejection) throw rejection;
    const owner = ownerOf(address);
    const admitted = admit(text, graph);
    if (admitted instanceof RequestError) {
      rejections.set(text, admitted, owner);
      throw admitted;
    }
    if (owner) documents.set(text, admitted, owner);
    else documents.setProven(text, admitted);
    return admitted.catalogued;
  };
  return {
    known: (text) => documents.get(text)?.catalogued,
    document: (text, address) => documents.get(text)?.catalogued ?? admitNew(text, address),
    costs: settings.costs,
  };
}

/** Whose share texts count in. New texts come in rows from one address: its keys are made once for a row. */
function ownersByAddress(): (address: string | undefined) => ShareKeys | undefined {
  let last: { readonly address: string; readonly keys: ShareKeys } | undefined;
  return (address) => {
    if (address === undefined) return undefined;
    if (last?.address !== address) last = { address, keys: shareKeysOf({ address }) };
    return last.keys;
  };
}

/** A document, and what it takes up. */
interface WeighedDocument {
  readonly catalogued: CachedDocument;
  readonly tokens: number;
}

interface Graph extends OperationGraph {
  readonly settings: OperationCacheSettings;
  readonly protect: ProtectFromDocument;
  readonly analyzer: Analyzer<OperationAnalyses>;
}

function readGraph(supergraph: Supergraph, settings: OperationCacheSettings): Graph {
  return {
    schema: supergraph.schema,
    settings,
    protect: compileProtection(settings.limits),
    policies: settings.policies,
    introspection: settings.introspection,
    analyzer: new Analyzer(operationAnalyses(supergraph, settings.costs), supergraph.schema),
    overrides: {
      labels: supergraph.hints.overrideLabels,
      percents: settings.overridePercents ?? {},
      random: settings.random ?? Math.random,
    },
  };
}

function admit(text: string, graph: Graph): WeighedDocument | RequestError {
  const { limits } = graph.settings;
  try {
    const { document, tokens } = parseOperation(text, limits);
    graph.protect(document);
    validateOperation(document, graph.schema, graph.settings);
    const judged = judgeOperations(document, graph);
    forgetTokens(document);
    return {
      catalogued: catalogueDocument(document, sha256(text), judged, graph),
      tokens: tokens + judged.size * OPERATION_TOKENS,
    };
  } catch (error) {
    if (error instanceof RequestError) return withoutTraces(error);
    throw error;
  }
}

/** What was found in an operation. */
interface Found {
  readonly found: Summaries<OperationAnalyses>;
  readonly measure: OperationMeasure;
}

/** What was found in an operation; or, where its text alone exceeds a limit, the rejection. */
type Judged = Found | RequestError;

/**
 * Folds the selections of all operations, and judges each by its text.
 *
 * @throws RequestError when none of them may run, as the first one is rejected
 */
function judgeOperations(document: DocumentNode, graph: Graph): ReadonlyMap<string, Judged> {
  const { schema, analyzer, settings } = graph;
  const fold = analyzer.fold({ fragments: fragmentsOf(document) });
  const all = operationsOf(document).map((operation): readonly [string, Judged] => {
    const found = fold.ofOperation(operation.selectionSet, rootTypeOf(schema, operation));
    return [operation.name?.value ?? '', judge({ found, measure: measureOf(operation, found) }, settings)];
  });
  const [first] = all;
  const isAnyAllowed = all.some(([, judged]) => !(judged instanceof RequestError));
  if (!isAnyAllowed && first?.[1] instanceof RequestError) throw first[1];
  return new Map(all);
}

function judge(found: Found, { limits }: OperationCacheSettings): Judged {
  try {
    enforceTextLimits(found.measure, limits);
    return found;
  } catch (error) {
    if (error instanceof RequestError) return withoutTraces(error);
    throw error;
  }
}

/**
 * A rejection as small as what clients see of it. The trace of its stack would keep all alive that took part in rejecting, some
 * 50 KB for each text.
 */
function withoutTraces({ errors }: RequestError): RequestError {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return new RequestError(errors.map(withoutNodes));
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function withoutNodes({ message, source, positions, extensions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { source: source ?? null, positions: positions ?? null, extensions });
}

function catalogueDocument(
  document: DocumentNode,
  documentHash: string,
  judged: ReadonlyMap<string, Judged>,
  graph: Graph,
): CachedDocument {
  const fragments = fragmentsOf(document);
  /** What was found in an operation becomes the operation when it is selected. */
  const operations = new Map<string, Operation | Judged>(judged);
  let unnamed: Operation | undefined;
  const select = (name: string | undefined): Operation => {
    const definition = selectOperation(document, name);
    const key = definition.name?.value ?? '';
    const found = operations.get(key) ?? unknownOperation(name, 0);
    if (found instanceof Operation) return found;
    if (found instanceof RequestError) throw found;
    const operation = new Operation({ definition, fragments, documentHash, ...found }, graph);
    operations.set(key, operation);
    return operation;
  };
  return {
    operation(name) {
      if (name === undefined) return (unnamed ??= select(name));
      const known = operations.get(name);
      return known instanceof Operation ? known : select(name);
    },
  };
}

function selectOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = operationsOf(document);
  const [first, second] = operations;
  if (name === undefined && first && !second) return first;
  const named = name !== undefined && operations.find((operation) => operation.name?.value === name);
  if (named) return named;
  throw unknownOperation(name, operations.length);
}

function operationsOf(document: DocumentNode): readonly OperationDefinitionNode[] {
  return document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

function unknownOperation(name: string | undefined, count: number): RequestError {
  return new RequestError([new GraphQLError(missingOperation(name, count), VALIDATION_FAILED)]);
}

const VALIDATION_FAILED = { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };

function missingOperation(name: string | undefined, count: number): string {
  if (name !== undefined) return `The document has no operation "${name}".`;
  return count === 0
    ? 'The document has no operation.'
    : 'The document has several operations: operationName has to say which one to run.';
}
