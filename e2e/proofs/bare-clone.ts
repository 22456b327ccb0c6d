import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { exitOf, interruptGroup, startByNpm, type NpmStartOptions } from '../harness/npm-start.ts';
import { root } from '../harness/running-program.ts';

/** What is promised for two cores that do nothing else; a test run shares them with much else. */
const budgetMs = { full: { cold: 60_000, warm: 8_000 }, small: { cold: 115_000, warm: 115_000 } };

/** Clones the repository and starts it as someone who has just come by. The small size may use what npm has cached. */
proof({
  name: 'bare-clone',
  description:
    'npm start in a bare clone, with an empty HOME, is ready within 60 s, and within 8 s the second time; Ctrl-C leaves nothing behind',
  async run({ size }) {
    const directory = createTemporaryDirectory();
    const checkout = join(directory.path, 'trellis');
    const home = join(directory.path, 'home');
    mkdirSync(home);
    execFileSync('git', ['clone', '--quiet', root, checkout]);
    const options = {
      checkout,
      dataDirectory: join(checkout, '.data'),
      ...(size === 'full' && { home }),
    };
    try {
      const cold = await startAndInterrupt(options);
      const warm = await startAndInterrupt(options);
      const figures = {
        coldReadyMs: cold.readyAfterMs,
        warmReadyMs: warm.readyAfterMs,
        exitCodes: `${cold.code} ${warm.code}`,
        leftBehind: cold.leftBehind + warm.leftBehind,
      };
      const isInTime = cold.readyAfterMs < budgetMs[size].cold && warm.readyAfterMs < budgetMs[size].warm;
      const hasEndedWell = figures.exitCodes === '0 0' && figures.leftBehind === 0;
      return { passed: isInTime && hasEndedWell, figures };
    } finally {
      directory.remove();
    }
  },
});

interface Measured {
  readonly readyAfterMs: number;
  readonly code: number | null;
  readonly leftBehind: number;
}

async function startAndInterrupt(options: NpmStartOptions): Promise<Measured> {
  const { npm, readyAfterMs, processes, killAll } = await startByNpm(options);
  try {
    interruptGroup(npm);
    const code = await exitOf(npm);
    return { readyAfterMs, code, leftBehind: processes().length };
  } finally {
    killAll();
  }
}
