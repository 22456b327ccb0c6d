import { request as httpRequest } from 'node:http';
import type { TestGateway } from './test-gateway.ts';

/** Sends bytes to `/graphql` as they are, with headers that fetch would not let pass. */
export function sendRaw(
  gateway: Pick<TestGateway, 'url'>,
  headers: Readonly<Record<string, string | string[]>>,
  body: string | Buffer,
  method = 'POST',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${gateway.url}/graphql`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
