import { beforeAll, describe, expect, it } from 'vitest';
import { measureWalks } from '../../test-fixtures/walks/measure-walks.ts';
import type { Walks } from '../../test-fixtures/walks/messages.ts';
import type { Walk } from '../../test-fixtures/walks/walk.ts';

/** How many files each may be long, and one that it certainly runs through. */
const WAYS = [
  { name: 'query', what: 'a hot query of two subgraphs', atMost: 65, through: 'execution/merged-data.ts' },
  { name: 'event', what: 'an event', atMost: 40, through: 'streams/topic.ts' },
  { name: 'eventWithEntity', what: 'an event with an entity', atMost: 44, through: 'execution/run-fetch.ts' },
] as const;

let walks: Walks;
beforeAll(async () => {
  walks = await measureWalks();
});

/** Written out, so that the figures are seen while they are within their bounds too. */
function show(what: string, { files, functions, calls }: Walk): void {
  const figures = `${files.length} files, ${functions} functions, ${calls} calls`;
  process.stdout.write(`The way of ${what}: ${figures}\n  ${files.join('\n  ')}\n`);
}

describe('The way through the code', () => {
  it.each(WAYS)('of $what is at most $atMost files long', ({ name, what, atMost, through }) => {
    show(what, walks[name]);
    expect(walks[name].files.length).toBeLessThanOrEqual(atMost);
    expect(walks[name].files).toContain(`gateway/src/${through}`);
  });
});
