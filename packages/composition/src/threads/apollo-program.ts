import { composeSubgraphs } from '../compose-supergraph.ts';
import { KnownSubgraphs } from '../known-subgraphs.ts';
import { serveCompositions } from './serve-compositions.ts';

// The program of a thread that composes by @apollo/composition. What has not changed since its last task is not built again.
const known = new KnownSubgraphs();
serveCompositions(({ subgraphs, isProved }) => composeSubgraphs(subgraphs, { isProved, known }));
