import { differingResponses } from '../equal-responses.ts';
import { applyLoad } from '../load.ts';
import type { Operation } from '../operations.ts';
import type { Scenario } from '../scenarios.ts';
import type { TargetProcess } from '../target-process.ts';
import type { PairedSide, PairedWork } from './paired-work.ts';

/**
 * The requests of a scenario as work of two gateways.
 *
 * @throws Error when both do not answer alike
 */
export async function pairedRequests(
  scenario: Scenario,
  before: TargetProcess,
  now: TargetProcess,
): Promise<PairedWork> {
  const [difference] = await differingResponses([before, now], [scenario]);
  if (difference) throw new Error(`${scenario.name}: ${difference.target} ${difference.kind}.`);
  return { name: scenario.name, unit: 'request', before: side(scenario, before), now: side(scenario, now) };
}

function side(scenario: Scenario, target: TargetProcess): PairedSide {
  return {
    target,
    async perform(round) {
      const operation = (index: number): Operation => scenario.operation(index, round);
      const { requests } = await applyLoad({ ...scenario, url: target.url, operation });
      return requests;
    },
  };
}
