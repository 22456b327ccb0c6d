import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { createTemporaryDirectory } from '../temporary-directory.ts';
import { testKeysByAddress } from './keys-by-address.ts';

/** Each looks something up by an address as it is. */
const LOOKUPS = [
  'counts.get(ip)',
  'counts.set(message.ip, 1)',
  'counts.get(address)',
  'counts.has(clientAddress)',
  'seen.add(caller.peerAddress)',
  'counts.delete(socket?.address)',
  'counts.get(`${ip} sign-in`)',
  'limits.take({ keys: [ip] })',
  'limits.take({ keys: [`${caller.address}`] })',
  'counts.get(`user:${clientAddress}`)',
];
/** None of these does. */
const OTHERS = ['counts.get(ipsum)', 'counts.get(addresses)', 'counts.set(name, address)', 'list.map(ip)'];

const directory = createTemporaryDirectory();
beforeAll(() => {
  for (const [index, text] of [...LOOKUPS, ...OTHERS].entries())
    writeFileSync(`${directory.path}/${index}.ts`, `${text};\n`);
});
afterAll(() => directory.remove());

testKeysByAddress({
  folder: directory.path,
  reads: {},
  keys: Object.fromEntries(LOOKUPS.map((text, index) => [`${index}.ts`, text])),
  networks: {},
});
