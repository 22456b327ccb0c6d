import { describe, expect, it } from 'vitest';
import type { ClientHeaders } from '../../request/context.ts';
import { headersOf, readPayload } from './connection-payload.ts';

const web = { name: 'web', version: '1' };
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

describe('A program is named in the payload of connection_init', () => {
  it.each<[string, Readonly<Record<string, unknown>>, object | undefined]>([
    [
      'by the headers of Apollo',
      { 'apollographql-client-name': 'web', 'apollographql-client-version': '1' },
      web,
    ],
    ['in any case', { 'Apollographql-Client-Name': 'web', 'GraphQL-Client-Version': '1' }, web],
    ['by those of others', { 'x-graphql-client-name': 'web', 'graphql-client-version': '1' }, web],
    ['by the member of GraphQL Hive', { client: { name: 'web', version: '1' } }, web],
    ['without a version', { client: { name: 'web', version: 7 } }, { name: 'web', version: '' }],
    ['by no long text', { client: { name: 'x'.repeat(101) } }, undefined],
    ['by no text of several lines', { 'graphql-client-name': 'a\nb' }, undefined],
    ['by nothing that an object inherits', { client: Object.create({ name: 'web' }) as object }, undefined],
    ['by nothing else', { client: 'web', clientName: 'web' }, undefined],
  ])('%s', (_how, payload, software) => {
    expect(readPayload(payload).software).toEqual(software);
  });
});
