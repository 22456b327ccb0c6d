import { readFile } from 'node:fs/promises';
import { checkSupergraph, openRootFields, type ApiChange, type ApiChanges } from '@trellis/composition';
import { composeAndReport } from './compose-command.ts';
import type { Output } from './output.ts';

/**
 * Composes a configuration and lists what clients of the supergraph in a file would notice, and what anonymous callers may ask for.
 *
 * @returns whether it composed and nothing is breaking
 */
export async function checkCommand(config: string, againstFile: string, output: Output): Promise<boolean> {
  const against = await readFile(againstFile, 'utf8');
  const supergraph = await composeAndReport(config, output);
  if (supergraph === undefined) return false;
  const changes = compare(supergraph, against, againstFile, output);
  if (!changes) return false;
  output.out(report(changes) + reportOpen(openRootFields(supergraph)));
  return changes.breaking.length === 0;
}

function compare(
  supergraph: string,
  against: string,
  againstFile: string,
  output: Output,
): ApiChanges | undefined {
  try {
    return checkSupergraph(supergraph, against);
  } catch (error) {
    output.error(
      `error: ${againstFile} is not a supergraph: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return undefined;
  }
}

function report({ breaking, dangerous }: ApiChanges): string {
  const line = (kind: string, { coordinate, type, description }: ApiChange): string =>
    `${kind}: ${coordinate}: ${type}: ${description}\n`;
  return [
    ...breaking.map((change) => line('breaking', change)),
    ...dangerous.map((change) => line('dangerous', change)),
    `${breaking.length} breaking, ${dangerous.length} dangerous\n`,
  ].join('');
}

/** No failure: a graph may be public. */
function reportOpen(coordinates: readonly string[]): string {
  if (coordinates.length === 0) return '';
  return `open to anonymous callers: ${coordinates.join(', ')}\n`;
}
