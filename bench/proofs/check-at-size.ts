import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kind, parse, print, visit, type DocumentNode, type FieldDefinitionNode } from 'graphql';
import { gql } from 'graphql-tag';
import { proof } from '@trellis/testkit';
import { largeGraph, largeRecord } from '../src/supergraphs/large-graph.ts';
import { fromSources, inRepository, linkInstalled } from './check-at-size/installed-program.ts';
import { checkAgain } from './check-at-size/check-again.ts';
import { composersAlone } from './check-at-size/composers-alone.ts';
import { isNetworkOff, run } from './check-at-size/measured-run.ts';

/** The small run shares its machine with other tests, runs from sources, and looks at the verdict alone. */
const sizes = {
  small: { graph: { subgraphs: 4, typesPerSubgraph: 8, operations: 100 }, maxS: 120, maxMb: 1_000 },
  full: { graph: { subgraphs: 50, typesPerSubgraph: 40, operations: 5_000 }, maxS: 10, maxMb: 1_000 },
};

/**
 * What the slower composer, Apollo's, took for 50 such subgraphs on the machine that the limits are for. The second took 1.9 s there; both
 * side by side were not measured, so that they do not slow one another there is an assumption.
 */
const COMPOSERS_ALONE_S = 3.9;
const MAX_COMPOSE_S = 1;

const [ADDED, NULLABLE] = fieldsOf(gql`
  type Changed {
    added: Int
    name: String
  }
`);

/** A check of one changed subgraph among many, from a cold process. Where the composers alone take longer, so may both commands. */
proof({
  name: 'check-at-size',
  description:
    'a check of one changed subgraph among 50, with 2,000 types and 5,000 recorded operations, takes under 10 s from a cold process and 1 GB, without a network, and composing the four subgraphs of this repository under 1 s',
  async run({ size }) {
    const { graph, maxS, maxMb } = sizes[size];
    if (size === 'full') await run([inRepository('node_modules/typescript/bin/tsc'), '-b']);
    const folder = await mkdtemp(join(tmpdir(), 'check-at-size-'));
    try {
      const program = size === 'small' ? fromSources : await linkInstalled(folder);
      await writeGraph(folder, graph);
      const at = (name: string): string => join(folder, name);
      const config = ['--config', at('supergraph.yaml')];
      await run([
        ...program,
        'compose',
        ...config,
        '--release',
        at('release.json'),
        '--output',
        at('supergraph.graphql'),
      ]);
      const changed = ['--subgraph', 's1', '--schema', at('next.graphql')];
      const recorded = ['--operations', at('operations.jsonl')];
      const against = ['--against', at('release.json'), '--format', 'json'];
      const asked = ['check', ...config, ...against, ...changed, ...recorded];
      const check = await run([...program, ...asked]);
      const { changes, window } = JSON.parse(check.output) as CheckReport;
      const found = changes
        .filter(({ verdict }) => verdict === 'breaking')
        .map(({ code }) => code)
        .toSorted();
      const compose = size === 'full' ? await run([...program, 'compose']) : check;
      const controlS = size === 'full' ? await composersAlone(folder) : COMPOSERS_ALONE_S;
      const slowness = Math.max(1, controlS / COMPOSERS_ALONE_S);
      return {
        passed:
          found.join() === 'FIELD_BECAME_NULLABLE,NOT_IN_ONE_STEP' &&
          check.wallS < maxS * slowness &&
          check.peakMb < maxMb &&
          (size === 'small' || (isNetworkOff && compose.wallS < MAX_COMPOSE_S * slowness)),
        figures: {
          ...graph,
          composersAloneS: size === 'full' ? Number(controlS.toFixed(2)) : 'not measured',
          slownessOfMachine: Number(slowness.toFixed(2)),
          checkS: check.wallS,
          peakMb: check.peakMb,
          network: isNetworkOff ? 'off' : 'as it is',
          checkAgainS: size === 'full' ? await checkAgain(asked) : 'not measured',
          composeFourS: size === 'full' ? compose.wallS : 'not measured',
          planned: window.operations,
          probes: window.probes,
          found: found.join(' '),
        },
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

interface CheckReport {
  readonly changes: readonly { readonly code: string; readonly verdict: string }[];
  readonly window: { readonly operations: number; readonly probes: number };
}

async function writeGraph(folder: string, size: (typeof sizes)['full']['graph']): Promise<void> {
  const schemas = largeGraph(size);
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const subgraphs = Object.keys(schemas).map(
    (name) => `  ${name}: { routing_url: "http://${name}.example", schema: { file: ${name}.graphql } }`,
  );
  await write('supergraph.yaml', ['subgraphs:', ...subgraphs, ''].join('\n'));
  await Promise.all(Object.entries(schemas).map(([name, sdl]) => write(`${name}.graphql`, sdl)));
  const changed = asItsTeamChangesIt(schemas['s1'] ?? '');
  await write('next.graphql', changed);
  await write('operations.jsonl', largeRecord(size));
}

/** The viewer has one field more, and the name of `S1T5` may be null, however the schema is laid out. */
function asItsTeamChangesIt(schema: string): string {
  const changed = visit(parse(schema), {
    ObjectTypeDefinition(type) {
      const fields = type.fields ?? [];
      if (type.name.value === 'Viewer') return { ...type, fields: [...fields, ADDED] };
      if (type.name.value !== 'S1T5') return undefined;
      return { ...type, fields: fields.map((field) => (field.name.value === 'name' ? NULLABLE : field)) };
    },
  });
  return print(changed);
}

/** The fields of the types of a document. */
function fieldsOf({ definitions }: DocumentNode): readonly FieldDefinitionNode[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.fields ?? []) : [],
  );
}
