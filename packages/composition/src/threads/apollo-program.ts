import { composeSubgraphs } from '../compose-supergraph.ts';
import { serveCompositions } from './serve-compositions.ts';

// The program of a thread that composes by @apollo/composition.
serveCompositions(({ subgraphs, isProved }) => composeSubgraphs(subgraphs, { isProved }));
