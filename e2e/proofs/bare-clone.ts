import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { startChromium } from '../harness/chromium.ts';
import { tourExplorer } from '../harness/explorer-tour.ts';
import {
  exitOf,
  interruptGroup,
  startByNpm,
  type NpmStart,
  type NpmStartOptions,
} from '../harness/npm-start.ts';
import { root } from '../harness/running-program.ts';
import { openWatchedPage } from '../harness/watched-page.ts';

/** What is promised for two cores that do nothing else; a test run shares them with much else. */
const budgetMs = { full: { cold: 60_000, warm: 8_000 }, small: { cold: 115_000, warm: 115_000 } };

/** A page is that slow only where a test run shares two cores: the explorer is built with the first request. */
const SEEN_WITHIN_MS = 60_000;

/** Clones the repository and starts it as someone who has just come by. The small size may use what npm has cached. */
proof({
  name: 'bare-clone',
  description:
    'npm start in a bare clone, with an empty HOME, is ready within 60 s, and within 8 s the second time; five clicks from its link show a deferred response, its plan and an event in Chromium; Ctrl-C leaves nothing behind',
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
      const cold = await startAndInterrupt(options, seeExplorer);
      const warm = await startAndInterrupt(options);
      const figures = {
        coldReadyMs: cold.readyAfterMs,
        warmReadyMs: warm.readyAfterMs,
        clicks: cold.seen?.clicks ?? 0,
        wrongs: cold.seen?.wrongs.join('; ') ?? '',
        exitCodes: `${cold.code} ${warm.code}`,
        leftBehind: cold.leftBehind + warm.leftBehind,
      };
      const isInTime = cold.readyAfterMs < budgetMs[size].cold && warm.readyAfterMs < budgetMs[size].warm;
      const hasEndedWell = figures.exitCodes === '0 0' && figures.leftBehind === 0;
      const hasBeenSeen = figures.clicks === 5 && figures.wrongs === '';
      return { passed: isInTime && hasEndedWell && hasBeenSeen, figures };
    } finally {
      directory.remove();
    }
  },
});

interface Measured {
  readonly readyAfterMs: number;
  readonly seen: Seen | undefined;
  readonly code: number | null;
  readonly leftBehind: number;
}

async function startAndInterrupt(
  options: NpmStartOptions,
  see?: (platform: NpmStart) => Promise<Seen>,
): Promise<Measured> {
  const platform = await startByNpm(options);
  const { npm, readyAfterMs, processes, killAll } = platform;
  try {
    const seen = await see?.(platform);
    interruptGroup(npm);
    const code = await exitOf(npm);
    return { readyAfterMs, seen, code, leftBehind: processes().length };
  } finally {
    killAll();
  }
}

/** What a newcomer has done, and what went wrong on the way: errors on the console, requests to others. */
interface Seen {
  readonly clicks: number;
  readonly wrongs: readonly string[];
}

/** Opens the link of the banner, and goes on from there. */
async function seeExplorer({ output, addresses }: NpmStart): Promise<Seen> {
  const [, url] = /Start here +(\S+)/.exec(output.standard) ?? [];
  if (url !== addresses.gateway) throw new Error(`The banner leads to ${url}.`);
  const browser = await startChromium();
  try {
    const known = [addresses.gateway, addresses.issuer];
    const { page, wrongs } = await openWatchedPage(browser, { url, known, locale: 'en-GB' });
    page.setDefaultTimeout(SEEN_WITHIN_MS);
    return { clicks: await tourExplorer(page, addresses), wrongs };
  } finally {
    await browser.close();
  }
}
