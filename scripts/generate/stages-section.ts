import { stages } from 'trellis/programs';
import type { GeneratedFile } from './generated-file.ts';
import { withGeneratedSection } from './generated-section.ts';

type Stage = (typeof stages)[number];

/** Boxes of the chart, in the order in which a request meets them. */
const groups: readonly (readonly [at: Stage['at'], title: string])[] = [
  ['admission', 'admission, of each request'],
  ['stream', 'opening a subscription or a live query'],
  ['run', 'a run: a request, an event, a tick'],
];

/** docs/lifecycle.md with the chart and the table of the gateway's stages. */
export function generateStagesSection(): Promise<GeneratedFile> {
  const content = `${chart()}\n\n${table()}`;
  return withGeneratedSection('docs/lifecycle.md', 'gateway/src/pipeline/stages.ts', content);
}

function chart(): string {
  const boxes = groups.map(
    ([at, title]) => `  subgraph ${at} ["${title}"]\n    direction TB\n    ${chain(at)}\n  end`,
  );
  const ways = [
    'socket([socket]) --> http[HTTP: method, CSRF, media types, body]',
    'http --> admission',
    'admission -- "query, mutation" --> run',
    'admission -- "subscription, @live" --> stream',
    'stream -- "each event and tick" --> run',
    'run --> response([response])',
  ];
  const lines = ['flowchart LR', ...boxes, ...ways.map((way) => `  ${way}`)];
  return ['```mermaid', ...lines, '```'].join('\n');
}

function chain(at: Stage['at']): string {
  return stages
    .flatMap((stage, index) => (stage.at === at ? [`s${index}[${stage.name}]`] : []))
    .join(' --> ');
}

function table(): string {
  const rows = stages.map(({ name, at, does, errors }) => {
    const codes = errors.map((code) => `\`${code}\``).join(' ');
    return `| ${name} | ${at} | ${does} | ${codes} |`;
  });
  return ['| Stage | Of | Does | Error codes |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
