import {
  composeSupergraph,
  formatDiagnostic,
  readSupergraphConfig,
  type Composition,
} from '@trellis/composition';
import { writeFileAtomically } from './write-file-atomically.ts';
import type { Output } from './output.ts';

/**
 * Composes a configuration into a file, or onto the standard output.
 *
 * @returns whether it composed
 */
export async function composeCommand(
  config: string,
  outputFile: string | undefined,
  output: Output,
): Promise<boolean> {
  const supergraph = await composeAndReport(config, output);
  if (supergraph === undefined) return false;
  if (outputFile === undefined) output.out(supergraph);
  else await writeFileAtomically(outputFile, supergraph);
  return true;
}

/** Composes, and prints hints and errors. Undefined when it did not compose. */
export async function composeAndReport(config: string, output: Output): Promise<string | undefined> {
  const composition = await composeSupergraph(await readSupergraphConfig(config));
  for (const line of linesOf(composition)) output.error(`${line}\n`);
  return composition.kind === 'composed' ? composition.supergraphSdl : undefined;
}

function linesOf(composition: Composition): readonly string[] {
  if (composition.kind === 'composed')
    return composition.hints.map((hint) => `hint: ${formatDiagnostic(hint)}`);
  return composition.errors.map((error) => `error: ${formatDiagnostic(error)}`);
}
