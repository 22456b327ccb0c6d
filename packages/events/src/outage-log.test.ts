import { createLogger } from '@trellis/runtime';
import { describe, expect, it } from 'vitest';
import { createOutageLog } from './outage-log.ts';

function recordingLogger() {
  const records: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => records.push(JSON.parse(line) as Record<string, unknown>) };
  const logger = createLogger({ service: 'test', destination });
  const told = () => records.map(({ msg, reason, task }) => ({ msg, reason, task }));
  return { logger, records, told };
}

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const told = { failure: 'failed', success: 'works again', bindings: { task: 'sweeping' } };

describe('An outage', () => {
  it('F-09 is told once, without the stack of whoever noticed it, and once more when it is over', () => {
    const { logger, records, told: messages } = recordingLogger();
    const outages = createOutageLog({ logger, ...told });
    for (let attempt = 0; attempt < 20; attempt += 1) outages.failed(refused());
    outages.succeeded();
    outages.succeeded();
    expect(messages()).toEqual([
      { msg: 'failed', reason: 'connect ECONNREFUSED', task: 'sweeping' },
      { msg: 'works again', reason: undefined, task: 'sweeping' },
    ]);
    expect(JSON.stringify(records)).not.toContain('outage-log.test.ts');
  });

  it('is told again when it comes back', () => {
    const { logger, records } = recordingLogger();
    const outages = createOutageLog({ logger, ...told });
    for (let round = 0; round < 2; round += 1) {
      outages.failed(refused());
      outages.succeeded();
    }
    expect(records).toHaveLength(4);
  });

  it('does not hide a mistake that happens meanwhile, which is told with its stack', () => {
    const { logger, records } = recordingLogger();
    const outages = createOutageLog({ logger, ...told });
    outages.failed(refused());
    outages.failed(new TypeError('x is not a function'));
    expect(records).toHaveLength(2);
    expect(JSON.stringify(records[1])).toContain('outage-log.test.ts');
  });

  it('is named by its code when the error has no message', () => {
    const { logger, told: messages } = recordingLogger();
    const aggregate = Object.assign(new AggregateError([refused()]), { code: 'ECONNREFUSED' });
    createOutageLog({ logger, ...told }).failed(aggregate);
    expect(messages()[0]?.reason).toBe('ECONNREFUSED');
  });
});
