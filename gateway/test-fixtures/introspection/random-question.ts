import { getNamedType, isObjectType, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { Random } from '@trellis/testkit/random';
import { ServiceMetaFieldDef } from '../../src/supergraph/service-introspection.ts';

const CONDITIONS = ['@include(if: $yes)', '@skip(if: $yes)', '@include(if: $no)', '@skip(if: false)'];
/** Variables that questions take. */
export const questionVariables = { yes: true, no: false };
const MAX_LEVELS = 6;

/** An operation that asks about a schema: any fields of introspection, to any depth, under aliases, in fragments, conditionally. */
export function randomQuestion(random: Random, schema: GraphQLSchema): string {
  const fragments: string[] = [];
  let keys = 0;

  const condition = (): string => (random.chance(12) ? ` ${random.pick(CONDITIONS)}` : '');
  const selections = (type: GraphQLObjectType, levels: number): string =>
    Array.from({ length: 1 + random.below(4) }, () => selection(type, levels)).join(' ');
  const selection = (type: GraphQLObjectType, levels: number): string => {
    const isListed = schema.getType(type.name) !== undefined; // those of `__service` are not: fragments may not name them
    if (isListed && random.chance(8))
      return `... on ${type.name}${condition()} { ${selections(type, levels)} }`;
    if (isListed && random.chance(8) && fragments.length < 6) {
      const index = fragments.push('') - 1;
      fragments[index] = `fragment F${index} on ${type.name} { ${selections(type, levels)} }`;
      return `...F${index}${condition()} ...F${index}`;
    }
    keys += 1;
    if (random.chance(8)) return `k${keys}: __typename`;
    const fields = Object.values(type.getFields()).filter(
      (field) => levels > 0 || !isObjectType(getNamedType(field.type)),
    );
    const field = random.pick(fields);
    const below = getNamedType(field.type);
    const given = field.args.length > 0 && random.chance(70) ? '(includeDeprecated: true)' : '';
    const own = isObjectType(below) ? ` { ${selections(below, levels - 1)} }` : '';
    return `k${keys}: ${field.name}${given}${condition()}${own}`;
  };

  const meta = (name: string): GraphQLObjectType => schema.getType(name) as GraphQLObjectType; // every schema has them
  const question = `__type(name: "${random.pick(Object.keys(schema.getTypeMap()))}")`;
  const service = getNamedType(ServiceMetaFieldDef.type) as GraphQLObjectType; // as it is defined
  const roots: readonly (readonly [string, GraphQLObjectType])[] = [
    ['__schema', meta('__Schema')],
    [question, meta('__Type')],
  ];
  const [field, type] = random.chance(10) ? (['__service', service] as const) : random.pick(roots);
  const text = selections(type, 1 + random.below(MAX_LEVELS));
  return `query ($yes: Boolean!, $no: Boolean!) { ${field} { ${text} } } ${fragments.join(' ')}`;
}
