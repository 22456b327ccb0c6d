import { ApolloGateway } from '@apollo/gateway';
import { Kind } from 'graphql';
import type { Answered } from '../synthetic/compare.ts';
import type { RandomOperation } from '../synthetic/random-operation.ts';

/** `@apollo/gateway`, asked as ApolloServer asks it. */
export interface StockGateway {
  /** @throws what the gateway throws, where it has no response at all */
  ask(operation: RandomOperation): Promise<Answered>;
  close(): Promise<void>;
}

/** Starts it over a supergraph. */
export async function startStockGateway(supergraphSdl: string): Promise<StockGateway> {
  const gateway = new ApolloGateway({ supergraphSdl });
  const { schema, executor } = await gateway.load();
  return {
    async ask({ text: query, document, variables }) {
      const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
      const context = {
        request: { query, variables: { ...variables } },
        document,
        operation,
        operationName: 'Random',
        queryHash: query,
        schema,
        context: {},
        metrics: {},
        logger: console,
      };
      return (await executor(context as unknown as Parameters<typeof executor>[0])) as Answered; // all that it reads
    },
    close: () => gateway.stop(),
  };
}
