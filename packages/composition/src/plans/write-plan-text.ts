import { parse, print } from 'graphql';
import { printableLine } from '../reports/excerpt.ts';
import type { RequiredPart } from '../window/planned-operation.ts';
import type { ExplainedOperation, ExplainedStep } from './explained-operation.ts';

/** A plan as indented text: requests in their order, what each sends, cost and rights. */
export function writePlanText({
  name,
  type,
  cost,
  requests,
  depth,
  rights,
  step,
}: ExplainedOperation): string {
  const lines = [
    `${type} ${name ?? '(unnamed)'}: ${requests} ${requests === 1 ? 'request' : 'requests'}, ${depth} one after the other, cost ${cost}`,
    ...(step ? writeStep(step, '  ') : ['  no subgraph is asked']),
    ...(rights.length === 0
      ? ['open to all callers']
      : ['callers need', ...rights.map((right) => `  ${right}`)]),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

function writeStep(step: ExplainedStep, indent: string): readonly string[] {
  if (step.kind !== 'fetch')
    return [
      `${indent}${step.kind === 'sequence' ? 'one after the other' : 'at once'}`,
      ...step.steps.flatMap((child) => writeStep(child, `${indent}  `)),
    ];
  const { subgraph, path, requires, operation } = step;
  const where = path.length === 0 ? '' : ` at ${path.join('.')}`;
  const sent = requires ? ` with ${writeRequired(requires)}` : '';
  const text = print(parse(operation, { noLocation: true })).split('\n');
  return [`${indent}${subgraph}${where}${sent}`, ...text.map((line) => `${indent}    ${line}`)];
}

/** `{ ... on User { id } }`, as a plan writes what representations hold. */
export function writeRequired(parts: readonly RequiredPart[]): string {
  const texts = parts.map((part) => {
    if (part.kind === 'fragment')
      return `... on ${part.typeCondition ?? ''} ${writeRequired(part.selections)}`;
    return part.selections ? `${part.name} ${writeRequired(part.selections)}` : part.name;
  });
  return `{ ${texts.join(' ')} }`;
}
