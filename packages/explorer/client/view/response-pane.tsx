import type { VNode } from 'preact';
import { JsonEditor } from '../editor/json-editor.tsx';
import type { OperationState } from '../operation/use-operation.ts';
import type { ExplorerTexts } from '../texts/explorer-texts.ts';
import { useApp } from './app-context.ts';
import { formatBytes } from './format-bytes.ts';
import { PartList } from './part-list.tsx';

/** What has come back. */
export function ResponsePane({ state }: { readonly state: OperationState }): VNode {
  const { texts } = useApp();
  const { result } = state;
  return (
    <section class="pane" aria-label={texts.response}>
      <p
        class={state.status === 'failed' || state.status === 'reconnecting' ? 'status problem' : 'status'}
        role="status"
      >
        {statusOf(state, texts)}
      </p>
      {result && <JsonEditor label={texts.response} value={JSON.stringify(shownOf(result), undefined, 2)} />}
      {state.count > 1 || state.isStream ? <PartList state={state} /> : null}
    </section>
  );
}

/** Errors first, so that they are seen. */
function shownOf({ data, errors, extensions }: NonNullable<OperationState['result']>): object {
  return {
    ...(errors && { errors }),
    ...(data !== undefined && { data }),
    ...(extensions && { extensions }),
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
