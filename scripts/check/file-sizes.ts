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

/** Lines from which a file asks to be two. */
export const LONG = 300;

/** Product folders whose long files are counted, and how many of them there may be: one thing each that has no two names. */
const longFiles = {
  folders: ['gateway/src', 'auth-server/src', 'cli/src', 'packages', 'services', 'scripts'],
  atMost: 2,
};

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
const PRODUCT = /^(?!.*(?:^|\/)(?:testing|generated|dist|node_modules|proofs)\/).*(?<!\.test)\.ts$/;

/** Counts the lines of the folders that have a bound. */
export function countFileSizes(repository: string): readonly FileSizes[] {
  return sizeBounds.map((bound) => {
    return sizesOf(
      bound,
      productFiles(repository, bound.folder).map(({ lines }) => lines),
    );
  });
}

interface ProductFile {
  readonly path: string;
  readonly lines: number;
}

function productFiles(repository: string, folder: string): readonly ProductFile[] {
  return filesBelow(repository, folder)
    .filter((file) => PRODUCT.test(file))
    .map((path) => ({ path, lines: readFileSync(join(repository, path), 'utf8').split('\n').length - 1 }));
}

/** Product files of more than {@link LONG} lines, the longest first. */
export function findLongFiles(repository: string): readonly string[] {
  return longFiles.folders
    .flatMap((folder) => productFiles(repository, folder))
    .filter(({ lines }) => lines > LONG)
    .toSorted((one, other) => other.lines - one.lines)
    .map(({ path, lines }) => `${path} (${lines})`);
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

/** Whether all are within their bounds. @param long files of more than {@link LONG} lines */
export function judgeFileSizes(sizes: readonly FileSizes[], long: readonly string[]): SizeVerdict {
  const tooMany = long.length > longFiles.atMost;
  const tooLong = tooMany ? [`${long.length} files have more than ${LONG} lines: ${long.join(', ')}.`] : [];
  const output = [...sizes.flatMap(problemsOf), ...tooLong];
  const figures = sizes.map(
    ({ folder, files, median, short }) =>
      `${folder}: ${files} files, median ${median} lines, ${short} shorter than ${SHORT}`,
  );
  figures.push(`longer than ${LONG}: ${long.join(', ') || 'none'}`);
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
