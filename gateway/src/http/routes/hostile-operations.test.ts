import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carriers } from '../../../test-fixtures/attacks/carriers.ts';
import {
  hostileOperations,
  type HostileOperation,
} from '../../../test-fixtures/attacks/hostile-operations.ts';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: '{}',
    environment: { NODE_ENV: 'production' },
  });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});
beforeEach(() => graph.forget());

/** For the client as well, on a machine that may be busy. */
const CPU_BUDGET_MS = 1_500;
const MAX_RESPONSE_CHARACTERS = 65_536;

describe.each(carriers)('Hostile operations by $name', (carrier) => {
  const carried = hostileOperations.filter((operation) => carrier.takes(operation));

  it.each(carried)('$attack', async (operation) => {
    const before = process.cpuUsage();
    const verdicts = await carrier.send(gateway.url, operation);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(CPU_BUDGET_MS);
    for (const { status, code, text } of verdicts) {
      expectCode(code, operation);
      if (code !== undefined && carrier.rejectionstatus) expect(status).toBe(carrier.rejectionstatus);
      expect(text.length).toBeLessThan(MAX_RESPONSE_CHARACTERS);
      expect(text).not.toContain('Did you mean');
    }
    if (operation.code) expect(graph.requests()).toBe(0);
  });
});

it('S-017 hostile operations leave a log without their texts', () => {
  for (const record of gateway.logged()) expect(JSON.stringify(record).length).toBeLessThan(2_000);
});

function expectCode(code: string | undefined, operation: HostileOperation): void {
  if (operation.code) expect(code).toMatch(operation.code);
  else expect(code).toBeUndefined();
}
