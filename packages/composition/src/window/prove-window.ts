import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { SupergraphDocument } from '../changes/supergraph-document.ts';
import type { RecordedOperation } from '../operations/recorded-operation.ts';
import { InputIndex, operationUses } from '../operations/operation-uses.ts';
import { requestsOf, type Usage, type UsedOperation } from '../operations/usage.ts';
import { checkFetch, type PlanOrigin } from './check-fetch.ts';
import { closeOverFieldSets } from './close-over-field-sets.ts';
import { orderOfDeployment, type DeploymentOrder, type SubgraphOrder } from './order-of-deployment.ts';
import type { PlannedFetch, PlannedOperation } from './planned-operation.ts';
import { ProbeWriter } from './probes.ts';
import {
  compareSubgraphs,
  parseSubgraph,
  type ParsedSubgraph,
  type SchemaDifferences,
} from './schema-differences.ts';
import { splitOperation, textOfPart } from './split-operation.ts';
import { SubgraphVersion } from './subgraph-version.ts';
import type { Violation } from './violation.ts';

/** One side of a change. */
export interface WindowSide {
  readonly supergraph: SupergraphDocument;
  readonly apiSchema: GraphQLSchema;
  /** Each subgraph's own schema, by name. */
  readonly subgraphs: ReadonlyMap<string, string>;
  /** Plans an operation as the gateway would. */
  readonly plan: (operation: RecordedOperation) => Promise<PlannedOperation>;
}

/** An operation whose plan differs, or that has none any more. */
export interface PlanDifference {
  readonly operation: RecordedOperation;
  readonly before: PlannedOperation;
  readonly after: PlannedOperation;
}

/** What is known of the time between deploying subgraphs and publishing the supergraph. */
export interface WindowProof extends DeploymentOrder {
  readonly subgraphs: readonly SubgraphOrder[];
  readonly differences: readonly PlanDifference[];
  /** How many recorded operations were planned. */
  readonly operations: number;
  readonly probes: number;
  /** More than were planned. */
  readonly probesLeftOut: number;
  /** Operations with a plan that differs, in requests, depth or cost, and is not among the differences. Each has a plan. */
  readonly plansLeftOut: number;
  readonly fetches: number;
}

/** How much is planned of a change. */
export interface WindowBounds {
  /** Of probes, all together. @default 2000 */
  readonly maxProbes?: number;
  /** Of operations with parts whose plans differ: these are planned as a whole. Those that lose their plan count for nothing. @default 200 */
  readonly maxComparedPlans?: number;
  /** Ends it between two operations. @default never */
  readonly signal?: AbortSignal | undefined;
}

const MAX_PROBES = 2_000;
const MAX_COMPARED_PLANS = 200;

/** After so many, the event loop turns, for what else the process does. */
const OPERATIONS_PER_TURN = 50;

/**
 * Proves in which order subgraphs are deployed and the supergraph is published. In between, plans of either side meet either version of
 * each subgraph that changed: each fetch of recorded operations, and of probes for what no operation uses, is checked against the
 * version of the other side. What fails at the version of its own side fails in any order, and is left out. Every operation that loses
 * its plan is found.
 *
 * @returns nothing where no subgraph changed
 */
export async function proveWindow(
  before: WindowSide,
  after: WindowSide,
  usage: Usage | undefined,
  { maxProbes = MAX_PROBES, maxComparedPlans = MAX_COMPARED_PLANS, signal }: WindowBounds = {},
): Promise<WindowProof | undefined> {
  const proof = new Proof(before, after, signal);
  if (proof.changed.size === 0) return undefined;
  const recorded = usage ? usage.using([...proof.concerned]) : [];
  const differing = await proof.readOperations(proof.partsOf(recorded).keys());
  const lost = proof.wholesOf(differing.filter(({ after: { kind } }) => kind === 'unplannable'));
  const others = [...proof.wholesOf(differing)].filter((operation) => !lost.has(operation));
  const compared = [...lost, ...busiest(others).slice(0, maxComparedPlans)];
  const differences = await proof.readOperations(compared.map((operation) => operation.recorded));
  const allProbes = proof.probes(usage);
  const probes = allProbes.slice(0, maxProbes);
  await proof.readOperations(probes);
  const subgraphs = proof.orders();
  return {
    ...orderOfDeployment(subgraphs),
    subgraphs,
    differences,
    operations: recorded.length,
    probes: probes.length,
    probesLeftOut: allProbes.length - probes.length,
    plansLeftOut: lost.size + others.length - compared.length,
    fetches: proof.fetches,
  };
}

function busiest(operations: readonly UsedOperation[]): readonly UsedOperation[] {
  return operations.toSorted((left, right) => requestsOf(right) - requestsOf(left));
}

interface ChangedSubgraph {
  readonly differences: SchemaDifferences;
  readonly before: SubgraphVersion | undefined;
  readonly after: SubgraphVersion | undefined;
  readonly deployFirst: Map<string, Violation>;
  readonly publishFirst: Map<string, Violation>;
}

class Proof {
  readonly changed: ReadonlyMap<string, ChangedSubgraph>;
  /** Types, and fields of root types, whose operations are planned. */
  readonly concerned: ReadonlySet<string>;
  fetches = 0;
  readonly #signal: AbortSignal | undefined;
  readonly #before: WindowSide;
  readonly #after: WindowSide;
  readonly #origins: { readonly before: PlanOrigin; readonly after: PlanOrigin };
  readonly #checked = new Set<string>();
  readonly #wholes = new Map<RecordedOperation, Set<UsedOperation>>();

  constructor(before: WindowSide, after: WindowSide, signal?: AbortSignal) {
    this.#signal = signal;
    this.#before = before;
    this.#after = after;
    this.changed = changedSubgraphs(before.subgraphs, after.subgraphs);
    this.#origins = { before: originOf(before), after: originOf(after) };
    const own = new Set([...this.changed.values()].flatMap(({ differences }) => [...differences.concerned]));
    const whole = {
      structure: after.supergraph.structure,
      schema: this.#origins.after.supergraph,
    };
    const former = {
      structure: before.supergraph.structure,
      schema: this.#origins.before.supergraph,
    };
    this.concerned = [former, whole].reduce<ReadonlySet<string>>(
      (all, { structure, schema }) => closeOverFieldSets(all, structure, schema),
      own,
    );
  }

  /** The parts of operations that use what is concerned, each once, with the operations that have it. */
  partsOf(operations: readonly UsedOperation[]): ReadonlyMap<RecordedOperation, ReadonlySet<UsedOperation>> {
    const inputs = new InputIndex();
    const byText = new Map<string, RecordedOperation | undefined>();
    for (const operation of operations) {
      const { conditions } = operation.recorded;
      for (const part of splitOperation(operation.document, operation.recorded.operationName)) {
        const document = textOfPart(part);
        const key = `${document} ${JSON.stringify(conditions)}`;
        if (!byText.has(key)) {
          const { coordinates } = operationUses(part, this.#before.apiSchema, inputs);
          const isConcerned = [...coordinates].some((coordinate) => this.concerned.has(coordinate));
          byText.set(key, isConcerned ? { id: key, document, clients: [], conditions } : undefined);
        }
        const known = byText.get(key);
        if (known) this.#wholes.set(known, (this.#wholes.get(known) ?? new Set()).add(operation));
      }
    }
    return this.#wholes;
  }

  /** The operations with parts whose plans differ. */
  wholesOf(differences: readonly PlanDifference[]): ReadonlySet<UsedOperation> {
    return new Set(differences.flatMap(({ operation }) => [...(this.#wholes.get(operation) ?? [])]));
  }

  /** Plans operations on both sides, and checks what they send to subgraphs that changed. */
  async readOperations(operations: Iterable<RecordedOperation>): Promise<readonly PlanDifference[]> {
    const differences: PlanDifference[] = [];
    let count = 0;
    for (const operation of operations) {
      count += 1;
      if (count % OPERATIONS_PER_TURN === 0) await nextTurn(undefined, { signal: this.#signal });
      const [before, after] = [await this.#before.plan(operation), await this.#after.plan(operation)];
      if (before.kind === 'planned') for (const fetch of before.fetches) this.#check(fetch, 'before');
      if (after.kind === 'planned') for (const fetch of after.fetches) this.#check(fetch, 'after');
      if (isDifferent(before, after)) differences.push({ operation, before, after });
    }
    return differences;
  }

  /** With a complete record, what is removed and unused needs none. */
  probes(usage: Usage | undefined): readonly RecordedOperation[] {
    const writers = {
      before: new ProbeWriter(this.#before.apiSchema),
      after: new ProbeWriter(this.#after.apiSchema),
    };
    const sides = usage?.isComplete ? (['after'] as const) : (['before', 'after'] as const);
    const texts = new Set<string>();
    for (const { differences } of this.changed.values())
      for (const side of sides) {
        for (const field of differences.fields)
          for (const text of writers[side].forField(field)) texts.add(text);
        for (const type of differences.types) for (const text of writers[side].forType(type)) texts.add(text);
        for (const name of typesOfFields(differences))
          for (const text of writers[side].forInput(name)) texts.add(text);
      }
    return [...texts].map((document) => ({ id: document, document, clients: [] }));
  }

  orders(): readonly SubgraphOrder[] {
    return [...this.changed].map(([subgraph, { before, after, deployFirst, publishFirst }]) => ({
      subgraph,
      kind: before && after ? 'changed' : before ? 'removed' : 'added',
      deployFirst: [...deployFirst.values()],
      publishFirst: [...publishFirst.values()],
    }));
  }

  #check(fetch: PlannedFetch, side: 'before' | 'after'): void {
    const changed = this.changed.get(fetch.subgraph);
    const key = `${side} ${fetch.subgraph} ${fetch.operation} ${JSON.stringify(fetch.requires)}`;
    if (!changed || this.#checked.has(key)) return;
    this.#checked.add(key);
    this.fetches += 1;
    const origin = this.#origins[side];
    const [own, other] =
      side === 'before' ? [changed.before, changed.after] : [changed.after, changed.before];
    const target = side === 'before' ? changed.publishFirst : changed.deployFirst;
    const usual = new Set(own ? checkFetch(fetch, origin, own).map(keyOf) : []);
    const found = other ? checkFetch(fetch, origin, other) : [absent(fetch.subgraph)];
    for (const violation of found) if (!usual.has(keyOf(violation))) target.set(keyOf(violation), violation);
  }
}

function keyOf({ rule, message }: Violation): string {
  return `${rule} ${message}`;
}

function absent(subgraph: string): Violation {
  return { rule: 'text', message: `There is no subgraph ${subgraph}.` };
}

function originOf({ supergraph, apiSchema }: WindowSide): PlanOrigin {
  return { supergraph: supergraph.schema, api: apiSchema };
}

function changedSubgraphs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): ReadonlyMap<string, ChangedSubgraph> {
  const changed = new Map<string, ChangedSubgraph>();
  for (const name of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === is) continue;
    const [former, latter] = [parsed(was), parsed(is)];
    const differences = compareSubgraphs(former, latter);
    const { fields, types, concerned } = differences;
    if (fields.size + types.size + concerned.size === 0 && former && latter) continue;
    changed.set(name, {
      differences,
      before: former && new SubgraphVersion(former.document),
      after: latter && new SubgraphVersion(latter.document),
      deployFirst: new Map(),
      publishFirst: new Map(),
    });
  }
  return changed;
}

function parsed(sdl: string | undefined): ParsedSubgraph | undefined {
  return sdl === undefined ? undefined : parseSubgraph(sdl);
}

/** Inputs have fields that no operation asks for: their probes take them. */
function typesOfFields({ fields }: SchemaDifferences): ReadonlySet<string> {
  return new Set([...fields].map((coordinate) => coordinate.split('.')[0] ?? ''));
}

function isDifferent(before: PlannedOperation, after: PlannedOperation): boolean {
  if (before.kind === 'planned' && after.kind === 'planned')
    return before.requests !== after.requests || before.depth !== after.depth || before.cost !== after.cost;
  return before.kind === 'planned' && after.kind === 'unplannable';
}
