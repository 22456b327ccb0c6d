import { pathToFileURL } from 'node:url';
import type { Proof, ProofOutcome } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { findProofs, type ProofFile } from './find-proofs.ts';
import { readProofSelection } from './proof-selection.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the proof of this test found; read by the reporter of `npm run prove`. */
    proof?: { readonly description: string; readonly figures: ProofOutcome['figures'] };
  }
}

/** A small proof is quick; in full it has the time that it needs, within reason. */
const timeoutMs = { small: 600_000, full: 3_600_000 };

const { size, seed, names } = readProofSelection(process.env);
const chosen = findProofs().filter(({ name }) => names.length === 0 || names.includes(name));

describe(`Proofs (${size}, seed ${seed})`, () => {
  for (const file of chosen)
    it(file.name, { timeout: timeoutMs[size] }, async ({ task }) => {
      const proof = await loadProof(file);
      const { passed, figures } = await proof.run({ size, seed });
      task.meta.proof = { description: proof.description, figures };
      expect({ passed, figures }, proof.description).toMatchObject({ passed: true });
    });
});

async function loadProof({ name, path }: ProofFile): Promise<Proof> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as { readonly proof?: Proof };
  if (module.proof?.name !== name) throw new Error(`${path} must export a proof with the name "${name}".`);
  return module.proof;
}
