// What a TypeScript project sees of the packages: their types, none of them `any`.
import { authServer } from '@trellis/auth-server';
import { gateway, gatewayPlugin, type GatewayPluginOptions } from '@trellis/gateway';
import { buildSubgraphServer, createSubgraphProgram, parseId } from '@trellis/subgraph-kit';
import { createUserContextVerifier, type UserContext } from '@trellis/subgraph-protocol';
import Fastify from 'fastify';

type IsAny<T> = 0 extends 1 & T ? true : false;
const known: [
  IsAny<typeof authServer>,
  IsAny<typeof gateway>,
  IsAny<typeof gatewayPlugin>,
  IsAny<typeof buildSubgraphServer>,
  IsAny<typeof createSubgraphProgram>,
  IsAny<typeof createUserContextVerifier>,
  IsAny<UserContext>,
] = [false, false, false, false, false, false, false];
const options: GatewayPluginOptions = { supergraph: 'supergraph.graphql' };
await Fastify().register(gatewayPlugin, options);
// @ts-expect-error a port is the host's
await Fastify().register(gatewayPlugin, { port: 4000 });
const id: string | undefined = parseId('0198c0de-0000-7000-8000-000000000000');
console.log(known, id);
