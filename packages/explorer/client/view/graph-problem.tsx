import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';

/** Settings of {@link GraphProblem}. */
export interface GraphProblemProps {
  /** Messages of composition, with the places in the developer's files. */
  readonly problem: string;
}

/** Lies over the page while the newest supergraph is rejected. Closed, it comes again with the next problem. */
export function GraphProblem({ problem }: GraphProblemProps): VNode | null {
  const { texts } = useApp();
  const [closed, close] = useState<string>();
  if (closed === problem) return null;
  return (
    <div class="graph-problem" role="alert">
      <p>
        {texts.graphRejected}
        <button type="button" class="secondary" onClick={() => close(problem)}>
          {texts.hide}
        </button>
      </p>
      <pre tabIndex={0}>{problem}</pre>
    </div>
  );
}
