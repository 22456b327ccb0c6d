import { writeFileSync } from 'node:fs';
import { until } from '@trellis/testkit';
import { expect, it } from 'vitest';
import { compose } from '../testing/compose.ts';
import { NEW, stageMagazine } from '../testing/magazine-stage.ts';
import { replaceInTypeDefs } from '../testing/replace-in-type-defs.ts';

const stage = stageMagazine();

it('F-11 a response in parts ends on the supergraph it began with, fetches that come later included', async () => {
  const { graph, gateway } = stage;
  graph.reviewsGate.close();
  const parts = await stage.open('{ post { title ...@defer { reviews { text by { name } } } } }', NEW);
  expect(await parts.next()).toMatchObject({ data: { post: { title: 'First' } }, hasNext: true });
  await until(() => graph.reviews.received.length === 1);
  const withoutNames = replaceInTypeDefs(graph.posts.typeDefs, 'name: String!', '');
  writeFileSync(
    gateway.supergraphFile,
    compose([{ ...graph.posts, typeDefs: withoutNames }, ...graph.all.slice(1)]),
  );
  const names = async (): Promise<string> => (await gateway.post({ query: '{ noAuthor { name } }' })).text;
  await until(async () => (await names()).includes('GRAPHQL_VALIDATION_FAILED'), 'the new supergraph serves');
  graph.posts.forget();
  graph.reviewsGate.open();
  const reviews = [{ text: 'Good.', by: { name: 'Ada' } }];
  expect(await parts.rest()).toMatchObject([{ incremental: [{ data: { reviews } }], hasNext: false }]);
  expect(graph.posts.received).toHaveLength(1);
});
