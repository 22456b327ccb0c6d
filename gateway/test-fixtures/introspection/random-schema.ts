import type { Random } from '@trellis/testkit/random';

const SCALARS = ['ID', 'String', 'Int', 'Boolean'];

/** The text of a schema with types of each kind, of very different sizes: some of them have by far the longest lists. */
export function randomSchema(random: Random): string {
  const names = (prefix: string, most: number): readonly string[] =>
    Array.from({ length: 1 + random.below(most) }, (_, index) => `${prefix}${index}`);
  const objects = names('Object', 12);
  const interfaces = names('Interface', 3);
  const inputs = names('Input', 4);
  const enums = names('Enum', 3);
  const unions = names('Union', 2);
  const outputs = [...SCALARS, ...enums, ...objects, ...interfaces, ...unions, 'Query'];

  const wrapped = (name: string): string => {
    if (random.chance(40)) return name;
    return random.chance(50) ? `[${wrapped(name)}]` : `${wrapped(name).replace(/!$/u, '')}!`;
  };
  const size = (): number => (random.chance(20) ? 1 + random.below(25) : 1 + random.below(3));
  const list = (prefix: string, write: (name: string) => string): string =>
    Array.from({ length: size() }, (_, index) => write(`${prefix}${index}`)).join(' ');
  const value = (name: string): string =>
    `${name}: ${wrapped(random.pick([...SCALARS, ...enums, ...inputs])).replace(/!$/u, '')}`;
  const values = (): string => (random.chance(60) ? '' : `(${list('a', value)})`);
  const fields = (): string => list('f', (name) => `${name}${values()}: ${wrapped(random.pick(outputs))}`);

  return [
    ...interfaces.map((name) => `interface ${name} { shared: ID }`),
    ...objects.map((name) => `type ${name} ${implementing(random, interfaces)} { shared: ID ${fields()} }`),
    ...inputs.map((name) => `input ${name} { ${list('i', value)} }`),
    ...enums.map((name) => `enum ${name} { ${list(`${name}_`, (member) => member)} }`),
    ...unions.map(
      (name) =>
        `union ${name} = ${objects
          .filter(() => random.chance(60))
          .concat('Query')
          .join(' | ')}`,
    ),
    `directive @random${values()} on FIELD | QUERY | OBJECT`,
    `type Query { ${fields()} }`,
  ].join('\n');
}

function implementing(random: Random, interfaces: readonly string[]): string {
  const some = interfaces.filter(() => random.chance(50));
  return some.length === 0 ? '' : `implements ${some.join(' & ')}`;
}
