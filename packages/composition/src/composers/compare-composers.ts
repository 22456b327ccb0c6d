import type { Composition } from '../compose-supergraph.ts';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import { normalizeSupergraph } from './normalize-supergraph.ts';

/** Differences that are shown; their number is. */
const MAX_SHOWN = 10;

/**
 * Holds the compositions of two composers against each other.
 *
 * @returns what they differ in, each with both results; nothing where they agree, also that it does not compose
 */
export function compareComposers(apollo: Composition, guild: Composition): readonly Diagnostic[] {
  if (apollo.kind === 'failed') return guild.kind === 'failed' ? [] : [difference(apolloAlone(apollo))];
  if (guild.kind === 'failed') return [difference(guildAlone(guild))];
  const [left, right] = [apollo, guild].map(({ supergraphSdl }) => normalizeSupergraph(supergraphSdl));
  if (!left || !right) return [];
  const coordinates = [...new Set([...left.keys(), ...right.keys()])].toSorted();
  const differing = coordinates.filter((coordinate) => left.get(coordinate) !== right.get(coordinate));
  const shown = differing
    .slice(0, MAX_SHOWN)
    .map((coordinate) =>
      difference(
        `${coordinate}:\n@apollo/composition: ${left.get(coordinate)?.trim() ?? 'absent'}\n` +
          `@theguild/federation-composition: ${right.get(coordinate)?.trim() ?? 'absent'}`,
      ),
    );
  const others = differing.length - shown.length;
  return others > 0 ? [...shown, difference(`… and at ${others} more coordinates.`)] : shown;
}

function difference(message: string): Diagnostic {
  return { code: ownCodes.COMPOSERS_DIFFER, message: `The composers differ: ${message}`, locations: [] };
}

type Failed = Extract<Composition, { kind: 'failed' }>;

function apolloAlone(failed: Failed): string {
  return `only @theguild/federation-composition composes; @apollo/composition says ${firstOf(failed)}`;
}

function guildAlone(failed: Failed): string {
  return `only @apollo/composition composes; @theguild/federation-composition says ${firstOf(failed)}`;
}

function firstOf({ errors: [first] }: Failed): string {
  return first ? `${first.code}: ${first.message}` : 'nothing';
}
