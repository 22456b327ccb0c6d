import { existsSync, readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers';
import { parse } from 'graphql';
import { format, resolveConfig } from 'prettier';

/** Settings of {@link generateTypes}. */
export interface GenerateTypesOptions {
  /** Writes nothing, and only says what is out of date. @default false */
  readonly check?: boolean;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = 'src/generated/resolver-types.ts';
const NOTICE =
  '// Generated from ../schema.graphql by scripts/generate-types.ts. Change the schema, then run: npm run generate\n\n';

/**
 * Writes the resolver types of every subgraph, `services/<name>/src/generated/resolver-types.ts`, from its `schema.graphql`.
 * A type of the schema is resolved from the model of its name, an exported type `<Name>Model` of `src/resolvers/models.ts`;
 * resolvers receive `SubgraphContext` of `src/context.ts`.
 *
 * @returns the files that were out of date, relative to the root
 */
export async function generateTypes(options: GenerateTypesOptions = {}): Promise<readonly string[]> {
  const outdated: string[] = [];
  for (const service of subgraphs()) {
    const file = join(service, OUTPUT);
    const text = await generate(service);
    if (existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8') === text) continue;
    outdated.push(file);
    if (!options.check) write(join(root, file), text);
  }
  return outdated;
}

function subgraphs(): readonly string[] {
  return readdirSync(join(root, 'services'))
    .map((name) => join('services', name))
    .filter((service) => existsSync(join(root, service, 'src/schema.graphql')));
}

async function generate(service: string): Promise<string> {
  const text = await codegen({
    filename: OUTPUT,
    schema: parse(readFileSync(join(root, service, 'src/schema.graphql'), 'utf8')),
    documents: [],
    plugins: [{ typescript: {} }, { typescriptResolvers: {} }],
    pluginMap: { typescript, typescriptResolvers },
    config: {
      federation: true,
      enumsAsTypes: true,
      useTypeImports: true,
      immutableTypes: true,
      skipTypename: true,
      avoidOptionals: { field: true, object: true },
      strictScalars: true,
      scalars: { DateTime: 'Date', JSON: '@trellis/subgraph-kit#JsonValue', _FieldSet: 'string' },
      contextType: '../context.ts#SubgraphContext',
      mappers: mappersOf(service),
    },
  });
  const file = join(root, service, OUTPUT);
  return format(NOTICE + text, { ...(await resolveConfig(file)), filepath: file });
}

function mappersOf(service: string): Record<string, string> {
  const source = readFileSync(join(root, service, 'src/resolvers/models.ts'), 'utf8');
  const models = [...source.matchAll(/^export (?:type|interface) (\w+)Model\b/gm)].map(
    ([, type = '']) => type,
  );
  return Object.fromEntries(models.map((type) => [type, `../resolvers/models.ts#${type}Model`]));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
