import { beforeAll, describe, expect, it } from 'vitest';
import { measureWalks } from '../../test-fixtures/walks/measure-walks.ts';
import type { Walks } from '../../test-fixtures/walks/messages.ts';
import type { Walk } from '../../test-fixtures/walks/walk.ts';

let walks: Walks;
beforeAll(async () => {
  walks = await measureWalks();
});

/** Written out, so that the figures are seen while they are within their bounds too. */
function show(what: string, { files, functions, calls }: Walk): void {
  process.stdout.write(
    `${what}: ${files.length} files, ${functions} functions, ${calls} calls\n  ${files.join('\n  ')}\n`,
  );
}

describe('The way through the code', () => {
  it('of a hot query of two subgraphs is at most 101 files long', () => {
    show('A hot query of two subgraphs', walks.query);
    expect(walks.query.files.length).toBeLessThanOrEqual(101);
    expect(walks.query.files).toContain('gateway/src/execution/merged-data.ts');
  });

  it('of an event with an entity is at most 67 files long', () => {
    show('An event with an entity', walks.event);
    expect(walks.event.files.length).toBeLessThanOrEqual(67);
    expect(walks.event.files).toContain('gateway/src/streams/topic.ts');
  });
});
