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

/** In the order of the visitors. */
interface Handlers {
  readonly ofKind: ReadonlyMap<Kind, readonly Handler[]>;
  /** Of kinds that no visitor names. */
  readonly ofOthers: readonly Handler[];
}

/**
 * Makes one visitor of many, for one visit. Each node is shown to all of them in their order, but for what one has skipped
 * (by `false`) or left (by `BREAK`); none of them may change the document. Other than graphql-js's `visitInParallel`, it does
 * not ask every visitor about each kind that there is: only about those that it names among its own keys.
 */
export function mergeVisitors(visitors: readonly ASTVisitor[]): MergedVisitor {
  const { ofKind, ofOthers } = handlersOf(visitors);
  return {
    enter(node, key, parent, path, ancestors) {
      for (const { visiting, enter } of ofKind.get(node.kind) ?? ofOthers) {
        if (!enter || visiting.skipped !== undefined) continue;
        const result = enter.call(visiting.visitor, node, key, parent, path, ancestors);
        if (result === false) visiting.skipped = node;
        else if (result === BREAK) visiting.skipped = 'everything';
      }
    },
    leave(node, key, parent, path, ancestors) {
      for (const { visiting, leave } of ofKind.get(node.kind) ?? ofOthers) {
        if (visiting.skipped === node) visiting.skipped = undefined;
        else if (leave && visiting.skipped === undefined) {
          const result = leave.call(visiting.visitor, node, key, parent, path, ancestors);
          if (result === BREAK) visiting.skipped = 'everything';
        }
      }
    },
  };
}

function handlersOf(visitors: readonly ASTVisitor[]): Handlers {
  const ofKind = new Map<Kind, Handler[]>();
  const ofOthers: Handler[] = [];
  for (const visitor of visitors) {
    const visiting: Visiting = { visitor, skipped: undefined };
    const { enter, leave } = visitor as Partial<MergedVisitor>;
    const seesOthers = enter !== undefined || leave !== undefined;
    const kinds = kindsOf(visitor);
    for (const kind of kinds) if (!ofKind.has(kind)) ofKind.set(kind, [...ofOthers]);
    for (const kind of seesOthers ? ofKind.keys() : kinds) ofKind.get(kind)?.push(handlerOf(visiting, kind));
    if (seesOthers) ofOthers.push({ visiting, enter, leave });
  }
  return { ofKind, ofOthers };
}

/** The kinds that a visitor names. */
function kindsOf(visitor: ASTVisitor): Kind[] {
  return Object.keys(visitor).filter((key): key is Kind => key !== 'enter' && key !== 'leave');
}

function handlerOf(visiting: Visiting, kind: Kind): Handler {
  // A handler for one kind is only called with nodes of that kind.
  const { enter, leave } = getEnterLeaveForKind(visiting.visitor, kind) as Partial<MergedVisitor>;
  return { visiting, enter, leave };
}
