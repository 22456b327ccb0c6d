import { composeByGuild } from '../composers/compose-by-guild.ts';
import { serveCompositions } from './serve-compositions.ts';

// The program of a thread that composes by @theguild/federation-composition.
serveCompositions(({ subgraphs }) => composeByGuild(subgraphs));
