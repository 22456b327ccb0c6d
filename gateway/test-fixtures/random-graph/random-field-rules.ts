import type { EntityDraft, GraphDraft, HomedField } from './graph-draft.ts';
import { defineNames, randomLeaf } from './random-type.ts';
import type { SubgraphDraft } from './subgraph-draft.ts';

/** `@override`: some fields have moved to another subgraph; of some, a share has. */
export function addMovedFields(draft: GraphDraft): void {
  const { random } = draft;
  const hasLabels = random.chance(20);
  for (const field of draft.homed.slice()) {
    if (!random.chance(10) || !isPlain(field)) continue;
    const target = otherSubgraph(draft, field);
    if (!target) continue;
    const label = hasLabels && random.chance(50) ? `, label: "percent(${random.pick([0, 100])})"` : '';
    addTo(draft, target, field, `@override(from: "${field.home.name}"${label})`);
    draft.homed.splice(draft.homed.indexOf(field), 1);
  }
}

/** `@requires`: some fields need others, which another subgraph resolves. */
export function addRequirements(draft: GraphDraft): void {
  const { random } = draft;
  for (const field of draft.homed) {
    if (!random.chance(16) || !isPlain(field)) continue;
    const target = otherSubgraph(draft, field);
    if (!target) continue;
    addTo(draft, target, field, '@external');
    const leaf = randomLeaf(draft, target);
    const required = `@requires(fields: "${field.name}${requiredArguments(field)}${selectionOf(field)}")`;
    target.type(field.type).field(draft.uniqueName('needs'), leaf.signature, required);
  }
}

/** `@provides`: some fields bring others along, which another subgraph resolves elsewhere. */
export function addProvidedFields(draft: GraphDraft): void {
  const { random } = draft;
  for (const field of draft.homed) {
    if (!random.chance(8) || !isPlain(field) || field.signature.startsWith('(')) continue;
    const target = otherSubgraph(draft, field);
    if (!target) continue;
    field.home.type(field.type).field(field.name, field.signature, '@shareable');
    addTo(draft, target, field, '@external');
    const provides = `@provides(fields: "${field.name}${selectionOf(field).replace(/ floor\(.*?\)/, '')}")`;
    target.type('Query').field(draft.uniqueName('brings'), `: [${field.type}!]`, provides);
  }
}

/** A leaf or a value type: nothing that leads on to entities. */
function isPlain({ signature }: HomedField): boolean {
  return !/^(?:Entity|Member|Family|Face|Any)/.test(returnedName(signature));
}

/** The name of the type that a field returns, without its arguments and lists. */
function returnedName(signature: string): string {
  return /^(?:\(.*\))?: \[*(\w+)/.exec(signature)?.[1] ?? '';
}

function otherSubgraph(draft: GraphDraft, { type, name, home }: HomedField): SubgraphDraft | undefined {
  const entity = draft.entities.find((candidate) => candidate.name === type);
  return draft.others(home).find((other) => entity && canTake(entity, other, name));
}

function canTake(entity: EntityDraft, subgraph: SubgraphDraft, field: string): boolean {
  return !entity.hiddenIn.has(subgraph) && subgraph.types.get(entity.name)?.fields.has(field) !== true;
}

function addTo(draft: GraphDraft, target: SubgraphDraft, field: HomedField, directive: string): void {
  const entity = draft.entities.find(({ name }) => name === field.type);
  if (!entity) return;
  defineNames(target, field.signature);
  draft.entityIn(entity, target).field(field.name, field.signature, directive);
}

const REQUIRED_SELECTIONS: Readonly<Record<string, string>> = {
  Place: ' { x y floor(unit: \\"km\\") }',
  Money: ' { amount unit }',
  Card: ' { label place { x } }',
};

/** What is selected below a value type. */
function selectionOf({ signature }: HomedField): string {
  return REQUIRED_SELECTIONS[returnedName(signature)] ?? '';
}

function requiredArguments({ signature }: HomedField): string {
  if (signature.startsWith('(zone')) return '(zone: 7)';
  return signature.startsWith('(first') ? '(first: 5)' : '';
}
