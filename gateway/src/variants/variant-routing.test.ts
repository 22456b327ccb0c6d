import { gql } from 'graphql-tag';
import type { Variant } from '@trellis/registry';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANONYMOUS } from '../identity/caller.ts';
import type { OperationResult } from '../pipeline/operation-result.ts';
import type { RoutedRun } from '../pipeline/services.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { compose } from '../testing/compose.ts';
import { canaryOf } from '../testing/published-graph.ts';
import { createPreviewTokens } from './preview-tokens.ts';
import { placeOf, StickyCallers } from './sticky-caller.ts';
import { VariantRouting } from './variant-routing.ts';

const RELEASE = { digest: 'a'.repeat(64), bytes: 1 };
const PERCENT = 5;
const preview: Variant = {
  name: 'preview',
  release: RELEASE,
  rule: { kind: 'host', host: 'preview.test' },
  abortsItself: false,
};

const supergraphOf = (field: string): Supergraph =>
  buildSupergraph(compose([{ name: 'numbers', typeDefs: gql`type Query { ${field}: Int }` }]));
const main = supergraphOf('one');
const next = supergraphOf('two');

let stopped: string[];
let routing: VariantRouting;

beforeEach(() => {
  vi.useFakeTimers();
  stopped = [];
  routing = new VariantRouting({
    previews: createPreviewTokens({ keys: [] }, 'library@production'),
    aborts: () => true,
    operationCacheOf: () => {
      throw new Error('all operations were admitted');
    },
    onWorse: ({ name }) => void stopped.push(name),
    onEvents: () => undefined,
    figures: {
      began: () => undefined,
      ended: () => undefined,
      responded: () => undefined,
      judged: () => undefined,
      stopped: () => undefined,
    },
  });
});
afterEach(() => {
  routing.close();
  vi.useRealTimers();
});

function serve(canary?: Supergraph): void {
  routing.serve({
    record: {
      graph: 'library',
      environment: 'production',
      sequence: 1,
      previous: undefined,
      id: 'a'.repeat(32),
      release: RELEASE,
      routing: [],
      variants: [],
      action: 'canary',
      actor: 'ada',
      at: '2026-01-01T00:00:00Z',
      approvals: [],
    },
    main,
    variants: canary
      ? [
          { ...preview, supergraph: canary },
          { ...canaryOf(RELEASE, PERCENT), supergraph: canary },
        ]
      : [],
  });
}

/** Addresses that chance has placed on the side of the canary, or on the other. */
function addresses(isPlaced: boolean, count: number): readonly string[] {
  const callers = new StickyCallers(JSON.stringify(['library@production', 'canary', RELEASE.digest]));
  const found: string[] = [];
  for (let index = 0; found.length < count; index += 1) {
    const address = `10.0.${index >> 8}.${index & 255}`;
    if (placeOf(callers.hashOf(ANONYMOUS, address)) < PERCENT / 100 === isPlaced) found.push(address);
  }
  return found;
}

const FAILED: OperationResult = {
  kind: 'single',
  data: undefined,
  errors: [{ message: 'it fails', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  admitted: undefined,
};

async function failFor(callers: readonly string[], supergraph: Supergraph): Promise<void> {
  await fail(callers, supergraph);
  vi.advanceTimersByTime(1_500);
}

async function fail(callers: readonly string[], supergraph: Supergraph): Promise<void> {
  const trial = routing.active?.trial;
  for (const address of callers) {
    const run = {
      context: { address },
      admitted: { operation: { key: 'failing' } }, // it was let in
      routed: { supergraph, caller: ANONYMOUS },
      executingSinceMs: undefined,
    } as unknown as RoutedRun;
    await trial?.observe(run, Promise.resolve(FAILED));
  }
}

describe('A canary', () => {
  it('is not judged by those who chose its release by another variant', async () => {
    serve(next);
    await failFor(addresses(false, 20), next);
    expect(stopped).toEqual([]);
    await failFor(addresses(true, 20), next);
    expect(stopped).toEqual(['canary']);
  });

  it('that begins is stopped 15 s later by less than one that was served when the process started', async () => {
    const meet = async (): Promise<void> => {
      await fail(addresses(false, 28), main);
      await fail(addresses(true, 8), next);
      vi.advanceTimersByTime(30_000);
    };
    serve(next);
    await meet();
    expect(stopped).toEqual([]);
    serve();
    serve(next);
    await meet();
    expect(stopped).toEqual(['canary']);
  });

  it('of the main release is compared with nothing', async () => {
    serve(main);
    await failFor(addresses(true, 20), main);
    expect(stopped).toEqual([]);
    expect(routing.active?.trial).toBeUndefined();
  });
});
