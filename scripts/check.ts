import { checks } from './checks.ts';

let failed = 0;
for (const { name, run } of checks) {
  const startedAtMs = performance.now();
  const { passed, output, figures } = await run();
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  process.stdout.write(
    `${passed ? 'ok    ' : 'FAILED'} ${name}${figures === undefined ? '' : `: ${figures}`} (${seconds} s)\n`,
  );
  if (passed) continue;
  failed += 1;
  process.stdout.write(`${output.trimEnd()}\n\n`);
}
process.stdout.write(`${checks.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
