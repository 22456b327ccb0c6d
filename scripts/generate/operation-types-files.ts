import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../programs/run-program.ts';
import { generateApiSchema } from './api-schema-file.ts';
import type { GeneratedFile } from './generated-file.ts';

const FOLDER = 'examples/web';
const folder = join(repository, FOLDER);

/** What is used of GraphQL Code Generator. */
interface CodeGenerator {
  generate(
    config: object,
    saves: false,
  ): Promise<readonly { readonly filename: string; readonly content: string }[]>;
}

/**
 * The types of the sample application's operations, as its own codegen.ts says, but from the schema of this very run.
 *
 * @throws Error when an operation does not fit the schema
 */
export async function generateOperationTypes(): Promise<readonly GeneratedFile[]> {
  const program = createRequire(join(folder, 'package.json')).resolve('@graphql-codegen/cli');
  const [{ generate }, { default: config }, { content: schema }] = await Promise.all([
    import(pathToFileURL(program).href) as Promise<CodeGenerator>,
    import(pathToFileURL(join(folder, 'codegen.ts')).href) as Promise<{ readonly default: object }>,
    generateApiSchema(),
  ]);
  const files = await generate({ ...config, schema, cwd: folder, silent: true }, false);
  return files.map(({ filename, content }) => ({ path: posix.join(FOLDER, filename), content }));
}
