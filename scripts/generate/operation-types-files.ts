import { join, posix } from 'node:path';
import { generate } from '@graphql-codegen/cli';
import config from '../../examples/web/codegen.ts';
import { repository } from '../programs/run-program.ts';
import { generateApiSchema } from './api-schema-file.ts';
import type { GeneratedFile } from './generated-file.ts';

const FOLDER = 'examples/web';

/**
 * The types of the sample application's operations, as its own codegen.ts says, but from the schema of this very run.
 *
 * @throws Error when an operation does not fit the schema
 */
export async function generateOperationTypes(): Promise<readonly GeneratedFile[]> {
  const { content: schema } = await generateApiSchema();
  const cwd = join(repository, FOLDER);
  const files: readonly Written[] = await generate({ ...config, schema, cwd, silent: true }, false);
  return files.map(({ filename, content }) => ({ path: posix.join(FOLDER, filename), content }));
}

/** A file as GraphQL Code Generator returns it. */
interface Written {
  readonly filename: string;
  readonly content: string;
}
