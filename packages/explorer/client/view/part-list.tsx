import type { VNode } from 'preact';
import type { OperationState, Received } from '../operation/use-operation.ts';
import { useApp } from '../app-context.ts';

/** Each part or event as it came, the newest first. */
export function PartList({ state }: { readonly state: OperationState }): VNode {
  const { texts } = useApp();
  const titleOf = ({ number, milliseconds, time }: Received): string =>
    state.isStream ? texts.event(number, time.toLocaleTimeString()) : texts.part(number, milliseconds);
  return (
    <section class="parts" aria-label={texts.parts}>
      <h2>{texts.parts}</h2>
      <ol reversed start={state.count}>
        {state.received.toReversed().map((one) => (
          <li key={one.number}>
            <details>
              <summary>{titleOf(one)}</summary>
              <pre tabIndex={0}>{JSON.stringify(one.part, undefined, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
