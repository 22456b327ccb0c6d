import { stages, type Stage } from '../pipeline/stages.ts';

const table: readonly Stage[] = stages;

/**
 * Holds the table of stages against what a gateway has logged: an operation that ended in a stage ended with a code which that lists.
 *
 * @throws Error that names the first one that did not
 */
export function assertListedOutcomes(logged: readonly Readonly<Record<string, unknown>>[]): void {
  for (const { msg, stage, outcome } of logged) {
    if (msg !== 'operation ended' || stage === undefined) continue;
    const listed: readonly unknown[] = table.find(({ name }) => name === stage)?.errors ?? [];
    if (listed.includes(outcome) || endsAnyRun(outcome)) continue;
    throw new Error(
      `An operation ended in the stage ${JSON.stringify(stage)} with ${JSON.stringify(outcome)}, which that does not list.`,
    );
  }
}

/** What ends a run in any stage: its deadline passes, its client has disconnected, the process ends, or it fails inside. */
function endsAnyRun(outcome: unknown): boolean {
  return (
    outcome === 'GATEWAY_TIMEOUT' ||
    outcome === 'CLIENT_CLOSED_REQUEST' ||
    outcome === 'SHUTTING_DOWN' ||
    outcome === 'INTERNAL_SERVER_ERROR'
  );
}
