import type { Operation } from '../operation/operation.ts';
import type { Decided } from '../operation/document/decided-conditions.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import type { ClientSoftware } from '../identity/caller.ts';
import type { CostSettings } from '../settings/cost.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { ClientCounts, Senders, type Sender } from './client-counts.ts';
import { VariableReaders, VariableUse } from './variable-use.ts';

/** How much is counted in an interval. */
export interface UsageBounds {
  /** Operations. */
  readonly documents: number;
  /** Clients of operations, all together. */
  readonly rows: number;
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
  readonly clients: Map<Sender, ClientCounts>;
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

/** Of one operation; with more, none are recorded: a check must not take those that it sees for all. */
const [MAX_SCOPE_SETS, MAX_CONDITIONS] = [8, 16];

/** What is counted of an answered operation. */
export interface CountedOperation {
  readonly admitted: AdmittedOperation;
  readonly client: ClientSoftware | undefined;
  /** The code of its first error; undefined without one. */
  readonly errorCode: string | undefined;
  /** When it was answered, by `performance.now()`. */
  readonly nowMs: number;
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
  readonly #senders: Senders;
  readonly #operations = new Map<string, OperationCounts>();
  /** The same, by what was made of each text: generations and settings have their own. */
  readonly #known = new WeakMap<Operation, OperationCounts>();
  /** Callers are remembered with their tokens: most have been seen before. */
  readonly #scopeTexts = new WeakMap<object, string>();
  #rows = 0;

  constructor(bounds: UsageBounds, readers: GraphReaders) {
    this.#bounds = bounds;
    this.#senders = new Senders(bounds.rows);
    this.#readers = readers;
  }

  get operations(): readonly OperationCounts[] {
    return [...this.#operations.values()];
  }

  /** Whether nothing was sent. */
  get isEmpty(): boolean {
    return this.#operations.size === 0 && !this.isIncomplete;
  }

  /** Constant work, whatever the operation; beside that it looks once at input objects and enum values in variables. */
  count({ admitted, client, errorCode, nowMs, durationMs }: CountedOperation): void {
    const counts = this.#countsOf(admitted);
    if (!counts) return;
    counts.variables.note(admitted);
    const sender = this.#senders.of(client, admitted.caller.context.clientId);
    this.#rowOf(counts, sender).count(nowMs, durationMs, errorCode);
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
  #rowOf({ clients, last }: OperationCounts, sender: Sender): ClientCounts {
    if (last.row?.sender === sender) return last.row;
    return (last.row = clients.get(sender) ?? this.#addRow(clients, sender));
  }

  #addRow(clients: Map<Sender, ClientCounts>, sender: Sender): ClientCounts {
    const counted = this.#rows < this.#bounds.rows ? sender : this.#senders.others;
    const known = clients.get(counted);
    if (known) return known;
    const row = new ClientCounts(counted);
    clients.set(counted, row);
    this.#rows += 1;
    return row;
  }
}

function conditionsOf({ conditionVariables }: Operation, decided: Decided): string {
  return JSON.stringify(Object.fromEntries(conditionVariables.map(({ name }) => [name, decided.isOn(name)])));
}
