import { describe, expect, it } from 'vitest';
import { demoClients } from './demo-clients.ts';

const origins = {
  DEMO_WEB_ORIGIN: 'http://localhost:7020',
  DEMO_EXPLORER_ORIGIN: 'http://localhost:7000',
};

describe('demo clients', () => {
  it('come back to where their pages are served, by name or by address', () => {
    expect(metadataOf('trellis-web')).toMatchObject({
      redirect_uris: expect.arrayContaining([
        'http://localhost:7020/callback',
        'http://127.0.0.1:7020/callback',
        'http://localhost:5173/callback',
      ]) as unknown,
      post_logout_redirect_uris: expect.arrayContaining(['http://localhost:7020/signed-out']) as unknown,
    });
    expect(metadataOf('trellis-explorer')).toMatchObject({
      redirect_uris: ['http://localhost:7000/explorer/callback', 'http://127.0.0.1:7000/explorer/callback'],
    });
  });
});

function metadataOf(id: string): object | undefined {
  return demoClients(origins).find((client) => client.client_id === id);
}
