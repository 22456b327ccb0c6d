import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { parseFlags } from '@trellis/runtime/parse-flags';
import { isWithinBound, measureContent } from '@trellis/bench/content';
import { openContentDatabases } from 'trellis/platform';
import { formatPlans, formatTable, writePerformancePage } from './measure/performance-page.ts';
import { createProgress, createTerminal, createWorkLines } from 'trellis/terminal';
import { explainFailure } from 'trellis/explain-failure';

const USAGE = `npm run measure -- [--requests N] [--write]

Measures what reading costs at the subgraphs, over the databases that "npm run load" has filled (it finds them the same way),
and prints a table with the plans of PostgreSQL. Exit status 1 when a request takes longer than promised.
  --requests  of each kind. Default 300
  --write     puts the table into docs/performance.md and the plans into bench/results instead
`;

const flags = readFlags();
if (flags.help) process.stdout.write(USAGE);
else await measure();

function readFlags() {
  try {
    const { values } = parseFlags({
      options: {
        requests: { type: 'string', default: '300' },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (!/^[1-9]\d{0,5}$/.test(values.requests)) throw new Error('--requests takes a whole number from 1.');
    return { ...values, requests: Number(values.requests) };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(EXIT_USAGE);
  }
}

async function measure(): Promise<void> {
  const { requests, write } = flags;
  const progress = createProgress(createTerminal(process.stderr, process.env), { isTransient: true });
  try {
    const { urls, close } = await openContentDatabases(process.env, progress);
    const lines = createWorkLines(progress, 'Measuring');
    try {
      const measurements = await measureContent({ databaseUrls: urls, requests, print: lines.print });
      lines.end();
      if (write) writePerformancePage(measurements, requests);
      else process.stdout.write(`${formatTable(measurements, requests)}\n${formatPlans(measurements)}`);
      if (!measurements.every((one) => isWithinBound(one))) process.exitCode = 1;
    } finally {
      lines.end();
      await close();
    }
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    process.exitCode = 1;
  }
}
