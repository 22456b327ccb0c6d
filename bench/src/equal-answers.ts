import { isDeepStrictEqual } from 'node:util';
import { askOnce } from './load.ts';
import type { Scenario } from './scenarios.ts';
import type { TargetProcess } from './target-process.ts';

/**
 * Asks every target for every scenario's first operation. The order of members counts, because the specification of
 * GraphQL fixes it (§7.2.2).
 *
 * @returns one sentence a difference from the first target's answer; empty when all agree
 */
export async function differingAnswers(
  targets: readonly TargetProcess[],
  scenarios: readonly Scenario[],
): Promise<string[]> {
  const differences: string[] = [];
  for (const scenario of scenarios) differences.push(...(await compareScenario(targets, scenario)));
  return differences;
}

async function compareScenario(targets: readonly TargetProcess[], scenario: Scenario): Promise<string[]> {
  const asked = targets.filter(({ name }) => !scenario.without?.includes(name));
  const answers = await Promise.all(asked.map(({ url }) => askOnce(url, scenario.operation(0)).then(dataOf)));
  return asked.flatMap(({ name }, index) =>
    describeDifference(scenario.name, name, answers[0], answers[index]),
  );
}

function describeDifference(scenario: string, target: string, expected: unknown, actual: unknown): string[] {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return [];
  const kind = isDeepStrictEqual(actual, expected)
    ? 'orders the members otherwise'
    : 'answers something else';
  return [`${scenario}: ${target} ${kind}.`];
}

function dataOf(answer: string): unknown {
  const { data, errors } = JSON.parse(answer) as { data?: unknown; errors?: unknown };
  return errors === undefined ? data : { data, errors };
}
