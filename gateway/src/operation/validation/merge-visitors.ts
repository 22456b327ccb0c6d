import { BREAK, getEnterLeaveForKind, type ASTNode, type ASTVisitor, type Kind } from 'graphql';

/** What is done at a node: when the visit comes to it, or when it leaves it. The arguments are those of graphql-js's `visit`. */
type VisitNode = (
  node: ASTNode,
  key: string | number | undefined,
  parent: ASTNode | readonly ASTNode[] | undefined,
  path: readonly (string | number)[],
  ancestors: readonly (ASTNode | readonly ASTNode[])[],
) => unknown;

/** Many visitors as one. */
export interface MergedVisitor {
  readonly enter: VisitNode;
  readonly leave: VisitNode;
}

/** One of the visitors, and what it does not want to see. */
interface Visiting {
  readonly visitor: ASTVisitor;
  /** The node below which it sees nothing. */
  skipped: ASTNode | 'everything' | undefined;
}

/** What one visitor does at nodes of one kind. */
interface Handler {
  readonly visiting: Visiting;
  readonly enter: VisitNode | undefined;
  readonly leave: VisitNode | undefined;
}

/**
 * Makes one visitor of many, for one visit. Each node is shown to all of them in their order, but for what one has skipped
 * (by `false`) or left (by `BREAK`); none of them may change the document. Other than graphql-js's `visitInParallel`, it does
 * not ask every visitor about each kind that there is: only about kinds that the document has, and only visitors that name them.
 *
 * @param interests of such visitors; learned from these when absent
 */
export function mergeVisitors(
  visitors: readonly ASTVisitor[],
  interests: Interests = new Interests(visitors),
): MergedVisitor {
  const all = visitors.map((visitor): Visiting => ({ visitor, skipped: undefined }));
  const ofKind = new Map<Kind, readonly Handler[]>();
  const handlersOf = (kind: Kind): readonly Handler[] => {
    const handlers = interests.in(kind).map((index) => handlerOf(all[index] as Visiting, kind)); // there are as many
    ofKind.set(kind, handlers);
    return handlers;
  };
  return {
    enter(node, key, parent, path, ancestors) {
      for (const { visiting, enter } of ofKind.get(node.kind) ?? handlersOf(node.kind)) {
        if (!enter || visiting.skipped !== undefined) continue;
        const result = enter.call(visiting.visitor, node, key, parent, path, ancestors);
        if (result === false) visiting.skipped = node;
        else if (result === BREAK) visiting.skipped = 'everything';
      }
    },
    leave(node, key, parent, path, ancestors) {
      for (const { visiting, leave } of ofKind.get(node.kind) ?? handlersOf(node.kind)) {
        if (visiting.skipped === node) visiting.skipped = undefined;
        else if (leave && visiting.skipped === undefined) {
          const result = leave.call(visiting.visitor, node, key, parent, path, ancestors);
          if (result === BREAK) visiting.skipped = 'everything';
        }
      }
    },
  };
}

/** Which visitors of a list want to see nodes of a kind. The same rules make visitors that want the same of every document. */
export class Interests {
  readonly #named: readonly ReadonlySet<string>[];
  readonly #ofKind = new Map<Kind, readonly number[]>();

  /** @param visitors for any document */
  constructor(visitors: readonly ASTVisitor[]) {
    this.#named = visitors.map((visitor) => new Set(Object.keys(visitor)));
  }

  /** @returns places in the list, in its order */
  in(kind: Kind): readonly number[] {
    let places = this.#ofKind.get(kind);
    if (!places) {
      places = this.#named.flatMap((names, place) =>
        names.has(kind) || names.has('enter') || names.has('leave') ? [place] : [],
      );
      this.#ofKind.set(kind, places);
    }
    return places;
  }
}

function handlerOf(visiting: Visiting, kind: Kind): Handler {
  // A handler for one kind is only called with nodes of that kind.
  const { enter, leave } = getEnterLeaveForKind(visiting.visitor, kind) as Partial<MergedVisitor>;
  return { visiting, enter, leave };
}
