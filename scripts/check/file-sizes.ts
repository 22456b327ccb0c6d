import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../programs/files-below.ts';

/** How long the files of a folder may be, in lines. */
export interface SizeBound {
  /** Relative to the repository. */
  readonly folder: string;
  readonly medianAtLeast: number;
  readonly medianAtMost: number;
  /** So many of its files may be shorter than {@link SHORT}. */
  readonly shortAtMost: number;
}

/** Lines: who reads shorter files walks more than they read. */
export const SHORT = 30;

/** The bounds that `npm run check` holds. */
export const sizeBounds: readonly SizeBound[] = [
  { folder: 'gateway/src', medianAtLeast: 90, medianAtMost: 110, shortAtMost: 30 },
];

/** What was counted. */
export interface FileSizes extends SizeBound {
  readonly files: number;
  readonly median: number;
  readonly short: number;
}

interface SizeVerdict {
  readonly passed: boolean;
  /** What is wrong. */
  readonly output: string;
  /** `gateway/src: 286 files, median 95 lines, 13 shorter than 30`. */
  readonly figures: string;
}

/** Product code: no tests, and nothing that is for tests or generated. */
const PRODUCT = /^(?!.*(?:^|\/)(?:testing|generated)\/).*(?<!\.test)\.ts$/;

/** Counts the lines of the folders that have a bound. */
export function countFileSizes(repository: string): readonly FileSizes[] {
  return sizeBounds.map((bound) => {
    const lines = filesBelow(repository, bound.folder)
      .filter((file) => PRODUCT.test(file))
      .map((file) => readFileSync(join(repository, file), 'utf8').split('\n').length - 1);
    return sizesOf(bound, lines);
  });
}

/** @param lines of each file */
export function sizesOf(bound: SizeBound, lines: readonly number[]): FileSizes {
  const sorted = lines.toSorted((left, right) => left - right);
  return {
    ...bound,
    files: lines.length,
    median: sorted[Math.floor(lines.length / 2)] ?? 0,
    short: lines.filter((count) => count < SHORT).length,
  };
}

/** Whether all are within their bounds. */
export function judgeFileSizes(sizes: readonly FileSizes[]): SizeVerdict {
  const output = sizes.flatMap(problemsOf);
  const figures = sizes.map(
    ({ folder, files, median, short }) =>
      `${folder}: ${files} files, median ${median} lines, ${short} shorter than ${SHORT}`,
  );
  return { passed: output.length === 0, output: output.join('\n'), figures: figures.join('; ') };
}

function problemsOf(sizes: FileSizes): readonly string[] {
  const { folder, median, medianAtLeast, medianAtMost, short, shortAtMost } = sizes;
  const isMedianFine = median >= medianAtLeast && median <= medianAtMost;
  return [
    ...(isMedianFine ? [] : [`${folder}: the median file has ${median} lines.`]),
    ...(short <= shortAtMost ? [] : [`${folder}: ${short} files have fewer than ${SHORT} lines.`]),
  ];
}
