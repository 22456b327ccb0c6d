import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startEventGraph } from '../../src/testing/event-graph.ts';
import { startLibraryGraph } from '../../src/testing/library-graph.ts';
import { RawSocket } from '../../src/testing/raw-socket.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import type { Walks } from './messages.ts';
import { walk, type Walk } from './walk.ts';

const WARM_UPS = 5;
/** What timers do meanwhile is in some of so many walks alone: what is in all of them is the way. */
const MEASURED = 5;
/** Until nothing of what came before is still being done. */
const SETTLED_MS = 100;

const walks: Walks = {
  query: await walkOfQuery(),
  event: await walkOfEvent('subscription { published { id } }'),
  eventWithEntity: await walkOfEvent('subscription { published { id author { name } } }'),
};
// Query planner workers of test gateways wait for the next one, which does not come.
process.send?.(walks, () => process.exit());

async function walkOfQuery(): Promise<Walk> {
  const library = await startLibraryGraph();
  const gateway = await startTestGateway({ subgraphs: library.all });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const query = '{ books { id title author { name friends { id } } } }';
  const walked = await walkWhenWarm(() => post(agent, `${gateway.url}/graphql`, JSON.stringify({ query })));
  agent.destroy();
  await gateway.close();
  await library.close();
  return walked;
}

async function walkOfEvent(query: string): Promise<Walk> {
  const graph = await startEventGraph();
  const gateway = await startTestGateway({ subgraphs: graph.all });
  const socket = await RawSocket.connect(`${gateway.url}/graphql`);
  socket.subscribe('1', query);
  while (graph.news.open() === 0) await pause(1);
  const walked = await walkWhenWarm(async () => {
    graph.news.publish({ id: 'n1', author: 'p1' });
    await socket.next();
  });
  socket.close();
  await gateway.close();
  await graph.close();
  return walked;
}

async function walkWhenWarm(work: () => Promise<unknown>): Promise<Walk> {
  for (let time = 0; time < WARM_UPS; time += 1) await work();
  const walked: Walk[] = [];
  for (let time = 0; time < MEASURED; time += 1) {
    await pause(SETTLED_MS);
    walked.push(await walk(work));
  }
  const [shortest, ...longer] = walked.toSorted((one, other) => one.files.length - other.files.length);
  if (!shortest) throw new Error('Nothing was measured.');
  return {
    ...shortest,
    files: shortest.files.filter((file) => longer.every(({ files }) => files.includes(file))),
  };
}

/** As HTTP clients do that know the length of what they send: a plain request. */
async function post(agent: Agent, url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(url, { agent, method: 'POST', headers }).end(body);
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  let text = '';
  for await (const part of response) text += String(part);
  if (!text.startsWith('{"data":{')) throw new Error(`The query failed: ${text}`);
}
