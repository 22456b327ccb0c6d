import type { Operation } from '../operation/operation.ts';
import type { Decided } from '../operation/document/decided-conditions.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import type { ClientSoftware } from '../identity/caller.ts';
import type { CostSettings } from '../settings/cost.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { VariableReaders, VariableUse } from './variable-use.ts';

/** How much is counted in an interval. */
export interface UsageBounds {
  /** Operations. */
  readonly documents: number;
  /** Clients of operations, all together. */
  readonly rows: number;
}

/** What one client has sent of one operation. */
export interface ClientCounts {
  readonly client: ClientSoftware | undefined;
  readonly oauthClient: string | undefined;
  requests: number;
  lastMs: number;
  /** By code. */
  readonly errors: Map<string, number>;
  /** How many took so long, by the index of {@link LATENCY_BOUNDS_MS}; the last are longer than all. */
  readonly latency: number[];
}

/** JSON, so that equal values are one; up to a number. */
export class FewTexts {
  readonly #texts = new Set<string>();
  readonly #atMost: number;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  add(text: string): void {
    if (this.#texts.size <= this.#atMost) this.#texts.add(text);
  }

  /** All that were added; undefined where there were more. */
  get values(): readonly unknown[] | undefined {
    return this.#texts.size > this.#atMost
      ? undefined
      : [...this.#texts].map((text) => JSON.parse(text) as unknown);
  }
}

/** What was sent of one operation. */
export interface OperationCounts {
  readonly operation: Operation;
  readonly readers: VariableReaders;
  readonly variables: VariableUse;
  readonly clients: Map<string, ClientCounts>;
  /** Sorted scopes, or null for callers without a token. */
  readonly scopes: FewTexts;
  /** The condition variables as they were decided. */
  readonly conditions: FewTexts;
  /** Of the request before: most have the same. */
  readonly last: LastCounted;
}

interface LastCounted {
  scopes: ReadonlySet<string> | undefined;
  /** The key of how conditions were decided. */
  decision: string | undefined;
  row: ClientCounts | undefined;
}

/** Upper bounds, in milliseconds. */
export const LATENCY_BOUNDS_MS: readonly number[] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];

/** Of one operation; with more, none are recorded: a check must not take those that it sees for all. */
const [MAX_SCOPE_SETS, MAX_CONDITIONS] = [8, 16];
/** Codes of one client's errors of one operation; the catalogue has some fifty. */
const MAX_CODES = 20;

/** What is counted of an answered operation. */
export interface CountedOperation {
  readonly admitted: AdmittedOperation;
  readonly client: ClientSoftware | undefined;
  /** The code of its first error; undefined without one. */
  readonly errorCode: string | undefined;
  readonly durationMs: number;
}

/** How the variables of each generation's operations are read. */
export class GraphReaders {
  readonly #readers = new WeakMap<CostSettings, WeakMap<Supergraph, VariableReaders>>();
  readonly #settings: () => CostSettings;

  /** @param settings those in force */
  constructor(settings: () => CostSettings) {
    this.#settings = settings;
  }

  of(supergraph: Supergraph): VariableReaders {
    const settings = this.#settings();
    let ofSettings = this.#readers.get(settings);
    if (!ofSettings) this.#readers.set(settings, (ofSettings = new WeakMap()));
    let readers = ofSettings.get(supergraph);
    if (!readers) ofSettings.set(supergraph, (readers = new VariableReaders(supergraph, settings)));
    return readers;
  }
}

/** What was sent in one interval. */
export class UsageCounts {
  /** Whether there were more operations than are counted. */
  isIncomplete = false;
  readonly #bounds: UsageBounds;
  readonly #readers: GraphReaders;
  readonly #operations = new Map<string, OperationCounts>();
  /** The same, by what was made of each text: generations and settings have their own. */
  readonly #known = new WeakMap<Operation, OperationCounts>();
  /** Callers are remembered with their tokens: most have been seen before. */
  readonly #scopeTexts = new WeakMap<object, string>();
  #rows = 0;

  constructor(bounds: UsageBounds, readers: GraphReaders) {
    this.#bounds = bounds;
    this.#readers = readers;
  }

  get operations(): readonly OperationCounts[] {
    return [...this.#operations.values()];
  }

  /** Constant work, whatever the operation; beside that it looks once at input objects and enum values in variables. */
  count({ admitted, client, errorCode, durationMs }: CountedOperation): void {
    const counts = this.#countsOf(admitted);
    if (!counts) return;
    counts.variables.note(admitted);
    const row = this.#rowOf(counts, client, admitted.caller.context.clientId);
    row.requests += 1;
    row.lastMs = Date.now();
    const bucket = bucketOf(durationMs);
    row.latency[bucket] = (row.latency[bucket] ?? 0) + 1;
    if (errorCode !== undefined) countError(row.errors, errorCode);
  }

  #countsOf({ operation, supergraph, caller, decided }: AdmittedOperation): OperationCounts | undefined {
    const counts = this.#known.get(operation) ?? this.#meet(operation, supergraph);
    if (!counts) return undefined;
    const { last, scopes, conditions } = counts;
    if (last.scopes !== caller.scopes) {
      last.scopes = caller.scopes;
      scopes.add(this.#scopesOf(caller));
    }
    if (operation.conditionVariables.length > 0 && last.decision !== decided.key) {
      last.decision = decided.key;
      conditions.add(conditionsOf(operation, decided));
    }
    return counts;
  }

  #meet(operation: Operation, supergraph: Supergraph): OperationCounts | undefined {
    let counts = this.#operations.get(operation.key);
    if (counts) counts.variables.meet(this.#readers.of(supergraph).of(operation));
    else {
      if (this.#operations.size >= this.#bounds.documents) {
        this.isIncomplete = true;
        return undefined;
      }
      counts = this.#begin(operation, supergraph);
      this.#operations.set(operation.key, counts);
    }
    this.#known.set(operation, counts);
    return counts;
  }

  #begin(operation: Operation, supergraph: Supergraph): OperationCounts {
    const readers = this.#readers.of(supergraph);
    const variables = new VariableUse(readers.of(operation));
    return {
      operation,
      readers,
      variables,
      clients: new Map(),
      scopes: new FewTexts(MAX_SCOPE_SETS),
      conditions: new FewTexts(MAX_CONDITIONS),
      last: { scopes: undefined, decision: undefined, row: undefined },
    };
  }

  #scopesOf({ scopes, authenticated }: AdmittedOperation['caller']): string {
    let text = this.#scopeTexts.get(scopes);
    if (text === undefined) {
      text = authenticated ? JSON.stringify([...scopes].toSorted()) : 'null';
      this.#scopeTexts.set(scopes, text);
    }
    return text;
  }

  /** Beyond the bound on rows, clients are counted as one. */
  #rowOf(
    { clients, last }: OperationCounts,
    client: ClientSoftware | undefined,
    oauthClient: string | undefined,
  ): ClientCounts {
    if (last.row && isOf(last.row, client, oauthClient)) return last.row;
    return (last.row = this.#findRow(clients, client, oauthClient));
  }

  #findRow(
    clients: Map<string, ClientCounts>,
    client: ClientSoftware | undefined,
    oauthClient: string | undefined,
  ): ClientCounts {
    const key = client ? `${client.name}\n${client.version}\n${oauthClient ?? ''}` : (oauthClient ?? '');
    const known = clients.get(key);
    if (known) return known;
    if (this.#rows < this.#bounds.rows) return this.#addRow(clients, key, { client, oauthClient });
    return (
      clients.get(OTHERS) ?? this.#addRow(clients, OTHERS, { client: OTHER_CLIENT, oauthClient: undefined })
    );
  }

  #addRow(
    clients: Map<string, ClientCounts>,
    key: string,
    sender: Pick<ClientCounts, 'client' | 'oauthClient'>,
  ): ClientCounts {
    this.#rows += 1;
    const latency = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
    const row = { ...sender, requests: 0, lastMs: 0, errors: new Map<string, number>(), latency };
    clients.set(key, row);
    return row;
  }
}

function isOf(
  row: ClientCounts,
  client: ClientSoftware | undefined,
  oauthClient: string | undefined,
): boolean {
  const { client: own } = row;
  if (row.oauthClient !== oauthClient) return false;
  return own && client ? own.name === client.name && own.version === client.version : own === client;
}

function bucketOf(durationMs: number): number {
  let bucket = 0;
  while (bucket < LATENCY_BOUNDS_MS.length && durationMs > (LATENCY_BOUNDS_MS[bucket] ?? 0)) bucket += 1;
  return bucket;
}

/** What is no code of anyone's is counted as one: subgraphs may give any text. */
const PLAIN_CODE = /^[\w.:-]{1,64}$/;

function countError(errors: Map<string, number>, code: string): void {
  const isCounted = PLAIN_CODE.test(code) && (errors.has(code) || errors.size < MAX_CODES);
  const name = isCounted ? code : 'OTHER';
  errors.set(name, (errors.get(name) ?? 0) + 1);
}

const OTHER_CLIENT: ClientSoftware = { name: 'other', version: '' };
const OTHERS = 'other\n\n';

function conditionsOf({ conditionVariables }: Operation, decided: Decided): string {
  return JSON.stringify(Object.fromEntries(conditionVariables.map(({ name }) => [name, decided.isOn(name)])));
}
