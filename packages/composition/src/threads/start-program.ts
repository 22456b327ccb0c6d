import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** A program of a thread. */
export interface ThreadProgram {
  /** `import.meta.url` of a file beside it. */
  readonly beside: string;
  /** Its file, without the extension. */
  readonly name: string;
  /** A package that has hundreds of modules, loaded before what runs TypeScript. */
  readonly library: string;
  readonly maxHeapMb: number;
  /** Of short-lived objects. @default as Node.js has it */
  readonly youngHeapMb?: number;
}

/** Starts a program in a thread. From source, what runs TypeScript comes after its library: it reads every module that is loaded later. */
export function startProgram({ beside, name, library, maxHeapMb, youngHeapMb }: ThreadProgram): Worker {
  const resourceLimits = {
    maxOldGenerationSizeMb: maxHeapMb,
    ...(youngHeapMb !== undefined && { maxYoungGenerationSizeMb: youngHeapMb }),
  };
  if (!beside.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, beside), { resourceLimits });
  const { resolve } = createRequire(beside);
  const [first, tsx] = [resolve(library), resolve('tsx/cjs/api')].map((path) => JSON.stringify(path));
  const program = JSON.stringify(fileURLToPath(new URL(`./${name}.ts`, beside)));
  return new Worker(`require(${first}); require(${tsx}).register(); require(${program});`, {
    eval: true,
    execArgv: ['--conditions=trellis-source'],
    resourceLimits,
  });
}
