import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
/** Product code: no tests, no fixtures, no packages of others. */
const PRODUCT = /^(?:gateway|packages\/[^/]+)\/src\/(?!testing\/).*(?<!\.test)\.ts$/;

/** What one run of something has called. */
export interface Walk {
  /** Relative to the repository, sorted. */
  readonly files: readonly string[];
  /** Functions that were called, and calls. */
  readonly functions: number;
  readonly calls: number;
}

/**
 * Counts which product files a piece of work runs through, by the precise coverage of V8. The process must do nothing else
 * meanwhile, and the work be warm: modules that are loaded run through all they import.
 */
export async function walk(work: () => Promise<unknown>): Promise<Walk> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage'); // what came before
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return walkOf(result);
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

function walkOf(scripts: readonly CoveredScript[]): Walk {
  const counted = scripts
    .map(({ url, functions }) => ({
      file: productFile(url),
      counts: functions.map(({ ranges: [range] }) => range?.count ?? 0).filter((count) => count > 0),
    }))
    .filter(({ file, counts }) => file !== undefined && counts.length > 0);
  return {
    files: [...new Set(counted.map(({ file = '' }) => file))].toSorted(),
    functions: counted.reduce((sum, { counts }) => sum + counts.length, 0),
    calls: counted.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0),
  };
}

/** @returns nothing for what is no product file */
function productFile(url: string): string | undefined {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const inside = relative(repository, path).replace(/\?.*$/, '');
  return PRODUCT.test(inside) ? inside : undefined;
}
