import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, proof, type ProofOptions } from '@trellis/testkit';
import { copyCheckout } from '../../scripts/planted-flaws/copy-checkout.ts';
import { findFailure, findOversight } from '../../scripts/planted-flaws/judge-flaw.ts';
import { plantFlaw, readPlantedFlaws, type PlantedFlaw } from '../../scripts/planted-flaws/planted-flaw.ts';
import { runNamedTests } from '../../scripts/planted-flaws/run-named-tests.ts';
import { root } from '../harness/running-program.ts';

/** How many rows the small size takes, of those that are quick: a run of vitest each. */
const SAMPLE = 4;

/** Puts every flaw that reviews of security found back into a copy of the repository, one after the other. */
proof({
  name: 'planted-flaws',
  description:
    'Each flaw that reviews of security found, put back into the code, makes the test that is named after it fail by its expectations; without the flaw the test passes',
  async run(options) {
    const flaws = selectFlaws(options);
    const directory = createTemporaryDirectory();
    try {
      copyCheckout(root, directory.path);
      const problems = [...(await findFailures(directory.path, flaws))];
      for (const flaw of flaws) problems.push(...(await findOversights(directory.path, flaw)));
      return {
        passed: problems.length === 0,
        figures: {
          flaws: flaws.length,
          numbers: new Set(flaws.map(({ number }) => number)).size,
          problems: problems.join('; '),
        },
      };
    } finally {
      directory.remove();
    }
  },
});

function selectFlaws({ size, seed }: ProofOptions): readonly PlantedFlaw[] {
  const all = readPlantedFlaws();
  if (size === 'full') return all;
  const quick = all.filter(({ isSlow }) => !isSlow);
  const stride = Math.floor(quick.length / SAMPLE);
  const indexes = Array.from({ length: SAMPLE }, (_, index) => (seed + index * stride) % quick.length);
  return indexes.flatMap((index) => quick[index] ?? []);
}

/** All at once, which is quick; what fails so is run again by itself, as it may have had too little of the machine. */
async function findFailures(checkout: string, flaws: readonly PlantedFlaw[]): Promise<readonly string[]> {
  const runs = await runNamedTests(checkout, flaws);
  const problems: string[] = [];
  for (const flaw of flaws.filter((each) => findFailure(runs, each) !== undefined))
    problems.push(...describeProblem(flaw, findFailure(await runNamedTests(checkout, [flaw]), flaw)));
  return problems;
}

async function findOversights(checkout: string, flaw: PlantedFlaw): Promise<readonly string[]> {
  const file = join(checkout, flaw.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, plantFlaw(text, flaw));
  try {
    return describeProblem(flaw, findOversight(await runNamedTests(checkout, [flaw]), flaw));
  } finally {
    writeFileSync(file, text);
  }
}

function describeProblem(
  { number, file, test }: PlantedFlaw,
  problem: string | undefined,
): readonly string[] {
  return problem === undefined ? [] : [`${number} in ${file}: "${test}" ${problem}`];
}
