import type { GraphQLSchema } from 'graphql';
import type { Operation } from '../operation/operation.ts';
import type { Decided } from '../operation/document/decided-conditions.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import type { ClientSoftware } from '../identity/caller.ts';

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

/** What was sent of one operation. */
export interface OperationCounts {
  readonly operation: Operation;
  readonly schema: GraphQLSchema;
  readonly clients: Map<string, ClientCounts>;
  /** As JSON, so that equal ones are one: sorted scopes, or null for callers without a token. */
  readonly scopes: Set<string>;
  /** As JSON: the condition variables as they were decided. */
  readonly conditions: Set<string>;
}

/** Upper bounds, in milliseconds. */
export const LATENCY_BOUNDS_MS: readonly number[] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];

const MAX_SCOPE_SETS = 8;
const MAX_CONDITIONS = 16;
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

/** What was sent in one interval. */
export class UsageCounts {
  /** Whether there were more operations than are counted. */
  isIncomplete = false;
  readonly #bounds: UsageBounds;
  readonly #operations = new Map<string, OperationCounts>();
  /** Callers are remembered with their tokens: most have been seen before. */
  readonly #scopeTexts = new WeakMap<object, string>();
  #rows = 0;

  constructor(bounds: UsageBounds) {
    this.#bounds = bounds;
  }

  get operations(): readonly OperationCounts[] {
    return [...this.#operations.values()];
  }

  /** Constant work, whatever the operation. */
  count({ admitted, client, errorCode, durationMs }: CountedOperation): void {
    const counts = this.#countsOf(admitted);
    if (!counts) return;
    const row = this.#rowOf(counts, client, admitted.caller.context.clientId);
    row.requests += 1;
    row.lastMs = Date.now();
    const index = LATENCY_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
    const bucket = index < 0 ? LATENCY_BOUNDS_MS.length : index;
    row.latency[bucket] = (row.latency[bucket] ?? 0) + 1;
    if (errorCode !== undefined && (row.errors.has(errorCode) || row.errors.size < MAX_CODES))
      row.errors.set(errorCode, (row.errors.get(errorCode) ?? 0) + 1);
  }

  /** Adds what was counted later. */
  addAll(later: UsageCounts): void {
    this.isIncomplete ||= later.isIncomplete;
    for (const [key, counts] of later.#operations) {
      const own = this.#operations.get(key);
      if (own) this.#merge(own, counts);
      else if (this.#operations.size < this.#bounds.documents) this.#adopt(key, counts);
      else this.isIncomplete = true;
    }
  }

  #adopt(key: string, counts: OperationCounts): void {
    this.#operations.set(key, counts);
    this.#rows += counts.clients.size;
  }

  #merge(own: OperationCounts, later: OperationCounts): void {
    for (const scope of later.scopes) if (own.scopes.size < MAX_SCOPE_SETS) own.scopes.add(scope);
    for (const one of later.conditions) if (own.conditions.size < MAX_CONDITIONS) own.conditions.add(one);
    for (const { client, oauthClient, requests, lastMs, errors, latency } of later.clients.values()) {
      const row = this.#rowOf(own, client, oauthClient);
      row.requests += requests;
      row.lastMs = Math.max(row.lastMs, lastMs);
      for (const [code, count] of errors) row.errors.set(code, (row.errors.get(code) ?? 0) + count);
      latency.forEach((count, bucket) => (row.latency[bucket] = (row.latency[bucket] ?? 0) + count));
    }
  }

  #countsOf({ operation, supergraph, caller, decided }: AdmittedOperation): OperationCounts | undefined {
    let counts = this.#operations.get(operation.key);
    if (!counts) {
      if (this.#operations.size >= this.#bounds.documents) {
        this.isIncomplete = true;
        return undefined;
      }
      const { schema } = supergraph;
      counts = { operation, schema, clients: new Map(), scopes: new Set(), conditions: new Set() };
      this.#operations.set(operation.key, counts);
    }
    if (counts.scopes.size < MAX_SCOPE_SETS) counts.scopes.add(this.#scopesOf(caller));
    if (operation.conditionVariables.length > 0 && counts.conditions.size < MAX_CONDITIONS)
      counts.conditions.add(conditionsOf(operation, decided));
    return counts;
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
    { clients }: OperationCounts,
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
    const row = { ...sender, requests: 0, lastMs: 0, errors: new Map<string, number>(), latency: [] };
    clients.set(key, row);
    return row;
  }
}

const OTHER_CLIENT: ClientSoftware = { name: 'other', version: '' };
const OTHERS = 'other\n\n';

function conditionsOf({ conditionVariables }: Operation, decided: Decided): string {
  return JSON.stringify(Object.fromEntries(conditionVariables.map(({ name }) => [name, decided.isOn(name)])));
}
