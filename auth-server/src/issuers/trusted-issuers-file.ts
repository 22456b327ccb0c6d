import { readFileSync } from 'node:fs';
import { parseTrustedIssuers, type IssuerRules, type TrustedIssuers } from './trusted-issuer.ts';

/** Reads a JSON array of trusted issuers. Never throws: what is wrong is listed. */
export function readTrustedIssuersFile(path: string, rules: IssuerRules): TrustedIssuers {
  const { value, problem } = readJson(path);
  if (problem !== undefined) return { issuers: [], problems: [`TRUSTED_ISSUERS_FILE: ${problem}.`] };
  const { issuers, problems } = parseTrustedIssuers(value, rules);
  return { issuers, problems: problems.map((text) => `TRUSTED_ISSUERS_FILE: ${text}`) };
}

function readJson(path: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) as unknown };
  } catch (error) {
    return {
      problem: `${path} can't be read as JSON (${error instanceof Error ? error.message : String(error)})`,
    };
  }
}
