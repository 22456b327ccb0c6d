import { readFileSync } from 'node:fs';
import type { ClientRules } from '../settings/settings.ts';
import { type ClientDeclaration } from './client-metadata.ts';
import { parseClient } from './parse-client.ts';

/** What a clients file holds, and all that is wrong with it. */
export interface ClientsFile {
  readonly clients: readonly ClientDeclaration[];
  /** One sentence each; empty when the file is usable. */
  readonly problems: readonly string[];
}

/** Reads a JSON array of RFC 7591 client metadata. Never throws: what is wrong is listed. */
export function readClientsFile(path: string, rules: ClientRules): ClientsFile {
  const { value, problem } = readJson(path);
  if (problem !== undefined) return { clients: [], problems: [`CLIENTS_FILE: ${problem}.`] };
  if (!Array.isArray(value)) {
    return { clients: [], problems: [`CLIENTS_FILE: ${path} must hold a JSON array of clients.`] };
  }
  return parseClients(value, rules);
}

function readJson(path: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) as unknown };
  } catch (error) {
    return {
      problem: `${path} can't be read as JSON (${error instanceof Error ? error.message : String(error)})`,
    };
  }
}

function parseClients(values: readonly unknown[], rules: ClientRules): ClientsFile {
  const parsed = values.map((value) => parseClient(value, rules));
  const clients = parsed.flatMap((result) => (result.kind === 'client' ? [result.client] : []));
  const problems = parsed.flatMap((result, index) =>
    result.kind === 'problems'
      ? result.problems.map((problem) => `CLIENTS_FILE: client ${index + 1}: ${problem}.`)
      : [],
  );
  return { clients, problems: [...problems, ...repeatedIds(clients)] };
}

function repeatedIds(clients: readonly ClientDeclaration[]): string[] {
  const ids = clients.map(({ metadata }) => metadata.client_id);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [...new Set(repeated)].map((id) => `CLIENTS_FILE: ${id} is declared more than once.`);
}
