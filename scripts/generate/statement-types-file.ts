import { join } from 'node:path';
import type { Statement, StatementDescription } from '@trellis/postgres';
import type { Client } from 'pg';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';
import { describeStatement } from './sql/describe-statement.ts';
import { loadStatements, type LoadedStatements } from './sql/load-statements.ts';
import { readCatalogue, type Catalogue } from './sql/read-catalogue.ts';
import {
  findStatementFiles,
  nameOf,
  TABLE,
  tableText,
  type StatementProject,
} from './sql/statement-files.ts';
import { schemaOf, withSchemas } from './sql/statement-schemas.ts';
import { typeStatement, type TypedStatement } from './sql/type-statement.ts';

/**
 * The tables of SQL statements of every package, `src/generated/statements.ts`: PostgreSQL prepares each statement in the schema
 * that the migrations of its package make.
 *
 * @throws Error with the name of the statement that PostgreSQL rejects
 */
export async function generateStatementTypes(): Promise<readonly GeneratedFile[]> {
  const projects = findStatementFiles(repository);
  const loaded = await loadStatements(
    repository,
    projects.flatMap(({ files }) => files),
  );
  const folders = projects.map(({ folder }) => folder);
  return withSchemas(repository, folders, async (client) => {
    const catalogue = await readCatalogue(client);
    const written: GeneratedFile[] = [];
    for (const project of projects) written.push(await writeTable(client, catalogue, project, loaded));
    return written;
  });
}

async function writeTable(
  client: Client,
  catalogue: Catalogue,
  { folder, files }: StatementProject,
  loaded: LoadedStatements,
): Promise<GeneratedFile> {
  const table: Record<string, Record<string, TypedStatement>> = {};
  for (const file of files) {
    await client.query(`SET search_path TO ${client.escapeIdentifier(schemaOf(folder, file))}`);
    table[nameOf(file)] = await typeAll(client, catalogue, loaded.get(nameOf(file)) ?? []);
  }
  const path = `${folder}/${TABLE}`;
  const text = tableText(JSON.stringify(table));
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'typescript' }) };
}

async function typeAll(
  client: Client,
  catalogue: Catalogue,
  statements: readonly Statement<StatementDescription>[],
): Promise<Record<string, TypedStatement>> {
  const typed: Record<string, TypedStatement> = {};
  for (const statement of statements) {
    const described = await describeStatement(client, statement.text).catch((error: unknown) => {
      throw new Error(`PostgreSQL rejects ${statement.id}: ${String(error)}`, { cause: error });
    });
    typed[nameIn(statement)] = typeStatement(statement, described, catalogue);
  }
  return typed;
}

/** The name in its file. */
function nameIn({ id }: Statement<StatementDescription>): string {
  return id.slice(id.indexOf('.') + 1);
}
