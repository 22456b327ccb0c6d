import type { Analysis } from '../fold/selection-fold.ts';

/** How many more levels a field allows below it, by coordinate (`Post.comments`), from `@depthAllowance`. */
export type DepthAllowances = ReadonlyMap<string, number>;

/** A path through the operation: its length, and the largest allowance of a field on it. */
export interface DepthPath {
  readonly depth: number;
  readonly allowance: number;
}

/**
 * Paths of which each may be the one that exceeds most what is allowed to it, whatever is allowed above: the deeper, the larger
 * its allowance. There are as many as there are different allowances.
 */
export type DepthPaths = readonly DepthPath[];

const NO_PATHS: DepthPaths = Object.freeze([]);

/** Finds the longest paths. What is below introspection counts nothing. See docs/errors.md#limits. */
export function depthAnalysis(allowances: DepthAllowances): Analysis<DepthPaths> {
  return {
    none: NO_PATHS,
    field({ node, parent, isIntrospection }, below) {
      const own = allowances.size === 0 ? 0 : (allowances.get(`${parent?.name}.${node.name.value}`) ?? 0);
      const [path, another] = below;
      if (!path || isIntrospection) return single(1, own);
      if (!another) return single(path.depth + 1, Math.max(path.allowance, own));
      return worthwhile(
        below.map(({ depth, allowance }) => ({ depth: depth + 1, allowance: Math.max(allowance, own) })),
      );
    },
    combine(parts) {
      const [first] = parts;
      let deepest: DepthPaths = first ?? NO_PATHS;
      for (const part of parts) {
        if (part.length > 1 || part[0]?.allowance !== deepest[0]?.allowance) return worthwhile(parts.flat());
        if (depthOf(part) > depthOf(deepest)) deepest = part;
      }
      return deepest;
    },
  };
}

/** The path that exceeds what is allowed to it by most. */
export function worstOf(paths: DepthPaths): DepthPath {
  let worst: DepthPath | undefined;
  for (const path of paths)
    if (!worst || path.depth - path.allowance > worst.depth - worst.allowance) worst = path;
  return worst ?? { depth: 0, allowance: 0 };
}

function depthOf([path]: DepthPaths): number {
  return path?.depth ?? 0;
}

const LEAF: DepthPaths = Object.freeze([Object.freeze({ depth: 1, allowance: 0 })]);

function single(depth: number, allowance: number): DepthPaths {
  return depth === 1 && allowance === 0 ? LEAF : [{ depth, allowance }];
}

/** Without those that are no deeper than one with no larger allowance. */
function worthwhile(paths: DepthPaths): DepthPaths {
  const ordered = paths.toSorted(
    (left, right) => left.allowance - right.allowance || right.depth - left.depth,
  );
  let deepest = 0;
  return ordered.filter(({ depth }) => {
    if (depth <= deepest) return false;
    deepest = depth;
    return true;
  });
}
