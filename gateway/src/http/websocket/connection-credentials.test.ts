import { describe, expect, it } from 'vitest';
import type { ClientHeaders } from '../../request/context.ts';
import { headersOf } from './connection-credentials.ts';

const upgrade = { host: 'graph.example', 'x-tenant': 'mallory-inc' };

type Case = readonly [
  title: string,
  payload: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  headers: ClientHeaders,
];
const cases: readonly Case[] = [
  ['nothing by default', { 'x-trace': 'a', 'x-tenant': 'b' }, [], upgrade],
  ['what is allowed', { 'X-Trace': 'a', 'x-other': 'b' }, ['x-trace'], { ...upgrade, 'x-trace': 'a' }],
  ['nothing that the upgrade has brought', { 'x-tenant': 'victim-corp' }, ['x-tenant'], upgrade],
  ['nothing that it has brought in another case', { 'X-TENANT': 'victim-corp' }, ['x-tenant'], upgrade],
  ['nothing that removes a header', { connection: 'x-tenant' }, ['x-trace'], upgrade],
  [
    'nothing that is no text of a header',
    { 'x-trace': 'a\r\nb', 'x-other': 7 },
    ['x-trace', 'x-other'],
    upgrade,
  ],
];

describe('G6: From the payload of connection_init comes', () => {
  it.each(cases)('%s', (_title, payload, allowed, headers) => {
    expect(headersOf(upgrade, payload, allowed)).toEqual(headers);
  });
});
