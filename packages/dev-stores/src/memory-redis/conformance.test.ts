import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeAccess } from './conformance/access-cases.ts';
import { describeKeys } from './conformance/key-cases.ts';
import { RawConnection } from './conformance/raw-connection.ts';
import { describeScripts } from './conformance/script-cases.ts';
import { connect, realRedisVersion, serverKinds, type RunningServer } from './conformance/servers.ts';
import {
  readTranscript,
  replay,
  transcriptNames,
  wordsOf,
  writeTranscript,
} from './conformance/transcript.ts';
import { describeWaiting } from './conformance/waiting-cases.ts';
import { describeWire } from './conformance/wire-cases.ts';

if (realRedisVersion === undefined)
  console.log('No redis-server on PATH: the conformance suite runs on the in-memory server alone.');

describe.each(serverKinds)('$name', (kind) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await kind.start();
  });
  afterAll(() => server.stop());

  describe.each([2, 3] as const)('answers over RESP%d as recorded', (protocol) => {
    it.each(transcriptNames)('%s', async (name) => {
      const recorded = readTranscript(name);
      const redis = await connect(server, { protocol });
      const replayed = await replay(redis, recorded);
      redis.disconnect();
      if (process.env['RECORD_TRANSCRIPTS'] !== undefined && kind === serverKinds.at(-1))
        writeTranscript(name, replayed);
      expect(replayed).toEqual(recorded);
    });
  });

  describe('on the wire', () => {
    describeWire(() => server);
  });
  describe('keys', () => {
    describeKeys(() => server);
  });
  describe('scripts', () => {
    describeScripts(() => server);
  });
  describe('waiting and listening', () => {
    describeWaiting(() => server);
  });
  describe('with a password', () => {
    describeAccess(kind);
  });
});

describe.skipIf(serverKinds.length < 2)('memory-redis and redis-server', () => {
  let running: RunningServer[];
  beforeAll(async () => {
    running = await Promise.all(serverKinds.map((kind) => kind.start()));
  });
  afterAll(() => Promise.all(running.map((server) => server.stop())));

  describe.each(['2', '3'])('send the same bytes in RESP%s', (protocol) => {
    it.each(transcriptNames)('%s', async (name) => {
      const { exchanges } = readTranscript(name);
      const sent = exchanges.map((exchange) => exchange.sent).filter((line) => !line.startsWith('~ '));
      const [ours = [], theirs = []] = await Promise.all(
        running.map((server) => converse(server, protocol, sent)),
      );
      expect(ours).toEqual(theirs);
    });
  });

  it('write numbers alike, whatever the format', async () => {
    const clients = await Promise.all(running.map((server) => connect(server)));
    const [ours, theirs] = await Promise.all(
      clients.map((redis) => Promise.all(formatCalls().map((call) => redis.eval(...call)))),
    );
    expect(ours).toEqual(theirs);
    clients.forEach((client) => client.disconnect());
  });
});

/** Numbers of all sizes in formats of all kinds, the same at each run. */
function formatCalls(): (readonly [script: string, keyCount: number, format: string, number: string])[] {
  const script = "local n = tonumber(ARGV[2]) return {string.format(ARGV[1], n), n .. ''}";
  const numbers = Array.from({ length: 400 }, (_, index) => {
    const digits = ((index * 2_654_435_761) % 4_294_967_296) / 4_096;
    return String((index % 2 === 0 ? 1 : -1) * digits * 10 ** ((index % 31) - 15));
  });
  numbers.push(
    '0',
    '-0',
    '0.5',
    '1.5',
    '2.5',
    '0.125',
    '1e21',
    '1e300',
    '5e-324',
    '9007199254740993',
    '123456.5',
  );
  const formats = ['%d', '%5.1f', '%.0f', '%.17f', '%+.3f', '%010.2f', '%-12fx', '%#.0f', '% d', '%.3d'];
  return numbers.map((number, index) => [script, 0, formats[index % formats.length] ?? '%d', number]);
}

/** The replies to each line, as they came over the wire. */
async function converse(
  server: RunningServer,
  protocol: string,
  lines: readonly string[],
): Promise<string[][]> {
  const raw = await RawConnection.open(server);
  await raw.ask('FLUSHALL');
  await raw.ask('HELLO', protocol);
  const replies: string[][] = [];
  for (const line of lines) {
    raw.request(...wordsOf(line));
    raw.request('NOSUCHCOMMAND');
    replies.push([
      line,
      await raw.until("-ERR unknown command 'NOSUCHCOMMAND', with args beginning with: \r\n"),
    ]);
  }
  raw.close();
  return replies;
}
