import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ContractStage } from '../../testing/contract-stage.ts';
import { TAG_LINK } from '../../testing/federation-link.ts';
import { collectGarbage } from './collect-garbage.ts';
import { diffCommand } from './history-commands.ts';
import { promoteCommand, rollbackCommand } from './move-commands.ts';
import { publishCommand, type PublishOptions } from './publish-command.ts';
import { statusCommand } from './status-command.ts';
import { verifyCommand } from './verify-command.ts';

const USERS = print(gql`
  type Query {
    me: String
    shared: Int @tag(name: "partner")
    secret: Int @tag(name: "internal")
  }
`);
const MORE = USERS.replace('me:', 'more: Int me:');

let stage: ContractStage;
let count = 0;

beforeAll(async () => {
  stage = await ContractStage.create();
});
afterAll(() => stage.close());
beforeEach(() => stage.makeRegistry(join(stage.folder, String((count += 1)))));

describe('trellis publish --contract', () => {
  it('publishes a contract of what is published, changes it and ends it; each publication composes it again', async () => {
    await stage.publish(USERS);
    expect(await stage.set('partners', { exclude: ['internal'] })).toMatchObject({
      status: 0,
      out: expect.stringMatching(
        /published: content@production 2, release [0-9a-f]{12}, contracts: partners\n$/,
      ),
    });
    expect((await stage.contract('partners')).out).toMatch(
      /secret: Int @tag\(name: "internal"\) @inaccessible/,
    );
    expect((await stage.publish(MORE)).out).toContain('contracts: partners');
    expect((await stage.contract('partners')).out).toContain('more: Int');
    expect((await stage.contract()).out).toBe('partners: exclude internal\n');
    expect((await stage.set('partners', { exclude: ['internal', 'internal'] })).out).toMatch(
      /^already published/,
    );
    await stage.set('mobile', { include: ['partner'] });
    expect((await stage.contract()).out).toBe('mobile: include partner\npartners: exclude internal\n');
    expect((await stage.set('partners', { remove: true })).status).toBe(0);
    expect(await stage.contractsOfRecords()).toEqual([
      ['mobile'],
      ['mobile', 'partners'],
      ['partners'],
      ['partners'],
      [],
    ]);
    expect((await stage.run(statusCommand, {})).out).toMatch(/, contracts: mobile\n$/);
  });

  it('rejects what breaks clients of a contract alone, by its name, and changes nothing', async () => {
    await stage.publish(USERS);
    await stage.set('partners', { exclude: ['internal'] });
    const hidden = await stage.publish(USERS.replace('me: String', 'me: String @tag(name: "internal")'));
    expect([hidden.status, hidden.out]).toEqual([
      1,
      expect.stringMatching(/breaking: partners: Query\.me: FIELD_REMOVED/),
    ]);
    const stricter = await stage.set('partners', { exclude: ['internal', 'partner'] });
    expect([stricter.status, stricter.out]).toEqual([
      1,
      expect.stringMatching(/breaking: partners: Query\.shared: FIELD_REMOVED/),
    ]);
    expect(await stage.contractsOfRecords()).toEqual([['partners'], []]);
  });

  it('asks recorded operations whether clients use what a contract no longer shows', async () => {
    await stage.publish(USERS);
    await stage.set('partners', { exclude: ['internal'] });
    const recorded = (query: string): string =>
      stage.write(
        'operations.jsonl',
        `{"format":"trellis-operations/1","complete":true}\n${JSON.stringify({
          id: 'one',
          document: query,
          clients: [{ name: 'app', requests: 5 }],
        })}\n`,
      );
    const hide = { exclude: ['internal', 'partner'] };
    const used = await stage.set('partners', { ...hide, operations: [recorded('{ shared }')] });
    expect([used.status, used.out]).toEqual([1, expect.stringContaining('partners: Query.shared')]);
    expect((await stage.set('partners', { ...hide, operations: [recorded('{ me }')] })).status).toBe(0);
  });

  it('rejects a contract that does not compose, now or after a publication, by its name', async () => {
    await stage.publish(USERS);
    const empty = await stage.set('empty', { include: ['nothing'] });
    expect([empty.status, empty.out]).toEqual([
      1,
      expect.stringContaining('INVALID_CONTRACT: The contract empty does not compose: no query is left'),
    ]);
    await stage.set('partners', { include: ['partner'] });
    const untagged = await stage.publish(USERS.replace('@tag(name: "partner")', ''));
    expect([untagged.status, untagged.out]).toEqual([
      1,
      expect.stringContaining('The contract partners does not compose: no query is left'),
    ]);
    expect(untagged.out).toContain('rejected: nothing was changed.');
    expect(await stage.contractsOfRecords()).toEqual([['partners'], []]);
  });

  it('warns of a tag that no element has: one that is excluded hides nothing', async () => {
    await stage.publish(USERS);
    const { status, out } = await stage.set('partners', { exclude: ['internl'] });
    expect([status, out]).toEqual([
      0,
      expect.stringContaining('UNKNOWN_TAG: No element has the tag "internl" of the contract partners.'),
    ]);
  });

  it.each<[string, PublishOptions, number, RegExp]>([
    ['a hostile name', { contract: '../../\u001B[31m', include: ['a'] }, 64, /^INVALID_NAME: "\.\.\/\.\.\//],
    ['a name of a prototype', { contract: '__proto__', include: ['a'] }, 64, /^INVALID_NAME/],
    ['no tags', { contract: 'partners' }, 64, /^INVALID_NAME: --contract NAME needs --include/],
    ['tags and an end', { contract: 'partners', include: ['a'], remove: true }, 64, /^INVALID_NAME/],
    ['an empty tag', { contract: 'partners', include: [''] }, 64, /^INVALID_NAME: The contracts are invalid/],
    [
      'a subgraph as well',
      { contract: 'partners', subgraph: 'users', remove: true },
      64,
      /neither --subgraph/,
    ],
    [
      'the end of one that is unknown',
      { contract: 'constructor', remove: true },
      1,
      /^NO_CONTRACT: content@production has no contract "constructor"/,
    ],
  ])('rejects %s', async (_title, options, status, error) => {
    await stage.publish(USERS);
    const ran = await stage.run(publishCommand, options);
    expect([ran.status, ran.error]).toEqual([status, expect.stringMatching(error)]);
    expect(ran.error).not.toContain('\u001B');
    expect(await stage.contractsOfRecords()).toEqual([[]]);
  });
});

describe('trellis publish --config', () => {
  const configured = (contracts: string): string =>
    stage.write(
      'supergraph.yaml',
      `subgraphs:\n  users: { routing_url: "http://users.test/", schema: { file: users.graphql } }\n${contracts}`,
    );

  it('takes the contracts of the file for all of them; a file without any leaves them', async () => {
    stage.write('users.graphql', TAG_LINK + USERS);
    const config = configured(
      'contracts: { partners: { exclude: [internal] }, mobile: { include: [partner] } }\n',
    );
    expect((await stage.run(publishCommand, { config })).out).toContain('contracts: mobile, partners');
    configured('');
    expect((await stage.run(publishCommand, { config })).out).toMatch(
      /^already published.*contracts: mobile, partners/,
    );
    configured('contracts: { partners: { exclude: [internal] } }\n');
    expect((await stage.run(publishCommand, { config })).out).toMatch(/^published.*contracts: partners$/m);
    configured('contracts: {}\n');
    expect((await stage.run(publishCommand, { config })).out).toMatch(
      /^published: .*release [0-9a-f]{12}\n$/m,
    );
  });

  it('compares no contract that is new: it has no clients yet, though its tags come with it', async () => {
    await stage.publish(USERS.replace('@tag(name: "internal")', ''));
    stage.write('users.graphql', TAG_LINK + USERS);
    const config = configured('contracts: { partners: { exclude: [internal] } }\n');
    expect(await stage.run(publishCommand, { config })).toMatchObject({ status: 0 });
  });

  it('rejects a file that names a contract twice', async () => {
    stage.write('users.graphql', TAG_LINK + USERS);
    const config = configured('contracts:\n  partners: { exclude: [a] }\n  partners: { exclude: [b] }\n');
    const ran = await stage.run(publishCommand, { config });
    expect([ran.status, ran.error + ran.out]).toEqual([1, expect.stringContaining('unique')]);
  });
});

describe('Contracts of releases', () => {
  it('are promoted; what would end one of the other environment is rejected with what to do', async () => {
    const staging = 'content@staging';
    await stage.publish(USERS, { graph: staging });
    await stage.run(publishCommand, { contract: 'partners', exclude: ['internal'], graph: staging });
    await stage.run(promoteCommand, { from: 'staging', to: 'production' });
    expect(await stage.contractsOfRecords()).toEqual([['partners']]);
    await stage.run(publishCommand, { contract: 'partners', remove: true, graph: staging });
    const ended = await stage.run(promoteCommand, { from: 'staging', to: 'production' });
    expect([ended.status, ended.error]).toEqual([
      1,
      expect.stringMatching(
        /^NO_CONTRACT: content@production serves the contract partners, which the release of content@staging has not\..*--contract partners --remove --graph content@production/,
      ),
    ]);
    await stage.run(publishCommand, { contract: 'partners', remove: true });
    expect((await stage.run(promoteCommand, { from: 'staging', to: 'production' })).status).toBe(0);
  });

  it('are checked by a promotion like the graph', async () => {
    const staging = { graph: 'content@staging' };
    for (const graph of ['content@staging', 'content@production']) {
      await stage.publish(USERS, { graph });
      await stage.run(publishCommand, { contract: 'partners', exclude: ['internal'], graph });
    }
    await stage.run(publishCommand, { contract: 'partners', remove: true, ...staging });
    await stage.run(publishCommand, { contract: 'partners', include: ['partner'], ...staging });
    const ran = await stage.run(promoteCommand, { from: 'staging', to: 'production' });
    expect([ran.status, ran.out]).toEqual([1, expect.stringContaining('breaking: partners: Query.me')]);
  });

  it('go back with a rollback, which says which of them the older release has not', async () => {
    await stage.publish(USERS);
    await stage.set('partners', { exclude: ['internal'] });
    expect(await stage.run(rollbackCommand, {})).toMatchObject({
      status: 0,
      out: expect.stringContaining('warning: the release has no contract partners'),
    });
    expect(await stage.contractsOfRecords()).toEqual([[], ['partners'], []]);
  });

  it('differ by tags and schema', async () => {
    await stage.publish(USERS);
    const added = await stage.set('partners', { include: ['partner'] });
    await stage.set('partners', { include: ['partner', 'internal'] });
    expect(added.status).toBe(0);
    const { contracts, report } = JSON.parse((await stage.run(diffCommand, { format: 'json' })).out) as {
      contracts: unknown;
      report: { changes: unknown };
    };
    expect(contracts).toEqual([
      { name: 'partners', change: 'tags changed' },
      { name: 'partners', change: 'schema changed' },
    ]);
    expect(report.changes).toMatchObject([
      { code: 'FIELD_ADDED', coordinate: 'Query.secret', contract: 'partners' },
    ]);
    expect((await stage.run(diffCommand, { from: '1', to: '2' })).out).toContain('contract added: partners');
  });

  it('are verified by digest, and no garbage', async () => {
    await stage.publish(USERS);
    await stage.set('partners', { exclude: ['internal'] });
    const blobs = join(stage.folder, String(count), 'blobs/sha256');
    const before = readdirSync(blobs);
    expect((await stage.run(collectGarbage, { olderThan: '0' })).out).toMatch(/^0 of/);
    expect((await stage.run(verifyCommand, {})).status).toBe(0);
    const text = before.find((name) => readFileSync(join(blobs, name), 'utf8').includes('@inaccessible'));
    truncateSync(join(blobs, text ?? ''), 3);
    expect(await stage.run(verifyCommand, {})).toMatchObject({
      status: 77,
      out: expect.stringContaining('BLOB_ALTERED'),
    });
  });

  it('are read and left alone by trellis contract', async () => {
    await stage.publish(USERS);
    await stage.set('partners', { exclude: ['internal'] });
    const tried = await stage.contract('any', { include: ['partner'] });
    expect([tried.out.match(/@inaccessible/g)?.length, tried.error]).toEqual([3, '']);
    await expect(stage.contract('other')).rejects.toMatchObject({ code: 'NO_CONTRACT' });
  });
});
