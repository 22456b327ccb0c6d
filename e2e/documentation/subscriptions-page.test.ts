import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';
import { codeBlocks } from './code-blocks.ts';

const PAGE = 'docs/subscriptions.md';
const { graph, issuer } = sharedPlatform().addresses;

type Message = Readonly<Record<string, unknown>>;
/** One message of the conversation, and who says it. */
type Line = { readonly client: Message } | { readonly gateway: Message };

const conversations = codeBlocks(PAGE)
  .filter(({ note }) => note === 'conversation')
  .map(({ line, text }) => ({ place: `${PAGE}:${line}`, lines: JSON.parse(text) as readonly Line[] }));

let socket: WebSocket;
afterEach(() => socket.terminate());

describe('The conversation over WebSocket', () => {
  it.each(conversations)('of $place goes as it stands there', async ({ lines }) => {
    const token = await new TokenBook(issuer).of('ada');
    socket = new WebSocket(graph.replace('http', 'ws'), 'graphql-transport-ws');
    const heard: Message[] = [];
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString('utf8')) as Message));
    await once(socket, 'open');
    for (const line of lines) {
      if ('client' in line) socket.send(JSON.stringify(line.client).replace('Bearer …', `Bearer ${token}`));
      else {
        if (heard.length === 0) await once(socket, 'message', { signal: AbortSignal.timeout(20_000) });
        expect(heard.shift()).toEqual(line.gateway);
      }
    }
    expect(heard).toEqual([]);
  });

  it('has one conversation', () => {
    expect(conversations).toHaveLength(1);
  });
});
