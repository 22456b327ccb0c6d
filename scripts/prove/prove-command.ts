import { didYouMean, parseFlags } from '@trellis/runtime/parse-flags';
import type { ProofOptions } from '@trellis/testkit';
import type { ProofFile } from './find-proofs.ts';

/** Vitest's project of tests that take long for what they say; a name among those of the proofs. */
export const LONG_TESTS = 'long';

const MINUTE_MS = 60_000;

/** Which proofs run, and how. */
export interface ProofSelection extends ProofOptions {
  /** Empty for all. */
  readonly names: readonly string[];
  /** Whether the outcome is an object on standard output. */
  readonly json: boolean;
}

/** What `npm run prove` was asked to do. */
export type ProveInvocation =
  | { readonly kind: 'prove'; readonly selection: ProofSelection }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problem: string };

/**
 * Reads the command line of `npm run prove`.
 *
 * @param randomSeed the seed where none is given
 */
export function parseProveCommand(
  args: readonly string[],
  proofs: readonly ProofFile[],
  randomSeed: number,
  now: number = Date.now(),
): ProveInvocation {
  try {
    const { values, positionals } = parseFlags({
      args: [...args],
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: String(randomSeed) },
        small: { type: 'boolean', default: false },
        minutes: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help', text: usage(proofs) };
    return select(values, positionals, proofs, now);
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) };
  }
}

interface Flags {
  readonly seed: string;
  readonly small: boolean;
  readonly minutes?: string | undefined;
  readonly json: boolean;
}

function select(
  { seed, small, minutes, json }: Flags,
  names: readonly string[],
  proofs: readonly ProofFile[],
  now: number,
): ProveInvocation {
  const known = namesOf(proofs);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    return {
      kind: 'wrong',
      problem: `There is no proof ${unknown.join(', ')}.${nearest(unknown, proofs)}\n\n${usage(proofs)}`,
    };
  if (!/^\d{1,15}$/.test(seed))
    return { kind: 'wrong', problem: `--seed takes a whole number, not "${seed}".` };
  if (minutes !== undefined && !/^\d{1,4}$/.test(minutes))
    return { kind: 'wrong', problem: `--minutes takes a whole number, not "${minutes}".` };
  return {
    kind: 'prove',
    selection: {
      names,
      seed: Number(seed),
      size: small ? 'small' : 'full',
      until: minutes === undefined ? undefined : now + Number(minutes) * MINUTE_MS,
      json,
    },
  };
}

function nearest([first = '']: readonly string[], proofs: readonly ProofFile[]): string {
  return didYouMean(first, namesOf(proofs));
}

function namesOf(proofs: readonly ProofFile[]): readonly string[] {
  return [...proofs.map(({ name }) => name), LONG_TESTS];
}

function usage(proofs: readonly ProofFile[]): string {
  return `Usage: npm run prove [-- [NAME …] [--seed N] [--small] [--minutes N] [--json]]
Runs the long proofs, all or by name; long are the tests that npm test leaves to it, as they take long. --seed repeats the random choices of a run, --small takes seconds for each, as CI does,
--minutes begins no proof later than that but the essential ones, and names those that it left out, --json prints the outcome as an object on standard output, and all else on standard error.
Exit status: 0 all hold, 1 one does not, 64 the command line is wrong.

There are: ${namesOf(proofs).join(', ')}
`;
}
