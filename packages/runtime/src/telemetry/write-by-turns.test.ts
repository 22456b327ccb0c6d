import { spawnSync } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { writeByTurns } from './write-by-turns.ts';

describe('Records of the log', () => {
  it('are written in one go for each turn of the event loop, in their order', async () => {
    const written: string[] = [];
    const destination = writeByTurns({ write: (text) => void written.push(text) });
    const logger = createLogger({ service: 'test', destination });
    logger.info('first');
    logger.info('second');
    expect(written).toEqual([]);
    await nextTurn();
    logger.info('third');
    await nextTurn();
    expect(written.map((text) => text.match(/first|second|third/g))).toEqual([
      ['first', 'second'],
      ['third'],
    ]);
  });

  it.each([
    ['exits at once', 'process.exit(3);', 3],
    ['dies of an error', 'throw new Error();', 1],
  ])('are not lost when the process %s', (_how, end, expected) => {
    const logger = new URL('logger.ts', import.meta.url).href;
    const program = `import { createLogger } from '${logger}'; createLogger({ service: 'test' }).info('the last'); ${end}`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).toBe(expected);
    expect(stdout).toContain('the last');
  });
});
