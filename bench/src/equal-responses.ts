import { isDeepStrictEqual } from 'node:util';
import { joinParts } from './join-parts.ts';
import { askOnce } from './load.ts';
import type { Operation } from './operations.ts';
import type { Scenario } from './scenarios.ts';
import type { TargetProcess } from './target-process.ts';

/** What is asked. */
type Asked = Pick<TargetProcess, 'name' | 'url'>;

/** A target that does not answer a scenario as ours does. */
export interface Difference {
  readonly scenario: string;
  readonly target: string;
  readonly kind: 'orders the members otherwise' | 'answers something else';
}

/**
 * Asks every target for every scenario's operations, or the first of them, and holds the responses against the first target's. The order
 * of members counts, because the specification of GraphQL fixes it (§7.2.2).
 */
export async function differingResponses(
  targets: readonly Asked[],
  scenarios: readonly Scenario[],
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const scenario of scenarios) differences.push(...(await compareScenario(targets, scenario)));
  return differences;
}

async function compareScenario(targets: readonly Asked[], scenario: Scenario): Promise<Difference[]> {
  const asked = targets.filter(({ name }) => !scenario.without?.includes(name));
  const responses = await Promise.all(asked.map(({ url }) => responsesOf(url, scenario)));
  if (responses[0] === NO_PARTS) throw new Error(`Our response to "${scenario.name}" has ${NO_PARTS}.`);
  return asked.flatMap(({ name: target }, index) => {
    const kind = describeDifference(responses[0], responses[index]);
    return kind ? [{ scenario: scenario.name, target, kind }] : [];
  });
}

const NO_PARTS = 'no parts that add up to the whole response';

async function responsesOf(url: string, scenario: Scenario): Promise<unknown> {
  const { compared = 1, whole: plain } = scenario;
  if (plain) return respondIncrementally(url, scenario, plain);
  const responses: unknown[] = [];
  for (let index = 0; index < compared; index += 1)
    responses.push(dataOf(await askOnce(url, scenario.operation(index, 0), scenario.accept)));
  return responses;
}

/** Where there is no response in parts, that is the difference. */
async function respondIncrementally(url: string, scenario: Scenario, plain: Operation): Promise<unknown> {
  const parts = joinParts(await askOnce(url, scenario.operation(0, 0), scenario.accept));
  const whole = dataOf(await askOnce(url, plain));
  return isDeepStrictEqual(parts, whole) ? parts : NO_PARTS;
}

function describeDifference(expected: unknown, actual: unknown): Difference['kind'] | undefined {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return undefined;
  return isDeepStrictEqual(actual, expected) ? 'orders the members otherwise' : 'answers something else';
}

function dataOf(response: string): unknown {
  const { data, errors } = JSON.parse(response) as { data?: unknown; errors?: unknown };
  return errors === undefined ? data : { data, errors };
}
