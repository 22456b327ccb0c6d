import { Kind, parse } from 'graphql';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { Operation } from '../operation/operation.ts';
import type { PipelineServices } from './services.ts';

/** What warming needs of the services. */
export type WarmingServices = Pick<PipelineServices, 'supergraphs' | 'operationCacheOf' | 'planner'>;

/** How a warm-up ended, in operations. */
export interface WarmUp {
  readonly planned: number;
  readonly failed: number;
  /** Not reached before the deadline: they are planned when they are sent. */
  readonly left: number;
}

/** Called for each operation that could not be planned. */
export type WarmUpFailed = (operation: string, reason: unknown) => void;

/**
 * Validates and plans operations that are known before anybody sends them, such as those of a safelist, as callers with all
 * rights run them. Where variables decide conditions, once with all of them on and once with all of them off.
 *
 * @param deadlineMs milliseconds after which the rest is left
 */
export async function warmOperations(
  texts: Iterable<string>,
  services: WarmingServices,
  onFailure: WarmUpFailed,
  deadlineMs: number,
): Promise<WarmUp> {
  const signal = AbortSignal.timeout(deadlineMs);
  const supergraph = services.supergraphs.current();
  let [planned, failed, left] = [0, 0, 0];
  for (const text of texts) {
    if (signal.aborted) left += 1;
    else if (await warmDocument(text, supergraph, services, onFailure, signal)) planned += 1;
    else failed += 1;
    await nextTurn();
  }
  return { planned, failed, left };
}

async function warmDocument(
  text: string,
  supergraph: Supergraph,
  services: WarmingServices,
  onFailure: WarmUpFailed,
  signal: AbortSignal,
): Promise<boolean> {
  let name: string | undefined;
  try {
    const document = services.operationCacheOf(supergraph).document(text);
    for (name of operationNames(text))
      await warmOperation(document.operation(name), supergraph, services, signal);
    return true;
  } catch (error) {
    onFailure(name ?? text.slice(0, MAX_SHOWN_CHARACTERS), error);
    return false;
  }
}

const MAX_SHOWN_CHARACTERS = 100;

function operationNames(text: string): readonly (string | undefined)[] {
  return parse(text, { noLocation: true }).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value] : [],
  );
}

async function warmOperation(
  operation: Operation,
  supergraph: Supergraph,
  { planner }: WarmingServices,
  signal: AbortSignal,
): Promise<void> {
  const { conditionVariables } = operation;
  for (const value of conditionVariables.length === 0 ? [true] : [true, false]) {
    const variables = Object.fromEntries(
      conditionVariables.map(({ name, isCount }) => [name, isCount ? 0 : value]),
    );
    await planner.planOperation({ supergraph, operation, decided: operation.decide(variables) }, signal);
  }
}
