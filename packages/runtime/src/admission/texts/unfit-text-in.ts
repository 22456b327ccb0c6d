import { characterProblem, type TextKind } from './character-problem.ts';

/** A text in a JSON value that must not be as it is. */
export interface UnfitText {
  /** The member that holds it, or whose name it is, dotted; empty for the value itself. */
  readonly path: string;
  readonly problem: string;
}

/**
 * Finds a text that must not be as it is, among all texts and names of members of a JSON value, however deep.
 */
export function unfitTextIn(value: unknown, kind: TextKind): UnfitText | undefined {
  const waiting: [path: string, value: unknown][] = [['', value]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, found] = next;
    const problem = typeof found === 'string' ? characterProblem(found, kind) : undefined;
    if (problem !== undefined) return { path, problem };
    if (typeof found !== 'object' || found === null) continue;
    for (const [name, member] of Object.entries(found)) {
      const nameProblem = characterProblem(name, kind);
      if (nameProblem !== undefined) return { path, problem: `has a name that ${nameProblem}` };
      waiting.push([path === '' ? name : `${path}.${name}`, member]);
    }
  }
  return undefined;
}
