// Builds the explorer's files: a step of `npm run build`, and of the gateway's image.
import { buildClient } from './build-client.ts';

await buildClient();
