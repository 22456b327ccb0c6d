import { changeOf, type Change } from './change.ts';
import type { CachingHint, ReadGraph } from './graph-meaning.ts';
import { isVisible } from './visible-coordinates.ts';

/** Compares how long responses with a field or type may be stored, and for whom. */
export function compareCaching(before: ReadGraph, after: ReadGraph): readonly Change[] {
  const [former, latter] = [before.meaning.caching, after.meaning.caching];
  const coordinates = new Set([...former.keys(), ...latter.keys()]);
  const visible = [...coordinates].filter(
    (coordinate) => isVisible(before.apiSchema, coordinate) && isVisible(after.apiSchema, coordinate),
  );
  return visible.flatMap((coordinate) => [
    ...compareScope(coordinate, former.get(coordinate), latter.get(coordinate)),
    ...compareAge(coordinate, former.get(coordinate), latter.get(coordinate)),
  ]);
}

type Hint = CachingHint | undefined;

function compareScope(coordinate: string, before: Hint, after: Hint): readonly Change[] {
  const [was, is] = [before?.isPrivate ?? false, after?.isPrivate ?? false];
  if (was === is) return [];
  if (is)
    return [changeOf('CACHE_MADE_PRIVATE', coordinate, `Responses with ${coordinate} are PRIVATE now.`)];
  if (after?.maxAgeS === 0) return []; // never stored
  return [
    changeOf('CACHE_MADE_PUBLIC', coordinate, `Responses with ${coordinate} are not PRIVATE any more.`),
  ];
}

function compareAge(coordinate: string, before: Hint, after: Hint): readonly Change[] {
  const [was, is] = [before?.maxAgeS, after?.maxAgeS];
  if (was === is) return [];
  const message = `Responses with ${coordinate} may be stored for ${describe(is)} now; it was ${describe(was)}.`;
  const isRaised = (is ?? 0) > (was ?? 0);
  return [changeOf(isRaised ? 'CACHE_AGE_RAISED' : 'CACHE_AGE_LOWERED', coordinate, message)];
}

function describe(maxAgeS: number | undefined): string {
  return maxAgeS === undefined ? 'as long as the rest allows' : `${maxAgeS} s`;
}
