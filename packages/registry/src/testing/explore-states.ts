/** A system of which every reachable state is visited. */
export interface Model<State> {
  readonly initial: State;
  /** Every step that anyone could do next. */
  readonly steps: (state: State) => readonly Step<State>[];
  /** The same for the same state, and short. */
  readonly keyOf: (state: State) => string;
  /** What must never be: a sentence where it is. */
  readonly violation: (state: State) => string | undefined;
}

/** One step to another state. */
export interface Step<State> {
  readonly label: string;
  readonly state: State;
}

/** What exploring has found. */
export interface Exploration {
  readonly states: number;
  /** The shortest way to what must never be. */
  readonly counterexample?: { readonly violation: string; readonly trace: readonly string[] };
}

/** More would not fit into memory. */
const MAX_STATES = 3_000_000;

/** Visits every reachable state, the nearest first, and ends at the first that must not be. */
export function exploreStates<State>({ initial, steps, keyOf, violation }: Model<State>): Exploration {
  const keys = new Set<string>();
  const visited: { readonly state: State; readonly from: number; readonly label: string }[] = [];
  const visit = (state: State, from: number, label: string): void => {
    const key = keyOf(state);
    if (keys.has(key)) return;
    keys.add(key);
    visited.push({ state, from, label });
  };
  visit(initial, -1, '');
  for (let index = 0; index < visited.length; index += 1) {
    const at = visited[index];
    if (!at) break;
    const found = violation(at.state);
    if (found !== undefined)
      return { states: visited.length, counterexample: { violation: found, trace: traceTo(visited, index) } };
    for (const { label, state } of steps(at.state)) visit(state, index, label);
    if (visited.length > MAX_STATES) throw new Error(`There are more than ${MAX_STATES} states.`);
  }
  return { states: visited.length };
}

function traceTo(
  visited: readonly { readonly from: number; readonly label: string }[],
  last: number,
): readonly string[] {
  const trace: string[] = [];
  for (let index = last; index > 0; index = visited[index]?.from ?? 0)
    trace.unshift(visited[index]?.label ?? '');
  return trace;
}
