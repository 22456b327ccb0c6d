import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { createOutageLog, observeOutages } from './outage-log.ts';

function recordingLogger() {
  const records: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => records.push(JSON.parse(line) as Record<string, unknown>) };
  const logger = createLogger({ service: 'test', destination });
  const messages = () => records.map(({ msg, reason, task }) => ({ msg, reason, task }));
  return { logger, records, messages };
}

const rejected = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const isTransient = (error: unknown) => error instanceof Error && 'code' in error;
const sweeping = { failure: 'failed', success: 'works again', bindings: { task: 'sweeping' }, isTransient };

describe('An outage', () => {
  it('F-09 is logged once, without the stack of where it was noticed, and once more when it ends', () => {
    const { logger, records, messages } = recordingLogger();
    const outages = createOutageLog({ logger, ...sweeping });
    for (let attempt = 0; attempt < 20; attempt += 1) outages.failed(rejected());
    outages.succeeded();
    outages.succeeded();
    expect(messages()).toEqual([
      { msg: 'failed', reason: 'connect ECONNREFUSED', task: 'sweeping' },
      { msg: 'works again', reason: undefined, task: 'sweeping' },
    ]);
    expect(JSON.stringify(records)).not.toContain('outage-log.test.ts');
  });

  it('is logged again when it comes back', () => {
    const { logger, records } = recordingLogger();
    const outages = createOutageLog({ logger, ...sweeping });
    for (let round = 0; round < 2; round += 1) {
      outages.failed(rejected());
      outages.succeeded();
    }
    expect(records).toHaveLength(4);
  });

  it('does not hide a mistake that happens meanwhile, which is logged with its stack', () => {
    const { logger, records } = recordingLogger();
    const outages = createOutageLog({ logger, ...sweeping });
    outages.failed(rejected());
    outages.failed(new TypeError('x is not a function'));
    expect(records).toHaveLength(2);
    expect(JSON.stringify(records[1])).toContain('outage-log.test.ts');
  });

  it('is logged with its stack where no failure counts as transient, and its end not where no text is given', () => {
    const { logger, records } = recordingLogger();
    const outages = createOutageLog({ logger, failure: 'failed' });
    outages.failed(rejected());
    outages.failed(new TypeError('x is not a function'));
    outages.succeeded();
    expect(records).toEqual([expect.objectContaining({ msg: 'failed', err: expect.anything() as unknown })]);
  });

  it('of what starts at the same time is information, and a warning when it lasts', async () => {
    const { logger, records } = recordingLogger();
    const outages = createOutageLog({ logger, ...sweeping, startingMs: 50 });
    outages.failed(rejected());
    outages.failed(rejected());
    await delay(60);
    outages.failed(rejected());
    outages.failed(rejected());
    outages.succeeded();
    // pino's numbers: 30 is info, 40 is warn
    expect(records.map(({ level, msg }) => `${String(level)} ${String(msg)}`)).toEqual([
      '30 failed',
      '40 failed',
      '30 works again',
    ]);
  });

  it('of what has been there is a warning at once, and so is a mistake at the start', () => {
    const { logger, records } = recordingLogger();
    const outages = createOutageLog({ logger, ...sweeping, startingMs: 60_000 });
    outages.failed(new TypeError('x is not a function'));
    outages.succeeded();
    outages.failed(rejected());
    expect(records.map(({ level, msg }) => `${String(level)} ${String(msg)}`)).toEqual([
      '40 failed',
      '30 works again',
      '40 failed',
    ]);
  });

  it('is named by its code when the error has no message', () => {
    const { logger, messages } = recordingLogger();
    const aggregate = Object.assign(new AggregateError([rejected()]), { code: 'ECONNREFUSED' });
    createOutageLog({ logger, ...sweeping }).failed(aggregate);
    expect(messages()[0]?.reason).toBe('ECONNREFUSED');
  });

  it('is reported once to functions, with the first error', () => {
    const reports: unknown[] = [];
    const outages = observeOutages({
      begins: (error) => reports.push(error),
      ends: () => reports.push('end'),
    });
    outages.succeeded();
    outages.failed('first');
    outages.failed('second');
    outages.succeeded();
    outages.failed('third');
    expect(reports).toEqual(['first', 'end', 'third']);
  });
});
