import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import WebSocket, { WebSocketServer } from 'ws';
import { describe, expect, it } from 'vitest';
import { textFrame } from './client-socket.ts';

const LENGTHS = [0, 1, 125, 126, 65_535, 65_536, 300_000];

describe('RFC 6455 §5.2 a frame of text', () => {
  it.each(LENGTHS)('of %i bytes has its length in as few bytes as hold it', (length) => {
    const frame = textFrame(Buffer.alloc(length, 'a'));
    const header = length <= 125 ? 2 : length <= 65_535 ? 4 : 10;
    expect([frame.length, frame[0]]).toEqual([header + length, 0x81]);
    expect(frame.subarray(header).every((byte) => byte === 0x61)).toBe(true);
  });

  it('is read by clients as what its parts say together, between frames of the socket itself', async () => {
    const texts = LENGTHS.map((length) => `"${'ž'.repeat(length / 2)}"`);
    expect(
      await received((socket, stream) => {
        for (const text of texts) {
          stream.write(textFrame(Buffer.from('{"a":'), Buffer.from(text), Buffer.from('}')));
          socket.send(text);
        }
      }),
    ).toEqual(texts.flatMap((text) => [`{"a":${text}}`, text]));
  });
});

/** What a client gets of a server that writes, until that closes the socket. */
async function received(write: (socket: WebSocket, stream: Duplex) => void): Promise<string[]> {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer();
  server.on('upgrade', (request, stream, head) => {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      write(socket, stream);
      socket.close();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const texts: string[] = [];
  client.on('message', (data: Buffer) => texts.push(data.toString('utf8')));
  await once(client, 'close');
  server.close();
  return texts;
}
