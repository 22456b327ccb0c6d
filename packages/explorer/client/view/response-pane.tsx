import type { VNode } from 'preact';
import { JsonEditor } from '../editor/json-editor.tsx';
import type { GraphResult } from '../operation/graph-result.ts';
import type { OperationState } from '../operation/use-operation.ts';
import { PlanPicture } from '../plan/plan-picture.tsx';
import { planOf, type QueryPlan } from '../plan/query-plan.ts';
import type { ExplorerTexts } from '../texts/explorer-texts.ts';
import { useApp } from '../app-context.ts';
import { ErrorList } from './error-list.tsx';
import { formatBytes } from '../plan/format-bytes.ts';
import { PartList } from './part-list.tsx';

/** Settings of {@link ResponsePane}. */
export interface ResponsePaneProps {
  readonly state: OperationState;
  /** The plan of what is written, before it is sent. */
  readonly planned: QueryPlan | undefined;
}

/** What has come back, and how it came about. */
export function ResponsePane({ state, planned }: ResponsePaneProps): VNode {
  const { texts } = useApp();
  const { result } = state;
  const run = planOf(result?.extensions);
  const plan = run ?? planned;
  const isProblem = state.status === 'failed' || state.status === 'reconnecting';
  return (
    <>
      <section class="pane" aria-label={texts.response}>
        <p class={isProblem ? 'status problem' : 'status'} role="status">
          {statusOf(state, texts)}
        </p>
        {result?.errors && result.errors.length > 0 && <ErrorList errors={result.errors} />}
        {result && (
          <JsonEditor label={texts.response} value={JSON.stringify(shownOf(result), undefined, 2)} />
        )}
        {(state.count > 1 || state.isStream) && <PartList state={state} />}
      </section>
      {plan && (
        <section class="pane plan" aria-label={texts.plan}>
          <h2>{texts.plan}</h2>
          <PlanPicture plan={plan} hasRun={run !== undefined} />
        </section>
      )}
    </>
  );
}

/** What the explorer has asked for itself is drawn, not written. */
const DRAWN: ReadonlySet<string> = new Set(['plan', 'cost', 'timings']);

/** Errors first, so that they are seen. */
function shownOf({ data, errors, extensions = {} }: GraphResult): object {
  const others = Object.entries(extensions).filter(([name]) => !DRAWN.has(name));
  return {
    ...(errors && { errors }),
    ...(data !== undefined && { data }),
    ...(others.length > 0 && { extensions: Object.fromEntries(others) }),
  };
}

function statusOf(state: OperationState, texts: ExplorerTexts): string {
  const { status, count, milliseconds, bytes, failure = '', result } = state;
  const errors = result?.errors?.length ?? 0;
  const done = texts.done(milliseconds, formatBytes(bytes));
  switch (status) {
    case 'idle':
      return texts.noResponse;
    case 'running':
      return state.isStream ? texts.streaming(count) : texts.running;
    case 'reconnecting':
      return texts.reconnecting;
    case 'done':
      return errors > 0 ? `${texts.errors(errors)}. ${done}` : done;
    case 'stopped':
      return texts.stopped;
    case 'failed':
      return texts.failed(failure);
    default:
      return status satisfies never;
  }
}
