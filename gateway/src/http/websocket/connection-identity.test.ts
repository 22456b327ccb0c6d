import { describe, expect, it } from 'vitest';
import { ANONYMOUS, type Caller } from '../../identity/caller.ts';
import { ConnectionIdentity } from './connection-identity.ts';
import { readPayload } from './connection-payload.ts';

const ada: Caller = { ...ANONYMOUS, authenticated: true, actor: 'ada' };
const open = (headers: Readonly<Record<string, string>>): ConnectionIdentity =>
  new ConnectionIdentity({
    headers: { host: 'graph.example', ...headers },
    address: '192.0.2.1',
    certificate: undefined,
    path: '/graphql',
  });
const payload = readPayload({ Authorization: 'Bearer of-payload' });

describe('G6: The Authorization that goes on to subgraphs', () => {
  it('is that of the upgrade request, which connection_init does not replace', () => {
    const identity = open({ authorization: 'Bearer of-upgrade' });
    const credentials = identity.credentialsAtInit(payload);
    identity.become(ANONYMOUS, credentials);
    expect(credentials.authorization).toBe('Bearer of-upgrade');
    expect(identity.runsAs.headers['authorization']).toBe('Bearer of-upgrade');
  });

  it('is not replaced by a ping with a token that has not been verified', () => {
    const identity = open({ authorization: 'Basic of-proxy' });
    identity.become(ANONYMOUS, identity.credentialsOf(payload));
    expect(identity.runsAs.headers['authorization']).toBe('Basic of-proxy');
  });

  it('is that of a ping whose token is good, and of connection_init where the upgrade had none', () => {
    const renewed = open({ authorization: 'Bearer of-upgrade' });
    renewed.become(ada, renewed.credentialsOf(payload));
    const began = open({});
    began.become(ANONYMOUS, began.credentialsAtInit(payload));
    for (const identity of [renewed, began])
      expect(identity.runsAs.headers['authorization']).toBe('Bearer of-payload');
  });
});
