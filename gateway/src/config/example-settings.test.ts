import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { documentedSettings } from '../settings/describe-setting.ts';
import { settingTable } from '../settings/settings.ts';
import { readGatewayConfig } from './config.ts';
import { settingsInUse } from './settings-in-use.ts';

const file = fileURLToPath(new URL('../../../docs/configuration/gateway-example.yaml', import.meta.url));
const text = readFileSync(file, 'utf8');
const example: unknown = parse(text);

/** Settings that the example does not have, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'subgraphConnections.tls.certificate': 'is PEM, and goes with key',
  'subgraphConnections.tls.key': 'is PEM, and goes with certificate',
  'subgraphConnections.tls.ca': 'is PEM:',
  'persistedQueries.manifests': 'goes with mode: safelist alone, and names files that have to be there',
  'persistedQueries.lists': 'goes with mode: safelist alone, and names a folder that has to be there',
  'persistedQueries.clients': 'goes with mode: safelist alone, and names files that have to be there',
  'persistedQueries.clients.<name>.manifests': 'goes with mode: safelist alone, and names files',
};

/** Finds whether a key stands in the example: of a list in its first element, of a mapping at any name. */
function hasKey(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  if (name === '<name>') return Object.values(value).some((one) => hasKey(one, rest));
  return Object.hasOwn(value, name) && hasKey((value as Record<string, unknown>)[name], rest); // its own
}

function pathOf(key: string): readonly string[] {
  return key.replaceAll('[]', '.0').split('.');
}

describe('C9: docs/configuration/gateway-example.yaml', () => {
  it('is a configuration that a gateway starts with', () => {
    const environment = { SUPERGRAPH: 'supergraph.graphql', CONFIG: file, INTROSPECTION_SECRET: 'secret' };
    const inUse = settingsInUse(readGatewayConfig(environment));
    expect(inUse.authentication.issuers[0]?.introspection?.clientSecret).toBe('secret');
    expect(inUse.responseCache?.redisUrl).toBe('redis://cache:6379');
  });

  const settings = documentedSettings(settingTable).filter(({ key }) => !/\.subgraphs\.<name>\./.test(key));
  it.each(settings)('has $key, or says why not', ({ key }) => {
    if (Object.hasOwn(LEFT_OUT, key)) expect(text).toContain(LEFT_OUT[key]);
    else expect(hasKey(example, pathOf(key)), key).toBe(true);
  });

  it('leaves nothing out that it has', () => {
    for (const key of Object.keys(LEFT_OUT)) expect(hasKey(example, pathOf(key))).toBe(false);
  });
});
