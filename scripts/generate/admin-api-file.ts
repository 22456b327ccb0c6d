import { format } from 'prettier';
import { describeAdminApi } from 'trellis/programs';
import type { GeneratedFile } from './generated-file.ts';

/** docs/admin-api.json: the admin API of the auth-server as OpenAPI 3.1. */
export async function generateAdminApi(): Promise<GeneratedFile> {
  const content = await format(JSON.stringify(describeAdminApi()), { parser: 'json', printWidth: 110 });
  return { path: 'docs/admin-api.json', content };
}
