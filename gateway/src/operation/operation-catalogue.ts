import { shareKeysOf, type ShareKeys } from '@trellis/admission';
import { GraphQLError, Kind, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { readAuthorizationRules, type AuthorizationRules } from './access/authorization-rules.ts';
import { createOperationGuard, type OperationGuard } from './access/operation-guard.ts';
import type { Policies } from '../settings/authorization-settings.ts';
import { S3FifoCache } from '../caching/s3-fifo-cache.ts';
import { readCacheHints, type CacheHints } from './cache-hints/cache-hints.ts';
import { compileCaching, type CachePolicyOf } from './cache-hints/measure-caching.ts';
import { RequestRefused } from '../errors.ts';
import { compileCost } from './limits/compile-cost.ts';
import type { CostSettings } from '../settings/cost-settings.ts';
import type { CostFunction } from './limits/cost-term.ts';
import { readGraphAnnotations } from './limits/graph-annotations.ts';
import { GraphCosts } from './limits/graph-costs.ts';
import type { OperationLimits } from '../settings/limits.ts';
import { fragmentsOf, protectFromDocument, type Fragments } from './limits/measure-document.ts';
import { measureOperation, type OperationMeasure } from './limits/measure-operation.ts';
import { compileDecision, type DecideConditions } from './document/decided-conditions.ts';
import { operationFacts } from './document/document-facts.ts';
import type { Overrides } from './document/override-labels.ts';
import { sha256 } from './document/sha256.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { compileVariables, type CoerceVariables } from './document/coerce-variables.ts';
import { enforceTextLimits } from './limits/enforce-limits.ts';
import { forgetTokens } from './document/forget-tokens.ts';
import { parseOperation } from './document/parse-operation.ts';
import { validateOperation, type ValidationSettings } from './validation/validate-operation.ts';

/** All that can be known of an operation before a request brings variables and a caller. */
export interface CataloguedOperation {
  readonly document: DocumentNode;
  /** SHA-256 of the document's text. */
  readonly documentHash: string;
  readonly name: string | undefined;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly coerceVariables: CoerceVariables;
  /** What the coerced variables decide, once and for all stages. */
  readonly decide: DecideConditions;
  readonly measure: OperationMeasure;
  readonly costOf: CostFunction;
  readonly guard: OperationGuard;
  /** How long answers may be kept, by what the schema says. */
  readonly cacheHintsOf: CachePolicyOf;
}

/** A document that has passed parsing, protection and validation. */
export interface CataloguedDocument {
  /**
   * @param name absent where the document holds one operation
   * @throws RequestRefused GRAPHQL_VALIDATION_FAILED when there is no such operation, or no saying which; QUERY_TOO_COMPLEX when
   *   its text exceeds a limit
   */
  operation(name: string | undefined): CataloguedOperation;
}

/** The documents that were sent to one generation of the graph. */
export interface OperationCatalogue {
  /** What is remembered of a text that was let in before. */
  known(text: string): CataloguedDocument | undefined;
  /**
   * @param address of who sends it, for a fair share of what is remembered; absent: the gateway itself
   * @throws RequestRefused when the text can't be parsed, exceeds what protects the process, or is not valid
   */
  document(text: string, address?: string): CataloguedDocument;
}

/** Settings of {@link createOperationCatalogue}. */
export interface CatalogueSettings extends ValidationSettings {
  readonly limits: OperationLimits;
  readonly costs: CostSettings;
  readonly policies: Policies;
  /** By label, percent of the operations that a progressive override is on for, beside those that say it themselves. */
  readonly overridePercents?: Readonly<Record<string, number>> | undefined;
}

/** As many as plans are kept. */
const MAX_DOCUMENTS = 1_500;
/** With what is compiled of them, some 170 bytes each: 20 MB. */
const MAX_TOKENS = 120_000;
/** What is compiled of an operation takes some 6 KB beside the nodes of its text. */
const OPERATION_TOKENS = 50;
/** The text is held as well, what is no token of it included, such as comments: so many of its characters weigh as one token. */
const CHARACTERS_PER_TOKEN = 8;
const MAX_REFUSALS = 1_000;
/** Of the texts that were refused. A refusal is small beside them. */
const MAX_REFUSED_CHARACTERS = 524_288;
/** What a refusal weighs beside its text. */
const REFUSAL_CHARACTERS = 500;

/**
 * Parses and validates each text once, and works out once what of an operation depends on nothing but its text and the
 * graph. What is refused for its text is not kept: only the refusal is, apart from what others use, and in little room. What
 * is not used again makes room first, and who sends much that is new makes room among what is its own.
 */
export function createOperationCatalogue(
  supergraph: Supergraph,
  settings: CatalogueSettings,
): OperationCatalogue {
  const graph: Graph = {
    supergraph,
    settings,
    costs: new GraphCosts({
      schema: supergraph.schema,
      annotations: readGraphAnnotations(supergraph),
      settings: settings.costs,
    }),
    rules: readAuthorizationRules(supergraph.supergraphSchema),
    cacheHints: readCacheHints(supergraph.supergraphSchema),
    overrides: {
      labels: supergraph.hints.overrideLabels,
      percents: settings.overridePercents ?? {},
      random: Math.random,
    },
  };
  const documents = new S3FifoCache<WeighedDocument>({
    maxEntries: MAX_DOCUMENTS,
    maxWeight: MAX_TOKENS,
    weigh: ({ tokens }, text) => tokens + Math.ceil(text.length / CHARACTERS_PER_TOKEN),
  });
  const refusals = new S3FifoCache<RequestRefused>({
    maxEntries: MAX_REFUSALS,
    maxWeight: MAX_REFUSED_CHARACTERS,
    weigh: (_refusal, text) => text.length + REFUSAL_CHARACTERS,
  });
  const ownerOf = ownersByAddress();
  const admitAnew = (text: string, address: string | undefined): CataloguedDocument => {
    const refusal = refusals.get(text);
    if (refusal) throw refusal;
    const owner = ownerOf(address);
    const admitted = admit(text, graph);
    if (admitted instanceof RequestRefused) {
      refusals.set(text, admitted, owner);
      throw admitted;
    }
    documents.set(text, admitted, owner);
    return admitted.catalogued;
  };
  return {
    known: (text) => documents.get(text)?.catalogued,
    document: (text, address) => documents.get(text)?.catalogued ?? admitAnew(text, address),
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
  readonly catalogued: CataloguedDocument;
  readonly tokens: number;
}

interface Graph {
  readonly supergraph: Supergraph;
  readonly settings: CatalogueSettings;
  readonly costs: GraphCosts;
  readonly rules: AuthorizationRules;
  readonly cacheHints: CacheHints;
  readonly overrides: Overrides;
}

function admit(text: string, graph: Graph): WeighedDocument | RequestRefused {
  const { limits } = graph.settings;
  try {
    const { document, tokens } = parseOperation(text, limits.tokens);
    protectFromDocument(document, limits);
    validateOperation(document, graph.supergraph.schema, graph.settings);
    const measures = measureOperations(document, graph);
    forgetTokens(document);
    return {
      catalogued: catalogueDocument(document, sha256(text), measures, graph),
      tokens: tokens + measures.size * OPERATION_TOKENS,
    };
  } catch (error) {
    if (error instanceof RequestRefused) return withoutTraces(error);
    throw error;
  }
}

/** What an operation amounts to; or, where its text alone exceeds a limit, the refusal. */
type JudgedMeasure = OperationMeasure | RequestRefused;

/**
 * Judges each operation by its text.
 *
 * @throws RequestRefused when none of them may run, as the first one is refused
 */
function measureOperations(document: DocumentNode, graph: Graph): ReadonlyMap<string, JudgedMeasure> {
  const fragments = fragmentsOf(document);
  const measures = operationsOf(document).map((operation): readonly [string, JudgedMeasure] => [
    operation.name?.value ?? '',
    measure(operation, fragments, graph),
  ]);
  const [first] = measures;
  const isAnyAllowed = measures.some(([, measured]) => !(measured instanceof RequestRefused));
  if (!isAnyAllowed && first?.[1] instanceof RequestRefused) throw first[1];
  return new Map(measures);
}

function measure(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  { supergraph: { schema }, costs, settings }: Graph,
): JudgedMeasure {
  const measured = measureOperation({
    operation,
    fragments,
    schema,
    allowances: costs.annotations.depthAllowances,
  });
  try {
    enforceTextLimits(measured, settings.limits);
    return measured;
  } catch (error) {
    if (error instanceof RequestRefused) return withoutTraces(error);
    throw error;
  }
}

/**
 * A refusal as small as what clients see of it. The trace of its stack would keep all alive that took part in refusing, some
 * 50 KB for each text.
 */
function withoutTraces({ errors }: RequestRefused): RequestRefused {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return new RequestRefused(errors.map(withoutNodes));
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
  measures: ReadonlyMap<string, JudgedMeasure>,
  graph: Graph,
): CataloguedDocument {
  const operations = new Map<string, CataloguedOperation>();
  let unnamed: CataloguedOperation | undefined;
  return {
    operation(name) {
      const known = name === undefined ? unnamed : operations.get(name);
      if (known) return known;
      const definition = selectOperation(document, name);
      const key = definition.name?.value ?? '';
      const measured = measures.get(key);
      if (measured instanceof RequestRefused || !measured) throw measured ?? unknownOperation(name, 0);
      const operation =
        operations.get(key) ?? catalogueOperation({ document, documentHash, measured }, definition, graph);
      operations.set(key, operation);
      if (name === undefined) unnamed = operation;
      return operation;
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

function unknownOperation(name: string | undefined, count: number): RequestRefused {
  return new RequestRefused([new GraphQLError(missingOperation(name, count), VALIDATION_FAILED)]);
}

const VALIDATION_FAILED = { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };

function missingOperation(name: string | undefined, count: number): string {
  if (name !== undefined) return `The document has no operation "${name}".`;
  return count === 0
    ? 'The document has no operation.'
    : 'The document has several operations: operationName has to say which one to run.';
}

interface MeasuredOperation extends Pick<CataloguedOperation, 'document' | 'documentHash'> {
  readonly measured: OperationMeasure;
}

function catalogueOperation(
  { document, documentHash, measured }: MeasuredOperation,
  operation: OperationDefinitionNode,
  { supergraph, settings, costs, rules, cacheHints, overrides }: Graph,
): CataloguedOperation {
  const { schema } = supergraph;
  const fragments = fragmentsOf(document);
  const { policies } = settings;
  return {
    document,
    documentHash,
    name: operation.name?.value,
    kind: operation.operation,
    coerceVariables: compileVariables(operation, schema, !settings.introspection),
    decide: compileDecision(operationFacts(document, operation.name?.value, documentHash), overrides),
    measure: measured,
    costOf: compileCost({ operation, fragments, costs }),
    cacheHintsOf: compileCaching({ operation, fragments, schema, hints: cacheHints }),
    guard: createOperationGuard({ operation, fragments, schema, rules, policies }),
  };
}
